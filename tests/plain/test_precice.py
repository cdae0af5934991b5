"""The adapter for preCICE, with a participant that stands in for it: what is asked of it, and in which order."""

import importlib.util
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import dem

SAND = dem.Material(young=1e6, poisson=0.22, density=2500.0)
BOX = dem.Box((0, 0, 0), (0.01, 0.01, 0.02), SAND, periodic=["x", "y", "z"])
DT, EVERY = 1e-4, 5


class StandIn:
    """A fluid that gives way, behind preCICE's interface of version 3."""

    window, dimensions, implicit, initial, last = DT * EVERY, 3, False, True, 1e9

    def __init__(self, name, config, rank, size):
        self.calls, self.data, self.time = [("Participant", name, config, rank, size)], {}, 0.0

    def get_mesh_dimensions(self, mesh):
        return self.dimensions

    def set_mesh_vertices(self, mesh, places):
        self.places = places
        self.velocity = np.zeros((len(places), 3))
        return np.arange(len(places))

    def requires_initial_data(self):
        return self.initial

    def initialize(self):
        self.calls.append("initialize")

    def requires_writing_checkpoint(self):
        return self.implicit

    def get_max_time_step_size(self):
        return self.window

    def is_coupling_ongoing(self):
        return self.time < self.last

    def write_data(self, mesh, name, vertices, values):
        assert len(values) == len(vertices) == len(self.places)
        self.calls.append(f"write {name}")
        self.data[name] = values

    def read_data(self, mesh, name, vertices, relative):
        assert relative == 0.0
        self.calls.append(f"read {name}")
        if name == "Density":
            return 1000.0 + np.arange(len(vertices))
        return self.velocity if name == "Velocity" else np.tile([0, 0, -9810.0], (len(vertices), 1))

    def advance(self, interval):
        self.calls.append("advance")
        self.time += interval
        self.velocity = self.velocity + self.data["Force"] * interval / (1000.0 * self.data["Voidage"][:, None])

    def finalize(self):
        self.calls.append("finalize")


@pytest.fixture
def stand_in(monkeypatch):
    """A module in place of pyprecice; settings are of its participant."""

    def put(**settings):
        kind = type("Participant", (StandIn,), settings)
        monkeypatch.setitem(sys.modules, "precice", SimpleNamespace(Participant=kind))

    return put


def coupled(function, model="B", every=EVERY):
    particles = dem.pack(dem.Sphere(diameter=1e-3), SAND, BOX, number=10, seed=3)
    particles.velocity = 0.1 * np.random.default_rng(2).normal(size=(10, 3))
    fluid = dem.Fluid(
        density=1000, viscosity=1e-3, model=model, drag="beetstra", cells=dem.Cells(number=(2, 2, 4), every=every),
        coupling=dem.Coupling(function=function),
    )  # fmt: skip
    return dem.Simulation(particles, BOX, fluid=fluid, time_step=DT, gravity=(0, 0, 0))


def giving_way(exchange):
    mass = exchange.density * exchange.voidage * exchange.cells.volume
    return dem.FlowState(velocity=exchange.fluid_velocity + exchange.momentum / mass[..., None])


def test_particles_move_as_with_the_same_flow_in_this_process(stand_in):
    """And what is asked comes in the order that preCICE wants."""
    stand_in()
    flow = dem.PreciceFlow(config="precice-config.xml", pressure_gradient=None)
    one, other = coupled(flow), coupled(giving_way)
    solver = flow._solver
    for sim in (one, other):
        sim.step(17)
    assert one.particles.velocity == pytest.approx(other.particles.velocity, rel=1e-12)
    assert np.abs(one.exchange().fluid_velocity).max() > 0
    round_trip = ["write Force", "write Voidage", "advance", "read Velocity"]
    begin = ["write Force", "write Voidage", "initialize", "read Velocity"]
    assert solver.calls[1:] == begin + 3 * round_trip
    assert solver.calls[0] == ("Participant", "Particles", "precice-config.xml", 0, 1)
    assert solver.places[:2].tolist() == pytest.approx(np.array([[0.0025, 0.0025, 0.0025], [0.0025, 0.0025, 0.0075]]))
    flow.close()
    assert solver.calls[-1] == "finalize"


def test_densities_by_cell_are_read_where_they_have_a_name(stand_in):
    """One a vertex, x slowest; viscosity, which has none, stays the number that it was."""
    stand_in()
    sim = coupled(dem.PreciceFlow(config="precice-config.xml", pressure_gradient=None, density="Density"))
    sim.step(1)
    assert (sim.exchange().density == 1000.0 + np.arange(16).reshape(2, 2, 4)).all()
    assert (sim.exchange().viscosity == 1e-3).all()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"dimensions": 2}, "mesh Cells of config.xml has not three dimensions"),
        ({"implicit": True}, "couples implicitly, and particles cannot be set back: take serial-explicit"),
        ({"window": 1e-3}, "the time window of config.xml is 0.001 s, and particles exchange every 0.0005 s"),
    ],
)
def test_couplings_that_do_not_fit(stand_in, settings, said):
    stand_in(**settings)
    with pytest.raises(ValueError, match=re.escape(said)):
        coupled(dem.PreciceFlow(config="config.xml"), model="A")


def test_a_coupling_that_ends_too_soon(stand_in):
    stand_in(last=7e-4)
    sim = coupled(dem.PreciceFlow(config="config.xml"), model="A")
    with pytest.raises(RuntimeError, match=r"was over before t = 0\.0015 s: let max-time in config\.xml be"):
        sim.step(20)


@pytest.mark.skipif(importlib.util.find_spec("precice") is not None, reason="pyprecice is there")
def test_what_to_do_without_preCICE():  # noqa: N802
    with pytest.raises(ImportError, match=r"a coupling by preCICE needs precice, .* pip install 'pcdm-dem\[precice\]'"):
        coupled(dem.PreciceFlow(config="config.xml"), model="A")
