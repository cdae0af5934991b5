"""A fluid about the bodies: what it does to each, composed of parts that are chosen by their types.

A fluid is `Dry`, which does nothing and costs nothing, or `Fluid`, which consists of

    medium  `medium.Medium`: density, viscosity, what of each variant of bodies it feels, what it has done
    field   velocity by place and time: `Uniform`, `Linear`, `Channel`, `Pipe`, `TaylorGreen`, `ABC`, `Grid`, `Called`
    drag    resistance against translation: `Stokes`, `SchillerNaumann`, `HoelzerSommerfeld`
    lift    of spheres in shear: `Saffman`, `Mei`
    swirl   of spheres that turn otherwise than the fluid: `RubinowKeller`, `OesterleBuiDinh`
    spin    resistance against rotation: `Creeping`, `Dennis`

or `Nothing` in place of lift, swirl and spin. Each part is a file with a NamedTuple and its formula. What acts:

    sample_of(field, t, x) -> `gradients.Sample`; of many bodies rows of numbers, see `sampling.fill`, `sample_in`
    drag_on(drag, medium, g, reynolds, slip) -> resistance along the body axes [N s/m]; slip is u - v in the body frame
    lift_on(lift, medium, g, reynolds, slip, vorticity) -> force [N], all in the world frame
    swirl_on(swirl, medium, g, reynolds, turning, slip, excess) -> force [N]
    spin_factor(spin, turning) -> resistance against rotation over that of Stokes flow

How bodies move under it is in `kernels.soft.immersed`, where in a step it acts in ``stride``. Laws are evaluated in
loops that LLVM is to make vector code of: powers and exponentials are those of `kernels.base.elementary`, and whatever
follows an ``if`` is arithmetic; one that calls ``math`` is right as well, and slower.
To add a part: a file like ``stokes.py``, a row here, and a word for users in ``dem.model.fluid``, ``dem.model.flows``.
"""

from typing import NamedTuple

from kernels.base.jit import by_type, by_type_of_first, formula
from kernels.fluid import (
    beltrami,
    called,
    gridded,
    hoelzer_sommerfeld,
    linear,
    magnus,
    poiseuille,
    saffman,
    schiller_naumann,
    spin_drag,
    stokes,
    taylor_green,
    uniform,
)


class Dry(NamedTuple):
    """No fluid."""


class Nothing(NamedTuple):
    """A part that is not there."""


class Fluid(NamedTuple):
    """A fluid made of parts."""

    medium: tuple
    field: tuple
    drag: tuple
    lift: tuple = Nothing()
    swirl: tuple = Nothing()
    spin: tuple = Nothing()


@formula
def _no_lift(part, medium, g, reynolds, slip, vorticity):
    return 0.0, 0.0, 0.0


@formula
def _no_swirl(part, medium, g, reynolds, turning, slip, excess):
    return 0.0, 0.0, 0.0


@formula
def _no_spin(part, turning):
    return 0.0


FIELDS = {
    uniform.Uniform: uniform.sample,
    linear.Linear: linear.sample,
    poiseuille.Channel: poiseuille.sample_channel,
    poiseuille.Pipe: poiseuille.sample_pipe,
    taylor_green.TaylorGreen: taylor_green.sample,
    beltrami.ABC: beltrami.sample,
    gridded.Grid: gridded.sample,
    called.Called: called.sample,
}
DRAGS = {
    stokes.Stokes: stokes.drag,
    schiller_naumann.SchillerNaumann: schiller_naumann.drag,
    hoelzer_sommerfeld.HoelzerSommerfeld: hoelzer_sommerfeld.drag,
}
LIFTS = {saffman.Saffman: saffman.saffman, saffman.Mei: saffman.mei, Nothing: _no_lift}
SWIRLS = {magnus.RubinowKeller: magnus.slow, magnus.OesterleBuiDinh: magnus.measured, Nothing: _no_swirl}
SPINS = {spin_drag.Creeping: spin_drag.creeping, spin_drag.Dennis: spin_drag.dennis, Nothing: _no_spin}

sample_of = by_type_of_first(FIELDS.__getitem__)
drag_on = by_type_of_first(DRAGS.__getitem__)
lift_on = by_type_of_first(LIFTS.__getitem__)
swirl_on = by_type_of_first(SWIRLS.__getitem__)
spin_factor = by_type_of_first(SPINS.__getitem__)


@formula
def _yes():
    return True


@formula
def _no():
    return False


is_steady = by_type(lambda part: _yes if part in (stokes.Stokes, Nothing) else _no)
is_creeping = by_type(lambda part: _yes if part in (spin_drag.Creeping, Nothing) else _no)


@formula
def is_linear(fluid):
    """Whether forces go with the velocity relative to the fluid, so that drag needs to be evaluated only once."""
    return is_steady(fluid.drag) and is_steady(fluid.lift) and is_steady(fluid.swirl)


def dry_or(dry, wet):
    """Function of (fluid, *arguments): the first where there is no fluid, the second in one."""
    return by_type_of_first(lambda fluid: dry if fluid is Dry else wet)


@formula
def _no_time(fluid, time, steps):
    return


@formula
def _time(fluid, time, steps):
    fluid.medium.clock[0] = time
    fluid.medium.since[0] = (steps - 1) % fluid.medium.every


tell_time = dry_or(_no_time, _time)  # of the forces, and steps since the start when that has come
