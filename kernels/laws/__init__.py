"""Contact laws: the force of one contact, composed of parts that are chosen by their types.

``Elastic`` contacts, Hertz's (``hertz.py``) and nothing else, need positions only and have a vectorised loop of their
own (`dem.kernels.soft.contact.elastic_pairs`). All others are `Composite`: they are evaluated for touching pairs only,
with velocities (`dem.kernels.soft.contact.contact_batches`), and consist of

    normal      elastic force: `Hertz`, `Linear`, `Hysteretic`, `EEPA`, `Power`, `JKR`; others read its `NormalForce`
    damping     normal dashpot: `Damping`, `SharedDamping`, `Viscoelastic`, `Dashpot`
    tangential  force in the plane of contact: `Friction`, Coulomb's with Mindlin's spring (``friction.py``)
    rolling     couple against rolling: `Rolling`, `ConstantTorque`
    twisting    couple about the normal: `Twisting`
    adhesion    further normal force: `DMTAdhesion`, `Bridge`
    film        lubrication, from some distance on: `Film`

or `NoComponent`: only the combination in use is compiled. Each part is a file with a NamedTuple of tables by material,
the wall's last, its formula, and its row in `PARTS`. The history of a part follows that of the parts before it in the
row of the contact. At its end comes `NormalForce.contact_area_measure`, by which parts with springs detect unloading.

    contact(law, i, j, contact, history, half, time_sign) -> `ContactForce`, history
        i, j      rows of the law's tables, the materials in contact
        contact   a `ContactKinematics`: overlap, normal and relative motion of the two surfaces
        history   what the contact remembers of the last step, `initial_history` in its first step
        half      half a time step [s]
        time_sign 1 in a step; -1 to evaluate forces again at the time of `history`, as at the start of a run
    elastic   energy of the normal law and of adhesion [J]
    spring_energy  elastic energy of all other springs: tangential, rolling, twisting [J]
    loss      energy dissipated or stored in springs in half a step [J]; `spring_energy` is included, `elastic` is not
    instantaneous_dissipation  energy that is lost at once, where a contact is made or breaks [J]
    persists  whether the contact continues; contacts of laws with `has_range` continue without touching, until these
              laws end them
    sliding_distance  distance that the surfaces have slid in the last step, without the stretch of the tangential
              spring [m]

Formulas of parts have these arguments besides:

    part             tables of the part
    normal_velocity  component of `contact.velocity` along the normal, positive if the surfaces separate [m/s]
    dt               time step [s]
    memory           history of this part; returned as it is to be in the next step
    normal_force     the `NormalForce` of the contact
    normal_load      normal force in Coulomb's limit, not negative [N]
    area_before      `NormalForce.contact_area_measure` at the last step, 0 if there was no contact

Beside the parts: `interface`, what laws get and return, and `PARTS`; `first_step`, weights in the first step of a
contact; `merged_contacts`, the memory of contacts that become one; `collision_time`, durations of impacts, for Python.

To add a part, write a file like ``power.py`` and a class for users like `dem.model.contact.law_parts.PowerLaw`,
which has a row in `dem.model.contact.law_registry`. A part of another package is one file and one call of
`dem.register_law_part`, see ``docs/guide/own.md``.
"""

import math
from collections import ChainMap
from operator import attrgetter
from typing import NamedTuple

from dem.kernels.compiler.jit import argument, inline, select, type_is
from dem.kernels.laws.bridge import Bridge  # noqa: F401
from dem.kernels.laws.damping import UNDAMPED, Damping, SharedDamping  # noqa: F401
from dem.kernels.laws.dashpot import Dashpot  # noqa: F401
from dem.kernels.laws.dmt import NO_ADHESION, DMTAdhesion  # noqa: F401
from dem.kernels.laws.eepa import EEPA  # noqa: F401
from dem.kernels.laws.first_step import weight_near_jump
from dem.kernels.laws.friction import FRICTIONLESS, Friction  # noqa: F401
from dem.kernels.laws.hertz import Hertz  # noqa: F401
from dem.kernels.laws.hysteretic import Hysteretic  # noqa: F401
from dem.kernels.laws.interface import (  # noqa: F401
    PARTS,
    ContactForce,
    ContactKinematics,
    NoComponent,
    no_contact_force,
    no_normal_force,
)
from dem.kernels.laws.jkr import JKR  # noqa: F401
from dem.kernels.laws.linear import Linear  # noqa: F401
from dem.kernels.laws.lubrication import Film, add_film_force, begin_of
from dem.kernels.laws.power import Power  # noqa: F401
from dem.kernels.laws.rolling import FREE_ROLLING, ConstantTorque, Rolling  # noqa: F401
from dem.kernels.laws.twisting import FREE_TWISTING, Twisting  # noqa: F401
from dem.kernels.laws.viscoelastic import Viscoelastic  # noqa: F401
from dem.kernels.numerics.vector import add, add_scaled, dot, scale


class Elastic(NamedTuple):
    """Hertz contacts without friction or losses."""


class VelocityDependent(NamedTuple):
    """Marker of any law that needs velocities, where the law itself is not evaluated."""


class Composite(NamedTuple):
    """A law made of parts; each a NamedTuple of tables, or `NoComponent`."""

    extends = (VelocityDependent,)
    normal: tuple
    damping: tuple = NoComponent()
    tangential: tuple = NoComponent()
    rolling: tuple = NoComponent()
    twisting: tuple = NoComponent()
    adhesion: tuple = NoComponent()
    film: tuple = NoComponent()


DEFAULT_COMPONENTS = {
    "damping": UNDAMPED,
    "tangential": FRICTIONLESS,
    "rolling": FREE_ROLLING,
    "twisting": FREE_TWISTING,
    "adhesion": NO_ADHESION,
}


SLOTS = tuple(name for name in Composite._fields if name != "film")
SLOTS_WITH_HISTORY = tuple(name for name in SLOTS if name != "damping")


def rows_of(slot):
    """`LawComponent` of each type in a slot, {type: row}; types without a component get the default of the slot."""
    return ChainMap({NoComponent: DEFAULT_COMPONENTS[slot]} if slot in DEFAULT_COMPONENTS else {}, PARTS)


def functions(part):
    """`LawComponent` of a type; types without a component get a stateless one, as in all slots."""
    return rows_of("damping")[part]


def width(law):
    """Number of columns of the contact history; in Python."""
    if isinstance(law, Elastic):
        return 0
    own = sum(functions(type(getattr(law, name))).width for name in SLOTS_WITH_HISTORY)
    return own + 1 if own else 0


def has_couples(law):
    """Whether contacts transmit couples (rolling or twisting); in Python."""
    return not isinstance(law, Elastic) and not {type(law.rolling), type(law.twisting)} <= {NoComponent}


def has_torques(law):
    """Whether contacts exert torques on spheres; in Python."""
    return has_couples(law) or not isinstance(getattr(law, "tangential", NoComponent()), NoComponent)


normal_force, dashpot, tangential_force, rolling_torque, twisting_torque, adhesion_force = (
    select("part", rows_of(slot), attrgetter("formula")) for slot in SLOTS
)
initial_history_of, load_of, store_of = (
    select("part", rows_of("damping"), attrgetter(name), handed=False) for name in ("initial_history", "load", "store")
)


is_present = type_is(lambda part: part is not NoComponent)
is_shared_damping = type_is(lambda part: part is SharedDamping)


width_of = select("part", rows_of("damping"), attrgetter("width"), handed=False)
needs_velocity = select("law", {Elastic: False, Composite: True})


@inline
def columns_composite(law):
    """Number of columns of the contact history, for kernels, with the last one, which may be absent."""
    own = width_of(law.normal) + width_of(law.tangential) + width_of(law.rolling)
    return own + width_of(law.twisting) + width_of(law.adhesion) + 1


columns = select("law", {Elastic: 0, Composite: columns_composite})


@inline
def remembers(law):
    """Whether contacts have a history, so that its last column exists."""
    return columns(law) > 1


can_persist = type_is(lambda part: bool(functions(part).cutoff))


@inline
def transmits_couples_composite(law):
    """Whether contacts transmit couples (rolling or twisting)."""
    return is_present(law.rolling) or is_present(law.twisting)


transmits_couples = select("law", {Elastic: False, Composite: transmits_couples_composite})


@inline
def shares_damping_composite(law):
    """Whether several contacts of two bodies are damped together."""
    return is_shared_damping(law.damping)


shares_damping = select("law", {Elastic: False, Composite: shares_damping_composite})


@inline
def secant_composite(law, i, j, contact, history, half):
    """Force over overlap of a contact's normal law; 0 for separated surfaces, unless that law acts beyond touch."""
    if contact.overlap <= 0.0 and not can_persist(law.normal):
        return 0.0
    undamped, _ = normal_force(law.normal, i, j, contact, dot(contact.velocity, contact.normal), 2.0 * half, history[0])
    return undamped.stiffness * undamped.stiffness_factor


secant = select("law", {Elastic: 0.0, Composite: secant_composite})


@inline
def has_range_composite(law):
    """Whether contacts may continue after the surfaces have separated."""
    return can_persist(law.normal) or can_persist(law.adhesion)


has_range = select("law", {Elastic: False, Composite: has_range_composite})


@inline
def begin_composite(law):
    """Largest gap at which a contact begins [m]."""
    return begin_of(law.film)


largest_begin_gap = select("law", {Elastic: 0.0, Composite: begin_composite})


@inline
def initial_history_composite(law):
    """History of a new contact."""
    return (
        initial_history_of(law.normal), initial_history_of(law.tangential), initial_history_of(law.rolling),
        initial_history_of(law.twisting), initial_history_of(law.adhesion), 0.0,
    )  # fmt: skip


initial_history = select("law", {Elastic: (), Composite: initial_history_composite})


@inline
def load_composite(law, rows, k, column):
    """Read the history in row k, from column `column` on."""
    normal, column = load_of(law.normal, rows, k, column)
    tangential, column = load_of(law.tangential, rows, k, column)
    rolling, column = load_of(law.rolling, rows, k, column)
    twisting, column = load_of(law.twisting, rows, k, column)
    adhesion, column = load_of(law.adhesion, rows, k, column)
    return normal, tangential, rolling, twisting, adhesion, rows[k, column]


load = select("law", {Elastic: (), Composite: load_composite})


@inline
def store_composite(law, rows, k, column, history):
    """Write a history to row k, from column `column` on."""
    normal, tangential, rolling, twisting, adhesion, area_measure = history
    column = store_of(law.normal, rows, k, column, normal)
    column = store_of(law.tangential, rows, k, column, tangential)
    column = store_of(law.rolling, rows, k, column, rolling)
    column = store_of(law.twisting, rows, k, column, twisting)
    column = store_of(law.adhesion, rows, k, column, adhesion)
    rows[k, column] = area_measure


store = select("law", {Elastic: None, Composite: store_composite})


has_area_measure = type_is(lambda part: functions(part).area_measure is not None)
has_spring_to_align = type_is(lambda part: functions(part).align is not None)
area_measure_of = select("part", rows_of("normal"), lambda row: 0.0 if row.area_measure is None else row.area_measure)
align = select("part", rows_of("tangential"), lambda row: row.align or argument("spring", 1), handed=False)


@inline
def can_align_spring(law):
    """Whether `align_spring` can precede the law, and is worth a loop of its own; with couples it is not."""
    return has_area_measure(law.normal) and has_spring_to_align(law.tangential) and not transmits_couples(law)


@inline
def align_spring(law, contact, history, half, time_sign):
    """History with the tangential spring in the present contact plane, for a contact with `spring_aligned`."""
    of_normal, spring, of_rolling, of_twist, of_pull, area_before = history
    area_measure = area_measure_of(law.normal, contact)
    spring = align(law.tangential, contact, spring, area_measure, area_before, half, time_sign)
    return of_normal, spring, of_rolling, of_twist, of_pull, area_before


@inline
def contact(law, i, j, contact, history, half, time_sign):
    """Force and couple of a contact, see the package's docstring."""
    return by_film(law.film, law, i, j, contact, history, half, time_sign)


@inline
def dry_contact(law, i, j, contact, history, half, time_sign):
    """Force and new history of a contact without a lubrication film."""
    return by_adhesion(law.adhesion, law, i, j, contact, history, half, time_sign)


@inline
def lubricated_contact(law, i, j, contact, history, half, time_sign):
    """Force and new history of surfaces with a lubrication film, touching or not; apart, no other part acts."""
    if contact.overlap > 0.0:
        outcome, history = touching_contact(law, i, j, contact, history, half, time_sign)
    else:
        outcome, history = no_contact_force(), initial_history(law)
    return add_film_force(law.film, i, j, contact, outcome, half), history


@inline
def touching_or_separated(law, i, j, contact, history, half, time_sign):
    """Force and new history of surfaces that touch, or that adhesion may hold although they are apart."""
    if contact.overlap > 0.0:
        return touching_contact(law, i, j, contact, history, half, time_sign)
    return separated_contact(law, i, j, contact, history, 2.0 * half)


@inline
def separated_contact(law, i, j, contact, history, dt):
    """Force and new history of surfaces that are apart: adhesion alone acts."""
    normal_velocity = dot(contact.velocity, contact.normal)
    pull, of_pull = adhesion_force(law.adhesion, i, j, contact, no_normal_force(), normal_velocity, dt, history[4])
    none = (0.0, 0.0, 0.0)
    force = scale(pull.force, contact.normal)
    outcome = ContactForce(
        force,
        none,
        elastic=pull.energy,
        spring_energy=0.0,
        loss=0.0,
        instantaneous_dissipation=pull.instantaneous_dissipation,
        persists=pull.holds,
        sliding_distance=0.0,
    )
    of_normal, of_slip, of_rolling, of_twist, _, area_measure = initial_history(law)
    return outcome, (of_normal, of_slip, of_rolling, of_twist, of_pull, area_measure)


@inline
def touching_contact(law, i, j, contact, history, half, time_sign):
    """Force and new history of surfaces that touch; parts act in a fixed order."""
    of_normal, of_slip, of_rolling, of_twist, of_pull, area_before = history
    dt = 2.0 * half
    normal_velocity = dot(contact.velocity, contact.normal)
    slip = add_scaled(contact.velocity, -normal_velocity, contact.normal)
    undamped, of_normal = normal_force(law.normal, i, j, contact, normal_velocity, dt, of_normal)
    eta = dashpot(law.damping, i, j, contact, undamped)
    if undamped.detachment_overlap > -math.inf:
        leaving = normal_velocity + half * (undamped.force - eta * normal_velocity) / contact.mass
        eta *= weight_near_jump(contact.overlap - undamped.detachment_overlap, leaving * dt)
    force_n = max(undamped.force - eta * normal_velocity, undamped.min_normal_force)
    normal_load = max(force_n + undamped.friction_normal_offset, 0.0)
    force_t, of_slip, in_slip, sliding_distance = tangential_force(
        law.tangential, i, j, contact, undamped, eta, normal_load, slip, of_slip, area_before, half, time_sign
    )
    rolling, of_rolling, in_rolling = rolling_torque(
        law.rolling, i, j, contact, undamped, normal_load, of_rolling, area_before, half, time_sign
    )
    twisting, of_twist, in_twist = twisting_torque(
        law.twisting, i, j, contact, undamped, eta, normal_load, of_twist, area_before, half, time_sign
    )
    pull, of_pull = adhesion_force(law.adhesion, i, j, contact, undamped, normal_velocity, dt, of_pull)
    couple = add_scaled(rolling, twisting, contact.normal)
    power = dot(force_t, slip) + (force_n - undamped.conservative) * normal_velocity
    if transmits_couples(law):
        power += dot(couple, contact.relative_angular_velocity)
    outcome = ContactForce(
        force=add(scale(force_n + pull.force, contact.normal), force_t),
        couple=couple,
        elastic=undamped.energy + pull.energy,
        spring_energy=in_slip + in_rolling + in_twist,
        loss=-half * power,
        instantaneous_dissipation=undamped.instantaneous_dissipation + pull.instantaneous_dissipation,
        persists=undamped.persists or pull.holds,
        sliding_distance=sliding_distance,
    )
    return outcome, (of_normal, of_slip, of_rolling, of_twist, of_pull, undamped.contact_area_measure)


by_film = select("film", {NoComponent: dry_contact, Film: lubricated_contact}, handed=False)
by_adhesion = select(
    "part", rows_of("adhesion"), lambda row: touching_or_separated if row.cutoff else touching_contact, handed=False
)
