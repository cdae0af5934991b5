"""Schema of case files: a model for each table, with limits, defaults and a description of each key."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from dem.casefile.schema import key_types as key
from dem.casefile.schema.fluid import FluidTable
from dem.casefile.schema.insertion import InserterTable, OutletTable
from dem.casefile.schema.key_types import Table
from dem.casefile.schema.law_components import LawPartKeys
from dem.casefile.schema.packages import build_declared
from dem.casefile.schema.shapes import ShapeTable
from dem.casefile.schema.sizes import SizesTable
from dem.casefile.schema.walls import MotionTable, WallTable
from dem.model import temperature_tables
from dem.model.contact.contacts import Contact, present_damping
from dem.model.domain.box import Box
from dem.model.domain.cell import Cell
from dem.model.fluid.solids_pressure import SolidsPressure
from dem.model.fluid.turbulence import Turbulence
from dem.model.heat import Heat
from dem.model.heat_transfer import Convection, Radiation
from dem.model.materials import BY_TEMPERATURE, CONTACT_TABLES, THERMAL, Material
from dem.model.particles.fields import SCALARS, STATE
from dem.model.scalar_exchange import ScalarExchange
from dem.rotation import AUTO, MEANING


class ImpactTable(Table):
    """``[impacts]``: impact laws of hard spheres."""

    restitution: key.Share = Field(1.0, description="coefficient of normal restitution of two spheres")
    tangential_restitution: key.Number = Field(
        -1.0, ge=-1, le=1, description="tangential restitution of two spheres; -1: smooth, 1: rough"
    )
    friction: key.Friction | None = Field(
        None, description="coefficient of friction of two spheres; default: infinite", examples=[0.3]
    )
    wall_restitution: key.Share | None = Field(
        None, description="coefficient of normal restitution at walls; default: as of two spheres", examples=[1.0]
    )
    wall_tangential_restitution: key.Number | None = Field(
        None, ge=-1, le=1, description="coefficient of tangential restitution at walls", examples=[-1.0]
    )
    wall_friction: key.Friction | None = Field(None, description="coefficient of friction at walls", examples=[0.3])
    contact_time: key.Duration = Field(
        1e-5, description="an impact within this time after another one of either partner is elastic [s]"
    )


MOVES = [heading for name, field in STATE.items() if name != "position" for heading in field.headings]
COLUMNS = (
    f"CSV with columns {', '.join(STATE['position'].headings)}, and any of {', '.join(MOVES)}; or NPZ with arrays "
    f"{', '.join(STATE)}"
)
PLACEMENTS = ("position", "lattice", "random", "file", "last_frame")


class MaterialTable(Table, LawPartKeys):
    """``[materials.NAME]``: properties of a material."""

    young: key.Modulus = Field(gt=0, description="Young's modulus [Pa]", examples=[5e7])
    poisson: key.Number = Field(gt=-1, le=0.5, description="Poisson's ratio", examples=[0.3])
    density: key.Density = Field(1000.0, gt=0, description="density [kg/m3]; walls do not use it")
    restitution: key.Share = Field(
        1.0, description="coefficient of normal restitution between two bodies of this material"
    )
    friction: key.Friction = Field(0.0, description="coefficient of friction between two bodies of this material")
    conductivity: key.ConductivityByTemperature | None = Field(
        None,
        description="thermal conductivity, for heat [W/(m K)]; or rows of a temperature and the value there",
        examples=["0.8 W/m/K"],
    )
    heat_capacity: key.HeatCapacityByTemperature | None = Field(
        None,
        description="specific heat capacity, for heat [J/(kg K)]; or rows of a temperature and the value there",
        examples=["840 J/kg/K"],
    )
    real_young: key.Modulus | None = Field(
        None,
        gt=0,
        description="Young's modulus of the real solid, for heat, if young is a softened one [Pa]",
        examples=[7e10],
    )

    expansion: key.Expansion | None = Field(
        None, description="coefficient of linear thermal expansion of spheres in a run with heat [1/K]",
        examples=["1.2e-5 1/K"],
    )  # fmt: skip
    restitution_by_temperature: list[tuple[key.Temperature, key.Share]] | None = Field(
        None, description="in place of restitution, for heat: rows of a temperature and the value there",
        examples=[[["20 degC", 0.9], ["800 degC", 0.5]]],
    )  # fmt: skip
    friction_by_temperature: list[tuple[key.Temperature, key.Friction]] | None = Field(
        None, description="in place of friction, for heat: rows of a temperature and the value there",
        examples=[[["20 degC", 0.3], ["800 degC", 0.6]]],
    )  # fmt: skip

    @field_validator(*BY_TEMPERATURE, *CONTACT_TABLES)
    @classmethod
    def _ascends(cls, given: float | list | None, info: ValidationInfo) -> float | list | None:
        """Refuse temperature tables that do not ascend."""
        if given is not None:
            least = 0.0 if info.field_name == "friction_by_temperature" else None
            temperature_tables.checked(info.field_name, given, THERMAL.get(info.field_name, "1"), least=least)
        return given

    def build(self, name: str) -> Material:
        """Make the material, with this name."""
        return Material(**self.values(), name=name)


class ContactTable(Table, LawPartKeys):
    """``[[contacts]]``: contact parameters of a pair of materials."""

    materials: tuple[key.MaterialName, key.MaterialName] = Field(
        description="names of the two materials", examples=[["glass", "glass"]]
    )
    restitution: key.Share = Field(1.0, description="coefficient of normal restitution")
    friction: key.Friction = Field(0.0, description="coefficient of friction")

    def build(self) -> Contact:
        """Make the contact of the pair."""
        return Contact(**{key: value for key, value in self.values().items() if key != "materials"})


class BoxTable(Table):
    """``[box]``: corners, faces and materials of the box."""

    lower: key.Point = Field((0.0, 0.0, 0.0), description="lower corner [m]")
    upper: key.Point = Field(description="upper corner [m]", examples=[[0.1, 0.1, 0.1]])
    material: key.MaterialName = Field(description="material of the walls", examples=["glass"])
    open: list[key.Face] = Field([], description="faces without a wall; default: none", examples=[["y+"]])
    periodic: list[key.Axis] = Field([], description="periodic axes; default: none", examples=[["x"]])
    motion: dict[key.MovingFace, MotionTable] = Field(
        {}, description="motion of a face, or of all faces", examples=["z+"]
    )
    roughness: key.Angle = Field(
        0.0, ge=0, le=1, description="standard deviation of the inclination of rough walls [rad]"
    )
    seed: key.Seed = Field(0, description="seed of the inclinations")

    @model_validator(mode="after")
    def _spans(self) -> BoxTable:
        """Refuse a box without volume, and faces that are open and move."""
        self.build(Material(young=1.0, poisson=0.0))
        return self

    def build(self, material: Material) -> Box:
        """Make the box."""
        moving = {face: motion.build() for face, motion in self.motion.items()}
        if "all" in moving and len(moving) > 1:
            message = f"motion is given for all faces and for {', '.join(moving.keys() - {'all'})}: leave one out"
            raise ValueError(message)
        return Box(**{**dict(self), "material": material, "motion": moving.get("all", moving)})


class RateChangeTable(Table):
    """``[[cell.rate_changes]]``: a change of the strain rate."""

    time: key.Duration = Field(description="time from which the rate holds [s]", examples=[0.5])
    rate: key.VelocityGradient = Field(
        description="velocity gradient, in the form of the rate of the cell [1/s]", examples=[[0.0, 0.0, 1.0]]
    )


class CellTable(Table):
    """``[cell]``: a deforming periodic cell in place of a box."""

    edges: key.Edges | None = Field(
        None, description="lengths, or three rows with an edge in each column [m]; or give last_frame",
        examples=[[0.1, 0.1, 0.1]],
    )  # fmt: skip
    last_frame: key.InputFile | None = Field(
        None, description="trajectory whose cell has these edges at its end", examples=["run.h5"]
    )
    rate: key.VelocityGradient = Field(
        (0.0, 0.0, 0.0), description="velocity gradient: its diagonal, or three rows [1/s]; negative in compression"
    )
    rate_changes: list[RateChangeTable] = Field([], description="other rates from given times on; default: none")
    stress: key.HeldStresses | None = Field(
        None,
        description='stress that is held [Pa]: a pressure, or three rows with "none" where a rate is given',
        examples=[1e4],
    )  # fmt: skip
    gain: key.Factor | None = Field(
        None, description="strain rate over the excess of stress [1/(Pa s)]; default: from the packing", examples=[1e-3]
    )
    fastest: Annotated[key.Rate, Field(gt=0)] | None = Field(
        None,
        description="largest rate that holds a stress [1/s]; default: at an inertial number of 1e-3",
        examples=[2.0],
    )
    control: Literal["servo", "inertia"] = Field(
        "servo", description="control of stresses: by the rate, or by edges with a mass"
    )
    mass: key.Mass | None = Field(None, description="mass of the edges [kg]; default: from the packing", examples=[0.1])
    damping: Annotated[key.MassRate, Field(ge=0)] | None = Field(
        None, description="damping of the edges [kg/s]; 0: none; default: critical", examples=[10.0]
    )

    @model_validator(mode="after")
    def _deforms(self) -> CellTable:
        """Refuse a cell without volume, and strain rates along axes of prescribed stress."""
        if (self.edges is None) == (self.last_frame is None):
            raise ValueError("give either edges or last_frame")
        self.build()
        return self

    def build(self) -> Cell:
        """Make the cell."""
        edges = self.edges
        if self.last_frame is not None:
            from dem.files.reading.trajectory import Trajectory  # noqa: PLC0415, few files name one

            with Trajectory(self.last_frame) as run:
                if run.cell is None:
                    raise ValueError(f"{self.last_frame} has no cell that deforms")
                edges = run.cell.edges[-1]
        stress = self.stress
        if isinstance(stress, list):
            stress = [[None if value == key.NOT_HELD else value for value in row] for row in stress]
        changes = [(change.time, change.rate) for change in self.rate_changes]
        return Cell(
            edges, rate=self.rate, rate_changes=changes, stress=stress, gain=self.gain, fastest=self.fastest,
            control=self.control, mass=self.mass, damping=self.damping,
        )  # fmt: skip


class LatticeTable(Table):
    """``[particles.lattice]``: positions on a cubic lattice, x fastest."""

    sites: tuple[key.Count, key.Count, key.Count] = Field(
        description="number of sites along x, y, z", examples=[[2, 2, 2]]
    )
    pitch: key.Size = Field(description="distance between neighbouring sites [m]", examples=[0.02])
    origin: key.Point | None = Field(
        None,
        description="position of the first site [m]; default: half a pitch from the lower corner of the box",
        examples=[[0.01, 0.01, 0.01]],
    )


class RandomTable(Table):
    """``[particles.random]``: random positions without overlap."""

    number: key.Count | None = Field(None, description="number of particles; or give solid_fraction", examples=[10])
    solid_fraction: key.Share | None = Field(
        None, description="volume of these particles over that of the region", examples=[0.1]
    )
    scale: tuple[key.Factor, key.Factor] | None = Field(
        None,
        description="size factors: each particle is the shape times a random number between these two",
        examples=[[0.8, 1.2]],
    )
    sizes: SizesTable | None = Field(None, description="distribution of sizes, in place of scale")
    lower: key.Point | None = Field(
        None, description="lower corner of the region [m]; default: that of the box", examples=[[0.0, 0.0, 0.05]]
    )
    upper: key.Point | None = Field(
        None, description="upper corner of the region [m]; default: that of the box", examples=[[0.1, 0.1, 0.1]]
    )
    inside: key.Name | None = Field(
        None, description="name of a wall that encloses the particles, such as a drum or a closed mesh",
        examples=["drum"],
    )  # fmt: skip

    @model_validator(mode="after")
    def _counts(self) -> RandomTable:
        if (self.number is None) == (self.solid_fraction is None):
            raise ValueError("give either number or solid_fraction")
        if self.scale and self.sizes:
            raise ValueError("scale and sizes are both given: leave one out")
        if self.scale and self.scale[0] > self.scale[1]:
            raise ValueError(f"scale is {list(self.scale)}, expected the smaller number first")
        return self


class GroupTable(Table):
    """``[[particles]]``: particles of one kind, and their positions."""

    name: key.Name | None = Field(
        None, description="name of this kind of particles; default: that of the shape", examples=["bead"]
    )
    shape: key.ShapeName | None = Field(None, description="name of a shape", examples=["bead"])
    material: key.MaterialName | None = Field(None, description="name of a material", examples=["glass"])
    position: list[key.Point] | None = Field(
        None, min_length=1, description="centres of mass [m]", examples=[[[0.05, 0.05, 0.05]]]
    )
    lattice: LatticeTable | None = Field(None, description="sites of a cubic lattice")
    random: RandomTable | None = Field(None, description="random positions without overlap")
    file: key.InputFile | None = Field(None, description=f"with the state: {COLUMNS}", examples=["start.csv"])
    last_frame: key.InputFile | None = Field(
        None, description="trajectory from whose last frame state, shapes and materials are read", examples=["run.h5"]
    )
    orientation: key.Orientations | None = Field(
        None,
        description="unit quaternions (w, x, y, z), body to world: one for all, one each, or a word",
        examples=["random"],
    )
    velocity: key.Velocities | None = Field(
        None, description="velocity, one for all or one each [m/s]", examples=[[0.0, 0.0, -1.0]]
    )
    angular_velocity: key.AngularVelocities | None = Field(
        None, description="angular velocity, one for all or one each [rad/s]", examples=[[0.0, 0.0, 10.0]]
    )
    temperature: key.Temperatures | None = Field(
        None, description="temperature, one for all or one each [K]; default with heat: 293.15", examples=["20 degC"]
    )
    fields: dict[str, key.NumberOrNumbers] = Field(
        {}, description="registered fields with one number, by name: one for all, or one each",
        examples=[{"moisture": 8.0}],
    )  # fmt: skip
    speed: key.Speed | None = Field(
        None, gt=0, description="root mean square of random velocities without drift [m/s]", examples=[0.5]
    )
    fixed: bool | None = Field(
        None,
        description="whether they are fixed: forces do not move them; default: no, or as in last_frame",
        examples=[True],
    )
    seed: key.Seed = Field(1, description="seed of all random numbers of the group")

    @model_validator(mode="after")
    def _placed_once(self) -> GroupTable:
        """Refuse groups with no or several kinds of positions, or with missing keys."""
        ways = [way for way in PLACEMENTS if getattr(self, way) is not None]
        if len(ways) != 1:
            raise ValueError(f"needs one of {', '.join(PLACEMENTS)}, got {' and '.join(ways) or 'none'}")
        missing = [key for key in ("shape", "material") if getattr(self, key) is None and self.last_frame is None]
        if missing:
            raise ValueError(f"needs a {' and a '.join(missing)}")
        if self.velocity is not None and self.speed is not None:
            raise ValueError("velocity and speed are both given: leave one out")
        return self


class ConvectionTable(Table):
    """``heat.convection``: heat exchange with the fluid; ``[fluid]`` has its density, viscosity and velocity."""

    temperature: key.Temperature = Field(description="temperature of the fluid [K]", examples=["600 K"])
    conductivity: key.Conductivity = Field(
        description="thermal conductivity of the fluid [W/(m K)]", examples=["0.045 W/m/K"]
    )
    heat_capacity: key.HeatCapacity = Field(
        description="specific heat capacity of the fluid [J/(kg K)]", examples=["1 kJ/kg/K"]
    )
    law: Literal["ranz-marshall", "gunn"] = Field("ranz-marshall", description="law for single spheres, or for beds")
    voidage: key.Share = Field(1.0, description="fluid volume over total volume, for gunn")
    volume: key.Volume | None = Field(
        None,
        description="volume of the fluid that particles warm or cool [m3]; default: the fluid keeps its temperature",
        examples=["1000 cm3"],
    )
    cells: bool = Field(False, description="whether particles warm or cool the fluid cell by cell")

    def build(self) -> Convection:
        """Make the convection."""
        return Convection(**dict(self))


class RadiationTable(Table):
    """``heat.radiation``: radiation to surroundings of one temperature."""

    temperature: key.Temperature = Field(description="temperature of the surroundings [K]", examples=["900 degC"])
    emissivity: key.Share = Field(description="emissivity of the particles", examples=[0.8])
    exposed_share: key.Share = Field(1.0, description="share of the surface that faces the surroundings")

    def build(self) -> Radiation:
        """Make the radiation."""
        return Radiation(**dict(self))


class HeatTable(Table):
    """``[heat]``: temperatures of particles, and conduction through contacts."""

    every: key.Count = Field(10, description="time steps between two exchanges")
    resolution: key.Share = Field(0.25, description="longest sub-step, over the shortest relaxation time")
    time_factor: key.Factor = Field(1.0, description="seconds of heat exchange per second of motion")
    implicit: bool = Field(
        False, description="whether each exchange is one implicit step, which is stable for any length"
    )
    frozen: bool = Field(False, description="whether particles stay where they are, for time steps of any length")
    faces: dict[key.Face, key.Temperature] = Field(
        {}, description="temperatures of faces of the box [K]; no heat passes the others", examples=[{"z-": "80 degC"}]
    )

    dissipation: bool = Field(False, description="whether the energy that contacts dissipate becomes heat")
    gas_conductivity: key.GasConductivity = Field(
        0,
        description="thermal conductivity of a gas in the gaps about contacts [W/(m K)]; 0: no gas",
        examples=["0.026 W/m/K"],
    )
    gas_jump: key.Size = Field(3e-7, description="length of the temperature jump at surfaces in the gas [m]")
    gas_range: key.Gap = Field(
        0,
        description="largest gap between separate surfaces across which the gas conducts [m]; 0: none",
        examples=["1 mm"],
    )
    convection: ConvectionTable | None = Field(None, description="heat exchange with the fluid; default: none")
    radiation: RadiationTable | None = Field(None, description="heat exchange with the surroundings; default: none")

    @model_validator(mode="after")
    def _fits(self) -> HeatTable:
        """Refuse contradictory values."""
        self.build()
        return self

    def build(self) -> Heat:
        """Make the heat."""
        return Heat(**{name: value.build() if isinstance(value, Table) else value for name, value in self})


class ScalarTable(Table):
    """``[[scalars]]``: a scalar besides the temperature that particles exchange through contacts."""

    law: str = Field(description="name of an entry point of the group dem.scalars", examples=["moisture"])
    parameters: dict[str, Any] = Field({}, description="parameters of the law", examples=[{"every": 10}])

    @model_validator(mode="after")
    def _fits(self) -> ScalarTable:
        """Refuse unknown laws and wrong parameters; the package of a law registers its fields here."""
        if not isinstance(self.build(), ScalarExchange):
            raise ValueError(f"law {self.law} is no dem.ScalarExchange")
        return self

    def build(self) -> ScalarExchange:
        """Make the exchange law; raises ValueError for an unknown law or wrong parameters."""
        return build_declared(SCALARS, "law", self.law, self.parameters)


class OutputTable(Table):
    """``[output]``: file, frames, fields, contacts and compression."""

    file: key.OutputFile | None = Field(None, description="file to write; default: a free name", examples=["run.h5"])
    frames: key.Count = Field(200, description="frames written after the first")
    fields: tuple[key.FieldName, ...] | None = Field(
        None,
        description="fields in each frame, always with position; default: all",
        examples=[["position", "velocity"]],
    )
    float32: bool = Field(False, description="write fields in single precision")
    contacts: bool = Field(False, description="write contacts and forces at each frame")
    compression: Literal["gzip", "lzf"] | None = Field(
        None, description="compression: files a little smaller, writing much slower; default: none", examples=["gzip"]
    )
    checkpoint_every: key.Interval | None = Field(
        None,
        description="computing time between checkpoints, or a number of steps; default: 10 min",
        examples=["10 min"],
    )

    def options(self) -> dict[str, Any]:
        """Arguments for `Simulation.run`."""
        names = ("fields", "float32", "contacts", "compression", "checkpoint_every")
        return {name: getattr(self, name) for name in names if name in self.model_fields_set}


class CaseKeys(BaseModel):
    """Keys of case files of all methods."""

    method: str
    duration: key.Duration = Field(description="simulated time [s]", examples=[1.0])
    gravity: key.Gravity = Field((0.0, 0.0, -9.81), description="acceleration by gravity [m/s2]")
    output: OutputTable = Field(OutputTable(), description="output of the run")
    materials: dict[str, MaterialTable] = Field({}, description="materials by name", examples=["glass"])
    shapes: dict[str, ShapeTable] = Field({}, description="shapes by name", examples=["bead"])
    particles: list[GroupTable] = Field(min_length=1, description="groups of particles")
    box: BoxTable | None = Field(None, description="the container; default: none")

    @model_validator(mode="after")
    def _temperatures_change(self) -> CaseKeys:
        """Refuse temperatures of particles where nothing exchanges heat."""
        if getattr(self, "heat", None) or getattr(self, "scalars", None):
            return self
        for k, group in enumerate(getattr(self, "particles", ())):  # a default that is not complete has none
            if group.temperature is not None:
                message = f"particles.{k} has a temperature in a run without heat: add heat = {{}}, or leave it out"
                raise ValueError(message)
        return self


class SteppedTable(Table, CaseKeys):
    """Case of soft particles: contacts of finite duration, in time steps."""

    method: Literal["time-steps"] = Field("time-steps", description="time-steps, hard-spheres or stochastic")
    particles: list[GroupTable] = Field(description="groups of particles; [] if all are inserted later")
    time_step: key.TimeStep = Field(description="time step [s], or auto", examples=["auto"])
    integrator: key.Integrator = Field(AUTO, description=f"{MEANING}, see `dem integrators`")
    threads: key.Count | None = Field(
        None, description="number of threads; default: all cores. The result is the same for any number", examples=[1]
    )
    cell: CellTable | None = Field(None, description="a deforming periodic cell, in place of a box; default: none")
    contact_rule: key.Rule = Field(
        "geometric", description="mean for restitution and friction of pairs of materials without an entry in contacts"
    )
    contact_damping: Annotated[Literal["shared", "independent"], BeforeValidator(present_damping)] = Field(
        "shared", description="damping of several contacts between two bodies"
    )
    contacts: list[ContactTable] = Field([], description="contact laws of pairs of materials")
    walls: list[WallTable] = Field([], description="walls in addition to the box, or instead of it")
    fluid: FluidTable | None = Field(None, description="fluid around the particles; default: none")
    heat: HeatTable | None = Field(None, description="temperatures and heat of particles; default: none")
    scalars: list[ScalarTable] = Field([], description="further scalars that particles exchange")
    inserters: list[InserterTable] = Field([], description="regions in which particles are inserted during the run")
    outlets: list[OutletTable] = Field([], description="regions in which particles are removed")

    @model_validator(mode="after")
    def _one_domain(self) -> SteppedTable:
        if self.box and self.cell:
            raise ValueError("box and cell are both given: leave one out")
        return self

    @field_validator("contacts")
    @classmethod
    def _each_pair_once(cls, contacts: list[ContactTable]) -> list[ContactTable]:
        """Refuse two entries for a pair of materials, in either order."""
        first: dict[frozenset[str], int] = {}
        for k, contact in enumerate(contacts):
            before = first.setdefault(frozenset(contact.materials), k)
            if before != k:
                pair = " and ".join(contact.materials)
                message = f"entries {before} and {k} are both for {pair}, expected one for each pair: leave one out"
                raise ValueError(message)
        return contacts


class HardTable(Table, CaseKeys):
    """Case of hard spheres: impacts without duration, event-driven."""

    method: Literal["hard-spheres"] = Field(description="time-steps, hard-spheres or stochastic")
    impacts: ImpactTable = Field(ImpactTable(), description="impacts of spheres with each other and with walls")


class ShortTable(Table):
    """Case given by its name, with other parameters."""

    case: str = Field(description="name of a case, see `dem cases`")
    parameters: dict[str, Any] = Field({}, description="parameters of the case, see `dem cases NAME`")
    output: OutputTable = OutputTable()


class TurbulenceTable(Table):
    """``[turbulence]``: a turbulent carrier fluid with drag on the spheres."""

    rms: key.Speed = Field(
        gt=0, description="root mean square of a component of the velocity fluctuation [m/s]", examples=[0.5]
    )
    time_scale: key.Duration = Field(description="Lagrangian integral time scale [s]", examples=[0.05])
    viscosity: key.Viscosity = Field(description="dynamic viscosity [Pa s]", examples=[1.8e-5])
    velocity: key.Velocity = Field((0.0, 0.0, 0.0), description="mean velocity [m/s]")

    def build(self) -> Turbulence:
        """Make the fluid."""
        return Turbulence(**dict(self))


class PressureTable(Table):
    """``[pressure]``: solids pressure, which keeps stochastic spheres below close packing."""

    scale: key.Modulus = Field(gt=0, description="P in the solids pressure P φ^β/(φ_cp - φ) [Pa]", examples=[10.0])
    exponent: key.Number = Field(2.0, ge=1, le=10, description="exponent β")
    packing: key.Number = Field(0.6, gt=0, le=0.62, description="φ_cp, solid fraction of close packing")
    softness: key.Number = Field(
        1e-3, gt=0, le=0.1, description="ε: least value of φ_cp - φ in the pressure, over 1 - φ"
    )

    def build(self) -> SolidsPressure:
        """Make the solids pressure."""
        return SolidsPressure(**dict(self))


class StochasticTable(Table, CaseKeys):
    """Case of stochastic spheres: collisions drawn at random, in time steps."""

    method: Literal["stochastic"] = Field(description="time-steps, hard-spheres or stochastic")
    time_step: key.TimeStep = Field(description="time step [s], or auto", examples=["auto"])
    collisions: Literal["pairs", "partners"] = Field(
        "pairs", description="collisions between pairs in cells, or with fictitious partners"
    )
    cell: key.Size | None = Field(
        None,
        description="approximate width of the cells [m]; default: from the number of spheres and their mean free path",
        examples=[0.01],
    )
    correlation: Literal["full", "particle", "none"] = Field(
        "full", description="correlation of fictitious partners: with particle and fluid (full), particle, or none"
    )
    seed: key.Seed = Field(1, description="seed of the collisions")
    impacts: ImpactTable = Field(ImpactTable(), description="impacts of spheres with each other and with walls")
    turbulence: TurbulenceTable | None = Field(None, description="turbulent fluid, for partners; default: none")
    pressure: PressureTable | None = Field(None, description="solids pressure, for pairs; default: none")
