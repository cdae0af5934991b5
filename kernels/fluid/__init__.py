"""Forces of a fluid on bodies: flow field, drag, lift and torque, composed of parts that are chosen by their types.

A fluid is `Dry`, which does nothing and costs nothing, or `Fluid`, which consists of

    medium  `medium.Medium`: density, viscosity, resistances of each variant of bodies, work done so far
    field   velocity by place and time: `Uniform`, `LinearFlow`, `PlaneChannel`, `Pipe`, `TaylorGreen`, `ABC`,
            `FlowGrid`, `UserFunction`; any of these in a `Bed`, with the voidage there; `Solved` and `Mixture`, which a
            flow solver computes; `AffineFlow`, which a deforming cell has
    drag    resistance against translation: `Stokes`, `SchillerNaumann`, `HoelzerSommerfeld`, `Rosendahl`, `Zastawny`;
            in dense beds `DiFelice`, `Gidaspow`, `HuilinGidaspow`, `Beetstra`
    lift    of spheres in shear: `Saffman`, `Mei`
    magnus  Magnus lift of spheres that rotate relative to the fluid: `RubinowKeller`, `OesterleBuiDinh`
    spin    resistance against rotation: `Creeping`, `Dennis`

or `NoFluidForce` in place of lift, magnus and spin. Each part is a file with a NamedTuple and its formula. What acts:

    sample_of(field, t, x) -> `gradients.Sample`; of many bodies `rows_of` rows of numbers, see `sampling.fill`
    write_sample(flow, rows, s), sample_in(field, rows, s) -> one of them written, and read
    drag_on(drag, medium, g, reynolds, slip) -> resistance along the body axes [N s/m]; slip is u - v in the body frame
    resist(drag, medium, g, reynolds, slip, flow) -> the same, for laws that depend on the voidage
    pressure_force_on(flow, medium, g, displaced, accelerating, gravity) -> pressure, and what added mass gains [N]
    lift_on(lift, medium, g, reynolds, slip, vorticity) -> force [N], all in the world frame
    magnus_lift_on(magnus, medium, g, reynolds, rotational_reynolds, slip, excess) -> force [N]
    spin_factor(spin, rotational_reynolds) -> resistance against rotation over that of Stokes flow

`cells` deposits quantities of particles in the cells of a flow solver, and interpolates its values.
`dem.kernels.soft.fluid.fluid_step` moves bodies under these forces, and `relaxation_step` says where in a step they
act. LLVM makes vector code of the loops over laws. So laws take powers and exponentials from
`dem.kernels.numerics.elementary`, and write arithmetic after an ``if``; a law that calls ``math`` is correct, and
slower.

To add a part, write a file like ``stokes.py``, a row here, and a row of ``drag_registry`` or a class of ``flows`` in
``dem.model.fluid``. A drag law of another package is one file, see `dem.register_drag`.
"""

from typing import NamedTuple

from dem.kernels.compiler.disk_cache import set_sources
from dem.kernels.compiler.jit import argument, inline, select, type_is
from dem.kernels.compiler.selection import function_for
from dem.kernels.fluid import (
    affine,
    beetstra,
    beltrami,
    dense_suspension,
    di_felice,
    gidaspow,
    gradients,
    gridded,
    hoelzer_sommerfeld,
    linear,
    magnus,
    medium,
    poiseuille,
    rosendahl,
    saffman,
    schiller_naumann,
    spin_drag,
    stokes,
    taylor_green,
    uniform,
    user_function,
    zastawny,
)
from dem.kernels.fluid.gradients import along
from dem.kernels.numerics.vector import add, load, scale


class Dry(NamedTuple):
    """No fluid."""


class NoFluidForce(NamedTuple):
    """Absence of lift, Magnus lift or rotational drag."""


class Fluid(NamedTuple):
    """Fluid forces of a run: properties and flow field of the fluid, laws of drag, lift and torque."""

    medium: tuple
    field: tuple
    drag: tuple
    lift: tuple = NoFluidForce()
    magnus: tuple = NoFluidForce()
    spin: tuple = NoFluidForce()


FIELDS = {
    uniform.Uniform: uniform.sample,
    linear.LinearFlow: linear.sample,
    poiseuille.PlaneChannel: poiseuille.sample_channel,
    poiseuille.Pipe: poiseuille.sample_pipe,
    taylor_green.TaylorGreen: taylor_green.sample,
    beltrami.ABC: beltrami.sample,
    gridded.FlowGrid: gridded.sample,
    user_function.UserFunction: user_function.sample,
    affine.AffineFlow: affine.sample,
}
DRAGS = {  # by name in `dem.model.fluid.drag_registry`
    stokes.Stokes: stokes.drag,
    schiller_naumann.SchillerNaumann: schiller_naumann.drag,
    hoelzer_sommerfeld.HoelzerSommerfeld: hoelzer_sommerfeld.drag,
    rosendahl.Rosendahl: rosendahl.drag,
    zastawny.Zastawny: zastawny.drag,
}
LIFTS = {saffman.Saffman: saffman.saffman, saffman.Mei: saffman.mei, NoFluidForce: (0.0, 0.0, 0.0)}
MAGNUS_LIFTS = {
    magnus.RubinowKeller: magnus.slow,
    magnus.OesterleBuiDinh: magnus.measured,
    NoFluidForce: (0.0, 0.0, 0.0),
}
SPINS = {spin_drag.Creeping: 1.0, spin_drag.Dennis: spin_drag.dennis, NoFluidForce: 0.0}

sample_alone = select("field", FIELDS)


@inline
def sample_in_bed(field, t, x):
    """Sample the flow at time t [s] and place x [m], with the voidage of the suspension there."""
    return dense_suspension.in_bed(field.cells, field.values, x, sample_alone(field.flow, t, x))


IN_BEDS = {
    dense_suspension.Bed: sample_in_bed,
    dense_suspension.Solved: dense_suspension.in_solved,
    dense_suspension.Mixture: dense_suspension.in_mixture,
}
sample_of = select("field", FIELDS | IN_BEDS)
WRITERS = {
    gradients.Sample: gradients.write_sample,
    dense_suspension.InBed: dense_suspension.write_in_bed,
    dense_suspension.InSolved: dense_suspension.write_in_solved,
    dense_suspension.InMixture: dense_suspension.write_in_mixture,
}
READERS = {
    dense_suspension.Bed: dense_suspension.read_in_bed,
    dense_suspension.Solved: dense_suspension.read_in_solved,
    dense_suspension.Mixture: dense_suspension.read_in_mixture,
}
ROWS_IN = {
    dense_suspension.Bed: dense_suspension.ROWS_IN_BED,
    dense_suspension.Solved: dense_suspension.ROWS_IN_SOLVED,
    dense_suspension.Mixture: dense_suspension.ROWS_IN_MIXTURE,
}


def of_flows(usual, **others):
    """Function of (flow, *arguments) by type of sample: one in `others`, else `usual`; other types are refused."""
    table = dict.fromkeys(WRITERS, usual) | {getattr(dense_suspension, name): other for name, other in others.items()}
    return select("flow", table)


def of_fields(usual, others):
    """Table {type of flow field: function}: the entry in `others` if there is one, else `usual`."""
    return dict.fromkeys(FIELDS | IN_BEDS, usual) | others


write_sample = select("flow", WRITERS)
sample_in = select("field", of_fields(gradients.sample_in, READERS))


def rows_of(field):
    """Number of rows in which the samples of a field are stored, a column for each sample."""
    return function_for(type(field), of_fields(gradients.ROWS, ROWS_IN))


drag_on = select("part", DRAGS)
DENSE = {
    di_felice.DiFelice: di_felice.factor,
    gidaspow.Gidaspow: gidaspow.factor,
    gidaspow.HuilinGidaspow: gidaspow.smooth_factor,
    beetstra.Beetstra: beetstra.factor,
}
local_voidage, given_gradient_force = dense_suspension.some_fluid, dense_suspension.force_of_given_gradient
voidage_of = of_flows(1.0, InBed=local_voidage, InSolved=local_voidage, InMixture=local_voidage)
pressure_force_on = of_flows(
    dense_suspension.pressure_force_of_flow, InSolved=given_gradient_force, InMixture=given_gradient_force
)
SOLVED = (dense_suspension.Solved, dense_suspension.Mixture)
take = select("field", of_fields(None, dict.fromkeys(SOLVED, dense_suspension.take)))
begin = select("field", of_fields(None, dict.fromkeys(SOLVED, dense_suspension.begin)))
# of (flow, medium): the medium as laws see it; of (flow, fluid, g): mass of a body over that with its added mass
medium_at = of_flows(argument("medium"), InMixture=medium.at_place)
mass_ratio_of = of_flows(medium.uniform_mass_ratio, InMixture=medium.local_mass_ratio)
dense_factor = select("part", DENSE)


@inline
def resist_alone(part, medium, g, reynolds, slip, flow):
    """Resistance by drag laws of single particles, see `drag_on`."""
    return drag_on(part, medium, g, reynolds, slip)


@inline
def resist_in_bed(part, medium, g, reynolds, slip, flow):
    """Resistance along the body axes [N s/m] in a dense bed: Stokes', times the factor of the law for spheres."""
    voidage = voidage_of(flow)
    factor = dense_factor(part, voidage * reynolds, voidage) / (1.0 + part.whole * (voidage - 1.0))
    return scale(medium.viscosity * factor, load(medium.translation, g))


resist = select("part", dict.fromkeys(DRAGS, resist_alone) | dict.fromkeys(DENSE, resist_in_bed))


def add_drag(law, formula, *, dense=False):
    """Register a drag law: its type, and its formula or, for dense beds, its factor over Stokes drag."""
    (DENSE if dense else DRAGS)[law] = formula
    resist.functions[law] = resist_in_bed if dense else resist_alone
    set_sources(law, [formula])


lift_on = select("part", LIFTS)
magnus_lift_on = select("part", MAGNUS_LIFTS)
spin_factor = select("part", SPINS)


is_steady = type_is(lambda part: part in (stokes.Stokes, NoFluidForce))


@inline
def convected(field, flow, v):
    """Rate of change of the flow velocity along the path of a body of velocity v: ∂u/∂t + (v·∇)u [m/s²]."""
    return add(flow.change, along(flow.gradient, v))


change_along = select("field", of_fields(convected, {affine.AffineFlow: (0.0, 0.0, 0.0)}))


@inline
def is_linear(fluid):
    """Whether fluid forces are linear in the slip velocity, so that drag is evaluated only once."""
    return is_steady(fluid.drag) and is_steady(fluid.lift) and is_steady(fluid.magnus)


@inline
def _time(fluid, time, steps):
    fluid.medium.clock[0] = time
    fluid.medium.steps_since_evaluation[0] = (steps - 1) % fluid.medium.interval


@inline
def _follow(fluid, box, starts):
    follow_field(fluid.field, box, starts)


follow_field = select("field", of_fields(None, {affine.AffineFlow: affine.follow}))
# of (fluid, box, whether a run starts): a fluid that flows with a deforming cell gets the cell's velocity gradient
follow_cell = select("fluid", {Dry: None, Fluid: _follow})
# of the forces, and steps since the start when that has come
set_time = select("fluid", {Dry: None, Fluid: _time})
