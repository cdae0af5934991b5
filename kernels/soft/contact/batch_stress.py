"""Stress of contacts between single spheres in a deforming cell, summed batch by batch; see ``cell_stress``.

It is compiled only for deforming cells with single spheres, and not for reports of contacts.
"""

import numpy as np
from dem.kernels.compiler.jit import inline, select, vector_loop
from dem.kernels.domain.deforming_cell import CONTACTS, DeformingFaces, no_virial, write_virial
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.numerics.columns import flat
from dem.kernels.simd.rounding import nearest
from dem.kernels.soft.contact.batch_kinematics import FORCE, GAP, Segments, SingleSpheres, SphereClusters
from dem.kernels.soft.contact.result_sinks import ForceSink, ReportSink


@vector_loop
def sum_component(unit, a, b, count, gathered, out):
    """Component (a, b) of the virial Σ r ⊗ F of the contacts of a batch [units].

    unit: units a joule.
    count, gathered, out: columns; rows GAP and FORCE.
    """
    total = np.int64(0)
    for t in range(count):
        total += nearest(gathered[flat(GAP + a, t)] * out[flat(FORCE + b, t)] * unit)
    return total


@inline
def add_batch(box, geometry, sink, c, count, gathered, out):
    """Add the contributions of a batch of contacts to the required components of the virial of chunk c."""
    for k in range(9):
        if box.needed[k // 3, k % 3] != 0:
            box.parts[c, CONTACTS + k] += sum_component(box.unit[0], k // 3, k % 3, count, gathered, out)


@inline
def clear_chunk(box, geometry, sink, c):
    """Begin the virial of chunk c."""
    write_virial(box, c, CONTACTS, no_virial())


def of_spheres_in_steps(act):
    """Sums of a deforming cell over contacts of single spheres; reports have none."""
    by_sink = select("sink", {ReportSink: None, ForceSink: act})
    by_geometry = select("geometry", {SingleSpheres: by_sink, SphereClusters: None, Segments: None})
    return select("box", {BoxFaces: None, DeformingFaces: by_geometry})


record_stress, clear_stress = of_spheres_in_steps(add_batch), of_spheres_in_steps(clear_chunk)
