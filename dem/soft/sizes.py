"""How much there is to compute and to keep, for benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dem.soft.engine import Engine


class Sizes(NamedTuple):
    """Numbers and bytes, of all particles together."""

    spheres: int
    candidate_pairs: int  # of spheres, at present
    near_walls: int  # bodies that a step looks at walls for, at present
    state: int  # bytes of all arrays of bodies
    lists: int  # bytes of all lists of neighbours
    moved: int  # bytes that a step reads and writes at least

    @classmethod
    def of(cls, engine: Engine) -> Sizes:
        """Sizes of the arrays of an engine."""
        b = engine.bodies
        in_a_step = [b.position, b.velocity]
        if engine.rotating:
            in_a_step += [b.orientation, b.memory_q, b.memory_w, b.memory_a]
        return cls(
            spheres=int(b.first_sphere[-1]),
            candidate_pairs=int(engine.lists.arrays.pairs.sum()),
            near_walls=int(engine.lists.arrays.near_wall_count.sum()),
            state=_bytes(b),
            lists=_bytes(engine.lists.arrays),
            moved=2 * sum(a.nbytes for a in in_a_step),
        )


def _bytes(arrays: Iterable) -> int:
    """Bytes of arrays, each counted once."""
    return sum({id(a): a.nbytes for a in arrays if isinstance(a, np.ndarray)}.values())
