"""The energy ledger of steps: exact sums, independent of other bodies and of the order of summation."""

import math

import numpy as np
import pytest
from dem.kernels.numerics.energy import (
    REFERENCE_BITS,
    SUBUNITS_PER_UNIT,
    accumulate,
    add_words,
    as_fixed,
    as_words,
    in_units,
)

import dem

UNIT = 2.0**-REFERENCE_BITS  # [J] beside a joule


def total(energies):
    """Sum of energies [J] as a sweep makes it."""
    words = (np.int64(0), np.int64(0))
    for energy in energies:
        words = add_words(words, as_words(energy, 1 / UNIT))
    return words


def test_sums_of_what_contacts_lose_are_exact_in_any_order(rng):
    """From a joule down to a millionth of a unit; each term is off by half of the smallest part at most."""
    energies = rng.choice([-1, 1], 4000) * 10 ** rng.uniform(-18, 0, 4000)
    words = total(energies)
    assert words == total(energies[::-1]) == total(rng.permutation(energies))
    assert in_units(words) * UNIT == pytest.approx(math.fsum(energies), rel=1e-15)
    small = np.full(4000, 0.3 * UNIT)  # less than half a unit each, as in a bed that settles
    assert abs(in_units(total(small)) - 1200) <= 4000 * 0.5 / SUBUNITS_PER_UNIT


def test_what_bodies_have_is_rounded_to_the_nearest_unit(rng):
    """Cut off instead, a sum of n would be short by n/2 units."""
    units = rng.uniform(-1e6, 1e6, 10_000)
    assert all(abs(as_fixed(u * UNIT, 1 / UNIT) - u) <= 0.5 for u in units)
    short = sum(as_fixed(u, 1.0) for u in np.abs(units)) - math.fsum(np.abs(units))
    assert abs(short) < 4 * math.sqrt(len(units) / 12)  # four standard deviations of rounding errors


def test_a_sum_over_a_run_keeps_what_is_too_small_to_change_it():
    """A billion steps that each add 1e-17 of the sum: plainly added, not one of them would count."""
    sums = np.array([1.0, 0.0])
    for _ in range(1000):
        accumulate(sums, 1e-17)
    accumulate(sums, -1.0)
    assert sums.sum() == pytest.approx(1e-14, rel=1e-12)


BOOKED = ("elastic", "dissipated", "work")


@pytest.mark.parametrize("losses", [{}, {"restitution": 0.7, "friction": 0.3}], ids=["elastic", "lossy"])
def test_work_and_losses_show_whatever_else_moves(losses):
    """A wall hits a ball askew, beside nothing or a giant with 1e10 times the energy: a step changes 1e-13 of that."""

    def account(*giants):
        material = dem.Material(young=5e7, poisson=0.3, density=1000.0, **losses)
        ball = dem.Particles(dem.Sphere(diameter=0.01), material, position=[[0.00501, 0, 0]], velocity=[[0, 0, 0.01]])
        pushing = {"x-": dem.Motion(velocity=(0.01, 0, 0))}
        box = dem.Box((0, -9, -9), (9, 9, 9), material, motion=pushing)
        sim = dem.Simulation(dem.Particles.concatenate([ball, *giants]), box, gravity=(0, 0, 0), time_step=2e-5)
        sim.step(300)
        return (
            sim.start_energy.total,
            np.array([getattr(sim.energy(), name) for name in BOOKED]),
            1 / (SUBUNITS_PER_UNIT * sim._engine.energy_unit),
        )

    stone = dem.Material(young=5e7, poisson=0.3, density=1000.0)
    giant = dem.Particles(dem.Sphere(diameter=2.0), stone, position=[[5, 0, 0]], velocity=[[0, 5, 0]])
    (alone, expected, _), (beside, seen, rest) = account(), account(giant)
    assert beside > 1e10 * alone
    assert expected[0] == 0
    assert expected[2] > 0.1 * alone
    assert (expected[1] > 0.1 * alone) == bool(losses)
    assert 300 * rest < 1e-6 * alone
    np.testing.assert_allclose(seen[1:], expected[1:], rtol=0, atol=300 * rest)  # half a rest each half step at most


@pytest.mark.parametrize(
    ("name", "moved"),
    [
        ("the energy at the start", {"velocity": [[0, 0, -0.1]]}),
        ("the largest kinetic energy", {"gravity": (0, 0, -10.0)}),
        ("the work of the walls", {"motion": {"x-": dem.Motion(velocity=(0.01, 0, 0))}}),
    ],
)
def test_the_verdict_says_what_its_energy_error_is_relative_to(name, moved):
    material = dem.Material(young=5e7, poisson=0.3, density=1000.0)
    motion, gravity = moved.get("motion", {}), moved.get("gravity", (0, 0, 0))
    # a ball without energy: below the zero of the potential, at rest, and just touched by the wall
    ball = dem.Particles(
        dem.Sphere(diameter=0.01), material, position=[[0.005, 0, 0]], velocity=moved.get("velocity", [[0, 0, 0]])
    )
    box = dem.Box((0, -1, -1), (1, 1, 0), material, open=["z-", "z+"], motion=motion) if motion else None
    sim = dem.Simulation(ball, box, gravity=gravity, time_step=1e-5)
    sim.step(100)
    verdict = sim.verdict()
    assert verdict.energy_reference == name
    assert f"largest energy error {verdict.energy_error:.2e} of {name} (" in str(verdict)
    assert verdict.energy_error == sim.energy_departure / sim.energy_reference[1]


def test_the_verdict_of_hard_spheres_says_so_too():
    material = dem.Material(young=5e7, poisson=0.3, density=1000.0)
    ball = dem.Particles(dem.Sphere(diameter=0.01), material, position=[[0, 0, 0]])
    for gravity, name in ((-10.0, "the largest kinetic energy"), (0.0, "the energy at the start")):
        verdict = dem.HardSpheres(ball, gravity=(0, 0, gravity)).run(0.01)  # zero energy is where it starts
        assert verdict.energy_reference == name
        assert f" of {name}, " in str(verdict)
