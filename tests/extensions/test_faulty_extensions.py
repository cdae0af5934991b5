"""Faulty extensions: what is no law, shape, wall, case or format is refused, and the message says what is expected."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from dem.kernels.compiler import jit
from dem.kernels.walls.wall_registry import WallKind

import dem
from dem.model.particles.particles import unregister_field
from dem.model.walls.wall import Wall
from dem.model.walls.wall_registry import unregister_wall

pytestmark = pytest.mark.skipif(not jit.numba.config.DISABLE_JIT, reason="runs by the interpreter, in less time")
CLAY = dem.Material(young=1e7, poisson=0.3, density=1800.0)


class Kind(NamedTuple):
    """A kind of wall, or the type of a drag law."""


def nothing(*_):
    return None


@pytest.mark.parametrize(
    ("write", "endings", "message"),
    [
        (3, (".odd",), "write of the export odd is 3, expected a function"),
        (nothing, ".odd", "endings is '.odd', expected a list"),
        (nothing, ("odd",), "ending of the export odd is 'odd', expected one such as '.odd'"),
    ],
)
def test_exports(write, endings, message):
    with pytest.raises((TypeError, ValueError), match=message):
        dem.register_export("odd", write, endings=endings)


@pytest.mark.parametrize(("law", "formula"), [(dict, nothing), (Kind, 3)])
def test_drags(law, formula):
    with pytest.raises(TypeError, match=r"drag law odd has the type .*, expected a NamedTuple and a formula"):
        dem.register_drag("odd", law, formula)


@dataclass(frozen=True, repr=False)
class Unshaped(Wall):
    """A wall without a shape."""


@dataclass(frozen=True, repr=False)
class Misshaped(Wall):
    """A wall of another shape than that of kernels."""

    def build_shape(self, shapes):
        return 3


def test_walls():
    with pytest.raises(TypeError, match=r"Misshaped has the kind .*, expected a NamedTuple and a formula"):
        dem.register_wall(Misshaped, Kind, WallKind(distance=None))
    for wall, message in ((Unshaped, "has no method build_shape"), (Misshaped, "returns 3, expected a WallShape")):
        dem.register_wall(wall, Kind, WallKind(distance=nothing))
        with pytest.raises(TypeError, match=message):
            _ = wall(material=CLAY).shape
        unregister_wall(wall, Kind)


def test_shapes():
    class Listed(dem.Sphere):
        radii = (0.005,)

    with pytest.raises(TypeError, match=r"radii of the shape is \(0.005,\), expected a numpy array"):
        dem.Particles(Listed(diameter=0.01), CLAY, position=[[0, 0, 0]])


class Empty(dem.Case):
    """A case without particles."""

    name = "empty"


class Single(dem.Case):
    """A case without a pair of particles and box."""

    name = "single"

    def build(self):
        return 3


def test_cases():
    with pytest.raises(TypeError, match="the case empty has no method build, which returns particles and box"):
        Empty().simulation()
    with pytest.raises(TypeError, match="build of the case single returns 3, expected particles and box, or None"):
        Single().simulation()


@dataclass(frozen=True, kw_only=True)
class Dust(dem.ScalarExchange):
    """An exchange of dust with a capacity, factor and conductances to be chosen."""

    FIELD = "dust"
    holds: object = 1.0
    passes: object = 1.0

    def capacity(self, shape, material):
        return self.holds

    def factor(self, one, other):
        return self.passes


class ListedDust(Dust):
    """An exchange whose conductances are given."""

    def factor(self, one, other):
        return 1.0

    def conductance(self, pairs):
        return self.passes


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (Dust(every=1, holds=None), "capacity of Dust is None"),
        (Dust(every=1, holds=0.0), "capacity of Dust is 0, expected a finite number above 0"),
        (Dust(every=1, passes=-1.0), "factor of Dust is -1"),
        (Dust(every=1, passes=math.nan), "factor of Dust is nan"),
        (ListedDust(every=1, passes=1.0), r"conductance of ListedDust has shape \(\), expected \(K,\) with K = 1"),
        (ListedDust(every=1, passes=np.array([-1.0])), "least conductance of ListedDust is -1"),
        (ListedDust(every=1, passes=np.array([math.nan])), "conductance of ListedDust is not finite"),
    ],
)
def test_scalars(law, message):
    """A negative conductance would let dust pass from little to much."""
    dem.register_field("dust", "kg/m3")
    try:
        place = [[0, 0, 0], [0.00999, 0, 0]]
        pair = dem.Particles(dem.Sphere(diameter=0.01), CLAY, position=place, dust=[1.0, 0.0])
        with pytest.raises((TypeError, ValueError), match=message):
            dem.Simulation(pair, gravity=(0, 0, 0), time_step=1e-6, scalars=[law]).step(1)
    finally:
        unregister_field("dust")
