"""Studies and cases of particles in a fluid: the quick studies pass, and the cases match their descriptions and run."""

import math

import numpy as np
import pytest

import dem
from dem.validation import granular_gas
from dem.validation.fluids import fibres_in_flow, settling

STEP = {"settling-spheres": 1e-5, "sheared-fibres": 1e-5, "cellular-fibres": 1e-5}  # others as they are


@pytest.mark.parametrize(
    "study",
    [
        pytest.param(settling.drift, marks=pytest.mark.slow),
        fibres_in_flow.equivalent,
        pytest.param(settling.terminal, marks=pytest.mark.slow),
    ],
)
def test_quick_studies_pass(study):
    report = study(quick=True)
    assert report.checks
    assert [check.quantity for check in report.checks if not check.passed] == []


@pytest.mark.parametrize(
    "name",
    ["settling-spheres", "settling-fibres", "jeffery-orbit", "sheared-fibres", "cellular-fibres", "fibres-in-water"],
)
@pytest.mark.few(1)
def test_cases_run_and_keep_their_ledger(name):
    """A few steps; the energy error of a start from rest is of the first steps, hence below a hundredth."""
    kind = dem.cases()[name]
    few = {"n": 27} if "n" in kind.model_fields else {}
    sim = kind(**few, **({"time_step": STEP[name]} if name in STEP else {})).simulation()
    sim.step(5)
    assert sim.verdict().energy_error < 1e-2 or name == "settling-spheres"  # whose first works are below its unit
    assert sim.energy().fluid != 0
    assert sim.fluid == kind(**few).fluid()


@pytest.mark.slow
def test_a_crowd_in_shear_starts_without_overlap_and_with_the_flow():
    case = dem.cases()["sheared-fibres"](n=27, spacing=0.6)
    fibres, box = case.build()
    middle = 0.5 * (box.lower[1] + box.upper[1])
    assert fibres.velocity[:, 0] == pytest.approx(10.0 * (fibres.position[:, 1] - middle))
    with pytest.raises(ValueError, match="is too narrow for fibres"):
        dem.cases()["sheared-fibres"](n=27, spacing=0.4).build()
    assert case.simulation().contact_count == 0


def test_periods_of_orbits_with_inertia_by_their_equation():
    """γ̇T by other means; Runge and Kutta's method at 2e-3/γ̇ leaves 1e-8."""
    for stokes_number, expected in fibres_in_flow.PERIODS.items():
        assert fibres_in_flow.settled_period(stokes_number) == pytest.approx(expected, rel=1e-7)


def test_jeffery_orbits_in_closed_form():
    """A period later axes are back; a quarter of it later those from y point along x."""
    period = 2 * math.pi * 5.2 / 10
    p = np.array([[0.0, 1, 0], [0.6, 0, 0.8], [0, 0, 1]])
    found = fibres_in_flow.jeffery_orbits(p, 4, period)
    assert found[-1] == pytest.approx(p, abs=1e-13)
    assert found[1][0] == pytest.approx([1, 0, 0], abs=1e-13)
    gradient = np.zeros((3, 3, 3))
    gradient[:, 0, 1] = 10.0
    small = fibres_in_flow.jeffery_orbits(p, 1, 1e-6)[1]
    assert (small - p) / 1e-6 == pytest.approx(fibres_in_flow.jeffery_rate(p, gradient, 24 / 26), abs=1e-4)


def test_the_ratio_of_temperatures_that_rough_spheres_come_to():
    """In closed form; equipartition where nothing is lost."""
    assert granular_gas.temperature_ratio_limit(0.9, 0.3) == pytest.approx(0.75124392176, rel=1e-11)
    assert granular_gas.temperature_ratio_limit(0.9, -0.5) == pytest.approx(0.3426268733220361, rel=1e-14)
    assert granular_gas.temperature_ratio_limit(1.0, 1.0) == pytest.approx(1.0, rel=1e-14)


def test_drag_by_sphericities_of_spheres_does_not_feel_rounding():
    """Its last term has the fifth root of what a sphericity lacks to 1, which made a thousandth of 1e-16."""
    from dem.model.shapes.spheroid import ProjectedAreas, Spheroid  # noqa: PLC0415

    for volume in np.geomspace(1e-15, 1e-6, 200):
        (_, _, last), _ = ProjectedAreas.spheroid(Spheroid(volume, 1.0, 0)).coefficients(volume)
        assert last == pytest.approx(0.42, rel=1e-12)
