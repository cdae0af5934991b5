"""The bulk benchmarks: composition of cases, stored beds, counts of studies, contacts as tables."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from dem.cases.chute import Chute
from dem.cases.drum import Drum, Drum38k
from dem.cases.heap import Heap
from dem.cases.impact import Impact, Impact25k
from dem.cases.shared.dosta import strewn
from dem.cases.silo import Silo, Silo100k

import dem
from dem import statistics
from dem.case.prepare import everything
from dem.casefile.load import read
from dem.casefile.write import example
from dem.statistics import Profile
from dem.validation.granular_beds import bulk_benchmarks


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def test_published_sizes_by_name():
    """Numbers, time steps, Young's moduli and pairs of the publication."""
    assert (Silo100k().count, Drum38k().counts(), Impact25k().count) == (100_000, (30_000, 8_000), 25_000)
    assert (Silo100k().time_step, Drum38k().time_step, Impact25k().time_step) == (1.5e-6, 8e-7, 5e-7)
    assert Impact25k(n=100_000).count == 100_000
    drum = Drum38k()
    m1, m2, steel = (drum.material(name) for name in ("M1", "M2", "steel"))
    assert (m1.young, m2.density, steel.young) == (1e9, 2000.0, 210e9)
    assert drum.contacts().between(m2, m1) == dem.Contact(restitution=0.45, friction=0.2)
    assert drum.walls()[0].motion is not None


@pytest.mark.parametrize("kind", [Silo, Drum, Impact])
def test_time_steps_follow_grains_and_stiffness(kind):
    """As the duration of a contact: with the diameter, and the root of the softness; what is given stays."""
    assert kind(coarse=1, softness=1).time_step == kind.published_step
    assert kind(coarse=3, softness=25).time_step == pytest.approx(15 * kind.published_step, rel=1e-5)  # six digits
    assert kind().time_step == kind.model_fields["time_step"].default
    assert kind(coarse="3", softness="25").time_step == kind(coarse=3, softness=25).time_step  # as from --set
    assert kind(time_step=1e-6).time_step == 1e-6
    with pytest.raises(ValueError, match="coarse"):
        kind(coarse=-1)


@pytest.mark.parametrize("kind", [Silo100k, Drum38k, Impact25k])
@pytest.mark.slow
def test_case_files_name_them(kind, tmp_path, monkeypatch):
    """No bed is made to write one, and none but a small one to compile."""
    monkeypatch.setattr(kind, "build", None)
    case = kind(seed=3, coarse=2)
    (tmp_path / "case.toml").write_text(example(case))
    assert read(tmp_path / "case.toml").case == case
    assert (kind.name, kind.compiled_by) in list(everything())
    assert kind(**kind.compiled_by).time_step > 5 * kind().time_step


@pytest.mark.parametrize("case", [Chute(n=40, length=4, width=3), Chute(n=300, spread=0.3), Heap(n=60)])
def test_grains_begin_without_overlap(case):
    particles, box = case.build()
    radius = np.array([0.5 * shape.diameter for shape, _ in particles.variants])[particles.variant]
    x = particles.position
    period = np.array(box.size) * [axis in box.periodic for axis in "xyz"]
    off = x[:, None] - x[None]
    off -= period * np.round(off / np.where(period > 0, period, 1))
    gap = np.linalg.norm(off, axis=2) - radius[:, None] - radius[None]
    assert gap[~np.eye(len(x), dtype=bool)].min() > 0
    assert (x[:, 2] > radius).all()
    if isinstance(case, Heap):
        assert (np.hypot(x[:, 0], x[:, 1]) + radius < case.radius).all()
        assert (x[:, 2] + radius).max() < case.walls()[0].end[2]
        assert case.walls()[0].motion[0].stop == case.lifted
    else:
        assert case.gravity == pytest.approx((9.81 * math.sin(math.radians(25)), 0, -9.81 * math.cos(math.radians(25))))


def test_a_chute_has_one_angle():
    assert Chute(angle=30).gravity[0] == Chute(angle="30").gravity[0] == pytest.approx(4.905)
    with pytest.raises(ValueError, match=r"gravity is .*, at 0°, and angle is 25: give one of them"):
        Chute(gravity=(0, 0, -9.81))


def test_coarser_grains_fill_the_same_volume():
    for kind in (Silo, Impact):
        fine, coarse = kind(coarse=1), kind(coarse=2)
        assert coarse.count == pytest.approx(fine.count / 8, rel=1e-3)


class Falling:
    """A stand-in for a simulation: what is above z = 0 falls by 1 m at each look, then lies still."""

    gravity, made = (0, 0, -9.81), 0

    def __init__(self, stage, places):
        self.particles = SimpleNamespace(position=places.copy(), velocity=np.zeros_like(places), angular_velocity=0.0)
        type(self).made += 1

    def step(self, steps):
        falls = self.particles.position[:, 2] > 0
        self.particles.position[falls, 2] -= 1
        self.particles.velocity[:] = np.where(falls[:, None], [0, 0, -2.0], 0.0)


def test_beds_come_to_rest_and_are_kept(cache):
    """Each stage once, the second from where the first one ended; the next one takes what was kept, without a run."""
    start = np.array([[0.0, 0, 5], [0, 1, 12]])

    def made(stages, places, **recipe):
        before = Falling.made
        found = dem.settled(Falling, stages, places, size=0.01, recipe=recipe)
        assert found[:, 2].tolist() == [0, 0]
        return Falling.made - before

    assert [made(stages, start, a=1) for stages in ([10.0, 1.0], [10.0, 1.0], [10.0, 2.0])] == [2, 0, 1]
    assert made([10.0, 1.0], start + np.eye(3)[0], a=1) == 2
    assert made([10.0, 1.0], start, a=2) == 2
    for path in (cache / "pcdm-dem" / "states").iterdir():
        path.write_bytes(path.read_bytes()[:100])
    assert made([10.0, 1.0], start, a=1) == 2  # what broke off is made again


def test_what_cannot_be_kept_is_made_again(cache):
    (cache / "pcdm-dem").write_text("in the way")
    before = Falling.made
    for _ in range(2):
        dem.settled(Falling, [1.0], [[0.0, 0, 3]], size=0.01, recipe={})
    assert Falling.made == before + 2
    with pytest.raises(ValueError, match="stages are none"):
        dem.settled(Falling, [], [[0.0, 0, 3]], size=0.01, recipe={})


def test_a_container_without_room_says_so(monkeypatch):
    """Who is strewn where the container is not does not count."""
    monkeypatch.setattr("dem.cases.shared.dosta.FILLED", 0.02)
    with pytest.raises(ValueError, match=r"n is 90, but there is room for \d+ grains of 0.1 m"):
        strewn(90, 0.1, (0, 0, 0), (1, 1, 1), lambda x, _y, _z: x < 0.5, seed=1)


def test_counting():
    """Slopes of straight lines; Beverloo's annulus; quarters of a drum."""
    time = np.arange(0, 2.05, 0.1)
    left = np.column_stack([time, 1000 - 240 * time])
    assert bulk_benchmarks.rate_between(left, 0.5, 2.0) == pytest.approx(240)
    assert bulk_benchmarks.beverloo_ratio(1.0, 0.06) == 1
    assert bulk_benchmarks.beverloo_ratio(2.0, 0.06) == pytest.approx((48.8 / 54.4) ** 2.5)

    class Sim:
        particles = dem.Particles.concatenate([
            dem.Particles(dem.Sphere(diameter=0.1), dem.Material(young=1e6, poisson=0.2, density=1.0), name=name,
                          position=[(x, 0, z) for x, z in places])
            for name, places in (("M1", [(1, 1), (-1, -1), (-2, -1), (1, -1)]), ("M2", [(-1, -1), (1, 2)]))
        ])  # fmt: skip

    assert bulk_benchmarks.zones(Sim()).tolist() == [0.25, 0.5, 0.5, 0.5]


def test_published_curves_are_whole():
    """Each as long as its times; numbers never more than there are; the silo's fall."""
    for (name, _), codes in bulk_benchmarks.dosta.DRUM.items():
        for numbers in codes.values():
            assert len(numbers) == len(bulk_benchmarks.dosta.DRUM_AT)
            assert max(numbers) <= bulk_benchmarks.dosta.DRUM_NUMBERS[name]
    for numbers in bulk_benchmarks.dosta.LEFT.values():
        assert len(numbers) == len(bulk_benchmarks.dosta.LEFT_AT)
        assert (np.diff(numbers) < 0).all()


def test_repeated_rates_are_those_of_the_same_time():
    """Of both orifices between 0.5 and 2 s, in numbers and in the words of the report."""
    rates = {orifice: bulk_benchmarks.dosta.rates_between(0.5, 2.0, orifice) for orifice in ("large", "small")}
    assert rates["large"] == pytest.approx({"LIGGGHTS": 37271 / 1.5, "MUSEN": 36864 / 1.5})
    assert rates["small"] == pytest.approx({"MUSEN": (96164 - 84522) / 1.5})
    words = "24.85 thousand, large (LIGGGHTS); 24.58 thousand, large (MUSEN); 7.761 thousand, small (MUSEN)"
    assert bulk_benchmarks._repeated_rates() == f"{words}; between 0.5 and 2 s"


def test_contacts_as_a_table(tmp_path):
    """The same as the frame's; normal and tangential force are what is left of the force."""
    stuff = dem.Material(young=1e6, poisson=0.2, density=1000.0, friction=0.5)
    balls = dem.Particles(
        dem.Sphere(diameter=0.01), stuff, position=[(0, 0, 0.0049), (0.0099, 0, 0.006)],
        velocity=[(0, 0.5, 0), (0, 0, 0)],
    )  # fmt: skip
    box = dem.Box((-1, -1, 0), (1, 1, 1), stuff)
    sim = dem.Simulation(balls, box, time_step=1e-5)
    sim.run(1e-4, frames=2, output=tmp_path / "run.h5", contacts=True)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        table, forces = run.contacts(-1), run[-1].contact_forces()
    assert len(table) == len(forces.i) == 2
    assert table.attrs["units"]["force_x"] == "N"
    np.testing.assert_array_equal(table[["force_x", "force_y", "force_z"]], forces.force)
    np.testing.assert_array_equal(table[["point_x", "point_y", "point_z"]], forces.point)
    total = np.hypot(table["normal_force"], table["tangential_force"])
    np.testing.assert_allclose(total, np.linalg.norm(forces.force, axis=1), rtol=1e-12)  # rounding
    assert (table["tangential_force"] > 0).all()
    assert set(table["j"]) == {1, -5}


def test_bodies_that_are_not_there_are_in_no_sample():
    x = [[0.5, 0.5, 0.5], [math.nan, 0.5, 0.5], [0.5, math.inf, 0.5]]
    with np.errstate(all="raise"):
        assert statistics.samples_in_box(x, (0, 0, 0), (1, 1, 1), (2, 2, 2)).tolist() == [7, -1, -1]
    with pytest.raises(ValueError, match="expected three numbers"):
        statistics.samples_in_box(x, (0, 0, 0), (1, 1, 1), (2, 2))


def test_flat_profiles_have_no_angle():
    edges = np.arange(6.0)
    with pytest.raises(ValueError, match="the profile is flat or steep"):
        statistics.angle_of_repose(Profile(edges, np.ones(5)))
    with np.errstate(all="raise"), pytest.raises(ValueError, match="expected a heap"):
        statistics.angle_of_repose(Profile(edges, np.zeros(5)))


def test_masses_are_one_each():
    x = np.zeros((2, 3, 3))
    with pytest.raises(ValueError, match=r"mass has shape \(\), expected \(3,\)"):
        statistics.mass_flow([0.0, 1.0], x, 1.0, (0, 0, 0), (0, 0, 1))
    with pytest.raises(ValueError, match=r"mass has shape \(2,\), expected \(3,\)"):
        statistics.mass_flow([0.0, 1.0], x, [1.0, 1.0], (0, 0, 0), (0, 0, 1))
    with pytest.raises(ValueError, match=r"position has shape \(3, 3\), expected \(2, N, 3\)"):
        statistics.mass_flow([0.0, 1.0], x[0], [1.0] * 3, (0, 0, 0), (0, 0, 1))
