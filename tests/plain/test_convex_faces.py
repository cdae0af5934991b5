"""Polyhedra and rounded cylinders in runs: energy, momentum, rest, checkpoints."""

import itertools
import math

import h5py
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dem
from dem.files.checkpoints import serialization
from dem.soft.time_step.impacts import effective_masses

DIE = dem.Polyhedron(vertices=list(itertools.product([0.0, 0.01], repeat=3)), rounding=0.002)
TABLET = dem.RoundedCylinder(diameter=0.01, length=0.006, rounding=0.002)


def colliding(shape, time_step):
    """Two bodies that are about to hit each other off their centres."""
    material = dem.Material(young=5e6, poisson=0.3, density=1000.0)
    q = np.array([[1, 0.2, -0.3, 0.4], [0.5, -0.6, 0.1, 0.7]])
    q /= np.linalg.norm(q, axis=1)[:, None]
    particles = dem.Particles(
        shape, material, position=[[0, 0, 0], [0.015, 0.003, 0.002]], orientation=q, velocity=[[1, 0, 0], [-1, 0, 0]]
    )
    return dem.Simulation(particles, gravity=(0, 0, 0), time_step=time_step, threads=1)


def collision(shape, time_step):
    """The simulation after they have hit each other, and its verdict."""
    sim = colliding(shape, time_step)
    return sim, sim.run(duration=6e-3)


@pytest.mark.parametrize("shape", [DIE, TABLET], ids=["polyhedron", "cylinder"])
@pytest.mark.few(1, long=99)
def test_energy_of_a_collision_is_kept_to_second_order_and_momentum_to_rounding(shape):
    """The error of the energy is a quarter with half the step, as that of the scheme, whatever edges meet."""
    _, coarse = collision(shape, 1e-5)
    sim, fine = collision(shape, 5e-6)
    assert fine.energy_error < 1e-4
    assert 3.5 < coarse.energy_error / fine.energy_error < 4.5
    after = sim.particles
    assert np.abs(after.angular_velocity).max() > 1.0
    assert after.velocity[0, 0] < 0.9
    np.testing.assert_allclose(after.velocity.sum(0), 0.0, rtol=0, atol=1e-12)


def test_springs_of_contacts_whose_weights_change_are_in_the_ledger():
    """Their energy pulls by the gradient of the weights: without that work the ledger lacks 0.4 %, for any step."""
    q, errors = np.random.default_rng(2).normal(size=(2, 4)), []
    stuff = dem.Material(young=1e6, poisson=0.3, density=2500.0, friction=0.4)
    small = dem.Polyhedron(vertices=list(itertools.product([-1.75e-3, 1.75e-3], repeat=3)), rounding=4e-4)
    for dt in (6e-6, 3e-6):
        pair = dem.Particles(
            small, stuff, position=[[0, 0, 0], [6e-3, 4e-4, 2e-4]], velocity=[[1, 0.2, 0], [-1, 0, 0.1]],
            orientation=q / np.linalg.norm(q, axis=1)[:, None], angular_velocity=[[0, 30, -50], [40, 0, 20]],
        )  # fmt: skip
        sim = dem.Simulation(pair, gravity=(0, 0, 0), time_step=dt, threads=1)
        errors.append(sim.run(duration=1.5e-3).energy_error)
    assert sim.energy().dissipated > 0.2 * sim.energy().kinetic
    assert errors[1] < 5e-5
    assert 3.5 < errors[0] / errors[1] < 4.5


@pytest.mark.parametrize("shape", [DIE, TABLET], ids=["polyhedron", "cylinder"])
@pytest.mark.few(1, long=99)
def test_what_is_in_memory_before_a_contact_begins_changes_nothing(shape):
    """Room for contacts may hold anything: numbers that are none, or normals of others that point the wrong way."""
    states = []
    for left in (0.0, np.nan, (-1.0, 0.0, 0.0)):
        sim = colliding(shape, 1e-5)
        sim.step(1)
        lists = sim._engine.lists.arrays
        assert not lists.has_history.any()
        lists.history[:], lists.found[:, 1:4] = np.resize(left, lists.history.shape[1]), left
        sim.step(400)
        states.append(np.concatenate([sim.particles.velocity, sim.particles.angular_velocity]))
    assert np.abs(states[0][:2, 0]).max() < 0.99  # they touched
    np.testing.assert_array_equal(states[1], states[0])
    np.testing.assert_array_equal(states[2], states[0])


@pytest.mark.parametrize("shape", [DIE, TABLET], ids=["polyhedron", "cylinder"])
def test_the_very_same_shape_comes_back_from_a_checkpoint(shape):
    again = serialization.from_recipe(serialization.recipe(shape))
    assert again == shape
    assert again.convex_numbers == shape.convex_numbers


STUFF = {"young": 5e6, "poisson": 0.3, "density": 1000.0}
STIFFNESS = 4 / 3 * 5e6 / (2 * (1 - 0.3**2)) * np.sqrt(DIE.contact_radius)  # at a face; √½ of that at another die


FLOOR = np.array([[-0.1, -0.1, 0], [0.1, -0.1, 0], [0.1, 0.1, 0], [-0.1, 0.1, 0]])
GROUNDS = {
    "plane": lambda stuff: dem.Plane((0, 0, 0), (0, 0, 1), material=stuff),
    "mesh": lambda stuff: dem.Mesh(FLOOR, [[0, 1, 2], [0, 2, 3]], material=stuff),
    "disc": lambda stuff: dem.Disc((0, 0, 0), (0, 0, 1), 0.1, material=stuff),
}


@pytest.mark.parametrize(
    "law", [{}, {"restitution": 0.5}, {"restitution": 0.5, "friction": 0.5}], ids=["elastic", "damped", "friction"]
)
@pytest.mark.parametrize("ground", ["face", *GROUNDS])
def test_dice_rest_on_the_ground_and_on_each_other_with_four_corners(law, ground):
    """Each overlaps by what carries the weight above it, 4 k δ^1.5, and nothing moves."""
    material = dem.Material(**STUFF, **law)
    weight = DIE.volume * 1000.0 * 9.81
    low, high = (2 * weight / (4 * STIFFNESS)) ** (2 / 3), (weight / (4 * STIFFNESS / np.sqrt(2))) ** (2 / 3)
    dice = dem.Particles(DIE, material, position=[[0.02, 0.02, 0.005 - low], [0.02, 0.02, 0.015 - low - high]])
    box = dem.Box((0, 0, 0), (0.04, 0.04, 0.04), material=material) if ground == "face" else None
    walls = [] if box else [GROUNDS[ground](material)]
    sim = dem.Simulation(dice, box, walls=walls, gravity=(0, 0, -9.81), time_step=1e-5, threads=1)
    found = sim.contact_forces()
    assert len(found.overlap) == 5  # the pair as one, and four corners
    np.testing.assert_allclose(sorted(found.overlap), sorted([high, *[low] * 4]), rtol=1e-11)
    np.testing.assert_allclose(sorted(abs(found.force[:, 2])), sorted([weight / 2] * 4 + [weight]), rtol=1e-9)
    sim.step(30)
    np.testing.assert_allclose(sim.particles.velocity, 0, rtol=0, atol=1e-10 * 9.81 * 3e-4)  # rounding of overlaps
    np.testing.assert_allclose(sim.particles.angular_velocity, 0, rtol=0, atol=1e-8)


@pytest.mark.parametrize("ground", ["face", *GROUNDS])
def test_a_tilted_die_is_righted_by_its_corners(ground):
    """Torque and force are sums over the corners of the core, 3 mm from the middle, which are balls of 2 mm."""
    material, turn, height = dem.Material(**STUFF), Rotation.from_rotvec([3e-3, -2e-3, 0.0]), 0.005 - 5e-5
    corners = turn.apply(np.array(list(itertools.product([-0.003, 0.003], repeat=3))))
    deep = np.maximum(0.002 - (height + corners[:, 2]), 0.0)
    forces = STIFFNESS * deep**1.5
    q = DIE.turned(turn.as_quat(scalar_first=True))
    die = dem.Particles(DIE, material, position=[[0.02, 0.02, height]], orientation=[q])
    box = dem.Box((0, 0, 0), (0.04, 0.04, 0.04), material=material) if ground == "face" else None
    walls = [] if box else [GROUNDS[ground](material)]
    found = dem.Simulation(die, box, walls=walls, gravity=(0, 0, 0), time_step=1e-5, threads=1).contact_forces()
    assert len(found.overlap) == np.count_nonzero(deep) == 4
    np.testing.assert_allclose(found.force.sum(0)[2], forces.sum(), rtol=1e-9)
    torque = np.cross(found.arm, found.force).sum(0)
    np.testing.assert_allclose(torque[:2], [corners[:, 1] @ forces, -corners[:, 0] @ forces], rtol=1e-8)
    assert torque @ turn.as_rotvec() < 0


PLASTIC = dem.Hysteretic(loading=1000.0, unloading=4000.0)


def face_on_face(normal, time_step):
    """Two dice that hit each other nearly face on face, in up to 14 contacts; the simulation and its verdict."""
    stuff = dem.Material(young=5e6, poisson=0.3, density=1000.0, name="stuff")
    turns = Rotation.from_rotvec([[0, 0, 0], [2e-3, -1.4e-3, 0.2]]).as_quat(scalar_first=True)
    pair = dem.Particles(
        DIE, stuff, position=[[0, 0, 0], [3e-4, 2e-4, 0.0101]], velocity=[[0, 0, 0.2], [0.05, 0.1, -0.2]],
        orientation=[DIE.turned(q) for q in turns],
    )  # fmt: skip
    law = dem.Contacts({(stuff, stuff): dem.Contact(normal=normal, friction=0.5)})
    sim = dem.Simulation(pair, gravity=(0, 0, 0), time_step=time_step, threads=1, contacts=law)
    return sim, sim.run(duration=1.2e-3)


def test_plastic_energy_of_a_face_on_a_face_is_in_the_ledger_to_second_order():
    """Each contact has its memory: with that of 8 only the error is 0.96, and grows with smaller steps.

    Losses count by the weights in the middle of a step: with those at its end the error is 3e-3 and halves with the
    step. A quarter a halving; 3.5 leaves room for terms of third order. 5e-5 is 1.7 times the error.
    """
    errors = [face_on_face(PLASTIC, dt)[1].energy_error for dt in (1.6e-5, 8e-6, 4e-6)]
    assert errors[0] / errors[1] > 3.5
    assert errors[1] / errors[2] > 3.5
    assert errors[2] < 5e-5


def test_friction_of_a_face_on_a_face_converges_to_second_order():
    """Each contact has its spring: with those of 8 only the last difference of spins was 3e-2 rad/s.

    A quarter a halving; 3.5 leaves room for terms of third order. 5e-3 rad/s is twice the difference of the finest.
    """
    runs = [face_on_face(dem.Hertz(), dt) for dt in (1.6e-5, 8e-6, 4e-6)]
    spins = [sim.particles.angular_velocity for sim, _ in runs]
    errors = [verdict.energy_error for _, verdict in runs]
    steps = [np.abs(b - a).max() for a, b in itertools.pairwise(spins)]
    assert steps[0] / steps[1] > 3.5
    assert steps[1] < 5e-3
    assert errors[0] / errors[1] > 3.5
    assert errors[2] < 5e-5


def prism(sides, rounding, height=0.004):
    """A regular prism of this number of sides, 10 mm wide."""
    turn = 2 * np.pi * np.arange(sides) / sides
    ring = [(0.005 * math.cos(t), 0.005 * math.sin(t)) for t in turn]
    return dem.Polyhedron(vertices=[(*place, z) for place in ring for z in (0.0, height)], rounding=rounding)


@pytest.mark.parametrize("ground", ["face", *GROUNDS])
def test_all_corners_of_a_prism_touch_the_ground(ground):
    """Also more than the 32 contacts for which pairs of polyhedra have room."""
    material = dem.Material(**STUFF)
    body = dem.Particles(prism(50, 3e-4), material, position=[[0.02, 0.02, 0.002 - 1e-5]], orientation="as-given")
    box = dem.Box((0, 0, 0), (0.04, 0.04, 0.04), material=material) if ground == "face" else None
    walls = [] if box else [GROUNDS[ground](material)]
    found = dem.Simulation(body, box, walls=walls, time_step=1e-6, threads=1).contact_forces()
    np.testing.assert_allclose(found.overlap, np.full(50, 1e-5), rtol=0, atol=1e-16)


def test_plastic_energy_of_twelve_corners_at_a_face_of_the_box_is_in_the_ledger_to_second_order():
    """With the memory of 8 corners only the error is near 1."""
    stuff, errors = dem.Material(young=5e6, poisson=0.3, density=1000.0, name="stuff"), []
    law = dem.Contacts({(stuff, stuff): dem.Contact(normal=PLASTIC, friction=0.5)})
    box = dem.Box((0, 0, 0), (0.04, 0.04, 0.04), material=stuff)
    for dt in (8e-6, 4e-6):
        body = dem.Particles(
            prism(12, 5e-4), stuff, position=[[0.02, 0.02, 0.00205]], velocity=[[0.2, 0.1, -0.5]],
            angular_velocity=[[0, 0, 10.0]], orientation="as-given",
        )  # fmt: skip
        sim = dem.Simulation(body, box, gravity=(0, 0, 0), time_step=dt, threads=1, contacts=law)
        errors.append(sim.run(duration=6e-4).energy_error)
        assert sim.particles.velocity[0, 2] > 0.1
    assert errors[1] < 5e-4
    assert 3.5 < errors[0] / errors[1] < 4.5


def test_contacts_that_are_left_out_are_in_the_verdict():
    """Two prisms of 24 corners that coincide have 48 contacts, with twelve corners 24; one of 40 on a plate has 40."""
    stuff = dem.Material(young=5e6, poisson=0.3, density=1000.0, friction=0.5)
    plate = dem.Polyhedron(
        vertices=[(x, y, z) for x in (-0.01, 0.01) for y in (-0.01, 0.01) for z in (0.0, 0.004)], rounding=3e-4
    )
    for sides, upper, crowded in ((12, None, 0), (24, None, 3), (32, plate, 0), (40, plate, 3)):
        lower = prism(sides, 3e-4)
        both = ((lower, 0.0), (upper or lower, 0.00399))
        pair = dem.Particles.concatenate(
            [dem.Particles(shape, stuff, position=[[0, 0, z]], orientation="as-given") for shape, z in both]
        )
        sim = dem.Simulation(pair, gravity=(0, 0, 0), time_step=1e-6, threads=1)
        sim.step(2)
        verdict = sim.verdict()
        assert verdict.truncated_pairs == crowded
        assert any("lower rounding, or take hulls of fewer vertices" in each for each in verdict.doubts) == bool(
            crowded
        )


def test_a_shape_without_corners_forgets_a_face_also_beside_dice():
    """An ellipsoid that slides, leaves the floor and falls back moves as it does where no die is in the run."""
    material = dem.Material(young=5e8, poisson=0.3, density=1000.0, restitution=0.5, friction=0.5)
    box = dem.Box((0, 0, 0), (0.06, 0.06, 0.04), material=material)
    grain = dem.Ellipsoid(semi_axes=(0.004, 0.002, 0.002))
    alone = dem.Particles(grain, material, position=[[0.02, 0.02, 0.002]], velocity=[[0.3, 0, -0.5]])
    die = dem.Particles(DIE, material, position=[[0.05, 0.05, 0.03]])
    runs = [
        dem.Simulation(particles, box, gravity=(0, 0, -2e3), time_step=1e-5, threads=1)
        for particles in (alone, dem.Particles.concatenate([alone, die]))
    ]
    touching = []
    for _ in range(9):
        for sim in runs:
            sim.step(4)
        touching.append(len(runs[0].contact_forces().overlap))
    assert touching == [1, 1, 1, 0, 0, 0, 0, 1, 1]  # its bounding sphere reaches the floor all the time
    for name in ("position", "velocity", "angular_velocity"):
        one, other = (getattr(sim.particles, name)[0] for sim in runs)
        np.testing.assert_array_equal(one, other)


def test_the_time_step_resolves_a_face_that_lands_on_many_corners():
    """A prism of 24 corners lands flat: each corner has 1/24 of its mass, and the contact lasts enough steps."""
    turn = 2 * np.pi * np.arange(24) / 24
    ring = [(0.005 * math.cos(t), 0.005 * math.sin(t)) for t in turn]
    prism = dem.Polyhedron(vertices=[(*place, z) for place in ring for z in (0.0, 0.004)], rounding=5e-4)
    stuff = dem.Material(young=5e6, poisson=0.3, density=1000.0)
    body = dem.Particles(prism, stuff, position=[[0, 0, 0.0025]], velocity=[[0, 0, -0.5]])
    floor = dem.Plane((0, 0, 0), (0, 0, 1), material=stuff)
    sim = dem.Simulation(body, walls=[floor], time_step="auto", threads=1)
    kinds = sim._engine.kinds
    np.testing.assert_allclose(effective_masses(kinds), kinds.mass / 24)
    sim.step(1)
    while sim.particles.velocity[0, 2] < 0 or sim.contact_count:
        sim.step(5)
    verdict = sim.verdict()
    assert verdict.passed
    assert not verdict.doubts


def test_checkpoints_do_not_show_which_corners_touched_before(tmp_path):
    """A die bounces between two faces: after it has left the first, a run that goes on and one resumed agree."""
    elastic = dem.Material(young=5e5, poisson=0.3, density=1100, restitution=0.9, friction=0.4)
    die = dem.Polyhedron(vertices=list(itertools.product([-0.005, 0.005], repeat=3)), rounding=0.0005)
    q = np.random.default_rng(1).normal(size=4)
    body = dem.Particles(
        die, elastic, position=[[0.02, 0.02, 0.0105]], orientation=[q / np.linalg.norm(q)], velocity=[[0, 0, -1]],
        angular_velocity=[[3, 1, 0]],
    )  # fmt: skip
    box = dem.Box((0, 0, 0), (0.04, 0.04, 0.021), elastic)
    through = dem.Simulation(body, box, gravity=(0, 0, 0), time_step=1e-4, threads=1)
    through.step(70)
    assert through.contact_count == 0
    through.save(tmp_path / "between.h5")
    resumed = dem.Simulation.load(tmp_path / "between.h5")
    tables = []
    for k, sim in enumerate([through, resumed]):
        sim.step(620)
        sim.save(tmp_path / f"{k}.h5")
        with h5py.File(tmp_path / f"{k}.h5") as file:
            tables.append(file["contacts/history"][()])
    assert tables[0].any()
    np.testing.assert_array_equal(*tables)
