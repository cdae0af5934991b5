"""Interface of contact laws: their arguments, data passed from the normal part to the others, results, all parts."""

import math
from typing import NamedTuple

from dem.kernels.compiler.disk_cache import set_sources
from dem.kernels.compiler.jit import argument, inline
from dem.kernels.compiler.selection import is_function
from dem.kernels.laws.first_step import NOT_FIRST_STEP


class ContactKinematics(NamedTuple):
    """Two surfaces in contact, i and j."""

    stiffness: float  # K of Hertz's law [N m^-1.5]
    mass: float  # effective mass against motion along the normal [kg]
    overlap: float  # δ [m]; negative where a contact lasts beyond touching
    normal: tuple[float, float, float]  # unit vector from j to i
    velocity: tuple[float, float, float]  # of surface i relative to surface j at the contact point [m/s]
    twist_rate: float  # mean angular velocity of the two about the normal [rad/s]
    relative_angular_velocity: tuple[float, float, float]  # angular velocity of i relative to j [rad/s]
    radius: float  # R* [m]
    reduced_mass: float  # 1/(1/m_i + 1/m_j) of the bodies as wholes [kg]
    rolling_inertia: float  # 1/Σ 1/(I + m R²), what resists rolling of the two on each other [kg m²]
    # False if it is known that they touched before the last step, see `dem.kernels.laws.first_step`
    may_begin: bool = True
    spring_aligned: bool = False  # whether the history is that of `dem.kernels.laws.align_spring`


class NormalForce(NamedTuple):
    """Normal force of a contact, and the data that other components of the law use."""

    force: float  # without damping, repulsive if positive [N]
    conservative: float  # the part of it that has a potential: dU/dδ of `energy` [N]
    energy: float  # U [J]
    stiffness: float  # stiffness·stiffness_factor is force over overlap; other stiffnesses are proportional to it
    stiffness_factor: float
    # any measure of a², 0 without contact: tangential stiffness is proportional to its root
    contact_area_measure: float
    area: float  # square of the radius of contact, a² [m²]
    contact_time_fraction: float  # of the last step that the contact has had, see `dem.kernels.laws.first_step`
    # in place of stiffness_factor in tangential stiffness and in dashpots (by its root): weighted in the first step of
    # a contact, equal to stiffness_factor in all later steps
    first_step_stiffness_weight: float
    first_step_damping_weight: float
    min_normal_force: float  # lower limit of the normal force with damping [N]
    # overlap at which a contact with damping ends at a finite force [m]; -inf if it ends where its force vanishes
    detachment_overlap: float
    friction_normal_offset: float  # added to the normal force in Coulomb's limit [N]
    instantaneous_dissipation: float  # energy lost at once, by making or breaking a contact [J]
    persists: bool  # False if the contact has just ended and has no force any more


@inline
def no_normal_force():
    """Normal force of surfaces that are apart: 0."""
    return NormalForce(
        force=0.0, conservative=0.0, energy=0.0, stiffness=0.0, stiffness_factor=0.0, contact_area_measure=0.0,
        area=0.0,
        contact_time_fraction=NOT_FIRST_STEP, first_step_stiffness_weight=0.0, first_step_damping_weight=0.0,
        min_normal_force=0.0, detachment_overlap=-math.inf, friction_normal_offset=0.0, instantaneous_dissipation=0.0,
        persists=False,
    )  # fmt: skip


class AdhesionForce(NamedTuple):
    """Force of an adhesion beside the normal force."""

    force: float  # repulsive if positive [N]
    energy: float  # [J]
    instantaneous_dissipation: float  # energy lost at once, by making or breaking [J]
    holds: bool  # whether the contact lasts by it, though surfaces part


class ContactForce(NamedTuple):
    """Force of a contact law; energies are as in the package's docstring."""

    force: tuple[float, float, float]  # on i [N]
    couple: tuple[float, float, float]  # on i [N m]
    elastic: float  # [J]
    spring_energy: float  # [J]
    loss: float  # [J]
    instantaneous_dissipation: float  # [J]
    persists: bool
    sliding_distance: float  # [m]


@inline
def no_contact_force():
    """Contact force of surfaces without interaction: 0."""
    none = (0.0, 0.0, 0.0)
    return ContactForce(
        none,
        none,
        elastic=0.0,
        spring_energy=0.0,
        loss=0.0,
        instantaneous_dissipation=0.0,
        persists=False,
        sliding_distance=0.0,
    )


class NoComponent(NamedTuple):
    """Absence of a component of a law."""


class LawComponent(NamedTuple):
    """The functions of a part of a law, see the package's docstring; `law_component` makes one.

    In place of a function may stand what it would return.

    Attributes
    ----------
    formula : function
        The formula of the component.
    initial_history, load, store : functions
        History of a new contact, and functions that read it from a row and write it.
    width : int
        Number of columns of the history.
    cutoff : function or None
        Distance of the surfaces up to which contacts live [m], of (part, i, j, E*, R*); None: while they overlap.
    spring : function or None
        Of a normal part: its `dem.kernels.laws.collision_time.Spring`, of (part, i, j, `ContactPairProperties`).
    power : float, function or None
        Of a normal part: p of its force, about δ^p, or a formula of (part, i, j); 1.5 if it is no power of the
        overlap; see `dem.kernels.laws.merged_contacts`.
    pull : function or None
        Of what attracts beside the normal part: h of its force h δ^q, of (part, i, j, R*) [N m^-q].
    pull_power : float
        q; 0 of a constant pull.
    area_measure : function or None
        Of a normal part: its `NormalForce.contact_area_measure`, of (part, contact), where no more is needed for it.
    damping_ratio : function or None
        Of a damping part: η/(2 √(m* S)), of (part, i, j, m*, S) with the secant stiffness S, for choices of time steps.
    align : function or None
        Of a tangential part: formula like `dem.kernels.laws.friction.align_spring`, if it has one.
    """

    formula: object
    initial_history: object
    load: object
    store: object
    width: int = 0
    cutoff: object = None
    spring: object = None
    power: object = None
    pull: object = None
    pull_power: float = 0.0
    area_measure: object = None
    damping_ratio: object = None
    align: object = None


class Parts(dict):
    """Parts by the type of their tables."""

    def __setitem__(self, tables, part):
        """Add a component; code for one of another package is cached under the hash of that package's sources."""
        of_part = (part.formula, part.load, part.store, part.cutoff, part.power, part.area_measure, part.align)
        set_sources(tables, [one for one in of_part if is_function(one)])
        super().__setitem__(tables, part)


PARTS: dict[type, LawComponent] = Parts()  # each part puts itself here


@inline
def load_no_history(rows, k, column):
    """Read no history; returns it and the next column."""
    return (), column


@inline
def load_vector(rows, k, column):
    """Read a vector history from a row, from a column on; returns it and the next column."""
    return (rows[k, column], rows[k, column + 1], rows[k, column + 2]), column + 3


@inline
def store_vector(rows, k, column, memory):
    """Write a vector history to a row."""
    rows[k, column], rows[k, column + 1], rows[k, column + 2] = memory
    return column + 3


@inline
def load_scalar(rows, k, column):
    """Read a scalar history from a row; returns it and the next column."""
    return rows[k, column], column + 1


@inline
def store_scalar(rows, k, column, memory):
    """Write a scalar history to a row."""
    rows[k, column] = memory
    return column + 1


@inline
def load_two_numbers(rows, k, column):
    """Read a history of two numbers from a row; returns it and the next column."""
    return (rows[k, column], rows[k, column + 1]), column + 2


@inline
def store_two_numbers(rows, k, column, memory):
    """Write a history of two numbers to a row."""
    rows[k, column], rows[k, column + 1] = memory
    return column + 2


HISTORIES = (  # by number of columns: initial value, functions that read it from a row and write it
    ((), load_no_history, argument("column", 2)),
    (0.0, load_scalar, store_scalar),
    ((0.0, 0.0), load_two_numbers, store_two_numbers),
    ((0.0, 0.0, 0.0), load_vector, store_vector),
)


def law_component(formula, history=0, **more):
    """Component of contact laws from its formula.

    Parameters
    ----------
    formula : function
        Compiled by `inline`, see the package's docstring.
    history : int
        Number of columns that a contact remembers between steps: 0; 1, a number; 2, two numbers; 3, a vector, which
        turns with the contact if the formula turns it.
    **more
        `cutoff`, `spring`, `power`, `pull`, `pull_power`, `area_measure`, `damping_ratio` and `align` of a
        `LawComponent`, where its slot needs them.

    Raises
    ------
    ValueError
        For a history of another number of columns, or a `cutoff` without a history.
    """
    if history not in range(len(HISTORIES)):
        message = f"history is {history!r}, expected 0, 1, 2 or 3 columns"
        raise ValueError(message)
    if more.get("cutoff") and not history:  # what tells separated contacts from pairs that have not touched
        raise ValueError("history is 0, but contacts with a cutoff remember that surfaces have touched: give history=1")
    return LawComponent(formula, *HISTORIES[history], history, **more)
