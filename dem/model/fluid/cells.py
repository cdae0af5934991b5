"""Cells of a fluid: voidage, and exchange between fluid and particles."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.base.user_classes import hinted
from dem.model.contact.law_component import arguments, kind, shown
from dem.model.fluid.flows import AXES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.base.notices import Notice
    from dem.model.domain.box import Box

WIDE = 3.0  # default width of a cell, over the diameter of the largest particles
FEW = 2.0  # width over this diameter below which the voidage of a cell shows single particles
MAX_CELLS = 2**22  # cells


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Cells:
    """Equal cuboid cells that fill a cuboid, by default the box.

    Each particle shares its volume among the eight cells whose centres are around its own, trilinearly: as if it were
    spread over a cuboid as large as a cell. Cells continue across periodic boundaries; at walls the
    outermost cells have all the volume beyond their centres. Values of cells are interpolated with the same weights.
    The count is repeated at a regular interval of steps, counted from step 0, also in a resumed run.

    Parameters
    ----------
    number : (3,) ints, optional
        Along each axis; or give `size`. Default: as many as make cells three of the largest particles wide.
    size : float, optional
        Wanted width [m]; cells are as near to it as fits the cuboid a whole number of times.
    lower, upper : (3,) floats, optional
        Corners of the cuboid [m]; default: those of the box.
    every : int
        Time steps between two counts.
    periodic : sequence of axes, optional
        Periodic axes, for `gradient` of cells alone; a simulation takes those of its box.

    Raises
    ------
    ValueError, TypeError
        For no cells, or corners without a volume.

    Examples
    --------
    >>> cells = Cells(number=(1, 1, 10), lower=(0, 0, 0), upper=(0.01, 0.01, 0.1))
    >>> cells.spacing
    (0.01, 0.01, 0.01)
    >>> cells.centres("z")[:2]
    array([0.005, 0.015])
    """

    type: str = kind("cells")
    number: tuple[int, int, int] | None = None
    size: float | None = None
    lower: tuple[float, float, float] | None = None
    upper: tuple[float, float, float] | None = None
    every: int = 10
    periodic: tuple[str, ...] | None = None  # as the box; told where cells are known

    arguments, __repr__ = arguments, shown

    def __post_init__(self) -> None:
        """Check all values."""
        if self.number is not None:
            if self.size is not None:
                raise ValueError("number and size of cells are both given: leave one out")
            given = checks.listed("number", self.number, "10")
            if len(given) != 3:
                raise ValueError(f"number is {self.number}, expected cells along x, y and z")
            number = tuple(checks.whole("number of cells", each, least=1) for each in given)
            if math.prod(number) > MAX_CELLS:
                raise ValueError(f"number is {number}, more than {MAX_CELLS} cells: take fewer")
            object.__setattr__(self, "number", number)
        if self.size is not None:
            object.__setattr__(self, "size", checks.number("size", self.size, above=0, unit="m"))
        object.__setattr__(self, "every", checks.whole("every", self.every, least=1))
        for name in ("lower", "upper"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, checks.vector(name, getattr(self, name), "a corner of the cells [m]"))
        if self.lower and self.upper and not all(a < b for a, b in zip(self.lower, self.upper, strict=True)):
            message = f"cells from {self.lower} to {self.upper} have no volume: lower must be below upper on each axis"
            raise ValueError(message)

    def resolve(self, box: Box | None, largest: float) -> Cells:
        """Cells with all values filled in, for a box and the largest diameter of the particles [m].

        Raises
        ------
        ValueError
            If there is no box to take corners from, or cells do not fit it.
        """
        if box is None and not (self.lower and self.upper):
            raise ValueError("cells have no corners, and there is no box to take them from: give lower and upper")
        lower, upper = self.lower or box.lower, self.upper or box.upper
        periodic = tuple(axis for axis in AXES if box and axis in box.periodic)
        for axis in periodic:
            k = AXES[axis]
            if (lower[k], upper[k]) != (box.lower[k], box.upper[k]):
                raise ValueError(
                    f"cells go from {lower[k]:g} to {upper[k]:g} m along {axis}, where the box is periodic from "
                    f"{box.lower[k]:g} to {box.upper[k]:g} m: let them do likewise"
                )
        lengths = [high - low for low, high in zip(lower, upper, strict=True)]
        size = self.size or WIDE * largest
        fits = [max(1, round(length / size) if self.size else math.floor(length / size + 1e-9)) for length in lengths]
        number = self.number or tuple(fits)
        if math.prod(number) > MAX_CELLS:
            raise ValueError(f"cells of {size:g} m are {math.prod(number)}, more than {MAX_CELLS}: take larger ones")
        return replace(self, number=number, size=None, lower=lower, upper=upper, periodic=periodic)

    def check_wide(self, largest: float) -> None:
        """Raise ValueError if cells with all values are smaller than particles of this diameter [m]."""
        for axis, k in AXES.items():
            if self.number[k] > 1 and self.spacing[k] < largest:
                max_number = max(1, math.floor((self.upper[k] - self.lower[k]) / largest))
                raise ValueError(
                    f"cells are {self.spacing[k]:.3g} m wide along {axis}, less than the largest particle, "
                    f"{largest:.3g} m: take at most {max_number} along {axis}, better a third of that"
                )

    def foreseen(self, largest: float) -> Iterator[Notice]:
        """Notices about cells that are hardly larger than particles."""
        from dem.base.notices import Notice  # noqa: PLC0415

        small = min([self.spacing[k] for k in range(3) if self.number[k] > 1], default=math.inf)
        if small < (1 - 1e-9) * FEW * largest:
            reason = (
                f"cells are {small:.3g} m wide, {small / largest:.2g} of the largest particle: their voidage shows "
                "single particles"
            )
            yield Notice("small-cells", reason, f"take cells of {WIDE * largest:.3g} m")

    @property
    def spacing(self) -> tuple[float, float, float]:
        """Width of a cell along each axis [m], for cells with all values."""
        x, y, z = (
            (high - low) / count for low, high, count in zip(self.lower, self.upper, self.number, strict=True)
        )  # fmt: skip
        return x, y, z

    @property
    def volume(self) -> float:
        """Volume of a cell [m³]."""
        return math.prod(self.spacing)

    def centres(self, axis: str) -> np.ndarray:
        """Centres of the cells along an axis [m]."""
        k = AXES[checks.one_of("axis", axis, AXES)]
        return self.lower[k] + self.spacing[k] * (np.arange(self.number[k]) + 0.5)

    def outside(self, position: np.ndarray) -> np.ndarray:
        """Whether positions (N, 3) [m] are outside of all cells (N,)."""
        bounded = np.array([axis not in (self.periodic or ()) for axis in AXES])
        off = (position < np.array(self.lower)) | (position > np.array(self.upper))
        return (off & bounded).any(1)

    def gradient(self, values: np.ndarray) -> np.ndarray:
        """Gradient (nx, ny, nz, 3, 3) of vectors in cells (nx, ny, nz, 3), by differences; derivatives are last."""
        columns = []
        for k, axis in enumerate(AXES):
            if self.number[k] == 1:
                columns.append(np.zeros_like(values))
            elif axis in (self.periodic or ()):
                columns.append((np.roll(values, -1, axis=k) - np.roll(values, 1, axis=k)) / (2 * self.spacing[k]))
            else:
                columns.append(np.gradient(values, self.spacing[k], axis=k))
        return np.stack(columns, axis=-1)

    def as_arguments(self) -> tuple:
        """The cells as kernels read them."""
        from dem.kernels.fluid.cells import Cells as KernelCells  # noqa: PLC0415, runs are read without numba

        first = tuple(low + 0.5 * width for low, width in zip(self.lower, self.spacing, strict=True))
        return KernelCells(first, self.spacing, self.number, tuple(int(axis in self.periodic) for axis in AXES))
