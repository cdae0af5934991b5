"""Stress of contacts between single spheres in a cell that deforms, summed batch by batch; see ``cell_stress``.

Other domains and shapes compile nothing of this, reports of contacts neither.
"""

from dem.kernels.compiler.jit import inline, select, vector_loop
from dem.kernels.domain.deforming import CONTACTS, DeformingFaces, add_dyad, no_virial, write_virial
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.soft.contact.batch_kinematics import FORCE, GAP, Segments, SingleSpheres, SphereClusters, get
from dem.kernels.soft.contact.result_sinks import ForceSink, ReportSink


@vector_loop
def sum_batch(unit, number, gathered, out):
    """Virial Σ r ⊗ F of the contacts of a batch.

    unit: units a joule.
    number, gathered, out: columns; rows GAP and FORCE.
    Returns 18 integers, see `dem.kernels.domain.deforming.no_virial`.
    """
    total = no_virial()
    for t in range(number):
        total = add_dyad(total, get(gathered, GAP, t), get(out, FORCE, t), unit)
    return total


@inline
def add_batch(geometry, sink, box, c, number, gathered, out):
    """Add what the contacts of a batch contribute to the virial of chunk c."""
    more = sum_batch(box.unit[0], number, gathered, out)
    for k in range(18):
        box.parts[c, CONTACTS + k] += more[k]


@inline
def clear_chunk(geometry, sink, box, c):
    """Begin the virial of chunk c."""
    write_virial(box, c, CONTACTS, no_virial())


add_in_step = select("sink", {ReportSink: None, ForceSink: add_batch})
clear_in_step = select("sink", {ReportSink: None, ForceSink: clear_chunk})


@inline
def add_of_spheres(geometry, sink, box, c, number, gathered, out):
    """Add a batch of single spheres, in steps."""
    add_in_step(geometry, sink, box, c, number, gathered, out)


@inline
def clear_of_spheres(geometry, sink, box, c):
    """Begin the virial of a chunk of single spheres, in steps."""
    clear_in_step(geometry, sink, box, c)


add_of = select("geometry", {SingleSpheres: add_of_spheres, SphereClusters: None, Segments: None})
clear_of = select("geometry", {SingleSpheres: clear_of_spheres, SphereClusters: None, Segments: None})


@inline
def note_in_cell(box, geometry, sink, c, number, gathered, out):
    """Add a batch of a chunk in a cell that deforms."""
    add_of(geometry, sink, box, c, number, gathered, out)


@inline
def clear_in_cell(box, geometry, sink, c):
    """Begin the virial of a chunk in a cell that deforms."""
    clear_of(geometry, sink, box, c)


note_batch = select("box", {BoxFaces: None, DeformingFaces: note_in_cell})
clear_stress = select("box", {BoxFaces: None, DeformingFaces: clear_in_cell})
