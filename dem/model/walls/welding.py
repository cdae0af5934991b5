"""Merge coincident vertices of a mesh, find the edges that triangles share, and split edges at T-junctions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dem.base import compilation
from dem.base.progress import progress_bar
from dem.base.text import counted

EDGES_PER_BATCH = 2**16  # edges that are looked at together
ROUNDING = 1e-9  # more than products of sizes are off by
TREE_LEVELS, LEAF_CAPACITY = 20, 4  # of the tree of vertices
GENERIC = np.array([0.5773, 0.6841, 0.4456])  # a direction that planes of vertices are not at right angles to


class Edges(NamedTuple):
    """Edges of triangles: their vertices (E,), number of triangles and first triangle of each; and `adjacent`.

    ``adjacent`` (F, 3) is the next triangle around each of a triangle's edges, -1 where there is none. ``sides`` (3 F,)
    are numbers of triangles' edges, those that are one edge together, from ``begin`` (E,) on.
    """

    start: np.ndarray
    end: np.ndarray
    count: np.ndarray
    first: np.ndarray
    adjacent: np.ndarray
    sides: np.ndarray
    begin: np.ndarray


def edges_of(triangles: np.ndarray) -> Edges:
    """Edges AB, BC, CA of triangles (F, 3)."""
    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    low, high = np.minimum(start, end), np.maximum(start, end)
    key = low * (int(triangles.max()) + 1) + high
    order = np.argsort(key, kind="stable")
    sorted_key = key[order]
    begins = np.flatnonzero(np.r_[True, sorted_key[1:] != sorted_key[:-1]])
    count = np.diff(np.r_[begins, len(key)])
    following = np.arange(1, len(key) + 1)
    following[begins + count - 1] = begins  # around each edge in a ring
    adjacent = np.full(len(key), -1, dtype=np.int64)
    adjacent[order] = np.where(np.repeat(count, count) > 1, order[following] // 3, -1)
    leader = order[begins]
    return Edges(low[leader], high[leader], count, leader, adjacent.reshape(-1, 3), order, begins)


def weld(vertices: np.ndarray, triangles: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray, int]:
    """Merge vertices closer than the tolerance; also returns the number of those that were not bitwise equal."""
    vertices, same = _distinct(vertices + 0.0)
    triangles = same[triangles]
    order = np.argsort(vertices @ GENERIC, kind="stable")
    along, sorted_vertices = (vertices @ GENERIC)[order], vertices[order]
    pairs = []
    for k in range(1, len(vertices)):
        near = along[k:] - along[:-k] <= tolerance * 1.01
        if not near.any():
            break
        i = np.flatnonzero(near)
        i = i[((sorted_vertices[i + k] - sorted_vertices[i]) ** 2).sum(axis=1) <= tolerance**2]
        pairs.append(np.column_stack([order[i], order[i + k]]))
    first, second = np.concatenate([np.zeros((0, 2), dtype=int), *pairs]).T
    label, _ = components(len(vertices), first, second, np.zeros(len(first), dtype=bool))
    return vertices, label[triangles], int((label != np.arange(len(label))).sum())


def components(
    count: int, first: np.ndarray, second: np.ndarray, opposite: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Connected components of pairs `first`, `second` (K,), whose ends have equal or `opposite` orientation.

    Returns
    -------
    root : (count,) ints
        The least number that each is connected with.
    opposite_to_root : (count,) bools
        Whether each is opposite to that one; a pair that says otherwise contradicts another pair.
    """
    root, opposite_to_root = np.arange(count), np.zeros(count, dtype=bool)
    while True:
        a, b = root[first], root[second]
        apart = a != b
        if not apart.any():
            return root, opposite_to_root
        first, second, opposite = first[apart], second[apart], opposite[apart]
        between = opposite_to_root[first] ^ opposite_to_root[second] ^ opposite
        low, high = np.minimum(a, b)[apart], np.maximum(a, b)[apart]
        parent, opposite_to_parent = np.arange(count), np.zeros(count, dtype=bool)
        parent[high], opposite_to_parent[high] = low, between  # of pairs with one higher end the last one, in both
        while True:
            further = parent[parent]
            if np.array_equal(further, parent):
                break
            opposite_to_parent, parent = opposite_to_parent ^ opposite_to_parent[parent], further
        opposite_to_root ^= opposite_to_parent[root]
        root = parent[root]


def _distinct(vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct vertices in the order of their first occurrence, and the number of each vertex among them."""
    bits = vertices.view(np.uint64)
    with np.errstate(over="ignore"):
        key = bits[:, 0] * np.uint64(0x9E3779B97F4A7C15)
        key += (bits[:, 1] ^ (bits[:, 1] >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        key += (bits[:, 2] ^ (bits[:, 2] >> np.uint64(31))) * np.uint64(0x94D049BB133111EB)
    _, first, same = np.unique(key, return_index=True, return_inverse=True)
    if not np.array_equal(vertices[first[same]], vertices):  # two vertices of one key
        _, first, same = np.unique(vertices, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return vertices[first[order]], rank[same.ravel()]


def split_at_t_junctions(
    vertices: np.ndarray, triangles: np.ndarray, tolerance: float
) -> tuple[np.ndarray, np.ndarray]:
    """Divide triangles at vertices that lie on their edges; also returns the positions of these vertices."""
    found, known = [], 0
    while True:
        edges = edges_of(triangles)
        open_edges = np.flatnonzero((edges.count == 1) & (edges.first >= 3 * known))
        at, vertex = _vertices_on_open_edges(vertices, edges.start[open_edges], edges.end[open_edges], tolerance)
        if not len(at):
            break
        found.append(np.unique(vertex))
        # edges of the triangles before `known` have no vertices on them
        triangles, known = _split_triangles(vertices, triangles, edges.first[open_edges[at]], vertex)
    return triangles, vertices[np.unique(np.concatenate(found))] if found else np.zeros((0, 3))


def _vertices_on_open_edges(
    vertices: np.ndarray, start: np.ndarray, end: np.ndarray, tolerance: float
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs (edge, vertex) of rims, and vertices of rims within the tolerance of them but not of their ends.

    All edges go down a tree of boxes about vertices, level by level, into the boxes that they come near.
    """
    found = [np.zeros((0, 2), dtype=np.int64)]
    if len(start):
        levels, members = _boxes(vertices, np.unique(np.concatenate([start, end])))
    wanted = False if compilation.SILENT else None
    with progress_bar(len(start), lambda n, _: f"{counted(n, 'open edge')} compared", wanted=wanted) as moved:
        for first in range(0, len(start), EDGES_PER_BATCH):
            edge = np.arange(first, min(first + EDGES_PER_BATCH, len(start)))
            box, count = np.zeros(len(edge), dtype=np.int64), len(edge)
            for level in levels:
                a, b = vertices[start[edge]], vertices[end[edge]]
                near = _intersects_box(a, b, level.middle[box], level.half[box] + 1.01 * tolerance)
                edge, box = edge[near], box[near]
                leaf = level.last_child[box] == level.first_child[box]
                one, v = _expand_ranges(edge[leaf], level.begin[box[leaf]], level.end[box[leaf]])
                v = members[v]
                on = _is_on(vertices, start[one], end[one], v, tolerance)
                found.append(np.column_stack([one[on], v[on]]))
                inner = box[~leaf]
                edge, box = _expand_ranges(edge[~leaf], level.first_child[inner], level.last_child[inner])
            moved(count, count)
    pairs = np.concatenate(found)
    pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    return pairs[:, 0], pairs[:, 1]


class Boxes(NamedTuple):
    """Boxes of one level of a tree of vertices: centres, half sizes, ranges of members and of children.

    Members of box k are those from ``begin[k]`` to ``end[k]``, its children the boxes of the next level from
    ``first_child[k]`` to ``last_child[k]``; a leaf has none.
    """

    middle: np.ndarray
    half: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    first_child: np.ndarray
    last_child: np.ndarray


def _boxes(vertices: np.ndarray, members: np.ndarray) -> tuple[list[Boxes], np.ndarray]:
    """Octree of some vertices, in tight boxes: its levels, and the members in the order of its lists."""
    place = vertices[members]
    lower = place.min(axis=0)
    width = float((place.max(axis=0) - lower).max()) or 1.0
    cell = np.minimum((place - lower) * (2**TREE_LEVELS / width), 2**TREE_LEVELS - 1).astype(np.uint64)
    key = np.zeros(len(members), dtype=np.uint64)
    for bit in range(TREE_LEVELS):
        for axis in range(3):
            key |= (cell[:, axis] >> np.uint64(bit) & np.uint64(1)) << np.uint64(3 * bit + axis)
    order = np.argsort(key, kind="stable")
    key, members = key[order], members[order]
    place = np.concatenate([place[order], place[:1]])  # one more, so that a list may end behind the last
    begin, end, levels = np.array([0]), np.array([len(members)]), []
    for bit in range(TREE_LEVELS - 1, -2, -1):
        ranges = np.column_stack([begin, end]).ravel()
        least, most = (f.reduceat(place, ranges)[::2] for f in (np.minimum, np.maximum))
        cut = (end - begin > LEAF_CAPACITY) & (bit >= 0)
        one, member = _expand_ranges(np.flatnonzero(cut), begin[cut], end[cut])
        part = key[member] >> np.uint64(3 * max(bit, 0))
        new = np.ones(len(member), dtype=bool)
        new[1:] = (part[1:] != part[:-1]) | (one[1:] != one[:-1])
        parent, starts = one[new], member[new]
        stops = np.minimum(np.r_[starts[1:], len(members)], end[parent])
        children = (
            np.searchsorted(parent, np.arange(len(begin))),
            np.searchsorted(parent, np.arange(len(begin)), "right"),
        )
        levels.append(Boxes(0.5 * (least + most), 0.5 * (most - least), begin, end, *children))
        if not len(parent):
            break
        begin, end = starts, stops
    return levels, members


def _expand_ranges(numbers: np.ndarray, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs (number, k) for all k from `begin` to `end` - 1 of each number."""
    counts = end - begin
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(numbers, counts), np.repeat(begin, counts) + within


def _intersects_box(a: np.ndarray, b: np.ndarray, middle: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Separating-axis test of the edges from a to b and boxes: whether they intersect."""
    ahead, apart = 0.5 * (b - a), 0.5 * (a + b) - middle
    along, aside = np.abs(ahead), np.abs(apart)
    near = (aside <= half + along).all(axis=1)
    left = np.flatnonzero(near)
    ahead, apart, along, half = ahead[left], apart[left], along[left], half[left]
    parted = np.zeros(len(left), dtype=bool)
    for m, n in ((1, 2), (2, 0), (0, 1)):
        distance = np.abs(ahead[:, m] * apart[:, n] - ahead[:, n] * apart[:, m])
        room = half[:, m] * along[:, n] + half[:, n] * along[:, m]
        parted |= distance > room + ROUNDING * (half[:, m] + along[:, m]) * (half[:, n] + along[:, n])
    near[left] = ~parted
    return near


def _is_on(vertices: np.ndarray, start: np.ndarray, end: np.ndarray, v: np.ndarray, tolerance: float) -> np.ndarray:
    """Whether vertices lie within the tolerance of edges, but not of their ends."""
    a, b = vertices[start], vertices[end]
    length = np.linalg.norm(b - a, axis=1)
    s = np.einsum("ij,ij->i", vertices[v] - a, b - a) / length
    off = np.linalg.norm(vertices[v] - a - (s / length)[:, None] * (b - a), axis=1)
    return (off <= tolerance) & (s > tolerance) & (s < length - tolerance) & (v != start) & (v != end)


def _split_triangles(
    vertices: np.ndarray, triangles: np.ndarray, side: np.ndarray, vertex: np.ndarray
) -> tuple[np.ndarray, int]:
    """Split triangles at vertices on one edge each, number `side` of 3 F.

    Other edges of theirs are divided in the next round. Triangles that are divided come last, in the order in which
    the first of their edges come; also returns how many were not divided.
    """
    face, first, group = np.unique(side // 3, return_index=True, return_inverse=True)
    now = side == side[first][group]
    side, vertex, turn = side[now], vertex[now], first[group][now]
    f = side // 3
    a, b, c = (triangles[f, (side + k) % 3] for k in range(3))
    along = np.einsum("ij,ij->i", vertices[vertex] - vertices[a], vertices[b] - vertices[a])
    order = np.lexsort((along, turn))
    a, b, c, vertex, turn = (values[order] for values in (a, b, c, vertex, turn))
    leads = np.r_[True, turn[1:] != turn[:-1]]
    ends = np.r_[leads[1:], True]
    before = np.where(leads, a, np.roll(vertex, 1))
    parts = np.stack([np.stack([before, vertex, c], axis=1), np.stack([vertex, b, c], axis=1)], axis=1)
    parts = parts[np.stack([np.ones_like(ends), ends], axis=1)]
    return np.concatenate([np.delete(triangles, face, axis=0), parts]), len(triangles) - len(face)
