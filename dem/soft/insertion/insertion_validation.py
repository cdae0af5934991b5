"""Check that the state of inserters and outlets in a file fits the engine and the input of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.files.validation.hdf5_validation import check_finite, check_within, require
from dem.soft.insertion.inserter_in_run import NEVER

if TYPE_CHECKING:
    from dem.soft.engine import Engine

WHAT = "traffic"
ANY = {"identity", "kind", "species", "waits", "who", "then"}  # arrays of any length


def check_population(given: dict[str, np.ndarray], engine: Engine) -> None:
    """Raise DamagedError, saying what does not fit, unless a run can go on from these arrays."""
    population, own = engine.population, engine.population_state()
    require(given.keys() == own.keys(), f"{WHAT} is not of the inserters and outlets that there are")
    if population is None:
        return
    for name, values in own.items():
        there, length = given[name], name.rpartition("_")[2] in ANY
        alike = there.dtype == values.dtype and there.ndim == values.ndim and (length or there.shape == values.shape)
        require(alike, f"{WHAT}/{name} is {there.dtype} of shape {there.shape}, expected {values.dtype}")
    check_finite(WHAT, {name: values for name, values in given.items() if values.dtype.kind == "f"})
    born, _ = given["books_born"].tolist()
    identity = given["identity"]
    require(identity.size == engine.owned, f"{WHAT}/identity is of {identity.size} particles")
    ascending = bool((np.diff(identity) > 0).all()) and (not identity.size or 0 <= identity[0] <= identity[-1] < born)
    require(ascending, f"{WHAT}/identity does not ascend from 0 to {born - 1}")
    require(np.array_equal(given["kind"], engine.by_row(engine.bodies.kind)), f"{WHAT}/kind is not that of particles")
    require(given["species"].size == identity.size, f"{WHAT}/species is not of these particles")
    check_within(f"{WHAT}/species", given["species"], 0, len(population.kinds) - 1)
    for name, values in given.items():
        last = name.rpartition("_")[2]
        if last in ("numbers", "counts", "waits", "who", "born"):
            check_within(f"{WHAT}/{name}", values, 0, NEVER)
    for k in range(len(population.sinks)):
        who, then = given[f"sink_{k}_who"], given[f"sink_{k}_then"]
        require(then.shape == (3, who.size) and bool((np.diff(who) > 0).all()), f"{WHAT}/sink_{k}_then is of others")
