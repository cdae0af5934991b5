"""Whether bodies are held together by bonds: known from a type, so that others pay nothing. See ``bonded``."""

from typing import NamedTuple

from kernels.base.jit import for_type, formula


class NoBonds(NamedTuple):
    """Where there are none."""


class Lasting(NamedTuple):
    """Bonds that never break."""


free_or = for_type(NoBonds)  # function of (bonds, *arguments): the first without bonds, the second with


@formula
def _yes(bonds):
    return True


@formula
def _no(bonds):
    return False


alone_is_free = free_or(_yes, _no)  # whether bodies near nobody feel nothing
