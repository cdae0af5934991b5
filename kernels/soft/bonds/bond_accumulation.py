"""Forces and torques of bonds, added up by body."""

import numpy as np
from dem.kernels.compiler.jit import func, inline, select, vector_loop
from dem.kernels.numerics.vector import add, load, scale, store
from dem.kernels.soft.bonds.bond_arrays import HEAT_ROW
from dem.kernels.soft.chunks import chunk_of
from dem.kernels.soft.contact.dissipated_heat import ContactHeat, NoHeat, add_dissipation


@inline
def add_one_bond(f, t, entry, pull, rows):
    """Add the force and torque of a bond to those of a body; `entry` is one of `Bonds.incident`."""
    k, first, row = entry >> 1, entry & 1 == 0, pull.shape[1]
    of_torque = k + (3 * row if first else 6 * row)
    f = add(f, scale(1.0 if first else -1.0, (rows[k], rows[k + row], rows[k + row + row])))
    return f, add(t, (rows[of_torque], rows[of_torque + row], rows[of_torque + row + row]))


@inline
def select_vector(flag, a, b):
    """One of two vectors, without a branch."""
    return a[0] if flag else b[0], a[1] if flag else b[1], a[2] if flag else b[2]


@vector_loop
def add_first_two_bonds(low, high, first_body, incident_first, incident, pull, rows, force, torque):
    """Add forces and torques of the first two bonds of each of the bodies low to high, in vector code.

    Returns the largest number of bonds of a body.

    low, high, first_body: bodies; the body whose columns of force and torque are the first.
    incident_first, incident, pull, rows: of `Bonds`, the last one `pull` in one row.
    Writes force, torque: (3, N) world frame [N, N m].
    """
    max_count, column = np.int32(0), first_body
    for b in range(low, high):
        begin, count = incident_first[b], incident_first[b + 1] - incident_first[b]
        f, t = load(force, b - column), load(torque, b - column)
        for n in range(2):
            entry = incident[begin + n if count > n else 0]
            f_more, t_more = add_one_bond(f, t, entry, pull, rows)
            f, t = select_vector(count > n, f_more, f), select_vector(count > n, t_more, t)
        store(force, b - column, f)
        store(torque, b - column, t)
        max_count = max(max_count, count)
    return max_count


@vector_loop
def add_further_bonds(low, high, first_body, skipped, incident_first, incident, pull, rows, force, torque):
    """Add forces and torques of the bonds of the bodies low to high, but for the first few of each.

    incident_first, incident, pull, rows: see `add_first_two_bonds`.
    skipped: how many these are.
    Writes force, torque: (3, N) world frame [N, N m].
    """
    column = first_body
    for b in range(low, high):
        f, t = load(force, b - column), load(torque, b - column)
        for n in range(incident_first[b] + skipped, incident_first[b + 1]):
            f, t = add_one_bond(f, t, incident[n], pull, rows)
        store(force, b - column, f)
        store(torque, b - column, t)


@func
def accumulate_bond_forces(bonds, c, first_body, bodies):
    """Add forces and torques of bonds to the bodies of chunk c, for each body in the order of its bonds' numbers."""
    low, high = chunk_of(c, bodies.kind.size)
    first, pull = bonds.incident_first, bonds.forces
    rows, skipped, max_count = pull.reshape(-1), 0, 3
    if first[high] - first[low] > high - low:
        skipped = 2
        max_count = add_first_two_bonds(
            low, high, first_body, first, bonds.incident, pull, rows, bodies.force, bodies.torque
        )
    if max_count > skipped:
        add_further_bonds(
            low, high, first_body, skipped, first, bonds.incident, pull, rows, bodies.force, bodies.torque
        )


@inline
def add_bond_losses(heat, bonds, c, time_sign, per_joule, bodies):
    """Add half of the dissipation of their bonds to the bodies of chunk c; arguments as of `add_bond_forces`."""
    low, high = chunk_of(c, bodies.kind.size)
    for b in range(low, high):
        half_step = 0.0
        for n in range(bonds.incident_first[b], bonds.incident_first[b + 1]):
            half_step += bonds.forces[HEAT_ROW, bonds.incident[n] >> 1]
        gross = half_step if time_sign < 0.0 else 2.0 * half_step
        add_dissipation(heat, bodies.dissipated, b, gross, half_step, 0.5 * per_joule)


add_losses_of_bonds = select("heat", {NoHeat: None, ContactHeat: add_bond_losses})
