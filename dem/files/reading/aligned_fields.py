"""Fields with a column for each particle that was ever in a frame, of runs with insertion and removal."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np

from dem.files.reading.stored_field import StoredField, read_rows
from dem.files.validation.hdf5_validation import check_memory

if TYPE_CHECKING:
    import h5py


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
        """Frames, particles that were ever in one, components."""
        return len(self._frames), self._born.size, self.field.width

    @property
    def dtype(self) -> np.dtype:
        """Of what is read."""
        return np.dtype(np.float64) if self.field.derive else self._dataset.dtype

    def present(self, frame: int) -> np.ndarray:
        """Values of the particles present in a frame (n, k)."""
        rows = read_rows(self._dataset, self._frames, frame)
        there = rows[: int((read_rows(self._identity, self._frames, frame) >= 0).sum())]
        return self.field.derive(there) if self.field.derive else there

    def __getitem__(self, key: object) -> np.ndarray:
        """Read a part."""
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
            who = read_rows(self._identity, self._frames, int(number))[: len(values)]
            found[row, np.searchsorted(self._born, who)] = values
        return found[0][particles][..., components] if one else found[:, particles][..., components]
