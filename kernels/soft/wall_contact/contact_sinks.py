"""Contacts with walls from kinematics to force, and where the force goes: to bodies, walls and ledger, or to a report.

Each module of this folder finds contacts of one geometry (faces of a box, walls of any shape, sides of capsules) and
their kinematics. `contact_force` calls the law, for all of them. What follows depends on the type of a sink:
`Accumulation` in a step, `Report` for a list of the contacts of the present moment, which writes nothing else. The
sink also says which contacts are looked for: those of the lists near walls in a step, all of them in a report.
"""

from typing import NamedTuple

import numpy as np
from dem.kernels import laws
from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import load, scale, subtract
from dem.kernels.soft.contact.result_sinks import write
from dem.kernels.soft.contact.shared_damping import of_mass


class Accumulation(NamedTuple):
    """Forces are added to bodies and walls, energies to sums; see `dem.kernels.soft.state`."""

    shift: int  # forces on body b go to column b - shift
    time_sign: float
    half: float  # half a time step [s]
    per_joule: float


class Report(NamedTuple):
    """Contacts are written to rows; see `dem.kernels.soft.contact.contact_report.list_contacts`."""

    time_sign: float  # -1: forces are wanted at the time of what contacts remember
    half: float  # half a time step [s]
    who: np.ndarray
    what: np.ndarray


@inline
def contact_force(law, m, row, touch, rate, history, half, time_sign):
    """Force of one contact with a wall: the only call of a law for contacts that are evaluated one by one.

    Parameters
    ----------
    law, half, time_sign : see `dem.kernels.soft.state`
    m, row, touch, history : see `dem.kernels.laws.contact`
    rate : ω² that contacts of one body with the wall share, see ``shared_damping`` [1/s²]; 0 for one that is alone

    Returns
    -------
    `laws.ContactKinematics` with the mass that is damped, `laws.ContactForce`, history
    """
    if laws.shares_damping(law) and rate > 0.0:
        touch = of_mass(touch, laws.secant(law, m, row, touch, history, half) / rate)
    outcome, history = laws.contact(law, m, row, touch, history, half, time_sign)
    return touch, outcome, history


@inline
def elastic_outcome(force, energy):
    """`laws.ContactForce` of a contact without losses: force [N] and energy [J]."""
    return laws.ContactForce(
        force, (0.0, 0.0, 0.0), elastic=energy, stored=0.0, loss=0.0, instantaneous_dissipation=0.0, persists=False,
        slid=0.0,
    )  # fmt: skip


@inline
def with_pieces(outcome, couple, energy):
    """An outcome with another couple [N m], and with energy of several pieces of a wall added [J]."""
    return laws.ContactForce(
        outcome.force, couple, elastic=outcome.elastic + energy, stored=outcome.stored, loss=outcome.loss,
        instantaneous_dissipation=outcome.instantaneous_dissipation, persists=outcome.persists, slid=outcome.slid,
    )  # fmt: skip


@inline
def report_contact(sink, n, b, of_b, partner, touch, point, outcome, bodies):
    """Write a contact to row n of a report; returns the next row.

    Parameters
    ----------
    sink, n : `Report`, row
    b, of_b, partner : body, number of its sphere, number that stands for the wall
    touch, point, outcome : `laws.ContactKinematics`, point of contact [m], `laws.ContactForce`
    bodies : see `dem.kernels.soft.state`

    Writes
    ------
    sink.who, sink.what : row n

    Returns
    -------
    n + 1
    """
    arm = subtract(point, load(bodies.position, b))
    write(
        n, bodies.identity[b], partner, of_b, 0, touch, outcome.force, outcome.loss / sink.half, arm,
        scale(-1.0, arm), sink.who, sink.what,
    )  # fmt: skip
    return n + 1
