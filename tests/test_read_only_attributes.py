"""Read-only attributes, and the `repr` of public objects."""

import re

import numpy as np
import pytest

import dem


@pytest.fixture
def ball_in_a_box(nylon, ball):
    return dem.Particles(ball, nylon, position=[[0.5, 0.5, 0.5]]), dem.Box((0, 0, 0), (1, 1, 1), nylon)


@pytest.fixture
def handled(ball_in_a_box, tmp_path):
    """One of each class that users handle and that is no tuple and not frozen."""
    soft, hard = dem.Simulation(*ball_in_a_box, time_step=1e-5), dem.HardSpheres(*ball_in_a_box)
    soft.run(1e-4, output=tmp_path / "run.h5", frames=1)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        things = (soft, hard, soft.particles, dem.Contacts(), run, run[0])
        yield {type(thing).__name__: thing for thing in things}


@pytest.mark.parametrize(
    ("kind", "name", "meant"),
    [
        ("Simulation", "gravty", "gravity"),
        ("Simulation", "start_enregy", "start_energy"),
        ("HardSpheres", "discription", "description"),
        ("HardSpheres", "particle", "particles"),
        ("Particles", "velocty", "velocity"),
        ("Contacts", "rul", "rule"),
        ("Trajectory", "postion", "position"),
        ("Frame", "weather", None),
    ],
)
@pytest.mark.few(2)
def test_a_misspelt_attribute_is_not_taken_in_silence(handled, kind, name, meant):
    said = f"{kind} has no attribute '{name}' to assign to" + (f": did you mean {meant}?" if meant else "")
    with pytest.raises(AttributeError, match=f"^{re.escape(said)}$"):
        setattr(handled[kind], name, 1.0)
    assert not hasattr(handled[kind], name)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("Simulation", "step"), ("Simulation", "time_step"), ("Simulation", "particles"), ("HardSpheres", "unit"),
        ("Particles", "mass"), ("Contacts", "rule"), ("Trajectory", "position"), ("Frame", "velocity"),
    ],
)  # fmt: skip
@pytest.mark.few(2)
def test_what_can_only_be_read_says_so(handled, kind, name):
    with pytest.raises(AttributeError, match=f"^{name} of {kind} can only be read$"):
        setattr(handled[kind], name, 1.0)


@pytest.mark.parametrize("name", ["strength", "strenght"])
def test_bonds_that_are_made_are_not_changed(name):
    bonds = dem.Bonds([(0, 1)], young=1e7, diameter=1e-3)
    with pytest.raises(AttributeError, match=f"^{name} of Bonds can only be read: make other ones with"):
        setattr(bonds, name, 1e5)
    assert not np.isfinite(bonds.strength).any()


def test_what_is_declared_can_be_assigned(handled):
    handled["Simulation"].description = {"of": "mine"}
    handled["Particles"].velocity = np.ones((1, 3))
    assert handled["Simulation"].description == {"of": "mine"}
    assert handled["Simulation"].particles.velocity.tolist() == [[1, 1, 1]]


def test_simulations_say_what_they_are(handled):
    assert repr(handled["Simulation"]) == "<Simulation: 1 particle, t = 0.0001 s after 10 steps of 1e-05 s>"
    assert repr(handled["HardSpheres"]) == "<HardSpheres: 1 particle, t = 0 s after 0 collisions>"
    assert repr(handled["Contacts"]) == "<Contacts: 0 pairs of materials, others by rule geometric>"


def odd_arguments(nylon, ball, run):
    rng = np.random.default_rng(1)
    fibre = dem.Fibre(diameter=0.01, aspect_ratio=3)
    box, sim = (lambda **faces: dem.Box((0, 0, 0), (1, 1, 1), nylon, **faces)), run.simulation
    return {
        "periodic is True, expected a list, such as ['x']": lambda: box(periodic=True),
        "periodic is 'z', expected a list, such as ['z']": lambda: box(periodic="z"),
        "open is None, expected a list, such as ['x-']": lambda: box(open=None),
        "cannot concatenate [True], expected a list of dem.Particles": lambda: dem.Particles.concatenate(True),
        "table of contacts is True, expected a mapping": lambda: dem.Contacts(True),
        "fields is True, expected a list, such as ['position']": lambda: sim.run(1e-4, fields=True),
        "there is no output for contacts: give": lambda: sim.run(1e-4, contacts=True),
        "there is no output for fields, float32, compression: give": lambda: sim.run(
            1e-4, fields=["position"], float32=True, compression="lzf"
        ),
        "table is 0.01, expected a list, such as ['time']": lambda: sim.run(1e-4, table=0.01),
        "fields is 'velocity', expected a list, such as ['velocity']": lambda: run.to_pandas("velocity"),
        "fields is 5, expected a list, such as ['position']": lambda: dem.export(run, "csv", fields=5),
        "time is None, expected a number": lambda: run.at(None),
        "duration is '1 s', expected a number [s]": lambda: sim.run("1 s"),
        "start is [1], expected a number": lambda: run.between([1], 2),
        "end is None, expected a number": lambda: run.between(0, None),
        "pitch is None, expected a number": lambda: dem.random_orientations((2, 2, 2), None, fibre, rng),
        "sites has shape (1,), expected (3,)": lambda: dem.random_orientations([2], 0.1, fibre, rng),
        "fibre is Sphere, expected dem.Fibre": lambda: dem.random_orientations((2, 2, 2), 0.1, ball, rng),
        "rng is int, expected a generator": lambda: dem.random_velocities(2, 0.5, 1),
        "number is 'x', expected a whole number": lambda: dem.random_velocities("x", 0.5, rng),
        "speed is -1 m/s, expected a finite number at least 0": lambda: dem.random_velocities(2, -1, rng),
    }


def test_odd_arguments_are_named(handled, nylon, ball):
    """Errors of Python or numpy about what they were used for would not say which one it was."""
    run = handled["Trajectory"]
    vars(run)["simulation"] = handled["Simulation"]
    for said, call in odd_arguments(nylon, ball, run).items():
        with pytest.raises((TypeError, ValueError), match=f"^{re.escape(said)}"):
            call()


def test_infinity_bounds_a_part_of_a_run(handled):
    run = handled["Trajectory"]
    assert len(run.between(-np.inf, np.inf)) == len(run) == 2


def test_warnings_point_at_the_line_that_asked(ball_in_a_box):
    sim = dem.Simulation(*ball_in_a_box, time_step=4e-5)
    with pytest.warns(dem.DemWarning, match="^coarse-time-step") as told:
        sim.run(4e-5)
    assert [warning.filename for warning in told] == [__file__]
