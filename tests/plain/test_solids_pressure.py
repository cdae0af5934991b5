"""A pressure of the solids in place of knowing who is where (MP-PIC): its law, momentum, a heap that stays apart."""

import math

import numpy as np
import pytest
from dem.kernels.dsmc import solids_pressure as pressing

import dem

SAND = dem.Material(young=5e7, poisson=0.3, density=2500.0)
D = 1e-3
SOLIDS = dem.SolidsPressure(scale=20.0, softness=0.01)


def heap(fraction, *, edge=9.0, height=18.0, periodic="xy", pressure=SOLIDS, seed=1, gravity=-9.81, speed=0.0, **given):
    """Beads anywhere in the lower half of a box that is so many diameters wide and high."""
    rng = np.random.default_rng(seed)
    n = round(fraction * edge * edge * 0.5 * height / (math.pi / 6))
    low, high = np.full(3, 0.5 * D), np.array([edge, edge, 0.5 * height]) * D - 0.5 * D
    grains = dem.Particles(
        dem.Sphere(diameter=D), SAND, position=rng.uniform(low, high, (n, 3)), velocity=speed * rng.normal(size=(n, 3))
    )
    box = dem.Box((0, 0, 0), (edge * D, edge * D, height * D), SAND, periodic=list(periodic))
    return dem.StochasticSpheres(
        grains, box, gravity=(0, 0, gravity), restitution=0.5, wall_restitution=0.5, pressure=pressure, cell=3 * D,
        **{"time_step": 1e-4, **given},
    )  # fmt: skip


@pytest.mark.parametrize("phi", [0.1, 0.5, 0.59, 0.5999, 0.6, 0.7])
def test_the_law_and_its_slope(phi):
    """τ = P φ^β/max(φ_cp - φ, ε (1 - φ)); slopes next to differences."""
    stress = pressing.SolidsStress(20.0, 3.0, 0.6, 1e-3, *(np.zeros(1),) * 3, np.zeros((3, 1)), np.zeros(1))
    tau, slope = pressing.law(stress, phi)
    assert tau == pytest.approx(20 * phi**3 / max(0.6 - phi, 1e-3 * (1 - phi)), rel=1e-13)
    assert tau == pytest.approx(dem.SolidsPressure(scale=20.0, exponent=3.0).at(phi), rel=1e-13)
    h = 1e-7
    low, high = (pressing.law(stress, phi + s * h)[0] for s in (-1, 1))
    assert slope == pytest.approx((high - low) / (2 * h), rel=1e-4)
    assert pressing.law(stress, 0.0) == (0.0, 0.0)


@pytest.mark.slow
def test_a_heap_does_not_go_beyond_close_packing():
    """Loose at the start, it settles: no cell is denser than φ_cp, and its centre no lower than that of a heap which is
    packed so, but near it. Without pressure the same beads fall through each other until the run stops."""
    sim = heap(0.4)
    packed = 0.5 * len(sim.particles) * math.pi / 6 * D / (81 * SOLIDS.packing)  # m, half the height
    heights, densest = [], 0.0
    for _ in range(20):
        sim.step(60)
        heights.append(sim.particles.position[:, 2].mean())
        densest = max(densest, sim._engine.stress.fraction.max())
    assert densest < SOLIDS.packing
    assert packed < min(heights[10:])
    assert max(heights[10:]) < 1.25 * packed  # φ of 0.5 and more on average, the surface included
    speeds = np.linalg.norm(sim.particles.velocity, axis=1)
    assert np.sqrt((speeds**2).mean()) < 0.1 * math.sqrt(9.81 * 18 * D)  # at rest but for the noise of who is where
    assert sim.verdict().energy_error < 1e-8
    free = heap(0.4, pressure=None)
    with pytest.raises(FloatingPointError, match=r"spheres cannot be packed beyond 0\.64: what collides at random"):
        free.step(1200)


@pytest.mark.parametrize("periodic", ["xyz", "xy"])
@pytest.mark.few(1)
def test_momentum_is_exact(periodic):
    """What one cell gets another one loses: nothing is left of all that is pushed; along z, walls have the rest."""
    sim = heap(0.4, periodic=periodic, gravity=0.0, speed=0.05)
    mass = float(sim.particles.mass[0])
    start = mass * sim.particles.velocity.sum(0)
    sim.step(8)
    assert sim.energy().work > 0  # it expands
    whole = mass * np.abs(sim.particles.velocity).sum()
    end = mass * sim.particles.velocity.sum(0)
    assert end[:2] == pytest.approx(start[:2], abs=1e-13 * whole)
    assert sim.verdict().momentum_error < 1e-12
    if periodic == "xyz":
        assert end[2] == pytest.approx(start[2], abs=1e-13 * whole)


def test_a_uniform_gas_is_not_pushed():
    """Of each cell alike: its two faces press alike."""
    sim = heap(0.3, periodic="xyz", gravity=0.0)
    engine = sim._engine
    engine.stress.fraction[:] = 0.3
    engine.stress.mass[:] = 1.0
    engine.stress.stress[:] = 7.0
    for axis, stride in ((0, 1), (1, engine.space.cells[0]), (2, engine.space.cells[0] * engine.space.cells[1])):
        pressing.compute_velocity_changes(axis, stride, 1e-3, engine.space, engine.gas, engine.stress, engine.tally)
    assert not engine.stress.velocity_change.any()


def test_shares_of_cells_make_the_whole():
    """Volume and mass of all particles, to rounding, whatever the axes are."""
    for periodic in ("xyz", "xy", "x"):
        sim = heap(0.3, periodic=periodic, gravity=0.0)
        engine = sim._engine
        pressing.deposit_in_cells(engine.spheres, engine.space, engine.gas, engine.stress)
        assert engine.stress.mass.sum() == pytest.approx(sim.particles.mass.sum(), rel=1e-12)
        volume = len(sim.particles) * math.pi / 6 * D**3
        assert engine.stress.fraction.sum() * engine.gas.volume == pytest.approx(volume, rel=1e-12)


def test_long_steps_are_refused_with_one_that_is_short_enough():
    sim = heap(0.45, pressure=dem.SolidsPressure(scale=2000.0), time_step=1e-3)
    with pytest.raises(FloatingPointError, match=r"waves of the solids' pressure go at .* lower time_step to"):
        sim.step(50)


@pytest.mark.slow
def test_it_goes_on_from_a_file_to_the_last_bit(tmp_path):
    one = heap(0.35)
    one.step(8)
    one.save(tmp_path / "half.h5")
    other = dem.StochasticSpheres.load(tmp_path / "half.h5")
    for sim in (one, other):
        sim.step(6)
    assert one.particles.velocity.tobytes() == other.particles.velocity.tobytes()
    assert other.settings["pressure"]["scale"] == 20.0
    assert "pressure" not in heap(0.2, pressure=None).settings


def test_a_case_file_says_the_same(tmp_path):
    path = tmp_path / "heap.toml"
    path.write_text(
        'method = "stochastic"\nduration = 1e-3\ntime_step = 1e-4\npressure = { scale = "20 Pa", softness = 0.01 }\n'
        "materials.sand = { young = 5e7, poisson = 0.3, density = 2500 }\n"
        'shapes.bead = { type = "sphere", diameter = 1e-3 }\nbox = { upper = [0.01, 0.01, 0.01], material = "sand" }\n'
        '[[particles]]\nshape = "bead"\nmaterial = "sand"\nrandom = { solid_fraction = 0.1 }\n'
    )
    assert dem.load(path).settings["pressure"] == {"scale": 20.0, "exponent": 2.0, "packing": 0.6, "softness": 0.01}


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="scale is 0"):
        dem.SolidsPressure(scale=0)
    with pytest.raises(ValueError, match=r"packing is 0.7, .*0.62"):
        dem.SolidsPressure(scale=1.0, packing=0.7)
    with pytest.raises(ValueError, match=r'pressure is of solids whose pairs collide: .* collisions="pairs"'):
        heap(0.3, collisions="partners")
