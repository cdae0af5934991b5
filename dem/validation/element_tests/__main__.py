"""Compute a grid of runs with many processes: ``python -m dem.validation.element_tests STUDY -o FOLDER``."""

from __future__ import annotations

import argparse
import importlib.util
import multiprocessing
import os
import time
from pathlib import Path

from dem.validation.element_tests import (
    boundaries,
    grids,
    jammed_packings,
    shear_flow,
    sheared_gas,
    small_strains,
    triaxial,
)
from dem.validation.granular_beds import clumps, dice

STUDIES = {
    study.name: study
    for study in (
        shear_flow.RHEOLOGY,
        triaxial.DRAINED,
        sheared_gas.GASES,
        boundaries.COMPARED,
        boundaries.OEDOMETERS,
        small_strains.MODULI,
        jammed_packings.JAMMED_PACKINGS,
        dice.DICE_PACKING,
        clumps.GRAINS_AND_CLUMPS,
    )
}


def main() -> None:
    """Read the options, compute what they ask for, and write rows and report."""
    parser = argparse.ArgumentParser(prog="python -m dem.validation.element_tests", description=__doc__)
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder")
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count(), help="default: one a core")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter runs")
    parser.add_argument("--grid", action="append", default=[], metavar="KEY=V,V", help="values of a parameter")
    parser.add_argument("--rows", type=Path, help="report these rows, which were computed before")
    given = parser.parse_args()
    study = STUDIES[given.study]
    given.output.mkdir(parents=True, exist_ok=True)
    file = given.output / f"{study.name}-rows.json"
    if given.rows:
        rows = grids.load(given.rows, study.name)
    else:
        if given.processes > 1:
            os.environ["NUMBA_NUM_THREADS"] = "1"  # of the processes to come
        chosen = {key: grids.values_of(values) for key, _, values in (word.partition("=") for word in given.grid)}
        try:
            points = study.points((study.quick if given.quick else {}) | chosen)
        except ValueError as error:
            parser.error(str(error))
        rows, start = [], time.perf_counter()
        for row in study.rows(points, given.processes):
            rows.append(row)
            grids.save(file, study.name, rows)
            short = {key: value for key, value in row.items() if not isinstance(value, list)}
            print(f"{len(rows)}/{len(points)} after {time.perf_counter() - start:.0f} s: {short}", flush=True)
    report = study.report(rows)
    if importlib.util.find_spec("matplotlib") is None:
        report.figures.clear()
    report.write(given.output)
    print(report.page())


if __name__ == "__main__":
    main()
