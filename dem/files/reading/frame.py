"""A frame of a trajectory: the state of all particles at one time."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from dem.base import checks
from dem.base.periodic import nearest_image
from dem.base.portable import inverse, times
from dem.base.user_classes import set_declared
from dem.files.h5md import bonds, growing_tables, layout, variable_population
from dem.files.h5md.schema import energies_in
from dem.files.reading.stored_field import read_rows
from dem.files.validation import input_validation
from dem.model.contact.contact_forces import ContactForces
from dem.model.domain.box import AXES
from dem.model.particles.fields import STATE
from dem.model.shapes.bodies import Spheres, Surfaces, axis_of, body_axis, place, place_surfaces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.files.reading.stored_run import StoredRun
    from dem.statistics import CellState, CoarseFields, ContactNumbers, KineticEnergies, Profile

BODIES = 500  # of which surfaces are made at a time


class Frame:
    """One frame of a trajectory: the state of all particles that are present at one time.

    `dem.Trajectory` makes frames, ``run[-1]`` or ``run.at(0.5)``. Arrays are read from the file at first access and
    kept. Registered fields are attributes too, by their names.

    Parameters
    ----------
    run : Trajectory
        The run, or a part of it.
    number : int
        Number of the frame in that run or part.
    index : int
        Number of the frame in the file.

    Examples
    --------
    >>> import dem, tempfile
    >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    >>> ball = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0, 0, 0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     verdict = dem.Simulation(ball, time_step=1e-4).run(duration=0.1, output=f"{folder}/fall.h5", frames=10)
    ...     with dem.Trajectory(f"{folder}/fall.h5") as run:
    ...         frame = run.at(0.05)
    ...         frame, frame.step, frame.velocity.round(6).tolist(), round(float(frame.energy["rotational"]), 9)
    (<Frame 5: t = 0.05 s, step 500>, 500, [[0.0, 0.0, -0.4905]], 0.0)
    """

    __setattr__ = set_declared

    index: int

    def __init__(self, run: StoredRun, number: int, index: int) -> None:
        self._run = run
        self._number = number
        self.index = index

    def __repr__(self) -> str:
        """Number, time and step."""
        return f"<Frame {self.index}: t = {self.time:.6g} s, step {self.step}>"

    @cached_property
    def time(self) -> float:
        """Time [s]."""
        return float(self._of("position/time"))

    @cached_property
    def step(self) -> int:
        """Step."""
        return int(self._of("position/step"))

    def _of(self, name: str) -> np.ndarray:
        """Value of a dataset (step, time or an energy) in this frame."""
        return read_rows(self._run._stored(name), self._run.frames, self._number)  # noqa: SLF001

    @cached_property
    def position(self) -> np.ndarray:
        """Centres of mass (N, 3) [m]."""
        return self._run.position.present(self._number)

    @cached_property
    def velocity(self) -> np.ndarray:
        """Velocities (N, 3) [m/s]."""
        return self._run.velocity.present(self._number)

    @cached_property
    def orientation(self) -> np.ndarray:
        """Unit quaternions (N, 4), scalar first, body to world."""
        return self._run.orientation.present(self._number)

    @cached_property
    def angular_velocity(self) -> np.ndarray:
        """Angular velocities (N, 3), world frame [rad/s]."""
        return self._run.angular_velocity.present(self._number)

    def field(self, name: str) -> np.ndarray:
        """Values (N, k) of a field by its name; raises ValueError if the file has no such field."""
        return vars(self)[name] if name in vars(self) else self._run.field(name).present(self._number)

    def __getattr__(self, name: str) -> np.ndarray:
        """A registered field (N, k)."""
        if name in STATE:
            return self.field(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    @cached_property
    def identity(self) -> np.ndarray:
        """Permanent number of each particle present (N,)."""
        if not self._run.varies:
            return self._run.identity
        identities = self._of(f"{variable_population.ID}/value")
        return identities[identities >= 0]

    @cached_property
    def columns(self) -> np.ndarray | slice:
        """Columns of the run's arrays that belong to the particles present."""
        return np.searchsorted(self._run.identity, self.identity) if self._run.varies else slice(None)

    @cached_property
    def kind(self) -> np.ndarray:
        """Number of each particle's kind (N,), an index into `Trajectory.kinds`."""
        return self._run.kind[self.columns]

    def of_kind(self, name: str) -> np.ndarray:
        """Mask (N,) of the particles present that are of a kind, see `Particles.of_kind`."""
        return self._run.of_kind(name)[self.columns]

    @cached_property
    def variant(self) -> np.ndarray:
        """Number of each particle's variant (N,), an index into `Trajectory.variants`."""
        return self._run.variant[self.columns]

    @cached_property
    def mass(self) -> np.ndarray:
        """Mass of each particle (N,) [kg]."""
        return self._run.mass[self.columns]

    @cached_property
    def fixed(self) -> np.ndarray:
        """Mask (N,) of the particles present that are fixed."""
        return self._run.fixed[self.columns]

    @cached_property
    def axis(self) -> np.ndarray:
        """Unit vectors along the body x axes (N, 3), which for a fibre is its long axis."""
        return body_axis(self.orientation)

    def directions(self, of: Literal["long", "short"] = "long") -> tuple[np.ndarray, np.ndarray]:
        """Unit vectors along an axis of the particles that have such an axis, for `dem.statistics.order_parameter`.

        Parameters
        ----------
        of : "long" or "short"
            The axis of the least moment of inertia, along which a particle is longest, or that of the largest one.

        Returns
        -------
        directions, particles
            (M, 3), of either sign, and which of the particles that are there (M,). Particles without such an axis,
            such as spheres, are left out.

        Raises
        ------
        ValueError
            For another word, or if no particle has such an axis.
        """
        side = {"long": 0, "short": 2}[checks.one_of("axis", of, ("long", "short"))]
        axes = np.array([axis_of(variant.inertia, side) for variant in self._run.variants])[self.variant]
        found = np.flatnonzero(axes >= 0)
        if not len(found):
            raise ValueError(f"no particle of {self._run.path} has a {of} axis that stands out")
        pose = self.orientation[found]
        each = [body_axis(pose, k) for k in range(3)]
        return np.select([axes[found, None] == k for k in range(3)], each), found

    @cached_property
    def energy(self) -> dict[str, float]:
        """Energies of the system [J]."""
        names = energies_in(self._run._stored("/"))  # noqa: SLF001
        return {name: float(self._of(f"/observables/{name}_energy/value")) for name in names}

    def spheres(self) -> Spheres:
        """All spheres: centres (S, 3), radii (S,) [m], and the particle each belongs to (S,)."""
        return place(self.position, self.orientation, self.variant, self._run.variants)

    def surfaces(self) -> Surfaces:
        """Surfaces of convex shapes: vertices (V, 3) [m], triangles (T, 3), and the particle of each triangle (T,).

        Other particles have none; their `spheres` are what they are. Spheres of convex shapes are inside of them.
        """
        return place_surfaces(self.position, self.orientation, self.variant, self._run.variants)

    @cached_property
    def walls(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper corner of the box at this time (3,), (3,) [m]; infinite where there is no wall."""
        from dem.model.domain.box_walls import walls_at  # noqa: PLC0415, which needs kernels; frames are read without

        return walls_at(self._run.box, self.time)

    @cached_property
    def cell(self) -> CellState | None:
        """State of the `dem.Cell` at this time, as `Simulation.cell`; None without one."""
        return self._run._cell(self._number)  # noqa: SLF001

    def kinetic_energies(self) -> KineticEnergies:
        """Translational and rotational energy of each particle (N,), (N,) [J]; zero for fixed particles."""
        from dem import statistics  # noqa: PLC0415, takes longer to import than a run to open

        run = self._run
        inertia = np.array([variant.inertia for variant in run.variants])[self.variant]
        mass = np.where(self.fixed, 0.0, self.mass)
        return statistics.kinetic_energies(mass, inertia, self.velocity, self.orientation, self.angular_velocity)

    def contact_forces(self) -> ContactForces:
        """Contacts with their forces, see `Simulation.contact_forces`; raises ValueError if none are stored."""
        run = self._run
        if layout.NUMBER not in run._stored("/"):  # noqa: SLF001
            raise ValueError(f"{run.path} has no contacts: run with contacts=True (--contacts)")
        number = run._stored(f"/{layout.NUMBER}")[: self.index + 1]  # noqa: SLF001
        last = int(number.sum())
        rows = run._stored(f"/{growing_tables.CONTACTS}")[last - int(number[-1]) : last]  # noqa: SLF001
        input_validation.check_contacts(rows, len(self.position), input_validation.count_walls(run._stored("/")))  # noqa: SLF001
        values = {name: rows[name] for name in rows.dtype.names}
        return ContactForces(**values, point=self.position[rows["i"]] + rows["arm"])

    def bond_forces(self) -> ContactForces:
        """Forces of the bonds that hold, as `Simulation.bonds.forces`; raises ValueError for a run without bonds.

        They are computed from the poses and velocities in the frame. Bonds whose bodies a run has released beyond an
        open face have none; files of version 0.2 do not say which these are.
        """
        from dem.base.periodic import PeriodicCell  # noqa: PLC0415, a few runs have bonds
        from dem.model.bond_forces import BodyMotion, bond_forces  # noqa: PLC0415
        from dem.model.bonds import Masses, dashpots  # noqa: PLC0415

        run, cell = self._run, self.cell
        if bonds.GROUP not in run._stored("/"):  # noqa: SLF001
            raise ValueError(f"{run.path} has no bonds")
        made = bonds.made_bonds(run._stored(f"/{bonds.GROUP}"), len(run.kind))  # noqa: SLF001
        inertia = np.array([variant.inertia for variant in run.variants])[self.variant]
        damping = dashpots(made, Masses(self.mass, inertia, self.fixed))
        motion = BodyMotion(self.position, self.orientation, self.velocity, self.angular_velocity)
        held = np.flatnonzero(self._of(f"/{bonds.GROUP}/broken_at/value") == -1)
        if cell is not None:
            return bond_forces(made, held, damping, motion, PeriodicCell(np.zeros(3), cell.edges), cell.rate)
        return bond_forces(made, held, damping, motion, PeriodicCell.orthogonal(length=self._period()))

    def contact_numbers(self, tolerance: float = 0.0) -> ContactNumbers:
        """Numbers of particles and walls that each particle touches, see `dem.statistics.contact_numbers`.

        Walls are the faces of the box and walls beside it. Of convex shapes the contacts count that the run wrote;
        raises ValueError for these if it wrote none, or for a tolerance. Of capsules likewise, but without written
        contacts, or with a tolerance, they count by a chain of spheres, thinner between them by 0.8 % of the radius.
        """
        from dem import statistics  # noqa: PLC0415, takes longer to import than a run to open

        run = self._run
        convex = any(variant.surface for variant in run.variants)
        if convex and tolerance:
            raise ValueError(f"tolerance is {tolerance!r}, expected 0: convex shapes count by their contacts alone")
        written = layout.NUMBER in run._stored("/")  # noqa: SLF001
        if convex or (written and not tolerance and any(kind.shape == "Capsule" for kind in run.kinds)):
            return statistics.coordination_numbers(self.contact_forces(), len(self.position))
        if self.cell is not None:
            raise ValueError(f"{run.path} has a dem.Cell, which deforms: its coordination is in Frame.cell")
        bodies, walls = statistics.contact_numbers(self.spheres(), tolerance, walls=self.walls, period=self._period())
        return statistics.ContactNumbers(bodies, walls + self._walls_touched(tolerance))

    def _period(self) -> np.ndarray:
        """Length of the box along its periodic axes (3,) [m], 0 along the others and without a box."""
        box = self._run.box
        return np.array([box.size[k] * (axis in box.periodic) for k, axis in enumerate(AXES)]) if box else np.zeros(3)

    def _walls_touched(self, tolerance: float) -> np.ndarray:
        """Number of walls beside the box that each particle touches (N,)."""
        run, number = self._run, np.zeros(len(self.position), dtype=np.int64)
        there = [wall for wall in run.walls if wall.wall.is_present(self.time)] if len(number) else []
        if not there:
            return number
        from dem.model.walls.wall_clearance import distances  # noqa: PLC0415, kernels, without which frames are read

        period, lower = self._period(), run.box.lower if run.box else 0.0
        wraps = np.floor((self.position - lower) / np.where(period > 0, period, np.inf))
        spheres = place(self.position - period * wraps, self.orientation, self.variant, run.variants)
        reach = float(spheres.radii.max()) + max(tolerance, 0.0)
        for wall in there:
            pose = wall.position[self._number], wall.orientation[self._number]
            around = spheres.centres - pose[0]
            nearest = spheres.centres - (around - nearest_image(around, period))
            near = distances(wall.wall, *pose, nearest, reach=reach) <= spheres.radii + tolerance
            touches = np.bincount(spheres.owner[near], minlength=len(number)) > 0
            named = [self.of_kind(name) for name in wall.wall.acts_on or wall.wall.ignores]
            if named:
                touches &= np.any(named, axis=0) == bool(wall.wall.acts_on)
            number += touches
        return number

    def coarse_fields(
        self,
        width: float,
        axes: str = "z",
        bins: int | Sequence[int] = 20,
        *,
        kernel: str = "gaussian",
        lower: Sequence[float] | None = None,
        upper: Sequence[float] | None = None,
    ) -> CoarseFields:
        """Density, velocity, stress and granular temperature in the box, see `dem.statistics.coarse_fields`.

        Contact stress, that of bonds included, is there if the run wrote contacts. Bounds `lower` and `upper` (3,) [m]
        may be other ones than those of the box, and must be given for a run without one, or with a `dem.Cell`. Periodic
        images in a region count. In a `dem.Cell` velocities are peculiar, so that stress and temperature are without
        its deformation.
        """
        from dem import statistics  # noqa: PLC0415, takes longer to import than a run to open
        from dem.statistics.coarse import CUT  # noqa: PLC0415

        low, high, periodic = self._bounds(lower, upper)
        contacts = self.contact_forces() if layout.NUMBER in self._run._stored("/") else None  # noqa: SLF001
        if contacts is not None and bonds.GROUP in self._run._stored("/"):  # noqa: SLF001
            contacts = ContactForces.concatenate([contacts, self.bond_forces()])
        longest = 0.0 if contacts is None else float(np.linalg.norm(contacts.branch, axis=1).max(initial=0.0))
        reach = CUT * checks.number("width", width, above=0, unit="m") + longest
        position = self._images(low, high, reach, [axis for axis in axes if axis not in periodic])
        images, count = position.shape[:2]
        if contacts is not None:
            shift = np.repeat(count * np.arange(images), len(contacts.i))
            contacts = ContactForces.concatenate([contacts] * images)
            contacts = contacts._replace(i=contacts.i + shift)
        return statistics.coarse_fields(
            position.reshape(-1, 3), np.tile(self.velocity, (images, 1)), np.tile(self.mass, images), low, high,
            width=width, axes=axes, bins=bins, kernel=kernel, contacts=contacts, periodic=periodic,
        )  # fmt: skip

    def solid_fraction(
        self, axis: str = "z", bins: int = 20, *, lower: Sequence[float] | None = None,
        upper: Sequence[float] | None = None,
    ) -> Profile:  # fmt: skip
        """Solid fraction in slabs of the box, of convex shapes by their surfaces, see `dem.statistics.solid_fraction`.

        Bounds `lower` and `upper` (3,) [m] may be other ones than those of the box, and must be given without one, or
        with a `dem.Cell`. Periodic images in a region count.
        """
        from dem import statistics  # noqa: PLC0415, takes longer to import than a run to open

        low, high, periodic = self._bounds(lower, upper)
        variants = self._run.variants
        reach = max(each.reach for each in variants)
        images = self._images(low, high, reach, [] if axis in periodic else [axis])
        position, orientation = images.reshape(-1, 3), np.tile(self.orientation, (len(images), 1))
        variant = np.tile(self.variant, len(images))
        volume = np.array([each.volume for each in variants])[variant]
        of_shape = {"axis": axis, "bins": bins, "periodic": axis in periodic}
        if not any(each.surface for each in variants):
            spheres = place(position, orientation, variant, variants)
            return statistics.solid_fraction(spheres, low, high, volume=volume, **of_shape)
        parts = []
        for first in range(0, max(len(variant), 1), BODIES):
            rows = slice(first, first + BODIES)
            bodies = position[rows], orientation[rows], variant[rows], variants
            spheres, surfaces = place(*bodies), place_surfaces(*bodies)
            parts.append(
                statistics.solid_fraction(spheres, low, high, volume=volume[rows], surfaces=surfaces, **of_shape)
            )
        return parts[0]._replace(value=sum(part.value for part in parts))

    def _bounds(
        self, lower: Sequence[float] | None, upper: Sequence[float] | None
    ) -> tuple[np.ndarray, np.ndarray, list[str]]:
        """Corners (3,), (3,) [m], by default those of the box, and the axes along which this region is periodic."""
        box = self._run.box
        if (box is None or self.cell is not None) and (lower is None or upper is None):
            which = "no box" if box is None else "a dem.Cell, which deforms, and no box"
            raise ValueError(f"{self._run.path} has {which} to take bounds from: give lower and upper")
        corners = box.lower if lower is None else lower, box.upper if upper is None else upper
        low, high = (checks.array(n, x, (3,), "corner [m]") for n, x in zip(("lower", "upper"), corners, strict=True))
        whole = [
            box is not None and self.cell is None and (low[k], high[k]) == (box.lower[k], box.upper[k])
            for k in range(3)
        ]
        return low, high, [axis for axis, same in zip(AXES, whole, strict=True) if same and axis in box.periodic]

    def _images(self, low: np.ndarray, high: np.ndarray, reach: float, axes: Sequence[str]) -> np.ndarray:
        """Positions of particles in those images (M, N, 3) [m] that may be within reach of a region along some axes.

        Along other axes of a deforming cell particles are moved into the cell; those of a box are where they are.
        """
        x, box, cell = self.position, self._run.box, self.cell
        resolved = np.array([axis in axes for axis in AXES])
        around = np.array([box is not None and (cell is not None or axis in box.periodic) for axis in AXES])
        if not len(x) or not (around & (resolved | (cell is not None))).any():
            return x[None]
        edges, corner = np.diag(box.size) if cell is None else cell.edges, np.array(box.lower)
        to_cell = inverse(edges)
        home = np.where(around & (resolved | (cell is not None)), np.floor(times(to_cell, (x - corner).T).T), 0.0)
        x = x - times(edges, home.T).T
        span = np.where(resolved, [low - reach, high + reach], [x.min(axis=0), x.max(axis=0)])
        corners = np.stack(np.meshgrid(*span.T, indexing="ij"), axis=-1).reshape(-1, 3)
        found = np.floor(times(to_cell, (corners - corner).T).T).astype(int)
        first, last = (np.where(around & resolved, each, 0) for each in (found.min(axis=0), found.max(axis=0)))
        numbers = np.stack(np.meshgrid(*map(np.arange, first, last + 1), indexing="ij"), axis=-1).reshape(-1, 3)
        return x + times(edges, numbers.T).T[:, None]
