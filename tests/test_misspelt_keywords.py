"""Misspelt keywords: the error suggests the right one, and nothing else changes."""

import inspect
import pickle

import pytest

import dem

MISSPELT = {
    "box": lambda: dem.Simulation(None, boxx=None),
    "restitution": lambda: dem.HardSpheres(None, restitutoin=0.9),
    "velocity": lambda: dem.Particles(None, None, veloctiy=0),
    "material": lambda: dem.Box((0, 0, 0), (1, 1, 1), materiel=None),
    "amplitude": lambda: dem.Motion(amplitud=(0, 0, 1)),
    "poisson": lambda: dem.Material(young=1.0, poison=0.3),
    "aspect_ratio": lambda: dem.Fibre(diameter=1.0, aspect_ration=3),
    "diameter": lambda: dem.Sphere(diametre=1.0),
    "radii": lambda: dem.Clump(offsets=[], radi=[]),
    "solid_fraction": lambda: dem.pack(None, None, solidfraction=0.1),
    "angular_velocity": lambda: dem.integrate_rotation("pcdm", angular_velocty=0),
    "overwrite": lambda: dem.export("run.h5", "csv", overwite=True),
    "duration": lambda: dem.resume("run.h5", durration=1),
    "number": lambda: dem.random_velocities(n=3, speed=1.0, rng=None),
    "sites": lambda: dem.random_orientations(shape=(2, 2, 2), pitch=1.0, fibre=None, rng=None),
    "output": lambda: dem.plots.movie(None, path="run.gif"),
    "checkpoint_every": lambda: dem.Simulation.run(None, 1.0, checkpoint_evry=1),
}


@pytest.mark.parametrize("meant", MISSPELT)
def test_the_nearest_keyword_is_named(meant):
    with pytest.raises(TypeError, match=rf"got an unexpected keyword argument '\w+'\. Did you mean '{meant}'\?$"):
        MISSPELT[meant]()


def test_what_is_near_to_nothing_is_told_as_it_was():
    with pytest.raises(TypeError, match=r"got an unexpected keyword argument 'qqq'$"):
        dem.Sphere(diameter=1.0, qqq=2)
    with pytest.raises(TypeError, match=r"missing 1 required keyword-only argument: 'diameter'$"):
        dem.Sphere()


def test_signatures_are_as_they_stand_in_the_code():
    assert list(inspect.signature(dem.Sphere).parameters) == ["diameter"]
    assert list(inspect.signature(dem.Simulation).parameters)[:2] == ["particles", "box"]
    assert str(inspect.signature(dem.Material)).startswith("(*, young: 'float', poisson: 'float', ")
    assert list(inspect.signature(dem.Simulation.run).parameters)[:2] == ["self", "duration"]
    assert dem.pack.__doc__.startswith("Particles at random places")
    assert pickle.loads(pickle.dumps(dem.pack)) is dem.pack
    assert pickle.loads(pickle.dumps(dem.Sphere(diameter=2.0))) == dem.Sphere(diameter=2.0)
