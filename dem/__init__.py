"""A discrete element engine for spheres and fibres, rigid or flexible.

SI units; quaternions scalar first (w, x, y, z), body to world; angular velocities, forces and torques in the world
frame. Start with `Simulation`; read what it wrote with `Trajectory`.

Folders, in order of reading; a module imports from its own folder or from those of earlier lines, and `validation`
and `bench` use the engine as a script does, by its public names:

    base, ranks                     checked input, notices; several processes that compute one run (MPI)
    model                           materials, shapes, particles, contact laws, box, walls, bonds, fluid
    rotation, statistics, system    integrators of one body; functions of arrays; what all simulations share
    files                           trajectories, checkpoints, exports
    run                             time loop, callbacks, rerun and resume
    soft, event_driven, plots       soft particles; hard spheres; figures
    dsmc, viewer                    direct simulation Monte Carlo; runs in a browser
    case                            set-ups by name
    casefile, validation, bench     set-ups in TOML; validation studies; benchmarks
    sweeps                          many runs of a case
    cli                             the command line

`dem.kernels` (compiled code) and `dem.cases` (built-in cases) are folders of their own beside `dem` in a clone.

Public names are imported from their modules (`HOMES`) at first use, so that `import dem` itself takes no time. In a
program that ``mpiexec`` or ``srun`` has started, `import dem` returns on rank 0 only: the other ranks compute for rank
0 (`dem.ranks.launcher`).
"""

import importlib
import os
import sys
from typing import TYPE_CHECKING

from dem.base import clone
from dem.files.checkpoints.system_kinds import KINDS
from dem.ranks import launcher

if not os.path.isdir(os.path.join(__path__[0], "kernels")):
    clone.find_beside(__path__[0], ("dem.kernels", "dem.cases"))

if TYPE_CHECKING:  # the same as in `HOMES`, for type checkers
    # ruff: noqa: F401
    from dem import plots, statistics
    from dem.base.notices import DemWarning
    from dem.case.bases import Axes, Case, HardSphereCase, StochasticCase, TimeStep
    from dem.case.find import cases
    from dem.case.settled import settled
    from dem.case.study import RotationCase, StudyCase
    from dem.casefile.load import load
    from dem.dsmc.simulation import StochasticSpheres
    from dem.dsmc.verdict import StochasticVerdict
    from dem.event_driven.simulation import HardSpheres
    from dem.event_driven.verdict import HardVerdict
    from dem.files.exports import export, register_export
    from dem.files.reading.trajectory import Trajectory
    from dem.files.storage.repair import repair
    from dem.model.bonds import Bonds
    from dem.model.contact.contacts import Contact, Contacts
    from dem.model.contact.law_component import LawPart
    from dem.model.contact.law_components import register_law_part
    from dem.model.contact.law_parts import (
        DMT,
        JKR,
        Bridge,
        Dashpot,
        Hertz,
        Hysteretic,
        Linear,
        PowerLaw,
        Rolling,
        Twisting,
        Viscoelastic,
    )
    from dem.model.contact.lubrication import Lubrication
    from dem.model.domain.box import Box
    from dem.model.domain.cell import Cell
    from dem.model.domain.roughness import effective_density
    from dem.model.energy import Energy
    from dem.model.fluid.cells import Cells
    from dem.model.fluid.coupling import Coupling, Exchange, FlowState
    from dem.model.fluid.drag_registry import register_drag
    from dem.model.fluid.flows import (
        ABCFlow,
        ChannelFlow,
        PipeFlow,
        RotatingFlow,
        ShearFlow,
        TaylorGreenFlow,
        UniformFlow,
    )
    from dem.model.fluid.fluid import Fluid
    from dem.model.fluid.given_flows import FunctionFlow, GriddedFlow
    from dem.model.fluid.solids_pressure import SolidsPressure
    from dem.model.fluid.turbulence import Turbulence
    from dem.model.insertion import Inserter, Outlet
    from dem.model.materials import Material
    from dem.model.particles.dense_packing import pack_dense
    from dem.model.particles.packing import random_orientations, random_velocities
    from dem.model.particles.particles import Particles, register_field
    from dem.model.particles.random_insertion import pack
    from dem.model.particles.sizes import (
        ListedSizes,
        LogNormalSizes,
        NormalSizes,
        RosinRammlerSizes,
        SieveSizes,
        UniformSizes,
        read_sizes,
    )
    from dem.model.shapes.capsule import Capsule, FibreSegment
    from dem.model.shapes.clump import Clump
    from dem.model.shapes.ellipsoid import Ellipsoid, Superellipsoid
    from dem.model.shapes.flexible import FlexibleFibre
    from dem.model.shapes.polyhedron import Polyhedron
    from dem.model.shapes.rounded_cylinder import RoundedCylinder
    from dem.model.shapes.shape import Fibre, MassProperties, Shape, Sphere
    from dem.model.walls.axisymmetric import Cone, Cylinder, Disc, Revolution
    from dem.model.walls.basic import Ball, Plane
    from dem.model.walls.mesh import Mesh
    from dem.model.walls.motion import Motion
    from dem.model.walls.polyhedral import Block, CapsuleWall, Rectangle, Torus
    from dem.model.walls.rigid_body import RigidWall
    from dem.model.walls.servo import PID, Servo
    from dem.model.walls.wall_registry import register_wall
    from dem.rotation.integrators import INTEGRATORS, Integrator
    from dem.rotation.study import RotationHistory, integrate_rotation, rub_cylinders
    from dem.run.precice import PreciceFlow
    from dem.run.rerun import Comparison, rerun
    from dem.run.resume import resume
    from dem.soft.simulation import Simulation
    from dem.soft.time_step.advice import Advice
    from dem.soft.verdict import Verdict
    from dem.sweeps.sweep import sweep
    from dem.sweeps.table import SweepTable
    from dem.viewer.view import view

HOMES = {
    "ABCFlow": "dem.model.fluid.flows",
    "INTEGRATORS": "dem.rotation.integrators",
    "Advice": "dem.soft.time_step.advice",
    "Axes": "dem.case.bases",
    "Bonds": "dem.model.bonds",
    "Box": "dem.model.domain.box",
    "Cell": "dem.model.domain.cell",
    "Bridge": "dem.model.contact.law_parts",
    "Capsule": "dem.model.shapes.capsule",
    "Case": "dem.case.bases",
    "Cells": "dem.model.fluid.cells",
    "ChannelFlow": "dem.model.fluid.flows",
    "Clump": "dem.model.shapes.clump",
    "Comparison": "dem.run.rerun",
    "Contact": "dem.model.contact.contacts",
    "Contacts": "dem.model.contact.contacts",
    "Coupling": "dem.model.fluid.coupling",
    "Dashpot": "dem.model.contact.law_parts",
    "DemWarning": "dem.base.notices",
    "Ellipsoid": "dem.model.shapes.ellipsoid",
    "Energy": "dem.model.energy",
    "DMT": "dem.model.contact.law_parts",
    "Exchange": "dem.model.fluid.coupling",
    "Fibre": "dem.model.shapes.shape",
    "FibreSegment": "dem.model.shapes.capsule",
    "FlexibleFibre": "dem.model.shapes.flexible",
    "FlowState": "dem.model.fluid.coupling",
    "Fluid": "dem.model.fluid.fluid",
    "FunctionFlow": "dem.model.fluid.given_flows",
    "GriddedFlow": "dem.model.fluid.given_flows",
    "HardSphereCase": "dem.case.bases",
    "HardSpheres": "dem.event_driven.simulation",
    "HardVerdict": "dem.event_driven.verdict",
    "Hertz": "dem.model.contact.law_parts",
    "Hysteretic": "dem.model.contact.law_parts",
    "Inserter": "dem.model.insertion",
    "Integrator": "dem.rotation.integrators",
    "JKR": "dem.model.contact.law_parts",
    "LawPart": "dem.model.contact.law_component",
    "Linear": "dem.model.contact.law_parts",
    "ListedSizes": "dem.model.particles.sizes",
    "LogNormalSizes": "dem.model.particles.sizes",
    "Lubrication": "dem.model.contact.lubrication",
    "MassProperties": "dem.model.shapes.shape",
    "Material": "dem.model.materials",
    "Mesh": "dem.model.walls.mesh",
    "Motion": "dem.model.walls.motion",
    "NormalSizes": "dem.model.particles.sizes",
    "Outlet": "dem.model.insertion",
    "PID": "dem.model.walls.servo",
    "Particles": "dem.model.particles.particles",
    "PipeFlow": "dem.model.fluid.flows",
    "Polyhedron": "dem.model.shapes.polyhedron",
    "PowerLaw": "dem.model.contact.law_parts",
    "PreciceFlow": "dem.run.precice",
    "RigidWall": "dem.model.walls.rigid_body",
    "Rolling": "dem.model.contact.law_parts",
    "RosinRammlerSizes": "dem.model.particles.sizes",
    "RotatingFlow": "dem.model.fluid.flows",
    "RotationCase": "dem.case.study",
    "RotationHistory": "dem.rotation.study",
    "RoundedCylinder": "dem.model.shapes.rounded_cylinder",
    "Servo": "dem.model.walls.servo",
    "Shape": "dem.model.shapes.shape",
    "ShearFlow": "dem.model.fluid.flows",
    "SieveSizes": "dem.model.particles.sizes",
    "Simulation": "dem.soft.simulation",
    "SolidsPressure": "dem.model.fluid.solids_pressure",
    "Sphere": "dem.model.shapes.shape",
    "StochasticCase": "dem.case.bases",
    "StochasticSpheres": "dem.dsmc.simulation",
    "StochasticVerdict": "dem.dsmc.verdict",
    "StudyCase": "dem.case.study",
    "Superellipsoid": "dem.model.shapes.ellipsoid",
    "SweepTable": "dem.sweeps.table",
    "TaylorGreenFlow": "dem.model.fluid.flows",
    "TimeStep": "dem.case.bases",
    "Trajectory": "dem.files.reading.trajectory",
    "Turbulence": "dem.model.fluid.turbulence",
    "Twisting": "dem.model.contact.law_parts",
    "UniformFlow": "dem.model.fluid.flows",
    "UniformSizes": "dem.model.particles.sizes",
    "Verdict": "dem.soft.verdict",
    "Viscoelastic": "dem.model.contact.law_parts",
    "cases": "dem.case.find",
    "effective_density": "dem.model.domain.roughness",
    "export": "dem.files.exports",
    "integrate_rotation": "dem.rotation.study",
    "load": "dem.casefile.load",
    "pack": "dem.model.particles.random_insertion",
    "pack_dense": "dem.model.particles.dense_packing",
    "plots": "dem.plots",
    "random_orientations": "dem.model.particles.packing",
    "random_velocities": "dem.model.particles.packing",
    "read_sizes": "dem.model.particles.sizes",
    "register_field": "dem.model.particles.particles",
    "register_drag": "dem.model.fluid.drag_registry",
    "register_export": "dem.files.exports",
    "register_law_part": "dem.model.contact.law_components",
    "register_wall": "dem.model.walls.wall_registry",
    "repair": "dem.files.storage.repair",
    "rerun": "dem.run.rerun",
    "resume": "dem.run.resume",
    "rub_cylinders": "dem.rotation.study",
    "settled": "dem.case.settled",
    "statistics": "dem.statistics",
    "Plane": "dem.model.walls.basic",
    "Ball": "dem.model.walls.basic",
    "Cylinder": "dem.model.walls.axisymmetric",
    "Cone": "dem.model.walls.axisymmetric",
    "Disc": "dem.model.walls.axisymmetric",
    "Revolution": "dem.model.walls.axisymmetric",
    "Rectangle": "dem.model.walls.polyhedral",
    "Block": "dem.model.walls.polyhedral",
    "CapsuleWall": "dem.model.walls.polyhedral",
    "Torus": "dem.model.walls.polyhedral",
    "sweep": "dem.sweeps.sweep",
    "view": "dem.viewer.view",
}
__all__ = list(HOMES)
DEPRECATED = {"Free": "RigidWall", "Rod": "CapsuleWall"}  # names of 0.2 and what they are called now

# what files may hold
KINDS.update(
    {
        "Simulation": "dem.soft.checkpoint",
        "HardSpheres": "dem.event_driven.checkpoint",
        "StochasticSpheres": "dem.dsmc.checkpoint",
    }
)


def __getattr__(name: str) -> object:
    """Import a public name, once."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415, takes as long as all the rest of this

        return version("pcdm-dem")
    if name in DEPRECATED:
        from dem.base.notices import deprecated  # noqa: PLC0415, takes longer than all the rest of this

        deprecated(f"dem.{name}", f"dem.{DEPRECATED[name]}")
        return getattr(sys.modules[__name__], DEPRECATED[name])
    if name not in HOMES:
        from dem.base.checks import nearest  # noqa: PLC0415, which waits for numpy

        near = nearest(name, HOMES)
        message = f"module 'dem' has no attribute {name!r}{near and f'. Did you mean {near!r}?'}"
        raise AttributeError(message, name=name, obj=sys.modules[__name__])
    home = importlib.import_module(HOMES[name])
    globals()[name] = thing = home if HOMES[name] == f"dem.{name}" else getattr(home, name)
    return thing


def __dir__() -> list[str]:
    return sorted([*HOMES, *(name for name in globals() if name.startswith("__"))])


launcher.join()
