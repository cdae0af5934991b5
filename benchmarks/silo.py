"""`python -m benchmarks.silo [--until T] [--coarse C] [--softness S] [--orifice O]`: the silo of Dosta et al. (2024).

In LAMMPS and here, from the same bed, one core each: how many grains are above the orifice every tenth of a second, and
seconds for all of it. LAMMPS is found as by `dem bench --against lammps`; its silo is a cone and a cylinder, both open.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.impact import G, in_lammps, law, row
from dem.case import case

if TYPE_CHECKING:
    from dem.soft.simulation import Simulation

EVERY, BELOW = 0.1, 0.05  # [s]; how far below the orifice LAMMPS forgets grains [m]


def write(sim: Simulation, profile: list[tuple[float, float]], steel: object, folder: Path, steps: list[int]) -> None:
    """Write in.dem and data.dem; LAMMPS prints the number of grains above the orifice at intervals."""
    p, ((hole, lip), (wide, shoulder), _) = sim.particles, profile
    shape, grain = p.variants[0]
    d, edge = float(shape.diameter), 1.1 * wide
    head = f"written by pcdm-dem\n\n{len(p)} atoms\n1 atom types\n{-edge} {edge} xlo xhi\n{-edge} {edge} ylo yhi\n"
    atoms = [f"{i} 1 {d!r} {grain.density!r} {row(x)}" for i, x in enumerate(p.position, 1)]
    top = float(p.position[:, 2].max()) + 2 * d
    (folder / "data.dem").write_text("\n".join([f"{head}{lip - BELOW} {top} zlo zhi\n", "Atoms\n", *atoms, ""]))
    wall = f"wall/gran/region granular {law(sim, grain, steel)} region"
    script = [
        "units si", "atom_style sphere", "atom_modify map array", "boundary f f f", "newton off", "comm_modify vel yes",
        "read_data data.dem", "pair_style granular", f"pair_coeff 1 1 {law(sim, grain, grain)}",
        f"region cone cone z 0 0 {hole!r} {wide!r} {lip!r} {shoulder!r} side in open 1 open 2",
        f"region tube cylinder z 0 0 {wide!r} {shoulder!r} {shoulder + 1!r} side in open 1 open 2",
        f"fix cone all {wall} cone", f"fix tube all {wall} tube", f"fix weight all gravity {G!r} vector 0 0 -1",
        "fix motion all nve/sphere", f"neighbor {0.1 * d!r} bin", "neigh_modify delay 0 every 1 check yes",
        f"timestep {sim.time_step!r}", f"region above block INF INF INF INF {lip!r} INF",
        "variable above equal count(all,above)", "thermo_style custom step v_above", "thermo_modify lost ignore",
        f"thermo {steps[0]}", f"run {sum(steps)}",
    ]  # fmt: skip
    (folder / "in.dem").write_text("\n".join(script) + "\n")


def main() -> None:
    """Measure this engine and LAMMPS."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.silo", description=__doc__)
    parser.add_argument("--until", type=float, default=0.3, help="[s]; default 0.3")
    parser.add_argument("--coarse", type=float, default=2.0, help="diameter of the grains over 4 mm; default 2")
    parser.add_argument("--softness", type=float, default=100.0, help="published moduli over these; default 100")
    parser.add_argument("--orifice", choices=("large", "small"), default="large", help="default large")
    given = parser.parse_args()
    made = case("silo")(coarse=given.coarse, softness=given.softness, orifice=given.orifice, threads=1)
    sim, profile = made.simulation(), made.profile()
    steps = [round(EVERY / sim.time_step)] * max(1, round(given.until / EVERY))
    try:
        with tempfile.TemporaryDirectory() as folder:
            write(sim, profile, made.material("steel"), Path(folder), steps)
            seconds, told = in_lammps(folder)
        print(f"LAMMPS: {seconds:.4g} s, above the orifice {', '.join(f'{n:g}' for step, n in told if step > 0)}")
    except ValueError as reason:
        sys.stderr.write(f"{reason}\n")
    left, before = [], time.perf_counter()
    for each in steps:
        sim.step(each)
        left.append(int(np.count_nonzero(sim.particles.position[:, 2] > profile[0][1])))
    print(f"here: {time.perf_counter() - before:.4g} s, above the orifice {', '.join(map(str, left))}")
    sys.stderr.write(f"{len(sim.particles)} grains, {sum(steps)} steps of {sim.time_step:g} s\n")


if __name__ == "__main__":
    main()
