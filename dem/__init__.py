"""A discrete element engine for spheres and fibres, rigid or flexible.

SI units; quaternions scalar first (w, x, y, z), body to world; angular velocities, forces and torques in the world
frame. Start with `Simulation`; read what it wrote with `Trajectory`.

A room imports from rooms above it in this list, or from itself; those on one line do not know each other:

    base, ranks                     checked input, notices; several processes that compute one run
    model                           materials, shapes, particles, box, contacts
    rotation, statistics, system    schemes; functions of plain arrays; what all simulations have in common
    files                           trajectories, checkpoints, exports
    run                             through time, again, and on from files
    soft, hard, plots               time steps; events; pictures
    stochastic, viewer              collisions drawn at random; runs in a browser
    case                            set-ups by name
    casefile, validation, bench     set-ups in TOML; studies; how fast it is
    sweeps                          many runs of a case
    cli                             the command line

A public name is imported from its module, see `HOMES`, when somebody first asks for it: `import dem` itself takes no
time, and a program waits only for what it uses.
"""

import importlib
import sys
from typing import TYPE_CHECKING

from dem.base import shadows
from dem.files.kinds import KINDS
from dem.ranks import launched

if TYPE_CHECKING:  # the same as in `HOMES`, for type checkers
    # ruff: noqa: F401
    from dem import plots, statistics
    from dem.base.notices import DemWarning
    from dem.case.bases import Axes, Case, HardSphereCase, TimeStep
    from dem.case.find import cases
    from dem.case.settled import settled
    from dem.case.stochastic import StochasticCase
    from dem.case.study import RotationCase, StudyCase
    from dem.casefile.load import load
    from dem.files.exports import export
    from dem.files.repair import repair
    from dem.files.trajectory import Trajectory
    from dem.hard.simulation import HardSpheres
    from dem.hard.verdict import HardVerdict
    from dem.model.adhesion import DMT, JKR, Bridge
    from dem.model.bonds import Bonds
    from dem.model.box import Box
    from dem.model.capsule import Capsule
    from dem.model.cells import Cells
    from dem.model.clump import Clump
    from dem.model.contacts import Contact, Contacts
    from dem.model.coupling import Coupling, Exchange, FlowState
    from dem.model.dampings import Dashpot, Viscoelastic
    from dem.model.dense import pack_dense
    from dem.model.energy import Energy
    from dem.model.flexible import FlexibleFibre
    from dem.model.flows import ChannelFlow, PipeFlow, RotatingFlow, ShearFlow, UniformFlow
    from dem.model.fluid import Fluid
    from dem.model.free import Free
    from dem.model.inserter import Inserter
    from dem.model.insertion import pack
    from dem.model.known_flows import FunctionFlow, GriddedFlow
    from dem.model.lubrication import Lubrication
    from dem.model.materials import Material
    from dem.model.mesh import Mesh
    from dem.model.motion import Motion
    from dem.model.normals import Hertz, Hysteretic, Linear, PowerLaw
    from dem.model.outlet import Outlet
    from dem.model.packing import random_orientations, random_velocities
    from dem.model.particles import Particles
    from dem.model.parts import Rolling, Twisting
    from dem.model.roughness import effective_density
    from dem.model.segment import FibreSegment
    from dem.model.servo import PID, Servo
    from dem.model.shapes import Fibre, MassProperties, Shape, Sphere
    from dem.model.sieves import ListedSizes, SieveSizes, read_sizes
    from dem.model.size_laws import LogNormalSizes, NormalSizes, RosinRammlerSizes, UniformSizes
    from dem.model.solids import SolidsPressure
    from dem.model.turbulence import Turbulence
    from dem.model.vortices import ABCFlow, TaylorGreenFlow
    from dem.model.wall_blocks import Block, Rectangle, Rod, Torus
    from dem.model.wall_rounds import Cone, Cylinder, Disc, Revolution
    from dem.model.wall_words import Ball, Plane
    from dem.rotation.integrators import INTEGRATORS, Integrator
    from dem.rotation.study import (
        RotationHistory,
        integrate_rotation,
        rub_cylinders,
    )
    from dem.run.precice import PreciceFlow
    from dem.run.rerun import Comparison, rerun
    from dem.run.resume import resume
    from dem.soft.advice import Advice
    from dem.soft.simulation import Simulation
    from dem.soft.verdict import Verdict
    from dem.stochastic.simulation import StochasticSpheres
    from dem.stochastic.verdict import StochasticVerdict
    from dem.sweeps.sweep import sweep
    from dem.sweeps.table import SweepTable
    from dem.viewer.view import view

HOMES = {
    "ABCFlow": "dem.model.vortices",
    "INTEGRATORS": "dem.rotation.integrators",
    "Advice": "dem.soft.advice",
    "Axes": "dem.case.bases",
    "Bonds": "dem.model.bonds",
    "Box": "dem.model.box",
    "Bridge": "dem.model.adhesion",
    "Capsule": "dem.model.capsule",
    "Case": "dem.case.bases",
    "Cells": "dem.model.cells",
    "ChannelFlow": "dem.model.flows",
    "Clump": "dem.model.clump",
    "Comparison": "dem.run.rerun",
    "Contact": "dem.model.contacts",
    "Contacts": "dem.model.contacts",
    "Coupling": "dem.model.coupling",
    "Dashpot": "dem.model.dampings",
    "DemWarning": "dem.base.notices",
    "Energy": "dem.model.energy",
    "DMT": "dem.model.adhesion",
    "Exchange": "dem.model.coupling",
    "Fibre": "dem.model.shapes",
    "FibreSegment": "dem.model.segment",
    "FlexibleFibre": "dem.model.flexible",
    "FlowState": "dem.model.coupling",
    "Fluid": "dem.model.fluid",
    "Free": "dem.model.free",
    "FunctionFlow": "dem.model.known_flows",
    "GriddedFlow": "dem.model.known_flows",
    "HardSphereCase": "dem.case.bases",
    "HardSpheres": "dem.hard.simulation",
    "HardVerdict": "dem.hard.verdict",
    "Hertz": "dem.model.normals",
    "Hysteretic": "dem.model.normals",
    "Inserter": "dem.model.inserter",
    "Integrator": "dem.rotation.integrators",
    "JKR": "dem.model.adhesion",
    "Linear": "dem.model.normals",
    "ListedSizes": "dem.model.sieves",
    "LogNormalSizes": "dem.model.size_laws",
    "Lubrication": "dem.model.lubrication",
    "MassProperties": "dem.model.shapes",
    "Material": "dem.model.materials",
    "Mesh": "dem.model.mesh",
    "Motion": "dem.model.motion",
    "NormalSizes": "dem.model.size_laws",
    "Outlet": "dem.model.outlet",
    "PID": "dem.model.servo",
    "Particles": "dem.model.particles",
    "PipeFlow": "dem.model.flows",
    "PowerLaw": "dem.model.normals",
    "PreciceFlow": "dem.run.precice",
    "Rolling": "dem.model.parts",
    "RosinRammlerSizes": "dem.model.size_laws",
    "RotatingFlow": "dem.model.flows",
    "RotationCase": "dem.case.study",
    "RotationHistory": "dem.rotation.study",
    "Servo": "dem.model.servo",
    "Shape": "dem.model.shapes",
    "ShearFlow": "dem.model.flows",
    "SieveSizes": "dem.model.sieves",
    "Simulation": "dem.soft.simulation",
    "SolidsPressure": "dem.model.solids",
    "Sphere": "dem.model.shapes",
    "StochasticCase": "dem.case.stochastic",
    "StochasticSpheres": "dem.stochastic.simulation",
    "StochasticVerdict": "dem.stochastic.verdict",
    "StudyCase": "dem.case.study",
    "SweepTable": "dem.sweeps.table",
    "TaylorGreenFlow": "dem.model.vortices",
    "TimeStep": "dem.case.bases",
    "Trajectory": "dem.files.trajectory",
    "Turbulence": "dem.model.turbulence",
    "Twisting": "dem.model.parts",
    "UniformFlow": "dem.model.flows",
    "UniformSizes": "dem.model.size_laws",
    "Verdict": "dem.soft.verdict",
    "Viscoelastic": "dem.model.dampings",
    "cases": "dem.case.find",
    "effective_density": "dem.model.roughness",
    "export": "dem.files.exports",
    "integrate_rotation": "dem.rotation.study",
    "load": "dem.casefile.load",
    "pack": "dem.model.insertion",
    "pack_dense": "dem.model.dense",
    "plots": "dem.plots",
    "random_orientations": "dem.model.packing",
    "random_velocities": "dem.model.packing",
    "read_sizes": "dem.model.sieves",
    "repair": "dem.files.repair",
    "rerun": "dem.run.rerun",
    "resume": "dem.run.resume",
    "rub_cylinders": "dem.rotation.study",
    "settled": "dem.case.settled",
    "statistics": "dem.statistics",
    "Plane": "dem.model.wall_words",
    "Ball": "dem.model.wall_words",
    "Cylinder": "dem.model.wall_rounds",
    "Cone": "dem.model.wall_rounds",
    "Disc": "dem.model.wall_rounds",
    "Revolution": "dem.model.wall_rounds",
    "Rectangle": "dem.model.wall_blocks",
    "Block": "dem.model.wall_blocks",
    "Rod": "dem.model.wall_blocks",
    "Torus": "dem.model.wall_blocks",
    "sweep": "dem.sweeps.sweep",
    "view": "dem.viewer.view",
}
__all__ = list(HOMES)

# what files may hold
KINDS.update(
    {
        "Simulation": "dem.soft.checkpoint",
        "HardSpheres": "dem.hard.checkpoint",
        "StochasticSpheres": "dem.stochastic.checkpoint",
    }
)


def __getattr__(name: str) -> object:
    """Import a public name, once."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415, takes as long as all the rest of this

        return version("pcdm-dem")
    if name not in HOMES:
        from dem.base.checks import nearest  # noqa: PLC0415, which waits for numpy

        near = nearest(name, HOMES)
        message = f"module 'dem' has no attribute {name!r}{near and f'. Did you mean {near!r}?'}"
        raise AttributeError(message, name=name, obj=sys.modules[__name__])
    shadows.check("kernels")
    home = importlib.import_module(HOMES[name])
    globals()[name] = thing = home if HOMES[name] == f"dem.{name}" else getattr(home, name)
    return thing


def __dir__() -> list[str]:
    return sorted([*HOMES, *(name for name in globals() if name.startswith("__"))])


launched.join()
