"""A discrete element engine for rigid spheres and sphere-clustered fibres.

SI units; quaternions scalar first (w, x, y, z), body to world; angular velocities, forces and torques in the world
frame. Start with `Simulation`; read what it wrote with `Trajectory`.

A room imports from rooms above it in this list, or from itself; those on one line do not know each other:

    base                            checked input, notices
    model                           materials, shapes, particles, box, contacts
    rotation, statistics, system    schemes; functions of plain arrays; what all simulations have in common
    files                           trajectories, checkpoints, exports
    run                             through time, again, and on from files
    soft, hard, plots               time steps; events; pictures
    case                            set-ups by name
    casefile, validation, bench     set-ups in TOML; studies; how fast it is
    cli                             the command line
"""

from dem import plots, statistics
from dem.base.notices import DemWarning
from dem.case import Case, HardSphereCase, RotationCase, cases
from dem.files import checkpoint
from dem.files.exports import export
from dem.files.repair import repair
from dem.files.trajectory import Trajectory
from dem.hard import checkpoint as hard_checkpoint
from dem.hard.simulation import HardSpheres, HardVerdict
from dem.model.box import Box, Motion
from dem.model.clump import Clump
from dem.model.contacts import Contact, Contacts
from dem.model.energy import Energy
from dem.model.materials import Material
from dem.model.packing import random_orientations
from dem.model.particles import Particles
from dem.model.roughness import effective_density
from dem.model.shapes import Fibre, MassProperties, Shape, Sphere
from dem.rotation.integrators import INTEGRATORS, Integrator
from dem.rotation.study import RotationHistory, integrate_rotation
from dem.run.rerun import Comparison, rerun
from dem.run.resume import resume
from dem.soft import checkpoint as soft_checkpoint
from dem.soft.advice import Advice
from dem.soft.simulation import Simulation
from dem.soft.verdict import Verdict

# what files may hold
checkpoint.KINDS.update({"Simulation": soft_checkpoint, "HardSpheres": hard_checkpoint})

__all__ = [
    "INTEGRATORS",
    "Advice",
    "Box",
    "Case",
    "Clump",
    "Comparison",
    "Contact",
    "Contacts",
    "DemWarning",
    "Energy",
    "Fibre",
    "HardSphereCase",
    "HardSpheres",
    "HardVerdict",
    "Integrator",
    "MassProperties",
    "Material",
    "Motion",
    "Particles",
    "RotationCase",
    "RotationHistory",
    "Shape",
    "Simulation",
    "Sphere",
    "Trajectory",
    "Verdict",
    "cases",
    "effective_density",
    "export",
    "integrate_rotation",
    "plots",
    "random_orientations",
    "repair",
    "rerun",
    "resume",
    "statistics",
]
