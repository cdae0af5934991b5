"""Make a simulation from the content of a case file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dem.casefile.particle_groups import Surroundings, particles
from dem.casefile.schema.case_tables import HardTable, SteppedTable, StochasticTable
from dem.dsmc.simulation import StochasticSpheres
from dem.event_driven.simulation import HardSpheres
from dem.model.contact.contacts import Contacts
from dem.model.shapes.flexible import FlexibleFibre
from dem.soft.simulation import Simulation

if TYPE_CHECKING:
    from dem.model.domain.box import Box
    from dem.model.materials import Material
    from dem.model.particles.particles import Particles
    from dem.model.shapes.shape import Shape


@dataclass(frozen=True)
class FileCase:
    """Case described by a file; `dem.casefile.load.read` makes it."""

    name: str
    table: SteppedTable | HardTable | StochasticTable

    @property
    def duration(self) -> float:
        """Simulated time [s]."""
        return self.table.duration

    @property
    def frames(self) -> int:
        """Number of frames after the first."""
        return self.table.output.frames

    @property
    def earlier_runs(self) -> list[Path]:
        """Trajectories; the run starts from their last frames."""
        tables = [*self.table.particles, getattr(self.table, "cell", None)]
        return [Path(each.last_frame) for each in tables if getattr(each, "last_frame", None)]

    def contents(self) -> dict:
        """Content of the file in SI units with all defaults, as `resolved` takes it."""
        return self.table.model_dump(mode="json", exclude_none=True, exclude={"output": {"file"}})

    def materials(self) -> dict[str, Material]:
        """The materials by name."""
        return {name: material.build(name) for name, material in self.table.materials.items()}

    def shapes(self) -> dict[str, Shape]:
        """The shapes by name."""
        return {name: shape.build() for name, shape in self.table.shapes.items()}

    def build(self) -> tuple[Particles | None, Box | None]:
        """Particles and box of the case; None if there are no particles at the start."""
        materials, table, shapes = self.materials(), self.table, self.shapes()
        box = table.box and table.box.build(materials[table.box.material])
        if isinstance(table, SteppedTable) and table.cell:
            box = table.cell.build()
        walls = [wall.build(materials) for wall in getattr(table, "walls", ())]
        return particles(table, Surroundings(shapes, materials, box, walls)) if table.particles else None, box

    def contacts(self) -> Contacts:
        """Contact laws by pair of materials."""
        materials, table = self.materials(), {}
        for pair in self.table.contacts:
            one, other = (materials[name] for name in pair.materials)
            table[one, other] = pair.build()
        rule = None if self.table.contact_rule == "none" else self.table.contact_rule
        return Contacts(table, rule=rule, damped=self.table.contact_damping)

    def simulation(self) -> Simulation | HardSpheres | StochasticSpheres:
        """The simulation, ready to run; raises ValueError with a line for each part that cannot be made."""
        table = self.table
        scalars = [each.build() for each in getattr(table, "scalars", ())]  # which adds their fields
        built, box = self.build()
        description = {"case": self.name, "case_file": self.contents()}
        if isinstance(table, HardTable):
            return HardSpheres(built, box, gravity=table.gravity, description=description, **dict(table.impacts))
        if isinstance(table, StochasticTable):
            about = {name: getattr(table, name) for name in ("time_step", "collisions", "cell", "correlation", "seed")}
            return StochasticSpheres(
                built, box, gravity=table.gravity, description=description, **about, **dict(table.impacts),
                turbulence=table.turbulence and table.turbulence.build(),
                pressure=table.pressure and table.pressure.build(),
            )  # fmt: skip
        bodies, bonds = FlexibleFibre.flexed(built) if built else (None, None)
        return Simulation(
            bodies, box, bonds=bonds, gravity=table.gravity, time_step=table.time_step, integrator=table.integrator,
            threads=table.threads, contacts=self.contacts(), fluid=table.fluid and table.fluid.build(),
            description=description, walls=[wall.build(self.materials()) for wall in table.walls],
            inserters=[each.build(self.shapes(), self.materials()) for each in table.inserters],
            outlets=[each.build() for each in table.outlets], heat=table.heat and table.heat.build(),
            scalars=scalars,
        )  # fmt: skip
