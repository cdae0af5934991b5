"""Files of triangles: STL, binary and ASCII, read and written; other formats by trimesh."""

from __future__ import annotations

import codecs
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dem.base.imports import library
from dem.base.progress import progress_bar
from dem.base.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

HEADER, FACET = 84, 50  # bytes of the head of a binary file, and of each triangle
RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
VERTEX = rb"\s+vertex\s+(\S+)\s+(\S+)\s+(\S+)"
WHOLE = re.compile(
    rb"\bfacet\s+normal\s+\S+\s+\S+\s+\S+\s+outer\s+loop" + 3 * VERTEX + rb"\s+endloop\s+endfacet\b", re.IGNORECASE
)
LEFT = re.compile(rb"\s*(facet|outer|vertex|endloop|endfacet)\b", re.IGNORECASE)  # words outside of whole facets
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(nan|inf|infinity)", re.IGNORECASE)
ENDED = re.compile(rb"^[ \t]*endfacet\b", re.IGNORECASE | re.MULTILINE)
PORTION = 2**24  # bytes of text that are read together
OPENING = re.compile(rb"\s(?=facet\s+normal\s|endsolid\b)", re.IGNORECASE)


def read_triangles(path: str | PathLike) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (V, 3) and triangles (F, 3) of a file, in its units.

    Raises
    ------
    FileNotFoundError
        If it is not there.
    ValueError
        If it is no mesh, empty, cut off, or has numbers that are not finite.
    ImportError
        For a format other than STL, if trimesh is not installed.
    """
    path = Path(path)
    if not path.is_file():
        message = f"no file {path}: expected a mesh, such as drum.stl"
        raise FileNotFoundError(message)
    if path.suffix.lower() != ".stl":
        return _by_trimesh(path)
    data = path.read_bytes()
    if not _is_as_long_as_it_says(data):
        data = _plain(data)
    corners = _binary(path, data) if _is_binary(data) else _ascii(path, data)
    bad = np.flatnonzero(~np.isfinite(corners).all(axis=(1, 2)))
    if len(bad):
        where = f"{counted(len(bad), 'triangle')}, the first in {bad[0]}"
        message = f"{path} has corners that are not finite in {where}: repair it"
        raise ValueError(message)
    if not len(corners):
        message = f"{path} is a mesh without triangles: export a surface of triangles"
        raise ValueError(message)
    return corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3)


def _plain(data: bytes) -> bytes:
    """Text as ASCII or UTF-8 without a byte-order mark; binary data unchanged."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace").encode()
    return data.removeprefix(codecs.BOM_UTF8)


def _is_as_long_as_it_says(data: bytes) -> bool:
    """Whether a file has the length that its binary header states; some headers begin with "solid"."""
    return len(data) >= HEADER and len(data) == HEADER + FACET * int.from_bytes(data[80:84], "little")


def _is_binary(data: bytes) -> bool:
    """Whether data are binary: as long as their header states, or no text."""
    if _is_as_long_as_it_says(data):
        return True
    return not (data.lstrip()[:5].lower() == b"solid" and b"\0" not in data[:1000])


def _binary(path: Path, data: bytes) -> np.ndarray:
    """Corners (F, 3, 3); bytes behind the last triangle are passed over if they cannot be triangles."""
    if len(data) < HEADER:
        message = f"{path} is no STL file: it has {counted(len(data), 'byte')}, the shortest have {HEADER}"
        raise ValueError(message)
    count = int.from_bytes(data[80:84], "little")
    end = HEADER + FACET * count
    beyond = len(data) - end
    if beyond < 0 or (beyond >= FACET and (count == 0 or data[end:].strip(b"\0"))):
        what = "it is cut off" if beyond < 0 else f"{counted(beyond, 'byte')} follow these, so its count is wrong"
        message = (
            f"{path} says that it has {counted(count, 'triangle')}, but is as long as {(len(data) - HEADER) // FACET}: "
            f"{what}, or it is no STL file"
        )
        raise ValueError(message)
    return np.frombuffer(data, RECORD, count, HEADER)["corners"].astype(np.float64)


def _ascii(path: Path, data: bytes) -> np.ndarray:
    """Corners (F, 3, 3)."""
    from dem.base import compilation  # noqa: PLC0415, which needs numba; runs are read without

    text = data.replace(b"\r", b"\n")
    if b"\n" not in text.strip():  # all in one line, where names end with the next word of the format
        text = OPENING.sub(b"\n", text)
    corners, lines = [np.zeros((0, 3, 3))], []
    wanted = False if compilation.SILENT else None
    with progress_bar(len(text), lambda n, _: f"{counted(n, 'facet')} read", wanted=wanted) as moved:
        for portion in _portions(text):
            parts = WHOLE.split(portion)  # what is between facets, and the nine numbers of each
            lines += [line for line in b"\n".join(parts[::10]).split(b"\n") if line.strip()]
            del parts[::10]
            corners.append(_numbers(path, parts).reshape(-1, 3, 3))
            moved(len(portion), len(corners[-1]))
    odd = [line.strip() for line in lines if LEFT.match(line)]
    if odd or not re.match(rb"\s*end\s*solid\b", lines[-1], re.IGNORECASE):
        what = f"{odd[0][:40].decode(errors='replace')!r} belongs to no whole one" if odd else "endsolid is missing"
        message = (
            f"{path} has {counted(sum(map(len, corners)), 'whole facet')}, and {what}: it is cut off, or no STL file"
        )
        raise ValueError(message)
    return np.concatenate(corners)


def _portions(text: bytes) -> Iterator[bytes]:
    """Text in portions that end at the end of a facet, or after the last one."""
    begin = 0
    while begin < len(text):
        end = ENDED.search(text, begin + PORTION)
        yield text[begin : (begin := end.end() if end else len(text))]


def _numbers(path: Path, words: list[bytes]) -> np.ndarray:
    """Numbers of any length, in words."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)  # numpy's word for what is no number, so far
            numbers = np.fromstring(b" ".join(words), sep=" ")
        if len(numbers) == len(words):
            return numbers
    except (ValueError, DeprecationWarning):
        pass
    odd = next((word for word in words if not NUMBER.fullmatch(word)), b"")
    message = f"{path} has a vertex that is no number, {odd[:40].decode(errors='replace')!r}: correct it there"
    raise ValueError(message)


def _by_trimesh(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a file in a format that trimesh reads."""
    trimesh = library("trimesh", extra="mesh", purpose=f"reading {path.suffix or 'other'} files")
    try:
        mesh = trimesh.load(path, force="mesh", process=False)
        vertices, triangles = np.array(mesh.vertices, dtype=np.float64), np.array(mesh.faces, dtype=np.int64)
    except Exception as error:  # whatever a reader meets in a damaged file
        message = f"{path} cannot be read as a mesh: {error}"
        raise ValueError(message) from None
    if not len(triangles):
        message = f"{path} is a mesh without triangles: export a surface of triangles"
        raise ValueError(message)
    if not np.isfinite(vertices).all():
        message = f"{path} has vertices that are not finite: repair it"
        raise ValueError(message)
    return vertices, triangles


def write_stl(path: str | PathLike, vertices: np.ndarray, triangles: np.ndarray) -> None:
    """Write triangles to a binary STL file, in single precision."""
    corners = np.asarray(vertices, dtype=np.float64)[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    records = np.zeros(len(corners), RECORD)
    records["normal"] = normal / np.where(length > 0, length, 1)
    records["corners"] = corners
    head = b"pcdm-dem".ljust(80) + len(corners).to_bytes(4, "little")
    Path(path).write_bytes(head + records.tobytes())
