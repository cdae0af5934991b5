"""Contact history does not depend on neighbour lists, threads, parts of runs or restarts."""

import itertools

import numpy as np
import pytest
from dem.kernels.compiler.jit import most_threads
from sample_runs import random_quaternions

import dem

LOSSY = {
    "friction": {"restitution": 0.9, "friction": 0.4},
    "damped": {"restitution": 0.7},
}


def assert_same_bytes(one, two):
    for name in ("position", "velocity", "orientation", "angular_velocity"):
        np.testing.assert_array_equal(getattr(one.particles, name), getattr(two.particles, name), err_msg=name)
    assert one.energy() == two.energy()
    assert one.energy_error == two.energy_error
    for a, b in zip(sorted_memory(one), sorted_memory(two), strict=True):
        np.testing.assert_array_equal(a, b)


def sorted_memory(sim):
    """What contacts remember, in an order that does not depend on memory."""
    return sim._engine.history().ascending()[:3]


def material(kind, **changes):
    """Nylon of a kind of contact, or one that is told."""
    return dem.Material(
        **{
            "young": 5e7,
            "poisson": 0.35,
            "density": 1100.0,
            **(LOSSY[kind] if isinstance(kind, str) else kind),
            **changes,
        }
    )


def crowd(name, kind, n=600, steps=1500, **options):
    """Particles in a heap under strong gravity: contacts that last, slide and stick."""
    rng = np.random.default_rng(4)
    own, other = material(kind), material(kind, young=2e7, poisson=0.2)
    edge = round(n ** (1 / 3) + 0.5)
    grid = np.stack(np.meshgrid(*[np.arange(edge)] * 3), -1).reshape(-1, 3)[:n]
    shapes, pitch = {
        "spheres": ([dem.Sphere(diameter=0.01)], 0.0104),
        "sizes": ([dem.Sphere(diameter=0.01), dem.Sphere(diameter=0.006)], 0.0104),
        "fibres": ([dem.Fibre(diameter=0.005, aspect_ratio=2, spheres=3)], 0.0104),
        "mixture": ([dem.Fibre(diameter=0.005, aspect_ratio=2), dem.Sphere(diameter=0.009)], 0.0104),
    }[name]
    groups = [
        dem.Particles(
            shape, own if k == 0 else other, position=(grid[k :: len(shapes)] + 0.5) * pitch,
            orientation=random_quaternions(rng, len(grid[k :: len(shapes)])),
            velocity=rng.normal(0, 0.3, (len(grid[k :: len(shapes)]), 3)),
            angular_velocity=rng.normal(0, 30, (len(grid[k :: len(shapes)]), 3)),
        )
        for k, shape in enumerate(shapes)
    ]  # fmt: skip
    box = dem.Box((0, 0, 0), (edge * pitch,) * 3, material=other)
    options = {"gravity": (0, 0, -300), "time_step": 1e-5, **options}
    sim = dem.Simulation(dem.Particles.concatenate(groups), box, **options)
    sim.step(steps)
    return sim


@pytest.mark.parametrize("kind", LOSSY)
@pytest.mark.parametrize("name", ["spheres", "sizes", "fibres", "mixture"])
@pytest.mark.few(1, long=2)
def test_the_skin_does_not_show(name, kind):
    one = crowd(name, kind)
    other = crowd(name, kind, _skin=(0.0006, 0.0001))
    touching = sorted_memory(one)[0].size
    assert touching > 100 or kind == "damped"
    assert one.energy().dissipated > 0
    assert one.verdict().energy_error < 0.01
    assert_same_bytes(one, other)


def test_a_ball_that_leaves_a_face_by_more_than_the_skin_in_a_step_forgets_it():
    """It bounces under strong gravity: the next contact begins without a spring."""
    steel, sims = material("friction"), []
    for skin in (None, (1e-3, 1e-7)):
        ball = dem.Particles(
            dem.Sphere(diameter=0.01), steel, position=[[0.05, 0.05, 0.0051]], velocity=[[0.5, 0, -1.0]]
        )
        box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), steel)
        sims.append(dem.Simulation(ball, box, gravity=(0, 0, -300), time_step=5e-6, threads=1, _skin=skin))
        sims[-1].step(2400)
        assert abs(sims[-1].particles.angular_velocity[0]).max() > 10
    assert_same_bytes(*sims)


@pytest.mark.skipif(most_threads() < 2, reason="one core")
@pytest.mark.parametrize("kind", [pytest.param("damped", marks=pytest.mark.slow), "friction"])
@pytest.mark.parametrize("name", ["sizes", *(pytest.param(n, marks=pytest.mark.slow) for n in ("spheres", "mixture"))])
@pytest.mark.few(1)
def test_the_number_of_threads_does_not_show(name, kind):
    one, two = (crowd(name, kind, n=5000, steps=300, threads=threads) for threads in (1, 2))
    assert type(one._engine.mode) is not type(two._engine.mode)
    assert_same_bytes(one, two)


@pytest.mark.parametrize("name", ["spheres", "mixture"])
def test_how_a_run_is_cut_does_not_show(name):
    whole = crowd(name, "friction", steps=900)
    cut = crowd(name, "friction", steps=1)
    for steps in (1, 7, 91, 800):
        cut.step(steps)
        cut.energy()
    assert_same_bytes(whole, cut)


def test_a_list_made_anew_at_any_step_does_not_show():
    whole = crowd("mixture", "friction", steps=600)
    often = crowd("mixture", "friction", steps=500)
    for _ in range(50):
        often.step(2)
        often._engine.rebuild()
    assert_same_bytes(whole, often)


ROW = (2, 0, 3, 1)  # numbers of the bodies in a row


def pressed(shape):
    """Four bodies in a row between two walls, all slightly pressed, that set out across it: contacts that stick."""
    own = material("friction", friction=2.0)
    place = 0.00999 * (np.array(ROW).argsort() + 0.5)
    particles = dem.Particles(shape, own, position=np.column_stack([place, place * 0 + 0.1, place * 0 + 0.1]),
                              velocity=[[0, 0.02, 0], [0, -0.03, 0.02], [0, 0, -0.04], [0, 0.01, 0]])  # fmt: skip
    box = dem.Box((0, 0, 0), (0.03996, 0.2, 0.2), material=own)
    skin = (3e-3, 5e-4)  # as for many bodies, so that lists sort them: so few are in one cell otherwise
    return dem.Simulation(particles, box, gravity=(0, 0, 0), time_step=5e-6, threads=1, _skin=skin)


@pytest.mark.parametrize("name", ["spheres", "fibres"])
def test_a_list_made_anew_after_every_step_forgets_nothing(name):
    """Springs are handed on by number when bodies are listed, and by pair when candidates are picked."""
    shape = {
        "spheres": dem.Sphere(diameter=0.01),
        "fibres": dem.Fibre(diameter=0.008, aspect_ratio=1.25, spheres=2),
    }[name]
    sims = {way: pressed(shape) for way in ("left alone", "listed", "picked")}
    for way, sim in sims.items():
        for _ in range(60):
            sim.step(1)
            if way == "listed":
                sim._engine.rebuild()
            elif way == "picked":
                sim._engine.run_state.displacement_since_pick[0] = 1.0  # so far that candidates are not good any more
    number, partner, history = sorted_memory(sims["left alone"])
    n = len(shape.radii)  # spheres a body, numbered from left to right
    touching = [(n * left + n - 1, n * right) for left, right in itertools.pairwise(ROW)]
    walls = [(n * ROW[0], -1), (n * ROW[-1] + n - 1, -2)]
    assert {tuple(sorted(pair)) for pair in zip(number, partner, strict=True)} == {
        tuple(sorted(pair)) for pair in touching + walls
    }
    assert (np.linalg.norm(history[:, :3], axis=1) > 0).all()
    for way in ("listed", "picked"):
        assert_same_bytes(sims["left alone"], sims[way])


@pytest.mark.slow
def test_room_that_runs_out_loses_no_memory(monkeypatch):
    monkeypatch.setattr("dem.soft.arrays.ROOM", 1.0)
    tight = crowd("mixture", "friction")
    monkeypatch.undo()
    assert_same_bytes(tight, crowd("mixture", "friction"))


@pytest.mark.parametrize("kind", LOSSY)
@pytest.mark.parametrize("name", ["spheres", "mixture"])
@pytest.mark.few(1, long=2)
def test_saved_and_loaded_goes_on_to_the_last_bit(name, kind, tmp_path):
    whole = crowd(name, kind, steps=900)
    part = crowd(name, kind, steps=500)
    part.save(tmp_path / "state.h5")
    part.step(100)  # what the first one does later does not matter
    loaded = dem.Simulation.load(tmp_path / "state.h5")
    loaded.step(400)
    assert_same_bytes(whole, loaded)
    assert loaded.verdict() == whole.verdict()


@pytest.mark.slow
def test_a_shaken_rough_periodic_box_goes_on_to_the_last_bit(tmp_path):
    grains = material("friction")
    grid = (np.stack(np.meshgrid(*[np.arange(4)] * 3), -1).reshape(-1, 3) + 0.5) * 0.0104
    box = dem.Box(
        (0, 0, 0), (0.0416, 0.0416, 0.06), grains, periodic=["x", "y"], roughness=0.1, seed=3,
        motion={"z-": dem.Motion(amplitude=(0, 0, 1e-3), frequency=40)},
    )  # fmt: skip
    velocity = np.random.default_rng(8).normal(0, 0.3, (64, 3))
    rows = (
        np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1.0]])
        @ np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    )
    clumps = (
        dem.Clump(offsets=[[0, 0, 0], [0.003, 0.001, 0]], radii=[0.003, 0.002]),
        dem.Clump(offsets=0.0015 * rows, radii=[0.002] * 4),
    )
    shapes = [dem.Sphere(diameter=0.01), clumps[0], dem.Sphere(diameter=0.009), clumps[1]] * 16
    sims = [dem.Simulation(dem.Particles(shapes, grains, position=grid, velocity=velocity), box, time_step=1e-5)
            for _ in range(2)]  # fmt: skip
    sims[0].step(4000)
    sims[1].step(2500)
    sims[1].save(tmp_path / "state.h5")
    loaded = dem.Simulation.load(tmp_path / "state.h5")
    loaded.step(1500)
    assert_same_bytes(sims[0], loaded)
    np.testing.assert_array_equal(loaded._engine.history().wall_contacts, sims[0]._engine.history().wall_contacts)


def test_a_failed_save_leaves_the_old_one(tmp_path, monkeypatch):
    sim = crowd("spheres", "friction", n=8, steps=10)
    path = tmp_path / "state.h5"
    sim.save(path)
    before = path.read_bytes()

    def fail(*_):
        message = "no space left on device"
        raise OSError(message)

    monkeypatch.setattr("dem.soft.checkpoint.write", fail)
    with pytest.raises(OSError, match=r"checkpoint .* cannot be written: no space left"):
        sim.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["state.h5"]
    with pytest.raises(OSError, match=r"checkpoint .*a\.h5 cannot be written: there is no folder .*no$"):
        sim.save(tmp_path / "no" / "a.h5")
    (tmp_path / "other.h5").write_bytes(before[:1000])
    with pytest.raises(ValueError, match="no complete checkpoint"):
        dem.Simulation.load(tmp_path / "other.h5")
    with pytest.raises(FileNotFoundError, match="does not exist"):
        dem.Simulation.load(tmp_path / "none.h5")


@pytest.mark.parametrize("read", [dem.Simulation.load, dem.repair, dem.resume, dem.rerun, dem.Trajectory])
def test_a_folder_in_place_of_a_file_is_named(read, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"\. is a folder$"):
        read(".")


def test_saving_counts_what_was_assigned(tmp_path):
    sim = crowd("spheres", "friction", n=8, steps=10)
    sim.particles.velocity = np.full((8, 3), 0.125)
    sim.save(tmp_path / "state.h5")
    np.testing.assert_array_equal(dem.Simulation.load(tmp_path / "state.h5").particles.velocity, 0.125)
