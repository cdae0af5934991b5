"""Torques of contacts besides those of their forces: faces on faces, capsules side by side, rolling and twisting."""

import itertools

import h5py
import numpy as np
import pytest
from test_contact_measures import engine_loads

import dem
from dem import statistics

EDGE, DEPTH = 0.01, 2e-5
DIE = dem.Polyhedron(vertices=list(itertools.product([0.0, EDGE], repeat=3)), rounding=0.001)
CAPSULE = dem.Capsule(diameter=EDGE, aspect_ratio=3)
BALL = dem.Sphere(diameter=EDGE)
STUFF = {"young": 5e6, "poisson": 0.3, "density": 2500.0}
SMOOTH = dem.Material(**STUFF)
ROUGH = dem.Material(**STUFF, restitution=0.5, friction=0.5)
ROLLING = dem.Material(
    **STUFF, restitution=0.5, friction=0.5, rolling=dem.Rolling(friction=0.1), twisting=dem.Twisting()
)


def pair(shape, material, shift=(0.002, 0.003), spin=(0.0, 0.0, 0.0)):
    """A body on another one, which sinks in by DEPTH; the upper one is shifted aside and turns."""
    upper = (*shift, (EDGE**2 - (np.dot(shift, shift) if shape is BALL else 0.0)) ** 0.5 - DEPTH)
    both = dem.Particles(shape, material, position=[(0, 0, 0), upper], angular_velocity=[(0, 0, 0), spin])
    return dem.Simulation(both, gravity=(0, 0, 0), time_step=1e-6, integrator="splitting", threads=1)


def test_a_face_pushes_at_the_middle_of_the_common_face():
    """Two dice, face on face: all corners of the common rectangle sink in alike, so its middle carries the load."""
    sim = pair(DIE, SMOOTH)
    touch = sim.contact_forces()
    loads = statistics.body_loads(touch, 2)
    middle = np.array([0.001, 0.0015, EDGE / 2])
    np.testing.assert_allclose(loads.torque[0], np.cross(middle, loads.force[0]), atol=1e-12 * loads.force[1, 2])
    from_upper = middle - [0.002, 0.003, EDGE]
    np.testing.assert_allclose(loads.torque[1], np.cross(from_upper, loads.force[1]), atol=1e-12 * loads.force[1, 2])
    corner = 4 / 3 * SMOOTH.effective_modulus(SMOOTH) * (DIE.contact_radius / 2) ** 0.5 * DEPTH**1.5
    assert loads.force[1, 2] == pytest.approx(4 * corner, rel=1e-8)  # four contacts
    virial = statistics.stress(touch, 1.0).contact[2, 2]
    assert virial == pytest.approx(4 * corner * (EDGE - DEPTH), rel=1e-8)


def test_the_force_on_flat_capsules_is_at_the_middle_of_both_contacts():
    """Two side by side, one ahead by s, look the same after half a turn about s/2: no couple is left there."""
    touch = pair(CAPSULE, SMOOTH, shift=(0.002, 0.0)).contact_forces()
    assert touch.i.size == 1
    np.testing.assert_allclose(np.abs(touch.arm[0]), [0.001, 0, (EDGE - DEPTH) / 2], rtol=1e-9, atol=1e-15)
    assert np.abs(touch.couple).max() < 1e-12 * EDGE * np.abs(touch.force).max()


@pytest.mark.parametrize(
    ("shape", "material", "spin"),
    [
        (DIE, ROUGH, (0, 0, 30.0)), (DIE, ROUGH, (3.0, 2.0, 20.0)), (CAPSULE, ROUGH, (0, 0, 30.0)),
        (BALL, ROLLING, (30.0, 0, 20.0)), (DIE, ROLLING, (3.0, 2.0, 20.0)),
    ],
    ids=["die", "die aslant", "capsule", "ball", "die that rolls"],
)  # fmt: skip
def test_torques_of_a_pair_are_those_that_turn_it(shape, material, spin):
    """The engine sums torques contact by contact; a report has one row a pair. Both torques leave the spin as it is."""
    sim = pair(shape, material, shift=(0.002, 0.0) if shape is CAPSULE else (0.002, 0.003), spin=spin)
    sim.step(5)
    touch = sim.contact_forces()
    sim.particles.velocity = sim.particles.velocity
    sim.energy()  # forces of the state at the whole step
    own, engine, x = statistics.body_loads(touch, 2), engine_loads(sim), sim.particles.position
    largest = np.abs(engine.torque).max()
    np.testing.assert_allclose(own.force, engine.force, rtol=0, atol=1e-9 * np.abs(engine.force).max())
    np.testing.assert_allclose(own.torque, engine.torque, rtol=0, atol=1e-9 * largest)
    moment = own.torque.sum(0) + np.cross(x[1] - x[0], own.force[1])
    np.testing.assert_allclose(moment, 0, atol=1e-9 * largest)
    assert np.linalg.norm(touch.couple) > 0.01 * largest  # what the force at one point lacks


def test_a_wall_feels_the_couple_of_a_ball_that_twists_on_it():
    """As the engine sums it for the wall; the force at the point of contact has no torque about the normal there."""
    floor = dem.Plane((0, 0, 0), (0, 0, 1), material=ROLLING)
    ball = dem.Particles(BALL, ROLLING, position=[(0, 0, EDGE / 2 - DEPTH)], angular_velocity=[(0, 0, 50.0)])
    sim = dem.Simulation(ball, walls=[floor], gravity=(0, 0, 0), time_step=1e-6, threads=1)
    sim.step(5)
    touch = sim.contact_forces()
    sim.particles.velocity = sim.particles.velocity
    sim.energy()
    loads = statistics.wall_loads(touch)
    assert loads.torque[6, 2] > 0
    np.testing.assert_allclose(loads.torque[6], sim.walls[0].torque, rtol=0, atol=1e-9 * loads.torque[6, 2])


def test_files_keep_couples_where_there_may_be_any(tmp_path):
    for name, shape, material in (("die", DIE, ROUGH), ("ball", BALL, ROLLING), ("plain", BALL, ROUGH)):
        sim, path = pair(shape, material, spin=(3.0, 2.0, 20.0)), tmp_path / f"{name}.h5"
        sim.run(5e-6, output=path, frames=1, contacts=True)
        now = sim.contact_forces()
        with dem.Trajectory(path) as run:
            then, table = run[-1].contact_forces(), run.contacts(-1)
        if name == "plain":
            assert now.couple is then.couple is None
            assert "couple_x" not in table
            with h5py.File(path) as file:
                assert file["contacts/rows"].dtype.names[-1] == "branch"
        else:
            np.testing.assert_array_equal(then.couple, now.couple)
            np.testing.assert_array_equal(table[["couple_x", "couple_y", "couple_z"]], now.couple)
            assert np.abs(now.couple).max() > 0


def test_a_file_asks_for_contacts_once_a_frame(tmp_path, monkeypatch):
    """Whether the table of contacts has couples is known without any contact."""
    evaluate, calls = dem.Simulation.contact_forces, []

    def counted(sim):
        calls.append(sim.time)
        return evaluate(sim)

    monkeypatch.setattr(dem.Simulation, "contact_forces", counted)
    pair(CAPSULE, SMOOTH, shift=(0.002, 0.0)).run(2e-6, output=tmp_path / "run.h5", frames=2, contacts=True)
    assert calls == pytest.approx([0.0, 1e-6, 2e-6])
    with h5py.File(tmp_path / "run.h5") as file:
        assert file["contacts/rows"].dtype.names[-1] == "couple"
