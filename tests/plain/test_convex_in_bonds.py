"""Convex bodies in bonds that can break: no contact while the bonds hold, and no push when they break."""

import itertools
import math

import numpy as np
import pytest

import dem

STUFF = dem.Material(young=5e6, poisson=0.3, density=2500.0)
SIDE = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
EGG = dem.Ellipsoid(semi_axes=(0.6e-3, 0.5e-3, 0.5e-3))
SHAPES = [  # and a distance at which two of them overlap
    pytest.param([EGG, EGG], 1e-3, id="ellipsoids"),
    pytest.param([dem.Superellipsoid(semi_axes=[0.5e-3] * 3, exponents=(4, 4)), EGG], 0.9e-3, id="superellipsoid"),
    pytest.param([dem.Polyhedron(vertices=0.8e-3 * SIDE, rounding=0.2e-3)] * 2, 0.65e-3, id="dice"),
    pytest.param([dem.RoundedCylinder(diameter=1e-3, length=0.8e-3, rounding=1e-4), EGG], 0.8e-3, id="tablet"),
    pytest.param([dem.Capsule(diameter=1e-3, length=2e-3), EGG], 1.4e-3, id="capsule"),
    pytest.param([dem.Sphere(diameter=1e-3), EGG], 0.9e-3, id="sphere"),
]


def pair(shapes, distance, strength, dt=1e-7, box=None):
    """Two bodies of different shapes that overlap, with a bond, of which one moves away."""
    bodies = [
        dem.Particles(shape, STUFF, position=[(x, 0, 0)], velocity=[(v, 0, 0)], orientation=[(1, 0, 0, 0)])
        for shape, x, v in zip(shapes, (0, distance), (0.0, 3.0), strict=True)
    ]
    bond = dem.Bonds([(0, 1)], young=1e7, diameter=1e-3, strength=strength)
    both = dem.Particles.concatenate(bodies)
    return dem.Simulation(both, box, bonds=bond, gravity=(0, 0, 0), time_step=dt, threads=1)


@pytest.mark.parametrize("strength", [math.inf, 1e9])
@pytest.mark.parametrize(("shapes", "distance"), SHAPES)
def test_bodies_that_bonds_hold_together_do_not_touch(shapes, distance, strength):
    """Whether or not the bond may break: they overlap, and nothing pushes."""
    sim = pair(shapes, distance, strength)
    sim.particles.velocity = np.zeros((2, 3))
    sim.step(20)
    assert np.abs(sim.particles.velocity).max() == 0.0
    assert sim.contact_count == 0


@pytest.mark.parametrize(("shapes", "distance"), SHAPES)
def test_bodies_whose_bond_breaks_meet_without_a_push(shapes, distance):
    """Pulled apart until the bond breaks, then pressed together: less their least overlap in between, and no jump."""
    sim = pair(shapes, distance, 1e5)
    for _ in range(100):
        sim.step(0 if sim.bonds.broken[0] else 1)
    assert sim.bonds.broken[0]
    assert np.abs(sim.contact_forces().force).max(initial=0.0) < 1e-12
    kinetic, error = sim.energy().kinetic, sim.energy_departure
    sim.step(20)
    assert sim.energy().kinetic == pytest.approx(kinetic, rel=1e-12)
    assert sim.energy_departure == pytest.approx(error, rel=1e-6)
    sim.particles.velocity = [(0, 0, 0), (-3.0, 0, 0)]
    before = sim.energy()
    sim.step(100)
    overlap = sim.contact_forces().overlap
    assert len(overlap) == 1
    assert 0 < overlap[0] < 3.0 * 100 * 1e-7  # as far as they have moved, not as deep as they are
    assert sim.energy().total == pytest.approx(before.total, rel=1e-4)


@pytest.mark.parametrize(("shapes", "distance"), [SHAPES[0].values, SHAPES[2].values])
def test_dice_and_eggs_part_and_meet_anew(shapes, distance):
    """Once apart, they touch as any others: a die with its face, at four corners."""
    sim = pair(shapes, distance, 1e4)
    sim.step(150)
    assert sim.bonds.broken[0]
    for velocity, steps in ((20.0, 200), (-3.0, 100)):
        sim.particles.velocity = [(0, 0, 0), (velocity, 0, 0)]
        sim.step(steps)
    sim.particles.position = [(0, 0, 0), (0.79e-3 if shapes[0] is not EGG else 1.19e-3, 0, 0)]
    sim.particles.velocity = np.zeros((2, 3))
    fresh = dem.Simulation(sim.particles, gravity=(0, 0, 0), time_step=1e-7, threads=1)
    sim.step(1)
    fresh.step(1)
    assert sim.particles.velocity[1, 0] > 0
    assert sim.particles.velocity == pytest.approx(fresh.particles.velocity, rel=1e-9, abs=1e-20)


@pytest.mark.parametrize(("shapes", "distance"), [SHAPES[0].values, SHAPES[2].values])
def test_lists_cuts_and_checkpoints_change_no_bit(shapes, distance, tmp_path):
    """Also those between the breakage and the parting."""

    def run(sim, *cuts):
        for cut in cuts:
            sim.step(cut)
        return [sim.particles.position.tobytes(), sim.particles.velocity.tobytes(), sim.energy()]

    whole = run(pair(shapes, distance, 1e5), 160)
    assert run(pair(shapes, distance, 1e5), 7, 93, 1, 59) == whole
    cut = pair(shapes, distance, 1e5)
    cut.step(70)
    assert cut.bonds.broken[0]
    cut.save(tmp_path / "cut.h5")
    assert run(dem.Simulation.load(tmp_path / "cut.h5"), 90) == whole
