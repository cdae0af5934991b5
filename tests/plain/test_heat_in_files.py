"""Heat in case files, tables, trajectories and pictures: with units, and back."""

import h5py
import numpy as np
import pytest

import dem
from dem.casefile.load import read
from dem.files.reading.trajectory import Trajectory
from dem.plots.scene import colour_limits
from dem.viewer.page import frame_block, scalar_names

CASE = """
time_step = "1 us"
duration = "30 us"
gravity = [0, 0, 0]
heat = { every = 5, time_factor = 1e6, faces = { "z-" = "80 degC" } }
output.frames = 3
shapes.ball = { type = "sphere", diameter = "1 cm" }
box = { upper = [0.1, 0.1, 0.1], material = "brass" }
[materials.brass]
young = "10 MPa"
poisson = 0.3
density = 8500
conductivity = "1.2 W/cm/K"
heat_capacity = "0.38 kJ/kg/K"
real_young = "100 GPa"
[[particles]]
shape = "ball"
material = "brass"
position = [[0.02, 0.02, 0.00499], [0.02, 0.02, 0.01497]]
temperature = ["20 degC", 300]
[[particles]]
shape = "ball"
material = "brass"
position = [[0.05, 0.05, 0.01]]
temperature = "-10 °C"
[[walls]]
type = "plane"
point = [0, 0, 0.0199]
normal = [0, 0, -1]
material = "brass"
heat_flux = "2 kW/m2"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "brass.toml").write_text(CASE)
    return tmp_path


def test_a_case_file_has_heat_with_units(folder):
    sim = dem.load(folder / "brass.toml")
    (_, brass), *_ = sim.particles.variants
    assert (brass.conductivity, brass.heat_capacity, brass.real_young) == (120.0, 380.0, 1e11)
    assert sim.particles.temperature.tolist() == [293.15, 300.0, 263.15]
    assert sim.heat.law == dem.Heat(every=5, time_factor=1e6, faces={"z-": 353.15})
    assert sim.walls[0].heat_flux == 2000.0
    again = read(folder / "brass.toml").case.contents()
    assert again["heat"]["faces"] == {"z-": 353.15}
    assert again["particles"][0]["temperature"] == [293.15, 300.0]


def test_a_case_file_has_properties_by_temperature(folder):
    table = [["20 degC", "1.2 W/cm/K"], [600, 100]]
    capacity = {"materials.brass.heat_capacity": [[300, "0.38 kJ/kg/K"], [600.0, 420]]}
    content = read(folder / "brass.toml", {"materials.brass.conductivity": table} | capacity)
    sim = content.case.simulation()
    (_, brass), *_ = sim.particles.variants
    assert brass.conductivity == ((293.15, 120.0), (600.0, 100.0))
    assert brass.heat_capacity == ((300.0, 380.0), (600.0, 420.0))
    assert content.case.contents()["materials"]["brass"]["conductivity"] == [[293.15, 120.0], [600.0, 100.0]]
    verdict = sim.run(10e-6, output="run.h5", frames=1)
    assert verdict.scalars_balanced
    dem.resume("run.h5", duration=20e-6)
    sim.save("state.h5")
    (_, again), *_ = dem.Simulation.load("state.h5").particles.variants
    assert again == brass


def test_pictures_and_the_browser_colour_by_temperature(folder):
    dem.load(folder / "brass.toml").run(3e-5, output="run.h5", frames=3)
    with Trajectory("run.h5") as run:
        low, high = colour_limits(run, [len(run) - 1], "temperature")
        assert (low, high) == (run.temperature[-1].min(), run.temperature[-1].max())
        assert low == 263.15
        assert high > 300
        assert {"speed", "spin", "temperature"} <= {*scalar_names(run)}  # and scalars that other tests registered
        assert frame_block(run, range(2))["scales"]["temperature least"] == 263.15
        assert run.to_pandas()["temperature"].iloc[-1] == 263.15
    followed = "[[particles]]\nlast_frame = 'run.h5'\n"
    text = CASE[: CASE.index("[[particles]]")] + followed
    (folder / "later.toml").write_text(text)
    with Trajectory("run.h5") as run:
        assert dem.load("later.toml").particles.temperature.tolist() == run.temperature[-1][:, 0].tolist()


def test_a_table_places_particles_with_temperatures(folder):
    (folder / "hot.csv").write_text("x [m],y [m],z [m],temperature [K]\n0.02,0.02,0.02,310\n0.02,0.02,0.05,320\n")
    rows = "[[particles]]\nshape = 'ball'\nmaterial = 'brass'\nfile = 'hot.csv'\n"
    (folder / "table.toml").write_text(CASE[: CASE.index("[[particles]]")] + rows)
    assert dem.load("table.toml").particles.temperature.tolist() == [310.0, 320.0]


def test_a_case_file_has_gas_convection_and_radiation(folder):
    more = {
        "heat.gas_conductivity": "0.26 mW/cm/K", "heat.gas_range": "2 mm",
        "fluid": {"density": 1.2, "viscosity": "1.8e-5 Pa s", "velocity": [0, 0, 2]},
        "heat.convection": {"temperature": "327 degC", "conductivity": "45 mW/m/K", "heat_capacity": "1.05 kJ/kg/K",
                            "law": "gunn", "voidage": 0.4},
        "heat.radiation": {"temperature": "1000 K", "emissivity": 0.8},
    }  # fmt: skip
    sim = read(folder / "brass.toml", more).case.simulation()
    law = sim.heat.law
    assert law.convection == dem.Convection(
        temperature=600.15, conductivity=0.045, heat_capacity=1050.0, law="gunn", voidage=0.4
    )
    assert law.radiation == dem.Radiation(temperature=1000.0, emissivity=0.8)
    assert (law.gas_conductivity, law.gas_range) == (0.026, 0.002)
    sim.step(5)
    assert set(sim.heat.received) == {"face z-", "fluid", "plane", "radiation"}
    gas = {"temperature": 400, "conductivity": 0.03, "heat_capacity": 1000}
    closed = read(folder / "brass.toml", more | {"heat.convection": gas | {"volume": "1000 cm3"}}).case.simulation()
    assert closed.heat.law.convection.volume == 1e-3
    closed.step(5)
    assert closed.heat.fluid.item() < 400
    by_cell = more | {"heat.convection": gas | {"cells": True}}
    with pytest.raises(ValueError, match="the fluid has no cells"):
        read(folder / "brass.toml", by_cell).case.simulation()
    sim.run(10e-6, output="run.h5", frames=1)
    with Trajectory("run.h5") as run:
        assert run.input["heat"]["convection"]["law"] == "gunn"
        assert run.input["heat"]["radiation"]["emissivity"] == 0.8
    dem.resume("run.h5", duration=20e-6)


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("particles.1.temperature", "20 m", "'20 m' is in m: expected a temperature"),
        ("particles.1.temperature", "-300 degC", "should be greater than 0"),
        ("particles.1.temperature", "20 C", "has the unknown unit 'C'"),
        ("materials.brass.conductivity", "5 W/K", "is in W/K: expected a thermal conductivity"),
        (
            "materials.brass.conductivity",
            [[300, 5]],
            "brass.conductivity: conductivity is a table of 1 row",
        ),
        ("materials.brass.heat_capacity", [[300, 5], [200, 5]], "expected them to ascend"),
        ("materials.brass.heat_capacity", [[300, "5 m"], [400, 5]], "expected a specific heat capacity"),
        ("heat.faces", {"top": 300.0}, "unknown face"),
        ("heat.every", 0, "greater than 0"),
        ("walls.0.heat_capacity", "5 J/K", "no temperature at the start"),
        ("walls.0.heat_capacity", "5 J/kg/K", "expected a heat capacity"),
        ("heat.gas_range", "1 mm", "heat: gas_range is 0.001 m without a gas"),
        ("heat.gas_range", -1, r"heat\.gas_range is -1: input should be greater than or equal to 0$"),
        ("heat.gas_conductivity", "3 W/m", r"heat\.gas_conductivity: '3 W/m' is in W/m.*$"),
        ("heat", {"time_factor": 10.0, "dissipation": True}, "toml: heat: time_factor is 10 with dissipation"),
        ("materials.brass.conductivity", [[300, 5, 6], [400, 5, 6]], "input should have 2 values, not 3"),
        ("heat.convection", {"temperature": 400.0, "conductivity": 0.03, "heat_capacity": 1e3}, "run without a fluid"),
        ("heat.convection", {"temperature": 400.0, "conductivity": "3 mm", "heat_capacity": 1e3}, "'3 mm' is in mm"),
        ("heat.radiation", {"temperature": "20 degC"}, "emissivity"),
        ("heat.radiation", {"temperature": "20 degC", "emissivity": 1.2}, "less than or equal to 1"),
    ],
)
def test_what_does_not_fit_is_named(folder, key, value, told):
    with pytest.raises(ValueError, match=told):
        read(folder / "brass.toml", {key: value}).case.simulation()


def test_temperatures_of_particles_need_heat(folder):
    (folder / "cold.toml").write_text(CASE.replace("heat = {", "#").replace("heat_flux", "# heat_flux"))
    with pytest.raises(ValueError, match=r"cold\.toml: particles\.0 has a temperature in a run without heat: add heat"):
        read(folder / "cold.toml")


def test_what_is_put_in_has_the_temperature_of_its_inserter():
    sand = dem.Material(young=1e7, poisson=0.3, density=2500.0, conductivity=1.0, heat_capacity=800.0)
    region = dem.Block((0.02, 0.02, 0.05), (0.08, 0.08, 0.07))
    rain = dem.Inserter(dem.Sphere(diameter=0.01), sand, region=region, number=2, every=1e-3, temperature=500.0)
    box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), sand)
    sim = dem.Simulation(None, box, inserters=[rain], time_step=1e-4, heat=dem.Heat())
    sim.step(30)
    np.testing.assert_allclose(sim.particles.temperature, 500.0, rtol=1e-12)
    with pytest.raises(ValueError, match="the inserter gives a temperature in a run without heat"):
        dem.Simulation(None, box, inserters=[rain], time_step=1e-4)


@pytest.mark.parametrize("varies", [False, True])
@pytest.mark.few(1, long=99)
def test_exports_have_temperatures(folder, varies):
    """Of each sphere and of each triangle that of its particle."""
    sand = dem.Material(young=1e7, poisson=0.3, density=2500.0, conductivity=1.0, heat_capacity=800.0)
    fibre = dem.Fibre(diameter=0.01, aspect_ratio=2)
    warm = 300.0 + np.arange(2)
    rods = dem.Particles(fibre, sand, position=[[0.02, 0.02, 0.02], [0.05, 0.05, 0.05]], temperature=warm)
    region = dem.Block((0.02, 0.02, 0.07), (0.08, 0.08, 0.09))
    rain = [dem.Inserter(fibre, sand, region=region, number=1, every=1.0, temperature=500.0)] if varies else []
    box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), sand)
    sim = dem.Simulation(rods, box, inserters=rain, time_step=1e-5, heat=dem.Heat())
    sim.run(20e-5, output="run.h5", frames=2)
    expected = [*warm, *([500.0] if varies else [])]
    spheres = len(fibre.radii)
    with h5py.File(dem.export("run.h5", "spheres.vtkhdf")) as file:
        data = file["VTKHDF/PointData"]
        assert data["temperature"][-spheres * len(expected) :].tolist() == np.repeat(expected, spheres).tolist()
        assert "PointDataOffsets/temperature" in file["VTKHDF/Steps"]
    with h5py.File(dem.export("run.h5", "surfaces.vtkhdf", "surfaces.vtkhdf")) as file:
        data = file["VTKHDF/CellData"]
        triangles = len(data["owner"]) if not varies else int((data["owner"][-1] == data["owner"][:]).sum())
        assert len(data["temperature"]) == len(data["velocity"])
        assert set(data["temperature"][-triangles:].tolist()) <= set(expected)
        assert data["temperature"][-1] == expected[-1]
    with h5py.File(dem.export("run.h5", "spheres.vtkhdf", "few.vtkhdf", fields=["velocity"])) as file:
        assert "temperature" not in file["VTKHDF/PointData"]
    gsd = pytest.importorskip("gsd.hoomd")
    with gsd.open(dem.export("run.h5", "gsd")) as frames:
        assert frames[-1].log["particles/temperature"].ravel().tolist() == expected
