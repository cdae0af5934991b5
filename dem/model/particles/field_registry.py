"""Further fields of particles: one call adds a scalar or a vector that everything knows of that handles particles."""

from __future__ import annotations

import keyword

import numpy as np

from dem.base import checks
from dem.model.particles.fields import FIELDS, MOTION, ROWS, STATE, Field
from dem.model.particles.particles import Particles

TAKEN = ("identity", "energy", "time", "step")  # of frames and trajectories


def register_field(
    name: str, unit: str, *, meaning: str | None = None, default: object = 0.0, to_ghosts: bool = True
) -> Field:
    """Give all particles a further field, a scalar or a vector each, such as a temperature.

    The field has a property of `Particles` and a keyword of its constructor. It goes with its particle through
    sorting, ranks, insertion, checkpoints and `resume`, and is a field of trajectories, tables and exports, and a
    column of the tables that place particles in case files. Engines do not change it: a function that is called in a
    run may assign it (`every` of `Simulation.run`). Files of runs have nothing of fields that were not registered.

    Register a field before simulations are made, and before files are read that hold it.

    Parameters
    ----------
    name : str
        An identifier, such as ``"temperature"``.
    unit : str
        SI unit as in tables, ``"K"`` or ``"W/m"``; ``"1"`` for numbers without one.
    meaning : str, optional
        In words, for messages and tables; default: the name.
    default : float or (3,) floats, optional
        What particles have of which nothing is said [`unit`], also those that inserters put in; a scalar makes the
        field a scalar, (N,), three numbers make it a vector, (N, 3).
    to_ghosts : bool
        Whether ranks are sent it at every step for the particles next to theirs, as contacts need that exchange it.

    Returns
    -------
    Field
        Its row in the table of fields.

    Raises
    ------
    ValueError, TypeError
        If the name is taken or no identifier, or the default is neither a number nor three.

    Examples
    --------
    >>> import dem
    >>> dem.register_field("temperature", "K", default=293.15).headings
    ('temperature [K]',)
    >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    >>> place = [[0.5, 0.5, 0.5], [0.2, 0.5, 0.5]]
    >>> balls = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=place, temperature=[300.0, 350.0])
    >>> sim = dem.Simulation(balls, time_step=1e-5)
    >>> sim.step(10)
    >>> sim.particles.temperature
    array([300., 350.])
    >>> unregister_field("temperature")
    """
    checks.text("name", name)
    checks.text("unit", unit)
    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
        message = f"name of a field is {name!r}, expected an identifier, such as 'temperature'"
        raise ValueError(message)
    vector = np.ndim(default) > 0
    row = checks.vector("default", default, f"[{unit}]") if vector else (checks.number("default", default),)
    columns = tuple(f"{name}_{axis}" for axis in "xyz") if vector else (name,)
    taken = {*FIELDS, *ROWS, *TAKEN, *dir(Particles)} | {each for field in STATE.values() for each in field.columns}
    if taken & {name, *columns}:
        message = f"name of a field is {name!r}, which particles or their tables have already: choose another"
        raise ValueError(message)
    field = Field(meaning or name, unit, columns, rest=row, to_ghosts=bool(to_ghosts))
    FIELDS[name] = STATE[name] = field
    setattr(Particles, name, _property(name, f"{field.meaning} {'(N, 3)' if vector else '(N,)'} [{unit}]."))
    return field


def unregister_field(name: str) -> None:
    """Forget a registered field; simulations that were made with it are not to be used any more."""
    checks.one_of("field", name, [each for each in STATE if each not in MOTION])
    del FIELDS[name], STATE[name]
    delattr(Particles, name)


def _property(name: str, told: str) -> property:
    """A property of `Particles` that shows and assigns a field; a scalar as (N,)."""

    def shown(particles: Particles) -> np.ndarray:
        values = particles.field(name)
        return values[:, 0] if values.shape[1] == 1 else values.view()

    def assigned(particles: Particles, value: object) -> None:
        particles._assign(name, value)  # noqa: SLF001, a part of it

    return property(shown, assigned, doc=told)
