"""Prepare a fluid for the kernels, and check its use."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from dem.base.large_pages import zeros
from dem.base.notices import Notice
from dem.kernels import fluid as fluids
from dem.kernels import laws, rotation
from dem.kernels.compiler.selection import ancestors
from dem.kernels.fluid import Dry, sampling
from dem.kernels.fluid.gridded import SCRATCH
from dem.kernels.fluid.hoelzer_sommerfeld import HoelzerSommerfeld
from dem.kernels.fluid.magnus import OesterleBuiDinh, RubinowKeller
from dem.kernels.fluid.medium import Medium, mass_ratio_of_bodies
from dem.kernels.fluid.rosendahl import Rosendahl
from dem.kernels.fluid.saffman import Mei, Saffman
from dem.kernels.fluid.sampling import BLOCK
from dem.kernels.fluid.spin_drag import Creeping, Dennis
from dem.kernels.fluid.zastawny import Zastawny
from dem.kernels.soft.chunks import CHUNK
from dem.kernels.soft.fluid import fluid_cache
from dem.model.domain.box import AXES
from dem.model.domain.cell import Cell
from dem.model.fluid.drag_registry import DRAGS, REGISTERED, is_dense
from dem.model.fluid.flows import CellFlow, UniformFlow
from dem.model.shapes.shape import kind_of_shape
from dem.model.shapes.spheroid import ROUND, ProjectedAreas, Spheroid, is_ball
from dem.soft.fluid.two_way_coupling import LEAST_VOIDAGE, STRENGTH, SWINGS, in_cells, widest
from dem.soft.time_step.adhesion import possible_pairs
from dem.soft.time_step.impacts import rounded_down

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dem.model.domain.box import Box
    from dem.model.fluid.cells import Cells
    from dem.model.fluid.fluid import Fluid
    from dem.model.particles.particles import Particles
    from dem.model.shapes.shape import Shape
    from dem.model.walls.wall import Wall
    from dem.rotation.integrators import Integrator
    from dem.soft.engine import Engine
    from dem.soft.fluid.two_way_coupling import TwoWayCoupling
    from dem.soft.time_step.advice import Advice

    Bodies = list[tuple[Shape, Spheroid]]

# drag a0 to a8 and lift b1 to b10 of Zastawny et al. (2012) by aspect ratio; those of fibres and discs are not here
ELLIPSOIDS = {
    2.5: ((2.0, 5.1, 0.48, 15.52, 1.05, 24.68, 0.98, 3.19, 0.21),
          (6.079, 0.898, 0.704, -0.028, 1.067, 0.0025, 0.818, 1.049, 0.0, 0.0)),
    1.25: ((1.95, 18.12, 1.023, 4.26, 0.384, 21.52, 0.99, 2.86, 0.26),
           (0.083, -0.21, 1.582, 0.851, 1.842, -0.802, -0.006, 0.874, 0.009, 0.57)),
}  # fmt: skip
ALIKE = 0.02  # share by which an aspect ratio may be off that of a table


def sphericity_coefficients(bodies: Bodies) -> list[np.ndarray]:
    """Coefficients of drag by sphericities (3, G), along the axes and across."""
    rows = [ProjectedAreas.of(shape, body).coefficients(body.volume) for shape, body in bodies]
    return [np.ascontiguousarray(np.array(table).T) for table in zip(*rows, strict=True)]


def zastawny_coefficients(bodies: Bodies) -> Zastawny:
    """Coefficients of ellipsoids; raises ValueError for bodies that the tables do not have."""
    rows = []
    for shape, body in bodies:
        ratio = next((r for r in ELLIPSOIDS if abs(body.ratio / r - 1) <= ALIKE), None)
        if ratio is None:
            known = " and ".join(f"{r:g}" for r in ELLIPSOIDS)
            message = (
                f"drag is zastawny, whose tables are of ellipsoids with aspect ratios {known}, but "
                f"{kind_of_shape(shape)} has {body.ratio:.4g}: take schiller-naumann, hoelzer-sommerfeld or rosendahl"
            )
            raise ValueError(message)
        rows.append(ELLIPSOIDS[ratio])
    return Zastawny(*(np.ascontiguousarray(np.array(table).T) for table in zip(*rows, strict=True)))


def cross_flow(bodies: Bodies) -> Rosendahl:
    """Coefficients along the axis or plane of bodies and across, and whether they are elongated, flat or neither."""
    elongation = np.array(
        [0.0 if abs(body.ratio - 1.0) < ROUND else math.copysign(1, body.ratio - 1) for _, body in bodies]
    )
    axial, across = sphericity_coefficients(bodies)
    flat = elongation < 0
    return Rosendahl(np.where(flat, across, axial), np.where(flat, axial, across), elongation)


OF_BODIES: dict[str, Callable[[Bodies], tuple]] = {  # laws that need more of bodies than the fluid knows
    "hoelzer-sommerfeld": lambda bodies: HoelzerSommerfeld(*sphericity_coefficients(bodies)),
    "rosendahl": cross_flow,
    "zastawny": zastawny_coefficients,
}


def drag_of(fluid: Fluid, bodies: Bodies) -> tuple:
    """The law of drag of a fluid; in dense beds it says whether the pressure gradient that it causes is in it."""
    named = fluid.drag
    law = REGISTERED.get(named) or OF_BODIES.get(named) or attrgetter(DRAGS[named].law)(fluids)
    if is_dense(named):
        return law(float(fluid.drag_model == "B"))
    return law(bodies) if named in REGISTERED or named in OF_BODIES else law()


DRY = fluids.Dry()
LIFTS = {"saffman": Saffman, "mei": Mei, None: fluids.NoFluidForce}
MAGNUS_LIFTS = {"rubinow-keller": RubinowKeller, "oesterle-bui-dinh": OesterleBuiDinh, None: fluids.NoFluidForce}
SPINS = {"stokes": Creeping, "dennis": Dennis, None: fluids.NoFluidForce}
# state that a run goes on from: field of `Medium` by its name in files
STATE = {"clock": "clock", "drawn": "work", "drawing": "work_half_step", "reached": "extremes"}
HEAVY = 0.1  # density of a fluid over that of particles, from which added mass shows
SELDOM = (64, 32, 16)  # steps from one evaluation of the laws to the next, the first that shows in nothing
BRIEF = 0.1  # relaxation times that an interval may last where drag is that of the fastest
SLOW = 200  # of such intervals the shortest time that a fluid has must hold
STEADIEST = 0.5  # relaxation times a step up to which explicit schemes of rotation are stable, whichever they are
CALM = 0.1  # of them that are advised
ACROSS = 4  # points along each edge of the box, at which a flow is compared
JUMP = 0.01  # difference at opposite faces over the largest velocity that is noticed
THICK, THICKEST = 0.1, 0.25  # relaxation times of two particles with a film a step, of which each may have a dozen


def fluid_of(
    fluid: Fluid | None, particles: Particles, time_step: float, cells: Cells | None = None,
    inserters: Sequence[object] = (),
) -> tuple:  # fmt: skip
    """The tuple of `dem.kernels.fluid` for these particles and those to be inserted, in cells where it needs cells."""
    if fluid is None:
        return DRY
    bodies = _spheroids(particles)
    field = fluid.velocity.field(
        density=fluid.density, viscosity=fluid.viscosity, length=min(body.diameter for body in bodies), time=time_step
    )
    if cells is not None:
        field = in_cells(fluid, cells, field, len(particles))
    shapes = [(shape, body) for (shape, _), body in zip(particles.variants, bodies, strict=True)]
    drag = drag_of(fluid, shapes)
    every = 1 if inserters else interval(fluid, particles, time_step)
    return fluids.Fluid(
        _medium(fluid, particles, bodies, every, fluids.rows_of(field)), field, drag,
        LIFTS[fluid.lift](), MAGNUS_LIFTS[fluid.magnus](), SPINS[fluid.rotation](),
    )  # fmt: skip


def film_of(fluid: Fluid | None, particles: Particles, box: Box | None) -> Callable[[int], tuple] | None:
    """Function that makes the lubrication part of contact laws; None without one."""
    if fluid is None or fluid.lubrication is None:
        return None
    largest = max(float(np.max(shape.radii)) for shape, _ in particles.variants)
    return partial(fluid.lubrication.film, fluid.viscosity, largest if box else 0.5 * largest)


def check_walls(fluid: Fluid | None, walls: Sequence[Wall]) -> None:
    """Refuse films at walls beside a box; raises ValueError."""
    if fluid is not None and fluid.lubrication is not None and walls:
        message = "lubrication acts at the faces of a box, not at walls beside it: leave one of them out"
        raise ValueError(message)


def check_flow(fluid: Fluid | None, box: Box | None) -> None:
    """Refuse fluids in a deforming cell if their flow or laws differ between the images of a particle.

    Raises ValueError; also for the flow of a cell where there is none.
    """
    if fluid is None:
        return
    follows, deforming = isinstance(fluid.velocity, CellFlow), isinstance(box, Cell)
    if follows and not deforming:
        there = "no box" if box is None else "a dem.Box"
        message = f"velocity of the fluid is CellFlow(), the flow of a dem.Cell, but there is {there}: give a dem.Cell"
        raise ValueError(message)
    if not deforming:
        return
    if fluid.coupling is not None:
        raise ValueError("the fluid has a coupling, whose cells are at rest, in a dem.Cell that deforms: leave it out")
    if fluid.cells is not None:
        message = (
            f"drag is {fluid.drag}, by the voidage in cells at rest, in a dem.Cell that deforms: take a drag law for "
            "single particles, such as schiller-naumann"
        )
        raise ValueError(message)
    if not follows:
        message = (
            f"velocity of the fluid is {fluid.velocity!r}, which is not the same around all images of a particle in a "
            "dem.Cell: give velocity=dem.CellFlow(), the affine flow of the cell"
        )
        raise ValueError(message)


def _spheroids(particles: Particles) -> list[Spheroid]:
    """Spheroid that stands for each variant."""
    return [Spheroid.of(shape, shape.mass_properties(material.density)) for shape, material in particles.variants]


def _medium(fluid: Fluid, particles: Particles, bodies: list[Spheroid], every: int, rows: int) -> Medium:
    """Properties of the fluid and resistances of all variants, with room for rows of samples."""

    def columns(rows: list[list[float]]) -> np.ndarray:
        return np.ascontiguousarray(np.array(rows, float).T)

    mass = np.array([shape.mass_properties(material.density).mass for shape, material in particles.variants])
    volume, added = np.array([body.volume for body in bodies]), 0.5 if fluid.added_mass else 0.0
    chunks = -(-len(particles) // CHUNK)
    return Medium(
        density=fluid.density, viscosity=fluid.viscosity, has_pressure_force=float(fluid.pressure),
        added=added, diameter=np.array([body.diameter for body in bodies]), volume=volume,
        mass_ratio=mass_ratio_of_bodies(mass, added, fluid.density, volume),
        is_sphere=np.array([float(is_ball(shape)) for shape, _ in particles.variants]),
        translation=columns([body.translation for body in bodies]),
        rotation=columns([body.rotation for body in bodies]),
        axis=columns([body.along_axes(1.0, 0.0) for body in bodies]), shape=np.array([body.shape for body in bodies]),
        interval=every, steps_since_evaluation=np.zeros(1, np.int64), sampled=np.zeros((chunks, rows + SCRATCH, BLOCK)),
        predicted_motion=np.zeros((chunks, 6, BLOCK)),
        clock=np.zeros(1), work=np.zeros(2), work_half_step=np.zeros(1), extremes=np.zeros(3),
    )  # fmt: skip


def with_fluid_scratch(fluid: tuple, chunks: int) -> tuple:
    """A fluid with scratch arrays for a number of chunks; its sums are shared."""
    if isinstance(fluid, fluids.Dry):
        return fluid
    medium = fluid.medium
    new = {name: zeros((chunks, *getattr(medium, name).shape[1:])) for name in ("sampled", "predicted_motion")}
    return fluid._replace(medium=medium._replace(**new))


def turns(fluid: tuple) -> bool:
    """Whether a fluid turns spheres, or its forces depend on their spin."""
    if isinstance(fluid, fluids.Dry):
        return False
    return not (isinstance(fluid.spin, fluids.NoFluidForce) and isinstance(fluid.magnus, fluids.NoFluidForce))


def looks_back(fluid: tuple) -> bool:
    """Whether the fluid forces of a step may have been evaluated at an earlier one."""
    return not isinstance(fluid, fluids.Dry) and fluid.medium.interval > 1


def rows_of_cache(fluid: tuple, scheme: tuple, *, rotating: bool) -> int:
    """Rows of `dem.kernels.soft.fluid.fluid_cache`: kernels choose them by the scheme."""
    if isinstance(fluid, fluids.Dry):
        return 0
    if rotation.SphericalPCDM not in ancestors(type(scheme)):
        return fluid_cache.OF_BODIES
    return fluid_cache.OF_SPHERES if rotating else fluid_cache.OF_STRAIGHT_SPHERES


def interval(fluid: Fluid, particles: Particles, time_step: float) -> int:
    """Steps from one evaluation of a fluid's laws to the next, see `Fluid.every`."""
    if fluid.cells is not None:
        return 1
    if fluid.every != "auto":
        return fluid.every
    of_flow = fluid.velocity.shortest_time(fluid.viscosity / fluid.density)
    shortest = min(*relaxation_times(fluid, particles), of_flow)
    return next((steps for steps in SELDOM if steps * time_step <= shortest / SLOW), 1)


def relaxation_times(fluid: Fluid, particles: Particles) -> tuple[float, float]:
    """Shortest relaxation times of translation and rotation of a particle in Stokes flow [s]."""
    moving, turning = [math.inf], [math.inf]
    for body, (shape, material) in zip(_spheroids(particles), particles.variants, strict=True):
        properties = shape.mass_properties(material.density)
        heavy = properties.mass + (0.5 * fluid.density * body.volume if fluid.added_mass else 0.0)
        moving.append(heavy / (fluid.viscosity * max(body.translation)))
        if fluid.rotation:
            pairs = zip(properties.inertia, body.rotation, strict=True)
            turning += [moment / (fluid.viscosity * against) for moment, against in pairs]
    return min(moving), min(turning)


def check(
    fluid: Fluid | None,
    particles: Particles,
    box: Box | None,
    integrator: Integrator,
    time_step: float,
    *,
    bonded: bool,
) -> None:
    """Refuse flows that are not given where particles are, and schemes that would be unstable; raises ValueError."""
    if fluid is None:
        return
    flow = fluid.velocity
    off = np.flatnonzero(flow.outside(particles.position))
    if off.size:
        where = ", ".join(f"{x:.6g}" for x in particles.position[off[0]])
        message = (
            f"particle {off[0]} at ({where}) m is off the grid of {flow} ({len(off)} in all): let the grid cover it"
        )
        raise ValueError(message)
    corners = box and np.array([box.lower, box.upper])
    if box and not box.open and flow.outside(corners).any():
        message = f"{flow} does not cover the box from {tuple(box.lower)} to {tuple(box.upper)} m: let the grid do so"
        raise ValueError(message)
    spheres = [is_ball(shape) for shape, _ in particles.variants]
    if (fluid.lift or fluid.magnus) and not any(spheres):
        message = "lift and magnus are of spheres, of which there are none: leave them out"
        raise ValueError(message)
    _, turning = relaxation_times(fluid, particles)
    if not _follows(integrator, particles, bonded=bonded) and time_step > STEADIEST * turning:
        message = (
            f"time_step {time_step:g} s is more than {STEADIEST:g} of {turning:.3g} s, in which a particle comes to "
            f"turn with the fluid, and {integrator.name} is not stable then: take improved-pcdm or splitting, or lower "
            "time_step"
        )
        raise ValueError(message)


def foreseen(
    fluid: Fluid | None, particles: Particles, box: Box | None = None, time_step: float = 0.0
) -> Iterator[Notice]:
    """Notices to give before a run begins."""
    if fluid is None:
        return
    if fluid.cells is not None:
        yield from fluid.cells.resolve(box, widest(particles)).foreseen(widest(particles))
    if fluid.lubrication is not None:
        rate = film_rate(fluid, particles, box)
        if rate * time_step > THICK:
            reason = (
                f"lubrication takes the velocity of two particles, or one at a wall, in {1 / rate:.2g} s where the gap "
                f"is the roughness, {rate * time_step:.2g} of that a step, and at most {THICK} follow it where films "
                "are many"
            )
            least = fluid.lubrication.roughness * rate * time_step / THICK
            remedy = f"lower time_step to {rounded_down(THICK / rate):g} s, or raise roughness to {least:.2g} m"
            yield Notice("stiff-lubrication", reason, remedy, grave=rate * time_step > THICKEST)
    yield from jumps_at_faces(fluid, box)
    if fluid.added_mass:
        return
    lightest = min(material.density for _, material in particles.variants)
    if fluid.density > HEAVY * lightest:
        reason = (
            f"the fluid has {fluid.density / lightest:.3g} times the density of the lightest particle, and particles "
            "carry none of it along"
        )
        remedy = "leave out added_mass=False"
        yield Notice("missing-added-mass", reason, remedy, grave=fluid.density > lightest)


def jumps_at_faces(fluid: Fluid, box: Box | None) -> Iterator[Notice]:
    """Notice of a flow that differs at opposite points of periodic faces, where particles pass through."""
    flow = fluid.velocity
    if box is None or not box.periodic or isinstance(flow, (UniformFlow, CellFlow)):
        return
    field = flow.field(density=fluid.density, viscosity=fluid.viscosity, length=min(box.size), time=1.0)
    shares = (np.stack(np.meshgrid(*[np.arange(ACROSS)] * 3), axis=-1).reshape(-1, 3) + 0.5) / ACROSS

    def velocities(shares: np.ndarray) -> np.ndarray:
        """Velocities (3, N) at positions (N, 3), as shares of the box."""
        found = np.zeros((3, len(shares)))
        sampling.velocities(field, 0.0, np.ascontiguousarray((box.lower + shares * box.size).T), found)
        return found

    speed = np.abs(velocities(shares)).max()
    for axis in box.periodic:
        across = np.array([axis == each for each in AXES])
        jump = np.abs(velocities(np.where(across, 1.0, shares)) - velocities(np.where(across, 0.0, shares))).max()
        if jump > JUMP * speed:
            reason = (
                f"{flow} differs by up to {jump:.3g} m/s between both sides of the box along {axis}, where it is "
                "periodic, so that particles which pass there meet another velocity at once"
            )
            remedy = f"take a flow that repeats along {axis}, leave {axis} out of periodic, or shear a dem.Cell"
            yield Notice("discontinuous-flow", reason, remedy)


def film_rate(fluid: Fluid, particles: Particles, box: Box | None) -> float:
    """Highest relaxation rate of the relative velocity of two particles by a lubrication film [1/s]."""
    pairs = possible_pairs(particles, box, laws.Elastic(), ())
    rates = fluid.lubrication.rate(fluid.viscosity, pairs.radius, pairs.mass)
    return float(np.max(rates, initial=1e-300))


def doubts(
    fluid: Fluid | None, state: tuple, particles: Particles, time_step: float, two_way: TwoWayCoupling | None = None
) -> Iterator[str]:
    """Doubts about a run: Reynolds numbers beyond the range of a law, particles outside the grid."""
    if fluid is None:
        return
    reynolds, turning, outside = state.medium.extremes.tolist()
    more = max(1 + 0.15 * reynolds**0.687, 0.44 / 24 * reynolds)  # drag of spheres over that of Stokes, about
    share = state.medium.interval * time_step * more / relaxation_times(fluid, particles)[0]
    if fluid.every == "auto" and state.medium.interval > 1 and share > BRIEF:
        yield (
            f"laws of the fluid are evaluated every {state.medium.interval} steps, {share:.2g} relaxation times at the "
            f"Reynolds number {reynolds:.3g} that was reached: take every=1"
        )
    voidage, strength = two_way.record[[LEAST_VOIDAGE, STRENGTH]].tolist() if two_way else (1.0, 0.0)
    for name, law in fluid.laws.items():
        if voidage < law.least_voidage:
            least = law.least_voidage
            yield f"voidage down to {voidage:.3g} in a cell, {name} is for more than {least:g}: take larger cells"
        for kind, reached, most in (("", reynolds, law.most), ("rotational ", turning, law.most_turning)):
            if reached > most:
                yield f"{kind}Reynolds number up to {reached:.3g}, {name} is for less than {most:g}: take another law"
        if reynolds < law.least:
            yield f"Reynolds number up to {reynolds:.3g} only, {name} is for {law.least:g} and more: take another law"
    if two_way and two_way.coupling and not two_way.coupling.implicit and strength > SWINGS:
        yield (
            f"particles of a cell could give {strength:.3g} times the momentum that makes them as fast as the fluid "
            "between two exchanges: an explicit coupling swings beyond 1 and diverges from 2 on: exchange more often"
        )
    if outside and two_way:
        yield "particles were in none of the cells, or where the flow is not known: let both cover that"
    elif outside:
        yield f"particles were where or when {fluid.velocity} is not known, and felt its edge: let the grid cover that"


def advised(
    advice: Advice, fluid: Fluid | None, particles: Particles, integrator: Integrator, box: Box | None = None, *,
    bonded: bool = False,
) -> Advice:  # fmt: skip
    """Advice on the time step in a fluid: schemes of rotation that do not follow its stiffness bound it."""
    if fluid is None:
        return advice
    moving, turning = relaxation_times(fluid, particles)
    step, follows = advice.time_step, _follows(integrator, particles, bonded=bonded)
    text = f"relaxation in the fluid: {moving:.3g} s, {step / moving:.2g} of it a step"
    if turning < math.inf:
        text += f"; of rotation: {turning:.3g} s, {step / turning:.2g} of it"
    text += " (stable with any)" if follows else f" (at most {STEADIEST:g} with {integrator.name})"
    most = math.inf if follows else rounded_down(CALM * turning)
    if fluid.lubrication is not None:
        rate = film_rate(fluid, particles, box)
        text += f"; of two particles with the thinnest film between them: {1 / rate:.3g} s, {step * rate:.2g} of it"
        most = min(most, rounded_down(THICK / rate))
    return replace(advice, other_limits=(text,), advised=min(advice.advised, most))


def _follows(integrator: Integrator, particles: Particles, *, bonded: bool) -> bool:
    """Whether a scheme follows the relaxation of rotation, however stiff; spheres in bonds have an orientation."""
    spheres = not bonded and all(is_ball(shape) for shape, _ in particles.variants)
    scheme = integrator.scheme_for(np.ones((3, 1)), spheres=spheres)
    return rotation.SCHEMES[type(scheme)].half_step_velocity is not None


class EngineFluid:
    """Owns the numbers and arrays of the fluid that kernels evaluate.

    The model is `dem.kernels.fluid.Fluid`, or `Dry` where there is no fluid. In cells of two-way coupling volumes of
    particles, and what they give to the fluid, are summed.
    """

    def __init__(self, model: tuple = DRY, two_way: TwoWayCoupling | None = None) -> None:
        self.model, self.two_way = model, two_way

    @property
    def is_dry(self) -> bool:
        """Whether there is no fluid."""
        return isinstance(self.model, Dry)

    @property
    def state(self) -> dict[str, np.ndarray]:
        """State from which a run continues, by name; empty without a fluid."""
        if self.is_dry:
            return {}
        in_cells = self.two_way.state | self.two_way.arrays(self.model.field) if self.two_way else {}
        return {name: getattr(self.model.medium, field) for name, field in STATE.items()} | in_cells

    def inherit(self, engine: Engine, before: EngineFluid) -> None:
        """Continue with the flow in the cells of the previous engine."""
        if self.two_way:
            self.two_way.continue_from(engine, before)

    def inherit_extremes(self, before: EngineFluid) -> None:
        """Continue with the largest Reynolds numbers of the previous engine."""
        if not self.is_dry:
            self.model.medium.extremes[:] = before.model.medium.extremes

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Set the fluid to a state of a snapshot."""
        if self.two_way:
            self.two_way.fit_field(self, state)
        for name, values in state.items():
            self.state[name][:] = values
        if self.two_way:
            self.two_way.update_medium(self)
