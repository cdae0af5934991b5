"""Validate links, sizes, filters and counts of an HDF5 file before data are read.

A file can declare data that it does not contain: millions of zeros by fill value, rows of another file, a virtual data
set that refers to itself. Reading them would fill the memory, open other files, or crash HDF5.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import h5py
import numpy as np

from dem.base import checks, cpu_info
from dem.base.text import counted
from dem.model.energy import Energy, stored_energies

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_LINKS = 2000  # names of groups and data sets: a trajectory has some 130
MAX_ATTRIBUTES = 100  # of one of them: the input has some 20
LARGEST_CHUNK = 1 << 26  # bytes that are unpacked at once: ours have a quarter of a megabyte
VIEW = ("VTKHDF/", "lost/VTKHDF/")  # where virtual data sets may be, in a repaired file too,
VIEWED = "/particles/trajectory/"  # and where what they are of
FILTERS = {h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32, h5py.h5z.FILTER_LZF}
SHARE = 0.5  # of the machine's memory that what is read at once may take

# what reading something else than was expected ends in
UNREADABLE = (KeyError, IndexError, TypeError, ValueError, RuntimeError, OSError, OverflowError, MemoryError)


class DamagedError(ValueError):
    """The contents of a file are invalid."""


def problem(file: h5py.File) -> str | None:
    """Reason why an open file cannot be read safely, or None."""
    try:
        _check_attributes(file.id, "it")
        groups: set[int] = set()
        for link in _links(file):
            _check(file, *link, groups)
    except UNREADABLE as error:
        return damaged(error)
    return None


def damaged(error: Exception) -> str:
    """One-line message for an error that a file caused."""
    reason = str(error)
    if isinstance(error, KeyError) and error.args:
        reason = str(error.args[0])
        reason = reason if " " in reason else f"it lacks {reason}"  # a key of a table, or the words of HDF5
    return f"is damaged: {' '.join(reason.split()) or type(error).__name__}"


def require(truth: bool, message: str) -> None:
    """Raise DamagedError with a message unless a condition holds."""
    if not truth:
        raise DamagedError(message)


def check_memory(size: float, what: str) -> None:
    """Raise DamagedError if a dataset needs more memory than a single read may take."""
    most = SHARE * cpu_info.memory()
    require(size <= most, f"{what} would take {size / 1e9:.3g} GB of memory, at most {most / 1e9:.3g} GB here")


def size_of(thing: h5py.Dataset) -> int:
    """Size of all values of a dataset [bytes]."""
    return math.prod(thing.shape) * thing.dtype.itemsize if thing.shape is not None else 0


def chunks_of(dataset: h5py.Dataset) -> list[h5py.h5d.StoreInfo]:
    """Locations of the chunks of a dataset; calls of `get_chunk_info` would take quadratic time."""
    found: list[h5py.h5d.StoreInfo] = []
    dataset.id.chunk_iter(found.append)
    return found


def _links(file: h5py.File) -> list[tuple[bytes, int, object]]:
    """Name, type and address of all links in a file, by the low-level interface, as each opening does this."""
    found: list[tuple[bytes, int, object]] = []

    def visit(name: bytes, link: h5py.h5l.LinkInfo) -> bool | None:
        found.append((name, link.type, link.u))  # an exception here would be lost on its way through HDF5
        return len(found) > MAX_LINKS or None

    file.id.links.visit(visit, info=True)
    require(len(found) <= MAX_LINKS, f"it holds more than {MAX_LINKS} groups and data sets")
    return found


def _check(file: h5py.File, path: bytes, link: int, address: object, groups: set[int]) -> None:
    """Validate the object to which a link leads."""
    name = path.decode(errors="replace")
    require(link == h5py.h5l.TYPE_HARD, f"{name} is a link to something else")
    thing = h5py.h5o.open(file.id, path)
    _check_attributes(thing, name)
    if isinstance(thing, h5py.h5d.DatasetID):
        _check_storage(thing, name)
        return
    require(isinstance(thing, h5py.h5g.GroupID), f"{name} is neither a group nor a data set")
    require(address not in groups, f"{name} is there under another name too")  # under which its contents were looked at
    groups.add(address)


def _check_attributes(thing: h5py.h5g.GroupID | h5py.h5d.DatasetID, name: str) -> None:
    number = h5py.h5a.get_num_attrs(thing)
    require(number <= MAX_ATTRIBUTES, f"{name} has {number} attributes, at most {MAX_ATTRIBUTES} are read")


def _check_storage(thing: h5py.h5d.DatasetID, name: str) -> None:
    """Check that all values are stored in this file, with limited compression, and not in external files."""
    how = thing.get_create_plist()
    layout = how.get_layout()
    require(not how.get_external_count(), f"{name} is stored in another file")
    if layout == h5py.h5d.VIRTUAL:
        sources = [(how.get_virtual_filename(k), how.get_virtual_dsetname(k)) for k in range(how.get_virtual_count())]
        here = name.startswith(VIEW) and all(file == "." and of.startswith(VIEWED) for file, of in sources)
        require(here, f"{name} is made of data that are somewhere else")
        return
    number, size = thing.get_space().get_simple_extent_npoints(), thing.get_type().get_size()
    if name.startswith(VIEW) or not number:
        return  # nobody here reads the view, part of which is zeros that take no room
    filters = {how.get_filter(k)[0] for k in range(how.get_nfilters())}
    require(filters <= FILTERS, f"{name} is packed in a way that is not known here")
    if layout == h5py.h5d.CHUNKED:
        largest = math.prod(how.get_chunk()) * size
        require(largest <= LARGEST_CHUNK, f"{name} is in pieces of {largest / 1e6:.3g} MB")
    if filters:
        pieces = math.prod(-(-length // piece) for length, piece in zip(thing.shape, how.get_chunk(), strict=True))
        stored = thing.get_num_chunks() == pieces
    else:
        stored = thing.get_storage_size() >= number * size
    require(stored, f"{name} claims {number} values that are not stored")


def check_alike(what: str, given: Mapping[str, object], own: Mapping[str, object]) -> None:
    """Raise DamagedError unless a group has the same names as own arrays, with their types and shapes."""
    lacking, unknown = own.keys() - given.keys(), given.keys() - own.keys()
    require(not lacking, f"{what} lacks {', '.join(sorted(lacking))}")
    require(not unknown, f"{what} has {', '.join(sorted(unknown))}, which is unknown here")
    for name, values in own.items():
        there, here = np.asarray(given[name]), np.asarray(values)
        fits = (there.shape, there.dtype) == (here.shape, here.dtype)
        require(fits, f"{what}/{name} is {_type_and_shape(there)}, expected {_type_and_shape(here)}")


def check_finite(what: str, given: Mapping[str, np.ndarray], *, infinite: tuple[str, ...] = ()) -> None:
    """Raise DamagedError for numbers that are not finite, or, where infinite ones are allowed, not a number."""
    for name, values in given.items():
        right = ~np.isnan(values) if name in infinite else np.isfinite(values)
        require(bool(right.all()), f"{what}/{name} holds values that are not finite")


def check_within(what: str, values: np.ndarray, least: float, most: float) -> None:
    """Raise DamagedError unless all values lie between two bounds, which are included."""
    wrong = values[~((values >= least) & (values <= most))]
    require(not wrong.size, f"{what} is {wrong[:1]} somewhere, expected {least} to {most}")


def _type_and_shape(array: np.ndarray) -> str:
    return f"{array.dtype} {' x '.join(map(str, array.shape)) or 'alone'}"


def text(dataset: h5py.Dataset) -> str:
    """Text of a dataset with a single string; raises ValueError for other datasets."""
    name = dataset.name
    require(isinstance(dataset, h5py.Dataset) and dataset.shape == (), f"{name} is no single text")
    require(h5py.check_string_dtype(dataset.dtype) is not None, f"{name} is no text")
    return dataset.asstr()[()]


def numbers(file: h5py.Group, name: str, shape: tuple[int | None, ...], types: str = "f") -> h5py.Dataset:
    """Numbers of a dataset of a given shape, where None stands for any length; raises ValueError otherwise."""
    found = file.get(name)
    require(isinstance(found, h5py.Dataset), f"it has no data set {name}")
    wanted = " x ".join("any" if length is None else str(length) for length in shape) or "one number"
    fits = len(found.shape or ()) == len(shape) and found.shape is not None
    fits = fits and all(length in (None, there) for length, there in zip(shape, found.shape, strict=True))
    require(fits, f"{name} has the shape {found.shape}, expected {wanted}")
    require(found.dtype.kind in types, f"{name} is of the type {found.dtype}, expected numbers")
    return found


def finite(file: h5py.Group, name: str, shape: tuple[int | None, ...], *, above: float = -np.inf) -> np.ndarray:
    """Numbers of such a dataset, all finite and above a bound."""
    values = numbers(file, name, shape)[()]
    require(bool(np.isfinite(values).all()), f"{name} holds values that are not finite")
    require(bool((values > above).all()), f"{name} holds {np.min(values, initial=np.inf):g}, expected above {above:g}")
    return values


def energy(file: h5py.Group, name: str) -> Energy:
    """Energy ledger; its last entries may be absent without a fluid or insertion and removal."""
    values = finite(file, name, (None,))
    whole = [stored_energies(fluid=wet, insertion=inserts) for inserts in (True, False) for wet in (True, False)]
    require(len(values) in whole, f"{name} holds {counted(len(values), 'number')}, expected {whole[-2]}")
    return Energy(*values.tolist())


def number(file: h5py.Group, name: str, **bounds: float) -> float:
    """Value of a dataset with one finite number within bounds, see `dem.base.checks.number`."""
    return checks.number(name, float(numbers(file, name, ())[()]), **bounds, largest=math.inf)


def arrays(file: h5py.Group, name: str) -> dict[str, np.ndarray]:
    """Values of all datasets of a group, by name."""
    group = file.get(name)
    whole = isinstance(group, h5py.Group) and all(isinstance(each, h5py.Dataset) for each in group.values())
    require(whole, f"it has no group {name} of data sets")
    return {key: dataset[()] for key, dataset in group.items()}


def indices(file: h5py.Group, name: str, count: int | None, most: int) -> np.ndarray:
    """Values of a dataset of indices from 0 to below a bound."""
    values = numbers(file, name, (count,), "iu")[()]
    wrong = np.flatnonzero((values < 0) | (values >= most))
    require(not wrong.size, f"{name} is {values[wrong[:1]]} in row {wrong[:1]}, expected 0 to {most - 1}")
    return values


def tables(given: object, what: str) -> list[dict]:
    """A list of tables; raises ValueError if it is none."""
    require(isinstance(given, list) and all(isinstance(each, dict) for each in given), f"the {what} are no list")
    return given
