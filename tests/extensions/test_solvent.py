"""A scalar of one's own that particles exchange through contacts, beside heat."""

import math
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from dem.kernels.compiler import jit

import dem
from dem.base import imports
from dem.model.particles.particles import unregister_field

pytestmark = pytest.mark.skipif(not jit.numba.config.DISABLE_JIT, reason="runs by the interpreter, in less time")
CLAY = dem.Material(
    young=1e7, poisson=0.3, density=1800.0, conductivity=1.0, heat_capacity=900.0, restitution=0.5, friction=0.4
)
D, DEEP, DT = 0.01, 1e-5, 1e-9


@pytest.fixture(scope="module", name="Solvent")
def _solvent():
    """The whole extension, while these tests run."""
    from solvent import Solvent  # noqa: PLC0415

    yield Solvent
    unregister_field("solvent")


def row(number=3, **laws):
    place = [[k * (D - DEEP), 0, 0] for k in range(number)]
    wet = np.arange(number, dtype=float)
    balls = dem.Particles(dem.Sphere(diameter=D), CLAY, position=place, solvent=wet, temperature=300 + wet)
    return dem.Simulation(balls, gravity=(0, 0, 0), time_step=DT, **laws)


def test_it_goes_by_its_law_and_is_conserved(Solvent, tmp_path):  # noqa: N803
    law = Solvent(every=2, diffusivity=1e-8, time_factor=1e11, resolution=1.0)
    sim = row(scalars=[law], heat=dem.Heat(every=3))
    sim.step(2)
    volume, passed = math.pi / 6 * D**3, 1e-8 * math.sqrt(D / 4 * DEEP) * 2 * DT * 1e11
    np.testing.assert_allclose(sim.particles.solvent, [passed / volume, 1.0, 2.0 - passed / volume], rtol=1e-4)
    assert sim.particles.temperature.tolist() == [300.0, 301.0, 302.0]  # heat is due later
    sim.step(7)
    sim.save(tmp_path / "state.h5")
    again = dem.Simulation.load(tmp_path / "state.h5")
    sim.step(8), again.step(8)
    for name in ("solvent", "temperature", "position"):
        assert getattr(again.particles, name).tobytes() == getattr(sim.particles, name).tobytes()
    assert set(sim.scalars) == {"temperature", "solvent"}
    assert abs(sim.scalars["solvent"].imbalance) < 1e-15 * sim.scalars["solvent"].content
    assert again.scalars["solvent"].time == pytest.approx(16 * DT * 1e11)
    assert sim.verdict().scalars_balanced


def test_a_source_is_booked_by_particle(Solvent, tmp_path):  # noqa: N803
    """Drying at a rate that is proportional to what is there: u decays by 1 - k h in each exchange of time h."""

    @dataclass(frozen=True, kw_only=True)
    class Drying(Solvent):
        rate: float = 1e5

        def source(self, value, capacity):
            return -self.rate * capacity * value

    sim = row(scalars=[Drying(every=1, diffusivity=1e-30, time_factor=1e3)])
    sim.step(50)
    left = np.arange(3) * (1 - 1e5 * DT * 1e3) ** 50
    np.testing.assert_allclose(sim.particles.solvent, left, atol=50 * 2.0**-40)  # a unit is 2^-60 of LARGEST
    ledger = sim.scalars["solvent"]
    assert ledger.received == {"source": pytest.approx(ledger.content - ledger.start, rel=1e-12)}
    assert abs(ledger.imbalance) < 1e-15 * ledger.start
    with pytest.raises(ValueError, match=r"source of Bad has shape \(2,\)"):
        row(scalars=[type("Bad", (Solvent,), {"source": lambda *_: np.zeros(2)})(every=1)]).step(1)


def test_the_relaxation_time_is_that_of_the_fastest_particle(Solvent):  # noqa: N803
    sim = row(scalars=[Solvent(diffusivity=1e-8)], heat=dem.Heat())
    per_contact = 1e-8 * math.sqrt(D / 4 * DEEP)
    middle = math.pi / 6 * D**3 / (2 * per_contact)
    assert sim.scalars["solvent"].relaxation_time == pytest.approx(middle, rel=1e-6)
    capacity = 900.0 * 1800.0 * math.pi / 6 * D**3
    assert sim.heat.relaxation_time == pytest.approx(capacity / (2 * 2 * math.sqrt(D / 4 * DEEP)), rel=1e-6)
    assert row(number=1, heat=dem.Heat()).heat.relaxation_time == math.inf


CASE = """
time_step = "10 us"
duration = "1 ms"
shapes.ball = { type = "sphere", diameter = "1 cm" }
box = { upper = [0.1, 0.1, 0.1], material = "clay" }
materials.clay = { young = "10 MPa", poisson = 0.3, density = 1800 }
scalars = [{ law = "solvent", parameters = { every = 5, diffusivity = 1e-8 } }]
[[particles]]
shape = "ball"
material = "clay"
position = [[0.05, 0.05, 0.00499], [0.05, 0.05, 0.0149]]
fields = { solvent = [8.0, 2.0] }
[[inserters]]
shape = "ball"
material = "clay"
region = { type = "block", lower = [0.02, 0.02, 0.05], upper = [0.08, 0.08, 0.07] }
number = 2
every = "0.2 ms"
fields = { solvent = 5.0 }
"""


def test_case_files_and_inserters_have_it(Solvent, tmp_path, monkeypatch):  # noqa: N803
    """By the entry point of an installed package."""
    entry = SimpleNamespace(name="solvent", load=lambda: Solvent)
    monkeypatch.setattr(imports, "entry_points", lambda group: [entry] if group == "dem.scalars" else [])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wet.toml").write_text(CASE)
    sim = dem.load("wet.toml")
    assert sim.run(1e-3, output="wet.h5", frames=2).scalars_balanced
    assert sim.particles.solvent[:2].sum() == pytest.approx(10.0, rel=1e-12)
    assert sim.particles.solvent[0] < 8.0
    assert sim.particles.solvent[2:].tolist() == [5.0, 5.0]
    sim.save("state.h5")
    assert dem.Simulation.load("state.h5").inserters[0].inserter.fields == {"solvent": 5.0}
    for old, new, told in (
        ("solvent = [8.0, 2.0]", "solvant = 1.0", "did you mean solvent"),
        ("solvent = 5.0", "solvant = 5.0", "did you mean solvent"),
        ('law = "solvent"', 'law = "solvant"', "did you mean solvent"),
        ("diffusivity", "diffusion", "parameters of solvent are every"),
    ):
        (tmp_path / "off.toml").write_text(CASE.replace(old, new))
        with pytest.raises(ValueError, match=told):
            dem.load("off.toml")


@pytest.mark.parametrize(
    ("laws", "told"),
    [
        (lambda law: {"scalars": [law(), law()]}, "solvent is exchanged by two laws"),
        (lambda _: {"scalars": [dem.Heat()], "heat": dem.Heat()}, "temperature is exchanged by two laws"),
        (lambda _: {"scalars": [dem.ScalarExchange()]}, "unknown field of ScalarExchange ''"),
    ],
)
def test_laws_that_contradict_each_other_are_refused(laws, told, Solvent):  # noqa: N803
    with pytest.raises(ValueError, match=told):
        row(**laws(Solvent))


def test_what_is_no_law_is_refused(Solvent):  # noqa: N803
    with pytest.raises(TypeError, match=r"scalars\[0\] is 3"):
        row(scalars=[3])


def test_amounts_that_are_rounded_away_have_a_notice(Solvent):  # noqa: N803
    """Two 1e-9 of a scalar that may reach 2^20: no unit passes; with a lower limit it passes."""

    class Scarce(Solvent):
        LARGEST = 1e-8

    pair = dem.Particles(dem.Sphere(diameter=D), CLAY, position=[[0, 0, 0], [D - DEEP, 0, 0]], solvent=[1e-9, 0.0])
    for law, is_coarse in ((Solvent, True), (Scarce, False)):
        exchange = law(every=1, diffusivity=1e-8, time_factor=1e9)
        sim = dem.Simulation(pair, gravity=(0, 0, 0), time_step=DT, scalars=[exchange])
        assert ("coarse-scalar" in [notice.name for notice in sim.foreseen()]) is is_coarse
        sim.step(1)
        assert (sim.particles.solvent.tolist()[1] == 0) is is_coarse
