"""Vertices of a mesh that are one, edges that triangles share, and vertices that lie on others' edges."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

GENERIC = np.array([0.5773, 0.6841, 0.4456])  # a direction that planes of vertices are not at right angles to


class Edges(NamedTuple):
    """Edges of triangles: the vertices of each (E,), how many triangles share it, the first of them; and `beside`.

    ``beside`` (F, 3) is the next triangle around each of a triangle's edges, -1 where there is none.
    """

    start: np.ndarray
    end: np.ndarray
    count: np.ndarray
    first: np.ndarray
    beside: np.ndarray


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
    beside = np.full(len(key), -1, dtype=np.int64)
    beside[order] = np.where(np.repeat(count, count) > 1, order[following] // 3, -1)
    leader = order[begins]
    return Edges(low[leader], high[leader], count, leader, beside.reshape(-1, 3))


def weld(vertices: np.ndarray, triangles: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray, int]:
    """Merge vertices nearer to each other than the tolerance; also returns how many were not the same to the bit."""
    vertices, same = _distinct(vertices + 0.0)
    triangles = same[triangles]
    order = np.argsort(vertices @ GENERIC, kind="stable")
    along, place = (vertices @ GENERIC)[order], vertices[order]
    label = np.arange(len(vertices))
    pairs = []
    for k in range(1, len(vertices)):
        near = along[k:] - along[:-k] <= tolerance * 1.01
        if not near.any():
            break
        i = np.flatnonzero(near)
        i = i[((place[i + k] - place[i]) ** 2).sum(axis=1) <= tolerance**2]
        pairs.append(np.column_stack([order[i], order[i + k]]))
    pairs = np.concatenate(pairs) if pairs else np.zeros((0, 2), dtype=int)
    while len(pairs) and np.any(label[pairs[:, 0]] != label[pairs[:, 1]]):
        least = np.minimum(label[pairs[:, 0]], label[pairs[:, 1]])
        np.minimum.at(label, pairs[:, 0], least)
        np.minimum.at(label, pairs[:, 1], least)
    return vertices, label[triangles], int((label != np.arange(len(label))).sum())


def _distinct(vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices that differ, in the order in which they come, and which of them each is."""
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


def split_junctions(vertices: np.ndarray, triangles: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """Divide triangles at vertices that lie on their edges; also returns those places."""
    found = []
    while True:
        edges = edges_of(triangles)
        rim = np.flatnonzero(edges.count == 1)
        at, vertex = _on_edges(vertices, edges.start[rim], edges.end[rim], tolerance)
        if not len(at):
            break
        found.append(np.unique(vertex))
        triangles = _divided(vertices, triangles, edges.first[rim[at]], vertex)
    return triangles, vertices[np.unique(np.concatenate(found))] if found else np.zeros((0, 3))


def _on_edges(
    vertices: np.ndarray, start: np.ndarray, end: np.ndarray, tolerance: float
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs (edge, vertex) of rims, and vertices of rims within the tolerance of them but not of their ends."""
    rim = np.unique(np.concatenate([start, end]))
    along = vertices @ GENERIC
    rim = rim[np.argsort(along[rim])]
    low = np.searchsorted(along[rim], np.minimum(along[start], along[end]) - tolerance)
    high = np.searchsorted(along[rim], np.maximum(along[start], along[end]) + tolerance)
    found = [np.zeros((0, 2), dtype=np.int64)]
    total = np.cumsum(high - low)
    e = 0
    while e < len(start):  # a few million pairs at a time
        last = max(e + 1, int(np.searchsorted(total, (total[e - 1] if e else 0) + 2_000_000)))
        counts = (high - low)[e:last]
        edge = np.repeat(np.arange(e, last), counts)
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        v = rim[low[edge] + within]
        a, b = vertices[start[edge]], vertices[end[edge]]
        length = np.linalg.norm(b - a, axis=1)
        s = np.einsum("ij,ij->i", vertices[v] - a, b - a) / length
        off = np.linalg.norm(vertices[v] - a - (s / length)[:, None] * (b - a), axis=1)
        on = (off <= tolerance) & (s > tolerance) & (s < length - tolerance) & (v != start[edge]) & (v != end[edge])
        found.append(np.column_stack([edge[on], v[on]]))
        e = last
    pairs = np.concatenate(found)
    return pairs[:, 0], pairs[:, 1]


def _divided(vertices: np.ndarray, triangles: np.ndarray, side: np.ndarray, vertex: np.ndarray) -> np.ndarray:
    """Triangles of which one edge each, number `side` of 3 F, is divided at vertices."""
    parts, gone = [], {}
    for edge, v in zip(side.tolist(), vertex.tolist(), strict=True):
        f = edge // 3
        if gone.setdefault(f, (edge, []))[0] == edge:  # its other edges are divided in the next round
            gone[f][1].append(v)
    for f, (edge, inner) in gone.items():
        a, b, c = np.roll(triangles[f], -(edge % 3)).tolist()
        along = vertices[b] - vertices[a]
        chain = [a, *sorted(inner, key=lambda v: float((vertices[v] - vertices[a]) @ along)), b]
        parts += [(p, q, c) for p, q in itertools.pairwise(chain)]
    kept = np.delete(triangles, list(gone), axis=0)
    return np.concatenate([kept, np.array(parts, dtype=triangles.dtype)])
