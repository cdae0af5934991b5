"""Check that arrays of a file fit those of an engine: kernels do not check indices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.files.validation.hdf5_validation import require

if TYPE_CHECKING:
    from collections.abc import Mapping


def check_alike(what: str, given: Mapping[str, object], own: Mapping[str, object]) -> None:
    """Raise DamagedError unless there are the same names, each with the type and the shape of one's own array."""
    lacking, unknown = own.keys() - given.keys(), given.keys() - own.keys()
    require(not lacking, f"{what} lacks {', '.join(sorted(lacking))}")
    require(not unknown, f"{what} has {', '.join(sorted(unknown))}, which is unknown here")
    for name, values in own.items():
        there, here = np.asarray(given[name]), np.asarray(values)
        fits = (there.shape, there.dtype) == (here.shape, here.dtype)
        require(fits, f"{what}/{name} is {_said(there)}, expected {_said(here)}")


def check_finite(what: str, given: Mapping[str, np.ndarray], *, infinite: tuple[str, ...] = ()) -> None:
    """Raise DamagedError if some number is not finite; where it may be infinite, if it is not a number."""
    for name, values in given.items():
        right = ~np.isnan(values) if name in infinite else np.isfinite(values)
        require(bool(right.all()), f"{what}/{name} holds values that are not finite")


def check_within(what: str, values: np.ndarray, least: float, most: float) -> None:
    """Raise DamagedError unless all values lie between two bounds, these included."""
    wrong = values[~((values >= least) & (values <= most))]
    require(not wrong.size, f"{what} is {wrong[:1]} somewhere, expected {least} to {most}")


def _said(array: np.ndarray) -> str:
    return f"{array.dtype} {' x '.join(map(str, array.shape)) or 'alone'}"
