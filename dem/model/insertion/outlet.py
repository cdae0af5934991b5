"""Where particles are taken out while a run goes on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dem.base import checks
from dem.base.typo_hints import hinted
from dem.model.domain.regions import region_of

if TYPE_CHECKING:
    from dem.model.domain.box import Box
    from dem.model.domain.regions import Region
    from dem.model.walls.wall import Wall

STEPS = 100  # from one look to the next, unless told otherwise


@hinted
@dataclass(frozen=True)
class Outlet:
    """A region, or a surface, at which whole particles are removed from a run.

    The region is checked at regular whole steps, independent of frames and interruptions, and particles inside are
    removed. A particle that crosses the region between two checks is not removed.

    Parameters
    ----------
    region : wall or box
        A wall, without a material: the inside of a `dem.Block`, `dem.Cylinder`, `dem.Cone`, `dem.Ball`,
        `dem.CapsuleWall`, `dem.Torus`, `dem.Revolution` or `dem.Box`, or all that is behind a `dem.Plane`. At a
        `dem.Disc` or a `dem.Rectangle`, particles that crossed it along its normal since the previous check are
        removed.
    every : float, optional
        Interval of the checks, rounded to whole steps [s]; default: 100 steps.
    whole : bool
        Whether all spheres have to be inside, and not only the centre of mass; of regions with a volume.
    recycle : str
        Name of an inserter that inserts one more particle for each that is removed here; default: none.
    name : str
        By which it is called; default: "outlet".

    Raises
    ------
    ValueError, TypeError
        For values out of range, or what is no region.

    Examples
    --------
    >>> import dem
    >>> steel = dem.Material(young=5e7, poisson=0.3, density=7800.0)
    >>> ball = dem.Particles(dem.Sphere(diameter=0.01), steel, position=[[0, 0, 0.1], [0, 0, 0.2]])
    >>> below = dem.Outlet(dem.Plane((0, 0, 0), (0, 0, 1)))  # all that is below z = 0
    >>> sim = dem.Simulation(ball, outlets=[below], time_step=1e-4)
    >>> sim.step(1600)
    >>> len(sim.particles), sim.outlets[0].number, sim.identities.tolist()
    (1, 1, [1])
    """

    region: Wall | Box
    every: float | None = field(default=None, kw_only=True)
    whole: bool = field(default=False, kw_only=True)
    recycle: str = field(default="", kw_only=True)
    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        """Check all of it."""
        for name in ("recycle", "name"):
            checks.text(name, getattr(self, name))
        region = self.place
        if self.every is not None:
            object.__setattr__(self, "every", checks.number("every", self.every, above=0, unit="s"))
        if not isinstance(self.whole, bool):
            message = f"whole of the {self.word} is {self.whole!r}, expected True or False"
            raise TypeError(message)
        if self.whole and region.flat:
            message = f"whole of the {self.word} is for regions with a volume: a surface is crossed by centres of mass"
            raise ValueError(message)

    @property
    def word(self) -> str:
        """What it is called."""
        return self.name or "outlet"

    @property
    def place(self) -> Region:
        """Its region."""
        return region_of(self.region, f"region of the {self.word}")

    def saved(self) -> dict[str, object]:
        """What files keep."""
        return {name: getattr(self, name) for name in ("region", "every", "whole", "recycle", "name")}
