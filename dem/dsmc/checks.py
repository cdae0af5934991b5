"""Check the input of spheres that collide at random, and that their steps go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.dsmc.advice import diameters
from dem.dsmc.engine import PACKED
from dem.event_driven.checks import ROUNDING, check_box, check_spheres
from dem.kernels.dsmc import steps
from dem.soft.time_step.impacts import rounded_down

if TYPE_CHECKING:
    from dem.dsmc.engine import StochasticEngine
    from dem.model.domain.box import Box
    from dem.model.particles.particles import Particles


def check_surroundings(particles: Particles, box: Box) -> None:
    """Refuse particles that are no single spheres, and boxes with faces that impacts do not support."""
    if len(particles) < 2:
        message = "there is 1 particle, expected two at least, which can collide: take dem.HardSpheres"
        raise ValueError(message)
    check_spheres(particles)
    check_box(box, particles)


def check_apart_from_walls(particles: Particles, box: Box) -> None:
    """Refuse spheres that overlap a wall by more than rounding."""
    lower, upper = box.bounds
    radius = 0.5 * diameters(particles)[:, None]
    overlap = 1 - np.minimum(particles.position - lower, upper - particles.position) / radius
    i = int(overlap.max(1).argmax())
    if overlap[i].max() > ROUNDING:
        message = (
            f"particle {i} overlaps a wall by {overlap[i].max():.3g} of its radius: move it inside or enlarge the box"
        )
        raise ValueError(message)


def check_not_packed(engine: StochasticEngine) -> None:
    """Refuse a solid fraction beyond random close packing anywhere."""
    densest, _ = engine.measure_gas()
    if densest >= PACKED:
        message = (
            f"the solid fraction around one of the cells is {densest:.3g} at the start, spheres cannot be packed "
            f"beyond {PACKED}: spread them"
        )
        raise ValueError(message)


def check_going_on(code: int, engine: StochasticEngine) -> None:
    """Raise FloatingPointError if a step cannot be made."""
    where = f"t = {(engine.step + 1) * engine.rule.time_step:.6g} s"
    if code == steps.DENSE:
        remedy = "what collides at random does not keep apart, take dem.HardSpheres, or give pressure"
        if engine.stress:
            remedy = f"pressure does not hold what weighs here: raise its scale, {engine.stress.scale:g} Pa"
        message = (
            f"{where}: the solid fraction somewhere has come to {float(engine.tally.densest[0]):.3g}, spheres cannot "
            f"be packed beyond {PACKED}: {remedy}"
        )
        raise FloatingPointError(message)
    if code == steps.FREQUENT:
        often = float(engine.tally.rate[0]) * engine.rule.time_step
        message = f"{where}: {often:.3g} collisions of a particle in a step, at most 0.2 are one after the other: "
        raise FloatingPointError(message + f"lower time_step, {engine.rule.time_step:g} s")
    if code == steps.STIFF:
        waves = float(engine.stress.waves[0])
        most = steps.STEEP * min(engine.space.width) / waves
        message = (
            f"{where}: waves of the solids' pressure go at {waves:.3g} m/s, and would cross more than {steps.STEEP:g} "
            f"of a cell in a step: lower time_step to {rounded_down(most):g} s, or raise softness"
        )
        raise FloatingPointError(message)
    if code == steps.STUCK:
        message = (
            f"{where}: particle {int(engine.tally.stuck[0])} hits walls again and again within one step: give it more "
            "room, or lower time_step"
        )
        raise FloatingPointError(message)
