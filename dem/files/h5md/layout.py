"""Groups and data sets of a trajectory: HDF5 in the layout of H5MD 1.1.

P. de Buyl, P. Colberg, F. Höfling, Comput. Phys. Commun. 185 (2014) 1546. MDAnalysis needs, beyond H5MD, one
particles group named `trajectory`, explicit step and time, the edges of a periodic box at every frame, no unit on
position (its table has no metre). Positions are not wrapped into a periodic box. Orientation follows H5MD proposal 104:
quaternion, scalar first, body to world. Energies are totals of the system, so they do not go by the names of H5MD's
thermodynamics module, which are averages per particle. The default file version is kept, which all readers know.

`parameters` holds the input of the run as JSON, the shapes of all variants, and the machine and versions; `restart` the
state at the start and at the latest checkpoint, see `dem.files.checkpoints.checkpoint`; `VTKHDF` shows the same
data to ParaView, see `dem.files.h5md.vtkhdf`.
"""

from __future__ import annotations

import json
import os
import platform
import shlex
import sys
import time
from dataclasses import asdict
from importlib.metadata import version
from typing import TYPE_CHECKING

import h5py
import numpy as np

from dem.base.cpu_info import processor
from dem.base.parsing import parse_json
from dem.base.text import printable
from dem.files.h5md import bonds, cell, growing_tables, surfaces, variable_population, vtkhdf, walls
from dem.files.h5md.schema import ENERGIES, FORMAT, PARTICLES, attributes, energies_in, energies_of
from dem.model.contact.law_registry import plain
from dem.model.domain.box import AXES
from dem.model.domain.cell import Cell
from dem.model.particles.fields import STATE
from dem.model.particles.kinds import is_fixed
from dem.model.shapes.capsule import chain
from dem.model.walls.wall import described

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.files.writing.output_settings import Output
    from dem.system.system import System

CHUNK_BYTES = 1 << 18
ROOM = 250  # numbers of 8 bytes, the room for attributes
NUMBER = "contacts/number"  # of contacts at each frame, if they are written


def create(file: h5py.File, sim: System, output: Output) -> None:
    """Create the groups and datasets of an empty trajectory."""
    write_authorship(file)
    parameters = file.create_group("parameters")
    parameters.attrs["format"] = FORMAT
    parameters["input"] = json.dumps(describe(sim))
    for name, value in provenance(sim).items():
        parameters.attrs[name] = value if isinstance(value, (str, int, float)) else json.dumps(value)
    _write_variants(parameters.create_group("variants"), sim)
    _create_elements(file, sim, output)


def reserve_room(file: h5py.File) -> None:
    """Reserve room for names and attributes that are added later.

    Without it, HDF5 moves the list of names and the attributes of the run to the end of the file when it needs more
    room. A file that loses its end would lose them, and `dem.repair` could save nothing.
    """
    file.create_group(vtkhdf.GROUP)  # empty up to the first checkpoint
    about = file["parameters"].attrs
    about["room"] = np.zeros(ROOM)
    about["wall_time"] = 0.0  # before the room is freed: HDF5 shortens a list of attributes whose end is free
    del about["room"]


def write_authorship(file: h5py.File) -> None:
    """Write version, author, creator and units, which H5MD requires."""
    h5md = file.create_group("h5md")
    h5md.attrs["version"] = np.array([1, 1], np.int32)
    h5md.create_group("author").attrs["name"] = np.bytes_(b"unknown")
    creator = h5md.create_group("creator")
    creator.attrs["name"] = np.bytes_(b"pcdm-dem")
    creator.attrs["version"] = np.bytes_(version("pcdm-dem").encode())
    units = h5md.create_group("modules/units")
    units.attrs["version"] = np.array([1, 0], np.int32)
    units.attrs["system"] = np.bytes_(b"SI")


def _write_variants(group: h5py.Group, sim: System) -> None:
    """Write spheres, surfaces and mass properties of all variants; spheres of variant k begin at first[k]."""
    variants = sim.particles.variants
    properties = [shape.mass_properties(material.density) for shape, material in variants]
    chains = [chain(shape) for shape, _ in variants]
    group["offsets"] = np.concatenate([offsets for offsets, _ in chains])
    group["radii"] = np.concatenate([radii for _, radii in chains])
    group["first"] = np.cumsum([0, *(len(radii) for _, radii in chains)])
    surfaces.write(group, [shape for shape, _ in variants], [len(radii) for _, radii in chains])
    for name in ("volume", "mass", "inertia"):
        group[name] = np.array([getattr(p, name) for p in properties])
    if any(is_fixed(each) for each in variants):
        group["fixed"] = np.array([is_fixed(each) for each in variants], np.uint8)


def create_box(group: h5py.Group, periodic: Sequence[str]) -> h5py.Group:
    """Create the box group of H5MD, without edges."""
    box = group.create_group("box")
    box.attrs["dimension"] = 3
    box.attrs["boundary"] = np.array([b"periodic" if axis in periodic else b"none" for axis in AXES])
    return box


def _create_elements(file: h5py.File, sim: System, output: Output) -> None:
    n = len(sim.particles)
    group = file.create_group(PARTICLES)
    periodic = sim.box.periodic if sim.box else ()
    box = create_box(group, periodic)
    if sim.population:
        variable_population.create_tables(group)
    else:
        group["mass"] = sim.particles.mass
        group["species"] = sim.particles.kind
        group["variant"] = sim.particles.variant
    group["mass"].attrs["unit"] = np.bytes_(b"kg")
    _extendable(group, "position/step", (), np.int64)
    # variable length: MDAnalysis cannot read the fixed strings of the standard
    _extendable(group, "position/time", (), np.float64).attrs["unit"] = "s"
    if periodic:
        _element(file, box, "edges", (3, 3) if isinstance(sim.box, Cell) else (3,))
    dtype = np.float32 if output.float32 else np.float64
    if sim.population:
        _element(file, group, variable_population.ID, (), np.int64, expected_number=sim.population.expected(n))
        growing_tables.create(file, growing_tables.EVENTS, variable_population.EVENT, variable_population.UNITS)
    computed = set(sim.particles.fields) - set(sim.not_integrated)
    for name in [name for name in output.fields if name in computed and not STATE[name].hidden]:
        if sim.population:
            expected_number = sim.population.expected(n)
            dataset = _element(
                file, group, name, (STATE[name].width,), dtype, output.compression, expected_number=expected_number
            )
        else:
            dataset = _element(file, group, name, (n, STATE[name].width), dtype, output.compression)
        dataset.attrs.update(attributes(name))
    if output.contacts:
        _extendable(file.create_group("contacts"), "number", (), np.int64)
        growing_tables.create_contacts(file, couples=sim.has_contact_couples)
    observables = file.create_group("observables")
    walls.create(file, sim, _element)
    bonds.create(file, sim, _element)
    cell.create(file, sim, _element)
    for name in energies_of(fluid=bool(sim.fluid), insertion=bool(sim.population)):
        _element(file, observables, f"{name}_energy", ()).attrs["unit"] = "J"


def _element(
    file: h5py.File, group: h5py.Group, name: str, shape: tuple[int, ...], dtype: type = np.float64,
    compression: str | None = None, *, expected_number: int | None = None,
) -> h5py.Dataset:  # fmt: skip
    """Create a time-dependent element; with `expected_number` of particles if their number varies."""
    element = group.require_group(name)
    if "step" not in element:
        element["step"], element["time"] = (file[f"{PARTICLES}/position/{part}"] for part in ("step", "time"))
    if expected_number is not None:
        return variable_population.growing(element, "value", shape, dtype, expected_number, compression)
    return _extendable(element, "value", shape, dtype, compression)


def _extendable(
    group: h5py.Group, name: str, shape: tuple[int, ...], dtype: type, compression: str | None = None
) -> h5py.Dataset:
    """Create an empty dataset (0, *shape) that grows by frames, with chunks for access by frame and by particle."""
    row = np.dtype(dtype).itemsize * int(np.prod(shape))
    frames = max(1, min(1024, CHUNK_BYTES // row))
    most = max(1, CHUNK_BYTES // 8 // (shape[1] if len(shape) > 1 else 1))
    chunk = (frames, *(min(length, most) for length in shape))
    packed = {"compression": compression, "shuffle": True} if compression else {}
    return group.create_dataset(name, (0, *shape), dtype, maxshape=(None, *shape), chunks=chunk, **packed)


def frame_datasets(file: h5py.File) -> dict[str, h5py.Dataset]:
    """All datasets with one row a frame, by name; step and time are last, as they complete a frame."""
    group = file[PARTICLES]
    found = {name: group[f"{name}/value"] for name in (*STATE, variable_population.ID) if name in group}
    if "edges" in group["box"]:
        found["edges"] = group["box/edges/value"]
    if NUMBER in file:
        found[NUMBER] = file[NUMBER]
    found |= walls.datasets(file) | bonds.datasets(file) | cell.datasets(file)
    found |= {name: file[f"observables/{name}_energy/value"] for name in energies_in(file)}
    return found | {name: group[f"position/{name}"] for name in ("time", "step")}


def rows(sim: System, frame: int, *, contacts: bool = False) -> dict[str, object]:
    """Rows of `frame_datasets` for the current state, and of the log of contacts if it is written."""
    energy = sim.energy()
    found, box = {}, sim.box
    forces = sim.contact_forces() if contacts or isinstance(box, Cell) else None
    if contacts:
        found = {NUMBER: len(forces.i), growing_tables.CONTACTS: forces}
    return {
        **found,
        **walls.rows(sim),
        **({variable_population.ID: sim.identities} if sim.population else {}),
        **bonds.rows(sim),
        **{name: sim.particles.field(name) for name in sim.particles.fields},
        "edges": box and box.size,
        **(cell.rows(sim, forces) if isinstance(box, Cell) else {}),
        **{name: getattr(energy, name) for name in ENERGIES},
        "time": sim.time,
        "step": frame if sim.step_count is None else sim.step_count,  # without steps the number of the frame
    }


def difference(stored: dict[str, h5py.Dataset], present: dict[str, object], k: int) -> str | None:
    """First difference between frame k of a file and the current state, in words; None if they are equal to the bit."""
    for name, dataset in stored.items():
        old, new = dataset[k], variable_population.padded(present[name], dataset)
        if old.shape != new.shape:
            return f"{name} has {len(new)} rows in place of {len(old)} at t = {float(stored['time'][k]):.6g} s"
        if old.tobytes() != new.tobytes():
            return f"{name} by {np.nanmax(np.abs(old - new)):.3g} at t = {float(stored['time'][k]):.6g} s"
    return None


def describe(sim: System) -> dict:
    """Resolved input of a simulation: all that is needed to set it up again, except the state of the particles."""
    box = sim.box and asdict(sim.box) | {"material": sim.box.material and plain(sim.box.material)}
    description = {"walls": [described(each.wall, each.called) for each in sim.walls]} if sim.walls else {}
    description |= variable_population.describe(sim) if sim.population else {}
    return {
        **sim.description,
        **sim.settings,
        "gravity": sim.gravity,
        "box": box,
        **description,
        "kinds": sim.particles.describe(),
        "particles": len(sim.particles),
    }


def changed(file: h5py.File, sim: System) -> dict[str, tuple[object, object]]:
    """Versions and settings that differ from those at the start of the file, by name: old and new value."""
    now, then = provenance(sim), file["parameters"].attrs
    pairs = {"kernels": (then["kernels"], now["kernels"])}
    for group in ("versions", "machine"):
        old = parse_json(then[group], group)
        pairs |= {name: (old.get(name), value) for name, value in now[group].items()}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def provenance(sim: System) -> dict:
    """Software and machine of a run: everything besides the input on which its bytes may depend."""
    from dem.kernels.compiler.jit import FINGERPRINT  # noqa: PLC0415, runs are read without numba

    seed = sim.description.get("parameters", {}).get("seed", sim.box.seed if sim.box else None)
    return {
        "versions": {
            **{name: version(name) for name in ("pcdm-dem", "numba", "llvmlite", "numpy", "h5py")},
            "python": platform.python_version(),
        },
        "kernels": FINGERPRINT,
        "machine": {"cpu": processor(), "cores": os.cpu_count(), "system": platform.platform()},
        "threads": sim.threads,
        "seed": "none" if seed is None else seed,
        "command": printable(shlex.join(sys.argv)),
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    }
