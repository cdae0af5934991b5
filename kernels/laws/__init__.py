"""Contact laws: the force of one contact, composed of parts that are chosen by their types.

``Elastic`` contacts, Hertz's (``hertz.py``) and nothing else, need positions only and have a vectorised loop of their
own (``kernels.soft.contact``). All others are `Composite`: they are evaluated for touching pairs only, with velocities
(``kernels.soft.touching``, ``kernels.soft.walls``), and consist of

    normal      elastic force: `Hertz`, `Linear`, `Hysteretic`, `Power`; everything else goes by its `Press`
    damping     normal dashpot: `Damping`, `Viscoelastic`, `Dashpot`
    tangential  force in the plane of contact: `Friction`
    rolling     couple against rolling: `Rolling`, `ConstantTorque`
    twisting    couple about the normal: `Twisting`
    adhesion    further normal force: `Adhesion`

or `Absent`: only the combination in use is compiled. Each part is a file with a NamedTuple of tables by material, the
wall's last, its formula, and a row of `PARTS`; what a part remembers of the last step follows that of the parts before
in the contact's row, and at the end of it comes `Press.grip`, by which those that keep springs see what they unload.

    contact(law, i, j, touch, history, half, time_sign) -> `Outcome`, history
        i, j      rows of the law's tables, the materials in contact
        touch     a `Touch`: what the two surfaces do
        history   what the contact remembers of the last step, `nothing` at first touch
        half      half a time step [s]
        time_sign 1 in a step; -1 when forces are wanted once more at the time for which `history` knows them
    elastic   energy of the normal law and of adhesion [J]
    stored    elastic energy of all other springs [J]
    loss      energy that the contact takes up in half a step, besides `elastic` [J]; what is stored is included
    jump      energy that is lost at once, where a contact is made or breaks [J]

To add one: a file like ``damping.py``, a row here, and a word for users in ``dem.model.parts``.
"""

import math
from typing import NamedTuple

from kernels.base.jit import by_type, by_type_of_first, formula
from kernels.base.vector import add, add_scaled, dot, scale
from kernels.laws.damping import DAMPING, UNDAMPED, Damping
from kernels.laws.dashpot import DASHPOT, Dashpot
from kernels.laws.dmt import DMT, NO_ADHESION, Adhesion
from kernels.laws.friction import FRICTION, FRICTIONLESS, Friction
from kernels.laws.hertz import HERTZ, Hertz
from kernels.laws.hysteretic import HYSTERETIC, Hysteretic
from kernels.laws.linear import LINEAR, Linear
from kernels.laws.onset import last
from kernels.laws.power import POWER, Power
from kernels.laws.rolling import CONSTANT_TORQUE, FREE_ROLLING, ROLLING, ConstantTorque, Rolling
from kernels.laws.touch import Absent, Outcome, Touch  # noqa: F401
from kernels.laws.twisting import FREE_TWISTING, TWISTING, Twisting
from kernels.laws.viscoelastic import VISCOELASTIC, Viscoelastic


class Elastic(NamedTuple):
    """Hertz contacts without friction or losses."""


class Composite(NamedTuple):
    """A law made of parts; each a NamedTuple of tables, or `Absent`."""

    normal: tuple
    damping: tuple = Absent()
    tangential: tuple = Absent()
    rolling: tuple = Absent()
    twisting: tuple = Absent()
    adhesion: tuple = Absent()


PARTS = {
    "normal": {Hertz: HERTZ, Linear: LINEAR, Hysteretic: HYSTERETIC, Power: POWER},
    "damping": {Damping: DAMPING, Viscoelastic: VISCOELASTIC, Dashpot: DASHPOT, Absent: UNDAMPED},
    "tangential": {Friction: FRICTION, Absent: FRICTIONLESS},
    "rolling": {Rolling: ROLLING, ConstantTorque: CONSTANT_TORQUE, Absent: FREE_ROLLING},
    "twisting": {Twisting: TWISTING, Absent: FREE_TWISTING},
    "adhesion": {Adhesion: DMT, Absent: NO_ADHESION},
}


@formula
def _elastic(normal, damping, tangential, rolling, twisting, adhesion):
    return normal


@formula
def _composite(normal, damping, tangential, rolling, twisting, adhesion):
    return Composite(normal, damping, tangential, rolling, twisting, adhesion)


of_parts = by_type_of_first(lambda normal: _elastic if normal is Elastic else _composite)
REMEMBERED = tuple(name for name in Composite._fields if name != "damping")


def elastic_or(elastic, other):
    """Function of (law, *arguments): the first for elastic contacts, the second for all other laws."""
    return by_type_of_first(lambda law: elastic if law is Elastic else other)


def width(law):
    """Columns of what a contact remembers."""
    if isinstance(law, Elastic):
        return 0
    own = sum(PARTS[name][type(getattr(law, name))].width for name in REMEMBERED)
    return own + 1 if own else 0


def has_couples(law):
    """Whether contacts hand on couples, told in Python."""
    return not isinstance(law, Elastic) and not {type(law.rolling), type(law.twisting)} <= {Absent}


def pulls_sideways(law):
    """Whether contacts can turn spheres."""
    return has_couples(law) or not isinstance(getattr(law, "tangential", Absent()), Absent)


def _acting(slot):
    return by_type_of_first(lambda part: PARTS[slot][part].act)


def _memory(what):
    """Function of (part, *arguments) of any slot; what is absent remembers nothing, whichever part it is."""
    every = {part: functions for rows in PARTS.values() for part, functions in rows.items()}
    return by_type(lambda part: getattr(every[part], what))


press, dashpot, slide, roll, twist, adhere = (_acting(slot) for slot in Composite._fields)
nothing_of, load_of, store_of = (_memory(what) for what in ("nothing", "load", "store"))


@formula
def _yes():
    return True


@formula
def _no():
    return False


is_there = by_type(lambda part: _no if part is Absent else _yes)


@formula
def turns(law):
    """Whether contacts hand on couples."""
    return is_there(law.rolling) or is_there(law.twisting)


@formula
def nothing(law):
    """History of a contact that begins."""
    return (
        nothing_of(law.normal), nothing_of(law.tangential), nothing_of(law.rolling), nothing_of(law.twisting),
        nothing_of(law.adhesion), 0.0,
    )  # fmt: skip


@formula
def load(law, rows, k, at):
    """History in row k, from column `at` on."""
    normal, at = load_of(law.normal, rows, k, at)
    tangential, at = load_of(law.tangential, rows, k, at)
    rolling, at = load_of(law.rolling, rows, k, at)
    twisting, at = load_of(law.twisting, rows, k, at)
    adhesion, at = load_of(law.adhesion, rows, k, at)
    return normal, tangential, rolling, twisting, adhesion, rows[k, at]


@formula
def store(law, rows, k, at, history):
    """Write a history to row k, from column `at` on."""
    normal, tangential, rolling, twisting, adhesion, grip = history
    at = store_of(law.normal, rows, k, at, normal)
    at = store_of(law.tangential, rows, k, at, tangential)
    at = store_of(law.rolling, rows, k, at, rolling)
    at = store_of(law.twisting, rows, k, at, twisting)
    at = store_of(law.adhesion, rows, k, at, adhesion)
    rows[k, at] = grip


@formula
def contact(law, i, j, touch, history, half, time_sign):
    """Force and couple of a contact, see the package's docstring; parts act in a fixed order."""
    of_normal, of_slip, of_rolling, of_twist, of_pull, before = history
    dt = 2.0 * half
    parting = dot(touch.velocity, touch.normal)
    slip = add_scaled(touch.velocity, -parting, touch.normal)
    pressed, of_normal = press(law.normal, i, j, touch, parting, dt, of_normal)
    eta = dashpot(law.damping, i, j, touch, pressed)
    if pressed.ends > -math.inf:
        leaving = parting + half * (pressed.force - eta * parting) / touch.mass
        eta *= 1.0 + last(touch.overlap - pressed.ends, leaving, dt)
    force_n = max(pressed.force - eta * parting, pressed.floor)
    limit = max(force_n + pressed.held, 0.0)
    force_t, of_slip, in_slip = slide(
        law.tangential, i, j, touch, pressed, eta, limit, slip, of_slip, before, half, time_sign
    )
    rolling, of_rolling, in_rolling = roll(
        law.rolling, i, j, touch, pressed, limit, of_rolling, before, half, time_sign
    )
    twisting, of_twist, in_twist = twist(
        law.twisting, i, j, touch, pressed, eta, limit, of_twist, before, half, time_sign
    )
    pull, in_pull, of_pull = adhere(law.adhesion, i, j, touch, pressed, parting, dt, of_pull)
    couple = add_scaled(rolling, twisting, touch.normal)
    power = dot(force_t, slip) + (force_n - pressed.conservative) * parting
    if turns(law):
        power += dot(couple, touch.turning)
    outcome = Outcome(
        force=add(scale(force_n + pull, touch.normal), force_t),
        couple=couple,
        elastic=pressed.energy + in_pull,
        stored=in_slip + in_rolling + in_twist,
        loss=-half * power,
        jump=pressed.jump,
        lasts=pressed.lasts,
    )
    return outcome, (of_normal, of_slip, of_rolling, of_twist, of_pull, pressed.grip)
