"""Contents of the file of a run as properties: base class of `dem.Trajectory`."""

from __future__ import annotations

import math
import posixpath
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.base.parsing import parse_json
from dem.base.text import shown
from dem.base.user_classes import set_declared
from dem.files.checkpoints.serialization import variants_of
from dem.files.h5md import bonds, cell, growing_tables, surfaces, variable_population, walls
from dem.files.h5md.schema import energies_in, variants_in
from dem.files.reading.stored_field import AlignedField, StoredField, read_rows, unit_of
from dem.files.storage.journaled_file import open_to_read, unreadable
from dem.files.validation import hdf5_validation, input_validation
from dem.files.validation.hdf5_validation import DamagedError, damaged, require
from dem.model.materials import Material
from dem.model.particles.fields import FIELDS, STATE, load_fields
from dem.model.particles.kinds import Kind, described, distribution, numbered, of_kind
from dem.model.shapes.bodies import Variant

if TYPE_CHECKING:
    from os import PathLike

    import h5py

    from dem.files.h5md.bonds import StoredBonds
    from dem.files.h5md.walls import StoredWall
    from dem.model.bonds import Breakage
    from dem.model.domain.box import Box
    from dem.model.shapes.shape import Shape
    from dem.statistics.cell_state import CellState


class StoredRun:
    """Fields, energies and input of a run, or of some of its frames."""

    __setattr__ = set_declared

    path: Path
    _part: range | None = None  # of the frames in the file; None: all of them

    def __init__(self, path: str | PathLike) -> None:
        self.path = Path(path)
        self._folder = Path.cwd()
        checks.existing_file(self.path)
        try:
            self._file = open_to_read(self.path, input_validation.problem)
        except BlockingIOError:
            message = f"{self.path} is being written by another program: wait, or copy it and read the copy"
            raise ValueError(message) from None
        except OSError as error:
            raise ValueError(unreadable(self.path, error)) from None
        load_fields(self._field_names())

    def _field_names(self) -> set[str]:
        """Names of the stored fields, whether registered in this process or not."""
        stored = {name: each.get("value") for name, each in self._stored().items() if hasattr(each, "get")}
        return {name for name, values in stored.items() if values is not None and values.ndim == StoredField.ndim}

    @property
    def location(self) -> Path:
        """Absolute path of the file."""
        return self._folder / self.path

    def close(self) -> None:
        """Close the file; its datasets can no longer be read then."""
        self._file.close()

    def _stored(self, name: str = ".") -> h5py.Group | h5py.Dataset:
        """Object by its name in the particles group, or in the whole file if the name starts with /."""
        if not self._file:
            raise ValueError(f"{self.path} is closed: read what is wanted before")
        return self._file[posixpath.join("/particles/trajectory", name)]

    @property
    def frames(self) -> range:
        """Numbers in the file of the frames of this run or part."""
        return range(len(self._stored("position/step"))) if self._part is None else self._part

    @property
    def step(self) -> np.ndarray:
        """Step of each frame (T,)."""
        return read_rows(self._stored("position/step"), self.frames, slice(None))

    @property
    def time(self) -> np.ndarray:
        """Time of each frame (T,) [s]."""
        return read_rows(self._stored("position/time"), self.frames, slice(None))

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields in the file."""
        return tuple(name for name in STATE if f"{name}/value" in self._stored())

    @property
    def scalars(self) -> dict[str, str]:
        """Units of the scalar fields in the file, by name. Fields need not be registered in this process."""
        group, found = self._stored(), {}
        for name, each in group.items():
            values = each.get("value") if hasattr(each, "get") else None
            if values is not None and values.ndim == StoredField.ndim and values.shape[-1] == 1:
                found[name] = FIELDS[name].unit if name in FIELDS else unit_of(values)
        return found

    def field(self, name: str) -> StoredField:
        """Field by its name, ``axis`` included; raises ValueError with the available names."""
        values = self._values(name)
        if not self.varies:
            return StoredField(name, values, self.frames)
        return AlignedField(name, values, self.frames, self._stored(f"{variable_population.ID}/value"), self.identity)

    def _values(self, name: str) -> h5py.Dataset:
        """Dataset of a field, or of that which it is computed from; one look-up, as loops over frames come here."""
        stored = FIELDS[name].source or name if isinstance(name, str) and name in FIELDS else None
        try:
            if stored in STATE:
                return self._stored(f"{stored}/value")
        except KeyError:
            pass
        known, own = self.fields, self.scalars
        if name not in own:
            names = [*known, *(each for each in own if each not in known)]
            raise ValueError(f"{self.path} has no {name}: its fields are {', '.join(names)}")
        return self._stored(f"{name}/value")

    @cached_property
    def varies(self) -> bool:
        """Whether particles are inserted or removed in this run."""
        return variable_population.has_varying_number(self._stored("/"))

    @property
    def identity(self) -> np.ndarray:
        """Permanent number of the particle in each column (N,), of all particles that are ever in a frame."""
        return self._stored(variable_population.BORN)[:] if self.varies else np.arange(len(self.mass))

    def of(self, identity: int, field: str = "position") -> np.ndarray:
        """Values of one particle in each frame (T, k), by its number; NaN where it is absent.

        Raises ValueError if it is in no frame, or the file lacks the field, TypeError if it is no whole number.
        """
        identity = checks.whole("identity", identity, least=0)
        column = int(np.searchsorted(self.identity, identity))
        if column >= self.identity.size or self.identity[column] != identity:
            message = f"{self.path} has no particle {identity} in any frame, of {self.identity.size} that it has"
            raise ValueError(message)
        return self.field(field)[:, column]

    @property
    def events(self) -> np.ndarray:
        """Insertions and removals: step, time, particle, variant, gate, position and velocity.

        An array of records (K,), in SI units; a gate k from 0 on is inserter k, -1 - k is outlet k. Particles that were
        there at the start are not among them.
        """
        return self._log(growing_tables.EVENTS, variable_population.EVENT)

    def flow(self, gate: int | str = -1) -> tuple[np.ndarray, np.ndarray]:
        """Number of particles and mass [kg] that have passed a gate until each frame (T,), (T,), since the run began.

        Gates are those of `events`: 0 is the first inserter, -1 the first outlet; or the name of an inserter or outlet.
        Particles that were put in at the first step are in the first frame, and those taken out at the first step are
        not in it: neither count. Raises ValueError if the run has no such gate.
        """
        names = dict(enumerate(self.input.get("inserters") or ()))
        names |= {-1 - k: name for k, name in enumerate(self.input.get("outlets") or ())}
        numbers = [k for k, name in names.items() if gate in (k, name)]
        if not numbers:
            known = ", ".join(f"{k} ({name})" for k, name in names.items()) or "none"
            raise ValueError(f"{self.path} has no gate {shown(gate)}: its inserters and outlets are {known}")
        rows = self.events[np.isin(self.events["gate"], numbers)]
        mass = np.array([variant.mass for variant in self.variants])[rows["variant"]]
        at = np.searchsorted(rows["step"], self.step, side="right")
        return at, np.concatenate([[0.0], np.cumsum(mass)])[at]

    def __getattr__(self, name: str) -> StoredField:
        """A registered field (T, N, k)."""
        if name in STATE:
            return self.field(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    def series(self, name: str) -> StoredField:
        """Field by its name; the former name of `field`."""
        return self.field(name)

    @property
    def position(self) -> StoredField:
        """Centres of mass (T, N, 3) [m], not wrapped into a periodic box."""
        return self.field("position")

    @property
    def velocity(self) -> StoredField:
        """Velocities (T, N, 3) [m/s]."""
        return self.field("velocity")

    @property
    def orientation(self) -> StoredField:
        """Unit quaternions (T, N, 4), scalar first, body to world."""
        return self.field("orientation")

    @property
    def angular_velocity(self) -> StoredField:
        """Angular velocities (T, N, 3), world frame [rad/s]."""
        return self.field("angular_velocity")

    @property
    def axis(self) -> StoredField:
        """Unit vectors along the body x axes (T, N, 3), world frame; for a fibre its long axis."""
        return self.field("axis")

    @property
    def mass(self) -> np.ndarray:
        """Mass of each particle (N,) [kg]."""
        return self._stored("mass")[:]

    @property
    def kind(self) -> np.ndarray:
        """Number of each particle's kind (N,), an index into `kinds`."""
        stored = self._stored("species")[:]
        return stored if "variant" in self._stored() else np.array(self._named()[1], np.int32)[stored]

    @property
    def species(self) -> np.ndarray:
        """Number of each particle's kind (N,); the former name of `kind`, which H5MD requires in files."""
        return self.kind

    @property
    def kinds(self) -> list[Kind]:
        """Name, type of shape and material of each kind."""
        return self._named()[0]

    def of_kind(self, name: str) -> np.ndarray:
        """Mask (N,) of the particles of a kind, see `Particles.of_kind`; raises ValueError if there are none."""
        return of_kind(self.kinds, self.kind, name)

    def _named(self) -> tuple[list[Kind], list[int]]:
        """Kinds by their names in the input, and the kind of each stored one: format 2 names every size."""
        given = self.input["kinds"]
        named = (Kind(k.get("name", k["shape"].lower()), k["shape"], Material(**k["material"])) for k in given)
        return numbered(named)

    @property
    def variant(self) -> np.ndarray:
        """Number of each particle's variant (N,), an index into `variants`."""
        return variants_in(self._stored("/"))[0][:]

    @property
    def variants(self) -> list[Variant]:
        """Shape, size and mass properties of each variant, see `variant`."""
        if not {"kinds", "variants"} & self._stored("/parameters").keys():
            message = f"{self.path} has format 1, which does not tell the shapes: run it again with this version"
            raise ValueError(message)
        stored = {name: dataset[()] for name, dataset in variants_in(self._stored("/"))[1].items()}
        cuts = stored["first"][1:-1]
        spheres = (np.split(stored[name], cuts) for name in ("offsets", "radii"))
        drawn = surfaces.read(stored, len(stored["volume"]))
        rows = zip(*spheres, stored["volume"], stored["mass"], stored["inertia"], drawn, strict=True)
        return [Variant(*row) for row in rows]

    @property
    def fixed(self) -> np.ndarray:
        """Mask (N,) of fixed particles."""
        columns = variants_in(self._stored("/"))[1]
        if "fixed" not in columns:
            return np.zeros(len(self.variant), bool)
        return columns["fixed"][:].astype(bool)[self.variant]

    @property
    def shapes(self) -> list[tuple[Shape, Material]]:
        """Shape and material of each variant; raises ValueError if its class cannot be imported."""
        restart = self._stored("/restart")
        if "start" not in restart:
            raise ValueError(f"{self.path} does not tell how to make its shapes: {restart.attrs['unavailable']}")
        try:
            found = variants_of(parse_json(hdf5_validation.text(restart["start/input"]), "the state at the start"))
            require(len(found) == len(self.variants), "the state at the start has other shapes")
        except (DamagedError, KeyError, TypeError) as error:
            raise ValueError(f"{self.path} {damaged(error)}") from None
        return found

    def describe(self) -> list[dict]:
        """Description of each kind: name, shape, number of particles, sizes and material, see `Particles.describe`.

        Where the number of particles varies, all that were ever in a frame are counted. Their sizes are diameters of
        spheres, or of spheres of equal volume.
        """
        given = self.input["kinds"]
        if self.varies:
            rows = []
            for k, each in enumerate(given):
                which, counts = np.unique(self.variant[self.kind == k], return_counts=True)
                own = each | {"particles": int(counts.sum())}
                if each["shape"] == "Sphere" or not each["sizes"] or len(which) > 1:
                    own["sizes"] = distribution([_size(self.variants[v]) for v in which], counts.tolist())
                rows.append(own)
            return rows
        if "variant" in self._stored():
            return given
        sizes = [{key: value for key, value in each.items() if key not in {"shape", "material"}} for each in given]
        return described(self.kinds, self.kind, self.variant, sizes)

    @property
    def energy(self) -> dict[str, np.ndarray]:
        """Energies in each frame, (T,) [J] each: translational, ..., total; fluid if there is one.

        ``pandas.DataFrame(run.energy, index=run.time)`` is a table of them.
        """
        stored = self._stored("/observables")
        names = energies_in(stored)
        return {name: read_rows(stored[f"{name}_energy/value"], self.frames, slice(None)) for name in names}

    @property
    def changes(self) -> np.ndarray:
        """State changes by functions given to `Simulation.run`: step, time, work, new gravity.

        An array of records (K,), in SI units: ``pandas.DataFrame(run.changes[["time", "work"]])``.
        """
        return self._log(growing_tables.CHANGES, growing_tables.CHANGED)

    def _log(self, name: str, kind: np.dtype) -> np.ndarray:
        """Records of a log over the whole run; empty if the file has none."""
        file = self._stored("/")
        return file[name][:] if name in file else np.empty(0, kind)

    @property
    def table(self) -> np.ndarray:
        """Running table of the run: an array of records (K,) with the requested columns.

        ``pandas.DataFrame(run.table)`` is it as pandas has it; SI units are those of `dem.run.running_table.COLUMNS`.
        """
        return self._log(growing_tables.TABLE, np.dtype([("time", "<f8")]))

    @property
    def box(self) -> Box | None:
        """Box as given to the simulation; `Frame.walls` and `cell` have the current positions of moving faces."""
        return input_validation.box_of(self.input["box"])

    @property
    def cell(self) -> CellState | None:
        """State of the `dem.Cell` in each frame, arrays (T, ...) as in `Simulation.cell`; None without one."""
        return self._cell(slice(None))

    def _cell(self, key: object) -> CellState | None:
        """State of the cell in the frames that a key selects."""
        stored = cell.datasets(self._stored("/"))
        if not stored:
            return None
        values = {name.partition("/")[2]: read_rows(rows, self.frames, key) for name, rows in stored.items()}
        return cell.state(read_rows(self._stored("box/edges/value"), self.frames, key), values)

    @property
    def walls(self) -> tuple[StoredWall, ...]:
        """Walls beside the box, each with its `wall`, `name`, and arrays of poses and loads by frame."""
        return walls.stored(self._stored("/"), self.frames, self.time)

    @property
    def bonds(self) -> StoredBonds | None:
        """The bonds, with arrays of their state by frame; None without bonds."""
        return bonds.stored(self._stored("/"), self.frames, self.time, len(self.kind))

    @property
    def breakages(self) -> list[Breakage]:
        """Broken bonds with the times of breakage, up to the last of these frames."""
        return bonds.breakages(self.bonds, self.input.get("time_step"))

    @property
    def input(self) -> dict:
        """Resolved input of the run."""
        parameters = self._stored("/parameters")
        given = hdf5_validation.text(parameters["input"]) if "input" in parameters else parameters.attrs["input"]
        return parse_json(given, "the input")

    @property
    def versions(self) -> dict:
        """Versions of the engine and its libraries when the file was written."""
        return parse_json(self._stored("/parameters").attrs["versions"], "versions")

    @property
    def verdict(self) -> str | None:
        """Verdict of a run that has ended, or was stopped by the user, in one line."""
        return self._stored("/parameters").attrs.get("verdict")

    @property
    def error(self) -> str | None:
        """Error message of a run that failed, or None."""
        return self._stored("/parameters").attrs.get("error")

    @property
    def event_particles(self) -> list[int]:
        """Particles involved in a failure, in the file of the steps before it (``run.crash.h5``); else empty."""
        return [int(n) for n in self._stored("/parameters").attrs.get("event_particles", ())]


def _size(variant: Variant) -> dict[str, float]:
    """Diameter of a sphere, or of the sphere with the volume of another shape [m], by name."""
    if variant.surface is None and len(variant.radii) == 1:
        return {"diameter": 2 * float(variant.radii[0])}
    return {"equal_volume_diameter": (6 * float(variant.volume) / math.pi) ** (1 / 3)}
