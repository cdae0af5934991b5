"""Capsules and clusters of spheres in one run: contacts of either kind alone, and of both with each other."""

import math

import numpy as np
import pytest

import dem

STUFF = {"young": 5e6, "poisson": 0.35, "density": 1100.0}
CAPSULE = dem.Capsule(diameter=0.01, aspect_ratio=3)
CHAIN = dem.Fibre(diameter=0.01, aspect_ratio=3)
CLUMP = dem.Clump(offsets=[[0, 0, 0], [0.006, 0, 0], [0, 0.005, 0.002]], radii=[0.005, 0.004, 0.004])
ALONG_Y = (math.sqrt(0.5), 0, 0, math.sqrt(0.5))
BALL = dem.Sphere(diameter=0.009)


def thrown(shapes, contacts, beside=None):
    """Bodies on a lattice that fall towards its middle, and one of another shape far away."""
    rng, rubber = np.random.default_rng(1), dem.Material(**STUFF)
    place = np.stack(np.unravel_index(np.arange(2 * len(shapes)), (2, 2, 1)), axis=1) * (0.033, 0.0135, 0.0)
    groups = []
    for k, shape in enumerate(shapes):
        q = np.array([30, 0, 0, 0]) + rng.normal(size=(2, 4))
        groups.append(
            dem.Particles(
                shape, rubber, position=place[k :: 2],
                orientation=q / np.linalg.norm(q, axis=1)[:, None],
                velocity=-60 * (place - place.mean(0))[k::2],
                angular_velocity=rng.normal(0, 30, (2, 3)),
            )
        )  # fmt: skip
    if beside:
        groups.append(dem.Particles(beside, rubber, position=[(5, 5, 5)]))
    told = dem.Contacts({(rubber, rubber): contacts}) if contacts else None
    return dem.Simulation(
        dem.Particles.concatenate(groups), contacts=told, gravity=(0, 0, 0), time_step=2e-5, threads=1
    )


@pytest.mark.parametrize(("shapes", "beside"), [((CHAIN, CLUMP), CAPSULE), ((CAPSULE, BALL), CLUMP)])
@pytest.mark.parametrize(
    "contact",
    [
        None,
        dem.Contact(restitution=0.6, friction=0.4, rolling=dem.Rolling(friction=0.1)),
        dem.Contact(restitution=0.6, friction=0.4, adhesion=dem.JKR(work=0.5)),
    ],
)
@pytest.mark.few(2, long=99)
def test_who_is_far_away_changes_nothing(shapes, beside, contact):
    """Clusters are evaluated as pieces beside capsules, in other sums: to rounding, after a few impacts."""
    one, other = thrown(shapes, contact), thrown(shapes, contact, beside)
    touched = 0
    for _ in range(6):
        one.step(25)
        other.step(25)
        touched += one.contact_count
        assert other.contact_count == one.contact_count
    assert touched > 1
    for name in ("position", "velocity", "angular_velocity"):
        there = getattr(one.particles, name)
        assert getattr(other.particles, name)[:-1] == pytest.approx(there, rel=1e-11, abs=1e-12 * abs(there).max())
    assert other.energy().dissipated == pytest.approx(one.energy().dissipated, rel=1e-11)


def met(other, *, restitution=1.0, friction=0.0, dt=2e-5):
    """A capsule along x that comes down, turning, on another body, and a chain beside."""
    rubber = dem.Material(**STUFF, restitution=restitution, friction=friction)
    above = dem.Particles(
        CAPSULE, rubber, position=[(0.003, 0.0002, 0.0105)], orientation=[(math.cos(0.05), 0, math.sin(0.05), 0)],
        velocity=[(0, 0, -0.6)], angular_velocity=[(10, 5, 20)],
    )  # fmt: skip
    below = [
        dem.Particles(shape, rubber, position=[place], orientation=[ALONG_Y if shape is PAIR else (1, 0, 0, 0)])
        for shape, place in other
    ]
    return dem.Simulation(dem.Particles.concatenate([above, *below]), gravity=(0, 0, 0), time_step=dt, threads=1)


PAIR = dem.Clump(offsets=[[-0.0051, 0, 0], [0.0051, 0, 0]], radii=[0.005, 0.005])  # along its axis x


def test_a_cluster_pushes_as_its_spheres_do():
    """At the same places and depths: forces on the capsule, and where they act; and which sphere it is that does."""
    alone = [(dem.Sphere(diameter=0.01), (0.0, y, 0.0024)) for y in (-0.0051, 0.0051)]
    one, other = (met(below).contact_forces() for below in ([(PAIR, (0, 0, 0.0024))], [*alone, (CHAIN, (1, 1, 1))]))
    assert (one.j.tolist(), other.j.tolist()) == ([1, 1], [1, 2])
    for name in ("force", "arm", "overlap"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-12, abs=1e-18)


@pytest.mark.parametrize("other", [CHAIN, CLUMP])
def test_energy_is_kept_to_second_order(other):
    """And momentum to rounding; errors by 4 for half the step."""
    errors = []
    for dt in (4e-5, 2e-5):
        sim = met([(other, (0, 0, 0))], dt=dt)
        sim.step(round(2e-3 / dt))
        errors.append(sim.energy_error)
        mass = sim.particles.mass
        assert mass @ sim.particles.velocity == pytest.approx([0, 0, -0.6 * mass[0]], abs=1e-13 * mass[0])
    assert sim.particles.velocity[0, 2] > -0.5
    assert 3 < errors[0] / errors[1] < 5.5


def test_friction_is_remembered_and_restarted_runs_have_the_same_bytes(tmp_path):
    sims = [met([(CHAIN, (0, 0, 0))], restitution=0.6, friction=0.5) for _ in range(2)]
    sims[0].step(60)
    sims[1].step(25)
    assert sims[1].contact_count > 0
    sims[1].save(tmp_path / "state.h5")
    again = dem.Simulation.load(tmp_path / "state.h5")
    again.step(35)
    for name in ("position", "velocity", "orientation", "angular_velocity"):
        assert getattr(again.particles, name).tobytes() == getattr(sims[0].particles, name).tobytes()
    assert again.energy() == sims[0].energy()
    assert again.energy().dissipated > 0
