"""A discrete element engine for rigid spheres and sphere-clustered fibres.

SI units; quaternions scalar first (w, x, y, z), body to world; angular velocities, forces and torques in the world
frame. Start with `Simulation`; read what it wrote with `Trajectory`.
"""

from dem import plots, statistics
from dem.advice import Advice
from dem.box import Box, Motion
from dem.case import Case, HardSphereCase, RotationCase, cases
from dem.clump import Clump
from dem.contacts import Contact, Contacts
from dem.energy import Energy
from dem.exports import export
from dem.hard_spheres import HardSpheres, HardVerdict
from dem.integrators import INTEGRATORS, Integrator
from dem.materials import Material
from dem.notices import DemWarning
from dem.packing import random_orientations
from dem.particles import Particles
from dem.repair import repair
from dem.rerun import Comparison, rerun
from dem.resume import resume
from dem.roughness import effective_density
from dem.shapes import Fibre, MassProperties, Shape, Sphere
from dem.simulation import Simulation
from dem.study import RotationHistory, integrate_rotation
from dem.trajectory import Trajectory
from dem.verdict import Verdict

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
