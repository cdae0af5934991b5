"""A discrete element engine for spheres, clumps, fibres and convex bodies, rigid or bonded.

SI units; quaternions scalar first (w, x, y, z), body to world; angular velocities, forces and torques in the world
frame. Start with `Simulation`; read what it wrote with `Trajectory`. README.md of this folder says what is where.

Public names are imported from their modules (`HOMES`) at first use, so that `import dem` itself takes no time. In a
program that ``mpiexec`` or ``srun`` has started, `import dem` returns on rank 0 only: the other ranks compute for rank
0 (`dem.ranks.launcher`).
"""

import importlib
import os
import sys

from dem.base import clone
from dem.ranks import launcher

if not os.path.isdir(os.path.join(__path__[0], "kernels")):
    clone.find_beside(__path__[0], ("dem.kernels", "dem.cases"))

PUBLIC = {  # module: its public names
    "dem.base.notices": "DemWarning",
    "dem.calibration.calibrate": "Calibration calibrate",
    "dem.case.bases": "Axes Case HardSphereCase StochasticCase TimeStep",
    "dem.case.find": "cases",
    "dem.case.settled": "settled",
    "dem.case.study": "RotationCase StudyCase",
    "dem.casefile.load": "load",
    "dem.dsmc.simulation": "StochasticSpheres",
    "dem.dsmc.verdict": "StochasticVerdict",
    "dem.event_driven.simulation": "HardSpheres",
    "dem.event_driven.verdict": "HardVerdict",
    "dem.files.exports": "export register_export",
    "dem.files.reading.frame": "Frame",
    "dem.files.reading.trajectory": "Trajectory",
    "dem.files.storage.repair": "repair",
    "dem.model.bonds": "Bonds",
    "dem.model.contact.contacts": "Contact Contacts",
    "dem.model.contact.law_component": "LawPart",
    "dem.model.contact.law_registry": "register_law_part",
    "dem.model.contact.law_parts": "Bridge DMT Dashpot EEPA Hertz Hysteretic JKR Linear PowerLaw "
    "Rolling Twisting Viscoelastic",
    "dem.model.contact.lubrication": "Lubrication",
    "dem.model.domain.box": "Box",
    "dem.model.domain.cell": "Cell",
    "dem.model.domain.roughness": "effective_density",
    "dem.model.energy": "Energy",
    "dem.model.fluid.cells": "Cells",
    "dem.model.fluid.coupling": "Coupling Exchange FlowState",
    "dem.model.fluid.drag_registry": "register_drag",
    "dem.model.fluid.flows": "ABCFlow CellFlow ChannelFlow PipeFlow RotatingFlow ShearFlow TaylorGreenFlow UniformFlow",
    "dem.model.fluid.fluid": "Fluid",
    "dem.model.fluid.given_flows": "FunctionFlow GriddedFlow",
    "dem.model.fluid.solids_pressure": "SolidsPressure",
    "dem.model.fluid.turbulence": "Turbulence",
    "dem.model.heat": "Heat",
    "dem.model.heat_transfer": "Convection Radiation",
    "dem.model.insertion": "Inserter Outlet",
    "dem.model.materials": "Material",
    "dem.model.particles.dense_packing": "pack_dense",
    "dem.model.particles.packing": "random_orientations random_velocities",
    "dem.model.particles.particles": "Particles register_field",
    "dem.model.particles.random_insertion": "pack",
    "dem.model.particles.sizes": "ListedSizes LogNormalSizes NormalSizes RosinRammlerSizes "
    "SieveSizes UniformSizes read_sizes",
    "dem.model.scalar_exchange": "ScalarExchange",
    "dem.model.shapes.capsule": "Capsule FibreSegment",
    "dem.model.shapes.clump": "Clump",
    "dem.model.shapes.ellipsoid": "Ellipsoid Superellipsoid",
    "dem.model.shapes.flexible": "FlexibleFibre",
    "dem.model.shapes.polyhedron": "Polyhedron",
    "dem.model.shapes.rounded_cylinder": "RoundedCylinder",
    "dem.model.shapes.shape": "Fibre MassProperties Shape Sphere",
    "dem.model.walls.mesh": "Mesh",
    "dem.model.walls.motion": "Motion",
    "dem.model.walls.primitives": "Ball Block CapsuleWall Cone Cylinder Disc Plane Rectangle Revolution Torus",
    "dem.model.walls.rigid_body": "RigidWall",
    "dem.model.walls.servo": "PID Servo",
    "dem.model.walls.wall_registry": "register_wall",
    "dem.plots": "plots",
    "dem.rotation.integrators": "INTEGRATORS Integrator",
    "dem.rotation.study": "RotationHistory integrate_rotation rub_cylinders",
    "dem.run.precice": "PreciceFlow",
    "dem.run.rerun": "Comparison rerun",
    "dem.run.resume": "resume",
    "dem.run.running_table": "register_column",
    "dem.soft.simulation": "Simulation",
    "dem.soft.time_step.advice": "Advice",
    "dem.soft.verdict": "Verdict",
    "dem.statistics": "statistics",
    "dem.sweeps.sweep": "sweep",
    "dem.sweeps.table": "SweepTable",
    "dem.viewer.view": "view",
}
HOMES = {name: home for home, names in PUBLIC.items() for name in names.split()}
__all__ = list(HOMES)
DEPRECATED = {"Free": "RigidWall", "Rod": "CapsuleWall"}  # names of 0.2 and what they are called now


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
