"""Step through a trajectory, such as the last steps before a failure, and show all quantities of selected particles."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.periodic import nearest_image
from dem.model.domain.box import AXES, FACES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dem.files.reading.trajectory import Trajectory
    from dem.model.domain.box import Box
    from dem.model.shapes.bodies import Spheres


class Overlap(NamedTuple):
    """The deepest overlap of a particle with one partner."""

    partner: str
    overlap: float  # [m]; negative for a gap
    share: float  # of the smaller radius


class State(NamedTuple):
    """Values of one particle in one frame."""

    step: int
    time: float  # [s]
    particle: int  # permanent number
    position: np.ndarray  # (3,) [m]
    velocity: np.ndarray  # (3,) [m/s]
    orientation: np.ndarray  # (4,)
    angular_velocity: np.ndarray  # (3,) world frame [rad/s]
    energy: float  # kinetic [J]
    force: np.ndarray  # (3,) mean of all forces since the frame before, weight included [N]
    touches: list[Overlap]  # what overlaps it, the deepest first


def particles_of_interest(run: Trajectory) -> list[int]:
    """Permanent numbers of the particles that a crash involves; of a run without one the fastest at the end.

    Raises ValueError if there are no particles at the end.
    """
    if named := run.event_particles:
        return named
    last = run[-1]
    if not len(last.identity):
        raise ValueError(f"{run.path} has no particles at the end: give one of an earlier frame by --particle")
    return [int(last.identity[np.linalg.norm(last.velocity, axis=1).argmax()])]


def states(run: Trajectory, particles: Sequence[int], first: int = 0) -> Iterator[list[State]]:
    """States of some particles, by their permanent numbers, in the frames from number `first` that have any of them."""
    box = run.box
    before = run[first - 1] if first else None
    for frame in run[first:]:
        spheres, energies = frame.spheres(), frame.kinetic_energies()
        result = []
        for number in particles:
            rows = np.flatnonzero(frame.identity == number)
            if not len(rows):
                continue
            n, force = rows[0], np.zeros(3)
            if before is not None and frame.time > before.time:
                for row in np.flatnonzero(before.identity == number):
                    force = frame.mass[n] * (frame.velocity[n] - before.velocity[row]) / (frame.time - before.time)
            touches = sorted(_touches(n, spheres, box, frame.walls, frame.identity), key=lambda t: -t.share)
            moving = (frame.position, frame.velocity, frame.orientation, frame.angular_velocity)
            energy = float(energies.translational[n] + energies.rotational[n])
            state = (values[n] for values in moving)
            result.append(State(frame.step, frame.time, number, *state, energy, force, touches))
        if result:
            yield result
        before = frame


def _touches(
    n: int, spheres: Spheres, box: Box | None, walls: tuple[np.ndarray, np.ndarray], identity: np.ndarray
) -> Iterator[Overlap]:
    """Overlaps of the particle in row n with walls, and with other particles, by their permanent numbers."""
    centres, radii, owner = spheres
    mine, others = owner == n, owner != n
    length = np.where([axis in box.periodic for axis in AXES], box.size, 0.0) if box else np.zeros(3)
    gap = nearest_image(centres[mine][:, None] - centres[others], length)
    overlap = radii[mine][:, None] + radii[others] - np.linalg.norm(gap, axis=2)
    smaller = np.minimum(radii[mine][:, None], radii[others])
    deepest, share = overlap.max(0), (overlap / smaller).max(0)
    for partner in np.unique(owner[others][deepest > 0]):
        of_it = owner[others] == partner
        yield Overlap(f"particle {identity[partner]}", float(deepest[of_it].max()), float(share[of_it].max()))
    for k, face in enumerate(FACES):
        sign = -1 if k % 2 else 1
        depth = radii[mine] - sign * (centres[mine][:, k // 2] - walls[k % 2][k // 2])  # -inf where there is no wall
        if depth.max() > 0:
            yield Overlap(f"the wall {face}", float(depth.max()), float((depth / radii[mine]).max()))


def in_words(state: State) -> list[str]:
    """A state, line by line."""
    return [
        f"  particle {state.particle}: position {_vector(state.position)} m, velocity {_vector(state.velocity)} m/s, "
        f"speed {np.linalg.norm(state.velocity):.4g} m/s",
        f"    angular velocity {_vector(state.angular_velocity)} rad/s, orientation {_vector(state.orientation)}",
        f"    kinetic energy {state.energy:.4g} J, mean force {_vector(state.force)} N",
        *(f"    overlaps {t.partner} by {t.overlap:.4g} m, {t.share:.1%} of the smaller radius" for t in state.touches),
    ]


def _vector(values: np.ndarray) -> str:
    return "(" + ", ".join(f"{value:.5g}" for value in values) + ")"
