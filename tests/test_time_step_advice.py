"""Advice on the time step: against closed forms and simulated impacts."""

import math

import numpy as np
import pytest

import dem
from dem.soft import arrays
from dem.soft.time_step.advice import advise, startup_notices
from dem.soft.time_step.impacts import ADVISED, RESOLVED, contact_time, effective_masses, rounded_down


def duration(sim, *, until):
    """Time with something elastic [s], by looking at every step."""
    touching = 0
    for _ in range(until):
        sim.step()
        touching += sim._engine.run_state.elastic[0] > 0
    return touching * sim.time_step


@pytest.mark.slow
def test_two_spheres_are_in_contact_for_as_long_as_foreseen(nylon, ball):
    pair = dem.Particles(ball, nylon, position=[(0, 0, 0), (0.0102, 0, 0)], velocity=[(0.4, 0, 0), (-0.4, 0, 0)])
    sim = dem.Simulation(pair, gravity=(0, 0, 0), time_step=1e-6, threads=1)
    foreseen = contact_time(pair.mass[0] / 2, 0.0025, nylon.effective_modulus(nylon), 0.8)
    # at most one step is lost at either end, of some 450, and a thousandth more, where the energy rounds to nothing
    assert duration(sim, until=1500) == pytest.approx(foreseen, rel=1e-3, abs=2.1e-6)
    # the advice is for a head-on meeting of two that each have all of the largest energy, which is this one
    assert dem.Simulation(pair, gravity=(0, 0, 0), time_step=1e-6, threads=1).advice().contact_time == pytest.approx(
        foreseen, rel=1e-12
    )


def test_advice_is_told_in_plain_numbers(nylon, ball):
    pair = dem.Particles(ball, nylon, position=[(0, 0, 0), (0.0102, 0, 0)], velocity=[(0.4, 0, 0), (-0.4, 0, 0)])
    advice = dem.Simulation(pair, gravity=(0, 0, 0), time_step=1e-6, threads=1).advice()
    assert "np." not in repr(advice)
    assert not any("adhesion" in line for line in advice.lines)


def test_a_fibres_tip_is_lighter_than_the_fibre(nylon, fibre):
    m, inertia = fibre.mass_properties(1100.0).mass, fibre.mass_properties(1100.0).inertia
    found = effective_masses(arrays.kinds(dem.Particles(fibre, nylon, position=[(0, 0, 0)]), None))
    exact = [1 / (1 / m + c**2 / inertia[1]) for c in fibre.offsets[:, 0]]
    np.testing.assert_allclose(found, exact, rtol=1e-12)
    assert found[0] < 0.41 * m  # of a rod it would be a quarter at the very end


@pytest.mark.slow
def test_a_tip_meets_the_floor_for_as_long_as_its_effective_mass_says(nylon, wall, fibre):
    """Tilted by 30 degrees, so that the other end stays away; during the impact it turns by a hundredth."""
    tilt = math.radians(30)
    c = fibre.offsets[-1, 0]
    z = 0.005 + c * math.sin(tilt) + 1e-5
    turned = (math.cos(tilt / 2), 0, math.sin(tilt / 2), 0)
    one = dem.Particles(fibre, nylon, position=[(0.5, 0.5, z)], orientation=[turned], velocity=[(0, 0, -0.1)])
    box = dem.Box((0, 0, 0), (1, 1, 1), wall)
    sim = dem.Simulation(one, box, gravity=(0, 0, 0), time_step=1e-6, threads=1)
    m, inertia = fibre.mass_properties(1100.0).mass, fibre.mass_properties(1100.0).inertia[1]
    mass = 1 / (1 / m + (c * math.cos(tilt)) ** 2 / inertia)
    foreseen = contact_time(mass, 0.005, nylon.effective_modulus(wall), 0.1)
    assert duration(sim, until=1500) == pytest.approx(foreseen, rel=5e-3)


def test_falling_through_the_box_is_foreseen(nylon, wall, ball):
    one = dem.Particles(ball, nylon, position=[(0.5, 0.5, 0.5)], velocity=[(3, 0, 0)])
    box = dem.Box((0, 0, 0), (1, 1, 1), wall)
    advice = dem.Simulation(one, box, time_step=1e-6, threads=1).advice()
    assert advice.speed == pytest.approx(math.sqrt(9 + 2 * 9.81 * 0.5), rel=1e-12)
    assert advice.shortest == "a sphere on a wall"
    deepest = (15 * one.mass[0] * advice.speed**2 / (16 * nylon.effective_modulus(wall) * math.sqrt(0.005))) ** 0.4
    assert advice.overlap == pytest.approx(deepest / 0.005, rel=1e-12)
    without = dem.Simulation(one, time_step=1e-6, threads=1).advice()
    assert without.contact_time == math.inf  # one in empty space meets nobody
    assert without.advised == rounded_down(0.2 * without.rayleigh_time)


@pytest.mark.parametrize(
    ("options", "speed"),
    [
        ({}, 2 * math.sqrt(1 + 9.81)),
        ({"open": ["z-"]}, 2.0),
        ({"open": ["z-"], "motion": {"z+": dem.Motion(velocity=(0, 0, 0.5))}}, 4.0),
        pytest.param({"periodic": ["z"]}, 2 * math.sqrt(1 + 2 * 9.81), marks=pytest.mark.slow),
    ],
    ids=["closed", "no floor", "shaken", "periodic"],
)
def test_walls_and_floors_that_are_not_there_do_not_count(options, speed, nylon, ball):
    pair = dem.Particles(ball, nylon, position=[(0.2, 0.5, 0.5), (0.8, 0.5, 0.5)], velocity=[(1, 0, 0), (-1, 0, 0)])
    box = dem.Box((0, 0, 0), (1, 1, 1), nylon, **options)
    advice = dem.Simulation(pair, box, time_step=1e-6, threads=1).advice()
    assert advice.speed == pytest.approx(speed, rel=1e-12)


# ---- mixtures


def mixture(rng, *, clumps, count=12):
    """Spheres, and clumps or not: sizes and speeds that differ by a hundred, three materials."""
    groups = []
    for young, density in ((5e6, 900.0), (5e7, 1100.0), (2e8, 7800.0)):
        sizes, speeds = 10 ** rng.uniform(-4, -2, count), 10 ** rng.uniform(-2, 0, count)
        shapes = [dem.Sphere(diameter=d) for d in sizes]
        if clumps:
            shapes[0] = dem.Clump(offsets=sizes[0] * np.eye(3), radii=sizes[0] * rng.uniform(0.5, 0.9, 3))
            shapes[1] = dem.Fibre(diameter=sizes[1], aspect_ratio=4)
        direction = rng.normal(size=(count, 3))
        velocity = direction * (speeds / np.linalg.norm(direction, axis=1))[:, None]
        material = dem.Material(young=young, poisson=0.3, density=density)
        groups.append(dem.Particles(shapes, material, position=rng.uniform(0.1, 0.9, (count, 3)), velocity=velocity))
    return dem.Particles.concatenate(groups)


def shortest_meeting(particles, box):
    """By looking at every sphere of every body, with every sphere of every other body and the wall."""
    masses, first = (
        effective_masses(arrays.kinds(particles, box)),
        np.cumsum([0] + [len(shape.radii) for shape, _ in particles.variants]),
    )
    surfaces = []
    for i, kind in enumerate(particles.variant):
        shape, material = particles.variants[kind]
        energy = 0.5 * particles.mass[i] * (particles.velocity[i] ** 2).sum()
        for s, radius in enumerate(shape.radii):
            m = masses[first[kind] + s]
            surfaces.append((i, m, radius, material, math.sqrt(2 * energy / m)))
    found = math.inf
    for i, m, r, stuff, v in surfaces:
        if box is not None:
            found = min(found, contact_time(m, r, stuff.effective_modulus(box.material), v))
        for j, m_j, r_j, stuff_j, v_j in surfaces:
            if i < j:
                mass, radius = 1 / (1 / m + 1 / m_j), 1 / (1 / r + 1 / r_j)
                found = min(found, contact_time(mass, radius, stuff.effective_modulus(stuff_j), v + v_j))
    return found


@pytest.mark.parametrize("clumps", [False, True], ids=["spheres", "clumps"])
@pytest.mark.parametrize("walls", [False, True], ids=["free", "walls"])
@pytest.mark.parametrize("seed", [4, 0, 1, 2, 3])
@pytest.mark.few(4)
def test_no_two_meet_for_less_than_foreseen(seed, walls, clumps, wall):
    """And for little more: what is about as heavy and as large is taken together, see `dem.soft.time_step.impacts`."""
    particles = mixture(np.random.default_rng(seed), clumps=clumps)
    box = dem.Box((0, 0, 0), (1, 1, 1), wall) if walls else None
    found, exact = advise(particles, box, (0, 0, 0)).contact_time, shortest_meeting(particles, box)
    assert 0.987 * exact < found <= exact * (1 + 1e-12)


def heavy_on_light(nylon, *, speed=1.0, light=None):
    """A ball of 5 cm on its way to a bead of 1 mm at rest."""
    ball = dem.Particles(dem.Sphere(diameter=0.05), nylon, position=[(0, 0, 0)], velocity=[(speed, 0, 0)])
    bead = dem.Particles(dem.Sphere(diameter=0.001), light or nylon, position=[(0.02551, 0, 0)])
    return dem.Particles.concatenate([ball, bead])


def test_a_heavy_ball_on_a_light_one_gets_its_steps(nylon):
    sim = dem.Simulation(heavy_on_light(nylon), gravity=(0, 0, 0), time_step="auto", threads=1)
    m, big = sim.particles.mass[1], sim.particles.mass[0]
    exact = contact_time(m * big / (m + big), 0.025 * 0.0005 / 0.0255, nylon.effective_modulus(nylon), 1.0)
    assert sim.advice().contact_time == pytest.approx(exact, rel=1e-12)
    assert duration(sim, until=150) / sim.time_step > ADVISED - 1
    # exactly 2 M/(M + m), but for the error of second order, which is 1e-5 at 50 steps
    assert sim.particles.velocity[1, 0] == pytest.approx(2 * big / (m + big), rel=1e-4)


def test_materials_that_hardly_differ_are_foreseen_alike(nylon):
    twin = dem.Material(young=nylon.young, poisson=nylon.poisson, density=nylon.density * (1 + 1e-8))
    one, other = (advise(heavy_on_light(nylon, light=light), None, (0, 0, 0)) for light in (nylon, twin))
    assert (other.speed, other.overlap < 0.05) == (1.0, True)
    assert other.contact_time == pytest.approx(one.contact_time, rel=1e-7)


def test_a_body_does_not_meet_itself(nylon, fibre, ball):
    one = dem.Particles(fibre, nylon, position=[(0, 0, 0)], velocity=[(3, 0, 0)])
    alone = advise(one, None, (0, 0, 0))
    assert (alone.contact_time, alone.lines[0]) == (math.inf, "contacts: nothing can meet")
    assert "inf" not in " ".join(alone.lines)
    resting = dem.Particles(ball, nylon, position=[(0.1, 0, 0), (0.2, 0, 0)])
    advice = advise(dem.Particles.concatenate([one, resting]), None, (0, 0, 0))
    assert advice.shortest == "a sphere on a fibre's tip"
    tip = effective_masses(arrays.kinds(one, None)).min()
    assert advice.speed == pytest.approx(3 * math.sqrt(one.mass[0] / tip), rel=1e-12)
    clump = dem.Clump(offsets=[(0, 0, 0), (0.006, 0, 0)], radii=[0.005, 0.004])
    odd = dem.Particles(clump, nylon, position=[(0, 0, 0)], velocity=[(3, 0, 0)])
    assert "fibre" not in advise(dem.Particles.concatenate([odd, resting]), None, (0, 0, 0)).shortest


def quickest_while_squeezed(particles, material, *, gap):
    """Ball, bead and wall on a line, by an integration of its own: the shortest contact time of the bead [s].

    Half a period and a bit, as of an impact (see `contact_time_by_depth`), of the bead between its springs.
    """
    (big, m), speed = particles.mass, particles.velocity[0, 0]
    modulus = material.effective_modulus(material)
    stiff = [4 / 3 * modulus * math.sqrt(r) for r in (0.025 * 0.0005 / 0.0255, 0.0005)]
    x, v, dt, quickest = [0.0, gap], [speed, 0.0], 1e-7, 0.0  # of the ball's front and the bead's back
    while v[0] > 0:
        depth = max(x[0] - x[1], 0.0), max(x[1] - 4 * gap, 0.0)
        force = [k * d**1.5 for k, d in zip(stiff, depth, strict=True)]
        quickest = max(quickest, sum(k * math.sqrt(d) for k, d in zip(stiff, depth, strict=True)))
        v[0] -= dt * force[0] / big
        v[1] += dt * (force[0] - force[1]) / m
        x[0] += dt * v[0]
        x[1] += dt * v[1]
    return 2.9432 * math.sqrt(1.25 * m / quickest)


@pytest.mark.parametrize("speed", [0.02, 0.1])
@pytest.mark.few(1)
def test_a_bead_between_a_ball_and_a_wall_is_not_quicker_than_foreseen(nylon, speed):
    """The bound is one of energy, half of which is in the other spring; and of the softer spring, which is deeper."""
    particles = heavy_on_light(nylon, speed=speed)
    box = dem.Box((-1, -1, -1), (0.02604, 1, 1), nylon)
    advice = advise(particles, box, (0, 0, 0))
    assert advice.squeezed == "a sphere squeezed against a wall"
    found = quickest_while_squeezed(particles, nylon, gap=1e-5)
    assert advice.squeezed_time < found < 1.5 * advice.squeezed_time
    assert advice.squeezed_time / advice.advised >= RESOLVED
    assert advice.squeezed_time < 0.4 * advice.contact_time
    assert advise(particles, None, (0, 0, 0)).squeezed_time == math.inf  # two alone do not squeeze


def test_a_squeezed_bead_gets_through_at_the_step_that_is_advised(nylon):
    """Pressed by the ball until that turns back, and no contact of too few steps is noticed."""
    particles, box = heavy_on_light(nylon, speed=0.02), dem.Box((-1, -1, -1), (0.02604, 1, 1), nylon)
    sim = dem.Simulation(particles, box, gravity=(0, 0, 0), time_step="auto", threads=1)
    verdict = sim.run(0.03, strict=True)
    assert sim.particles.velocity[0, 0] < 0
    assert 2 * verdict.largest_overlap > 10 * sim.advice().overlap  # much deeper than when they met
    # 0.18 % of the energy of a contact at 45 steps, by a scheme of second order: five times that at 20
    assert (verdict.status, verdict.energy_error < 0.01) == ("PASS", True)


def test_steps_that_may_break_who_is_squeezed_are_warned_of(nylon):
    """Enough for the meeting, fewer than five for the bead between ball and wall; without a wall there is nothing."""
    particles, box = heavy_on_light(nylon, speed=0.02), dem.Box((-1, -1, -1), (0.02604, 1, 1), nylon)
    time_step = advise(particles, box, (0, 0, 0)).contact_time / 21
    (notice,) = startup_notices(particles, box, (0, 0, 0), time_step)
    assert (notice.name, notice.grave) == ("coarse-time-step", False)
    assert "leaves 4.6 steps to the shortest contact of a particle between two others" in notice.reason
    assert not list(startup_notices(particles, None, (0, 0, 0), time_step))


@pytest.mark.parametrize("name", ["nine-fibres", "many-spheres"])
@pytest.mark.few(1)
def test_bodies_that_are_alike_need_no_shorter_steps_for_being_squeezed(name):
    case = dem.cases()[name]()
    particles, box = case.build()
    advice = advise(particles, box, case.gravity)
    assert advice.squeezed_time / RESOLVED > 2 * advice.contact_time / ADVISED
    assert advice.advised == rounded_down(advice.contact_time / ADVISED)


@pytest.mark.slow
def test_the_time_step_can_be_left_to_it(nylon, wall, fibre):
    one = dem.Particles(fibre, nylon, position=[(0.5, 0.5, 0.5)])
    sim = dem.Simulation(one, dem.Box((0, 0, 0), (1, 1, 1), wall), time_step="auto", threads=1)
    advice = sim.advice()
    assert sim.time_step == advice.advised
    assert ADVISED <= advice.steps_per_contact <= 1.1 * ADVISED  # two digits, rounded down
    assert sim.run(0.5, strict=True).energy_error < 0.002  # as at 45 steps a contact, see `dem.soft.time_step.advice`
    case = dem.cases()["single-fibre"](time_step="auto", threads=1)
    assert case.model_dump(mode="json")["time_step"] == "auto"
    assert case.simulation().settings["time_step"] < 1e-5


def test_a_fast_top_gets_a_step_that_resolves_its_rotation(nylon, fibre):
    one = dem.Particles(fibre, nylon, position=[(0, 0, 0)], angular_velocity=[(0, 3e4, 4e4)])
    sim = dem.Simulation(one, time_step=1e-5, threads=1)
    assert (sim.advice().turn, sim.advice().advised) == (pytest.approx(0.5), 2e-6)
    with pytest.warns(dem.DemWarning, match=r"coarse-time-step: a particle turns 0.5 rad in one time step"):
        sim.run(1e-4)


@pytest.mark.parametrize(
    ("value", "expected"), [(0.0, 0.0), (5.39e-6, 5.3e-6), (1e-5, 1e-5), (123.0, 120.0), (9.99, 9.9)]
)
def test_rounding_down(value, expected):
    assert rounded_down(value) == expected


@pytest.mark.parametrize("density", [23.0, 1100.0, 22600.0])
def test_the_density_of_a_solid_draws_no_warning(density, ball):
    one = dem.Particles(ball, dem.Material(young=5e7, poisson=0.3, density=density), position=[(0, 0, 0)])
    assert dem.Simulation(one, time_step=1e-6, threads=1).run(1e-5, strict=True).passed


def test_a_foam_can_be_forced(ball):
    one = dem.Particles(ball, dem.Material(young=5e7, poisson=0.3, density=15.0), position=[(0, 0, 0)])
    sim = dem.HardSpheres(one)
    with pytest.raises(ValueError, match=r"implausible-density: .*15 g/cm3 would be 15000 kg/m3; .* force=True"):
        sim.run(0.1)
    with pytest.warns(dem.DemWarning, match="implausible-density"):
        sim.run(0.1, force=True)


@pytest.mark.parametrize("rate", [(0.0, 0.0, -400.0), [[0.0, 400.0, 0.0], [0.0] * 3, [0.0] * 3]])
def test_a_cell_that_deforms_brings_particles_together(rate, nylon, ball):
    """Two that rest meet at twice the rate times a diameter, in a contact that 20 steps resolve."""
    resting = dem.Particles(ball, nylon, position=[(0.01, 0.01, 0.01), (0.04, 0.04, 0.04)])
    sim = dem.Simulation(resting, dem.Cell((0.1,) * 3, rate=rate), gravity=(0, 0, 0), time_step="auto")
    advice, modulus = sim.advice(), nylon.effective_modulus(nylon)
    assert advice.speed == pytest.approx(2 * 400.0 * 0.01)
    assert advice.contact_time == pytest.approx(contact_time(resting.mass[0] / 2, 0.0025, modulus, advice.speed))
    assert sim.time_step == rounded_down(advice.contact_time / RESOLVED)
    still = dem.Simulation(resting, dem.Cell((0.1,) * 3), gravity=(0, 0, 0), time_step="auto")
    assert still.advice().lines[0] == "contacts: nothing can meet"
