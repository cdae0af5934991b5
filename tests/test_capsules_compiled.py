"""Compiled capsules: equal bytes for any threads, skins and parts of runs. Their physics is in tests/plain."""

import numpy as np
import pytest

import dem

NUMBER = 2300  # more than a chunk, so that threads have something to share
STEPS = 500


def gas(**more):
    """Capsules and a few balls thrown at each other, with friction."""
    rng = np.random.default_rng(20261122)
    nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0, restitution=0.9, friction=0.5)
    side = 14
    sites = np.stack(np.unravel_index(np.arange(side**3), (side,) * 3)[::-1], axis=1)  # x fastest, as of orientations
    place = sites[:NUMBER] * 0.0175 + 0.02
    fibre = dem.Capsule(diameter=0.01, aspect_ratio=3)
    turned = dem.random_orientations((side,) * 3, 0.0175, fibre, rng)[: NUMBER - 100]
    velocity = rng.normal(0, 0.5, (NUMBER, 3))
    capsules = dem.Particles(fibre, nylon, position=place[:-100], orientation=turned, velocity=velocity[:-100])
    balls = dem.Particles(dem.Sphere(diameter=0.008), nylon, position=place[-100:], velocity=velocity[-100:])
    box = dem.Box((0, 0, 0), (0.28,) * 3, material=nylon)
    return dem.Simulation(dem.Particles.concatenate([capsules, balls]), box, time_step=1e-5, **more)


def hair(**more):
    """Flexible fibres of capsules thrown at each other, with friction; some break."""
    rng = np.random.default_rng(20261123)
    rubber = dem.Material(young=1e7, poisson=0.3, density=1000.0, restitution=0.7, friction=0.3)
    fibre = dem.FlexibleFibre(diameter=1e-3, length=6e-3, young=1e7, damping=0.05, strength=1.2e5, smooth=True)
    place = np.stack(np.unravel_index(np.arange(8 * 10 * 10), (8, 10, 10)), axis=1) * (6.2e-3, 1.4e-3, 1.4e-3)
    bodies, bonds = fibre.make(rubber, position=place)
    bodies.velocity = rng.normal(0, 0.7, (len(bodies), 3))
    return dem.Simulation(bodies, bonds=bonds, gravity=(0, 0, 0), time_step=2e-6, **more)


def mill(**more):
    """Capsules and a few balls that fall on turning blades, bars, a ring and a cone, with friction, and with sides."""
    rng = np.random.default_rng(20261124)
    nylon = dem.Material(young=5e6, poisson=0.35, density=1100.0, restitution=0.5, friction=0.4)
    fibre, side, wide = dem.Capsule(diameter=0.006, aspect_ratio=3), 18, 0.0185
    place = np.stack(np.unravel_index(np.arange(side * side * 4), (4, side, side))[::-1], axis=1) * wide + 0.01
    turned = dem.random_orientations((len(place), 1, 1), wide, fibre, rng)
    capsules = dem.Particles(fibre, nylon, position=place[:-50], orientation=turned[:-50], velocity=[(0, 0, -4)] * 1246)
    balls = dem.Particles(dem.Sphere(diameter=0.006), nylon, position=place[-50:])
    blades = dem.Mesh.blades(0.16, 0.02, count=6, material=nylon, motion=dem.Motion(rate=20.0))
    bars = [dem.Block((x, -0.2, -0.03), (x + 0.004, 0.2, -0.02), material=nylon) for x in np.arange(-0.16, 0.16, 0.04)]
    bars.append(dem.Torus((0, 0, -0.02), (0, 0.2, 1), 0.03, 0.006, material=nylon))
    bars.append(dem.Cone((0.1, 0.1, -0.04), (0.1, 0.1, 0.0), 0.03, 0.0, material=nylon))
    everybody = dem.Particles.concatenate([capsules, balls])
    everybody.position = everybody.position - [0.17, 0.17, -0.015]
    box = dem.Box((-0.2, -0.2, -0.06), (0.2, 0.2, 0.12), material=nylon)
    return dem.Simulation(everybody, box, walls=[blades, *bars], time_step=2e-5, **more)


def mash(**more):
    """Capsules, chains of spheres, clumps and balls thrown at each other, with friction."""
    rng = np.random.default_rng(20261125)
    nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0, restitution=0.9, friction=0.5)
    clump = dem.Clump(offsets=[[0, 0, 0], [0.006, 0, 0], [0, 0.005, 0.002]], radii=[0.005, 0.004, 0.004])
    shapes = [
        dem.Capsule(diameter=0.01, aspect_ratio=2), dem.Fibre(diameter=0.01, aspect_ratio=2), clump,
        dem.Sphere(diameter=0.008),
    ]  # fmt: skip
    place, groups = np.stack(np.unravel_index(np.arange(NUMBER), (14,) * 3), axis=1) * 0.0205 + 0.02, []
    for k, shape in enumerate(shapes):
        n = len(place[k::4])
        q, velocity = rng.normal(size=(n, 4)), rng.normal(0, 0.7, (n, 3))
        turned = q / np.linalg.norm(q, axis=1)[:, None]
        groups.append(dem.Particles(shape, nylon, position=place[k::4], orientation=turned, velocity=velocity))
    box = dem.Box((0, 0, 0), (0.31,) * 3, material=nylon)
    return dem.Simulation(dem.Particles.concatenate(groups), box, time_step=1e-5, **more)


def seen(sim):
    """All that a run has come to."""
    p = sim.particles
    return [p.position.tobytes(), p.orientation.tobytes(), p.velocity.tobytes(), p.angular_velocity.tobytes(),
            sim.energy(), sim.energy_error]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made", "skin"),
    [(gas, (0.0015, 0.0002)), (hair, (0.0003, 0.00005)), (mill, (0.001, 0.0002)), (mash, (0.001, 0.0002))],
)
def test_threads_skins_and_cuts_change_no_bit(tmp_path, made, skin):
    """Lists are made many times, contacts remember, bonds break."""
    one = made(threads=1)
    one.step(STEPS // 2)
    assert made is not mill or (one.contact_forces().j < -6).sum() > 5
    one.save(tmp_path / "state.h5")
    one.step(STEPS - STEPS // 2)
    cut = dem.Simulation.load(tmp_path / "state.h5")
    cut.step(STEPS - STEPS // 2)
    others = [made(threads=2), made(threads=1, _skin=skin)]
    for sim in others:
        sim.step(STEPS)
    assert one.energy().dissipated > 0.01 * one.energy().total
    assert made is not hair or 0 < one.bonds.broken.sum() < len(one.bonds)
    assert [seen(sim) == seen(one) for sim in (cut, *others)] == [True] * 3


@pytest.mark.slow  # a combination of its own; in plain Python see tests/plain/test_capsules_at_edges.py
def test_a_floor_of_triangles_is_a_plane_to_capsules():
    """Compiled as well: their ends and sides bounce and slide on it as on a plane, to rounding."""
    rubber = dem.Material(young=1e6, poisson=0.3, density=1100.0, restitution=0.6, friction=0.4)
    rng = np.random.default_rng(20261126)
    turned = rng.normal(size=(16, 4))
    place = np.stack(np.unravel_index(np.arange(16), (4, 4)), axis=1) * 0.02 - 0.03
    corners = np.array([(-0.06, -0.06, 0), (0.06, -0.06, 0), (0.06, 0.06, 0), (-0.06, 0.06, 0), (0.003, -0.001, 0)])
    runs = []
    for floor in (
        dem.Mesh(corners, [(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)], material=rubber),
        dem.Plane((0, 0, 0), (0, 0, 1), material=rubber),
    ):
        fibres = dem.Particles(
            dem.Capsule(diameter=0.006, aspect_ratio=3), rubber, position=np.column_stack([place, np.full(16, 0.011)]),
            orientation=turned / np.linalg.norm(turned, axis=1)[:, None], velocity=[(0.2, 0.1, -1.0)] * 16,
        )  # fmt: skip
        runs.append(dem.Simulation(fibres, walls=[floor], time_step=2e-5, threads=1))
        runs[-1].step(500)
    one, other = (sim.particles for sim in runs)
    assert runs[1].walls[0].impulse[2] < 0
    assert (np.abs(other.angular_velocity).max(axis=1) > 1).all()
    for name in ("position", "orientation", "velocity", "angular_velocity"):
        a, b = getattr(one, name), getattr(other, name)
        assert np.abs(a - b).max() < 1e-11 * np.abs(b).max(), name  # 500 steps of rounding
