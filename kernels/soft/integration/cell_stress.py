"""Stress in a periodic cell that deforms, V P = Σ m v ⊗ v + Σ r_ij ⊗ F_ij, and the work of the cell that follows.

The terms of candidate pairs and bonds are summed right after the evaluation of their chunk, because forces are kept
only until they are accumulated by body. The terms of contacts of single spheres are summed with their batch
(`dem.kernels.soft.contact.batch_stress`), those of motion when velocities are corrected. All this is compiled only for
deforming cells. The stress control is `choose_rates` of `dem.kernels.domain.deforming_cell`.
"""

import numpy as np
from dem.kernels import laws
from dem.kernels.compiler.jit import argument, func, inline, select, vector_loop
from dem.kernels.domain import deforming_cell
from dem.kernels.domain.deforming_cell import (
    BONDS,
    CONTACTS,
    MOTION,
    SYMMETRIC,
    DeformingFaces,
    add_dyad,
    dyad,
    no_virial,
    with_motion,
    write_virial,
)
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.numerics.energy import as_words
from dem.kernels.numerics.vector import load
from dem.kernels.soft.bonds.bond_arrays import Bonds
from dem.kernels.soft.bonds.bond_types import NoBonds
from dem.kernels.soft.chunks import chunk_of, first_candidate
from dem.kernels.soft.contact.batch_kinematics import Segments, SingleSpheres, SphereClusters
from dem.kernels.soft.contact.contact_batches import geometry_of
from dem.kernels.soft.contact.contact_detection import SHARED, VECTOR_WIDTH


@vector_loop
def sum_elastic(box, unit, column, sphere_i, sphere_j, owner, position, pair_force):
    """Virial of candidate pairs whose forces begin at a column of `pair_force`.

    unit, column: units a joule; first column.
    sphere_i, sphere_j, owner, position, pair_force: candidates of a chunk, and of `Bodies` and `Neighbours`.
    Returns 9 integers, see `dem.kernels.domain.deforming_cell.no_virial`.
    """
    total = no_virial()
    for k in range(sphere_i.size):
        r = minimum_image(box, load(position, owner[sphere_i[k]]), load(position, owner[sphere_j[k]]))
        total = add_dyad(total, r, load(pair_force, column + k), unit)
    return total


@vector_loop
def sum_rows(box, unit, column, first, sphere_i, sphere_j, owner, position, force_row, force_torque):
    """Virial of the candidate pairs that have a row in `force_torque`.

    box, unit: see `sum_elastic`.
    column, first: entry of `force_row` for the first candidate; column of `force_torque` with the force on sphere i.
    sphere_i, sphere_j, owner, position, force_row, force_torque: candidates of a chunk, and of `Bodies` and
        `Neighbours`.
    Returns 9 integers, see `dem.kernels.domain.deforming_cell.no_virial`.
    """
    total = no_virial()
    for k in range(sphere_i.size):
        row = force_row[column + k]
        f = (force_torque[row, first], force_torque[row, first + 1], force_torque[row, first + 2])
        r = minimum_image(box, load(position, owner[sphere_i[k]]), load(position, owner[sphere_j[k]]))
        total = add_dyad(total, r, f, unit)
    return total


@inline
def of_pair_forces(law, box, column, sphere_i, sphere_j, bodies, neighbours):
    """Virial of a chunk under the elastic law of spheres, unless bodies are capsules, which have torques."""
    if neighbours.force_row.size > 0:
        return of_force_torque(law, box, column, sphere_i, sphere_j, bodies, neighbours)
    return sum_elastic(
        box, box.unit[0], column, sphere_i, sphere_j, bodies.owner, bodies.position, neighbours.pair_force
    )


@inline
def of_force_torque(law, box, column, sphere_i, sphere_j, bodies, neighbours):
    """Virial of a chunk, from the rows of `force_torque`."""
    first = VECTOR_WIDTH if neighbours.force_torque.shape[1] == SHARED else 0
    return sum_rows(
        box, box.unit[0], column, first, sphere_i, sphere_j, bodies.owner, bodies.position, neighbours.force_row,
        neighbours.force_torque,
    )  # fmt: skip


by_law = select("law", {laws.Elastic: of_pair_forces, laws.Composite: of_force_torque})


@inline
def record_listed(geometry, box, law, c, bodies, neighbours):
    """Write the contribution of the candidate pairs of chunk c to the virial."""
    start, count = first_candidate(c, neighbours), neighbours.pairs[c]
    sphere_i, sphere_j = neighbours.sphere_i[start : start + count], neighbours.sphere_j[start : start + count]
    write_virial(box, c, CONTACTS, by_law(law, box, neighbours.force_at[c], sphere_i, sphere_j, bodies, neighbours))


by_geometry = select("geometry", {SingleSpheres: None, SphereClusters: record_listed, Segments: record_listed})


@inline
def record_unless_in_batches(law, geometry, box, c, bodies, neighbours):
    """Write the contribution of the candidate pairs of chunk c, unless their batches have done so."""
    by_geometry(geometry, box, law, c, bodies, neighbours)


@inline
def record_elastic(law, geometry, box, c, bodies, neighbours):
    """Write the contribution of the candidate pairs of chunk c: elastic contacts of spheres have no batches."""
    record_listed(geometry, box, law, c, bodies, neighbours)


with_law = select("law", {laws.Elastic: record_elastic, laws.Composite: record_unless_in_batches})


@func
def record_virial_of_pairs(box, law, kinds, scheme, c, bodies, neighbours):
    """Write the contribution of the candidate pairs of chunk c, just evaluated, to the virial."""
    with_law(law, geometry_of(kinds, scheme), box, c, bodies, neighbours)


@func
def record_virial_of_bonds(box, bonds, c, bodies):
    """Write the contribution of the bonds that begin in chunk c, just evaluated, to the virial."""
    low = bonds.chunk_first[c]
    for column in range(BONDS, MOTION):
        box.parts[c, column] = 0
    for k in range(low, bonds.chunk_first[c + 1]):
        r = minimum_image(box, load(bodies.position, bonds.first[k]), load(bodies.position, bonds.second[k]))
        m = dyad(r, load(bonds.forces, k - low + bonds.first_force[c]))
        for component in range(9):
            whole, subunits = as_words(m[component], box.unit[1])
            box.parts[c, BONDS + component] += whole
            box.parts[c, BONDS + 9 + component] += subunits


of_bonds = select("bonds", {NoBonds: None, Bonds: record_virial_of_bonds})


record_pairs = select("box", {BoxFaces: None, DeformingFaces: record_virial_of_pairs})
record_bonds = select("box", {BoxFaces: None, DeformingFaces: of_bonds})


# Motion: one word is fine enough, as of kinetic energies


@inline
def motion_at_rest(box):
    """Contribution of motion to the virial of a cell, of no body so far."""
    zero = np.int64(0)
    return zero, zero, zero, zero, zero, zero


@inline
def write_motion(box, c, moved):
    """Write the contribution of the motion of the bodies in chunk c to the stress."""
    for k in range(SYMMETRIC):
        box.parts[c, MOTION + k] = moved[k]


no_motion = select("box", {BoxFaces: (), DeformingFaces: motion_at_rest})
add_motion = select("box", {BoxFaces: argument("moved"), DeformingFaces: with_motion})
record_motion_of_chunk = select("box", {BoxFaces: None, DeformingFaces: write_motion})


@vector_loop
def sum_motion(box, low, high, kind, mass, velocity):
    """Contribution of the motion of the bodies low to high."""
    moved = motion_at_rest(box)
    for b in range(low, high):
        moved = with_motion(box, moved, mass[kind[b]], load(velocity, b))
    return moved


@func
def record_motion(box, bodies, kinds):
    """Write the contribution of the motion of all bodies at the start of a run: velocities are at the whole step."""
    for c in range(box.parts.shape[0]):
        low, high = chunk_of(c, bodies.kind.size)
        write_motion(box, c, sum_motion(box, low, high, bodies.kind, kinds.mass, bodies.velocity))


completes_first = select("box", {BoxFaces: False, DeformingFaces: deforming_cell.completes_first})
