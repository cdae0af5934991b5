"""Walls that forces move: free bodies, and those with servos."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base import portable
from dem.kernels.walls import rigid_body
from dem.kernels.walls.rigid_body import FreeBodies, NoFreeWall
from dem.model.walls.servo import PID

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.walls.wall import Wall


def centre_of(wall: Wall) -> np.ndarray:
    """Centre of mass of a free wall at time 0 (3,) [m]."""
    return wall.middle if wall.free.centre is None else np.array(wall.free.centre)


def about(wall: Wall) -> np.ndarray:
    """The point that torques on a wall are about, at time 0 (3,) [m].

    On the axis it turns about, or its middle; of a free wall its pivot, or its centre of mass.
    """
    if wall.free:
        return centre_of(wall) if wall.free.pivot is None else np.array(wall.free.pivot)
    turning = [motion.centre for motion in wall.motion if motion.turns]
    return np.array(turning[0]) if turning else wall.middle


def free_of(walls: Sequence[Wall], dt: float) -> FreeBodies | NoFreeWall:
    """Walls that are free bodies, as at time 0; their loads include gravity."""
    if not any(wall.free for wall in walls):
        return NoFreeWall()
    number = len(walls)
    made = FreeBodies(
        is_free=np.array([wall.free is not None for wall in walls], np.int8), mobility=np.zeros((3, number)),
        turns=np.zeros((3, number)), inertia=np.zeros((6, number)), arm=np.zeros((3, number)),
        load=np.zeros((3, number)), dt=dt, state=np.zeros((rigid_body.ROWS, number)),
    )  # fmt: skip
    made.state[rigid_body.TURN] = 1.0
    for w, wall in enumerate(walls):
        if wall.free:
            body, arm = wall.free, centre_of(wall) - about(wall)
            tensor = body.tensor_about(arm)
            made.mobility[:, w], made.turns[:, w], made.arm[:, w] = body.slides / body.mass, body.turns, arm
            made.inertia[:, w] = tensor[[0, 1, 2, 1, 2, 0], [0, 1, 2, 2, 0, 1]]
            made.state[rigid_body.GOING : rigid_body.GOING + 3, w] = made.state[
                rigid_body.VELOCITY : rigid_body.VELOCITY + 3, w
            ] = body.velocity
            made.state[rigid_body.SPIN : rigid_body.SPIN + 3, w] = body.angular_velocity
            made.state[rigid_body.ANGULAR : rigid_body.ANGULAR + 3, w] = body.turns * (
                tensor * body.angular_velocity
            ).sum(1)
    return made


def load_walls(walls: Sequence[Wall], gravity: tuple[float, float, float], bodies: FreeBodies | NoFreeWall) -> None:
    """Give free walls their weights and other forces."""
    for w, wall in enumerate(walls):
        if wall.free:
            bodies.load[:, w] = np.array(wall.free.force) + wall.free.mass * np.array(gravity)


def servos(walls: Sequence[Wall], fastest: float) -> np.ndarray:
    """What `dem.kernels.soft.wall_contact.wall_arrays.Walls.servo` says of walls; none moves faster than that [m/s]."""
    table = np.zeros((10, len(walls)))
    for w, wall in enumerate(walls):
        if wall.servo:
            servo = wall.servo
            most = fastest if servo.fastest is None else min(servo.fastest, fastest)
            axis = np.array(servo.axis) / portable.length(servo.axis)
            table[:6, w] = *axis, servo.force, getattr(servo, "gain", 0.0), most
            table[6:, w] = 1.0, 0.0, 0.0, 0.0
            if isinstance(servo, PID):
                table[6:, w] = 2.0, servo.proportional, servo.integral, servo.derivative
    return table
