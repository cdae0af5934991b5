"""Domain decomposition: which rank owns which bodies, and which of them are ghosts of other ranks.

Results do not depend on it, so measured times may decide. Ghosts are packed and unpacked in
`dem.kernels.soft.subdomain.halo_exchange`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from dem.ranks.communicator import Communicator

SAMPLES, MIN_SAMPLES = 16_000, 2000  # size of the sample of positions: of all ranks together, and at least of each
KEPT = 0.8  # of the longest side: the axis of the cut before is kept if it is as long, so that few bodies migrate
MAX_IMBALANCE = 0.1  # highest imbalance (busiest rank over the mean, less 1) that is tolerated


class Partition:
    """Assignment of bodies to ranks. Each rank has one, and all are equal."""

    def renew(self, communicator: Communicator, position: np.ndarray, work: float) -> None:
        """Rebalance; this rank has bodies at these positions (3, n), and this work (a time, or a number of bodies)."""

    def of(self, position: np.ndarray, identity: np.ndarray) -> np.ndarray:
        """Rank (n,) that owns each of the bodies at positions (3, n) with identities (n,)."""
        raise NotImplementedError


class Cut(NamedTuple):
    """A plane; on either side is another cut, or the domain of a rank."""

    axis: int
    at: float  # [m]; positions on the plane belong to `above`
    below: Cut | int
    above: Cut | int


class Bisection(Partition):
    """Domains by recursive coordinate bisection.

    M. J. Berger & S. H. Bokhari, A partitioning strategy for nonuniform problems on multiprocessors, IEEE Trans.
    Comput. C-36 (1987) 570: the longest side of the domain of ranks a to b is cut so that either half of these ranks
    gets its share of the work. The work is estimated from a sample of the bodies.
    """

    def __init__(self) -> None:
        self.root: Cut | int | None = None
        self.fair = True  # whether work was balanced at the last check

    def renew(self, communicator: Communicator, position: np.ndarray, work: float) -> None:
        """Cut the domains the first time, and again whenever the work has been unequal twice in a row."""
        each = max(SAMPLES // communicator.ranks, MIN_SAMPLES)
        works = communicator.allgather(work)
        mean = sum(works) / len(works)
        before, self.fair = self.fair, max(works) <= (1.0 + uneven(each, communicator.ranks)) * mean
        if self.root is not None and (self.fair or before):
            return
        every = -(-max(position.shape[1], 1) // each)
        sample = position[:, ::every]
        weight = np.full(sample.shape[1], work / max(sample.shape[1], 1))
        found = communicator.allgather((sample, weight))
        self.root = cut(np.concatenate([each[0] for each in found], axis=1), np.concatenate([w for _, w in found]),
                        0, communicator.ranks, self.root)  # fmt: skip

    def of(self, position: np.ndarray, identity: np.ndarray) -> np.ndarray:
        """Rank (n,) in whose domain each body is."""
        owner = np.empty(identity.size, np.int64)
        _sort(self.root, position, np.arange(identity.size), owner)
        return owner


def uneven(each: int, ranks: int) -> float:
    """Imbalance that remains after cuts by samples of `each` bodies a rank, as a fraction of the mean work.

    Examples
    --------
    >>> [round(uneven(max(SAMPLES // ranks, MIN_SAMPLES), ranks), 3) for ranks in (2, 4, 8, 64)]
    [0.011, 0.032, 0.067, 0.1]
    """
    return min(math.log2(ranks) / math.sqrt(each), MAX_IMBALANCE)


def cut(position: np.ndarray, weight: np.ndarray, first: int, stop: int, before: Cut | int | None = None) -> Cut | int:
    """Domains of the ranks from first to stop, for bodies at positions (3, n) with weights (n,).

    The weight of a body is the time that its rank took, which may be long because the processor is slow, perhaps only
    for a moment. So a cut moves half of the way from where it was before, if that lies among these bodies.

    Examples
    --------
    >>> import numpy as np
    >>> cut(np.array([[0.0, 1.0, 2.0, 9.0], [0, 0, 0, 0], [0, 0, 0, 0]]), np.ones(4), 0, 2)
    Cut(axis=0, at=1.5, below=0, above=1)
    >>> square = np.array([[0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.9, 0.9], [0, 0, 0, 0]])
    >>> cut(square, np.ones(4), 0, 2, before=Cut(1, 0.65, 0, 1))
    Cut(axis=1, at=0.55, below=0, above=1)
    >>> cut(square, np.ones(4), 0, 2, before=Cut(1, 7.0, 0, 1))
    Cut(axis=1, at=0.45, below=0, above=1)
    """
    if stop - first == 1:
        return first
    middle = (first + stop) // 2
    axis, at = 0, 0.0
    if weight.size:
        sides = position.max(axis=1) - position.min(axis=1)
        axis = int(np.argmax(sides))
        if isinstance(before, Cut) and sides[before.axis] >= KEPT * sides[axis]:
            axis = before.axis
        order = np.argsort(position[axis], kind="stable")
        along, sums = position[axis, order], np.cumsum(weight[order])
        k = int(np.searchsorted(sums, sums[-1] * (middle - first) / (stop - first) * (1 + 1e-12), side="right"))
        k = min(max(k, 1), along.size - 1) if along.size > 1 else 0
        at = float(0.5 * (along[k - 1] + along[k]))
        if isinstance(before, Cut) and axis == before.axis and along[0] < before.at < along[-1]:
            at = 0.5 * (at + before.at)
    below = position[axis] < at
    befores = (before.below, before.above) if isinstance(before, Cut) else (None, None)
    return Cut(
        axis, at, cut(position[:, below], weight[below], first, middle, befores[0]),
        cut(position[:, ~below], weight[~below], middle, stop, befores[1]),
    )  # fmt: skip


def _sort(node: Cut | int, position: np.ndarray, which: np.ndarray, owner: np.ndarray) -> None:
    """Write the owners of the bodies `which`."""
    if isinstance(node, Cut):
        below = position[node.axis, which] < node.at
        _sort(node.below, position, which[below], owner)
        _sort(node.above, position, which[~below], owner)
    else:
        owner[which] = node


class AtRandom(Partition):
    """Random owners, new ones at each rebuild: the worst case, for tests."""

    def __init__(self) -> None:
        self.count, self.ranks = 0, 1

    def renew(self, communicator: Communicator, position: np.ndarray, work: float) -> None:
        """Count a rebuild, which changes all owners."""
        self.count, self.ranks = self.count + 1, communicator.ranks

    def of(self, position: np.ndarray, identity: np.ndarray) -> np.ndarray:
        """A hash of the identity and the number of rebuilds, modulo the number of ranks."""
        mixed = (identity.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= np.uint64(self.count * 0xC2B2AE3D27D4EB4F % 2**64)
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        return ((mixed >> np.uint64(33)) % np.uint64(self.ranks)).astype(np.int64)


SLACK = 1.0 + 1e-9  # factor on reaches, so that rounding never loses a ghost


class BoundingBox(NamedTuple):
    """Axis-parallel box about the centres of the bodies of a rank [m]; empty (lower > upper) without bodies."""

    lower: np.ndarray  # (3,)
    upper: np.ndarray  # (3,)

    @classmethod
    def about(cls, position: np.ndarray) -> BoundingBox:
        """Bounding box of positions (3, n)."""
        if not position.shape[1]:
            return cls(np.full(3, np.inf), np.full(3, -np.inf))
        return cls(position.min(axis=1), position.max(axis=1))


def is_within_reach(region: BoundingBox, reach: np.ndarray, position: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Whether each of the positions (3, n) is closer to a box than its reach (n,) [m]; booleans (n,).

    Periodic images count, of a cell at right angles with lengths (3,) [m], 0 along axes that are not periodic.

    Examples
    --------
    >>> import numpy as np
    >>> region = BoundingBox(np.zeros(3), np.ones(3))
    >>> x = np.array([[1.5, 9.8], [0.5, 0.5], [0.5, 0.5]])
    >>> is_within_reach(region, np.array([0.4, 0.4]), x, np.zeros(3)).tolist()
    [False, False]
    >>> is_within_reach(region, np.array([0.4, 0.4]), x, np.array([10.0, 0.0, 0.0])).tolist()
    [False, True]
    """
    if not region.lower[0] <= region.upper[0]:
        return np.zeros(position.shape[1], bool)
    near, square, most = np.arange(position.shape[1]), 0.0, (reach * SLACK) ** 2
    for axis in np.argsort(region.upper - region.lower, kind="stable"):  # shortest side first: it rejects most
        period, lower, upper, x = length[axis], region.lower[axis], region.upper[axis], position[axis, near]
        images = (-period, 0.0, period) if period > 0 else (0.0,)
        away = [np.maximum(np.maximum(lower - (x + s), (x + s) - upper), 0.0) for s in images]
        square = square + np.minimum.reduce(away) ** 2
        still = square <= most  # bodies out of reach along one axis are not tested along the others
        near, square, most = near[still], square[still], most[still]
    result = np.zeros(position.shape[1], bool)
    result[near] = True
    return result
