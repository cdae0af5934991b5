"""Forces of bonds in a row on their nodes, for static solutions."""

from dem.kernels.bonds import beam
from dem.kernels.compiler.jit import kernel
from dem.kernels.numerics.quaternion import load_quaternion
from dem.kernels.numerics.vector import add, load, store, subtract


@kernel
def pull_row(length, along, across, position, orientation, force, torque):
    """Forces and torques of N - 1 bonds in a row on their N nodes, each along the x axis of its nodes at rest.

    length, along, across: of each bond at rest [m], its stiffnesses, see `beam.stresses`.
    position, orientation: (3, N) [m], (4, N).
    Writes force, torque: (3, N) [N, N m].
    """
    for k in range(position.shape[1]):
        store(force, k, (0.0, 0.0, 0.0))
        store(torque, k, (0.0, 0.0, 0.0))
    for k in range(position.shape[1] - 1):
        r = subtract(load(position, k + 1), load(position, k))
        s = beam.strain(load_quaternion(orientation, k), load_quaternion(orientation, k + 1), r)
        f, c = beam.stresses(s, length, along, across)
        f, one, other = beam.end_loads(s, r, f, beam.couples(s, f, c)[0])
        store(force, k, add(load(force, k), f))
        store(force, k + 1, subtract(load(force, k + 1), f))
        store(torque, k, add(load(torque, k), one))
        store(torque, k + 1, add(load(torque, k + 1), other))
