"""Reproduce the published tables and figures next to exact values: `dem validate`."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from dem.base import checks
from dem.base.text import counted
from dem.validation import (
    adhesion,
    annuli,
    bonds,
    bulk,
    capsules,
    comparison,
    cooling,
    falling,
    fluidised,
    granular,
    heaps,
    impacts,
    jamming,
    losses,
    oblique,
    peers,
    rolling,
    rotation,
    settling,
    silos,
    slopes,
    spheroids,
    springs,
    surfaces,
    tumbling,
    ways,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dem.validation.report import Report

STUDIES: dict[str, Callable[..., Report]] = {
    "zhao-fig2": falling.one_fibre,
    "zhao-fig3-5": falling.nine_fibres,
    "sphere": rotation.sphere,
    "convergence": rotation.convergence,
    "seelen-fig1": rotation.top,
    "seelen-fig5": rotation.cylinders,
    "comparison": comparison.comparison,
    "chung-ooi-normal": impacts.normal,
    "chung-ooi-oblique": oblique.tests_4_to_8,
    "maw": annuli.partial_slip,
    "mfix": granular.mfix,
    "impact-order": slopes.convergence,
    "incline": slopes.incline,
    "impact-energy": losses.energy,
    "haff": cooling.haff,
    "cooling": ways.cooling,
    "rolling": rolling.resistance,
    "linear": springs.linear,
    "hysteretic": springs.hysteretic,
    "jkr": adhesion.jkr,
    "dmt": adhesion.dmt,
    "bridge": adhesion.bridge,
    "bonds": bonds.closed_forms,
    "fluidised-bed": fluidised.fluidisation,
    "capsules": capsules.capsules,
    "capsule-packing": jamming.packings,
    "fibre-forms": heaps.forms,
    "lammps": peers.lammps,
    "terminal": settling.terminal,
    "settling": settling.drift,
    "fibres-in-water": settling.in_water,
    "spheroids": spheroids.equivalent,
    "jeffery": tumbling.jeffery,
    "sheared-fibres": tumbling.sheared,
    "cellular": tumbling.cellular,
    "impact": bulk.impact,
    "silo": bulk.silo,
    "drum": bulk.drum,
    "beverloo": silos.beverloo,
    "janssen": silos.janssen,
    "bagnold": surfaces.bagnold,
    "drum-angle": surfaces.drum,
    "repose": surfaces.repose,
}
LONG: dict[str, Callable[..., Report]] = {
    "impact-25k": bulk.impact_25k,
    "silo-100k": bulk.silo_100k,
    "drum-38k": bulk.drum_38k,
}
"""Studies that take from half an hour to days: done when they are named, not with all others."""


def study(name: str) -> Callable[..., Report]:
    """Look up a study; raises ValueError with the nearest name."""
    known = STUDIES | LONG
    return known[checks.one_of("study", name, known)]


def check_folder(folder: Path) -> None:
    """Refuse a folder that holds anything or cannot be written to; refuse to start without matplotlib."""
    if importlib.util.find_spec("matplotlib") is None:
        message = "dem validate draws with matplotlib, which is not installed: pip install 'pcdm-dem[plot]'"
        raise ValueError(message)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        message = f"output {folder} exists already and is not an empty folder: choose another name"
        raise ValueError(message)
    checks.folder(folder, parents=True)


def write_index(folder: Path, reports: list[Report]) -> None:
    """Write README.md with a line for each study."""
    lines = ["# Published tables and figures, reproduced", ""]
    for report in reports:
        passed = f"{'PASS' if report.passed else 'FAIL'}, {counted(len(report.checks), 'check')}"
        lines.append(f"- [{report.title}]({report.name}.md): {passed}")
    (folder / "README.md").write_text("\n".join(lines) + "\n")
