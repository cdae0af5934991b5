"""Set up neighbour lists for an engine or a subdomain: cells of the search, skins, sizes of arrays.

The lists themselves are built in `dem.kernels.soft.neighbours`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.kernels.numerics.float_bits import as_float
from dem.kernels.soft.contact.capsules import Capsules
from dem.kernels.soft.integration import chunk_step
from dem.kernels.soft.neighbours import linked_cells
from dem.kernels.soft.state import Kinds
from dem.soft import arrays
from dem.soft.time_step.adhesion import acts_beyond_touch

if TYPE_CHECKING:
    from dem.base.periodic import PeriodicCell
    from dem.kernels.soft.state import Bodies, Neighbours
    from dem.model.domain.box import Box
    from dem.soft.arrays import Layout

MAX_CELLS_PER_BODY = 4
SAMPLE = 200  # bodies by whose positions the region of most bodies is estimated
OUTLIERS = 4  # of the sample on either side of an axis, which are left out of that region


def most_cells(n: int) -> int:
    """Largest number of cells for n bodies."""
    return MAX_CELLS_PER_BODY * n + 64


def grid_for(
    position: np.ndarray, is_removed: np.ndarray, bound: np.ndarray, skin: float, cell: PeriodicCell
) -> linked_cells.Grid:
    """Cells for bodies at positions (3, N) that lie within the radii `bound` (G,), and are listed up to a skin apart.

    All in metres. Along the axes of a periodic cell the cells fill a period. Those removed, (1, N), are left out.
    """
    left = is_removed[0] != 0
    if left.any() and not left.all():
        position = position[:, ~left]
    lower, upper = (corner.tolist() for corner in _extent(position))
    for axis, (corner, length) in enumerate(zip(cell.corner.tolist(), cell.length.tolist(), strict=True)):
        if length > 0:
            lower[axis], upper[axis] = corner, corner + length
    smallest, largest = float(bound.min()), float(bound.max())
    extent = [high - low for low, high in zip(lower, upper, strict=True)]
    # as wide as the smallest bodies reach: half as wide ones have too few bodies, of which eight are compared at a time
    shape, scale = _split(extent, 2 * smallest + skin, most_cells(position.shape[1]))
    edge = 1 / max(scale) if any(scale) else math.inf
    return linked_cells.Grid(*shape, *lower, *scale, edge, smallest == largest)


def _extent(position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners (3,), (3,) of the region of the positions (3, N); a few far away are left out, and go to its outer cells.

    As there are no more cells than bodies can use, one particle far away would make those of all others too wide.
    """
    if not position.size:
        return np.zeros(3), np.zeros(3)
    lower, upper = position.min(axis=1), position.max(axis=1)
    if position.shape[1] < SAMPLE:
        return lower, upper
    sample = np.sort(position[:, :: position.shape[1] // SAMPLE], axis=1)
    low, high = sample[:, OUTLIERS], sample[:, -1 - OUTLIERS]
    margin = 0.5 * (high - low)
    return np.maximum(lower, low - margin), np.minimum(upper, high + margin)


def _split(extent: list[float], size: float, most: int) -> tuple[list[int], list[float]]:
    """Cells along each axis, none smaller than `size` and at most `most` in all; and cells a metre.

    Three plain numbers: small systems spend much of a new list here, and arrays of three take ten times as long.
    """
    shape = [int(min(max(1.0, edge / size), most)) for edge in extent]
    while math.prod(shape) > most:
        shape = [max(1, int(count / 1.26)) for count in shape]
    # an axis that is not split has no scale: its extent may be anything down to nothing
    return shape, [count / edge if count > 1 else 0.0 for count, edge in zip(shape, extent, strict=True)]


# Skins of neighbours and candidates in units of the median diameter of spheres. Spheres at 0.5 m/s and dt = 1e-5 s run
# within 5 % of their best speed from 0.25 to 0.35 and from 0.03 to 0.08.
LIST_SKIN, CANDIDATE_SKIN = 0.3, 0.05
# Pairs of capsules and of fibres are picked by the distance of their axes: wide lists are cheap, and fibres take fewer
# candidates a step by narrow ones.
CAPSULES_SKIN, FIBRES_SKINS = 0.8, (0.5, 0.04)
# For so few bodies a list of all pairs costs less than a new list: in most boxes theirs is never built again.
FEW_BODIES, FEW_SKIN = 32, 100.0


# A servo moves its wall no faster than by this share of the smallest sphere's diameter a time step: by a quarter of the
# usual skin of candidates. It does not depend on the skin in use, so that lists change no result.
SERVO_STEP = 0.25 * CANDIDATE_SKIN


class Skins(NamedTuple):
    """Widths of the two lists' skins [m]."""

    neighbours: float
    candidates: float

    @classmethod
    def of(
        cls, n: int, of_kinds: np.ndarray, kinds: Kinds, box: Box | None, wanted: tuple[float, float] | None,
        reach: float = 0.0,
    ) -> Skins:  # fmt: skip
        """Skin distances as wanted, or usual ones for n particles; shorter where a periodic box is small.

        of_kinds: (G,) particles of each kind at the start; reach: largest distance at which contacts act [m].
        """
        radius = np.minimum.reduceat(kinds.radius, kinds.first_offset[:-1])
        size = 2 * float(np.median(np.repeat(radius, of_kinds)) if of_kinds.any() else radius.min())
        usual = LIST_SKIN, CANDIDATE_SKIN
        if n <= FEW_BODIES:
            usual = FEW_SKIN, CANDIDATE_SKIN
        elif isinstance(kinds, Capsules):
            usual = CAPSULES_SKIN, CANDIDATE_SKIN
        elif isinstance(kinds, Kinds) and not kinds.all_single_spheres and kinds.is_collinear.all():
            usual = FIBRES_SKINS
        wide, narrow = wanted or (usual[0] * size, usual[1] * size)
        if box and box.periodic:
            widest = min(size for axis, size in zip("xyz", box.size, strict=True) if axis in box.periodic) / 2
            wide = max(min(wide, widest - 2 * float(kinds.bounding_radius.max()) - reach), narrow)
        return cls(wide, min(wide, narrow))


class EngineLists:
    """Owns the arrays of neighbours, candidates and contacts, see `dem.kernels.soft.state.Neighbours`.

    A subdomain has none before its first list. `contact_range` is the largest distance of surfaces at which contacts of
    the law act, and `gap_range` that at which heat passes through a gap [m].
    """

    def __init__(
        self, listed: Neighbours | None, layout: Layout, skins: Skins, contact_range: float, law: tuple,
        gap_range: float = 0.0,
    ) -> None:  # fmt: skip
        self.arrays, self.layout, self.skins, self.range = listed, layout, skins, contact_range
        self._gap_range = gap_range
        self._outlives_touch = acts_beyond_touch(law)

    def reach(self, chunk_sums: np.ndarray) -> float:
        """Distance beyond contact up to which pairs of bodies are listed [m], by the speeds in the last pass.

        The list contains all candidates of `dem.kernels.soft.integration.chunk_step.candidate_margin`.
        """
        beyond = self.range
        if self._outlives_touch:
            beyond += 2 * float(as_float(chunk_sums[:, chunk_step.DISPLACEMENT].max()))
        return self.skins.neighbours + max(beyond, self._gap_range)

    def ensure_room(self, pairs: int, entries: int, bodies: int) -> bool:
        """Enlarge the lists to a number of pairs per chunk and of entries; returns whether they were large enough."""
        nb = self.arrays
        chunks = nb.pairs.size
        if pairs > (nb.lower.size - 1) // chunks:
            self.arrays = nb._replace(**arrays.pair_arrays(chunks * arrays.enlarged(pairs)))
            return False
        if entries > nb.body_entries.size:
            self.arrays = nb._replace(**arrays.entry_arrays(arrays.enlarged(entries), bodies, self.layout))
            return False
        return True

    def store_listed_positions(self, bodies: Bodies, kinds: Kinds) -> None:
        """Store the positions at which bodies were listed; no history of contacts is saved then."""
        nb = self.arrays
        nb.listed_position[:] = bodies.position
        if not kinds.all_single_spheres:
            nb.listed_orientation[:] = bodies.orientation
        nb.saved_count[:] = 0

    def fit_pair_force(self) -> None:
        """Make the scratch arrays of contact forces for the present lists, or keep them if they fit."""
        fitting = arrays.pair_force(self.arrays, self.layout)
        if any(array is not getattr(self.arrays, name) for name, array in fitting.items()):
            self.arrays = self.arrays._replace(**fitting)

    def make_room_for_candidates(self) -> None:
        """Enlarge the arrays of candidate pairs to the number that was needed."""
        nb = self.arrays
        larger = arrays.candidate_arrays(nb.pairs.size, arrays.enlarged(nb.pairs.max()), self.layout)
        chunks = nb.pairs.size
        for name in ("saved_history", "saved_pair", "saved_sphere_i", "saved_sphere_j"):  # kept, chunk by chunk
            source, target = getattr(nb, name), larger[name]
            if source.size:
                rows = source.reshape(chunks, len(source) // chunks, -1)
                target.reshape(chunks, len(target) // chunks, -1)[:, : rows.shape[1]] = rows
        self.arrays = nb._replace(**larger)
        self.fit_pair_force()

    def candidates(self) -> tuple[np.ndarray, np.ndarray]:
        """Spheres of the present candidate pairs (K,), (K,)."""
        nb = self.arrays
        room = nb.sphere_i.size // nb.pairs.size
        used = np.arange(nb.sphere_i.size) % max(room, 1) < np.repeat(nb.pairs, room)
        return nb.sphere_i[used], nb.sphere_j[used]
