"""Running table: quantities at intervals, on the terminal and in the file of the run."""

from __future__ import annotations

import itertools
import json
import operator
import sys
import time
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks
from dem.base.imports import load_registered
from dem.base.parsing import parse_json
from dem.base.text import shown, write_log
from dem.model.domain.box import AXES
from dem.model.domain.cell import Cell
from dem.model.energy import Energy
from dem.run.callbacks import Callback, Interval
from dem.system.system import Observer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dem.statistics.cell_state import CellState
    from dem.system.system import FrameSegment, System

TABLE = "table"  # attribute of a file's `parameters`
ROWS = 100  # of a run, if nothing else is wanted
WIDTH, BETWEEN = 14, 2  # characters of a column, more for long names; at least between two names


class Moment:
    """Values that the columns of a row share."""

    def __init__(self, sim: System, rate: float) -> None:
        self.sim, self.rate = sim, rate

    @cached_property
    def energy(self) -> Energy:
        """Energies [J]."""
        return self.sim.energy()

    @cached_property
    def cell(self) -> CellState:
        """State of the cell that deforms."""
        return self.sim.cell


class Column(NamedTuple):
    """A column of the table."""

    unit: str
    value: Callable[[Moment], float]
    whole: bool = False  # an integer


def _energy(name: str) -> Column:
    return Column("J", lambda now: getattr(now.energy, name))


def _cell_columns() -> Iterator[tuple[str, Column]]:
    """Columns for runs in a deforming cell: measures of an element test, components of stress and strain."""
    yield "pressure", Column("Pa", lambda now: float(now.cell.stress.pressure))
    yield "deviatoric_stress", Column("Pa", lambda now: now.cell.deviatoric_stress)
    yield "volumetric_strain", Column("1", lambda now: float(np.trace(now.cell.strain)))
    for name in ("void_ratio", "coordination", "unbalanced", "inertial_number", "anisotropy"):
        yield name, Column("1", lambda now, name=name: float(getattr(now.cell, name)))
    for a, b in itertools.combinations_with_replacement(range(3), 2):
        axes = AXES[a] + AXES[b]
        yield f"stress_{axes}", Column("Pa", lambda now, at=(a, b): float(now.cell.stress.total[at]))
        yield f"strain_{axes}", Column("1", lambda now, at=(a, b): float(now.cell.strain[at]))


OF_CELLS = dict(_cell_columns())
COLUMNS = {
    "step": Column("1", lambda now: now.sim.step_count or 0, whole=True),
    "time": Column("s", lambda now: now.sim.time),
    **{name: _energy(name) for name in (*Energy._fields, "kinetic", "mechanical", "total")},
    "error": Column("1", lambda now: (now.energy, now.sim.energy_error)[1]),
    "contacts": Column("1", lambda now: now.sim.contact_count, whole=True),
    "collisions": Column("1", lambda now: now.sim.work_count, whole=True),
    "speed": Column("m/s", lambda now: float(np.linalg.norm(now.sim.particles.velocity, axis=1).max())),
    "rate": Column("1/s", lambda now: now.rate),
    **OF_CELLS,
}
"""Columns by name: units, and how to reckon them. ``error`` is that of the verdict, ``speed`` the largest, ``rate`` the
steps or collisions a second of computing since the row before."""
GROUP = "dem.columns"  # entry-point group of modules that register a column, by its name; any package may add to it
BUILT_IN = tuple(COLUMNS)


def register_column(name: str, unit: str, value: Callable[[System], float], *, whole: bool = False) -> None:
    """Register a quantity for the running table, which prints it during a run and keeps it in the file.

    Register a column before runs that have it, also before they are resumed. An entry point of the group of columns,
    with this name and the module that calls this function, lets the command line find it, see ``dem guide own``.

    Parameters
    ----------
    name : str
        An identifier, such as ``"granular_temperature"``.
    unit : str
        SI unit of the values; ``"1"`` for numbers without one.
    value : function
        ``value(sim)`` returns the present value [`unit`]. A resumed run calls it as before, so it must depend on the
        simulation only.
    whole : bool
        Whether the values are integers.

    Raises
    ------
    ValueError, TypeError
        If the name is taken or no identifier, or the value no function.

    Examples
    --------
    >>> import dem
    >>> dem.register_column("height", "m", lambda sim: sim.particles.position[:, 2].mean())
    >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    >>> sim = dem.Simulation(dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0, 0, 1]]), time_step=1e-4)
    >>> verdict = sim.run(0.1, table=["time", "height"], table_every=0.05)  # 1 - t²/2 9.81 m/s²
              time        height
                 s             m
                 0             1
              0.05      0.987738
               0.1       0.95095
    >>> unregister_column("height")
    """
    checks.text("name", name)
    checks.text("unit", unit)
    if not name.isidentifier() or name in BUILT_IN:
        raise ValueError(f"name of a column is {name!r}, expected an identifier that is none of {', '.join(BUILT_IN)}")
    if not callable(value):
        raise TypeError(f"value of the column {name} is {value!r}, expected a function of a simulation")
    COLUMNS[name] = Column(unit, lambda now: _number(name, value(now.sim), whole=whole), whole)


def _number(name: str, value: object, *, whole: bool) -> float:
    """Check the value of a registered column, which may be nan; raises TypeError with the name of the column."""
    if np.ndim(value) == 0 and not isinstance(value, (str, bytes)):
        with suppress(TypeError):
            return operator.index(value) if whole else float(value)
    kind = "a whole number" if whole else "a number"
    raise TypeError(f"the function of the column {name} returned {shown(value)}, expected {kind}")


def unregister_column(name: str) -> None:
    """Unregister a column of the running table."""
    del COLUMNS[checks.one_of("registered column", name, [each for each in COLUMNS if each not in BUILT_IN])]


def known_column(name: str) -> str:
    """Check the name of a column, and import the package that declares it; raises ValueError for unknown names."""
    return load_registered(GROUP, "column", name, COLUMNS, by="register_column")


STEPPED = ("step", "time", "kinetic", "gravitational", "elastic", "dissipated", "work", "total")
STEPPED += ("error", "contacts", "rate")
WET = (*STEPPED[:7], "fluid", *STEPPED[7:])
DEFORMING = ("step", "time", *list(OF_CELLS)[:7], "error", "contacts", "rate")
EVENTFUL = ("time", "kinetic", "gravitational", "total", "error", "collisions", "rate")


class RunningTable:
    """The running table of one run, a function to be called with the simulation where a row is due.

    Parameters
    ----------
    sim : Simulation or HardSpheres
    columns : list of str, str or True
        Names of `COLUMNS` and of columns of packages, a list or separated by commas; True takes the usual ones.
    every : int, float, str or None
        Steps, seconds, or a text such as "2 ms"; None: for a hundred rows.
    plan : list of Segment
        Plan of the run.
    shown : bool
        Whether rows are printed.

    Raises
    ------
    ValueError, TypeError
        For unknown columns, or those that this kind of simulation has not.
    """

    def __init__(
        self, sim: System, columns: Iterable[str] | str | bool, every: object, plan: list[FrameSegment], *, shown: bool
    ) -> None:
        usual = EVENTFUL if sim.step_count is None else STEPPED if sim.fluid is None else WET
        deforms = isinstance(sim.box, Cell)
        usual = DEFORMING if deforms else usual
        self.names = chosen(columns) or usual
        alien = ({"step", "contacts"} if sim.step_count is None else {"collisions"}) & {*self.names}
        alien |= set() if deforms else {*OF_CELLS} & {*self.names}
        if alien:
            message = f"there is no column {min(alien)} here, expected some of {', '.join(usual)}"
            raise ValueError(message)
        self.interval = _interval(sim, every, plan)
        self.kind = np.dtype([(name, "<i8" if COLUMNS[name].whole else "<f8") for name in self._stored_columns])
        self._first, self._shown, self._observer = plan[0].first, shown, Observer()
        self._previous: tuple[float, int] | None = None  # moment of computing and work done at the row before
        self._row_at: float | None = None

    @property
    def _stored_columns(self) -> tuple[str, ...]:
        """Columns in the file, which must know when rows were written."""
        return self.names if "time" in self.names else ("time", *self.names)

    @property
    def units(self) -> dict[str, str]:
        """SI unit of each column."""
        return {name: COLUMNS[name].unit for name in self.kind.names}

    @property
    def described(self) -> str:
        """Values from which `from_description` makes a table."""
        return json.dumps({"columns": self.names, "every": self.interval.steps or self.interval.seconds})

    @classmethod
    def from_description(cls, sim: System, described: str, plan: list[FrameSegment]) -> RunningTable:
        """Running table of a resumed run."""
        columns = parse_json(described, TABLE)
        table = cls(sim, columns["columns"], columns["every"], plan, shown=False)
        table._previous = time.perf_counter(), sim.work_count
        return table

    def call(self, observer: Observer) -> Callback:
        """Callback of a run that passes the rows to an observer."""
        self._observer = observer
        return Callback(self, self.interval, self._first)

    def begin(self, sim: System) -> None:
        """Write the first row, if there is none yet."""
        if self._previous is None:
            self(sim)

    def end(self, sim: System) -> None:
        """Write the last row, if the run came to its end between two."""
        if self._row_at != sim.time:
            self(sim)

    def __call__(self, sim: System) -> None:
        """Write a row."""
        now, work = time.perf_counter(), sim.work_count
        rate = 0.0 if self._previous is None else (work - self._previous[1]) / max(now - self._previous[0], 1e-9)
        moment = Moment(sim, rate)
        row = tuple(COLUMNS[name].value(moment) for name in self.kind.names)
        self._observer.row(row, self.kind, self.units)
        if self._shown:
            self._print(dict(zip(self.kind.names, row, strict=True)))
        self._previous, self._row_at = (now, work), sim.time

    def _print(self, row: dict[str, float]) -> None:
        lines, width = [], {name: max(WIDTH, len(name) + BETWEEN) for name in self.names}
        if self._previous is None:
            units = ["" if COLUMNS[n].unit == "1" else COLUMNS[n].unit for n in self.names]
            lines = [
                "".join(f"{text:>{width[n]}}" for n, text in zip(self.names, texts, strict=True))
                for texts in (self.names, units)
            ]
        cells = (f"{row[n]:>{width[n]}d}" if COLUMNS[n].whole else f"{row[n]:>{width[n]}.6g}" for n in self.names)
        write_log(sys.stdout, "\n".join([*lines, "".join(cells)]) + "\n")


def chosen(columns: Iterable[str] | str | bool) -> tuple[str, ...]:
    """Names of the requested columns, or the default ones; raises ValueError for unknown names."""
    if isinstance(columns, bool):
        return ()
    names = [
        name.strip()
        for name in (columns.split(",") if isinstance(columns, str) else checks.listed("table", columns, "time"))
    ]
    found = tuple(known_column(name) for name in names)
    if len({*found}) < len(found):
        message = f"columns are {', '.join(found)}, expected each once"
        raise ValueError(message)
    return found


def _interval(sim: System, every: object, plan: list[FrameSegment]) -> Interval:
    """How often a row is due."""
    if every is not None:
        return Interval.checked("table_every", every, sim)
    length = plan[-1].last - plan[0].first
    return Interval(seconds=length / ROWS) if sim.step_count is None else Interval(steps=max(1, round(length / ROWS)))
