"""Lubrication against closed forms: two spheres, a sphere at a wall, the ledger, the order, refusals."""

import math

import numpy as np
import pytest

import dem

R, DENSITY, MU = 5e-4, 2500.0, 1e-2
GLASS = dem.Material(young=1e6, poisson=0.22, density=DENSITY)
MASS = DENSITY * 4 / 3 * math.pi * R**3
QUIET = {"drag": "stokes", "rotation": None, "pressure": False, "added_mass": False}


def fluid(roughness=1e-6, reach=0.1, **more):
    return dem.Fluid(
        density=1.0, viscosity=MU, lubrication=dem.Lubrication(roughness=roughness, reach=reach), **QUIET | more
    )


def two(dt, gap=4e-5, speed=0.01, **more):
    """Two spheres that approach each other."""
    particles = dem.Particles(
        dem.Sphere(diameter=2 * R),
        GLASS,
        position=[(0, 0, 0), (2 * R + gap, 0, 0)],
        velocity=[(speed, 0, 0), (-speed, 0, 0)],
    )
    return dem.Simulation(particles, fluid=fluid(**more), gravity=(0, 0, 0), time_step=dt)


def gap_and_speed(sim):
    x, v = sim.particles.position[:, 0], sim.particles.velocity[:, 0]
    return x[1] - x[0] - 2 * R, v[0] - v[1]


def lost(first, last, radius, reach=0.1, roughness=1e-6):
    """What drag and film take of m* v between two gaps: ∫ 6π μ R*² (1/h - 1/h_0) dh, thinner films as the thinnest."""
    end = reach * radius

    def film(h):
        return math.log(h) - h / end if h > roughness else math.log(roughness) - 1 + h / roughness - h / end

    return 6 * math.pi * MU * radius**2 * (film(min(first, end)) - film(last))


def test_two_spheres_come_to_the_speed_that_the_film_leaves_them():
    """m*(v_0 - v) = ∫ of all that resists over the gap, Stokes' drag on both; second order in the time step."""
    errors = []
    for dt in (4e-5, 2e-5, 1e-5):
        sim = two(dt)
        sim.step(round(2e-3 / dt))
        gap, speed = gap_and_speed(sim)
        assert 2e-6 < gap < 1e-5
        stokes = 3 * math.pi * MU * R * (4e-5 - gap)
        expected = 0.02 - (lost(4e-5, gap, R / 2) + stokes) / (MASS / 2)
        errors.append(abs(speed - expected))
    assert errors[-1] < 2e-4 * 0.02
    assert errors[0] / errors[1] > 2.8
    assert errors[1] / errors[2] > 2.8


@pytest.mark.slow
def test_a_sphere_at_a_wall_has_a_film_of_its_own_radius():
    """R* = R: it comes to rest where the film has taken its momentum, above the roughness."""
    particles = dem.Particles(
        dem.Sphere(diameter=2 * R), GLASS, position=[(0.01, 0.01, R + 3e-5)], velocity=[(0, 0, -0.004)]
    )
    box = dem.Box((0, 0, 0), (0.02, 0.02, 0.02), GLASS)
    sim = dem.Simulation(particles, box, fluid=fluid(roughness=1e-7), gravity=(0, 0, 0), time_step=1e-5)
    sim.step(1500)
    gap, speed = sim.particles.position[0, 2] - R, -sim.particles.velocity[0, 2]
    stokes = 6 * math.pi * MU * R * (3e-5 - gap)
    assert speed == pytest.approx(0.004 - (lost(3e-5, gap, R, roughness=1e-7) + stokes) / MASS, abs=2e-3 * 0.004)
    assert 0 <= speed < 0.2 * 0.004


def test_what_films_take_is_booked():
    """As dissipated, through touch and rebound; errors of the ledger are of second order."""
    departures = []
    for dt in (4e-6, 2e-6):
        sim = two(dt, speed=0.1)
        start = sim.energy()
        sim.step(round(1.6e-3 / dt))
        gap, speed = gap_and_speed(sim)
        now = sim.energy()
        assert gap < 0 > speed  # on its way out of touch
        assert now.dissipated > 0.1 * start.total
        assert now.total == pytest.approx(start.total, rel=1e-3)
        departures.append(abs(now.total - start.total))
    assert departures[0] > 2.5 * departures[1]


def test_films_between_surfaces_that_are_apart_are_in_no_list_of_contacts():
    """The film acts across the gap, which is within its reach; contacts are listed from touch on."""
    near, far = two(1e-7, gap=1e-5), two(1e-7, gap=1e-5, reach=0.01)
    assert near.contact_forces().i.size == near.contact_count == 0
    for sim in (near, far):
        sim.step(10)
    assert gap_and_speed(near)[1] < 0.999 * gap_and_speed(far)[1]


def test_there_is_nothing_beyond_the_reach():
    """The force sets in from nothing: bytes of a run that does not come so near are those without lubrication."""
    near = two(1e-5, gap=1e-4)
    plain = dem.Simulation(
        near.particles, fluid=dem.Fluid(density=1.0, viscosity=MU, **QUIET), gravity=(0, 0, 0), time_step=1e-5
    )  # fmt: skip
    for sim in (near, plain):
        sim.step(150)
    assert (near.particles.velocity == plain.particles.velocity).all()
    assert gap_and_speed(near)[0] > 0.1 * R / 2


def same(one, other):
    return all((getattr(one.particles, n) == getattr(other.particles, n)).all() for n in ("position", "velocity"))


@pytest.mark.slow
def test_films_are_found_whatever_the_lists(tmp_path):
    """A cloud that is stirred: the same bytes for any skin, cut, and from a file."""
    box = dem.Box((0, 0, 0), (0.006,) * 3, GLASS, periodic=["x"])
    cloud = dem.pack(dem.Sphere(diameter=2 * R), GLASS, box, number=40, seed=2)
    cloud.velocity = 0.2 * np.random.default_rng(1).normal(size=(40, 3))
    made = [
        dem.Simulation(cloud, box, fluid=fluid(roughness=5e-6, drag="schiller-naumann"), time_step=2e-5, _skin=skin)
        for skin in (None, (2e-4, 5e-5))
    ]
    for sim in made:
        sim.step(100)
    assert same(*made)
    assert made[0].energy().dissipated > 0
    cut = dem.Simulation(cloud, box, fluid=fluid(roughness=5e-6, drag="schiller-naumann"), time_step=2e-5)
    cut.step(37)
    cut.save(tmp_path / "a.h5")
    cut = dem.Simulation.load(tmp_path / "a.h5")
    cut.step(63)
    assert same(cut, made[0])


def test_stiff_films_are_refused_with_what_to_do():
    """c dt/m* above 0.25 at the thinnest film; `auto` takes a tenth of its time, above that a warning."""
    rate = 6 * math.pi * MU * (R / 2) ** 2 / 1e-6 / (MASS / 2)
    with pytest.raises(ValueError, match="stiff-lubrication: lubrication takes the velocity of two particles"):
        two(0.3 / rate).run(1e-3)
    with pytest.warns(dem.DemWarning, match="lower time_step to .* s, or raise roughness to"):
        two(0.15 / rate).run(1e-3)
    particles = two(1e-6).particles
    auto = dem.Simulation(particles, fluid=fluid(), gravity=(0, 0, 0), time_step="auto")
    assert 0.08 < auto.time_step * rate <= 0.1 * (1 + 1e-9)


def sticky():
    wet = dem.Material(young=1e6, poisson=0.22, density=DENSITY, adhesion=dem.JKR(work=0.05))
    one = dem.Particles(dem.Sphere(diameter=2 * R), wet, position=[(0, 0, 0)])
    dem.Simulation(one, fluid=fluid(), time_step=1e-6)


def rough():
    one = dem.Particles(dem.Sphere(diameter=2 * R), GLASS, position=[(0.01, 0.01, 0.01)])
    dem.Simulation(one, dem.Box((0, 0, 0), (0.02,) * 3, GLASS, roughness=0.1), fluid=fluid(), time_step=1e-6)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: dem.Lubrication(roughness=0), "roughness is 0 m, expected a finite number above 0"),
        (lambda: two(1e-6, roughness=1e-3), "films begin at gaps of 2.5e-05 m"),
        (sticky, "both between surfaces that do not touch: leave one out"),
        (rough, "lubrication is between smooth surfaces, and walls are rough"),
    ],
)
def test_films_that_cannot_be(make, said):
    with pytest.raises(ValueError, match=said):
        make()
