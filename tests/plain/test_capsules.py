"""Capsules: closed forms, one or two contacts, conserved quantities, refusals."""

import math

import numpy as np
import pytest
from dem.kernels.numerics.columns import BLOCK, flat, put
from dem.kernels.soft.contact import capsule_blending
from dem.kernels.soft.contact.batch_kinematics import (
    NO_CANDIDATE,
    NORMAL,
    STIFFNESS,
    WEIGHT,
    WEIGHT_RATE,
    kinematics_in_column,
)
from dem.kernels.soft.contact.capsule_contacts import write_empty_contact

import dem
from dem.model.shapes.spheroid import Spheroid

NYLON = {"young": 5e7, "poisson": 0.35, "density": 1100.0}
CAPSULE = dem.Capsule(diameter=0.01, aspect_ratio=3)
RADIUS, HALF = 0.005, 0.01


def nylon(restitution=1.0, friction=0.0):
    return dem.Material(**NYLON, restitution=restitution, friction=friction)


def turned(axis, angle):
    """Unit quaternion."""
    axis = np.array(axis, float) / np.linalg.norm(axis)
    return [math.cos(angle / 2), *(math.sin(angle / 2) * axis)]


def pair(place, orientation, velocity, *, dt=8e-6, shapes=(CAPSULE, CAPSULE), material=None, spin=(0, 0, 0), **more):
    """Two bodies in empty space, the second one where and as told."""
    material = material or nylon()
    first = dem.Particles(shapes[0], material, position=[(0, 0, 0)])
    second = dem.Particles(
        shapes[1], material, position=[place], orientation=[orientation], velocity=[velocity], angular_velocity=[spin]
    )
    both = dem.Particles.concatenate([first, second])
    return dem.Simulation(both, gravity=(0, 0, 0), time_step=dt, threads=1, **more)


def test_mass_properties_have_the_digits_of_the_closed_form():
    """Cylinder and two half spheres; digits worked out with mpmath."""
    p = CAPSULE.mass_properties(1100.0)
    assert p.mass == pytest.approx(2.3038346126325153e-3, rel=1e-15)
    assert p.inertia[0] == pytest.approx(2.7358036025011117e-8, rel=1e-15)
    assert p.inertia[1:] == pytest.approx([1.5334899140335182e-7] * 2, rel=1e-15)  # an ulp or two


def test_mass_properties_are_those_of_a_fine_chain():
    """Grooves of a chain every s = D/64 are (s/2)²/2R = 1.2e-4 R deep, a third of that on average: 1.3e-4 of I ~ R⁴."""
    fine = dem.Fibre(diameter=0.01, aspect_ratio=3, spacing=0.01 / 64).mass_properties(1100.0)
    smooth = CAPSULE.mass_properties(1100.0)
    assert smooth.volume == pytest.approx(fine.volume, rel=1e-4)
    assert smooth.inertia == pytest.approx(fine.inertia, rel=2e-4)


def test_closest_points_of_segments():
    """Places along both axes and distances, by hand and with mpmath; of parallel ones only the distance is unique."""
    table = [
        ((0.3, 0.2, 0.5), (1, 0, 0), (0, 1, 0), 1, 1, 0.3, -0.2, 0.5),
        ((3, 0, 0.5), (1, 0, 0), (1, 0, 0), 1, 1, 1, -1, 1.118033988749895),
        ((1, -1, 2), (1 / 3, 2 / 3, 2 / 3), np.array([2, -1, 1]) / math.sqrt(6), 1.5, 1, 0.7278344730240913, -1,
         1.5452424001557532),
        ((2, 1, 1), (1, 0, 0), np.ones(3) / math.sqrt(3), 1, 0.5, 1, -0.5, 1.2320508075688774),
        ((0.5, 0.4, 0), (1, 0, 0), (1, 0, 0), 1, 1, None, None, 0.4),
    ]  # fmt: skip
    for apart, d_1, d_2, h_1, h_2, s, t, distance in table:
        x, u, v = -np.array(apart, float), h_1 * np.array(d_1, float), h_2 * np.array(d_2, float)
        found = capsule_blending.closest_parameters(x, u, v)
        gap = capsule_blending.separation_at(x, u, v, *found)
        assert math.sqrt(np.dot(gap, gap)) == pytest.approx(distance, rel=1e-15)
        if s is not None:
            assert found[0] * h_1 == pytest.approx(s, rel=1e-14)
            assert found[1] * h_2 == pytest.approx(t, rel=1e-14)


def energy(x, u, v, reach):
    """Energy of two capsules of K = 1, what each contact would have, and the weights."""
    q = (
        capsule_blending.compute_weights(x, u, v, reach / 2)
        if capsule_blending.are_nearly_parallel(u, v, reach / 2)
        else capsule_blending.single_contact_weights()
    )
    each = []
    for slot in range(5):
        gap = capsule_blending.separation_at(x, u, v, *capsule_blending.contact_parameters(slot, x, u, v))
        each.append(0.4 * max(reach - math.sqrt(np.dot(gap, gap)), 0.0) ** 2.5)
    if q.closest == 1.0:
        return each[0], each, q
    return sum(capsule_blending.weight_of_slot(slot, q) * each[slot] for slot in range(5)), each, q


def force_torque(x, u, v, reach):
    """Force on the first and torques on both, as the kernels put them together."""
    _, each, q = energy(x, u, v, reach)
    force, on_first, on_second = np.zeros(3), np.zeros(3), np.zeros(3)
    for slot in range(5 if q.closest < 1.0 else 1):
        s, t = capsule_blending.contact_parameters(slot, x, u, v)
        gap = np.array(capsule_blending.separation_at(x, u, v, s, t))
        distance = np.linalg.norm(gap)
        f = capsule_blending.weight_of_slot(slot, q) * max(reach - distance, 0.0) ** 1.5 * gap / distance
        force, on_first, on_second = force + f, on_first + np.cross(s * u, f), on_second - np.cross(t * v, f)
    if q.closest < 1.0:
        more = capsule_blending.weight_gradient_forces(x, u, v, q, tuple(each))
        force, on_first, on_second = force + more[0], on_first + more[1], on_second + more[2]
    return force, on_first, on_second


def swung(v, w):
    """A vector turned by a small angle |w|, to third order."""
    once = np.cross(w, v)
    return v + once + np.cross(w, once) / 2


def test_force_and_couples_are_the_gradient_of_one_energy(rng):
    """By differences, for nearly parallel and crossed ones, side by side and past each other's ends; momenta balance.

    Differences over 2e-6 leave 1e-12 of rounding and of curvature over 2e-6: 1e-6 of forces of a thousandth to one.
    """
    reach, step, worst, seen = 2.0, 1e-6, 0.0, 0
    for k in range(150):
        h_u, h_v = rng.uniform(0.5, 3, 2)
        u = rng.normal(size=3)
        u *= h_u / np.linalg.norm(u)
        v = u / h_u + rng.normal(size=3) * 0.1 / min(h_u, h_v) * (0.02, 0.3, 0.6, 5)[k % 4]
        v *= h_v / np.linalg.norm(v) * (-1) ** (k // 4)
        aside = np.cross(u, rng.normal(size=3))
        x = 1.9 * aside / np.linalg.norm(aside) + u / h_u * rng.uniform(-1.2, 1.2) * (h_u + h_v) * (0.1, 0.5, 1)[k % 3]
        ways = [
            lambda d, x=x, u=u, v=v: (x + d, u, v),
            lambda d, x=x, u=u, v=v: (x, swung(u, d), v),
            lambda d, x=x, u=u, v=v: (x, u, swung(v, d)),
        ]
        found = force_torque(x, u, v, reach)
        for way, exact in zip(ways, found, strict=True):
            slope = [
                (energy(*way(-step * e), reach)[0] - energy(*way(step * e), reach)[0]) / (2 * step) for e in np.eye(3)
            ]
            worst = max(worst, np.abs(slope - exact).max() / (np.abs(found).max() + 1e-3))
        force, on_first, on_second = found
        assert np.abs(on_first + on_second + np.cross(x, force)).max() < 1e-13
        seen += energy(x, u, v, reach)[2].closest < 1.0
    assert worst < 1e-6
    assert seen > 50  # blended ones


def test_weights_of_the_contacts_add_up_to_one(rng):
    """Whichever ends are further in, and whichever way axes point."""
    for _ in range(50):
        u, v = np.array([rng.uniform(1, 3), 0, 0]), np.array([rng.choice([-1, 1]) * rng.uniform(1, 3), 0.02, 0.01])
        q = capsule_blending.compute_weights(rng.normal(size=3), u, v, 1.0)
        assert sum(capsule_blending.weight_of_slot(slot, q) for slot in range(5)) == pytest.approx(1.0, rel=1e-15)


def test_rates_of_weights_are_the_power_of_their_gradient(rng):
    """Of any motion, whichever ends are further in, and whichever way axes point: minus the power of each weight."""
    sliding = 0
    for k in range(60):
        u = np.array([rng.uniform(1, 3), 0, 0])
        v = np.array([(-1) ** k * (u[0] + rng.uniform(-0.05, 0.05)), *rng.uniform(-0.05, 0.05, 2)])
        x = np.array([rng.uniform(-0.05, 0.05), *rng.normal(size=2)])
        velocity, spin_u, spin_v = rng.normal(size=(3, 3))
        assert capsule_blending.are_nearly_parallel(u, v, 1.0)
        q = capsule_blending.compute_weights(x, u, v, 1.0)
        rates = capsule_blending.compute_weight_rates(x, u, v, q, velocity, spin_u, spin_v)
        found = [capsule_blending.weight_rate_of_slot(slot, q, rates) for slot in range(5)]
        for slot, energies in enumerate(np.eye(5)):
            force, on_first, on_second = capsule_blending.weight_gradient_forces(x, u, v, q, tuple(energies))
            power = np.dot(force, velocity) + np.dot(on_first, spin_u) + np.dot(on_second, spin_v)
            assert found[slot] == pytest.approx(-power, rel=1e-12, abs=1e-12)
        assert sum(found) == pytest.approx(0.0, abs=1e-12)
        sliding += rates.low != 0.0 or rates.high != 0.0
    assert sliding > 10


MEETINGS = {
    "crossed": ((0.009, 0.004, 0.0101), turned((0, 0, 1), 1.2), (-0.3, 0, -0.5), (0, 0, 0)),
    "parallel": ((0.004, 0, 0.0101), (1, 0, 0, 0), (0, 0, -0.5), (0, 0, 0)),
    "almost": ((0.004, 0, 0.0103), turned((0.2, 1, 0.5), 0.01), (0.3, 0, -0.5), (3, -5, 20)),
    "ends": ((0.021, 0.001, 0.0098), turned((0, 0, 1), 0.01), (-1, 0, -0.05), (0, 0, 0)),
}


@pytest.mark.parametrize("name", MEETINGS)
@pytest.mark.few(1)
def test_energy_error_is_of_second_order(name):
    """Crossed, parallel, nearly so, and sliding over each other's ends: a quarter at half the step."""
    errors = []
    for dt in (8e-6, 4e-6):
        place, orientation, velocity, spin = MEETINGS[name]
        sim = pair(place, orientation, velocity, spin=spin, dt=dt)
        sim.step(round(1.2e-3 / dt))
        errors.append(sim.energy_error)
    assert sim.energy().elastic < 0.999 * sim.energy().total
    assert 0 < errors[1] < errors[0] / 2.8  # 4 but for terms of third order
    assert errors[1] < 1e-4


@pytest.mark.parametrize(("place", "angle"), [((0, 0, 0.01002), 0), ((0, 0, 0.01002), 1.0), ((0.0, 0, 0.01002), 0.02)])
def test_two_meet_with_the_restitution_that_is_asked_for(place, angle):
    """Flat, nearly flat and crossed at their middles: 0.9; the weights are at work at 0.02 rad: 0.9 to 0.1 %."""
    sim = pair(place, turned((0, 0, 1), angle), (0, 0, -0.1), material=nylon(0.9), dt=8e-6)
    sim.step(260)
    v = sim.particles.velocity[:, 2]
    assert sim.contact_count == 0
    assert (v[0] - v[1]) / -0.1 == pytest.approx(0.9, rel=1e-3)
    assert sim.energy_error < 1e-4


@pytest.mark.parametrize(("damped", "exact"), [("independent", 0.9099), ("shared", 0.9)])
def test_flat_on_a_wall(damped, exact):
    """On its two ends, damped each as if alone: α times 0.8940, so 0.9099 for 0.9; together: 0.9."""
    stuff = nylon(0.9)
    box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), material=stuff)
    one = dem.Particles(CAPSULE, stuff, position=[(0.05, 0.05, 0.00501)], velocity=[(0, 0, -0.1)])
    sim = dem.Simulation(
        one, box, gravity=(0, 0, 0), time_step=8e-6, threads=1, contacts=dem.Contacts({}, damped=damped)
    )
    sim.step(400)
    assert sim.particles.velocity[0, 2] / 0.1 == pytest.approx(exact, rel=2e-4)


def test_parallel_ones_are_as_stiff_as_crossed_ones():
    """Each of two ends has half of K: the force at one overlap is K δ^1.5 either way."""
    k = 4 / 3 * nylon().effective_modulus(nylon()) * math.sqrt(RADIUS / 2)
    for angle in (0.0, 0.7):
        sim = pair((0, 0, 0.00995), turned((0, 0, 1), angle), (0, 0, 0))
        (force,) = sim.contact_forces().force
        assert force == pytest.approx([0, 0, -k * 5e-5**1.5], rel=1e-12, abs=1e-12)
        assert sim.energy().elastic == pytest.approx(0.4 * k * 5e-5**2.5, rel=1e-9)


def test_a_sphere_is_a_capsule_of_no_length():
    """Two spheres beside a capsule far away move as two spheres without it do.

    By the same law, but turned by the scheme for any body: the two differ by 8e-6 here, at 50 steps a contact.
    """
    stuff, ball = nylon(0.8, 0.4), dem.Sphere(diameter=0.01)
    places, velocities = [(0, 0, 0), (0.006, 0.002, 0.008)], [(0, 0, 0.3), (0.1, 0, -0.4)]
    two = dem.Particles(ball, stuff, position=places, velocity=velocities, angular_velocity=[(5, 0, 3), (0, -8, 1)])
    far = dem.Particles(CAPSULE, stuff, position=[(0.5, 0.5, 0.5)])
    ends = []
    for particles in (two, dem.Particles.concatenate([two, far])):
        sim = dem.Simulation(particles, gravity=(0, 0, 0), time_step=8e-6, threads=1)
        sim.step(150)
        ends.append([getattr(sim.particles, name)[:2] for name in ("position", "velocity", "angular_velocity")])
    for alone, beside in zip(*ends, strict=True):
        np.testing.assert_allclose(beside, alone, rtol=2e-5, atol=1e-9)


def test_friction_of_flat_ones_belongs_to_their_ends():
    """One turns on another under no load but the overlap of the start: ends slip, and the account closes."""
    stuff = nylon(0.9, 0.5)
    sim = pair((0.003, 0, 0.00995), turned((0, 0, 1), 0.02), (0.2, 0.1, 0), spin=(0, 0, 30), material=stuff)
    sim.step(60)
    told = sim.energy()
    assert told.dissipated > 1e-3 * told.total
    assert sim.energy_error < 2e-3  # of what there was, at 60 steps a contact


ROLLING_OVER = {
    "turning": ((0.003, 0, 0.01001), turned((0, 0, 1), 0.02), (0.2, 0.1, -0.4), (0, 0, 30), 3),
    "almost": ((0.004, 0, 0.0103), turned((0.2, 1, 0.5), 0.01), (0.3, 0, -0.5), (3, -5, 20), 3),
    "antiparallel": ((-0.004, 0, 0.0103), turned((0.005, 1, 0.01), math.pi + 0.006), (0.3, 0.2, -0.5), (3, -5, 20), 3),
    "longer": ((0.001, 0.0005, 0.0102), turned((0.2, 1, 0.5), 0.01), (0.5, 0.1, -0.6), (-10, 5, 25), 5),
}


@pytest.mark.parametrize("name", ROLLING_OVER)
@pytest.mark.few(1, long=99)
def test_springs_of_contacts_whose_weights_change_are_in_the_ledger(name):
    """Their energy pulls by the gradient of the weights: without that work the ledger lacks up to 0.08 %, at any step.

    With it the error is of second order, a quarter at half the step but for the steps in which contacts begin and end.
    """
    place, orientation, velocity, spin, ratio = ROLLING_OVER[name]
    shapes, errors = (CAPSULE, dem.Capsule(diameter=0.01, aspect_ratio=ratio)), []
    for dt in (4e-6, 2e-6):
        sim = pair(place, orientation, velocity, spin=spin, dt=dt, shapes=shapes, material=nylon(0.9, 0.4))
        sim.step(round(1.28e-3 / dt))
        errors.append(sim.energy_error)
    assert sim.energy().dissipated > 0.1 * sim.energy().total
    assert errors[0] < 4e-5
    assert errors[1] < errors[0] / 2.8


def test_cut_and_restarted_runs_have_the_same_bytes(tmp_path):
    """While two nearly parallel ones touch, with memories at their ends; other skins too."""
    stuff = nylon(0.9, 0.5)
    start = {"place": (0.003, 0, 0.00995), "orientation": turned((0, 0, 1), 0.02), "velocity": (0.2, 0.1, 0)}
    sims = [pair(**start, spin=(0, 0, 30), material=stuff, _skin=skin) for skin in (None, (0.002, 0.0001))]
    for sim in sims:
        sim.step(40)
    cut = pair(**start, spin=(0, 0, 30), material=stuff)
    cut.step(17)
    assert cut.contact_count == 1
    cut.save(tmp_path / "state.h5")
    sims.append(dem.Simulation.load(tmp_path / "state.h5"))
    sims[-1].step(23)
    for sim in sims[1:]:
        for name in ("position", "velocity", "orientation", "angular_velocity"):
            assert getattr(sim.particles, name).tobytes() == getattr(sims[0].particles, name).tobytes()
        assert sim.energy() == sims[0].energy()


@pytest.mark.parametrize(
    "part",
    [{"adhesion": dem.JKR(work=0.05)}, {"adhesion": dem.DMT(work=0.05)}, {"normal": dem.Linear(stiffness=2e3)}],
    ids=str,
)
def test_other_laws_keep_their_account(part):
    """Adhesion that holds beyond touching, and linear springs, where two nearly parallel ones meet and part."""
    contacts = dem.Contacts({(nylon(), nylon()): dem.Contact(restitution=0.8, friction=0.3, **part)})
    sim = pair((0.003, 0, 0.0101), turned((0.3, 0, 1), 0.02), (0.05, 0, -0.4), contacts=contacts)
    sim.step(250)
    assert sim.energy().dissipated > 0
    assert sim.energy_error < 2e-3


@pytest.mark.parametrize(
    "part", [{"adhesion": dem.JKR(work=0.05)}, {"normal": dem.Linear(stiffness=2e3, tension=True)}, {}], ids=str
)
@pytest.mark.few(1, long=99)
def test_columns_that_no_pair_has_do_not_show(part):
    """Laws evaluate them too: whatever an earlier block has left there, the bytes are the same."""
    contacts = dem.Contacts({(nylon(), nylon()): dem.Contact(restitution=0.8, friction=0.3, **part)})
    states = []
    for left in (0.0, np.nan, -np.inf):
        sim = pair((0.003, 0, 0.0101), turned((0.3, 0, 1), 0.02), (0.05, 0, -0.4), contacts=contacts)
        for _ in range(25):
            neighbours = sim._engine.lists.arrays
            for scratch in (neighbours.batch_kinematics, neighbours.batch_forces, neighbours.batch_history):
                scratch[...] = left
            sim.step(10)
        p = sim.particles
        states.append([p.velocity.tobytes(), p.angular_velocity.tobytes(), sim.energy()])
    assert states[1:] == states[:1] * 2


def test_columns_that_no_pair_has_are_of_contacts_at_rest():
    """Only their normal and stiffness, those of the pair that has its contacts elsewhere, are as they were."""
    known, told = np.full(30 * BLOCK, np.nan), np.full((5, BLOCK), -7)
    put(known, NORMAL, 3, (0.0, 0.0, 1.0))
    known[flat(STIFFNESS, 3)] = 2e6
    write_empty_contact(3, known, told)
    touch, none = kinematics_in_column(known, 3, True, False), (0.0, 0.0, 0.0)
    assert (touch.overlap, touch.velocity, touch.relative_angular_velocity, touch.twist_rate) == (0.0, none, none, 0.0)
    assert touch.mass == touch.radius == touch.reduced_mass == touch.rolling_inertia == 1.0
    assert known[flat(WEIGHT, 3)] == known[flat(WEIGHT_RATE, 3)] == 0.0
    assert (told[:, 3] == [0, 0, NO_CANDIDATE, 0, 0]).all()
    assert (told[:, :3] == -7).all()


def test_in_a_fluid_it_is_the_spheroid_of_its_volume_and_aspect_ratio():
    """As fibres are; what a fluid does to such spheroids has tests of its own."""
    stands_for = Spheroid.of(CAPSULE, CAPSULE.mass_properties(1100.0))
    assert (stands_for.ratio, stands_for.axis) == (3.0, 0)
    assert stands_for.volume == pytest.approx(math.pi * RADIUS**2 * (2 * HALF + 4 / 3 * RADIUS), rel=1e-15)
    water = dem.Fluid(density=1000.0, viscosity=1e-3, velocity=(0, 0, 0))
    sim = dem.Simulation(dem.Particles(CAPSULE, nylon(), position=[(0, 0, 0)]), time_step=1e-5, threads=1, fluid=water)
    sim.step(20)
    assert -20 * 1e-5 * 9.81 < sim.particles.velocity[0, 2] < 0


def test_those_put_in_during_a_run_move_as_if_they_had_been_there():
    """Six that are put in fall upon a floor, and the same six from where they were before any touched it."""
    region, floor = dem.Block((0, 0, 0.0002), (0.06, 0.06, 0.025)), dem.Plane((0, 0, 0), (0, 0, 1), material=nylon(0.6))
    rain = dem.Inserter(CAPSULE, nylon(0.6), region=region, number=6, velocity=(0, 0, -2))
    sim = dem.Simulation(None, walls=[floor], inserters=[rain], time_step=2e-5, threads=1)
    sim.step(2)
    p = sim.particles
    there = dem.Particles(CAPSULE, nylon(0.6), position=p.position, velocity=p.velocity, orientation=p.orientation)
    other = dem.Simulation(there, walls=[floor], time_step=2e-5, threads=1)
    sim.step(80)
    other.step(80)
    assert (sim.particles.velocity[:, 2] > -1.9).any()
    np.testing.assert_allclose(sim.particles.position, other.particles.position, rtol=0, atol=1e-12)  # of rounding


def test_packed_capsules_do_not_overlap():
    """They are placed by spheres that hold all of them."""
    box = dem.Box((0, 0, 0), (0.08, 0.08, 0.08), material=nylon())
    sim = dem.Simulation(dem.pack(CAPSULE, nylon(), box, number=20, seed=1), box, time_step=1e-5, threads=1)
    assert sim.contact_count == 0


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ({}, "needs its length"),
        ({"length": 0.01}, "no cylinder between its ends"),
        ({"aspect_ratio": 1.0}, "no cylinder between its ends"),
        ({"aspect_ratio": 0.5}, "no cylinder between its ends"),
        ({"length": -1.0}, "length"),
        ({"aspect_ratio": 1e9}, r"expected 1e\+06 at most: shorten the capsule"),
        ({"length": 0.03, "aspect_ratio": 4}, "leave one of the two out"),
    ],
)
def test_sizes_that_are_refused(sizes, said):
    with pytest.raises(ValueError, match=said):
        dem.Capsule(diameter=0.01, **sizes)


def test_contact_numbers_of_capsules_are_those_of_written_contacts(tmp_path):
    """Crossed by less than the spheres that stand for them are thinner; without contacts those spheres count."""
    x = HALF / math.ceil(8 * HALF / RADIUS)  # halfway between two of them
    sim = pair((x, 0, 2 * RADIUS - 1e-6), turned((0, 0, 1), math.pi / 2), (0, 0, 0), dt=1e-6)
    for name, contacts, tolerance, number in (
        ("with", True, 0.0, 1),
        ("without", False, 0.0, 0),
        ("near", True, 5e-5, 1),
    ):
        sim.run(1e-6, output=tmp_path / f"{name}.h5", frames=1, contacts=contacts, progress=False)
        with dem.Trajectory(tmp_path / f"{name}.h5") as run:
            assert run[0].contact_numbers(tolerance).bodies.tolist() == [number, number]
