"""Compile the kernels of cases in advance: after installation, in an image, or before a job on a cluster."""

from __future__ import annotations

import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from dem.base.cpu_info import cores
from dem.case.find import case, names
from dem.case.study import StudyCase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dem.case.bases import Case, HardSphereCase

ENOUGH = 5000  # bodies that are spread over threads
MANY = ("many-spheres", "many-fibres")
LAWS = ({}, {"restitution": 0.8}, {"restitution": 0.8, "friction": 0.3})


def everything() -> Iterator[tuple[str, dict]]:
    """All cases; spheres and fibres without losses, with damping, and with friction, on one and on several threads."""
    for name in names():
        with suppress(ValueError):  # it cannot be loaded: that is told when it is to be prepared
            yield name, dict(case(name).compiled_by)
            continue
        yield name, {}
    for law in LAWS:
        for name in MANY:
            yield name, {"n": 30, **law}
            if cores() > 1:
                yield name, {"n": ENOUGH, **law}


def prepare(
    choose: Callable[[str, dict], Case | HardSphereCase | StudyCase], name: str, settings: dict, beside: int
) -> float:
    """Compile the kernels of a case by a run of one step, with at most a number of other compiling processes.

    Returns the seconds that took.
    """
    from dem.base import compilation  # noqa: PLC0415, needs numba, which is for the processes that compile

    compilation.SILENT, compilation.BESIDE = True, beside
    start = time.perf_counter()
    case = choose(name, settings)
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(case, StudyCase):
            case.write(Path(folder, "table.csv"))
        else:
            sim = case.simulation()
            sim.run(sim.time_step or 1e-9, output=Path(folder, "run.h5"), frames=1, force=True)
    return time.perf_counter() - start


def prepare_all(
    choose: Callable[[str, dict], Case | HardSphereCase | StudyCase], jobs: list[tuple[str, dict]], processes: int
) -> Iterator[tuple[str, dict, float | Exception]]:
    """Compile the kernels of several cases at the same time; yields name, settings, and seconds or the error."""
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        beside = max(cores() // processes - 1, 0)
        waiting = {pool.submit(prepare, choose, *job, beside): job for job in jobs}
        for done in as_completed(waiting):
            error = done.exception()
            yield *waiting[done], done.result() if error is None else error
