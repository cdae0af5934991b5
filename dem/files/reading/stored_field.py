"""Fields over the frames of a run; a slice reads only that part from disk."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING

import numpy as np

from dem.base.text import shown
from dem.files.validation.hdf5_validation import check_memory
from dem.model.particles.fields import FIELDS, Field

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import h5py

BLOCK = 1 << 20  # numbers of a field that are read at a time


def unit_of(dataset: h5py.Dataset) -> str:
    """SI unit of a field from its attributes; "1" without one."""
    unit = dataset.attrs.get("unit", "1")
    return unit.decode() if isinstance(unit, bytes) else str(unit)


class StoredField:
    """A field over some frames, an array (T, N, k) that stays on disk: ``run.position[-1]``, ``run.position[:, 3]``.

    The first index is a number of a frame, a slice, or a list of numbers or truths; the others go to h5py as they are.
    """

    ndim = 3

    def __init__(self, name: str, dataset: h5py.Dataset, frames: range) -> None:
        self.name = name
        self.field = FIELDS.get(name) or Field("as the file has it", unit_of(dataset), (name,))
        self._dataset = dataset
        self._frames = frames

    def present(self, frame: int) -> np.ndarray:
        """Values of all particles in a frame (N, k)."""
        return self[frame]

    @property
    def unit(self) -> str:
        """SI unit."""
        return self.field.unit

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of frames, particles and components."""
        return len(self._frames), self._dataset.shape[1], self.field.width

    @property
    def dtype(self) -> np.dtype:
        """Data type in the file."""
        return np.dtype(np.float64) if self.field.derive else self._dataset.dtype

    @property
    def chunks(self) -> tuple[int, ...] | None:
        """Numbers of frames, particles and components in a chunk, which is read as a whole."""
        return self._dataset.chunks

    def __len__(self) -> int:
        """Number of frames."""
        return len(self._frames)

    def __repr__(self) -> str:
        """Name, shape and unit."""
        shape = " x ".join(str(n) for n in self.shape) if self._dataset else "closed"
        return f"<{self.name}: {shape}, {self.unit}, on disk: slice it to read>"

    def __array__(self, dtype: np.dtype | None = None, copy: bool | None = None) -> np.ndarray:
        """Read all values."""
        return np.asarray(self[:], dtype=dtype)

    def __getitem__(self, key: object) -> np.ndarray:
        """Read a part of the values."""
        key = key if isinstance(key, tuple) else (key,)
        at = next((k for k, part in enumerate(key) if part is Ellipsis), len(key))
        key = (*key[:at], *[slice(None)] * (self.ndim - len(key) + (at < len(key))), *key[at + 1 :])
        frames, *rest = key
        if not self.field.derive:
            return read_rows(self._dataset, self._frames, frames, tuple(rest))
        *particles, components = rest
        whole = read_rows(self._dataset, self._frames, frames, tuple(particles))
        return self.field.derive(whole)[..., components]


def read_rows(dataset: h5py.Dataset, frames: range, key: object, rest: tuple = ()) -> np.ndarray:
    """Read the rows that `key` selects among the rows `frames` of a dataset; `rest` indexes the other axes."""
    if not dataset:
        raise ValueError("the trajectory is closed: read what is wanted before")
    if isinstance(key, slice):
        chosen = frames[key]
        if not chosen:
            return dataset[(slice(0, 0), *rest)]
        ascending = chosen if chosen.step > 0 else chosen[::-1]
        rows = dataset[(slice(ascending.start, ascending.stop, ascending.step), *rest)]
        return rows if chosen.step > 0 else rows[::-1]
    try:
        number = operator.index(key)
    except TypeError:
        rows, place = np.unique(np.array(frames)[np.asarray(key)], return_inverse=True)
        steps = np.unique(np.diff(rows))
        if rows.size and steps.size <= 1:  # h5py reads slices much faster than lists
            rows = slice(rows[0], rows[-1] + 1, *steps)
        return dataset[(rows, *rest)][place]
    return dataset[(row(frames, number), *rest)]


def row(frames: range, number: int) -> int:
    """Index of a frame, counted from the end if negative; raises IndexError with the number of frames, or TypeError."""
    try:
        number = operator.index(number)
    except TypeError:
        message = f"frame is {shown(number)}, expected a whole number or a slice"
        raise TypeError(message) from None
    if not -len(frames) <= number < len(frames):
        raise IndexError(f"frame {number} of {len(frames)}, expected {-len(frames)} to {len(frames) - 1}")
    return frames[number]


def read_in_blocks(fields: Sequence[StoredField], frames: Sequence[int]) -> Iterator[tuple[int, list[np.ndarray]]]:
    """Number of each frame, and its values (N, k) of some fields; h5py reads several frames in the time of one."""
    length = max(1, BLOCK // max([1, *(math.prod(each.shape[1:]) for each in fields)]))
    blocks: list[np.ndarray] = []
    for place, k in enumerate(frames):
        if place % length == 0:
            blocks = [each[frames[place : place + length]] for each in fields]
        yield k, [block[place % length] for block in blocks]


class AlignedField(StoredField):
    """A field over some frames, an array (T, B, k) that stays on disk; NaN where a particle is absent.

    Columns are those of `Trajectory.identity`. A single frame, ``run[10].position``, has only the particles present.
    """

    def __init__(
        self, name: str, dataset: h5py.Dataset, frames: range, identity: h5py.Dataset, born: np.ndarray
    ) -> None:
        super().__init__(name, dataset, frames)
        self._identity, self._born = identity, born

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of frames, of particles that are ever present, and of components."""
        return len(self._frames), self._born.size, self.field.width

    def present(self, frame: int) -> np.ndarray:
        """Values of the particles present in a frame (n, k)."""
        rows = read_rows(self._dataset, self._frames, frame)
        there = rows[: int((read_rows(self._identity, self._frames, frame) >= 0).sum())]
        return self.field.derive(there) if self.field.derive else there

    def __getitem__(self, key: object) -> np.ndarray:
        """Read a part of the values."""
        key = key if isinstance(key, tuple) else (key,)
        at = next((k for k, part in enumerate(key) if part is Ellipsis), len(key))
        key = (*key[:at], *[slice(None)] * (self.ndim - len(key) + (at < len(key))), *key[at + 1 :])
        frames, particles, components = key
        try:
            operator.index(frames)
            numbers, one = [frames], True
        except TypeError:
            numbers, one = np.arange(len(self._frames))[frames], False
        check_memory(8.0 * len(numbers) * self._born.size * self.field.width, f"{self.name} of all particles")
        found = np.full((len(numbers), *self.shape[1:]), np.nan, self.dtype)
        for row, number in enumerate(numbers):
            values = self.present(int(number))
            identities = read_rows(self._identity, self._frames, int(number))[: len(values)]
            found[row, np.searchsorted(self._born, identities)] = values
        return found[0][particles][..., components] if one else found[:, particles][..., components]
