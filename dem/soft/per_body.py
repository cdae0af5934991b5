"""Table of all arrays with an entry for each body: which are sorted with the bodies, and which a checkpoint needs.

Sorting, snapshots, the crash recorder and checkpoints read this table. A snapshot contains what a step passes to the
next one: half-step velocities, state of the scheme, contact history, images in periodic boxes, numbers of contacts with
rough walls. All other arrays are computed from these; no result depends on neighbour lists.

Bodies change their index when they are sorted, and keep their identity. An identity must not be used as an index:
identities may have gaps, and need not ascend with the rows.
"""

from __future__ import annotations

import itertools
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.kernels.soft.chunks import Serial
from dem.kernels.soft.neighbours import linked_cells
from dem.model.particles.fields import STATE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dem.kernels.soft.state import Bodies
    from dem.soft.contact.contact_history import ContactHistory

BODIES, CONTACTS, PROGRESS = "bodies", "contacts", "progress"  # parts of a snapshot, and groups of a checkpoint
SOLVER = "solver"  # numbers of `dem.kernels.soft.contact.convex_contacts.SOLVED` and on, of the run
FIELDS = "fields"  # no part of its own: of bodies if there are any; checkpoints have them among the particles' state
DISSIPATED = "dissipated"  # no part of its own: one of bodies where heat comes of it
FLUID_CACHE = "fluid_cache"  # no part of its own: one of bodies where a step hands it to the next one


class PerBody(NamedTuple):
    """An array of `dem.kernels.soft.state.Bodies`."""

    what: str
    axis: int | None  # along which bodies lie; None if it has entries for spheres, or one more than bodies
    moves: bool = True  # with its body when bodies change places; if not, it is made anew
    kept: str | None = BODIES  # part of a snapshot that holds it, None if it need not be kept
    to_ghosts: bool = False  # sent to ranks where the body is a ghost
    stored: str | None = None  # name in checkpoints; None: its own


PER_BODY = {
    "identity": PerBody("the body's number, which never changes", 0, kept=None, to_ghosts=True),
    "kind": PerBody("number of its shape and material", 0, kept=None, to_ghosts=True),
    "position": PerBody("centre of mass [m]", 1, to_ghosts=True),
    "image": PerBody("number of periods that it has moved along each axis", 1),
    "velocity": PerBody("half a step ahead [m/s]", 1),
    "orientation": PerBody("at the time of the forces", 1, to_ghosts=True),
    "memory_q": PerBody("quaternion of the scheme", 1),
    "memory_w": PerBody("vector of the scheme, like an angular velocity", 1),
    "memory_a": PerBody("vector of the scheme, like a torque", 1),
    "memory_more": PerBody("further numbers of the scheme", 1),
    "force": PerBody("of contacts [N]", 1),
    "torque": PerBody("of contacts [N m]", 1),
    "first_sphere": PerBody("where its spheres begin", None, moves=False, kept=None),
    "sphere_position": PerBody("centres of its spheres [m]", None, moves=False, kept=None),
    "owner": PerBody("body that each sphere belongs to", None, moves=False, kept=None),
    "velocity_predicted": PerBody("at the time of the next forces [m/s]", 1, to_ghosts=True, stored="velocity_ahead"),
    "angular_velocity_predicted": PerBody("at the same time [rad/s]", 1, to_ghosts=True, stored="spin"),
    "wall_contacts": PerBody("contacts with rough walls so far", 0, kept=CONTACTS),
    "dissipated": PerBody("energy that contacts take up, which becomes heat", 1, kept=DISSIPATED),
    "fluid_cache": PerBody(
        "forces and torques of a fluid, between its evaluations", 1, kept=FLUID_CACHE, stored="felt"
    ),
    "is_removed": PerBody("1 if it has left the box for good", 1, stored="left"),
    "n_active": PerBody("number of those that have not", None, moves=False, kept=None),
    FIELDS: PerBody("fields that `dem.register_field` adds", 1, kept=FIELDS, to_ghosts=True),
}
KEPT = tuple(name for name, array in PER_BODY.items() if array.kept == BODIES)
MOVING = tuple(name for name, array in PER_BODY.items() if array.moves)
TO_GHOSTS = tuple(name for name, array in PER_BODY.items() if array.to_ghosts)

STORED = {  # names in checkpoints of what goes by another name here, by part of a snapshot
    BODIES: {name: array.stored for name, array in PER_BODY.items() if array.stored},
    PROGRESS: {
        "dissipated": "taken", "dissipated_half_step": "taking", "wall_work": "worked",
        "wall_work_half_step": "working", "energy_drift": "departure", "spring_energy": "stored",
        "displacement_since_pick": "travel",
    },
}  # fmt: skip


def rows_of(fields: Sequence[str]) -> dict[str, slice]:
    """Rows of `Bodies.fields` that each of the registered fields has."""
    ends = np.cumsum([0, *(STATE[name].width for name in fields)]).tolist()
    return {name: slice(*rows) for name, rows in zip(fields, itertools.pairwise(ends), strict=True)}


def sent_rows(fields: Sequence[str]) -> int:
    """Number of rows, the first ones, that ranks receive of ghosts at every step."""
    return sum(STATE[name].width for name in fields if STATE[name].to_ghosts)


def stored(part: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Arrays of a part of a snapshot by their names in checkpoints."""
    return {STORED[part].get(name, name): values for name, values in arrays.items() if name != FIELDS}


def restored(part: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Arrays of a part of a checkpoint by their names in snapshots."""
    names = {stored: name for name, stored in STORED[part].items()}
    return {names.get(name, name): values for name, values in arrays.items()}


def reorder(mode: tuple, order: np.ndarray, bodies: Bodies, scratch: np.ndarray) -> None:
    """Reorder bodies: index b gets the values of index order[b]; scratch (N,) float64 is overwritten."""
    plain = order.astype(np.intp)
    if np.array_equal(plain, np.arange(plain.size)):
        return
    for rows in _moving(bodies):
        if isinstance(mode, Serial) or rows.itemsize != scratch.itemsize:
            rows[:] = rows.take(plain, axis=1, mode="clip")  # as fast as a loop of our own, which wants to be compiled
        else:
            linked_cells.reorder(
                order, rows.view(scratch.dtype), scratch
            )  # integers as well: moving them changes no bit


def _moving(bodies: Bodies) -> Iterator[np.ndarray]:
    """Arrays (R, N), R > 0, with a column for each body, in the order of bodies in memory."""
    for name in MOVING:
        values = getattr(bodies, name)
        if values.size:
            yield values if PER_BODY[name].axis == 1 else values[None]


class Numbering:
    """Identities in the order of the user's rows.

    Parameters
    ----------
    identities : (N,) int array
        Identity of each row, all different.

    Examples
    --------
    >>> numbering = Numbering(np.array([40, 7, 12]))
    >>> numbering.rows(np.array([7, 12, 40])).tolist()
    [1, 2, 0]
    >>> numbering.by_row(np.array([7, 12, 40]), np.array([0.7, 1.2, 4.0])).tolist()
    [4.0, 0.7, 1.2]
    """

    def __init__(self, identities: np.ndarray) -> None:
        self.identities = identities
        self._order = np.argsort(identities, kind="stable")
        self._ascending = identities[self._order]
        self._are_rows = bool((identities == np.arange(identities.size)).all())  # as they are at first: no search then

    def rows(self, identities: np.ndarray) -> np.ndarray:
        """Rows of bodies of given identities, each of which must exist."""
        if self._are_rows:
            return identities
        return self._order[np.searchsorted(self._ascending, identities)]

    def by_row(self, identities: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Values (..., N) of all bodies, in an order in which they have the given identities, in that of the rows."""
        result = np.empty_like(values)
        result[..., self.rows(identities)] = values
        return result


class Snapshot(NamedTuple):
    """Copies of the complete state, in the user's order, from which a run continues."""

    bodies: dict[str, np.ndarray]  # name -> (R, N)
    contacts: ContactHistory
    run_state: dict[str, np.ndarray]  # name -> (1,), see `dem.kernels.soft.integration.time_loop.RunState`
    energy_unit: float  # units per joule
    reference_potential: float  # g·x at zero potential [m²/s²]
    start_step: int
    watch: np.ndarray  # (7,) of `dem.soft.time_step.limits.Limits`; empty if it is not stored
    fluid: dict[str, np.ndarray]  # name -> (1,) or so, see `dem.kernels.fluid.medium.Medium`; empty without one
    walls: dict[
        str, np.ndarray
    ]  # name -> (..., W), see `dem.kernels.soft.wall_contact.wall_arrays.Walls`; empty without walls beside a box
    population: dict[str, np.ndarray]  # identities, inserters and outlets; empty where the number is fixed
    bonds: dict[str, np.ndarray] = MappingProxyType(
        {}
    )  # name -> (B,) or so, see `dem.soft.bonds.engine_bonds`; empty without any
    solver: dict[str, np.ndarray] = MappingProxyType({})  # what that of convex shapes did; empty without any
    scalars: dict[str, np.ndarray] = MappingProxyType({})  # "field_name" -> see `dem.soft.heat.scalar_in_run`

    @property
    def step(self) -> int:
        """Steps taken."""
        return int(self.run_state["step"][0])
