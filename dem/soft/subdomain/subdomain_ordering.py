"""Order of a subdomain's bodies in memory: the border, which other ranks need, then those further in, each by cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.kernels.soft.chunks import CHUNK
from dem.kernels.soft.neighbours import linked_cells
from dem.soft.neighbours.grid import grid_for, most_cells

if TYPE_CHECKING:
    from dem.base.periodic import PeriodicCell


class MemoryOrder(NamedTuple):
    """Places of the bodies of a subdomain, counted from the first of them."""

    order: np.ndarray  # (n,) the body that comes first, second, ...
    border: int  # bodies of the border, whole chunks of them unless they are all
    grid: linked_cells.Grid | None  # None if there are no bodies
    first: np.ndarray  # (cells + 1,) first body of the border in each cell
    inner: np.ndarray  # (cells + 1,) first of the others


def in_order(
    position: np.ndarray,
    left: np.ndarray,
    wanted: np.ndarray,
    bound: np.ndarray,
    reach: float,
    cell_of_domain: PeriodicCell,
) -> MemoryOrder:
    """Order of bodies at positions (3, n); `left` (1, n) marks those that have left, `wanted` (n,) those of the border.

    The cells are for bodies that lie within the radii `bound` (G,) and are listed up to `reach` apart [m].
    """
    n, here = position.shape[1], left[0] == 0
    first = np.zeros(most_cells(n) + 2, np.int32)
    if not here.any():
        return MemoryOrder(np.arange(n), n, None, first, first)
    grid = grid_for(position, left, bound, reach, cell_of_domain)
    before = border_of(wanted, here)
    cell = np.empty(n, np.int32)
    orders, firsts, start = [], [], 0
    for which in (np.flatnonzero(before), np.flatnonzero(~before)):
        order, table = np.empty(which.size, np.int32), first.copy()
        linked_cells.cell_order(
            np.ascontiguousarray(position[:, which]), np.ascontiguousarray(left[:, which]), grid, cell, table, order
        )
        orders.append(which[order])
        firsts.append(table + np.int32(start))
        start += which.size
    return MemoryOrder(np.concatenate(orders), orders[0].size, grid, *firsts)


def border_of(wanted: np.ndarray, here: np.ndarray) -> np.ndarray:
    """Which bodies make the border (n,): those that other ranks need, and as many more as make whole chunks; or all.

    Examples
    --------
    >>> import numpy as np
    >>> here, wanted = np.ones(3 * CHUNK, bool), np.zeros(3 * CHUNK, bool)
    >>> wanted[[5, 2 * CHUNK]] = True
    >>> int(border_of(wanted, here).sum()) == CHUNK, int(border_of(here, here).sum()) == here.size
    (True, True)
    """
    missing = -int(np.count_nonzero(wanted)) % CHUNK
    others = np.flatnonzero(here & ~wanted)
    if missing > others.size or not others.size:
        return np.ones(wanted.size, bool)
    result = wanted.copy()
    result[others[:missing]] = True
    return result
