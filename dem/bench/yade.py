"""Run a workload in YADE: the program `yade`, or that of the environment variable YADE.

Scripts for YADE's own Python read a state, take the steps, and write the time. `yade_box.py` has spheres and fibres
in a box: Hertz's law and Mindlin's tangential spring, a neighbour skin of 0.1 diameters, the fastest of several.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dem.model.shapes.capsule import half_length_of

if TYPE_CHECKING:
    import dem


def program() -> str:
    """Path of YADE; raises ValueError if there is none."""
    found = shutil.which(os.environ.get("YADE", "yade"))
    if not found:
        message = "YADE is not installed: apt install yade, or put its path into the environment variable YADE"
        raise ValueError(message)
    return found


def run(script: Path, state: dict[str, np.ndarray | float]) -> dict[str, np.ndarray]:
    """Run a script in YADE on one core from a state; returns the arrays it writes; raises ValueError if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "state.npz", Path(folder) / "end.npz"
        np.savez(before, **state)
        command = [program(), "-n", "-x", "-j", "1", str(script), str(before), str(after)]
        others = {name: value for name, value in os.environ.items() if name not in {"VIRTUAL_ENV", "PYTHONPATH"}}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=others)
        if not after.exists():
            message = f"YADE failed: {(done.stdout + done.stderr).strip()[-2000:]}"
            raise ValueError(message)
        with np.load(after) as end:
            return dict(end)


def rate(sim: dem.Simulation, steps: int) -> float:
    """Particle steps a second of YADE on one core, from the state of a simulation of spheres or fibres in a box.

    YADE takes so many steps, or as many as it takes in a second.

    Raises
    ------
    ValueError
        If YADE is missing or fails, the particles differ, or the box is periodic, open, or has friction.
    """
    shape, material = sim.particles.variants[0]
    pair, box = sim.contacts.between(material, material), sim.box
    alike = len(sim.particles.variants) == 1 and not half_length_of(shape) and len(set(shape.radii)) == 1
    if not alike or box is None or box.periodic or box.open or sim.contacts.between(material, box.material).friction:
        message = "YADE can be compared on equal spheres or fibres in a closed box without friction at its walls"
        raise ValueError(message)
    properties = shape.mass_properties(material.density)
    numbers = [material.young, material.poisson, material.density, pair.restitution, pair.friction,
               material.effective_modulus(box.material), sim.time_step, float(shape.radii[0]), properties.mass,
               *properties.inertia]  # fmt: skip
    end = run(
        Path(__file__).with_name("yade_box.py"),
        {
            "centres": sim.sphere_centres().reshape(len(sim.particles), -1, 3) - box.lower, "size": box.size,
            "velocity": sim.particles.velocity, "angular_velocity": sim.particles.angular_velocity,
            "gravity": np.array(sim.gravity), "numbers": np.array(numbers, float), "steps": steps,
        },
    )  # fmt: skip
    return len(sim.particles) * float(end["steps_per_second"])
