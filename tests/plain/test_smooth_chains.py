"""Flexible fibres made of capsules: what they are, what is conserved, and that nothing but physics shows in a bit."""

import math

import numpy as np
import pytest

import dem

RUBBER = {"young": 1e7, "poisson": 0.3, "density": 1000.0}
ELASTIC = dem.Material(**RUBBER)
ROUGH = dem.Material(**RUBBER, restitution=0.6, friction=0.4)


def falling(material=ROUGH, *, strength=2e5, damping=0.05, dt=2e-6, **settings):
    """Three smooth fibres that hit each other and a plane, and may break."""
    fibre = dem.FlexibleFibre(
        diameter=1e-3, length=9e-3, segments=5, young=1e7, damping=damping, strength=strength, smooth=True
    )
    bodies, bonds = fibre.make(
        material, position=[(0, 0, 0.02), (0, 2e-3, 0.02), (1e-3, 1e-3, 0.0215)],
        velocity=[(0, 0, -1), (0, 0, -1), (0, 0, -3.0)], angular_velocity=[(0, 50, 0), (0, 0, 0), (0, 0, 80)],
    )  # fmt: skip
    bodies.velocity = bodies.velocity + np.outer(1.5 * np.sin(np.arange(15)), (0, 0, 1))
    plane = dem.Plane((0, 0, 0.0185), (0, 0, 1), material=material)
    return dem.Simulation(bodies, bonds=bonds, walls=[plane], time_step=dt, **{"threads": 1} | settings)


def state(sim):
    p = sim.particles
    return [getattr(p, name).tobytes() for name in ("position", "velocity", "orientation", "angular_velocity")] + [
        sim.energy(), sim.bonds.breakages, sim.bonds.energies.tobytes(),
    ]  # fmt: skip


def test_segments_join_end_to_end_and_weigh_what_the_rod_does():
    """Also where it is curled; ends of neighbours on an arc miss each other by κ l²/4 at most."""
    straight = dem.FlexibleFibre(diameter=1e-3, length=9e-3, segments=4, smooth=True)
    bodies, bonds = straight.make(ELASTIC, position=[(0, 0, 0)])
    assert bonds.pairs.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert bodies.position[:, 0] == pytest.approx([-3e-3, -1e-3, 1e-3, 3e-3])
    assert [shape.half_length for shape, _ in bodies.variants] == [1e-3, 1e-3]
    rod = dem.Capsule(diameter=1e-3, length=9e-3).mass_properties(1000.0).mass
    assert bodies.mass.sum() == pytest.approx(rod, rel=1e-14)
    curled = dem.FlexibleFibre(diameter=1e-3, length=9e-3, segments=4, smooth=True, curvature=100.0)
    x = curled.offsets.reshape(4, -1, 3)
    assert np.linalg.norm(x[1:, 0] - x[:-1, -1], axis=1).max() < 100.0 * 2e-3**2 / 4
    with pytest.raises(ValueError, match="segments is 1, expected at least 2"):
        dem.FlexibleFibre(diameter=1e-3, length=9e-3, segments=1, smooth=True)


@pytest.mark.parametrize(("material", "damping", "strength"), [(ELASTIC, 0.0, math.inf), (ROUGH, 0.02, 1.5e5)])
@pytest.mark.slow
def test_energy_is_accounted_for_to_second_order(material, damping, strength):
    """Contacts, bonds that are damped and break, contacts that are eased in: error by 4 for half the step."""
    errors = []
    for dt in (2e-6, 1e-6):
        sim = falling(material, damping=damping, strength=strength, dt=dt)
        sim.step(round(4e-4 / dt))
        errors.append(sim.energy_error)
        assert sim.bonds.broken.any() == (strength < math.inf)
    assert 3 < errors[0] / errors[1] < 9  # contacts begin and end within steps


@pytest.mark.slow  # in machine code too, tests/test_capsules_compiled.py
def test_skins_cuts_and_checkpoints_change_no_bit(tmp_path):
    """While capsules touch each other and bonds break."""
    one = falling()
    one.step(180)
    assert one.bonds.broken.any()
    assert not one.bonds.broken.all()
    other = falling(_skin=(4e-4, 1e-4))
    other.step(180)
    assert state(other) == state(one)
    cut = falling()
    breaks = one.bonds.breakages[0].step
    cut.step(breaks - 1)
    cut.save(tmp_path / "state.h5")
    loaded = dem.Simulation.load(tmp_path / "state.h5")
    loaded.step(180 - breaks + 1)
    assert state(loaded) == state(one)


def test_neighbours_that_break_meet_without_a_push():
    """Two capsules end to end share their half balls; parted, they feel nothing until they are pressed together again.

    Pressed back by x, the contact has an overlap of x, the slack being what it was when they were farthest apart.
    """
    rod = dem.Capsule(diameter=1e-3, length=3e-3)
    two = dem.Particles(rod, ELASTIC, position=[(0, 0, 0), (2e-3, 0, 0)], velocity=[(0, 0, 0), (3.0, 0, 0)])
    bond = dem.Bonds([(0, 1)], young=1e7, diameter=1e-3, strength=1e5)
    sim = dem.Simulation(two, bonds=bond, gravity=(0, 0, 0), time_step=1e-7)
    while not sim.bonds.broken[0]:
        sim.step(1)
    kinetic, error = sim.energy().kinetic, sim.energy_departure
    sim.step(50)
    assert sim.energy().kinetic == pytest.approx(kinetic, rel=1e-12)
    assert sim.energy_departure == pytest.approx(error, rel=1e-6)
    farthest = np.diff(sim.particles.position[:, 0])[0]
    sim.particles.velocity = [(0, 0, 0), (-3.0, 0, 0)]
    sim.step(60)
    pressed = farthest - np.diff(sim.particles.position[:, 0])[0]
    assert pressed > 1e-5
    assert sim.contact_forces().overlap[0] == pytest.approx(pressed, rel=0.05)  # a step farther out than was seen


@pytest.mark.slow
@pytest.mark.parametrize("smooth", [False, True])
def test_flexible_fibres_in_a_fluid(smooth):
    """Nodes that are single spheres turn as bodies do: energy is accounted for, and drag takes all to the flow's speed.

    Stokes' drag on the slowest piece, the heaviest sphere of equal volume: after seven relaxation times e^-7 is left.
    """
    fibre = dem.FlexibleFibre(diameter=1e-4, length=9e-4, segments=4, young=1e5, damping=0.1, smooth=smooth)
    bodies, bonds = fibre.make(ELASTIC, position=[(0, 0, 0)], angular_velocity=[(30.0, 20.0, 50.0)])
    air = dem.Fluid(density=1.2, viscosity=2e-3, velocity=(0.1, 0.0, 0.0))
    sim = dem.Simulation(bodies, bonds=bonds, fluid=air, gravity=(0, 0, 0), time_step=2e-6, threads=1)
    widest = (6 * bodies.mass.max() / (math.pi * 1000.0)) ** (1 / 3)
    sim.step(round(7 * 1000.0 * widest**2 / (18 * 2e-3) / 2e-6))
    assert np.abs(sim.particles.velocity - (0.1, 0, 0)).max() < 2 * math.exp(-7) * 0.1
    assert sim.energy_error < 1e-3


def test_smooth_fibres_meet_rigid_capsules_and_balls():
    """All in one run, bonds in between: momentum is kept to rounding."""
    fibre = dem.FlexibleFibre(diameter=1e-3, length=9e-3, segments=4, young=1e7, smooth=True)
    bodies, bonds = fibre.make(ROUGH, position=[(0, 0, 0)])
    capsule = dem.Particles(dem.Capsule(diameter=1e-3, length=4e-3), ROUGH, position=[(1e-3, 0, 1.02e-3)],
                            orientation=[(math.cos(0.5), 0, 0, math.sin(0.5))], velocity=[(0, 0, -2.0)])  # fmt: skip
    ball = dem.Particles(dem.Sphere(diameter=1e-3), ROUGH, position=[(-3e-3, 0, 1.02e-3)], velocity=[(0, 0, -2.0)])
    everybody = dem.Particles.concatenate([bodies, capsule, ball])
    sim = dem.Simulation(everybody, bonds=bonds, gravity=(0, 0, 0), time_step=2e-6, integrator="splitting")
    before = sim.momentum()
    sim.step(100)
    assert sim.energy().dissipated > 0
    for now, then in zip(sim.momentum(), before, strict=True):
        np.testing.assert_allclose(now, then, atol=1e-13 * np.abs(then).max())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"young": 0.0}, "young is 0 Pa, expected a finite number above 0"),
        ({"poisson": 0.7}, "poisson is 0.7, expected"),
        ({"smooth": "yes"}, "smooth is 'yes', expected"),
    ],
)
def test_refusals(settings, message):
    with pytest.raises((ValueError, TypeError), match=message):
        dem.FlexibleFibre(diameter=1e-3, length=5e-3, **settings)


def test_fibres_that_would_be_rigid_are_told_or_refused():
    """Put in while a run goes on they have no bonds; without bonds, they are what they are as a shape."""
    hair = dem.FlexibleFibre(diameter=1e-3, length=5e-3)
    rain = dem.Inserter(hair, ELASTIC, region=dem.Block((0, 0, 0.01), (0.02, 0.02, 0.02)), number=3, rate=100.0)
    box = dem.Box((0, 0, 0), (0.02, 0.02, 0.02), material=ELASTIC)
    with pytest.raises(ValueError, match="inserter puts in flexible fibres, which would be rigid"):
        dem.Simulation(None, box, inserters=[rain], time_step=1e-6)
    sim = dem.Simulation(dem.Particles(hair, ELASTIC, position=[(0, 0, 0)]), time_step=1e-6)
    assert "rigid-fibres" in [notice.name for notice in sim.foreseen()]
