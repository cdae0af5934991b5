"""Whether bodies are held together by bonds: known from a type, so that others pay nothing. See ``bond_step``."""

from typing import NamedTuple

from dem.kernels.compiler.jit import for_type, inline


class NoBonds(NamedTuple):
    """Marker of a run without bonds."""


class Lasting(NamedTuple):
    """Bonds that never break."""


free_or = for_type(NoBonds)  # function of (bonds, *arguments): the first without bonds, the second with


@inline
def _yes(bonds):
    return True


@inline
def _no(bonds):
    return False


alone_is_free = free_or(_yes, _no)  # whether bodies near nobody feel nothing
