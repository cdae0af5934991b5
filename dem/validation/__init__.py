"""Reproduce published tables and figures next to exact values: ``dem validate``.

A study is a function that returns a `Report`; `STUDIES` lists all of them by name.

- `contacts/`: single impacts, adhesion, rolling, sliding
- `rotation/`: bodies under torque, falling fibres, all integrators
- `fibres/`: capsules, chains of spheres, bonds, heaps and packings of fibres
- `fluids/`: settling, fibres in flows, fluidised beds
- `granular_beds/`: silos, drums, heaps, impacts
- `element_tests/`: lattices, gases, flows and packings in periodic cells that deform
- `granular_gas.py`, `heat.py`: cooling; conduction, and heat of other kinds
- `report.py`: pages, numbers and pictures that a study leaves behind
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from dem.base import checks
from dem.base.imports import installed, load_installed
from dem.base.text import counted
from dem.validation import granular_gas, heat
from dem.validation.contacts import (
    adhesion,
    chung_ooi,
    convergence_and_incline,
    convex_energy,
    energy_losses,
    lammps_impacts,
    mfix_cases,
    partial_slip,
    rolling,
    springs,
)
from dem.validation.element_tests import (
    boundaries,
    jammed_packings,
    lattices,
    reductions,
    shear_flow,
    sheared_gas,
    small_strains,
    triaxial,
)
from dem.validation.fibres import bonds, capsules, dense_packings, fibre_shapes
from dem.validation.fluids import fibres_in_flow, fluidised_bed, settling
from dem.validation.granular_beds import bulk_benchmarks, clumps, dice, silos, surfaces
from dem.validation.rotation import bodies_under_torque, falling_fibres, integrator_comparison

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dem.validation.report import Report

STUDIES: dict[str, Callable[..., Report]] = {
    "zhao-fig2": falling_fibres.one_fibre,
    "zhao-fig3-5": falling_fibres.nine_fibres,
    "sphere": bodies_under_torque.sphere,
    "convergence": bodies_under_torque.convergence,
    "seelen-fig1": bodies_under_torque.top,
    "seelen-fig5": bodies_under_torque.cylinders,
    "comparison": integrator_comparison.comparison,
    "chung-ooi-normal": chung_ooi.normal,
    "chung-ooi-oblique": chung_ooi.tests_4_to_8,
    "maw": partial_slip.partial_slip,
    "mfix": mfix_cases.mfix,
    "impact-order": convergence_and_incline.convergence,
    "incline": convergence_and_incline.incline,
    "impact-energy": energy_losses.energy,
    "haff": granular_gas.haff,
    "cooling": granular_gas.cooling,
    "heat": heat.closed_forms,
    "heated-bed": heat.heated_bed,
    "rolling": rolling.resistance,
    "linear": springs.linear,
    "hysteretic": springs.hysteretic,
    "eepa": springs.eepa,
    "jkr": adhesion.jkr,
    "dmt": adhesion.dmt,
    "bridge": adhesion.bridge,
    "bonds": bonds.closed_forms,
    "fluidised-bed": fluidised_bed.fluidisation,
    "capsules": capsules.capsules,
    "capsule-packing": dense_packings.packings,
    "convex-energy": convex_energy.energies,
    "ellipsoid-packing": dense_packings.ellipsoid_packings,
    "jammed-packings": jammed_packings.JAMMED_PACKINGS,
    "dice-packing": dice.DICE_PACKING,
    "grains-and-clumps": clumps.GRAINS_AND_CLUMPS,
    "fibre-forms": fibre_shapes.forms,
    "lammps": lammps_impacts.lammps,
    "terminal": settling.terminal,
    "settling": settling.drift,
    "fibres-in-water": settling.in_water,
    "spheroids": fibres_in_flow.equivalent,
    "jeffery": fibres_in_flow.jeffery,
    "sheared-fibres": fibres_in_flow.sheared,
    "cellular": fibres_in_flow.cellular,
    "impact": bulk_benchmarks.impact,
    "silo": bulk_benchmarks.silo,
    "drum": bulk_benchmarks.drum,
    "beverloo": silos.beverloo,
    "janssen": silos.janssen,
    "bagnold": surfaces.bagnold,
    "drum-angle": surfaces.drum,
    "repose": surfaces.repose,
    "fcc-lattices": lattices.lattices,
    "cell-reductions": reductions.report,
    "small-strains": small_strains.MODULI,
    "sheared-gas": sheared_gas.GASES,
    "triaxial-cell": triaxial.DRAINED,
    "triaxial-walls": boundaries.COMPARED,
    "oedometer-walls": boundaries.OEDOMETERS,
    "shear-rheology": shear_flow.RHEOLOGY,
}
LONG: dict[str, Callable[..., Report]] = {
    "impact-25k": bulk_benchmarks.impact_25k,
    "silo-100k": bulk_benchmarks.silo_100k,
    "drum-38k": bulk_benchmarks.drum_38k,
}
"""Studies that take from half an hour to days: done when they are named, not with all others."""


GROUP = "dem.studies"  # entry-point group of studies by their name; any installed package may add to it


def names() -> list[str]:
    """Names of all studies, those that installed packages declare last."""
    return list(dict.fromkeys([*STUDIES, *LONG, *installed(GROUP)]))


def study(name: str) -> Callable[..., Report]:
    """Look up a study; raises ValueError with the nearest name, or if its package cannot be loaded.

    A study of another package is a function ``study(quick=False)`` that returns a `Report`.
    """
    known = STUDIES | LONG
    return known[name] if name in known else load_installed(GROUP, "study", name, known)


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
