"""Population of a run from the inserters and outlets that a user gives, with checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks, portable
from dem.model.insertion import Inserter, Outlet
from dem.model.particles.fields import STATE
from dem.model.particles.particles import Particles
from dem.soft.insertion.population import Population
from dem.soft.insertion.size_sampler import SizeSampler

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.fluid.fluid import Fluid


def with_room_for(
    particles: Particles | None, inserters: Sequence[Inserter], outlets: Sequence[Outlet], fluid: Fluid | None
) -> Particles:
    """The particles at the start, whose tables have all shapes, materials and kinds that may come.

    Raises
    ------
    TypeError, ValueError
        For objects that are no inserters or outlets, no particles without inserters, or a fluid that excludes both.
    """
    for name, given, kind in (("inserters", inserters, Inserter), ("outlets", outlets, Outlet)):
        for k, each in enumerate(given):
            if not isinstance(each, kind):
                message = f"{name}[{k}] is {each!r}, expected a dem.{kind.__name__}"
                raise TypeError(message)
    _check_fluid(fluid, inserters, outlets)
    if not inserters:
        if particles is None:
            message = "particles is None, and nobody puts any in: give dem.Particles, or inserters"
            raise TypeError(message)
        return particles
    if particles is not None:
        checks.of_types(particles=(particles, Particles))
    own, every = 0 if particles is None else len(particles), with_examples(particles, inserters)
    state = {name: getattr(every, name)[:own] for name in STATE}
    return Particles.known(every.variants, every.variant[:own], every.kinds, every.kind[:own], state)


def _check_fluid(fluid: Fluid | None, inserters: Sequence[Inserter], outlets: Sequence[Outlet]) -> None:
    """Refuse fluids that do not allow insertion and removal; raises ValueError."""
    if fluid is None or not (inserters or outlets):
        return
    if fluid.coupling is not None:
        message = (
            "inserters and outlets do not go with a coupling, which gives and takes momentum particle by particle: "
            "leave one of them out, or take a flow that is known"
        )
        raise ValueError(message)
    if inserters and fluid.every not in ("auto", 1):
        message = (
            f"every is {fluid.every}, but those whom inserters put in feel the fluid from their first step on: leave "
            "every out, or say 1"
        )
        raise ValueError(message)


def with_examples(particles: Particles | None, inserters: Sequence[Inserter]) -> Particles:
    """The particles, and then one of each shape and size to be inserted, in the middle of its region, at its speed."""
    if not inserters:
        return particles
    groups = [] if particles is None else [particles]
    for inserter in inserters:
        region, pace = inserter.place, np.array(inserter.velocity)
        middle = 0.5 * (region.lower + region.upper)
        fast = pace + 3 * inserter.spread * (pace / portable.length(pace) if pace.any() else np.array([0, 0, 1]))
        for shape, material in SizeSampler(inserter, 0).shapes:
            groups.append(Particles(
                shape, material, position=[middle], velocity=[fast], angular_velocity=[inserter.angular_velocity],
                name=inserter.name or None,
            ))  # fmt: skip
    return Particles.concatenate(groups)


def population_of(
    particles: Particles, inserters: Sequence[Inserter], outlets: Sequence[Outlet], dt: float,
    gravity: tuple[float, float, float], *, added: bool = False,
) -> Population | None:  # fmt: skip
    """Population of a run; None if there are neither inserters nor outlets, and nothing was added."""
    if not (inserters or outlets or added):
        return None
    population = Population(inserters, outlets, dt, gravity)
    population.begin(with_examples(particles, inserters), len(particles))
    return population
