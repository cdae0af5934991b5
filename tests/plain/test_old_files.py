"""Checkpoints of version 0.2 open and resume; new files have the same names and types."""

from pathlib import Path

import h5py
import numpy as np
import pytest

import dem
from dem.files.checkpoints.serialization import from_recipe, recipe
from dem.model.particles.fields import carried_fields

OLD = Path(__file__).parents[1] / "data/version-0.2.h5"  # `poured` after STEPS steps, saved by version 0.2
STEPS = 202  # the laws of the fluid are evaluated at every fourth one
GLASS = dem.Material(young=5e6, poisson=0.3, density=2000.0, restitution=0.6, friction=0.5)


def poured():
    """Balls that rub, spin and are dragged: all arrays are in use that a step hands to the next one."""
    rng = np.random.default_rng(5)
    place = np.stack(np.meshgrid(*[np.arange(2)] * 3, indexing="ij"), -1).reshape(-1, 3)
    balls = dem.Particles(
        dem.Sphere(diameter=0.01), GLASS, position=0.0105 * place + (0.006, 0.006, 0.0051),
        velocity=rng.normal(0, 0.3, (8, 3)), angular_velocity=rng.normal(0, 20, (8, 3)),
    )  # fmt: skip
    box = dem.Box((0, 0, 0), (0.0225, 0.0225, 0.1), GLASS)
    water = dem.Fluid(density=1000.0, viscosity=1e-3, every=4)
    return dem.Simulation(balls, box, time_step=2e-5, fluid=water, threads=1)


def contents(path):
    """Name, type and shape of all arrays of a file."""
    found = {}
    with h5py.File(path, "r") as file:
        file.visititems(
            lambda name, thing: found.update({name: (thing.dtype, thing.shape)}) if hasattr(thing, "shape") else None
        )
    return found


def test_a_checkpoint_of_0_2_goes_on_like_a_run_of_today():
    old, new = dem.Simulation.load(OLD), poured()
    new.step(STEPS)
    assert old.step_count == STEPS
    assert old.contact_count == new.contact_count > 0
    for _ in range(2):  # at the checkpoint, and where steps have gone on from all that it holds
        for name in ("position", "velocity", "orientation", "angular_velocity"):
            theirs, ours = getattr(old.particles, name), getattr(new.particles, name)
            np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-11 * np.abs(ours).max(), err_msg=name)
        assert abs(old.energy_departure - new.energy_departure) < 1e-9 * new.energy().total
        assert abs(old.energy().dissipated - new.energy().dissipated) < 1e-9 * new.energy().dissipated
        old.step(50), new.step(50)


def test_files_have_the_same_names_as_those_of_0_2(tmp_path):
    new = poured()
    new.step(STEPS)
    new.save(tmp_path / "new.h5")
    ours, theirs = contents(tmp_path / "new.h5"), contents(OLD)
    for name in carried_fields(new.particles.fields):  # extensions may have registered some in this process
        del ours[f"particles/{name}"]
    del ours["start_momentum"]  # which files of 0.2 lack
    assert ours == theirs
    assert {"spin", "felt", "left", "velocity_ahead"} <= {name.split("/")[-1] for name in theirs}


@pytest.mark.parametrize("kind", [dem.Inserter, dem.Outlet])
def test_a_region_in_a_file_of_0_2_may_have_motion_which_it_does_not_follow(kind):
    """0.2 accepted options such as motion and servos of a region, which had no effect; today they are refused."""
    there = {"lower": (0.0, 0.0, 0.0), "upper": (1.0, 1.0, 1.0)}
    own = {"shape": dem.Sphere(diameter=0.01), "material": GLASS, "rate": 10.0} if kind is dem.Inserter else {}
    stored = recipe(kind(**own, region=dem.Block(**there)))
    stored["values"]["region"] = recipe(dem.Block(**there, motion=(dem.Motion(velocity=(0.0, 0.0, 0.1)),)))
    assert from_recipe(stored) == kind(**own, region=dem.Block(**there))
    with pytest.raises(ValueError, match="motion, which a region does not follow"):
        kind(**own, region=from_recipe(stored["values"]["region"]))
