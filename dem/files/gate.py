"""What a trajectory says is checked before it is used, whoever wrote it; all that read one go through here.

First what HDF5 lets it claim (`dem.files.structure`), then its words: shapes against each other, indices against
tables, numbers finite, sizes against memory. Of the frames themselves only the shapes are looked at: they are read when
they are asked for, and the last one before a run broke may well hold what is not finite. What a run goes on from is
checked when it does, where it is known what fits: see `dem.files.checkpoint`.
"""

from __future__ import annotations

import h5py
import numpy as np

from dem.base import checks
from dem.base.json_texts import parsed
from dem.files import layout, structure
from dem.files.schema import FORMAT, PARTICLES
from dem.files.structure import UNREADABLE, check_memory, damaged, require
from dem.model.box import Box, Motion
from dem.model.fields import STATE
from dem.model.materials import Material
from dem.model.shapes import MOST_SPHERES

A_PARTICLE, A_SPHERE, A_FRAME = 512, 128, 256  # bytes for each that reading and drawing may need at once
TEXTS = ("verdict", "error", "event", "kernels", "command", "started")  # attributes of the parameters
TABLES = ("versions", "machine")  # those that are JSON


def problem(file: h5py.File) -> str | None:
    """What keeps an open file from being read as a trajectory, in words."""
    found = structure.problem(file)
    if found:
        return found
    try:
        written = int(file["parameters"].attrs["format"])
        complete = all(f"{PARTICLES}/{name}" in file for name in ("position/step", "position/value"))
    except UNREADABLE:
        return "is not a trajectory of this engine"
    if written > FORMAT:
        return f"has format {written}, this version reads up to {FORMAT}: upgrade pcdm-dem"
    if not complete:
        return "is not a complete trajectory: the run ended before its first frame"
    try:
        _check(file, written)
    except UNREADABLE as error:
        return damaged(error)
    return None


def text(dataset: h5py.Dataset) -> str:
    """What a data set of one text says; raises ValueError if it is none."""
    name = dataset.name
    require(isinstance(dataset, h5py.Dataset) and dataset.shape == (), f"{name} is no single text")
    require(h5py.check_string_dtype(dataset.dtype) is not None, f"{name} is no text")
    return dataset.asstr()[()]


def box_of(given: dict | None) -> Box | None:
    """The box as the input of a run describes it; raises ValueError or TypeError if there can be none."""
    if given is None:
        return None
    motion = {face: Motion(**moved) for face, moved in given["motion"].items()}
    return Box(**{**given, "material": Material(**given["material"]), "motion": motion})


def numbers(file: h5py.Group, name: str, shape: tuple[int | None, ...], types: str = "f") -> h5py.Dataset:
    """A data set of numbers, None standing for any length; raises ValueError if it is something else."""
    found = file.get(name)
    require(isinstance(found, h5py.Dataset), f"it has no data set {name}")
    wanted = " x ".join("any" if length is None else str(length) for length in shape) or "one number"
    fits = len(found.shape or ()) == len(shape) and found.shape is not None
    fits = fits and all(length in (None, there) for length, there in zip(shape, found.shape, strict=True))
    require(fits, f"{name} has the shape {found.shape}, expected {wanted}")
    require(found.dtype.kind in types, f"{name} is of the type {found.dtype}, expected numbers")
    return found


def finite(file: h5py.Group, name: str, shape: tuple[int | None, ...], *, above: float = -np.inf) -> np.ndarray:
    """The values of such a data set, all finite and above a bound."""
    values = numbers(file, name, shape)[()]
    require(bool(np.isfinite(values).all()), f"{name} holds values that are not finite")
    require(bool((values > above).all()), f"{name} holds {np.min(values, initial=np.inf):g}, expected above {above:g}")
    return values


def number(file: h5py.Group, name: str, **bounds: float) -> float:
    """The value of a data set of one finite number within bounds, as of `dem.base.checks.number`."""
    return checks.number(name, float(numbers(file, name, ())[()]), **bounds)


def arrays(file: h5py.Group, name: str) -> dict[str, np.ndarray]:
    """The values of all data sets of a group, by name."""
    group = file.get(name)
    whole = isinstance(group, h5py.Group) and all(isinstance(each, h5py.Dataset) for each in group.values())
    require(whole, f"it has no group {name} of data sets")
    return {key: dataset[()] for key, dataset in group.items()}


def indices(file: h5py.Group, name: str, count: int | None, most: int) -> np.ndarray:
    """The values of a data set of indices from 0 to below a bound."""
    values = numbers(file, name, (count,), "iu")[()]
    wrong = np.flatnonzero((values < 0) | (values >= most))
    require(not wrong.size, f"{name} is {values[wrong[:1]]} in row {wrong[:1]}, expected 0 to {most - 1}")
    return values


def _check(file: h5py.File, written: int) -> None:
    particles = len(numbers(file, f"{PARTICLES}/species", (None,), "iu"))
    check_memory(A_PARTICLE * particles, f"{particles} particles")
    finite(file, f"{PARTICLES}/mass", (particles,), above=0)
    _check_frames(file, particles)
    _check_attributes(file, particles)
    if written < FORMAT:
        return  # which does not tell the shapes
    kinds = _check_kinds(file, particles)
    _check_input(parsed(text(file["parameters/input"]), "the input"), particles, kinds)
    for name in ("start", "latest"):
        if f"restart/{name}" in file:
            numbers(file, f"restart/{name}/particles/kind", (particles,), "iu")


def _check_frames(file: h5py.File, particles: int) -> None:
    """As many rows as there are frames, each as wide as the particles need."""
    group = file[PARTICLES]
    frames = len(numbers(group, "position/step", (None,), "iu"))
    check_memory(A_FRAME * frames, f"{frames} frames")
    time, step = finite(group, "position/time", (None,)), group["position/step"][:]
    for name, values in (("position/time", time), ("position/step", step)):
        require(len(values) >= frames, f"{name} has {len(values)} rows for {frames} frames")
        require(bool((np.diff(values) >= 0).all()), f"{name} goes backwards")
    require(not frames or step[0] >= 0, "position/step is negative")
    shapes = {name: (None, particles, field.width) for name, field in STATE.items()}
    for name, dataset in layout.frame_datasets(file).items():
        if name not in ("time", "step"):
            rows = numbers(file, dataset.name, shapes.get(name, (None, 3) if name == "edges" else (None,)))
            require(len(rows) >= frames, f"{dataset.name} has {len(rows)} rows for {frames} frames")


def _check_kinds(file: h5py.File, particles: int) -> int:
    """Spheres and mass properties of all kinds, and that the particles are of these; returns their number."""
    kinds = file["parameters/kinds"]
    count = len(finite(kinds, "volume", (None,), above=0))
    finite(kinds, "mass", (count,), above=0)
    finite(kinds, "inertia", (count, 3), above=0)
    spheres = len(finite(kinds, "radii", (None,), above=0))
    finite(kinds, "offsets", (spheres, 3))
    first = indices(kinds, "first", count + 1, spheres + 1)
    each = np.diff(first.astype(np.int64))
    fits = first[0] == 0 and first[-1] == spheres and bool(((each > 0) & (each <= MOST_SPHERES)).all())
    require(fits, f"first does not share {spheres} spheres out among {count} kinds")
    kind = indices(file, f"{PARTICLES}/species", particles, count)
    balls = int(np.bincount(kind, minlength=count) @ each)
    check_memory(A_SPHERE * balls, f"{balls} spheres")
    return count


def _check_input(given: object, particles: int, kinds: int) -> None:
    """What readers use of the input; the rest is shown as it is."""
    require(isinstance(given, dict), "the input is no table")
    require(given["particles"] == particles, f"the input is of {given['particles']} particles, there are {particles}")
    named = _tables(given["kinds"], "kinds of the input")
    require(len(named) == kinds, f"the input has {len(named)} kinds, the file {kinds}")
    require(all(isinstance(kind["shape"], str) for kind in named), "a kind of the input has no name of its shape")
    checks.vector("gravity of the input", given["gravity"], "[m/s2]")
    box_of(given["box"])
    if given.get("time_step") is not None:
        checks.number("time_step of the input", given["time_step"], above=0, unit="s")
    require(all(isinstance(given.get(name, ""), str) for name in ("case", "integrator")), "a name of the input is none")
    require(isinstance(given.get("parameters", {}), dict), "the parameters of the input are no table")
    contacts = given.get("contacts") or {}
    if not isinstance(contacts, dict):
        for contact in _tables(contacts, "contacts of the input"):
            require(len(_tables(contact["materials"], "materials of a contact")) == 2, "a contact is not of two")


def _tables(given: object, what: str) -> list[dict]:
    require(isinstance(given, list) and all(isinstance(each, dict) for each in given), f"the {what} are no list")
    return given


def _check_attributes(file: h5py.File, particles: int) -> None:
    """What stands beside the numbers in words."""
    about = file["parameters"].attrs
    for name in TEXTS:
        require(isinstance(about.get(name, ""), str), f"{name} is no text")
    for name in TABLES:
        require(isinstance(parsed(about.get(name, "{}"), name), dict), f"{name} is no table")
    _tables(parsed(about.get("resumed", "[]"), "resumed"), "stretches of the run")
    checks.number("wall_time", about.get("wall_time", 0.0), least=0, unit="s")
    whom = np.asarray(about.get("event_particles", np.zeros(0, np.int64)))
    named = whom.dtype.kind in "iu" and bool(((whom >= 0) & (whom < particles)).all())
    require(named, f"event_particles names particles that are none of the {particles}")
