"""Flow fields given by values on a grid, or by a function."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.base.imports import named
from dem.base.user_classes import hinted
from dem.model.contact.law_component import kind
from dem.model.fluid.flows import AXES, Flow

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

ARGUMENTS = ["t", "x", "y", "z"]
EVEN = 1e-6  # share of a spacing by which nodes may be off an even grid


@hinted
@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class GriddedFlow(Flow):
    """A velocity at the nodes of a regular grid, at one time or several; linear in between.

    Gradients are differences of nodes, interpolated likewise. The grid ends at its last nodes, and has to cover the
    particles; along a periodic axis it goes on, with a period of as many spacings as there are nodes.

    Parameters
    ----------
    velocity : (nx, ny, nz, 3) or (T, nx, ny, nz, 3) floats
        [m/s].
    spacing : float or (3,) floats
        Distance of neighbouring nodes [m].
    origin : (3,) floats
        The first node [m].
    time : (T,) floats, optional
        Ascending, of a velocity at several times [s]. Before the first and after the last the field stands still.
    periodic : str or list of str
        Axes, such as "xy".

    Raises
    ------
    ValueError
        For values that are not finite, fewer than two nodes along an axis, or times that do not ascend.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.linspace(0, 0.1, 11)
    >>> u = np.zeros((2, 11, 2, 3))
    >>> u[..., 0] = 10 * y[:, None]
    >>> GriddedFlow(velocity=u, spacing=(0.1, 0.01, 0.1))
    GriddedFlow(2 x 11 x 2 nodes, spacing=(0.1, 0.01, 0.1), origin=(0.0, 0.0, 0.0))
    """

    BOUNDED = True
    ARRAYS = ("velocity", "time")
    KERNEL = "gridded.FlowGrid"
    type: str = kind("grid")
    velocity: np.ndarray
    spacing: tuple[float, float, float]
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    time: np.ndarray = (0.0,)
    periodic: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check all values."""
        given = checks.numbers("velocity of the grid", self.velocity)
        steady = given.ndim == 4
        if given.ndim not in (4, 5) or given.shape[-1] != 3 or min(given.shape[-4:-1]) < 2:
            raise ValueError(
                f"velocity of the grid has shape {given.shape}, expected (nx, ny, nz, 3) or (T, nx, ny, nz, 3) with at "
                "least two nodes along each axis"
            )
        values = checks.array("velocity of the grid", given, given.shape, "[m/s]")
        times = checks.numbers("time of the grid", self.time)
        times = checks.array("time of the grid", times, times.shape, "[s]").ravel()
        count = 1 if steady else len(values)
        if len(times) != count or (np.diff(times) <= 0).any():
            raise ValueError(f"time of the grid is {times}, expected {count} ascending, one for each velocity")
        one = checks.numbers("spacing of the grid", self.spacing).ndim == 0
        size = (self.spacing,) * 3 if one else self.spacing
        spacing = checks.vector("spacing of the grid", size, "[m]")
        checks.number("smallest spacing of the grid", min(spacing), above=0, unit="m")
        kept = {"velocity": values[None] if steady else values, "time": times, "spacing": spacing}
        axes = self.periodic if isinstance(self.periodic, str) else checks.listed("periodic", self.periodic, "x")
        kept["periodic"] = tuple(checks.one_of("periodic axis", axis, AXES) for axis in axes)
        for name, value in kept.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "origin", checks.vector("origin", self.origin, "[m]"))
        for array in (self.velocity, self.time):
            array.flags.writeable = False

    @classmethod
    def read(cls, path: str | PathLike, *, periodic: str | tuple[str, ...] = ()) -> GriddedFlow:
        """A grid from a file, HDF5 or NPZ, with `velocity` and `x`, `y`, `z`, the places of its nodes along each axis.

        Parameters
        ----------
        path : path
            With data sets or arrays of these names, and `time` if there are several. In HDF5 each has an attribute
            `unit` (or `si_unit`), which says m s-1 or m/s, m and s; the arrays of an NPZ file are in SI units.
        periodic : str or list of str
            Axes.

        Raises
        ------
        OSError, ValueError
            If there is no such file, it lacks something, has no or other units, or its nodes are not evenly spaced.
        """
        path = Path(path)
        found = _hdf5(path) if path.suffix in (".h5", ".hdf5") else _npz(path)
        spacing = []
        for axis in AXES:
            nodes = found[axis]
            steps = np.diff(nodes)
            if nodes.ndim != 1 or len(nodes) < 2 or not (np.abs(steps - steps.mean()) <= EVEN * steps.mean()).all():
                raise ValueError(f"{axis} of {path} is not at least two nodes, ascending and evenly spaced")
            spacing.append(float(steps.mean()))
        nodes = tuple(len(found[axis]) for axis in AXES)
        if found["velocity"].shape[-4:-1] != nodes:
            raise ValueError(f"velocity of {path} has shape {found['velocity'].shape}, its axes have {nodes} nodes")
        times = {"time": found["time"]} if "time" in found else {}
        origin = tuple(float(found[axis][0]) for axis in AXES)
        return cls(velocity=found["velocity"], spacing=tuple(spacing), origin=origin, periodic=periodic, **times)

    def __repr__(self) -> str:
        """Size and place of the grid."""
        nodes = " x ".join(map(str, self.velocity.shape[1:4]))
        times = f" at {len(self.time)} times" if len(self.time) > 1 else ""
        return f"GriddedFlow({nodes} nodes{times}, spacing={self.spacing}, origin={self.origin})"

    @cached_property
    def values(self) -> np.ndarray:
        """Velocity and gradient of each node (T, nx, ny, nz, 12), see `dem.kernels.fluid.gridded`."""
        columns = []
        for k, axis in enumerate(AXES):
            if axis in self.periodic:
                ahead, behind = (np.roll(self.velocity, step, axis=k + 1) for step in (-1, 1))
                columns.append((ahead - behind) / (2 * self.spacing[k]))
            else:
                order = 2 if self.velocity.shape[k + 1] > 2 else 1
                columns.append(np.gradient(self.velocity, self.spacing[k], axis=k + 1, edge_order=order))
        slopes = np.stack(columns, axis=-1).reshape(*self.velocity.shape[:-1], 9)
        return np.ascontiguousarray(np.concatenate([self.velocity, slopes], axis=-1))

    def saved(self) -> dict[str, object]:
        """Values that files store, without the arrays (`ARRAYS`), which are separate data sets."""
        return {"spacing": self.spacing, "origin": self.origin, "periodic": self.periodic}

    def _numbers(self, density: float, viscosity: float) -> tuple:
        around = tuple(int(axis in self.periodic) for axis in AXES)
        return self.values, self.time.copy(), self.origin, self.spacing, around

    def _largest_rate(self, viscosity: float) -> float:
        return float(np.abs(self.values[..., 3:12]).max())

    def shortest_time(self, viscosity: float) -> float:
        """Shortest time of change, see `Flow.shortest_time`, at most the interval between given velocities."""
        return min([super().shortest_time(viscosity), *np.diff(self.time).tolist()])

    def outside(self, position: np.ndarray) -> np.ndarray:
        """Whether positions (N, 3) are outside of the grid (N,)."""
        node = (np.asarray(position) - self.origin) / self.spacing
        last = np.array(self.velocity.shape[1:4]) - 1
        bounded = np.array([axis not in self.periodic for axis in AXES])
        return (((node < -EVEN) | (node > last + EVEN)) & bounded).any(1)


UNITS = {"velocity": ("m s-1", "m/s"), "x": ("m",), "y": ("m",), "z": ("m",), "time": ("s",)}


def _npz(path: Path) -> dict[str, np.ndarray]:
    """Arrays of an NPZ file, in SI units."""
    with np.load(path) as file:
        return _needed(path, {name: file[name] for name in UNITS if name in file.files})


def _hdf5(path: Path) -> dict[str, np.ndarray]:
    """Data sets of an HDF5 file, with checked units."""
    import h5py  # noqa: PLC0415, takes a moment

    found = {}
    with h5py.File(path, "r") as file:
        for name, units in UNITS.items():
            if name in file:
                unit = file[name].attrs.get("unit", file[name].attrs.get("si_unit", "none"))
                unit = unit.decode() if isinstance(unit, bytes) else unit
                if unit not in units:
                    raise ValueError(f"{name} of {path} has the unit {unit}: let its attribute unit say {units[0]}")
                found[name] = file[name][()]
    return _needed(path, found)


def _needed(path: Path, found: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    lacking = [name for name in UNITS if name not in found and name != "time"]
    if lacking:
        raise ValueError(f"{path} has no {', '.join(lacking)}: a grid has velocity, x, y and z, and time if it changes")
    return found


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class FunctionFlow(Flow):
    """A velocity by a function of time and place, u(t, x, y, z), compiled by numba.

    Its gradient is found by central differences over a hundredth of the smallest particle.

    Parameters
    ----------
    function : callable
        Of t, x, y, z [s, m], by these names; returns three numbers [m/s]. To be saved it must be at the top of a
        module.

    Raises
    ------
    TypeError
        If it is no such function.

    Examples
    --------
    >>> def stretching(t, x, y, z):
    ...     return (x, -y, 0.0)
    >>> FunctionFlow(function=stretching)
    FunctionFlow(stretching)
    """

    type: str = kind("function")
    function: Callable
    _keep: list = field(default_factory=list, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Check the arguments of the function."""
        plain = getattr(self.function, "py_func", self.function)
        if not inspect.isfunction(plain) or list(inspect.signature(plain).parameters) != ARGUMENTS:
            message = f"function is {self.function!r}, expected a function of (t, x, y, z) that returns three numbers"
            raise TypeError(message)

    def __repr__(self) -> str:
        """Name of the function."""
        return f"FunctionFlow({self.function.__name__})"

    def field(self, *, length: float, time: float, **_: float) -> tuple:
        """Field for the kernels, see `Flow.field`."""
        from dem.kernels.compiler.c_functions import compile_velocity  # noqa: PLC0415, runs are read without numba
        from dem.kernels.fluid.user_function import UserFunction  # noqa: PLC0415, likewise

        try:
            u = np.asarray(self.function(0.0, 0.0, 0.0, 0.0), float)
            address, keep = compile_velocity(self.function)
        except Exception as error:
            raise TypeError(f"{self} cannot be compiled: {str(error).strip().splitlines()[-1]}") from error
        if u.shape != (3,):
            raise TypeError(f"{self} returned {u} at t = x = y = z = 0, expected three numbers [m/s]")
        self._keep.append(keep)  # its machine code, while the flow is there
        return UserFunction(address, 0.01 * length, 0.5 * time)

    def saved(self) -> dict[str, str]:
        """Name by which files identify the function; raises TypeError if it has none."""
        plain = getattr(self.function, "py_func", self.function)
        if plain.__qualname__ != plain.__name__ or plain.__module__ == "__main__":
            raise TypeError(f"{self} cannot be saved: put it at the top of a module that can be imported")
        return {"function": f"{plain.__module__}:{plain.__name__}"}

    @classmethod
    def restored(cls, values: dict[str, str]) -> FunctionFlow:
        """The function of that name."""
        try:
            return cls(function=named(checks.text("function of the flow", values["function"])))
        except (TypeError, ValueError) as error:
            raise ValueError(f"the flow cannot be computed: {error}") from None
