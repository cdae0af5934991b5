"""Stress in a periodic cell that deforms, V P = Σ m v ⊗ v + Σ r_ij ⊗ F_ij, and the work of the cell that follows.

What candidate pairs and bonds contribute is summed right after their chunk has been evaluated, as forces are kept only
until bodies have gathered them, and what contacts of single spheres contribute with their batch
(`dem.kernels.soft.contact.batch_stress`); what motion contributes is summed when the step is complete. Other domains
compile nothing of this.
"""

import numpy as np
from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, select, vector_loop
from dem.kernels.domain.deforming import (
    BONDS,
    CONTACTS,
    MOTION,
    SYMMETRIC,
    DeformingFaces,
    add_dyad,
    no_virial,
    sum_virial,
    write_virial,
)
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.numerics.energy import as_fixed
from dem.kernels.numerics.vector import add_scaled, load, scale
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
    Returns 18 integers, see `dem.kernels.domain.deforming.no_virial`.
    """
    total = no_virial()
    for k in range(sphere_i.size):
        r = minimum_image(box, load(position, owner[sphere_i[k]]), load(position, owner[sphere_j[k]]))
        total = add_dyad(total, r, load(pair_force, column + k), unit)
    return total


@vector_loop
def sum_rows(box, unit, column, at, sphere_i, sphere_j, owner, position, slot, force_torque):
    """Virial of candidate pairs whose forces are in rows of wrenches, from a place in the row on.

    box, unit, column, at: see `sum_elastic`; first entry of `slot`; place of the force on sphere i.
    sphere_i, sphere_j, owner, position, slot, force_torque: candidates of a chunk, and of `Bodies` and `Neighbours`.
    Returns 18 integers, see `dem.kernels.domain.deforming.no_virial`.
    """
    total = no_virial()
    for k in range(sphere_i.size):
        row = slot[column + k]
        f = (force_torque[row, at], force_torque[row, at + 1], force_torque[row, at + 2])
        r = minimum_image(box, load(position, owner[sphere_i[k]]), load(position, owner[sphere_j[k]]))
        total = add_dyad(total, r, f, unit)
    return total


@inline
def of_pair_forces(law, box, column, sphere_i, sphere_j, bodies, neighbours):
    """Virial of a chunk under the elastic law of spheres, unless bodies are capsules, whose forces are wrenches."""
    if neighbours.force_row.size > 0:
        return of_wrenches(law, box, column, sphere_i, sphere_j, bodies, neighbours)
    return sum_elastic(
        box, box.unit[0], column, sphere_i, sphere_j, bodies.owner, bodies.position, neighbours.pair_force
    )


@inline
def of_wrenches(law, box, column, sphere_i, sphere_j, bodies, neighbours):
    """Virial of a chunk whose contacts have wrenches."""
    at = VECTOR_WIDTH if neighbours.force_torque.shape[1] == SHARED else 0
    return sum_rows(
        box, box.unit[0], column, at, sphere_i, sphere_j, bodies.owner, bodies.position, neighbours.force_row,
        neighbours.force_torque,
    )  # fmt: skip


by_law = select("law", {laws.Elastic: of_pair_forces, laws.Composite: of_wrenches})


@inline
def note_listed(geometry, box, law, c, bodies, neighbours):
    """Note what the candidate pairs of chunk c contribute to the virial."""
    start, number = first_candidate(c, neighbours), neighbours.pairs[c]
    sphere_i, sphere_j = neighbours.sphere_i[start : start + number], neighbours.sphere_j[start : start + number]
    write_virial(box, c, CONTACTS, by_law(law, box, neighbours.force_at[c], sphere_i, sphere_j, bodies, neighbours))


by_geometry = select("geometry", {SingleSpheres: None, SphereClusters: note_listed, Segments: note_listed})


@inline
def note_unless_in_batches(law, geometry, box, c, bodies, neighbours):
    """Note what the candidate pairs of chunk c contribute, unless their batches have done so."""
    by_geometry(geometry, box, law, c, bodies, neighbours)


@inline
def note_elastic(law, geometry, box, c, bodies, neighbours):
    """Note what the candidate pairs of chunk c contribute: elastic contacts of spheres have no batches."""
    note_listed(geometry, box, law, c, bodies, neighbours)


with_law = select("law", {laws.Elastic: note_elastic, laws.Composite: note_unless_in_batches})


@func
def note_virial_of_pairs(box, law, kinds, scheme, c, bodies, neighbours):
    """Note what the candidate pairs of chunk c, which has just been evaluated, contribute to the virial."""
    with_law(law, geometry_of(kinds, scheme), box, c, bodies, neighbours)


@func
def note_virial_of_bonds(box, bonds, c, bodies):
    """Note what the bonds that begin in chunk c, which have just been evaluated, contribute to the virial."""
    total, low = no_virial(), bonds.chunk_first[c]
    for k in range(low, bonds.chunk_first[c + 1]):
        r = minimum_image(box, load(bodies.position, bonds.first[k]), load(bodies.position, bonds.second[k]))
        total = add_dyad(total, r, load(bonds.pull, k - low + bonds.pull_at[c]), box.unit[0])
    write_virial(box, c, BONDS, total)


of_bonds = select("bonds", {NoBonds: None, Bonds: note_virial_of_bonds})


note_pairs = select("box", {BoxFaces: None, DeformingFaces: note_virial_of_pairs})
note_bonds = select("box", {BoxFaces: None, DeformingFaces: of_bonds})


@vector_loop
def sum_motion(low, high, ahead, unit, kind, mass, velocity, force):
    """Virial of the motion of the bodies low to high, whose velocities are the time `ahead` further than wanted.

    One word is fine enough, as of kinetic energies. Returns xx, xy, xz, yy, yz and zz of it, in units.
    """
    xx = xy = xz = yy = yz = zz = np.int64(0)
    for b in range(low, high):
        m = mass[kind[b]]
        v = add_scaled(load(velocity, b), -ahead / m, load(force, b))
        p = scale(m, v)
        xx += as_fixed(p[0] * v[0], unit)
        xy += as_fixed(p[0] * v[1], unit)
        xz += as_fixed(p[0] * v[2], unit)
        yy += as_fixed(p[1] * v[1], unit)
        yz += as_fixed(p[1] * v[2], unit)
        zz += as_fixed(p[2] * v[2], unit)
    return xx, xy, xz, yy, yz, zz


@func
def note_motion(box, ahead, bodies, kinds):
    """Note what the motion of all bodies contributes to the virial, and sum it up."""
    for c in range(box.parts.shape[0]):
        low, high = chunk_of(c, bodies.kind.size)
        parts = sum_motion(low, high, ahead, box.unit[1], bodies.kind, kinds.mass, bodies.velocity, bodies.force)
        for k in range(SYMMETRIC):
            box.parts[c, MOTION + k] = parts[k]
    sum_virial(box)


completes_first = select("box", {BoxFaces: False, DeformingFaces: True})  # each step, before the next one is predicted
