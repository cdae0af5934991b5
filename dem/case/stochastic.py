"""Set-ups of spheres that collide at random."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat

from dem.case.bases import Axes, BaseCase, TimeStep

if TYPE_CHECKING:
    from dem.dsmc.simulation import StochasticSpheres
    from dem.model.domain.box import Box
    from dem.model.fluid.solids_pressure import SolidsPressure
    from dem.model.fluid.turbulence import Turbulence
    from dem.model.particles.particles import Particles


class StochasticCase(BaseCase):
    """A runnable set-up of spheres that collide at random. Subclasses say in `build` what they make.

    Examples
    --------
    >>> import dem
    >>> sim = dem.cases()["stochastic-cooling"](n=2000, collisions="partners").simulation()
    >>> len(sim.particles), sim.settings["collisions"]
    (2000, 'partners')
    """

    time_step: TimeStep = Field("auto", description="[s], or auto: a tenth of a collision of each particle")
    collisions: Literal["pairs", "partners"] = Field("pairs", description="of pairs in cells, or fictitious partners")
    cell: PositiveFloat | None = Field(None, description="width of the cells, about [m]; default: as fine as is of use")
    correlation: Literal["full", "particle", "none"] = Field("full", description="of partners in turbulence")
    seed: NonNegativeInt = Field(1, description="of the random numbers")
    gravity: tuple[float, float, float] = Field((0.0, 0.0, -9.81), description="[m/s2]")
    restitution: float = Field(1.0, gt=0, le=1, description="of two spheres, normal")
    tangential_restitution: float = Field(-1.0, ge=-1, le=1, description="of two spheres; -1: smooth, 1: rough")
    friction: NonNegativeFloat | None = Field(None, description="of two spheres, Coulomb's; default: no limit")
    wall_restitution: float | None = Field(None, gt=0, le=1, description="with a wall; default: as of two spheres")
    wall_tangential_restitution: float | None = Field(None, ge=-1, le=1, description="with a wall")
    wall_friction: NonNegativeFloat | None = Field(None, description="with a wall")
    contact_time: PositiveFloat = Field(1e-5, description="impacts on walls that follow within it are elastic [s]")
    periodic: Axes = Field((), description="axes without walls, such as xy")
    roughness: float = Field(0.0, ge=0, le=1, description="standard deviation of the walls' inclination [rad]")

    def build(self) -> tuple[Particles, Box]:
        """Particles and box of this case."""
        raise NotImplementedError

    def turbulence(self) -> Turbulence | None:
        """The fluid that drags them along; None for none."""
        return None

    def pressure(self) -> SolidsPressure | None:
        """Of the solids, which keeps pairs apart; None for none."""
        return None

    def simulation(self) -> StochasticSpheres:
        """The simulation, ready to run."""
        from dem.dsmc.simulation import StochasticSpheres  # noqa: PLC0415, cases are listed without

        particles, box = self.build()
        return StochasticSpheres(
            particles, box, **{name: getattr(self, name) for name in STOCHASTIC}, turbulence=self.turbulence(),
            pressure=self.pressure(), description={"case": self.name, "parameters": self.model_dump(mode="json")},
        )  # fmt: skip


# what goes to StochasticSpheres as it is; periodic and roughness are for the box
STOCHASTIC = StochasticCase.model_fields.keys() - BaseCase.model_fields.keys() - {"periodic", "roughness"}
"""Names of its parameters."""
