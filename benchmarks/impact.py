"""`python -m benchmarks.impact [--steps N] [--every M] [--coarse C]`: the impact of Dosta et al. (2024).

LAMMPS, YADE and pcdm-dem start from the same state, with the ball at the surface of the bed, on one core each. Printed
are the seconds for the same number of steps, and the height of the ball at intervals. `dem.bench.lammps` finds LAMMPS,
and `dem.bench.yade` YADE; a program that is not installed is skipped.
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

from dem.bench import lammps, yade
from dem.case import case

if TYPE_CHECKING:
    from dem.soft.simulation import Simulation

G = 9.81


def prepared(coarse: float) -> Simulation:
    """Simulation that starts just before the impact: the bed at rest, the ball close above it at its speed there."""
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
    """LAMMPS's words for Hertz contacts of two materials; Young's modulus is that of two equal ones with their E*."""
    pair, nu = sim.contacts.between(one, two), one.poisson
    young = 2 * (1 - nu**2) * one.effective_modulus(two)
    normal = f"hertz/material {young!r} {pair.restitution!r} {nu!r} damping coeff_restitution"
    return f"{normal} tangential mindlin NULL 1.0 {pair.friction!r}"


def write(sim: Simulation, folder: Path, steps: int, every: int) -> None:
    """Write in.dem and data.dem with two types of atoms; LAMMPS prints the height of the ball every `every` steps."""
    p, box = sim.particles, sim.box
    grain, steel = p.variants[p.variant[0]][1], p.variants[p.variant[-1]][1]
    sizes = np.array([shape.diameter for shape, _ in p.variants])[p.variant]
    density = np.array([material.density for _, material in p.variants])[p.variant]
    kind = 1 + (np.arange(len(p)) == len(p) - 1)
    edges = "".join(f"{low!r} {high!r} {a}lo {a}hi\n" for a, low, high in zip("xyz", box.lower, box.upper, strict=True))
    rows = zip(kind, sizes.tolist(), density.tolist(), p.position, strict=True)
    atoms = [f"{i} {k} {d!r} {rho!r} {row(x)}" for i, (k, d, rho, x) in enumerate(rows, 1)]
    speeds = [f"{i} {row(v)}" for i, v in enumerate(np.hstack([p.velocity, p.angular_velocity]), 1)]
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
        f"timestep {sim.time_step!r}", f"variable height equal z[{len(p)}]", "thermo_style custom step v_height",
        "thermo_modify format float %.17g", f"thermo {every}", "run 0", f"run {steps} pre no",
    ]  # fmt: skip
    (folder / "in.dem").write_text("\n".join(script) + "\n")


def in_lammps(folder: str) -> tuple[float, list[tuple[int, float]]]:
    """Seconds of the last run of in.dem in a folder on one core, and the printed steps and numbers.

    Raises
    ------
    ValueError
        If LAMMPS is not installed, or fails.
    """
    program = lammps.program()
    library = Path(program).resolve().parent.parent / "lib"
    paths = os.pathsep.join(filter(None, [str(library), os.environ.get("LD_LIBRARY_PATH")]))
    done = subprocess.run(
        [program, "-in", "in.dem", "-log", "none", "-nocite"], cwd=folder, capture_output=True, text=True,
        check=False, env={**os.environ, "LD_LIBRARY_PATH": paths, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    times = re.findall(r"Loop time of (\S+) on", done.stdout)
    if done.returncode or not times:
        message = f"LAMMPS failed: {(re.findall('ERROR.*', done.stdout + done.stderr) or [done.stderr])[0]}"
        raise ValueError(message)
    rows = re.findall(r"^ +(\d+) +(-?[\d.e-]+) *$", done.stdout, re.MULTILINE)
    return float(times[-1]), [(int(step), float(number)) for step, number in rows]


def theirs(sim: Simulation, steps: int, every: int) -> tuple[float, list[float]]:
    """Seconds of LAMMPS for a number of steps on one core, and heights of the ball at intervals [m]."""
    with tempfile.TemporaryDirectory() as folder:
        write(sim, Path(folder), steps, every)
        seconds, told = in_lammps(folder)
    return seconds, [height for step, height in told if step > 0]


def yades(sim: Simulation, steps: int, every: int) -> tuple[float, list[float]]:
    """Seconds of YADE for a number of steps, and heights of the ball at intervals [m]."""
    p, box = sim.particles, sim.box
    grain, steel = p.variants[p.variant[0]][1], p.variants[p.variant[-1]][1]
    kinds, pairs = [grain, steel], []
    for i, j in ((0, 0), (0, 1), (1, 1)):
        pair = sim.contacts.between(kinds[i], kinds[j])
        pairs.append((i, j, pair.restitution, pair.friction))
    stops = [*range(0, steps, every), steps]
    end = yade.run(Path(__file__).with_name("yade_impact.py"), {
        "materials": np.array([(m.young, m.poisson, m.density) for m in kinds]), "pairs": np.array(pairs),
        "position": p.position, "velocity": p.velocity, "kind": (np.arange(len(p)) == len(p) - 1).astype(int),
        "radius": np.array([0.5 * shape.diameter for shape, _ in p.variants])[p.variant],
        "walls": np.array([(a, box.lower[a], 1) for a in range(3)] + [(a, box.upper[a], -1) for a in range(2)]),
        "gravity": np.array(sim.gravity), "time_step": sim.time_step, "steps": np.diff(stops),
    })  # fmt: skip
    return float(end["seconds"]), end["heights"].tolist()


def ours(sim: Simulation, steps: int, every: int) -> tuple[float, list[float]]:
    """Seconds of this engine for a number of steps, and heights of the ball at intervals [m]."""
    sim.step(1)  # compiled, listed
    heights, taken = [], 1
    before = time.perf_counter()
    for stop in sorted({*range(every, steps, every), steps}):
        sim.step(stop - taken)
        taken = stop
        heights.append(float(sim.particles.position[-1, 2]))
    return (time.perf_counter() - before) * steps / (steps - 1), heights


def row(values: object) -> str:
    """Numbers as text without loss of digits."""
    return " ".join(f"{v:.17g}" for v in values)


def main() -> None:
    """Measure this engine and the others."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.impact", description=__doc__)
    parser.add_argument("--steps", type=int, default=2000, help="of 5e-7 s times --coarse; default 2000")
    parser.add_argument("--every", type=int, help="steps from one place of the ball told to the next; default: all")
    parser.add_argument("--coarse", type=float, default=1.0, help="diameter of the grains over 2 mm")
    arguments = parser.parse_args()
    sim = prepared(arguments.coarse)
    start, every = float(sim.particles.position[-1, 2]), arguments.every or arguments.steps
    work = len(sim.particles) * arguments.steps
    for name, run in (("LAMMPS", theirs), ("YADE", yades), ("here", ours)):
        try:
            seconds, heights = run(sim, arguments.steps, every)
        except ValueError as reason:
            sys.stderr.write(f"{reason}\n")
            continue
        ways = ", ".join(f"{1e3 * (height - start):.6g}" for height in heights)
        print(f"{name}: {seconds:.4g} s, {1e9 * seconds / work:.4g} ns a particle step, the ball goes {ways} mm")
    sys.stderr.write(f"{len(sim.particles)} particles, {arguments.steps} steps, load {os.getloadavg()[0]:.1f}\n")


if __name__ == "__main__":
    main()
