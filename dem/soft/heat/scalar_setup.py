"""Heat and other scalars of a simulation: checks of the arguments, and stages in its engine."""

from __future__ import annotations

import math
from dataclasses import asdict, is_dataclass, replace
from dataclasses import fields as fields_of
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.base.notices import Notice
from dem.base.text import counted
from dem.model.domain.box import FACES
from dem.model.domain.cell import Cell
from dem.model.heat import Heat
from dem.model.particles import fields
from dem.model.scalar_exchange import ScalarExchange
from dem.soft.heat.heat_in_run import HeatInRun
from dem.soft.heat.scalar_in_run import MAX_SUBSTEPS, ScalarInRun

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dem.model.domain.box import Box
    from dem.model.fluid.fluid import Fluid
    from dem.model.insertion import Inserter
    from dem.model.particles.particles import Particles
    from dem.model.walls.motion import Motion
    from dem.model.walls.wall import Wall
    from dem.soft.engine import Engine
    from dem.soft.heat.temperature_classes import TemperatureClasses
    from dem.soft.time_step.advice import Advice

FEWEST_UNITS = 1000  # that the largest amount of an exchange has: smaller amounts are rounded by more than 0.05 %


def checked(
    heat: Heat | None, scalars: Sequence[ScalarExchange], particles: Particles, walls: Sequence[Wall],
    inserters: Sequence[Inserter], fluid: Fluid | None, box: Box | None,
) -> tuple[ScalarExchange, ...]:  # fmt: skip
    """Laws of all scalars, checked; particles have their fields then.

    Raises
    ------
    ValueError, TypeError
        For objects that are no laws, fields that do not exist or are exchanged twice, walls with a temperature in a run
        without heat, temperatures of faces that conduct nothing, or frozen in part.
    """
    checks.of_types(optional=True, heat=(heat, Heat))
    laws = [*([heat] if heat else []), *checks.listed("scalars", scalars, "a dem.ScalarExchange")]
    for k, law in enumerate(laws):
        if not isinstance(law, ScalarExchange):
            message = f"scalars[{k - bool(heat)}] is {law!r}, expected a dem.ScalarExchange"
            raise TypeError(message)
        checks.one_of(f"field of {type(law).__name__}", law.FIELD, _shown())
        if fields.STATE[law.FIELD].width != 1 or law.FIELD in fields.MOTION:
            message = f"field of {type(law).__name__} is {law.FIELD}, expected a scalar field (dem.register_field)"
            raise ValueError(message)
        if law.FIELD in [other.FIELD for other in laws[:k]]:
            message = f"{law.FIELD} is exchanged by two laws, expected one: leave one out"
            raise ValueError(message)
        if law.frozen != laws[0].frozen:
            message = f"one of {laws[0].FIELD} and {law.FIELD} is frozen, expected all scalars of a run frozen, or none"
            raise ValueError(message)
    for wall in walls:
        if heat is None and (wall.temperature is not None or wall.heat_flux):
            message = f"the {wall.word} has a temperature or a heat flux in a run without heat: add heat=dem.Heat()"
            raise ValueError(message)
    for inserter in inserters:
        if heat is None and inserter.temperature is not None:
            message = f"the {inserter.word} gives a temperature in a run without heat: add heat=dem.Heat()"
            raise ValueError(message)
    if heat is not None:
        _check_faces(heat, box)
    if heat is not None and heat.convection and fluid is None:
        message = "heat has a convection in a run without a fluid: add fluid=dem.Fluid(density=, viscosity=)"
        raise ValueError(message)
    if heat is not None and heat.convection and heat.convection.cells and (fluid is None or fluid.cells is None):
        message = "heat has a convection with cells=True, but the fluid has no cells: add dem.Fluid(cells=dem.Cells())"
        raise ValueError(message)
    _add_fields(laws, inserters, particles)
    _check_sizes(laws, particles, inserters, walls)
    return tuple(laws)


def _check_sizes(
    laws: Sequence[ScalarExchange], particles: Particles, inserters: Sequence[Inserter], walls: Sequence[Wall]
) -> None:
    """Raise ValueError for values at the start that sums of their law have no room for, as of a wrong unit."""
    for law in laws:
        values = particles.field(law.FIELD)[:, 0]
        beyond = np.flatnonzero(~(np.abs(values) < law.LARGEST))[:1]
        given = [(f"particle {k}", values[k]) for k in beyond]
        given += [(f"particles of the {each.word}", each.state().get(law.FIELD, 0.0)) for each in inserters]
        given += [(f"the {wall.word}", law.prescribed_value(wall)) for wall in walls]
        given += [(f"face {face}", law.prescribed_value_at_face(face)) for face in FACES]
        for what, value in given:
            if value is not None and not abs(value) < law.LARGEST:
                unit = fields.STATE[law.FIELD].unit
                raise ValueError(
                    f"{law.FIELD} of {what} is {value:g} {unit}, expected less than {law.LARGEST:g}: is a unit wrong?"
                )


def _check_faces(heat: Heat, box: Box | None) -> None:
    """Raise ValueError for the temperature of a face that no particle can touch, or that conducts nothing."""
    for face in heat.faces:
        if box is None or face in box.open or face[0] in box.periodic:
            what = "without a box" if box is None else "that is open" if face in box.open else "that is periodic"
            message = f"heat has a temperature of face {face} {what}, which no particle touches: leave it out"
            raise ValueError(message)
        if box.material.conductivity is None:
            message = (
                f"heat has a temperature of face {face}, but the material of the box has no conductivity [W/(m K)], "
                "which a face with a temperature needs"
            )
            raise ValueError(message)


def is_frozen(heat: Heat | None, scalars: Sequence[ScalarExchange]) -> bool:
    """Whether particles are held where they are; raises TypeError for a heat or a list of scalars that is none."""
    checks.of_types(optional=True, heat=(heat, Heat))
    laws = [heat, *checks.listed("scalars", scalars, "a dem.ScalarExchange")]
    return any(isinstance(law, ScalarExchange) and law.frozen for law in laws)  # what else they may be, `checked` says


def check_frozen(
    time_step: float | str, box: Box | None, walls: Sequence[Wall], fluid: Fluid | None, inserters: Sequence,
    outlets: Sequence,
) -> None:  # fmt: skip
    """Raise ValueError for motion, or a time step chosen by motion, in a frozen run."""
    if isinstance(time_step, str):
        message = f"time_step is {time_step} in a frozen run, in which nothing moves: give the time of an exchange [s]"
        raise ValueError(message)
    moving = [f"the {wall.word}" for wall in walls if wall.changes or wall.servo or wall.free or _moves(wall.motion)]
    moving += ["the box"] if box and _moves(box.motion.values()) else []
    moving += ["the cell"] if isinstance(box, Cell) and _deforms(box) else []
    moving += ["inserters"] if inserters else ["outlets"] if outlets else []
    moving += ["cells of the fluid"] if fluid and fluid.cells is not None else []
    if moving:
        message = (
            f"{moving[0]} in a frozen run, in which particles are held where they are, expected what stays as it is: "
            "leave it out, or let particles move (frozen=False) and take time_factor or sim.conduct"
        )
        raise ValueError(message)


def _moves(motions: Iterable[Motion]) -> bool:
    return any(motion.moves for motion in motions)


def _deforms(cell: Cell) -> bool:
    rates = [cell.rate, *(rate for _, rate in cell.rate_changes)]
    return bool(np.any(cell.held[0])) or any(np.any(rate) for rate in rates)


def check_exchange_at_rest(laws: Sequence[ScalarExchange]) -> None:
    """Raise ValueError where there is nothing to exchange with particles at rest, or cells of a fluid take part."""
    if not laws:
        message = "nothing is exchanged in this simulation: add heat=dem.Heat(), or scalars"
        raise ValueError(message)
    for law in laws:
        if isinstance(law, Heat) and law.convection and law.convection.cells:
            message = (
                "heat has a convection whose cells have temperatures, which the flow carries along with the motion: "
                "step with a time_factor instead"
            )
            raise ValueError(message)


def startup_notices(stages: Sequence[ScalarInRun], particles: Particles) -> Iterator[Notice]:
    """A notice for each scalar of which so little passes in an exchange that rounding to units shows."""
    for stage in stages:
        law = stage.law
        units = stage.units_an_exchange(getattr(particles, law.FIELD))
        if 0 < units < FEWEST_UNITS:
            yield Notice(
                "coarse-scalar",
                f"at most {units:.2g} units of {law.FIELD} pass a contact in an exchange of {stage.span:.3g} s, and "
                f"amounts are rounded to units, which follow from LARGEST = {law.LARGEST:.3g} of the law",
                f"set LARGEST of {type(law).__name__} to ten times the largest value, or raise every or time_factor",
            )


def advised(advice: Advice, engine: Engine) -> Advice:
    """Advice with a line for each scalar: its shortest relaxation time, and the steps of an exchange."""
    lines = []
    for stage in engine.scalars:
        rate = stage.fastest_rate(engine)
        shortest = f"shortest relaxation time {1 / rate:.3g} s" if rate > 0 else "nothing passes at present"
        steps = "one implicit step"
        if not stage.law.implicit:
            number = max(1, math.ceil(min(stage.span * rate / stage.law.resolution, 1e15)))
            steps = counted(number, "explicit sub-step") + f" (at most {MAX_SUBSTEPS})"
            steps += ": take implicit=True" if number > MAX_SUBSTEPS else ""
        lines.append(f"{stage.law.FIELD}: {shortest}; an exchange of {stage.span:.3g} s takes {steps}")
    advised_step = advice.time_step if engine.is_frozen else advice.advised
    return replace(
        advice, other_limits=(*advice.other_limits, *lines), advised=advised_step, frozen=engine.is_frozen
    )  # fmt: skip


def _add_fields(laws: Sequence[ScalarExchange], inserters: Sequence[Inserter], particles: Particles) -> None:
    """Have particles carry the fields of laws and of inserters."""
    for law in laws:
        particles._add_field(law.FIELD)  # noqa: SLF001 (the simulation's own)
        particles._add_field(fields.remainder_of(law.FIELD))  # noqa: SLF001
    for inserter in inserters:
        for name in inserter.fields:
            particles._add_field(checks.one_of(f"field of the {inserter.word}", name, _shown()))  # noqa: SLF001


def _shown() -> list[str]:
    """Names of all fields that users see."""
    return [name for name, field in fields.STATE.items() if not field.hidden]


def stages(
    laws: Sequence[ScalarExchange], particles: Particles, box: Box | None, walls: Sequence[Wall], dt: float
) -> tuple[ScalarInRun, ...]:
    """Stages of an engine, one a scalar."""
    return tuple((HeatInRun if isinstance(law, Heat) else ScalarInRun)(law, particles, box, walls, dt) for law in laws)


def set_classes(engine: Engine, classes: TemperatureClasses) -> None:
    """Let particles change between variants by temperature, at the same capacities; the first scalar is heat."""
    for stage in engine.scalars:
        stage.capacity[:] = stage.capacity[classes.user_variant]
    engine.scalars[0].classes = classes


def inherit(engine: Engine, before: Engine, *, restored: bool = False) -> None:
    """Continue with the ledgers of another engine; restored: see `ScalarInRun.inherit`."""
    for stage, stage_before in zip(engine.scalars, before.scalars, strict=True):
        stage.inherit(stage_before, engine, before, restored=restored)


def inherit_wall_values(engine: Engine, before: Engine) -> None:
    """Continue with the values of walls, such as temperatures, of another engine."""
    for stage, stage_before in zip(engine.scalars, before.scalars, strict=True):
        stage.inherit_wall_values(stage_before)


def described(heat: Heat | None, scalars: Sequence[ScalarExchange]) -> dict:
    """Heat and other scalars as plain values, for readers; empty without any."""
    values = {"heat": _values(heat)} if heat else {}
    return values | ({"scalars": [{"field": law.FIELD} | _values(law) for law in scalars]} if scalars else {})


def _values(law: ScalarExchange) -> dict:
    values = {each.name: getattr(law, each.name) for each in fields_of(law)}
    return {name: asdict(value) if is_dataclass(value) else value for name, value in values.items()}
