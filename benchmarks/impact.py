"""`python -m benchmarks.impact [--steps N] [--coarse C]`: the impact of Dosta et al. (2024), in LAMMPS and here.

The same state, the ball at the surface of the bed, one core each: seconds of the same number of steps, and how far the
ball comes. LAMMPS is found as by `dem bench --against lammps`.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dem.bench import lammps
from dem.case import case

if TYPE_CHECKING:
    from dem.soft.simulation import Simulation

G = 9.81


def prepared(coarse: float) -> Simulation:
    """The bed at rest, and the ball as fast as it is there, just above the highest grain below it."""
    made = case("impact")(coarse=coarse, softness=1.0, threads=1)
    sim = made.simulation()
    p = sim.particles
    place, velocity = p.position.copy(), p.velocity.copy()
    ball = float(p.variants[p.variant[-1]][0].diameter) / 2
    grain = float(p.variants[p.variant[0]][0].diameter) / 2
    off = np.hypot(place[:-1, 0], place[:-1, 1])
    near = off < ball + grain
    touch = place[:-1, 2][near] + np.sqrt((ball + grain) ** 2 - off[near] ** 2)
    fallen = place[-1, 2] - (float(touch.max()) + 1e-6)
    velocity[-1, 2] = -np.sqrt(velocity[-1, 2] ** 2 + 2 * G * fallen)
    place[-1, 2] -= fallen
    p.position, p.velocity = place, velocity
    return sim


def law(sim: Simulation, one: object, two: object) -> str:
    """Hertz, damping and friction of two materials in LAMMPS's words; Young's modulus is that of two alike."""
    pair, nu = sim.contacts.between(one, two), one.poisson
    young = 2 * (1 - nu**2) * one.effective_modulus(two)
    normal = f"hertz/material {young!r} {pair.restitution!r} {nu!r} damping coeff_restitution"
    return f"{normal} tangential mindlin NULL 1.0 {pair.friction!r}"


def write(sim: Simulation, folder: Path, steps: int) -> None:
    """in.dem and data.dem, of two types of atoms."""
    p, box = sim.particles, sim.box
    grain, steel = p.variants[p.variant[0]][1], p.variants[p.variant[-1]][1]
    sizes = np.array([shape.diameter for shape, _ in p.variants])[p.variant]
    density = np.array([material.density for _, material in p.variants])[p.variant]
    kind = 1 + (np.arange(len(p)) == len(p) - 1)
    edges = "".join(f"{low!r} {high!r} {a}lo {a}hi\n" for a, low, high in zip("xyz", box.lower, box.upper, strict=True))
    rows = zip(kind, sizes.tolist(), density.tolist(), p.position, strict=True)
    atoms = [f"{i} {k} {d!r} {rho!r} {_row(x)}" for i, (k, d, rho, x) in enumerate(rows, 1)]
    speeds = [f"{i} {_row(v)}" for i, v in enumerate(np.hstack([p.velocity, p.angular_velocity]), 1)]
    head = f"written by pcdm-dem\n\n{len(p)} atoms\n2 atom types\n{edges}"
    (folder / "data.dem").write_text("\n".join([head, "Atoms\n", *atoms, "\nVelocities\n", *speeds, ""]))
    walls = [("x", box.lower[0], box.upper[0]), ("y", box.lower[1], box.upper[1]), ("z", box.lower[2], "NULL")]
    wall = f"wall/gran granular {law(sim, grain, steel)}"
    script = [
        "units si", "atom_style sphere", "atom_modify map array", "boundary f f f", "newton off", "comm_modify vel yes",
        "read_data data.dem", "pair_style granular",
        f"pair_coeff 1 1 {law(sim, grain, grain)}", f"pair_coeff 1 2 {law(sim, grain, steel)}",
        f"pair_coeff 2 2 {law(sim, steel, steel)}",
        *(f"fix wall{a} all {wall} {a}plane {low} {high}" for a, low, high in walls),
        f"fix weight all gravity {G!r} vector 0 0 -1", "fix motion all nve/sphere",
        f"neighbor {0.1 * float(sizes[0])!r} multi", "comm_modify mode multi", "neigh_modify delay 0 every 1 check yes",
        f"timestep {sim.time_step!r}", "thermo_style custom step atoms", "thermo 1000000000", "run 0",
        f"run {steps} pre no", "write_dump all custom end.dem id z modify sort id format float %.17g",
    ]  # fmt: skip
    (folder / "in.dem").write_text("\n".join(script) + "\n")


def theirs(sim: Simulation, steps: int) -> tuple[float, float]:
    """Seconds that LAMMPS takes for so many steps on one core, and height of the ball after them [m]."""
    program = lammps.program()
    library = Path(program).resolve().parent.parent / "lib"
    paths = os.pathsep.join(filter(None, [str(library), os.environ.get("LD_LIBRARY_PATH")]))
    with tempfile.TemporaryDirectory() as folder:
        write(sim, Path(folder), steps)
        done = subprocess.run(
            [program, "-in", "in.dem", "-log", "none", "-nocite"], cwd=folder, capture_output=True, text=True,
            check=False, env={**os.environ, "LD_LIBRARY_PATH": paths, "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        times = re.findall(r"Loop time of (\S+) on", done.stdout)
        if done.returncode or not times:
            message = f"LAMMPS failed: {(re.findall('ERROR.*', done.stdout + done.stderr) or [done.stderr])[0]}"
            raise ValueError(message)
        height = float(np.loadtxt(Path(folder) / "end.dem", skiprows=9)[-1, 1])
    return float(times[-1]), height


def _row(values: object) -> str:
    return " ".join(f"{v:.17g}" for v in values)


def main() -> None:
    """Measure both."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.impact", description=__doc__)
    parser.add_argument("--steps", type=int, default=2000, help="of 5e-7 s times --coarse; default 2000")
    parser.add_argument("--coarse", type=float, default=1.0, help="diameter of the grains over 2 mm")
    arguments = parser.parse_args()
    sim = prepared(arguments.coarse)
    start = float(sim.particles.position[-1, 2])
    seconds, height = theirs(sim, arguments.steps)
    sim.step(1)  # compiled, listed
    before = time.perf_counter()
    sim.step(arguments.steps - 1)
    ours = (time.perf_counter() - before) * arguments.steps / (arguments.steps - 1)
    fell = float(sim.particles.position[-1, 2]) - start
    work = len(sim.particles) * arguments.steps
    for name, each, way in (("LAMMPS", seconds, height - start), ("here", ours, fell)):
        print(f"{name}: {each:.4g} s, {1e9 * each / work:.4g} ns a particle step, the ball goes {1e3 * way:.6g} mm")
    sys.stderr.write(f"{len(sim.particles)} particles, {arguments.steps} steps, load {os.getloadavg()[0]:.1f}\n")


if __name__ == "__main__":
    main()
