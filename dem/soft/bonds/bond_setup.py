"""Check the bonds of a simulation, and advise on its time step."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dem.base.notices import Notice
from dem.base.text import counted
from dem.kernels.domain.deforming_cell import deforms
from dem.kernels.soft.bonds.bond_arrays import BROKEN, INTACT, REMOVED
from dem.model.bond_forces import NO_RATE, BodyMotion, bond_forces
from dem.model.bonds import LEFT, MODES, Bonds, Breakage, masses
from dem.model.domain.cell import Cell
from dem.model.shapes.flexible import FlexibleFibre
from dem.rotation import BONDED
from dem.soft.bonds.engine_bonds import (
    are_alone,
    can_break,
    incidence,
    shortest_period,
    stable_damped_steps,
    stable_steps,
)
from dem.soft.time_step.impacts import rounded_down
from dem.soft.time_step.limits import OVERLAP_LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dem.model.contact.contact_forces import ContactForces
    from dem.model.domain.box import Box
    from dem.model.insertion import Inserter
    from dem.model.particles.particles import Particles
    from dem.soft.engine import Engine
    from dem.soft.time_step.advice import Advice

STEPS = 0.2  # of 2/ω of the quickest oscillation: 16 steps in it
STEPS_ALONE = 0.1  # likewise of a bond whose bodies have no other one: all energy can be in its oscillation
STEPS_DAMPED = 0.7  # of `stable_damped_steps`, which is shorter where many strongly damped bonds hold a body
COARSE = 0.5  # of that, at most
FEW = 1e6  # steps in which such a one must not grow e-fold
GROWTH = 0.36  # (ω dt)⁴ of it a step is what driving schemes add to the energy of a rotation that oscillates, at least
# measured: the others add 1e-7 a step at most, where ω dt = 0.4
DRIVING = ("euler", "direct-multiplication", "adams-bashforth", "pcdm", "pcdm-midpoint", "improved-pcdm")


class BondsInRun:
    """Bonds of a simulation in their current state; arrays are copies."""

    def __init__(self, present_engine: Callable[[], Engine]) -> None:
        self._present_engine = present_engine

    @property
    def _engine(self) -> Engine:
        """The engine that moves the particles now."""
        return self._present_engine()

    def __len__(self) -> int:
        """Count the bonds."""
        return len(self._engine.bonds.model)

    def __repr__(self) -> str:
        """Numbers of bonds and of broken bonds, in words."""
        return f"<BondsInRun: {len(self)}, {int(self.broken.sum())} broken>"

    @property
    def made(self) -> Bonds:
        """Bonds of the model, as they were made, with their shape at rest."""
        return self._engine.bonds.model

    @property
    def pairs(self) -> np.ndarray:
        """Numbers of the two bodies (B, 2); -1 is the ground."""
        return self._engine.bonds.model.pairs

    @property
    def broken(self) -> np.ndarray:
        """Which are broken (B,)."""
        return self._engine.bonds.arrays.state == BROKEN

    @property
    def broken_at(self) -> np.ndarray:
        """Steps at which they broke (B,); -1 before, -2 after their bodies have left through an open face for good."""
        arrays = self._engine.bonds.arrays
        return np.where(arrays.state == REMOVED, LEFT, arrays.when)

    @property
    def breakages(self) -> list[Breakage]:
        """Which broke when, in the order of time."""
        return Breakage.of(self._engine.bonds.arrays.when, self.pairs, self._engine.dt)

    @property
    def energies(self) -> np.ndarray:
        """Elastic energy of each bond (B,) [J]."""
        return self._engine.bond_loads()[0]

    @property
    def loads(self) -> np.ndarray:
        """Stress over strength of each bond (B,): it breaks above 1."""
        return self._engine.bond_loads()[1]

    @property
    def forces(self) -> ContactForces:
        """Forces and couples of the unbroken bonds, dashpots included, as a list for `dem.statistics`.

        A bond acts in its middle; its overlap is what it is shorter than at rest [m], and its loss what dashpots take.
        A bond to the ground acts at its end there, and has j = -1. With those of contacts, the stress is that of all:

        >>> import dem
        >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
        >>> balls = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0, 0, 0], [0.012, 0, 0]])
        >>> rod = dem.Bonds([(0, 1)], young=1e7, diameter=0.002).at_rest(balls)
        >>> balls.position = [[0, 0, 0], [0.0121, 0, 0]]
        >>> sim = dem.Simulation(balls, bonds=rod, gravity=(0, 0, 0), time_step=1e-6)
        >>> every = dem.statistics.ContactForces.concatenate([sim.contact_forces(), sim.bonds.forces])
        >>> round(float(dem.statistics.stress(every, volume=1e-6).contact[0, 0]), 3)  # -E A Δl/l by length and volume
        -3167.773
        """
        engine = self._engine
        position, velocity, orientation, spin = (np.ascontiguousarray(values.T) for values in engine.state())
        holds, faces = np.flatnonzero(engine.bonds.arrays.state < BROKEN), engine.walls.faces
        return bond_forces(
            engine.bonds.model, holds, engine.bonds.dashpots, BodyMotion(position, orientation, velocity, spin),
            engine.walls.cell(), faces.gradient if deforms(faces) else NO_RATE,
        )  # fmt: skip


def with_rest_shape(bonds: Bonds | None, particles: Particles, box: Box | None) -> Bonds | None:
    """Bonds with their shape at rest, by default that of the particles; raises TypeError or ValueError for others."""
    if bonds is None:
        return None
    if not isinstance(bonds, Bonds):
        message = f"bonds is {bonds!r}, expected dem.Bonds([(0, 1)], young=1e7, diameter=1e-3)"
        raise TypeError(message)
    if bonds.geometry is not None:
        if bonds.pairs.max() >= len(particles):
            message = f"a bond is of particle {bonds.pairs.max()}, and there are {len(particles)}"
            raise ValueError(message)
        return bonds
    if isinstance(box, Cell):
        return bonds.at_rest(particles, box.edges)
    periods = (
        [s if axis in box.periodic else 0.0 for axis, s in zip("xyz", box.size, strict=True)] if box else [0.0] * 3
    )
    return bonds.at_rest(particles, periods)


def damped(bonds: Bonds | None) -> bool:
    """Whether they want velocities."""
    return bonds is not None and bool(bonds.damping.any())


def check_compatible(bonds: Bonds | None, inserters: Sequence[Inserter], *, varies: bool) -> None:
    """Raise ValueError for features that bonds do not support yet: insertion and removal of particles."""
    for inserter in inserters:
        if any(isinstance(shape, FlexibleFibre) for shape in getattr(inserter, "shape", ())):
            message = "an inserter puts in flexible fibres, which would be rigid: bonds are made before a run begins; "
            raise ValueError(message + "let them fall from above (dem.pack), or insert dem.Capsule or dem.Fibre")
    if bonds is not None and varies:
        message = "bonds are given beside inserters or outlets, which would part them: leave one of them out"
        raise ValueError(message)


def described(bonds: Bonds | None) -> dict:
    """Bonds as plain values, grouped by equal properties."""
    if bonds is None:
        return {}
    found = {"number": len(bonds), "apart": bonds.apart}
    if bonds.contact.any():
        found["with_contact"] = int(bonds.contact.sum())
    for name in ("young", "poisson", "diameter", "strength", "shear_strength"):
        low, high = float(getattr(bonds, name).min()), float(getattr(bonds, name).max())
        found[name] = (low if low == high else [low, high]) if high < math.inf else None
    found["damping"] = {mode: float(bonds.damping[:, k].max()) for k, mode in enumerate(MODES)}
    return {"bonds": found}


def check(bonds: Bonds | None, particles: Particles, gravity: tuple[float, float, float], time_step: float) -> None:
    """Refuse bonds that a time step cannot follow, or that cannot carry a body; raises ValueError."""
    if bonds is None:
        return
    limit, k = shortest_period(bonds, particles)
    pair = bonds.pairs[k].tolist()
    if time_step > limit:
        message = (
            f"time_step {time_step:g} s is beyond {limit:.3g} s, up to which the stiffest bond ({k}, of particles "
            f"{pair}) is stable: lower time_step to {rounded_down(STEPS * limit):g} s, or young of the bonds"
        )
        raise ValueError(message)
    mass = 1 / masses(bonds, particles)[0].max(1)
    weight = mass * math.hypot(*gravity) / (math.pi / 4 * bonds.diameter**2)
    k = int((weight / bonds.strength).argmax())
    if weight[k] > bonds.strength[k]:
        message = (
            f"bond {k} of particles {bonds.pairs[k].tolist()} has a strength of {bonds.strength[k]:g} Pa, and the "
            f"weight of the lighter one alone pulls with {weight[k]:.3g} Pa: raise strength or diameter"
        )
        raise ValueError(message)


def check_loads(engine: Engine) -> None:
    """Refuse to start with bonds that are stressed beyond their strength."""
    if engine.bonds and can_break(engine.bonds.model):
        load = engine.bond_loads()[1]
        k = int(load.argmax())
        if load[k] > 1 and engine.bonds.arrays.state[k] == INTACT:
            message = (
                f"bond {k} of particles {engine.bonds.model.pairs[k].tolist()} is stressed to {load[k]:.3g} times its "
                "strength at the start: begin nearer to its shape at rest, or raise strength"
            )
            raise ValueError(message)


def advised(advice: Advice, bonds: Bonds | None, particles: Particles) -> Advice:
    """Advice on the time step with bonds."""
    if bonds is None:
        return advice
    limits, share = stable_steps(bonds, particles), np.where(are_alone(bonds), STEPS_ALONE, STEPS)
    longest = np.minimum(share * limits, STEPS_DAMPED * stable_damped_steps(bonds, particles))
    k = int(longest.argmin())
    text = (
        f"bonds: bond {k}, of particles {bonds.pairs[k].tolist()}, is stable up to {limits[k]:.3g} s: "
        f"{advice.time_step / limits[k]:.2g} of it a step ({longest[k] / limits[k]:.2g} are advised)"
    )
    most = rounded_down(float(longest[k]))
    return replace(advice, other_limits=(*advice.other_limits, text), advised=min(advice.advised, most))


def startup_notices(
    bonds: Bonds | None, particles: Particles, time_step: float, integrator: str, gravity: tuple[float, float, float]
) -> Iterator[Notice]:
    """Notices to give before a run begins."""
    if any(isinstance(shape, FlexibleFibre) for shape, _ in particles.variants):
        reason = "there are flexible fibres without bonds, which are rigid"
        yield Notice("rigid-fibres", reason, "bodies, bonds = dem.FlexibleFibre.flexed(particles)")
    if bonds is None:
        return
    yield from _weak_bonds(bonds, particles, gravity)
    limit, _ = shortest_period(bonds, particles)
    if time_step > COARSE * limit:
        reason = f"time_step {time_step:g} s is {time_step / limit:.2g} of what the stiffest bond is stable with"
        yield Notice("coarse-time-step", reason, f"lower time_step to {rounded_down(STEPS * limit):g} s")
    turned = 2 * time_step / limit
    growth, loss = GROWTH * turned**4, 2 * float(bonds.damping[:, 1:].min()) * turned
    if integrator in DRIVING and growth - loss > 2 / FEW:
        reason = (
            f"{integrator} drives bonds that are damped by less than {0.5 * growth / turned:.1g} of critical: at this "
            f"time_step the quickest vibrations grow e-fold in {2 / (growth - loss):.2g} steps"
        )
        yield Notice("driven-bonds", reason, f'take integrator="{BONDED}", or damping for the bonds')


def doubts(engine: Engine) -> Iterator[str]:
    """Doubts about a run: overlaps of bonded bodies without contact, beyond those at rest."""
    pressed = float(engine.bonds.arrays.pressed[0]) if engine.bonds else 0.0
    if pressed > OVERLAP_LIMIT:
        yield (
            f"bonded bodies overlapped by up to {pressed:.0%} of a radius more than at rest, above "
            f"{OVERLAP_LIMIT:.0%}, and have no contact beside their bonds: give contact=True to dem.Bonds, raise young "
            "of the bonds, or lower the speeds"
        )


def breakage(engine: Engine) -> str:
    """Number of broken bonds, in words."""
    if not engine.bonds:
        return ""
    broken = int((engine.bonds.arrays.state == BROKEN).sum())
    return f"{broken} of {counted(len(engine.bonds.model), 'bond')} broke"


def hanging_mass(pairs: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Mass that hangs from the ground by each bond (B,) and by nothing else [kg]; 0 where there are other paths.

    Loose ends are taken off one by one, and their mass is added to the body that they hung on. A chain that hangs at
    both of its ends has none: the division of its weight depends on stiffness.

    Parameters
    ----------
    pairs : (B, 2)
        Numbers of the two bodies of each bond; -1 is the ground.
    mass : (N,)
        [kg].

    Examples
    --------
    >>> hanging_mass(np.array([(0, -1), (0, 1), (1, 2)]), np.array([1.0, 2.0, 4.0])).tolist()
    [7.0, 6.0, 4.0]
    """
    found, below = np.zeros(len(pairs)), mass.astype(float)
    first, incident = incidence(pairs, mass.size)
    grounded = _grounded(pairs, first, incident, mass.size)
    left, bonds_of = np.diff(first), lambda b: incident[first[b] : first[b + 1]] >> 1
    loose = np.flatnonzero(grounded & (left == 1)).tolist()
    taken = np.zeros(len(pairs), bool)
    while loose:
        body = loose.pop()
        bond = next((k for k in bonds_of(body) if not taken[k]), None)
        if bond is None:
            continue
        taken[bond], found[bond] = True, below[body]
        other = pairs[bond].sum() - body  # -1 where it is the ground
        if other >= 0:
            below[other] += below[body]
            left[other] -= 1
            if left[other] == 1:
                loose.append(other)
    return found


def _grounded(pairs: np.ndarray, first: np.ndarray, incident: np.ndarray, bodies: int) -> np.ndarray:
    """Which bodies are connected to the ground by bonds, by any path (N,)."""
    grounded = np.zeros(bodies, bool)
    reached = pairs[pairs[:, 1] < 0, 0].tolist()
    grounded[reached] = True
    while reached:
        body = reached.pop()
        for other in pairs[incident[first[body] : first[body + 1]] >> 1].ravel().tolist():
            if other >= 0 and not grounded[other]:
                grounded[other] = True
                reached.append(other)
    return grounded


def _weak_bonds(bonds: Bonds, particles: Particles, gravity: tuple[float, float, float]) -> Iterator[Notice]:
    """Notice for bonds that are too weak for the weight they carry, unless something else supports it."""
    if not can_break(bonds) or not (bonds.pairs[:, 1] < 0).any() or not any(gravity):
        return
    pull = hanging_mass(bonds.pairs, particles.mass) * float(np.linalg.norm(gravity)) / (np.pi / 4 * bonds.diameter**2)
    k = int((pull / bonds.strength).argmax())
    if pull[k] > bonds.strength[k]:
        reason = (
            f"what hangs on bond {k} of particles {bonds.pairs[k].tolist()} alone pulls with {pull[k]:.3g} Pa, and its "
            f"strength is {bonds.strength[k]:g} Pa: it breaks as soon as nothing else bears that"
        )
        yield Notice("weak-bonds", reason, "raise strength or diameter")
