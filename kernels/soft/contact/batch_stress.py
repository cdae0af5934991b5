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
def add_batch(box, geometry, sink, c, number, gathered, out):
    """Add what the contacts of a batch contribute to the virial of chunk c."""
    more = sum_batch(box.unit[0], number, gathered, out)
    for k in range(18):
        box.parts[c, CONTACTS + k] += more[k]


@inline
def clear_chunk(box, geometry, sink, c):
    """Begin the virial of chunk c."""
    write_virial(box, c, CONTACTS, no_virial())


def of_spheres_in_steps(act):
    """What acts in a deforming cell, on contacts of single spheres, and not in reports."""
    by_sink = select("sink", {ReportSink: None, ForceSink: act})
    by_geometry = select("geometry", {SingleSpheres: by_sink, SphereClusters: None, Segments: None})
    return select("box", {BoxFaces: None, DeformingFaces: by_geometry})


note_batch, clear_stress = of_spheres_in_steps(add_batch), of_spheres_in_steps(clear_chunk)
