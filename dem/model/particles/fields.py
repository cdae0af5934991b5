"""Registry of particle fields, scalars and vectors: names, components, units, meaning and defaults.

`STATE` is what particles have: `MOTION`, which engines compute, optional fields such as the temperature, and fields
that `dem.register_field` (in `dem.model.particles.particles`) adds; `load_fields` imports packages that declare some.
Properties of `Particles`, arrays of engines, ranks, checkpoints, trajectories, tables and exports follow from a row
here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.imports import installed, load_entry
from dem.model.shapes.bodies import body_axis

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Field(NamedTuple):
    """A quantity of particles, an array (N, k) or over frames (T, N, k).

    `default_row` has the values of a particle that is given none. A field with `derive` is no part of the state: it
    is computed from the field `source`.
    """

    meaning: str
    unit: str  # SI; "1" for numbers without one
    columns: tuple[str, ...]  # names of the k components in tables
    default_row: tuple[float, ...] | None = None
    source: str | None = None
    derive: Callable[[np.ndarray], np.ndarray] | None = None
    to_ghosts: bool = False  # of a field that engines do not compute: sent to other ranks at every step
    optional: bool = False  # only particles have it that were given it, or that are in a simulation that computes it
    hidden: bool = False  # of checkpoints alone
    above: float = -np.inf  # what all values are above

    @property
    def width(self) -> int:
        """Number of components."""
        return len(self.columns)

    @property
    def components(self) -> tuple[str, ...]:
        """Names of the columns: x, y, z, or for quaternions w, x, y, z."""
        return tuple(column[-1] for column in self.columns)

    def default(self, number: int) -> np.ndarray:
        """Default values for a number of particles (N, k)."""
        return np.tile(np.array(self.default_row, np.float64), (number, 1))

    @property
    def headings(self) -> tuple[str, ...]:
        """Columns with their units, such as ``v_x [m/s]``."""
        return tuple(heading(column, self.unit) for column in self.columns)


def heading(column: str, unit: str) -> str:
    """A column with its unit, if it has one."""
    return column if unit == "1" else f"{column} [{unit}]"


FIELDS = {
    "position": Field("centres of mass, not wrapped at periodic faces", "m", ("x", "y", "z")),
    "velocity": Field("velocities of the centres of mass", "m/s", ("v_x", "v_y", "v_z"), default_row=(0.0, 0.0, 0.0)),
    "orientation": Field(
        "unit quaternions, scalar first, body to world",
        "1",
        ("q_w", "q_x", "q_y", "q_z"),
        default_row=(1.0, 0.0, 0.0, 0.0),
    ),
    "angular_velocity": Field(
        "angular velocities, world frame", "rad/s", ("omega_x", "omega_y", "omega_z"), default_row=(0.0, 0.0, 0.0)
    ),
    "axis": Field(
        "directions of the body x axes, a fibre's own",
        "1",
        ("p_x", "p_y", "p_z"),
        source="orientation",
        derive=body_axis,
    ),
}
AMBIENT = 293.15  # temperature of particles of which nothing is said [K]
FIELDS["temperature"] = Field(
    "temperatures", "K", ("temperature",), default_row=(AMBIENT,), to_ghosts=True, optional=True, above=0.0
)
STATE = {name: field for name, field in FIELDS.items() if not field.derive}  # in the order of files and tables
MOTION = ("position", "velocity", "orientation", "angular_velocity")  # what engines compute, in their order
WIDTHS = tuple(FIELDS[name].width for name in MOTION)


def carried_fields(names: Iterable[str]) -> tuple[str, ...]:
    """Fields that engines carry along and do not compute, fields of ghosts first."""
    return tuple(sorted({*names} - {*MOTION}, key=lambda name: (not STATE[name].to_ghosts, [*STATE].index(name))))


GROUP = "dem.fields"  # entry-point group of modules that register a field, by its name; any package may add to it
SCALARS = "dem.scalars"  # entry-point group of laws of exchange, whose modules may register their fields


def load_fields(names: Iterable[str]) -> set[str]:
    """Import installed packages that declare fields of these names, or laws of exchange; returns names still unknown.

    Raises
    ------
    ValueError
        If a package cannot be loaded.
    """
    unknown = {*names} - STATE.keys()
    for group in (GROUP, SCALARS):
        for entry in installed(group).values() if unknown else ():
            if group == SCALARS or entry.name in unknown:
                load_entry("field" if group == GROUP else "law of exchange", entry)
        unknown -= STATE.keys()
    return unknown


REMAINDER = "_remainder"  # ends the names of such fields


def remainder_of(name: str) -> str:
    """Name of the field with the rounding remainders of a scalar field, whose sums over contacts are exact."""
    remainder = name + REMAINDER
    if remainder not in STATE:
        field = Field(
            f"what rounding leaves out of {name}", "1", (remainder,), default_row=(0.0,), optional=True, hidden=True
        )
        FIELDS[remainder] = STATE[remainder] = field
    return remainder


ROWS = {"frame": "1", "step": "1", "time": "s", "particle": "1", "kind": "1"}  # whose and when a row of a table is
