"""Rates of this engine and of LIGGGHTS for frictional superellipsoids, a gas and a settled bed, from the same states.

``LIGGGHTS=PATH python -m benchmarks.superquadrics`` prints particle steps a second of one core. PATH is a program that
was compiled with ``-DSUPERQUADRIC_ACTIVE_FLAG -DNONSPHERICAL_ACTIVE_FLAG``. Shapes, states and laws (Hertz with
Mindlin's spring) are the same. LIGGGHTS finds the point of contact by the functions of both surfaces (A. Podlozhnyuk,
S. Pirker, C. Kloss, Comput. Part. Mech. 4 (2017) 101), so the forces differ.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dem.bench.initial_states import DIAMETER
from dem.bench.workloads import BENCHMARKS

if TYPE_CHECKING:
    from collections.abc import Iterable

    import dem

NAMES = ("friction_superellipsoids", "bed_superellipsoids")
FIRST, STEPS = 20, 300  # steps before those that are timed, and these
SKINS = (0.05, 0.1, 0.2)  # of the neighbour lists, over the diameter of the sphere of equal volume; the fastest counts
LAW = "model hertz tangential history surface superquadric"


def program() -> str:
    """Path of LIGGGHTS; raises ValueError if there is none."""
    found = shutil.which(os.environ.get("LIGGGHTS", "liggghts"))
    if not found:
        message = "LIGGGHTS is not installed: put the path of its program into the environment variable LIGGGHTS"
        raise ValueError(message)
    return found


def numbers(values: Iterable[float]) -> str:
    """Numbers in full precision, with spaces between."""
    return " ".join(repr(float(value)) for value in values)


def of_types(name: str, quantity: str, grains: float, walls: float) -> str:
    """Line that defines a property of the contacts of grains (type 1) with each other and with walls (type 2)."""
    return f"fix {name} all property/global {quantity} peratomtypepair 2 {numbers((grains, walls, walls, walls))}"


def domain_and_laws(sim: dem.Simulation, skin: float) -> list[str]:
    """Lines that make the box, its walls and the laws of contact, with a skin of the neighbour lists [m]."""
    shape, grain = sim.particles.variants[0]
    box, wall = sim.box, sim.box.material
    pair, at_wall = sim.contacts.between(grain, grain), sim.contacts.between(grain, wall)
    walled = [axis not in box.periodic for axis in "xyz"]
    beyond = float(max(shape.radii)) * np.array(walled)  # the domain holds all that touches the walls
    bounds = np.column_stack([box.lower - beyond, box.upper + beyond]).ravel()
    lines = [
        "atom_style superquadric", "atom_modify map array", "echo none", "newton off", "communicate single vel yes",
        "units si", f"boundary {' '.join('f' if closed else 'p' for closed in walled)}",
        f"region room block {numbers(bounds)} units box", "create_box 2 room",
        f"neighbor {skin!r} bin", "neigh_modify delay 0",
        f"fix young all property/global youngsModulus peratomtype {numbers((grain.young, wall.young))}",
        f"fix poisson all property/global poissonsRatio peratomtype {numbers((grain.poisson, wall.poisson))}",
        of_types("restitution", "coefficientRestitution", pair.restitution, at_wall.restitution),
        of_types("friction", "coefficientFriction", pair.friction, at_wall.friction),
        f"pair_style gran {LAW}", "pair_coeff * *", f"timestep {sim.time_step!r}",
        f"fix weight all gravity {math.hypot(*sim.gravity)!r} vector {numbers(sim.gravity)}",
    ]  # fmt: skip
    for axis, closed, *ends in zip("xyz", walled, box.lower, box.upper, strict=True):
        for name, end in zip(("low", "high"), ends, strict=True):
            if closed:
                lines.append(f"fix {name}_{axis} all wall/gran {LAW} primitive type 2 {axis}plane {float(end)!r}")
    return lines


def grains(sim: dem.Simulation) -> list[str]:
    """Lines that place the grains, those in a periodic box inside it."""
    (shape, material), p, box = sim.particles.variants[0], sim.particles, sim.box
    period = np.where([axis in box.periodic for axis in "xyz"], box.size, 0.0)
    images = np.floor((p.position - box.lower) / np.where(period > 0, period, np.inf))
    given = f"shape {numbers(shape.semi_axes)} blockiness {numbers(shape.exponents)} density {material.density!r}"
    lines = []
    rows = zip(p.position - period * images, p.orientation, p.velocity, p.angular_velocity, strict=True)
    for number, (x, q, v, w) in enumerate(rows, 1):
        motion = zip(("vx", "vy", "vz", "omegax", "omegay", "omegaz"), (*v, *w), strict=True)
        lines += [
            f"create_atoms 1 single {numbers(x)}",
            f"set atom {number} {given}",
            f"set atom {number} quat_direct {numbers(q)}",
            f"set atom {number} {' '.join(f'{name} {float(value)!r}' for name, value in motion)}",
        ]
    return lines


def rate(sim: dem.Simulation, skin: float) -> float:
    """Particle steps a second of LIGGGHTS on one core from a state; raises ValueError if it is missing or fails."""
    steps = [
        "fix motion all nve/superquadric integration_scheme 1", "compute turning all erotate/superquadric",
        "thermo_style custom step atoms ke c_turning", "thermo_modify lost error norm no", f"run {FIRST}",
        f"run {STEPS}",
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        script, log = Path(folder) / "in.grains", Path(folder) / "log"
        script.write_text("\n".join([*domain_and_laws(sim, skin), *grains(sim), *steps, ""]))
        command = [program(), "-in", script.name, "-log", log.name, "-screen", "none"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        said = log.read_text(errors="replace") if log.exists() else ""
    times = re.findall(rf"^Loop time of (\S+) on 1 procs for {STEPS} steps with (\d+)", said, re.MULTILINE)
    if not times or int(times[0][1]) != len(sim.particles):
        message = f"LIGGGHTS failed: {(said + done.stderr).strip()[-2000:]}"
        raise ValueError(message)
    return len(sim.particles) * STEPS / float(times[0][0])


def main() -> None:
    """Print the rates."""
    for name in NAMES:
        sim = BENCHMARKS[name].prepare(threads=1)
        other = max(rate(sim, skin * DIAMETER) for skin in SKINS)
        sim.step(FIRST)
        start = time.process_time()
        sim.step(STEPS)
        own = len(sim.particles) * STEPS / (time.process_time() - start)
        print(f"{name}: {own:.3g} particle steps a second; LIGGGHTS {other:.3g}, here {own / other:.1f} times as many")


if __name__ == "__main__":
    main()
