"""Breakage of bonds that are stressed beyond their strength, one by one in the order of their numbers.

A bond that is stressed beyond its strength (`load_ratio` of `dem.kernels.bonds.beam`) still acts in that step
(`find_breaking`, `collect_breaking`), and no longer in the next one (`remove_broken_bonds`). Its energy half way
between the two steps, the mean of its energies at both, is dissipated.
"""

from dem.kernels.compiler.jit import func, inline, select
from dem.kernels.numerics.float_bits import as_float
from dem.kernels.soft.bonds import overlap_release
from dem.kernels.soft.bonds.bond_arrays import BREAKING, BROKEN, INTACT, LOAD
from dem.kernels.soft.bonds.bond_forces import evaluate_bond
from dem.kernels.soft.contact.dissipated_heat import ContactHeat, NoHeat, add_dissipation

add_loss_of_broken_bond = select("heat", {NoHeat: None, ContactHeat: add_dissipation})


@inline
def number_on_ground(k, ground):
    """Number of bond k among those to the ground; -1 for others."""
    n = -1
    for m in range(ground.size):
        n = m if ground[m] == k else n
    return n


@func
def remove_broken_bonds(bonds, heat, per_joule, bodies, kinds, box):
    """Remove the bonds that broke in the last step; returns their mean energy of both steps, dissipated [J]."""
    lost = 0.0
    for m in range(bonds.count[0]):
        k = bonds.pending[m]
        if bonds.state[k] == BREAKING:
            slot = bonds.slot[k]
            if slot >= 0:  # else another rank evaluates it
                p = evaluate_bond(box, number_on_ground(k, bonds.ground), k, bonds, bodies)
                half_way = 0.5 * (bonds.before[m] + p.energy)
                for b in (bonds.first[slot], bonds.second[slot]):  # the same one if bound to the ground
                    add_loss_of_broken_bond(heat, bodies.dissipated, b, half_way, 0.0, 0.5 * per_joule)
                lost += half_way
                if m + bonds.state.size < bonds.before.size:  # on several ranks, which exchange this
                    bonds.before[m + bonds.state.size] = half_way
                bonds.live[slot] = 0.0
                bonds.load[slot] = 0.0
            bonds.state[k] = BROKEN
            bonds.when[k] = bonds.count[1]
            bonds.count[2] += 1
            overlap_release.allow_contact_across_bond(k, bonds.excluded, bodies, kinds, box)
    bonds.count[0] = 0
    return lost


@inline
def largest_load(bonds, c):
    """Largest stress over strength of the bonds of chunk c."""
    return as_float(bonds.chunk_sums[c, LOAD])


@func
def find_breaking(c, bonds, bodies, box):
    """Mark the bonds of chunk c that are stressed beyond their strength, and store their energies."""
    for slot in range(bonds.chunk_first[c], bonds.chunk_first[c + 1]):
        k = bonds.bond[slot]
        if bonds.load[slot] > 1.0 and bonds.state[k] == INTACT:
            p = evaluate_bond(box, number_on_ground(k, bonds.ground), k, bonds, bodies)
            bonds.state[k] = BREAKING
            bonds.before[k] = p.energy


@func
def collect_breaking(bonds):
    """List the bonds that `find_breaking` has marked, in the order of their numbers."""
    for k in range(bonds.state.size):
        if bonds.state[k] == BREAKING:
            bonds.pending[bonds.count[0]] = k
            bonds.before[bonds.count[0]] = bonds.before[k]
            bonds.count[0] += 1
