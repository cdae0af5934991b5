"""Markers of runs with and without bonds, so that kernels without bonds compile none. See ``bond_step``."""

from typing import NamedTuple

from dem.kernels.compiler.jit import type_is


class NoBonds(NamedTuple):
    """Marker of a run without bonds."""


class Lasting(NamedTuple):
    """Marker of bonds that never break."""


class Brittle(NamedTuple):
    """Marker of bonds some of which can break."""


alone_is_free = type_is(lambda bonds: bonds is NoBonds)  # whether a body without contacts has no force
