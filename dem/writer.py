"""Write trajectories: HDF5 in the H5MD 1.1 layout, flushed at every frame.

P. de Buyl, P. Colberg, F. Höfling, Comput. Phys. Commun. 185 (2014) 1546. What MDAnalysis needs beyond it: one
particles group named `trajectory`, explicit step and time, the edges of a periodic box at every frame, no unit on
position (its table has no metre). Positions go on beyond a periodic box. Orientation follows H5MD proposal 104:
quaternion, scalar first, body to world. Energies are totals of the system, so they do not go
by the names of H5MD's thermodynamics module, which are averages per particle. The default file version is kept: a
killed writer then leaves a file that opens with every flushed frame, where libver="latest" would not.
"""

from __future__ import annotations

import json
import math
import os
import platform
from dataclasses import asdict, fields, is_dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import h5py
import numpy as np

from dem.energy import Energy

if TYPE_CHECKING:
    from os import PathLike
    from types import TracebackType

    from dem.hard_spheres import HardSpheres, HardVerdict
    from dem.simulation import Simulation
    from dem.verdict import Verdict

FORMAT = 2  # of what is ours: parameters, names of observables
CHUNK_BYTES = 1 << 18
# name -> width, unit attribute in H5MD's spelling, further attributes
FIELDS = {
    "position": (3, None, {"si_unit": "m"}),
    "velocity": (3, "m s-1", {}),
    "orientation": (4, None, {"component_order": "w x y z", "frame": "body_to_world"}),
    "angular_velocity": (3, "rad s-1", {"frame": "world"}),
}
ENERGIES = (*Energy._fields, "total")


class TrajectoryWriter:
    """Context manager that appends frames of a simulation to a new file.

    Raises
    ------
    FileExistsError
        If the file exists and is not to be overwritten.
    OSError
        If it cannot be written.
    """

    def __init__(self, path: str | PathLike, sim: Simulation | HardSpheres, *, overwrite: bool = False) -> None:
        self.path = Path(path)
        self.sim = sim
        self.frames = 0
        self.last_time = -math.inf
        described = json.dumps(describe(sim))
        if self.path.exists() and not self.path.is_file():
            what = "a folder" if self.path.is_dir() else "no regular file"
            message = f"output {self.path} cannot be written: it is {what}"
            raise OSError(message)
        if overwrite and self.path.exists():
            self._remove()
        try:
            self._file = h5py.File(self.path, "x")
        except FileExistsError:
            message = f"output {self.path} exists already: choose another name, or --overwrite (overwrite=True)"
            raise FileExistsError(message) from None
        except OSError as error:
            message = f"output {self.path} cannot be written: {_reason(self.path, error)}"
            raise OSError(message) from None
        self._describe(described)
        self._create()
        self._file.flush()

    def _remove(self) -> None:
        """Remove the old file, unless somebody has it open: HDF5 would empty it before it finds that out."""
        try:
            h5py.File(self.path, "r+").close()
        except BlockingIOError:
            message = f"output {self.path} is being read or written by another process: choose another name"
            raise OSError(message) from None
        except OSError:
            pass  # no HDF5 file, so no lock either
        self.path.unlink()

    def __enter__(self) -> TrajectoryWriter:
        """Return itself."""
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the file, saying what broke the run if anything did."""
        if error is not None and self._file:
            self._file["parameters"].attrs["error"] = f"{type(error).__name__}: {error}"
        self._file.close()

    def _describe(self, described: str) -> None:
        file = self._file
        h5md = file.create_group("h5md")
        h5md.attrs["version"] = np.array([1, 1], np.int32)
        h5md.create_group("author").attrs["name"] = np.bytes_(b"unknown")
        creator = h5md.create_group("creator")
        creator.attrs["name"] = np.bytes_(b"pcdm-dem")
        creator.attrs["version"] = np.bytes_(version("pcdm-dem").encode())
        units = h5md.create_group("modules/units")
        units.attrs["version"] = np.array([1, 0], np.int32)
        units.attrs["system"] = np.bytes_(b"SI")
        parameters = file.create_group("parameters")
        parameters.attrs["format"] = FORMAT
        parameters.attrs["input"] = described
        versions = {name: version(name) for name in ("pcdm-dem", "numba", "numpy", "h5py")}
        versions["python"] = platform.python_version()
        parameters.attrs["versions"] = json.dumps(versions)
        for number, (shape, material) in enumerate(self.sim.particles.kinds):
            kind = parameters.create_group(f"kinds/{number}")
            kind["offsets"], kind["radii"] = shape.offsets, shape.radii
            properties = shape.mass_properties(material.density)
            for name in ("volume", "mass", "inertia"):
                kind[name] = getattr(properties, name)

    def _create(self) -> None:
        n = len(self.sim.particles)
        group = self._file.create_group("particles/trajectory")
        box = group.create_group("box")
        box.attrs["dimension"] = 3
        periodic = self.sim.box.periodic if self.sim.box else ()
        box.attrs["boundary"] = np.array([b"periodic" if axis in periodic else b"none" for axis in "xyz"])
        group["mass"] = self.sim.particles.mass
        group["mass"].attrs["unit"] = np.bytes_(b"kg")
        group["species"] = self.sim.particles.kind
        self._step = _extendable(group, "position/step", (), np.int64)
        self._time = _extendable(group, "position/time", (), np.float64)
        self._time.attrs["unit"] = "s"  # variable length: MDAnalysis cannot read the fixed strings of the standard
        self._values = {}
        if periodic:
            self._values["edges"] = self._element(box, "edges", (3,))
        for name, (width, unit, attributes) in FIELDS.items():
            self._values[name] = self._element(group, name, (n, width))
            if unit:
                self._values[name].attrs["unit"] = unit
            self._values[name].attrs.update(attributes)
        observables = self._file.create_group("observables")
        self._energies = {name: self._element(observables, f"{name}_energy", ()) for name in ENERGIES}
        for dataset in self._energies.values():
            dataset.attrs["unit"] = "J"

    def _element(self, group: h5py.Group, name: str, shape: tuple[int, ...]) -> h5py.Dataset:
        """A time-dependent element whose step and time are those of the positions."""
        element = group.require_group(name)
        if "step" not in element:
            element["step"], element["time"] = self._step, self._time
        return _extendable(element, "value", shape, np.float64)

    def append(self) -> None:
        """Write the present state as a frame and flush it."""
        sim, k = self.sim, self.frames
        energy = sim.energy()
        rows = {name: getattr(sim.particles, name) for name in FIELDS}
        rows["edges"] = self.sim.box and self.sim.box.size
        rows |= {name: getattr(energy, name) for name in ENERGIES}
        # step and time last: a frame counts once it has them
        for name, dataset in (*self._values.items(), *self._energies.items()):
            dataset.resize(k + 1, axis=0)
            dataset[k] = rows[name]
        step = getattr(sim, "step_count", k)  # events come without steps: then the number of the frame
        for dataset, value in ((self._time, sim.time), (self._step, step)):
            dataset.resize(k + 1, axis=0)
            dataset[k] = value
        self.frames += 1
        self.last_time = sim.time
        self._file.flush()

    def close_with(self, verdict: Verdict | HardVerdict, *, interrupted: bool) -> None:
        """Note the verdict of the run, and whether it was stopped by hand."""
        stopped = "interrupted; " if interrupted else ""
        self._file["parameters"].attrs["verdict"] = stopped + str(verdict)


def describe(sim: Simulation | HardSpheres) -> dict:
    """The resolved input of a simulation: all that a reader needs to set it up again, but for the particles' state."""
    kinds = [
        {"shape": type(shape).__name__, **_fields(shape), "material": _fields(material)}
        for shape, material in sim.particles.kinds
    ]
    box = sim.box and asdict(sim.box)
    return {
        **sim.description,
        **sim.settings,
        "gravity": sim.gravity,
        "box": box,
        "kinds": kinds,
        "particles": len(sim.particles),
    }


def _fields(thing: object) -> dict:
    """What a shape or material was made from; for a user's own shape that is no dataclass, its repr."""
    if not is_dataclass(thing):
        return {"repr": repr(thing)}
    values = {field.name: getattr(thing, field.name) for field in fields(thing)}
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values.items()}


def _extendable(group: h5py.Group, name: str, shape: tuple[int, ...], dtype: type) -> h5py.Dataset:
    """Empty dataset (0, *shape) that grows by frames, chunked for one frame as well as for one particle's history."""
    row = 8 * int(np.prod(shape))
    frames = max(1, min(1024, CHUNK_BYTES // row))
    most = max(1, CHUNK_BYTES // 8 // (shape[1] if len(shape) > 1 else 1))
    chunk = (frames, *(min(length, most) for length in shape))
    return group.create_dataset(name, (0, *shape), dtype, maxshape=(None, *shape), chunks=chunk)


def _reason(path: Path, error: OSError) -> str:
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    return os.strerror(error.errno).lower() if error.errno else str(error).lower().rstrip(".")
