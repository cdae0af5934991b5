"""A field of one's own, registered by one call, goes wherever particles and their files go."""

import h5py
import numpy as np
import pytest
from dem.kernels.compiler import jit

import dem
from dem.model.particles.fields import carried_fields
from dem.model.particles.particles import unregister_field
from dem.plots.scene import colour_limits, quantity
from dem.ranks.domain_decomposition import AtRandom
from dem.ranks.threads import in_one_process
from dem.soft import simulation  # noqa: F401, all who know of chunks are to be there
from dem.soft.per_body import rows_of
from dem.soft.subdomain.subdomain import Subdomain
from dem.viewer.page import constant_data, frame_block

STICKY = dem.Material(young=5e6, poisson=0.3, density=2000.0, restitution=0.6, friction=0.5)
D, AMBIENT = 0.01, 293.15
pytestmark = [
    pytest.mark.skipif(not jit.numba.config.DISABLE_JIT, reason="runs by the interpreter: it changes CHUNK"),
    pytest.mark.usefixtures("small_chunks"),
]
SHAPES = {"spheres": dem.Sphere(diameter=D), "fibres": dem.Fibre(diameter=0.7 * D, aspect_ratio=2)}


@pytest.fixture(autouse=True)
def moisture():
    """The whole extension."""
    dem.register_field("moisture", "kg/m3", default=AMBIENT)
    yield
    unregister_field("moisture")


def cloud(shape="spheres", number=36, **more):
    """A gas in a box that lists anew every few steps; particles are numbered against the order of their places."""
    rng = np.random.default_rng(3)
    k = int(np.ceil(number ** (1 / 3)))
    places = np.stack(np.meshgrid(*[np.arange(k)] * 3, indexing="ij"), -1).reshape(-1, 3)[:number][::-1] + 0.5
    made = dem.Particles(
        SHAPES[shape], STICKY, position=1.6 * D * places, velocity=rng.normal(0, 0.6, (number, 3)),
        angular_velocity=rng.normal(0, 20, (number, 3)), **({"moisture": 300.0 + np.arange(number)} | more),
    )  # fmt: skip
    box = dem.Box((0, 0, 0), (1.6 * D * k,) * 3, STICKY)
    return dem.Simulation(made, box, time_step=2e-5, threads=1, _skin=(0.06 * D, 0.02 * D))


def row():
    """Row of the arrays of registered fields: other extensions may have registered some."""
    fields = dem.Particles(SHAPES["spheres"], STICKY, position=[[0, 0, 0]]).fields
    return rows_of(carried_fields(fields))["moisture"].start


def test_particles_have_it():
    place, ball = [[0, 0, 0], [1, 0, 0], [2, 0, 0]], SHAPES["spheres"]
    balls = dem.Particles(ball, STICKY, position=place)
    assert balls.moisture.tolist() == [AMBIENT] * 3
    balls.moisture = [1.0, 2.0, 3.0]
    assert balls.copy().only(np.array([2, 0])).moisture.tolist() == [3.0, 1.0]
    balls.moisture = 400
    warm = dem.Particles(ball, STICKY, position=place, moisture=350.0)
    assert dem.Particles.concatenate([warm, balls]).moisture.tolist() == [350.0] * 3 + [400.0] * 3
    with pytest.raises(ValueError, match=r"moisture has shape \(2,\)"):
        balls.moisture = [1.0, 2.0]
    with pytest.raises(ValueError, match="moisture"):
        balls.moisture = [1.0, np.nan, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        balls.moisture[0] = 1.0
    with pytest.raises(AttributeError, match="did you mean moisture"):
        balls.moistur = 1.0


def test_it_moves_with_its_body_and_changes_nothing_else():
    sim, plain = cloud(), cloud(moisture=AMBIENT)
    sim.step(80), plain.step(80)
    assert (sim._engine.bodies.identity != np.arange(36)).any()  # they lie in memory by cells
    assert sim.particles.moisture.tolist() == (300.0 + np.arange(36)).tolist()
    assert sim.particles.position.tobytes() == plain.particles.position.tobytes()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("by_kernels", [True, False])
@pytest.mark.few(1, long=2)
def test_ranks_hand_it_on_and_ghosts_have_it(shape, by_kernels):
    """Ghosts have the right value when they are listed, and after it was changed where their body is."""
    alone = cloud(shape)
    alone.step(60)
    with in_one_process(3, owners=AtRandom, by_kernels=by_kernels):
        sim = cloud(shape)
        sim.step(40)
        own = sim._engine.subdomains.remote.own
        b, low, ghosts = own.bodies, own.low, own.ghosts
        assert 0 < ghosts < 36
        assert (b.fields[row(), :ghosts] == 300.0 + b.identity[:ghosts]).all()
        assert (b.fields[row(), low:] == 300.0 + b.identity[low:]).all()
        sim.step(20)
        assert own.load.arrived > 36  # bodies went from rank to rank
        assert sim.particles.moisture.tolist() == (300.0 + np.arange(36)).tolist()
        for name in ("position", "velocity", "orientation", "angular_velocity"):
            assert getattr(sim.particles, name).tobytes() == getattr(alone.particles, name).tobytes(), name


@pytest.mark.parametrize("shape", SHAPES)
def test_ghosts_hear_of_it_at_every_step(shape):
    """What has changed on the rank of a body is what its ghosts have after the next step."""
    began = Subdomain._set_up_halo_exchange

    def heated(share, wanted, found):
        began(share, wanted, found)
        share.bodies.fields[row(), share.low :] += 1000.0  # since ghosts were listed

    heard = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Subdomain, "_set_up_halo_exchange", heated)
        with in_one_process(2, owners=AtRandom):
            sim = cloud(shape)
            sim.step(1)
            own = sim._engine.subdomains.remote.own
            heard = own.bodies.fields[row(), : own.ghosts] - own.bodies.identity[: own.ghosts]
            lists = own.load.rebuilt
    assert lists == 1
    assert len(heard) > 0
    assert (heard == 1300.0).all()


def test_it_goes_through_checkpoints_and_resumed_runs(tmp_path):
    sim = cloud()
    sim.step(50)
    sim.save(tmp_path / "state.h5")
    loaded = dem.Simulation.load(tmp_path / "state.h5")
    assert loaded.particles.moisture.tolist() == sim.particles.moisture.tolist()
    loaded.step(50), sim.step(50)
    assert loaded.particles.moisture.tolist() == (300.0 + np.arange(36)).tolist()
    assert loaded.particles.position.tobytes() == sim.particles.position.tobytes()
    unregister_field("moisture")
    try:
        with pytest.raises(ValueError, match=r"has the field moisture, .* dem\.register_field, .* group dem\.fields"):
            dem.Simulation.load(tmp_path / "state.h5")
        cloud_without = dem.Particles(SHAPES["spheres"], STICKY, position=[[0, 0, 0]])
        plain = dem.Simulation(cloud_without, time_step=2e-5)
        plain.save(tmp_path / "plain.h5")
    finally:
        dem.register_field("moisture", "kg/m3", default=AMBIENT)
    assert dem.Simulation.load(tmp_path / "plain.h5").particles.moisture.tolist() == [AMBIENT]


def test_files_tables_and_exports_have_it(tmp_path):
    path, sim = tmp_path / "run.h5", cloud()
    sim.run(20 * sim.time_step, output=path, frames=2)
    with h5py.File(path) as file:
        assert file["particles/trajectory/moisture/value"].attrs["unit"] == "kg m-3"
    expected = (300.0 + np.arange(36)).tolist()
    with dem.Trajectory(path) as run:
        assert run.fields[-1] == "moisture"
        assert run.moisture[-1][:, 0].tolist() == run[-1].moisture[:, 0].tolist() == expected
        assert run.to_pandas()["moisture"].tolist() == expected * len(run)
        assert run.to_xarray()["moisture"][-1].values.tolist() == expected
        dem.export(run, "csv", tmp_path / "run.csv")
    heading, *rows = (tmp_path / "run.csv").read_text().splitlines()
    assert heading.split(",")[-1] == "moisture [kg/m3]"
    assert [float(row.split(",")[-1]) for row in rows[-36:]] == expected


def test_tables_of_case_files_place_particles_with_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hot.csv").write_text("x [m],y [m],z [m],moisture [kg/m3]\n0.1,0.1,0.1,310\n0.2,0.1,0.1,320\n")
    (tmp_path / "hot.toml").write_text(
        "time_step = 1e-5\nduration = 1e-3\nmaterials.sand = { young = 5e6, poisson = 0.3, density = 2000 }\n"
        'shapes.ball = { type = "sphere", diameter = 0.01 }\n'
        '[[particles]]\nshape = "ball"\nmaterial = "sand"\nfile = "hot.csv"\n'
    )
    assert dem.load("hot.toml").particles.moisture.tolist() == [310.0, 320.0]


def test_who_is_put_in_has_the_default(tmp_path):
    source = dem.Inserter(
        SHAPES["spheres"],
        STICKY,
        region=dem.Block((0.1, 0.1, 0.2), (0.2, 0.2, 0.22)),
        number=3,
        rate=1000,
        velocity=(0, 0, -1),
    )
    balls = dem.Particles(SHAPES["spheres"], STICKY, position=[[0.1, 0.1, 0.1]], moisture=500.0)
    sim = dem.Simulation(balls, dem.Box((0, 0, 0), (1, 1, 1), STICKY), inserters=[source], time_step=1e-4)
    sim.step(300)
    assert sim.particles.moisture.tolist() == [500.0] + [AMBIENT] * 3
    sim.add(dem.Particles(SHAPES["spheres"], STICKY, position=[[0.5, 0.5, 0.5]], moisture=[7.0]))
    sim.step(5)
    assert sim.particles.moisture.tolist() == [500.0, *[AMBIENT] * 3, 7.0]


def test_hard_spheres_keep_it():
    balls = dem.Particles(
        SHAPES["spheres"], STICKY, position=[[0.1, 0, 0], [0.2, 0, 0]], velocity=[[1, 0, 0], [0, 0, 0]]
    )
    balls.moisture = [1.0, 2.0]
    sim = dem.HardSpheres(balls, gravity=(0, 0, 0))
    sim.run(0.2)
    assert sim.particles.moisture.tolist() == [1.0, 2.0]


def test_vectors_have_three_columns():
    dem.register_field("magnetisation", "A/m", default=(0, 0, 1), to_ghosts=False)
    try:
        sim = cloud()
        sim.step(30)
        assert sim.particles.magnetisation.tolist() == [[0, 0, 1]] * 36
        assert sim.particles.moisture.tolist() == (300.0 + np.arange(36)).tolist()
    finally:
        unregister_field("magnetisation")


@pytest.mark.parametrize("name", ["mass", "moisture", "v_x", "axis", "two words", "for", "_own"])
def test_names_that_are_taken_are_refused(name):
    with pytest.raises(ValueError, match=f"name of a field is '{name}'"):
        dem.register_field(name, "1")


@pytest.mark.long
def test_pictures_and_the_browser_colour_by_it_where_nobody_has_registered_it(tmp_path):
    """The file tells its name and unit; values may be negative."""
    sim = cloud(number=8, moisture=np.arange(8.0) - 3)
    sim.run(1e-4, output=tmp_path / "run.h5", frames=1)
    unregister_field("moisture")
    try:
        with dem.Trajectory(tmp_path / "run.h5") as run:
            assert "moisture" not in run.fields
            assert run.scalars["moisture"] == "kg m-3"
            assert run.field("moisture")[-1].ravel().tolist() == (np.arange(8.0) - 3).tolist()
            assert colour_limits(run, [0, 1], "moisture") == (-3.0, 4.0)
            assert quantity(run, 1, "moisture").tolist() == (np.arange(8.0) - 3).tolist()
            figure = dem.plots.scene(run, colour="moisture", size=(60, 40))
            assert figure.axes[1].get_ylabel() == "moisture [kg m-3]"
            assert constant_data(run, "")["units"]["moisture"] == "kg m-3"
            scales = frame_block(run, [0, 1])["scales"]
            assert (scales["moisture from"], scales["moisture"], scales["moisture shown"]) == (-3.0, 7.0, 4.0)
            with pytest.raises(ValueError, match="unknown colour 'moistur': did you mean moisture"):
                dem.plots.scene(run, colour="moistur")
            with pytest.raises(ValueError, match=r"has no salt: its fields are .*, moisture"):
                run.field("salt")
    finally:
        dem.register_field("moisture", "kg/m3", default=AMBIENT)
