"""Checks before the first time step, with remedies: walls, periodic cells, overlaps, orientations, rolling laws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base.notices import Notice
from dem.base.quaternions import rotate_back
from dem.base.text import counted
from dem.model.contact.law_parts import Rolling
from dem.model.domain.box import FACES
from dem.model.domain.box_walls import has_moving_images
from dem.model.shapes.ellipsoid import Ellipsoid
from dem.model.shapes.shape import kind_of_shape, standing
from dem.model.shapes.spheroid import is_ball
from dem.model.walls.primitives import Plane
from dem.model.walls.wall import Wall
from dem.soft.contact.capsules import slack
from dem.soft.contact.contact_forces import contact_forces
from dem.soft.contact.convex_bodies import bounding_radii
from dem.soft.time_step.limits import OVERLAP_LIMIT
from dem.soft.walls.wall_arrays import face_name, fastest
from dem.system.diagnosis import point

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dem.model.contact.contacts import Contacts
    from dem.model.domain.box import Box
    from dem.model.insertion import Inserter
    from dem.model.particles.particles import Particles
    from dem.soft.contact.overlaps import Deepest, Overlaps
    from dem.soft.engine import Engine

TURNED = 1e-6  # of a quaternion, by which a clump is turned from how its offsets were given
DEEPEST_START = OVERLAP_LIMIT  # overlap over the smaller radius at the start: as the verdict of a run allows
UNUSUAL_START = 0.1  # from which a start is unusual: a run may have ended so, but a mistake in places is more likely


def check_box(box: Box | None, engine: Engine) -> None:
    """Refuse walls that move too far in a step, and periodic cells in which a particle could meet another one twice."""
    for wall, label in zip(engine.walls.models, engine.walls.names, strict=True):
        farthest = fastest(wall, shape=True) * engine.dt
        if farthest > 0.5 * engine.skins.candidates:
            message = (
                f"the wall {label} moves up to {farthest:.3g} m in a time step, at most "
                f"{0.5 * engine.skins.candidates:.3g} m can be followed: lower time_step (now {engine.dt:g} s), or "
                "the speed of its motion"
            )
            raise ValueError(message)
    if box is None:
        return
    for face, motion in box.motion.items():
        farthest = motion.fastest * engine.dt
        if farthest > 0.5 * engine.skins.candidates:
            message = (
                f"face {face} moves up to {farthest:.3g} m in a time step, at most {0.5 * engine.skins.candidates:.3g} "
                f"m can be followed: lower time_step (now {engine.dt:g} s), or the velocity, amplitude or frequency"
            )
            raise ValueError(message)
    check_periods(box, engine)
    reach = 2 * float(engine.kinds.bounding_radius.max()) + engine.list_range + engine.skins.candidates
    for axis, size in zip("xyz", box.size, strict=True):
        if axis in box.periodic and size < 2 * reach:
            long = f"the box is {size:g} m long along its periodic axis {axis}"
            if has_moving_images(box):
                long = f"the faces of the cell that its edge {axis} crosses are {size:g} m apart"
            message = f"{long}, at least {2 * reach:.3g} m for these particles: enlarge it"
            raise ValueError(message)


def check_moving_images(box: Box | None, gravity: Sequence[float], **beside: object) -> None:
    """Refuse what is at rest in the laboratory, or comes and goes, in a cell whose periodic images move."""
    if not has_moving_images(box):
        return
    kind = type(box).__name__
    if any(gravity):
        message = (
            f"gravity is {tuple(gravity)} m/s2 in a {kind}, whose periodic images move, expected none: give "
            "gravity=(0, 0, 0)"
        )
        raise ValueError(message)
    names = {"added": "particles that are added", "fixed": "fixed particles", "grounded": "bonds to the ground"}
    for name, thing in beside.items():
        if thing:
            label = names.get(name, name)
            message = (
                f"the simulation has {label} in a {kind}, whose periodic images move, expected particles alone: leave "
                f"{label} out, or take a dem.Box"
            )
            raise ValueError(message)


def check_periods(box: Box, engine: Engine) -> None:
    """Refuse walls that are longer than the box along a periodic axis, where particles would meet one image of them."""
    for wall, label in zip(engine.walls.models, engine.walls.names, strict=True):
        lower, upper = wall.shape.lower, wall.shape.upper
        for k, axis in enumerate("xyz"):
            size = box.size[k]
            same = slack(wall, k, size)
            across = isinstance(wall, Plane) and wall.normal[k] != 0
            long = np.isfinite(upper[k] - lower[k]) and upper[k] - lower[k] > size + same
            if axis in box.periodic and (across or long):
                what = "lies across" if across else f"is {upper[k] - lower[k]:.9g} m long along"
                message = (
                    f"the wall {label} {what} the periodic axis {axis}, along which the box is {size:.9g} m long, and "
                    "would be met once in a period or not at all: make it shorter, or the axis not periodic"
                )
                raise ValueError(message)
            least = 2 * float(bounding_radii(engine.kinds).max()) + engine.list_range + engine.skins.candidates
            free = size - (upper[k] - lower[k])
            if axis in box.periodic and same < free < least:
                message = (
                    f"the wall {label} leaves a gap of {free:.3g} m to its own image along the periodic axis {axis}, "
                    f"in which particles would meet one of the two only: leave at least {least:.3g} m, or none"
                )
                raise ValueError(message)


def check_outside_walls(engine: Engine) -> None:
    """Refuse particles inside of solid walls, such as a roll, which would not let them out."""
    x = engine.bodies.sphere_position
    for k, (wall, label) in enumerate(zip(engine.walls.models, engine.walls.names, strict=True)):
        if type(wall).inside_shell is Wall.inside_shell:
            continue
        there = engine.walls.faces.walls.acts[k, engine.bodies.kind[engine.bodies.owner]] != 0
        beyond = np.flatnonzero(wall.inside_shell(in_frame(engine, k, x.T)) & there)
        if beyond.size:
            s = beyond[engine.bodies.identity[engine.bodies.owner[beyond]].argmin()]
            message = (
                f"particle {engine.bodies.identity[engine.bodies.owner[s]]} is inside the wall {label}, at "
                f"{point(x[:, s])} m ({beyond.size} in all): move it out, or take inside=True"
            )
            raise ValueError(message)


def in_frame(engine: Engine, k: int, points: np.ndarray) -> np.ndarray:
    """Points (M, 3) as wall k sees them, those of periodic images that are nearest to its middle."""
    poses = engine.walls.faces.walls.poses
    around = points - poses.middle[:, k]
    images = around - engine.walls.cell().nearest(around.T).T
    return rotate_back(poses.orientation[:, k], points - images - poses.origin[:, k])


def check_appeared(engine: Engine, before: Engine) -> None:
    """Refuse walls that appear where particles are; `before` is the engine up to then, of the same walls."""
    new = engine.walls.present & ~before.walls.present
    touched = np.flatnonzero(new & (engine.walls.state["felt"][6] > 0)) if new.any() else new[:0]
    if not touched.size:
        return
    w, found = int(touched[0]), contact_forces(engine)
    rows = np.flatnonzero(found.j == -1 - len(FACES) - w)
    first = rows[found.i[rows].argmin()]
    count, time = int(engine.walls.state["felt"][6, w]), int(engine.run_state.step[0]) * engine.dt
    message = (
        f"the wall {engine.walls.names[w]} appears at t = {time:.6g} s where particles are: particle {found.i[first]} "
        f"overlaps it by {found.overlap[first]:.3g} m ({counted(count, 'contact')}): let it appear elsewhere or later "
        "(present_from), or move it there (motion)"
    )
    raise ValueError(message)


def check_overlaps(engine: Engine, deepest: Deepest | None, before: Engine | None = None) -> None:
    """Refuse a start from deep overlaps, naming the deepest one; a run that goes on may have them as deep as `before`.

    `deepest` is the deepest overlap that `Engine.start` has found. Raises ValueError if an overlap is deeper than a
    verdict allows, and than those of the engine before.
    """
    if not engine.owned:
        return
    check_outside_walls(engine)
    if not deepest.share > DEEPEST_START:
        return
    o = engine.overlaps()
    deep = o.deepest()
    if not deep.share > DEEPEST_START or (before and not deep.share > before.overlaps().deepest().share):
        return
    what, remedy = _overlap(engine, o, deep)
    message = f"{what} at the start, {deep.share:.0%} of a radius (at most {DEEPEST_START:.0%}): {remedy}"
    raise ValueError(message)


def deep_start(engine: Engine) -> Iterator[Notice]:
    """Overlaps at the start of a run that the end of another one may have, and places by mistake as well."""
    if not engine.owned:
        return
    o = engine.overlaps()
    deep = o.deepest()
    if deep.share > UNUSUAL_START:
        what, remedy = _overlap(engine, o, deep)
        reason = f"{what} at the start, {deep.share:.0%} of a radius, as it may where another run has ended"
        yield Notice("overlapping-start", reason, f"if none has, {remedy}")


def _overlap(engine: Engine, o: Overlaps, deep: Deepest) -> tuple[str, str]:
    """Which bodies overlap by how much, and the remedy, as text."""
    if deep.other >= 0:
        first, second = sorted((int(o.owner[deep.sphere]), int(o.owner[deep.other])))
        return f"particles {first} and {second} overlap by {deep.overlap:.3g} m", "move them apart"
    body, face = o.owner[deep.sphere], -1 - deep.other
    if face < len(FACES):
        return f"particle {body} overlaps a wall by {deep.overlap:.3g} m", "move it inside or enlarge the box"
    x = point(engine.bodies.sphere_position[:, deep.sphere])
    message = f"particle {body}, at {x} m, overlaps {face_name(face, engine.walls.names)} by {deep.overlap:.3g} m"
    return message, "move it out of the wall, or turn the wall's normal or inside round"


def turned_clumps(particles: Particles, inserters: Sequence[Inserter]) -> Iterator[Notice]:
    """Clumps at the orientation (1, 0, 0, 0) that do not stand as their offsets were given."""
    one = np.array([1.0, 0.0, 0.0, 0.0])
    lying = np.array([np.abs(standing(shape) - one).max() > TURNED for shape, _ in particles.variants])
    found = np.flatnonzero(lying[particles.variant] & (particles.orientation == one).all(axis=1))
    where = f"particle {found[0]}" if len(found) else ""
    for each in inserters:
        if each.orientation == (1.0, 0.0, 0.0, 0.0) and any(
            np.abs(standing(s) - one).max() > TURNED for s in each.shape
        ):
            where = where or f"what the {each.word} puts in"
    if where:
        reason = (
            f"{where} has the orientation (1, 0, 0, 0), at which the principal axes of its clump lie along x, y and z, "
            "and its spheres not as their offsets were given"
        )
        yield Notice("turned-clump", reason, 'say orientation="as-given", or clump.turned(q) for a turn from there')


def rolling_shapes(
    particles: Particles, box: Box | None, contacts: Contacts, walls: Sequence[Wall] = ()
) -> Iterator[Notice]:
    """Notice that names the first particle with rolling resistance that is not round: its shape resists already."""
    own = [box.material] if box and box.material else []
    own += [wall.material for wall in walls if wall.material]
    materials = dict.fromkeys([*(material for _, material in particles.variants), *own])
    for shape, material in particles.variants:
        for other in materials:
            rolling = contacts.between(material, other).rolling
            is_round = is_ball(shape) or (isinstance(shape, Ellipsoid) and len(set(shape.semi_axes)) == 1)
            rolls_freely = rolling is None or (isinstance(rolling, Rolling) and rolling.friction == 0)
            if not is_round and not rolls_freely:
                reason = (
                    f"{kind_of_shape(shape)} of {material.label} has {rolling} with {other.label}, but its shape "
                    "resists rolling by itself"
                )
                yield Notice("rolling-shape", reason, "remove rolling for this pair, unless both are intended")
                return
