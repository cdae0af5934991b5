"""Step through a trajectory, as through the last steps before a run broke, with all that is known of some particles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.box import AXES, FACES, Motion
from dem.plots.figure import new_figure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from dem.trajectory import Kind, Trajectory


class Touch(NamedTuple):
    """The deepest overlap of a particle with one partner."""

    partner: str
    overlap: float  # [m]; negative for a gap
    share: float  # of the smaller radius


class State(NamedTuple):
    """What is known of one particle in one frame."""

    step: int
    time: float  # [s]
    particle: int
    position: np.ndarray  # (3,) [m]
    velocity: np.ndarray  # (3,) [m/s]
    orientation: np.ndarray  # (4,)
    angular_velocity: np.ndarray  # (3,) world frame [rad/s]
    energy: float  # kinetic [J]
    force: np.ndarray  # (3,) mean of all forces since the frame before, weight included [N]
    touches: list[Touch]  # what overlaps it, the deepest first


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors (..., 3) turned by unit quaternions (..., 4), scalar first."""
    w, u = q[..., :1], q[..., 1:]
    t = 2 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def concerned(run: Trajectory) -> list[int]:
    """The particles that a crash is about; the fastest one at the end of an ordinary run."""
    named = run.event_particles
    return named or [int(np.linalg.norm(run.velocity[-1], axis=1).argmax())]


def states(run: Trajectory, particles: Sequence[int], first: int = 0) -> Iterator[list[State]]:
    """States of some particles, frame by frame from number `first`."""
    kinds, species, times, steps, box = run.kinds, run.species, run.time, run.step, run.input["box"]
    spheres = np.array([len(kind.radii) for kind in kinds])[species]
    owner = np.repeat(np.arange(len(species)), spheres)
    offsets = np.concatenate([kinds[k].offsets for k in species])
    radii = np.concatenate([kinds[k].radii for k in species])
    for f in range(first, len(run)):
        position, orientation = run.position[f], run.orientation[f]
        centres = position[owner] + rotate(orientation[owner], offsets)
        result = []
        for n in particles:
            v, omega, kind = run.velocity[f, n], run.angular_velocity[f, n], kinds[species[n]]
            force = np.zeros(3) if f == 0 else kind.mass * (v - run.velocity[f - 1, n]) / (times[f] - times[f - 1])
            touches = sorted(_touches(n, centres, radii, owner, box, times[f]), key=lambda t: -t.share)
            energy = _kinetic(kind, v, omega, orientation[n])
            state = State(
                int(steps[f]), float(times[f]), n, position[n], v, orientation[n], omega, energy, force, touches
            )
            result.append(state)
        yield result


def _kinetic(kind: Kind, v: np.ndarray, omega: np.ndarray, q: np.ndarray) -> float:
    in_body = rotate(q * [1, -1, -1, -1], omega)
    return float(0.5 * kind.mass * v @ v + 0.5 * kind.inertia @ in_body**2)


def _touches(
    n: int, centres: np.ndarray, radii: np.ndarray, owner: np.ndarray, box: dict | None, time: float
) -> Iterator[Touch]:
    """Partners whose spheres overlap those of particle n, and walls."""
    mine, others = owner == n, owner != n
    gap = centres[mine][:, None] - centres[others]
    length = np.zeros(3)
    if box:
        size = np.subtract(box["upper"], box["lower"])
        length = np.where([axis in box["periodic"] for axis in AXES], size, 0.0)
    gap -= length * np.round(np.divide(gap, length, out=np.zeros_like(gap), where=length > 0))
    overlap = radii[mine][:, None] + radii[others] - np.linalg.norm(gap, axis=2)
    smaller = np.minimum(radii[mine][:, None], radii[others])
    deepest, share = overlap.max(0), (overlap / smaller).max(0)
    for partner in np.unique(owner[others][deepest > 0]):
        of_it = owner[others] == partner
        yield Touch(f"particle {partner}", float(deepest[of_it].max()), float(share[of_it].max()))
    for face, place in _walls(box, time):
        axis, sign = FACES.index(face) // 2, -1 if face[1] == "+" else 1
        depth = radii[mine] - sign * (centres[mine][:, axis] - place)
        if depth.max() > 0:
            yield Touch(f"the wall {face}", float(depth.max()), float((depth / radii[mine]).max()))


def _walls(box: dict | None, time: float) -> Iterator[tuple[str, float]]:
    """Faces that are there, and where they are at a time [m]."""
    for k, face in enumerate(FACES if box else ()):
        if face in box["open"] or face[0] in box["periodic"]:
            continue
        place = box["upper" if k % 2 else "lower"][k // 2]
        if face in box["motion"]:
            moves = Motion(**box["motion"][face])
            angle = 2 * math.pi * moves.frequency * time + moves.phase
            swung = moves.amplitude[k // 2] * (math.sin(angle) - math.sin(moves.phase))
            place += moves.velocity[k // 2] * time + swung
        yield face, place


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


def plot(frames: list[list[State]], path: Path) -> None:
    """Draw overlap, speed and kinetic energy of each particle against time, to a new file."""
    figure = new_figure(6.4, 7)
    overlap, speed, energy = figure.subplots(3, sharex=True)
    for history in zip(*frames, strict=True):
        time, label = [s.time for s in history], f"particle {history[0].particle}"
        overlap.plot(time, [100 * max((t.share for t in s.touches), default=0.0) for s in history], ".-", label=label)
        speed.plot(time, [np.linalg.norm(s.velocity) for s in history], ".-", label=label)
        energy.plot(time, [s.energy for s in history], ".-", label=label)
    overlap.set_ylabel("largest overlap [% of radius]")
    speed.set_ylabel("speed [m/s]")
    energy.set(ylabel="kinetic energy [J]", xlabel="time [s]")
    overlap.legend()
    figure.savefig(path, dpi=120)
