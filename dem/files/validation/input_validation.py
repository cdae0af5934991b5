"""Validate the contents of a trajectory before they are used; every reader of trajectories calls this.

First what HDF5 lets a file claim (`hdf5_validation.py`), then its contents: shapes against each other, indices against
tables, numbers finite, sizes against memory. Of the frames only the shapes are checked: frames
are read on access, and the last one before a failure may contain values that are not finite. A checkpoint is checked
when a run continues from it, see `dem.files.checkpoints.checkpoint`.
"""

from __future__ import annotations

from dataclasses import fields

import h5py
import numpy as np

from dem.base import checks
from dem.base.parsing import parse_json
from dem.base.text import counted
from dem.files.h5md import bonds, cell, growing_tables, layout, variable_population, walls
from dem.files.h5md.schema import FORMAT, PARTICLES, variants_in
from dem.files.validation import hdf5_validation
from dem.files.validation.hdf5_validation import (
    UNREADABLE,
    check_memory,
    damaged,
    finite,
    indices,
    numbers,
    require,
    size_of,
    tables,
    text,
)
from dem.model.domain.box import Box, Motion
from dem.model.domain.cell import Cell
from dem.model.materials import Material
from dem.model.particles.fields import STATE
from dem.model.shapes.shape import MAX_SPHERES

A_PARTICLE, A_SPHERE, A_FRAME = 512, 128, 256  # bytes for each that reading and drawing may need at once
FACES = 6  # of a box
TEXTS = ("verdict", "error", "event", "kernels", "command", "started")  # attributes of the parameters
TABLES = ("versions", "machine", "hook", "table")  # those that are JSON

CHECKPOINT = "pcdm-dem checkpoint"  # how the format of one begins
ELSEWHERE = (
    "is a checkpoint and no trajectory: dem.Simulation.load, or dem.HardSpheres.load or dem.StochasticSpheres.load, "
    "continues from it"
)
RECORDS = {
    growing_tables.CHANGES: (growing_tables.CHANGED,),
    growing_tables.CONTACTS: (growing_tables.CONTACT, growing_tables.CONTACT_WITH_COUPLE),
    growing_tables.EVENTS: (variable_population.EVENT,),
}


def problem(file: h5py.File) -> str | None:
    """Reason why an open file is not a readable trajectory, or None."""
    found = hdf5_validation.problem(file)
    if found:
        return found
    try:
        written = int(file["parameters"].attrs["format"])
        complete = all(f"{PARTICLES}/{name}" in file for name in ("position/step", "position/value"))
    except UNREADABLE:
        return ELSEWHERE if is_checkpoint(file) else "is not a trajectory of this engine"
    if written > FORMAT:
        return f"has format {written}, this version reads up to {FORMAT}: upgrade pcdm-dem"
    if not complete:
        return "is not a complete trajectory: the run ended before its first frame"
    try:
        _check(file, written)
    except UNREADABLE as error:
        return damaged(error)
    return None


def is_checkpoint(file: h5py.File) -> bool:
    """Whether a file was written by `save` of a simulation."""
    return str(file.attrs.get("format", "")).startswith(CHECKPOINT)


def box_of(given: dict | None) -> Box | None:
    """Box described in the input of a run; raises ValueError or TypeError for an invalid description."""
    if given is None:
        return None
    if "edges" in given:
        names = ("edges", "rate", "rate_changes", "stress", "gain", "fastest", "control", "mass", "damping")
        return Cell(**{name: given[name] for name in names if name in given})
    motion = {face: _motion(**moved) for face, moved in given["motion"].items()}
    return Box(**{**given, "material": Material(**given["material"]), "motion": motion})


def _motion(*, amplitude: object = (0, 0, 0), frequency: float = 0.0, **rest: object) -> Motion:
    """Motion of a wall; version 0.1.0 accepted incomplete vibrations, which moved nothing."""
    swing, rate = checks.vector("amplitude", amplitude, "[m]"), checks.number("frequency", frequency)
    vibration = {"amplitude": swing, "frequency": rate} if rate and any(swing) else {"phase": 0.0}
    return Motion(**rest | vibration)


def check_contacts(rows: np.ndarray, particles: int, walls: int = 0) -> None:
    """Raise ValueError unless the contacts in a file refer to existing particles and walls."""
    of = (rows["i"] >= 0) & (rows["i"] < particles) & (rows["j"] >= -FACES - walls) & (rows["j"] < particles)
    require(bool(of.all()), f"contacts are of others than the {counted(particles, 'particle')} and the walls")


def _check(file: h5py.File, written: int) -> None:
    particles = len(numbers(file, f"{PARTICLES}/species", (None,), "iu"))
    varies = variable_population.has_varying_number(file)
    check_memory(A_PARTICLE * particles, f"{particles} particles")
    finite(file, f"{PARTICLES}/mass", (particles,), above=0)
    _check_frames(file, None if varies else particles)
    _check_attributes(file, variable_population.last(file) if varies else particles)
    _check_logs(file)
    if written < 2:
        return  # which does not contain the shapes
    variants = _check_variants(file, particles)
    given = parse_json(text(file["parameters/input"]), "the input")
    _check_input(given, given.get("particles") if varies and isinstance(given, dict) else particles)
    kinds = _check_kinds(given["kinds"], sizes=written > 2)
    indices(file, f"{PARTICLES}/species", particles, kinds)
    require(written > 2 or kinds == variants, f"the input has {counted(kinds, 'kind')}, the file {variants}")
    for name in ("start", "latest"):
        if f"restart/{name}" in file:
            for numbered in ("kind", "variant") if written > 2 else ("kind",):
                numbers(file, f"restart/{name}/particles/{numbered}", (None if varies else particles,), "iu")


def _check_frames(file: h5py.File, particles: int | None) -> None:
    """Check that datasets have one row for each frame, and one column for each particle if their number is constant."""
    group = file[PARTICLES]
    frames = len(numbers(group, "position/step", (None,), "iu"))
    check_memory(A_FRAME * frames, f"{frames} frames")
    time, step = finite(group, "position/time", (None,)), group["position/step"][:]
    for name, values in (("position/time", time), ("position/step", step)):
        require(len(values) >= frames, f"{name} has {counted(len(values), 'row')} for {counted(frames, 'frame')}")
        require(bool((np.diff(values) >= 0).all()), f"{name} goes backwards")
    require(not frames or step[0] >= 0, "position/step is negative")
    shapes = {name: (None, particles, field.width) for name, field in STATE.items()}
    shapes |= {f"walls/{name}": (None, count_walls(file), *shape) for name, (shape, _) in walls.ELEMENTS.items()}
    shapes |= {name: (None, None) for name in walls.datasets(file) if name.startswith(f"{walls.GROUP}/{walls.WORN}")}
    if particles is None:
        shapes[variable_population.ID] = (None, None)
        variable_population.check(file)
    shapes |= {f"{cell.GROUP}/{name}": (None, *shape) for name, (shape, _) in cell.ELEMENTS.items()}
    shapes["edges"] = (None, 3, 3) if cell.GROUP in file else (None, 3)
    shapes |= bonds.shapes(file)
    for name, dataset in layout.frame_datasets(file).items():
        if name not in ("time", "step"):
            types = "iu" if name in (layout.NUMBER, variable_population.ID) else "f"
            rows = numbers(file, dataset.name, shapes.get(name, (None,)), types)
            counts = f"{counted(len(rows), 'row')} for {counted(frames, 'frame')}"
            require(len(rows) >= frames, f"{dataset.name} has {counts}")


def count_walls(file: h5py.File) -> int:
    """Number of walls beside the box."""
    if walls.GROUP not in file:
        return 0
    return len(tables(parse_json(text(file[f"{walls.GROUP}/definition"]), "the walls"), "walls"))


def _check_logs(file: h5py.File) -> None:
    """Check the record types of tables that grow independently of frames."""
    found = growing_tables.tables_in(file)
    for name, log in found.items():
        there = isinstance(log, h5py.Dataset) and len(log.shape or ()) == 1
        right = there and log.dtype in RECORDS[name] if name in RECORDS else there and _is_table(log.dtype)
        require(right, f"{name} holds no rows of such a table")
        if name != growing_tables.CONTACTS:  # which are read frame by frame
            check_memory(size_of(log), f"the table {name}")
    if layout.NUMBER in file:
        number = indices(file, layout.NUMBER, None, np.iinfo(np.int32).max)
        rows, used = len(found[growing_tables.CONTACTS]), int(number[: len(file[f"{PARTICLES}/position/step"])].sum())
        require(used <= rows, f"{used} contacts are counted, {rows} are there")


def _is_table(dtype: np.dtype) -> bool:
    """Whether a dataset has records of numbers with a time."""
    return dtype.names is not None and "time" in dtype.names and all(dtype[n].kind in "iuf" for n in dtype.names)


def _check_variants(file: h5py.File, particles: int) -> int:
    """Validate spheres and mass properties of all variants, and the variants of particles; returns their number."""
    number, group = variants_in(file)
    count = len(finite(group, "volume", (None,), above=0))
    finite(group, "mass", (count,), above=0)
    finite(group, "inertia", (count, 3), above=0)
    if "fixed" in group:
        indices(group, "fixed", count, 2)
    spheres = len(finite(group, "radii", (None,), above=0))
    finite(group, "offsets", (spheres, 3))
    first = indices(group, "first", count + 1, spheres + 1)
    each = np.diff(first.astype(np.int64))
    fits = first[0] == 0 and first[-1] == spheres and bool(((each > 0) & (each <= MAX_SPHERES)).all())
    require(fits, f"first does not share {counted(spheres, 'sphere')} out among {counted(count, 'variant')}")
    variant = indices(file, number.name, particles, count)
    balls = int(np.bincount(variant, minlength=count) @ each)
    check_memory(A_SPHERE * balls, f"{balls} spheres")
    if "surface" in group:
        _check_surfaces(group, count)
    return count


def _check_surfaces(group: h5py.Group, variants: int) -> None:
    """Validate surfaces of variants, see `dem.files.h5md.surfaces`."""
    finite(group, "surface_scale", (variants,), above=0)
    vertices = len(finite(group, "surface_vertices", (None, 3)))
    first = numbers(group, "surface_first", (None, 2), "iu")[()].astype(np.int64)
    triangles = numbers(group, "surface_triangles", (None, 3), "iu")[()]
    lengths = np.diff(first, axis=0)
    fits = len(first) > 1 and not first[0].any() and first[-1].tolist() == [vertices, len(triangles)]
    require(fits and bool((lengths > 0).all()), "surface_first does not share out the vertices of all surfaces")
    indices(group, "surface", variants, len(first))
    most = np.repeat(lengths[:, 0], lengths[:, 1])[:, None]
    require(bool(((triangles >= 0) & (triangles < most)).all()), "surface_triangles names vertices that are not there")


def _check_input(given: object, particles: int) -> None:
    """Validate those values of the input that readers use; the others are only shown."""
    require(isinstance(given, dict), "the input is no table")
    counted_in_input = counted(given["particles"], "particle")
    require(given["particles"] == particles, f"the input is of {counted_in_input}, the file of {particles}")
    checks.vector("gravity of the input", given["gravity"], "[m/s2]")
    box_of(given["box"])
    if given.get("time_step") is not None:
        checks.number("time_step of the input", given["time_step"], above=0, unit="s")
    require(all(isinstance(given.get(name, ""), str) for name in ("case", "integrator")), "a name of the input is none")
    require(isinstance(given.get("parameters", {}), dict), "the parameters of the input are no table")
    contacts = given.get("contacts") or {}
    if not isinstance(contacts, dict):
        for contact in tables(contacts, "contacts of the input"):
            require(len(tables(contact["materials"], "materials of a contact")) == 2, "a contact is not of two")


def _check_kinds(given: object, *, sizes: bool) -> int:
    """Validate names, materials and, if stored, sizes of all kinds in the input; returns the number of kinds."""
    named = tables(given, "kinds of the input")
    for kind in named:
        require(isinstance(kind["shape"], str), "a kind of the input has no name of its shape")
        material = kind["material"]  # a user's own may have more
        Material(**{each.name: material[each.name] for each in fields(Material) if each.name in material})
        if sizes:
            checks.text("name of a kind", kind["name"])
            checks.whole("particles of a kind", kind["particles"], least=0)
            require(isinstance(kind["sizes"], dict), "the sizes of a kind are no table")
            require(all(map(_is_size, kind["sizes"].values())), "a size of a kind is none")
    return len(named)


def _is_size(value: object) -> bool:
    """Whether a size is one value, or a description of many as by `dem.model.particles.kinds.distribution`."""
    if not isinstance(value, dict):
        return True
    numbers = all(isinstance(each, (int, float)) for each in value.values())
    return numbers and "different" in value and ("least" in value) == ("most" in value)


def _check_attributes(file: h5py.File, particles: int) -> None:
    """Validate the text attributes of datasets."""
    about = file["parameters"].attrs
    for name in TEXTS:
        require(isinstance(about.get(name, ""), str), f"{name} is no text")
    for name in TABLES:
        require(isinstance(parse_json(about.get(name, "{}"), name), dict), f"{name} is no table")
    if "table" in about:
        columns = parse_json(about["table"], "table")["columns"]
        require(isinstance(columns, list) and all(isinstance(name, str) for name in columns), "columns are no names")
        checks.number("every of the table", parse_json(about["table"], "table")["every"], above=0)
    tables(parse_json(about.get("resumed", "[]"), "resumed"), "stretches of the run")
    checks.number("wall_time", about.get("wall_time", 0.0), least=0, unit="s")
    particles_concerned = np.asarray(about.get("event_particles", np.zeros(0, np.int64)))
    named = particles_concerned.dtype.kind in "iu" and bool(
        ((particles_concerned >= 0) & (particles_concerned < particles)).all()
    )
    require(named, f"event_particles names particles that are none of the {particles}")
