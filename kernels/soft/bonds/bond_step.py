"""Bonds in a step: evaluated before any body moves, and summed by body in a fixed order; ``bond_breakage`` breaks them.

Each bond is evaluated once, in a loop without branches, with the chunk that the first of its bodies in memory is in;
then each body adds the forces of its bonds in the order of their numbers. So no bit of a result depends on threads or
on the order of bodies in memory. Bodies move after their chunk has been evaluated, so a bond finds both where they
were; bonds that reach out of a thread's block are evaluated before any body moves.
"""

import numpy as np
from dem.kernels.compiler.jit import fast_call, func, inline, select
from dem.kernels.numerics.energy import add_words, as_fixed, as_words, in_units
from dem.kernels.numerics.float_bits import as_float, bits_of_float
from dem.kernels.numerics.vector import store
from dem.kernels.soft.bonds import overlap_release
from dem.kernels.soft.bonds.bond_accumulation import accumulate_bond_forces, add_losses_of_bonds
from dem.kernels.soft.bonds.bond_arrays import BROKEN, ELASTIC, HEAT_ROW, LOAD, LOSS, PRESSED, Bonds, is_enabled
from dem.kernels.soft.bonds.bond_breakage import collect_breaking, find_breaking, largest_load, remove_broken_bonds
from dem.kernels.soft.bonds.bond_forces import evaluate_bond, evaluate_chunk, write_force
from dem.kernels.soft.bonds.bond_types import NoBonds
from dem.kernels.soft.chunks import chunk_of
from dem.kernels.soft.contact.contact_detection import no_energy


@func
def evaluate_grounded(c, half, per_joule, bonds, bodies, box):
    """Evaluate the bonds of chunk c to the ground.

    c, half, per_joule, bodies, box: chunk; see `dem.kernels.soft.state`.
    Writes bonds.forces, bonds.load, bonds.chunk_sums: of the chunk.
    """
    for m in range(bonds.ground_first[c], bonds.ground_first[c + 1]):
        n = bonds.grounded[m]
        k = bonds.ground[n]
        if bonds.state[k] < BROKEN:
            p = evaluate_bond(box, n, k, bonds, bodies)
            slot = bonds.slot[k]
            column = slot - bonds.chunk_first[c] + bonds.first_force[c]
            write_force(column, 1.0, p, bonds.forces)
            if is_enabled(bonds.form.heats):
                bonds.forces[HEAT_ROW, column] = 2.0 * p.power * half
            loss = as_words(p.power * half, per_joule)
            bonds.chunk_sums[c, ELASTIC] += as_fixed(p.energy, per_joule)
            bonds.chunk_sums[c, LOSS] += loss[0]
            bonds.chunk_sums[c, LOSS + 1] += loss[1]
            strain = max(p.load, 0.0)
            bonds.load[slot] = strain
            bonds.chunk_sums[c, LOAD] = max(bonds.chunk_sums[c, LOAD], bits_of_float(strain))


@func
def before_all(bonds, completes, constants, bodies, kinds, neighbours, box):
    """Prepare the evaluation of all bonds; completes: whether the pass completes a step."""
    bonds.sums[2] = 0.0
    if completes:
        bonds.count[1] += 1
        if bonds.count[0] > 0:
            lost = remove_broken_bonds(bonds, neighbours.heat, constants.per_joule, bodies, kinds, box)
            bonds.sums[2] = lost * constants.per_joule
        overlap_release.shrink_slack(bonds.excluded, bodies, kinds, neighbours, box)


@func
def evaluate_bonds(bonds, c, completes, constants, bodies, box):
    """Evaluate the bonds that begin in chunk c.

    c, completes, constants, bodies, box: chunk; see `before_all`.
    Writes bonds: forces, loads and sums of the chunk; the state of those that are to break.
    """
    half = 0.5 * constants.dt
    evaluate_chunk(c, half, constants.per_joule, bonds, bodies, box)
    evaluate_grounded(c, half, constants.per_joule, bonds, bodies, box)
    if is_enabled(bonds.form.brittle) and completes and largest_load(bonds, c) > 1.0:
        find_breaking(c, bonds, bodies, box)


@inline
def beyond(bonds, c, stop):
    """Whether bonds that begin in chunk c reach the chunk `stop`, or one after it."""
    return bonds.highest[c] >= stop


@func
def after_all(bonds, completes):
    """Sum the bond forces by body after all are evaluated, and break the bonds beyond their strength."""
    elastic, loss, largest, pressed = np.int64(0), no_energy(), 0.0, bonds.pressed[0]
    for c in range(bonds.chunk_sums.shape[0]):
        elastic += bonds.chunk_sums[c, ELASTIC]
        loss = add_words(loss, (bonds.chunk_sums[c, LOSS], bonds.chunk_sums[c, LOSS + 1]))
        largest, pressed = max(largest, largest_load(bonds, c)), max(pressed, as_float(bonds.chunk_sums[c, PRESSED]))
    bonds.pressed[0] = pressed
    bonds.sums[0], bonds.sums[1] = elastic, in_units(loss)
    if completes and is_enabled(bonds.form.brittle) and largest > 1.0:
        collect_breaking(bonds)


@func
def clear_all(bonds, c, first_body, bodies):
    """Set the forces of chunk c to zero: contacts overwrite only those of bodies near others."""
    low, high = chunk_of(c, bodies.kind.size)
    for b in range(low, high):
        store(bodies.force, b - first_body, (0.0, 0.0, 0.0))
        store(bodies.torque, b - first_body, (0.0, 0.0, 0.0))


@func
def add_bond_forces(bonds, heat, c, first_body, time_sign, per_joule, bodies):
    """Add forces of bonds to the bodies of chunk c, and half of the dissipation of each bond to each of its bodies."""
    accumulate_bond_forces(bonds, c, first_body, bodies)
    if is_enabled(bonds.form.heats):
        add_losses_of_bonds(heat, bonds, c, time_sign, per_joule, bodies)


@func
def suppress_all(bonds, bodies, kinds, neighbours):
    """Exclude bonded bodies from contact, after candidate pairs have been rebuilt."""
    overlap_release.apply_slack(bonds.excluded, bodies, kinds, neighbours)


before = select("bonds", {NoBonds: None, Bonds: before_all})
evaluate = select("bonds", {NoBonds: None, Bonds: evaluate_bonds})
reach_beyond = select("bonds", {NoBonds: False, Bonds: beyond})
after = select("bonds", {NoBonds: None, Bonds: after_all})
clear = select("bonds", {NoBonds: None, Bonds: clear_all})
add_forces = select("bonds", {NoBonds: None, Bonds: add_bond_forces})
suppress = select("bonds", {NoBonds: None, Bonds: suppress_all})


@fast_call
def list_bonds(box, bonds, bodies, energy, load):
    """Elastic energy and load of each bond in the present state.

    bonds: `Bonds`.
    Writes energy, load: (B,) [J], stress over strength; zero for those that are broken.
    """
    n = 0
    for k in range(bonds.kind.size):
        grounded = n < bonds.ground.size and bonds.ground[n] == k
        p = evaluate_bond(box, n if grounded else -1, k, bonds, bodies)
        n += 1 if grounded else 0
        holds = bonds.state[k] < BROKEN
        energy[k] = p.energy if holds else 0.0
        load[k] = p.load if holds else 0.0
