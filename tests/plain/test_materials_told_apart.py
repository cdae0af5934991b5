"""Materials are told apart by their names, never by their numbers alone."""

import json
import pickle

import h5py
import numpy as np
import pytest

import dem

PLACES = [[0.01, 0.01, 0.01], [0.01399, 0.01, 0.01], [0.01, 0.02, 0.01], [0.01399, 0.02, 0.01], [0.02, 0.01, 0.01]]
STICKY, LOOSE = dem.Contact(adhesion=dem.DMT(work=1.0)), dem.Contact(adhesion=dem.DMT(work=0.0))
STEEL = dem.Material(young=2e7, poisson=0.3, name="steel")


def grain(name=""):
    return dem.Material(young=1e7, poisson=0.3, density=2500.0, name=name)


def beads(materials, places=PLACES):
    ball = dem.Sphere(diameter=0.004)
    groups = [dem.Particles(ball, m, position=[x]) for m, x in zip(materials, places, strict=False)]
    return dem.Particles.concatenate(groups)


def made(particles, table, wall=STEEL):
    box = dem.Box((0, 0, 0), (0.03, 0.03, 0.03), wall)
    return dem.Simulation(particles, box, time_step=1e-6, gravity=(0, 0, 0), contacts=dem.Contacts(table), threads=1)


def attracted(sim):
    """Pairs that pull: overlaps of 0.01 mm of a pull of 2π w R* = 6 mN against 7 mN of Hertz's force."""
    forces = sim.contact_forces()
    return {(int(i), int(j)) for i, j, f in zip(forces.i, forces.j, forces.force, strict=True) if abs(f[0]) < 0.004}


def test_species_of_equal_numbers_meet_as_their_pair_says(tmp_path):
    """Red-red at the bottom, red-blue at the top: only the unlike pair pulls, also after a restart."""
    red, blue = grain("red"), grain("blue")
    table = {(red, blue): STICKY, (red, red): LOOSE, (blue, blue): LOOSE}
    sim = made(beads([red, red, red, blue]), table)
    assert len(dem.Contacts(table)._table) == 3
    assert attracted(sim) == {(2, 3)}
    sim.save(tmp_path / "state.h5")
    again = dem.Simulation.load(tmp_path / "state.h5")
    assert attracted(again) == {(2, 3)}
    assert {frozenset((a.name, b.name)): c for a, b, c in again.contacts} == {
        frozenset(("red", "blue")): STICKY, frozenset(("red",)): LOOSE, frozenset(("blue",)): LOOSE,
    }  # fmt: skip


def test_a_file_of_0_2_goes_on_as_it_was_written(tmp_path):
    """Its entries were for all materials of equal numbers, and one of them stood for all."""
    red, blue = grain("red"), grain("blue")
    made(beads([red, red, red, blue]), {(red, red): STICKY}).save(tmp_path / "state.h5")
    with h5py.File(tmp_path / "state.h5", "r+") as file:
        inputs = []
        file.visit(lambda name: inputs.append(name) if name.split("/")[-1] == "input" else None)
        (name,) = inputs
        given = json.loads(file[name].asstr()[()])
        assert given["contacts"].pop("materials") == "by name"
        del file[name]
        file[name] = json.dumps(given)
    assert attracted(dem.Simulation.load(tmp_path / "state.h5")) == {(0, 1), (2, 3)}


def test_pairs_that_nothing_tells_apart_are_refused():
    """The second table is a dict with one entry, for its two keys are equal: seen by what the run is made of."""
    one, other = grain(), grain()
    message = "nothing tells apart.*give each a name"
    with pytest.raises(ValueError, match=message):
        made(beads([one, other]), {(one, other): STICKY})
    with pytest.raises(ValueError, match=message):
        made(beads([one, other]), {(STEEL, one): STICKY, (STEEL, other): LOOSE})
    with pytest.raises(ValueError, match=message):
        made(beads([one]), {(one, one): STICKY}, wall=other)
    assert len(list(dem.Contacts({(grain("glass"), grain("glass")): STICKY}))) == 1  # the name tells that it is one


def test_materials_made_twice_are_one_where_no_pair_tells_them_apart():
    """Same state to the bit as with one object; entries for what was made anew are for both."""
    one, runs = grain(), []
    for materials, key in (([one] * 5, one), ([grain() for _ in range(5)], grain())):
        sim = made(beads(materials), {(key, STEEL): STICKY, (key, key): STICKY})
        sim.step(20)
        assert len(sim.particles.kinds) == 1
        assert pickle.loads(pickle.dumps(sim.particles)).materials == sim.particles.materials
        runs.append(sim.particles.velocity.tobytes())
    assert runs[0] == runs[1]
    assert np.any(np.frombuffer(runs[0]))


CASE = """
duration = "1 ms"
time_step = "auto"
materials.red = { young = "10 MPa", poisson = 0.3 }
materials.blue = { young = "10 MPa", poisson = 0.3 }
shapes.bead = { type = "sphere", diameter = "4 mm" }
box = { upper = ["3 cm", "3 cm", "3 cm"], material = "blue" }
particles = [{ shape = "bead", material = "red", position = [[0.01, 0.01, 0.01]] }]
"""


@pytest.mark.parametrize("second", ['["red", "blue"]', '["blue", "red"]'])
def test_a_case_file_names_a_pair_once(tmp_path, second):
    path = tmp_path / "twice.toml"
    entries = "[[contacts]]\nmaterials = {}\nfriction = {}\n"
    path.write_text(CASE + entries.format('["red", "blue"]', 0.9) + entries.format('["red", "red"]', 0.1))
    sim = dem.load(path)
    red, blue = sim.particles.kinds[0].material, sim.box.material
    assert (sim.contacts.between(red, blue).friction, sim.contacts.between(red, red).friction) == (0.9, 0.1)
    path.write_text(CASE + entries.format('["red", "blue"]', 0.9) + entries.format(second, 0.1))
    with pytest.raises(ValueError, match=r"contacts: entries 0 and 1 are both for .*leave one out"):
        dem.load(path)
