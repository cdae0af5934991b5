"""Restitution and friction by pair, and the damping that follows."""

import numpy as np
import pytest
from dem.kernels.laws import Elastic, NoComponent
from scipy.integrate import solve_ivp

import dem
from dem.model.contact.contact_law import law
from dem.model.contact.restitution import damping, restitution

GLASS = dem.Material(young=7e7, poisson=0.22, restitution=0.81, friction=0.09)
STEEL = dem.Material(young=2e8, poisson=0.3, restitution=0.64, friction=0.25)
IDEAL = dem.Material(young=1e7, poisson=0.3)


@pytest.mark.parametrize("e", [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_damping_gives_the_restitution_wanted(e):
    """The scaled impact x'' + α x^(1/4) x' + x^(3/2) = 0, x' = 1 at touch, until the force vanishes."""
    alpha = damping(e)
    assert restitution(alpha) == pytest.approx(e, rel=1e-12)

    def motion(_, y):
        x = max(y[0], 0.0)
        return [y[1], -alpha * x**0.25 * y[1] - x**1.5]

    def parting(_, y):
        return alpha * y[1] + max(y[0], 0.0) ** 1.25  # force over x^(1/4), which is zero at touch as well

    parting.terminal, parting.direction = True, -1
    end = solve_ivp(motion, (0, 1e6), [1e-12, 1.0], events=parting, rtol=1e-11, atol=1e-14, method="LSODA")
    assert -end.y_events[0][0, 1] == pytest.approx(e, rel=1e-5)  # LSODA's global error where the force is stiff


def test_no_damping_is_none_at_all():
    assert damping(1.0) == 0.0
    assert restitution(0.0) == 1.0


def test_critical_damping_joins_its_branches():
    """At ζ = 1 e is exp(-2), from either side."""
    at = np.sqrt(5) * (1 + np.array([-1e-5, -1e-7, 0.0, 1e-7, 1e-5]))
    np.testing.assert_allclose([restitution(a) for a in at], np.exp(-2), rtol=2e-5)
    assert np.all(np.diff([restitution(a) for a in at]) < 0)


def test_rules():
    geometric = dem.Contacts().between(GLASS, STEEL)
    assert (geometric.restitution, geometric.friction) == pytest.approx((0.72, 0.15))
    assert dem.Contacts(rule="least").between(GLASS, STEEL) == dem.Contact(restitution=0.64, friction=0.09)
    table = {(STEEL, GLASS): dem.Contact(restitution=0.5, friction=0.6)}
    assert dem.Contacts(table).between(GLASS, STEEL).friction == 0.6
    assert dem.Contacts(table).between(GLASS, GLASS).friction == pytest.approx(0.09)


def forms(law):
    """Which parts a law has."""
    return {name: type(part).__name__ for name, part in law._asdict().items() if not isinstance(part, NoComponent)}


def test_the_law_is_the_simplest_that_does():
    box = dem.Box((0, 0, 0), (1, 1, 1), IDEAL)
    slow = dem.Material(young=1e7, poisson=0.3, restitution=0.5)
    assert isinstance(law(dem.Contacts(), [IDEAL], box), Elastic)
    assert forms(law(dem.Contacts(), [slow], box)) == {"normal": "Hertz", "damping": "Damping"}
    rough = {"normal": "Hertz", "damping": "Damping", "tangential": "Friction"}
    assert forms(law(dem.Contacts(), [GLASS], box)) == rough
    glass = dem.Box((0, 0, 0), (1, 1, 1), GLASS)
    assert forms(law(dem.Contacts(rule="least"), [IDEAL], glass)) == {"normal": "Hertz", "damping": "Damping"}


def test_refusals():
    ball = dem.Particles(dem.Sphere(diameter=0.01), GLASS, position=[[0.5, 0.5, 0.5]])
    box = dem.Box((0, 0, 0), (1, 1, 1), STEEL)
    with pytest.raises(
        ValueError, match=r"contacts has no entry for the material with young=7e\+07.*add one, or give a rule"
    ):
        dem.Simulation(ball, box, time_step=1e-6, contacts=dem.Contacts(rule=None))
    unused = {(GLASS, IDEAL): dem.Contact(restitution=0.5, friction=0.1)}
    with pytest.raises(ValueError, match=r"an entry for the material with young=1e\+07.*neither particles nor box"):
        dem.Simulation(ball, box, time_step=1e-6, contacts=dem.Contacts(unused))
    two = {
        (GLASS, STEEL): dem.Contact(restitution=0.5, friction=0),
        (STEEL, GLASS): dem.Contact(restitution=0.6, friction=0),
    }
    with pytest.raises(ValueError, match="two entries for the pair"):
        dem.Contacts(two)
    with pytest.raises(ValueError, match=r"unknown rule 'mean': known are geometric, least"):
        dem.Contacts(rule="mean")
    with pytest.raises(ValueError, match=r"restitution is 0, expected a finite number above 0 and at most 1"):
        dem.Contact(restitution=0, friction=0)
    with pytest.raises(ValueError, match="friction is -1, expected a finite number at least 0"):
        dem.Contact(restitution=1, friction=-1)
    with pytest.raises(TypeError, match=r"expected a pair of dem.Materials"):
        dem.Contacts({GLASS: dem.Contact(restitution=1, friction=0)})
    with pytest.raises(TypeError, match=r"contacts is dict, expected dem.Contacts or None"):
        dem.Simulation(ball, box, time_step=1e-6, contacts={})


def test_the_file_says_what_met_how(tmp_path):
    ball = dem.Particles(dem.Sphere(diameter=0.01), GLASS, position=[[0.5, 0.5, 0.5]])
    sim = dem.Simulation(ball, dem.Box((0, 0, 0), (1, 1, 1), STEEL, open=["z+"]), time_step=1e-6)
    sim.run(1e-5, output=tmp_path / "a.h5", frames=1)
    with dem.Trajectory(tmp_path / "a.h5") as run:
        pairs = [(row["restitution"], row["friction"]) for row in run.input["contacts"]]
        np.testing.assert_allclose(pairs, [(0.81, 0.09), (0.72, 0.15)])
        assert run.input["box"]["open"] == ["z+"]
        assert set(run.energy) >= {"dissipated", "work", "total"}


@pytest.mark.parametrize("make", [
    lambda: dem.DMT(work=None), lambda: dem.JKR(work=None), lambda: dem.Dashpot(coefficient=None),
    lambda: dem.PowerLaw(stiffness=None, exponent=2), lambda: dem.Hysteretic(loading=None, unloading=1600.0),
    lambda: dem.Rolling(friction=0.1, damping=None),
])  # fmt: skip
def test_what_a_part_needs_is_not_nothing(make):
    with pytest.raises(TypeError, match="is None, expected a number"):
        make()
