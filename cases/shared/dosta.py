"""Materials, pairs, grain size and stiffness of the three bulk benchmarks of Dosta et al. (2024).

M. Dosta et al., Comput. Phys. Commun. 296 (2024) 109066. Grains may be coarser than published, and softer, so that a
case runs in minutes; time steps follow.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from pydantic import Field, PositiveFloat, model_validator

import dem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

MATERIALS = {"M1": (1e9, 2500.0), "M2": (0.5e9, 2000.0), "steel": (210e9, 7200.0)}  # Young's modulus, density
POISSON = 0.2
PAIRS = {  # restitution, friction
    ("M1", "M1"): (0.5, 0.3), ("M2", "M2"): (0.4, 0.4), ("M1", "M2"): (0.45, 0.2), ("M1", "steel"): (0.4, 0.2),
    ("M2", "steel"): (0.4, 0.2), ("steel", "steel"): (0.6, 0.5),
}  # fmt: skip
SOFT = 100.0  # softness at which beds are made first
OF_THE_RUN = {"duration", "frames", "integrator", "threads", "time_step", "softness"}  # not of how a bed is made
FILLED = 0.3  # solid fraction that beds begin with, at random, before they fall together


class Dosta(dem.Case):
    """Base of the benchmarks of Dosta et al. (2024); coarse = 1 and softness = 1 give the published set-up."""

    published_step: ClassVar[float]  # [s]
    compiled_by: ClassVar[dict] = {"coarse": 4.0, "softness": SOFT}

    coarse: PositiveFloat = Field(2.0, description="diameter of the grains over the published one")
    softness: PositiveFloat = Field(100.0, description="published Young's moduli over those of this run")
    seed: int = Field(1, ge=0, description="seed of the random initial positions of the bed")

    @model_validator(mode="after")
    def _step(self) -> Self:
        """Compute the time step from grain size and stiffness, unless it is given."""
        if "time_step" not in self.model_fields_set:
            object.__setattr__(self, "time_step", self.step_for(self.coarse, self.softness))
        return self

    @classmethod
    def step_for(cls, coarse: float, softness: float) -> float:
        """Time step [s]: the published one, scaled like the duration of a contact by diameter and √softness."""
        return float(f"{cls.published_step * coarse * math.sqrt(softness):.6g}")

    def material(self, name: str, *, softness: float | None = None) -> dem.Material:
        """The material M1, M2 or steel."""
        young, density = MATERIALS[name]
        softer = self.softness if softness is None else softness
        return dem.Material(young=young / softer, poisson=POISSON, density=density, name=name)

    def made_of(self) -> Sequence[str]:
        """Names of the materials in this case."""
        return "M1", "steel"

    def pairs(
        self, *, of: Sequence[str] | None = None, softness: float | None = None, friction: float | None = None
    ) -> dem.Contacts:
        """Restitution and friction of all pairs of the given materials; `friction` replaces that between grains."""
        stuff = {name: self.material(name, softness=softness) for name in of or self.made_of()}
        table = {}
        for (a, b), (restitution, sliding) in PAIRS.items():
            if not {a, b} <= stuff.keys():
                continue
            mu = friction if friction is not None and "steel" not in (a, b) else sliding
            table[stuff[a], stuff[b]] = dem.Contact(restitution=restitution, friction=mu)
        return dem.Contacts(table)

    def contacts(self) -> dem.Contacts:
        """Restitution and friction of each pair of materials."""
        return self.pairs()

    def simulation(self) -> dem.Simulation:
        """The simulation, ready to run; `dem init` writes such a case by its name, without its particles."""
        return super().simulation()

    def bed(
        self,
        groups: Sequence[tuple[str, float, np.ndarray]],
        container: Callable[[float], tuple[dem.Box | None, list]],
        *,
        friction: float | None = None,
    ) -> np.ndarray:
        """Centres (N, 3) [m] of grains that have settled from given positions; the result is kept for the next time.

        groups: material, diameter [m] and initial centres (n, 3) [m] of the grains of each kind.
        container: box and walls at a softness.
        friction: between grains until the last stage, in place of that of the case.

        Grains settle softer first, and in the last stage as stiff as those of the case.
        """

        def simulation(stage: tuple[float, float | None], places: np.ndarray) -> dem.Simulation:
            softness, sliding = stage
            position = np.split(places, np.cumsum([len(start) for _, _, start in groups])[:-1])
            grains = [
                dem.Particles(dem.Sphere(diameter=d), self.material(name, softness=softness), position=x)
                for (name, d, _), x in zip(groups, position, strict=True)
            ]
            box, walls = container(softness)
            stuff = [name for name in self.made_of() if name == "steel" or name in {each for each, _, _ in groups}]
            pairs = self.pairs(of=stuff, softness=softness, friction=sliding)
            return dem.Simulation(
                dem.Particles.concatenate(grains), box, walls=walls, gravity=self.gravity, threads=self.threads,
                time_step=self.step_for(self.coarse, softness), contacts=pairs,
            )  # fmt: skip

        soft = [s for s in (SOFT, math.sqrt(SOFT)) if s > self.softness or (s == SOFT and friction is not None)]
        stages = [*((s, friction) for s in soft), (self.softness, None)]
        about = self.model_dump(mode="json", exclude=OF_THE_RUN)
        kind = next(each.__name__ for each in type(self).__mro__ if Dosta in each.__bases__)
        recipe = {"case": kind, "friction": friction, **about}
        size = min(d for _, d, _ in groups)
        start = np.concatenate([each for *_, each in groups])
        return dem.settled(simulation, stages, start, size=size, recipe=recipe)


def strewn(
    n: int, diameter: float, lower: Sequence[float], upper: Sequence[float], inside: Callable, seed: int,
    level: Callable | None = None,
) -> np.ndarray:  # fmt: skip
    """Centres (n, 3) of randomly placed grains without overlap: the lowest ones for which `inside(x, y, z)` holds.

    Lowest by z, or by what `level` makes of (x, y, z).

    Raises ValueError if the region between both corners does not hold so many.
    """
    stuff = dem.Material(young=1e6, poisson=POISSON, density=1.0)
    found = dem.pack(dem.Sphere(diameter=diameter), stuff, solid_fraction=FILLED, lower=lower, upper=upper, seed=seed)
    places = found.position[inside(*found.position.T)]
    if len(places) < n:
        message = f"n is {n}, but there is room for {len(places)} grains of {diameter:g} m, strewn at random"
        raise ValueError(message)
    height = level(*places.T) if level else places[:, 2]
    return places[np.argsort(height, kind="stable")][:n]
