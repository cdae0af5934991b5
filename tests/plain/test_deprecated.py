"""Names and values of 0.2 are still taken by programs, with a warning, and by files, without one."""

import json
import warnings

import h5py
import pytest

import dem
from dem.base.notices import DemDeprecationWarning
from dem.files.checkpoints import serialization

STEEL = dem.Material(young=5e6, poisson=0.3, density=1000.0, restitution=0.8, name="steel")
CASE = """
duration = 0.001
time_step = 1e-5
contact_damping = "{damping}"
materials.steel = {{ young = 5e6, poisson = 0.3, density = 1000 }}
shapes.ball = {{ type = "sphere", diameter = 0.01 }}
[[particles]]
shape = "ball"
material = "steel"
position = [[0, 0, 0.02]]
[[walls]]
type = "{wall}"
start = [-0.1, 0, 0]
end = [0.1, 0, 0]
radius = 0.01
material = "steel"
"""


@pytest.mark.parametrize(("old", "new"), dem.DEPRECATED.items())
def test_an_old_name_is_the_new_one_and_says_so_at_the_line_of_the_program(old, new):
    with pytest.warns(DemDeprecationWarning, match=rf"deprecated: dem\.{old} is dem\.{new} now") as seen:
        assert getattr(dem, old) is getattr(dem, new)
    assert seen[0].filename == __file__
    assert issubclass(seen[0].category, dem.DemWarning)
    assert issubclass(seen[0].category, DeprecationWarning)
    assert old not in dem.__all__
    assert old not in dir(dem)


def test_the_former_name_of_a_pressure_gradient():
    glass = dem.Material(young=7e7, poisson=0.22, density=2500.0)
    bead = dem.Particles(dem.Sphere(diameter=1e-3), glass, position=[[0, 0, 0]])
    cells = dem.Cells(number=(1, 1, 1), lower=(-0.005,) * 3, upper=(0.005,) * 3)
    water = dem.Fluid(density=1000.0, viscosity=1e-3, drag="di-felice", cells=cells)
    exchange = dem.Simulation(bead, fluid=water, time_step=1e-5).exchange()
    assert exchange.pressure_gradient[0, 0, 0].tolist() == pytest.approx([0, 0, -9810.0])  # ∇p = ρ g, at rest
    with pytest.warns(DemDeprecationWarning, match=r"Exchange\.pressing is -Exchange\.pressure_gradient now"):
        assert (exchange.pressing == -exchange.pressure_gradient).all()


@pytest.mark.parametrize(("old", "new"), [("together", "shared"), ("alone", "independent")])
def test_old_values_of_damped(old, new):
    with pytest.warns(DemDeprecationWarning, match=f'damped="{old}" is damped="{new}" now'):
        contacts = dem.Contacts(damped=old)
    assert contacts.damped == new
    with pytest.raises(ValueError, match="unknown damped 'both': known are shared, independent"):
        dem.Contacts(damped="both")


def test_case_files_with_old_words_mean_what_they_meant(tmp_path):
    """The wall keeps the name that it went by."""
    sims = {}
    for damping, wall in (("alone", "rod"), ("independent", "capsule")):
        path = tmp_path / f"{wall}.toml"
        path.write_text(CASE.format(damping=damping, wall=wall))
        sims[wall] = dem.load(path)
    assert {name: sim.walls[0].called for name, sim in sims.items()} == {"rod": "rod", "capsule": "capsule"}
    assert {type(sim.walls[0].wall) for sim in sims.values()} == {dem.CapsuleWall}
    assert {sim.contacts.damped for sim in sims.values()} == {"independent"}


def test_files_keep_the_words_of_0_2(tmp_path):
    """So that versions read each other's files; nothing warns."""
    lid = dem.Disc((0, 0, 0.05), (0, 0, -1), 0.05, material=STEEL, free=dem.RigidWall(mass=0.1))
    rod = dem.CapsuleWall((-0.1, 0, 0), (0.1, 0, 0), 0.01, material=STEEL)
    assert serialization.recipe(rod)["class"] == "dem.walls:Rod"
    assert serialization.recipe(lid)["values"]["free"]["class"] == "dem.walls:Free"
    ball = dem.Particles(dem.Sphere(diameter=0.01), STEEL, position=[[0, 0, 0.02]])
    contacts = dem.Contacts(damped="independent")
    sim = dem.Simulation(ball, walls=[rod, lid], contacts=contacts, time_step=1e-5, threads=1)
    sim.save(path := tmp_path / "state.h5")
    with h5py.File(path) as file:
        stored = [value for value in texts(file) if "damped" in value]
    assert [json.loads(value)["contacts"]["damped"] for value in stored] == ["alone"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = dem.Simulation.load(path)
    assert again.contacts.damped == "independent"
    assert [each.wall for each in again.walls] == [rod, lid]


def texts(file):
    """All strings in a file, in attributes and scalars."""
    found = []

    def look(name, thing):
        values = [*thing.attrs.values(), thing[()] if isinstance(thing, h5py.Dataset) and not thing.shape else ""]
        found.extend(value.decode() if isinstance(value, bytes) else str(value) for value in values)

    look("", file)
    file.visititems(look)
    return found
