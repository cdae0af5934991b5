"""Walls of a run: their positions, and the forces on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks, portable
from dem.base.quaternions import rotate
from dem.base.text import counted, shown
from dem.kernels.numerics.energy import SUBUNITS_PER_UNIT
from dem.kernels.walls import rigid_body
from dem.model.walls.wall import Wall

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dem.model.walls.rigid_body import RigidWall
    from dem.soft.engine import Engine


def wall_list(walls: Sequence[Wall]) -> list[Wall]:
    """Check the walls that a user gives; raises TypeError for other things."""
    if isinstance(walls, Wall):
        message = f"walls is one wall, expected a list of walls: walls=[{walls.word}]"
        raise TypeError(message)
    listed = checks.listed("walls", walls, "dem.Plane((0, 0, 0), (0, 0, 1), material=steel)")
    for k, wall in enumerate(listed):
        if not isinstance(wall, Wall):
            message = f"walls[{k}] is {shown(wall)}, expected a wall, such as dem.Plane or dem.Cylinder"
            raise TypeError(message)
        if wall.material is None:
            message = f"material of the {wall.word} is None, expected a dem.Material"
            raise TypeError(message)
    twice = next((k for k, wall in enumerate(listed) if any(wall is other for other in listed[:k])), None)
    if twice is not None:
        message = f"walls[{twice}] is given twice, and would push twice: leave one out"
        raise ValueError(message)
    return listed


def index_of_wall(wall: WallInRun | str | int, walls: Sequence[WallInRun]) -> int:
    """Place of a wall among those of a run, by itself, its name or its number; raises for one that is not there."""
    if isinstance(wall, str):
        names = [each.called for each in walls]
        return names.index(checks.one_of("wall", wall, names))
    if isinstance(wall, WallInRun | Wall):
        model = wall.wall if isinstance(wall, WallInRun) else wall
        index = next((k for k, each in enumerate(walls) if each.wall is model), None)
        if index is None:
            message = f"wall is {model!r}, which is none of this simulation: take one of sim.walls, or its name"
            raise ValueError(message)
        return index
    index = checks.whole("wall", wall, least=0)
    if index >= len(walls):
        message = f"wall is {index}, but the run has {counted(len(walls), 'wall')} beside the box, numbered from 0"
        raise ValueError(message)
    return index


class WallInRun:
    """A wall of a simulation, in its present state.

    Forces are those of particles on the wall. Attributes of the wall itself can be read here too, as they were given:
    `temperature` is that at the start, and `dem.Simulation.heat` has the present one. Sums over time begin with the run
    or, as those of the ledger, with the last assignment to the state of particles between runs.
    """

    def __init__(self, wall: Wall, called: str, present: Callable[[], Engine], number: int) -> None:
        self.wall, self.called = wall, called
        self._present, self._first_number = present, number

    def __repr__(self) -> str:
        """Name, load and model of the wall."""
        fx, fy, fz = self.force
        force, contacts = f"force ({fx:.4g}, {fy:.4g}, {fz:.4g}) N", counted(self.contacts, "contact")
        return f"<{self.called}: {force}, {contacts}, of {self.wall!r}>"

    def __getattr__(self, name: str) -> object:
        """Any attribute of the wall model, as `material`."""
        if name == "wall" or name.startswith("_"):  # a copy that has nothing yet
            raise AttributeError(name)
        return getattr(self.wall, name)

    @property
    def _number(self) -> int:
        """Index of the wall among the current walls; raises ValueError if it has been removed."""
        walls, number = self._present().walls.models, self._first_number
        if number < len(walls) and walls[number] is self.wall:
            return number
        index = next((k for k, wall in enumerate(walls) if wall is self.wall), None)
        if index is None:
            message = f"the wall {self.called} was removed from the simulation: read its force and torque before"
            raise ValueError(message)
        return index

    @property
    def present(self) -> bool:
        """Whether the wall is present now, see `present_from` and `present_until`."""
        return bool(self._present().walls.present[self._number])

    def _state(self, name: str) -> np.ndarray:
        return self._present().walls.state[name][..., self._number]

    def _pose(self, name: str) -> np.ndarray:
        return getattr(self._present().walls.faces.walls.poses, name)[:, self._number].copy()

    @property
    def force(self) -> np.ndarray:
        """Force of all particles on it, at the present step (3,) [N]."""
        return self._state("felt")[:3].copy()

    @property
    def torque(self) -> np.ndarray:
        """Torque of all particles on it about `about`, world frame, right-handed, at the present step (3,) [N m]."""
        return self._state("felt")[3:6].copy()

    @property
    def contacts(self) -> int:
        """Contacts of spheres with it."""
        return int(self._state("felt")[6])

    @property
    def impulse(self) -> np.ndarray:
        """Time integral of the force since the run began (3,) [N s]; differences over time are mean forces.

        As the ledger, it begins anew when the state is assigned to between runs.
        """
        return self._state("impulse").sum(0)[:3]

    @property
    def angular_impulse(self) -> np.ndarray:
        """Time integral of the torque since the run began (3,) [N m s]; see `impulse`."""
        return self._state("impulse").sum(0)[3:6]

    @property
    def work(self) -> float:
        """Work that it has done on particles since the run began, positive where it drives them [J]; see `impulse`."""
        return float(self._state("impulse").sum(0)[6])

    @property
    def worn(self) -> np.ndarray:
        """Volume that sliding has worn off each of its pieces since the run began (P,) [m³], where it wears.

        Of a `dem.Mesh` triangle by triangle; of a `dem.Revolution`, and of a cylinder or cone with ends, segment by
        segment; of others in one. As `impulse`, it begins anew when the state is assigned to between runs.
        """
        engine, found = self._present(), np.zeros(self.wall.pieces)
        if self.wall.wear > 0:
            walls = engine.walls.faces.walls
            first = walls.first_worn[self._number]
            whole, subunits = walls.worn[:, first : first + found.size]
            found = self.wall.wear * ((whole + subunits / SUBUNITS_PER_UNIT) / engine.energy_unit)
        return found

    @property
    def momentum(self) -> np.ndarray:
        """Momentum of a wall that is free (3,) [kg m/s]."""
        return self._body().mass * self._state("free")[rigid_body.VELOCITY : rigid_body.VELOCITY + 3]

    @property
    def angular_momentum(self) -> np.ndarray:
        """Angular momentum of a free wall about `about`, along its free axes (3,) [kg m²/s]."""
        self._body()
        return self._state("free")[rigid_body.ANGULAR_MOMENTUM : rigid_body.ANGULAR_MOMENTUM + 3].copy()

    @property
    def energy(self) -> float:
        """Kinetic energy of a free wall plus the potential energy of its load, which is zero at time 0 [J].

        The sum of `energy` and `work`, its work on particles, is constant where nothing else moves the wall.
        """
        state = self._state("free")
        kinetic = 0.5 * (
            portable.dot(self.momentum, state[rigid_body.VELOCITY : rigid_body.VELOCITY + 3])
            + portable.dot(self.angular_momentum, self._pose("spin"))
        )
        bodies = self._present().walls.faces.walls.free
        arm, load = bodies.arm[:, self._number], bodies.load[:, self._number]
        moved = state[:3] + rotate(state[rigid_body.TURN : rigid_body.TURN + 4], arm) - arm
        return float(kinetic - portable.dot(load, moved))

    def _body(self) -> RigidWall:
        """The `dem.RigidWall` of the wall; raises ValueError if it has none."""
        if self.wall.free is None:
            message = f"the wall {self.called} is no body with a mass: make it one by free=dem.RigidWall(mass=...)"
            raise ValueError(message)
        return self.wall.free

    @property
    def about(self) -> np.ndarray:
        """The point that its torque is about, where it is now (3,) [m].

        Of its axis of rotation, or its middle; of a free wall its pivot, or its centre of mass.
        """
        return self._pose("pivot")

    @property
    def position(self) -> np.ndarray:
        """Position of the middle of the wall (3,) [m]."""
        return self._pose("middle")

    @property
    def orientation(self) -> np.ndarray:
        """Rotation since time 0 (4,): unit quaternion, scalar first."""
        return self._pose("orientation")

    @property
    def velocity(self) -> np.ndarray:
        """Velocity of its middle (3,) [m/s]."""
        return self._pose("velocity")

    @property
    def angular_velocity(self) -> np.ndarray:
        """Angular velocity of the wall (3,) [rad/s]."""
        return self._pose("spin")
