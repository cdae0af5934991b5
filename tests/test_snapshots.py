"""One table of the fields of bodies, snapshots that resume to the same bytes, identities that are no indices."""

import numpy as np
import pytest
from dem.kernels.soft.chunks import Serial, Threaded
from dem.kernels.soft.state import Bodies
from test_contact_history import LOSSY, crowd

import dem
from dem.event_driven.engine import PARTS, HardState
from dem.soft import per_body
from dem.soft.contact.overlaps import Overlaps
from dem.soft.per_body import KEPT, MOVING, PER_BODY, Numbering

SKIN = (0.0006, 0.0001)
KINDS = {"elastic": {"restitution": 1.0, "friction": 0.0}, "friction": LOSSY["friction"]}


def busy(name, kind, monkeypatch, steps=300, **options):
    """A crowd in contact; lists wear out every few steps."""
    monkeypatch.setitem(LOSSY, kind, KINDS[kind])
    return crowd(name, kind, n=40, steps=steps, threads=1, gravity=(0, 0, -1500), **{"_skin": SKIN, **options})


def test_every_array_of_bodies_is_in_the_table():
    assert list(PER_BODY) == list(Bodies._fields)


@pytest.mark.parametrize("name", ["spheres", "mixture"])
def test_the_table_says_where_bodies_lie(name, monkeypatch):
    engine = busy(name, "friction", monkeypatch, steps=0)._engine
    for array, values in engine.bodies._asdict().items():
        axis = PER_BODY[array].axis
        if axis is not None and values.size:
            assert values.shape[axis] == 40 == values.size // (1 if axis == 0 else len(values)), array
        assert (axis is not None) == PER_BODY[array].moves, array  # what moves with bodies has a column for each


@pytest.mark.parametrize("mode", [Serial(), Threaded()])
@pytest.mark.parametrize("name", ["spheres", "mixture"])
def test_all_that_moves_goes_where_its_body_goes(name, mode, monkeypatch, rng):
    engine = busy(name, "friction", monkeypatch, steps=3)._engine
    before = {array: values.copy() for array, values in engine.bodies._asdict().items()}
    order = rng.permutation(40).astype(np.int32)
    per_body.reorder(mode, order, engine.bodies, engine.workspace.scratch)
    for array, values in engine.bodies._asdict().items():
        moved = array in MOVING or (array == "sphere_position" and name == "spheres")  # then it is `position` itself
        expected = before[array][..., order] if moved and values.size else before[array]
        np.testing.assert_array_equal(values, expected, err_msg=array)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["spheres", "fibres", "mixture"])
@pytest.mark.few(2)
def test_an_engine_that_is_put_back_goes_on_to_the_same_bytes(name, kind, monkeypatch):
    sim = busy(name, kind, monkeypatch)
    engine = sim._engine
    assert not np.array_equal(engine.bodies.identity, np.arange(40))  # lists have been made, bodies have moved
    before = engine.snapshot()
    assert (before.contacts.i.size > 1) == (kind == "friction")
    sim.step(100)
    first, energy = engine.snapshot(), sim.energy()
    engine.restore(before)
    assert sim.step_count == 300
    sim.step(60)
    engine.rebuild()
    sim.step(40)
    again = engine.snapshot()
    for part in ("bodies", "run_state"):
        for array, values in getattr(first, part).items():
            if array != "displacement_since_pick":  # since the candidates were picked
                assert values.tobytes() == getattr(again, part)[array].tobytes(), array
    for one, other in zip(first.contacts, again.contacts, strict=True):
        assert one.tobytes() == other.tobytes()
    assert sim.energy() == energy


def test_a_snapshot_owes_nothing_to_where_bodies_lie(monkeypatch):
    """Bodies, contacts and their memory come in the user's order, whichever skin decides on the cells."""
    sims = [busy("mixture", "friction", monkeypatch, _skin=skin) for skin in (SKIN, (0.003, 0.0004))]
    one, other = (sim._engine.snapshot() for sim in sims)
    assert not np.array_equal(*(sim._engine.bodies.identity for sim in sims))
    for array in KEPT:
        assert one.bodies[array].tobytes() == other.bodies[array].tobytes(), array
    for a, b in zip(one.contacts, other.contacts, strict=True):
        assert a.tobytes() == b.tobytes()
    order = np.lexsort((one.contacts.j, one.contacts.i))
    np.testing.assert_array_equal(order, np.arange(one.contacts.i.size))


def test_hard_spheres_that_are_put_back_go_on_to_the_same_bytes():
    sim = dem.cases()["hard-spheres"](n=30).simulation()
    sim.run(0.05, frames=1)
    before = sim._engine.snapshot()
    sim.run(0.05, frames=1)
    first = sim._engine.snapshot()
    sim._engine.restore(before)
    sim.run(0.05, frames=1)
    again = sim._engine.snapshot()
    assert set(HardState._fields) == {*PARTS, "time"}
    for part in PARTS:
        for name, values in getattr(first, part).items():
            assert values.tobytes() == getattr(again, part)[name].tobytes(), (part, name)
    assert again.time == first.time > before.time


def test_identities_may_have_gaps(rng):
    identities = np.sort(rng.choice(10_000, 50, replace=False))
    rng.shuffle(identities)  # rows need not be in their order
    numbering = Numbering(identities)
    slots = rng.permutation(50)
    np.testing.assert_array_equal(numbering.rows(identities[slots]), slots)
    assert numbering.rows(identities[slots][3]) == slots[3]
    values = rng.normal(size=(3, 50))
    np.testing.assert_array_equal(numbering.by_row(identities[slots], values[:, slots]), values)
    np.testing.assert_array_equal(Numbering(np.arange(50)).rows(slots), slots)


@pytest.mark.parametrize("kind", KINDS)
def test_an_engine_with_gaps_in_its_identities_does_the_same(kind, monkeypatch):
    """Snapshots, history and overlaps go by rows and name identities; new lists and restored states as well."""
    one, other = (busy("mixture", kind, monkeypatch, steps=60) for _ in range(2))
    identities = 3 * np.arange(40) + 5
    engine = other._engine
    engine.bodies.identity[:] = identities[engine.bodies.identity]
    engine.numbering = Numbering(identities)
    engine.rebuild()
    for sim in (one, other):
        sim._engine.advance(160)
    expected = one._engine.snapshot()
    for _ in range(2):
        found = engine.snapshot()
        for array in KEPT:
            assert found.bodies[array].tobytes() == expected.bodies[array].tobytes(), array
        for a, b in zip(found.contacts, expected.contacts, strict=True):
            assert a.tobytes() == b.tobytes()
        engine.restore(found)
    deep, same = one._engine.overlaps(), engine.overlaps()
    assert identities[deep.owner[deep.deepest().sphere]] == same.owner[same.deepest().sphere]
    np.testing.assert_array_equal(engine.sphere_centres(), one.sphere_centres())


def test_of_equal_overlaps_that_of_the_lowest_identity_is_named():
    owner, radius = np.array([7, 2, 5, 9]), np.ones(4)
    nothing = np.full(4, -1.0)
    pairs = {"i": np.array([3, 0, 1]), "j": np.array([0, 2, 2])}
    overlaps = Overlaps(owner, radius, **pairs, pair=np.full(3, 0.25), wall=nothing, face=np.zeros(4, int), count=3)
    assert tuple(overlaps.deepest()) == (0.25, 0.25, 1, 2)
    on_walls = overlaps._replace(wall=np.array([0.5, 0.2, 0.5, 0.5]), face=np.array([4, 4, 2, 0]))
    assert tuple(on_walls.deepest()) == (0.5, 0.5, 2, -3)


def test_a_run_of_hard_spheres_is_made_longer_by_less_than_a_second(tmp_path):
    """What is added is in seconds, and its frames are no share of them."""
    sim = dem.cases()["hard-spheres"](n=20).simulation()
    sim.run(0.02, output=tmp_path / "a.h5", frames=2)
    dem.resume(tmp_path / "a.h5", duration=0.04)
    with dem.Trajectory(tmp_path / "a.h5") as run:
        np.testing.assert_allclose(run.time, [0, 0.01, 0.02, 0.03, 0.04], atol=1e-15)
