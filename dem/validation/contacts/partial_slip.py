"""Partial slip: oblique impacts against the solution by annuli of Maw, Barber & Fawcett (1976)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

import dem
from dem.validation.contacts.chung_ooi import sweep
from dem.validation.contacts.reference_solution import ReferenceBall
from dem.validation.report import Report, curves

if TYPE_CHECKING:
    from collections.abc import Iterable

STATEMENTS = [
    "N. Maw, J. R. Barber, J. N. Fawcett, Wear 38 (1976) 101: surfaces slip from the edge of the contact inwards, and "
    "what has been sheared is let go annulus by annulus as the contact unloads. ψ₁ = κ v_t/(µ v_n) before the impact, "
    "ψ₂ after it, with the slip for v_t; κ = 2 (1 - ν)/(2 - ν).",
    "Reference: the contact as a row of independent springs, one for each annulus (V. L. Popov, M. Heß, Method of "
    "Dimensionality Reduction, Springer 2015), which is exact for Mindlin's problem with any history. Nothing of the "
    "engine, nor of the reference of the other studies, is in it. Itself checked against Cattaneo's and Mindlin's "
    "F_t(u) and against sliding throughout.",
    "Weakness, shown here: the engine's contact has one spring. It sticks or slides as a whole, and what it holds goes "
    "in proportion to the contact radius while the contact unloads, so that no impact gains energy. Near normal "
    "incidence impacts therefore keep too much tangential velocity, at most near ψ₁ = 1. Where all of the contact "
    "slides most of the time, ψ₁ > 4, both agree.",
    "Annuli in the engine would need the springs of each, three numbers a spring, kept for every contact, on radii "
    "that grow with it; a contact remembers four numbers now.",
]
STUFF = dem.Material(young=5e7, poisson=0.3, density=2500)
BALL = ReferenceBall(0.005, STUFF)
SPEED = 1e-3  # so slow that the lever arm, less half the overlap, is the radius to 1e-4
RATIO = 2 * (1 - STUFF.poisson) / (2 - STUFF.poisson)  # κ, tangential over normal stiffness


def annuli(psi: Iterable[float], ratio: float, springs: int = 400, steps: int = 4000) -> np.ndarray:
    """Ratio of slip velocities after and before elastic impacts of a solid sphere at ψ₁ (B,), κ = `ratio`.

    Springs at x from the middle are E* dx stiff, κ E* dx sideways, and meet a plane that sinks in by δ - x²/R. Units:
    E* = R = m = v_n = 1, and μ = 1; ψ makes outcomes free of them all.
    """
    slip = np.asarray(psi, float) / ratio
    before, speed, depth = slip, 1.0, 0.0
    deepest = 0.9375**0.4  # (5/4 m v²/(4/3 E* √R))^(2/5)
    dt = 2 * math.sqrt(math.pi) * math.gamma(1.4) / math.gamma(0.9) * deepest / steps
    dx = math.sqrt(deepest) / springs
    x = (np.arange(springs) + 0.5) * dx
    held = np.zeros((slip.size, springs))
    for _ in range(steps + steps // 20):
        depth += dt * speed
        pressed = 2 * dx * np.maximum(depth - x**2, 0)  # by springs on both sides
        held = np.where(pressed > 0, np.clip(held - 2 * dx * ratio * dt * slip[:, None], -pressed, pressed), 0)
        speed -= dt * pressed.sum()
        slip = slip + 3.5 * dt * held.sum(1)
    return slip / before


def mindlin(share: float, springs: int = 400) -> float:
    """Tangential over limiting force of the springs, sheared by a fraction of the displacement at which all slide."""
    x = (np.arange(springs) + 0.5) / springs
    pressed = 1 - x**2
    return float(np.minimum(share, pressed).sum() / pressed.sum())


def partial_slip(*, quick: bool) -> Report:
    """Impacts with one tangential spring per contact next to annuli, over the angle of incidence."""
    report = Report("maw", "Partial slip (Maw, Barber & Fawcett 1976)")
    contact = dem.Contact(restitution=1, friction=0.1)
    psi = np.array([0.1, 0.5, 1.0, 2.0, 4.0, 5.0, 6.0] if quick else [0.1, *np.arange(0.2, 6.1, 0.2)])
    for share in (0.1, 0.5, 0.9):
        exact = 1 - (1 - share) ** 1.5
        report.near(f"annuli, sheared by {share} of what makes all slide: F_t/(µ F_n)", mindlin(share), exact,
                    exact=f"{exact:.6g}", within=1e-4, digits=6)  # fmt: skip
    run = sweep(BALL, STUFF, contact, normal=SPEED, tangential=psi * contact.friction * SPEED / RATIO,
                steps=200 if quick else 1000)  # fmt: skip
    slip = {"annuli": annuli(psi, RATIO), "engine": run.found.slip / run.slip}
    kept = {name: 1 - (1 - left) / 3.5 for name, left in slip.items()}  # of the tangential velocity
    sliding = 1 - (1 + contact.restitution) * contact.friction * SPEED / (psi * contact.friction * SPEED / RATIO)
    gross = psi > 7 * RATIO - 1
    for name, found in kept.items():
        off = np.abs(found - sliding)[gross].max()
        # the engine's one spring sticks again at the very end of the steepest of these
        most = {"annuli": 1e-3, "engine": 5e-3}[name]
        report.below(f"{name}, sliding throughout, ψ₁ > 7 κ - 1: error of v_t'/v_t", float(off), most, exact="0")
    one = int(np.argmin(np.abs(psi - 1)))
    report.near(
        "annuli, ψ₁ = 1: v_t'/v_t", kept["annuli"][one], 0.6972, exact="0.697, a solution of others", within=1e-3
    )
    more = kept["engine"] - kept["annuli"]
    report.below(
        f"weakness, engine, ψ₁ = 1: v_t'/v_t ({kept['engine'][one]:.3f}) beyond that by annuli", more[one], 0.12
    )
    report.below("weakness, engine, any ψ₁: v_t'/v_t beyond that by annuli", float(more.max()), 0.14)
    report.below("engine, any ψ₁: v_t'/v_t short of that by annuli", float(-more.min()), 0.02)
    report.tables["impacts"] = (
        ["psi_1", *(f"{what}_{name}" for what in ("velocity_kept", "slip_kept") for name in slip)],
        np.column_stack([psi, *kept.values(), *slip.values()]).tolist(),
    )
    report.figures["slip"] = curves(
        f"sphere on its like, ν = {STUFF.poisson}", "ψ₁ = κ v_t/(µ v_n)", "ψ₂ = κ slip'/(µ v_n)",
        {name: (psi, psi * left) for name, left in slip.items()}, marker="o",
    )  # fmt: skip
    report.statements += STATEMENTS
    return report
