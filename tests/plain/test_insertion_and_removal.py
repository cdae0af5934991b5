"""Insertion and removal: equal bytes for runs in any parts, balances of mass and energy, refusals."""

import hashlib
import json
import math
import warnings
from types import SimpleNamespace

import gsd.hoomd
import h5py
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner
from viewers import point_data, points, vtk_frames

import dem
from dem.casefile import preview
from dem.cli.application import app
from dem.model.domain.regions import region_of
from dem.run import replay
from dem.soft.insertion.inserter_in_run import SizeSampler

LOSSY = dem.Material(young=5e6, poisson=0.3, density=2500.0, restitution=0.5, friction=0.3)
ELASTIC = dem.Material(young=5e6, poisson=0.3, density=2500.0)
BALL = dem.Sphere(diameter=0.01)
ABOVE = dem.Block((0.005, 0.005, 0.05), (0.055, 0.055, 0.11))
BELOW = dem.Block((0.0, 0.0, -0.05), (0.03, 0.06, -0.04))
BOX = ((0, 0, -0.05), (0.06, 0.06, 0.12))


def rain(shape=BALL, material=LOSSY, **more):
    said = {"region": ABOVE, "number": 20, "every": 0.008, "velocity": (0, 0, -2), "spread": 0.2, "name": "rain"} | more
    return dem.Inserter(shape, material, **said)


def shower(material=LOSSY, shape=BALL, dt=1e-4, outlets=None, **more):
    """Rain into a box with a hole in its floor, and a ring that counts."""
    out = [dem.Outlet(BELOW, every=0.004, recycle="rain"), dem.Outlet(dem.Disc((0.045, 0.03, -0.03), (0, 0, -1), 0.01))]
    box = dem.Box(*BOX, material, open=["z+"])
    inserter = rain(shape, material, angular_velocity=(3, 5, 0), **more)
    return dem.Simulation(None, box, inserters=[inserter], outlets=out if outlets is None else outlets, time_step=dt)


def test_what_is_to_come_is_told_before_a_run(monkeypatch):
    """Of a box that is empty at the start; that nothing has come or gone yet is no reproach."""
    monkeypatch.setattr(preview, "PROBE", 0.0)  # s: as few steps as can be, however fast the machine
    sim = shower(rate=500, stop=0.3)
    seen = preview.measure_progress(sim, 1.0)
    told = dict(preview.rows(sim, seen, 1.0))
    assert (seen.particles, seen.mass, told["particles"]) == (0, 0.0, "none at the start")
    assert told["put in"] == "rain: 20 particles, 500 a second, until 0.3 s"
    assert "longer as particles come" in told["computing"]
    assert "nothing has reached" in str(sim.verdict())
    assert preview.so_far(sim).status == "PASS"


class PacedRun:
    """Run whose clock is told: steps take 1 µs before the first particle comes and 100 µs after, 10 s as it comes."""

    time_step, population, comes_at = 1e-5, True, 3000

    def __init__(self):
        self.steps, self.seconds = 0, 0.0

    @property
    def time(self):
        return self.steps * self.time_step

    @property
    def particles(self):
        return [] if self.steps < self.comes_at else [0]

    def carry_on(self, duration):
        for _ in range(round(duration / self.time_step)):
            self.steps += 1
            self.seconds += 10.0 if self.steps == self.comes_at else 1e-4 if self.particles else 1e-6


def test_pace_is_that_of_steps_with_particles_without_compiling(monkeypatch):
    run = PacedRun()
    monkeypatch.setattr(preview.time, "perf_counter", lambda: run.seconds)
    assert preview._pace(run, 1.0) == pytest.approx(run.time_step / 1e-4, rel=1e-9)  # sums of times are rounded
    run.steps, run.comes_at = 0, math.inf
    assert preview._pace(run, 1.0) == pytest.approx(run.time_step / 1e-6, rel=1e-9)


class ShortRun(PacedRun):
    """A step takes 15 µs, and each call 200 µs more. The last stretch before the end of the run is one step."""

    time_step, population, comes_at = 9.3e-6, None, 0

    def carry_on(self, duration):
        steps = max(1, round(duration / self.time_step))
        self.steps += steps
        self.seconds += 2e-4 + 1.5e-5 * steps


def test_pace_of_a_run_that_is_over_within_the_probe_is_not_that_of_its_last_step(monkeypatch):
    run = ShortRun()
    monkeypatch.setattr(preview.time, "perf_counter", lambda: run.seconds)
    assert preview._pace(run, 0.15) == pytest.approx(run.time_step / 1.5e-5, rel=0.02)


def digest(sim):
    p = sim.particles
    arrays = (p.position, p.velocity, p.orientation, p.angular_velocity, p.kind, sim.identities, np.array(sim.energy()))
    return hashlib.md5(b"".join(np.ascontiguousarray(each).tobytes() for each in arrays)).hexdigest()


SHAPES = {
    "spheres that turn": (LOSSY, BALL, {"sizes": dem.UniformSizes(lower=0.008, upper=0.012)}),
    "spheres that do not": (ELASTIC, BALL, {}),
    "fibres": (LOSSY, dem.Fibre(diameter=0.008, aspect_ratio=2, spheres=3), {"number": 8}),
}


@pytest.mark.parametrize("which", SHAPES)
@pytest.mark.few(1)
def test_the_same_bytes_however_a_run_is_cut(which, tmp_path):
    """Steps one by one around events, a file in between, and all at once; there are events on both sides of the cut."""
    material, shape, more = SHAPES[which]
    whole = shower(material, shape, **more)
    whole.step(420)
    cut = shower(material, shape, **more)
    for steps in (79, 1, 1, 159):
        cut.step(steps)
    cut.save(tmp_path / "cut.h5")
    gone_on = dem.Simulation.load(tmp_path / "cut.h5")
    gone_on.step(180)
    assert digest(gone_on) == digest(whole)
    assert gone_on.identities.tolist() == whole.identities.tolist()
    assert whole.verdict().balanced
    assert whole.inserters[0].number > len(whole.particles) - 1


def test_a_loaded_run_shows_the_particles_of_the_file_to_the_bit(tmp_path):
    """Values that were assigned are shown as they are; the scheme has them to rounding."""
    given = dem.Particles(
        dem.Fibre(diameter=0.004, aspect_ratio=3), LOSSY, position=[[0.01, 0.01 * k, 0] for k in range(1, 6)]
    )
    sim = dem.Simulation(given, dem.Box(*BOX, LOSSY), inserters=[rain()], time_step=1e-4)
    sim.particles.angular_velocity = np.random.default_rng(1).normal(0, 20, (len(sim.particles), 3))
    sim.save(tmp_path / "cut.h5")
    loaded = dem.Simulation.load(tmp_path / "cut.h5")
    assert loaded.particles.angular_velocity.tobytes() == sim.particles.angular_velocity.tobytes()
    assert loaded.energy() == sim.energy()


@pytest.mark.long
def test_the_books_close_across_events():
    """Elastic spheres: what is left of the error is that of the impacts, and falls with the step's square."""
    errors = []
    for dt in (8e-5, 4e-5):
        sim = shower(ELASTIC, dt=dt)
        sim.step(round(0.048 / dt))
        assert sim.outlets[0].number + sim.outlets[1].number >= 3
        energy = sim.energy()
        books = energy.mechanical - energy.inserted + energy.removed
        assert abs(books) <= 1.01 * sim.energy_error * energy.inserted + 1e-12  # the error is the largest at any step
        errors.append(sim.energy_error)
    assert errors[0] < 1e-2
    assert errors[1] < 0.5 * errors[0]  # a quarter but for what chaos makes of impacts


MOVING = dem.Motion(velocity=(0.05, 0, 0.1))


@pytest.mark.parametrize(
    ("material", "beside", "motion"),
    [
        pytest.param(ELASTIC, dem.Plane, None, id="elastic-plane-still"),
        pytest.param(ELASTIC, dem.Box, MOVING, id="elastic-box-moving"),
        pytest.param(LOSSY, dem.Plane, MOVING, id="lossy-plane-moving"),
        pytest.param(LOSSY, dem.Box, None, id="lossy-box-still"),
        *(
            pytest.param(material, beside, motion, marks=pytest.mark.slow)
            for material, beside, motion in (
                (ELASTIC, dem.Plane, MOVING),
                (ELASTIC, dem.Box, None),
                (LOSSY, dem.Plane, None),
                (LOSSY, dem.Box, MOVING),
            )
        ),
    ],
)
def test_the_ledger_is_of_second_order_when_a_loaded_particle_goes(material, beside, motion):
    """A spinning ball is taken out that presses a floor, which may move, and two others, and rubs where it can.

    At any step, and in what files tell of before and after. 2e-3 at 4 µs is what the impacts themselves come to.
    """
    radius, errors, kept = 0.005, [], []
    centres = np.array([[0, 0, 0.994], [0, 0, 2.982], [1.992, 0, 0.996]]) * radius
    velocity = [[-0.05, 0.02, 0.1], [0.1, -0.1, -0.2], [-0.3, 0.1, 0.05]]
    grains = dem.Particles(
        BALL, material, position=centres, velocity=velocity, angular_velocity=[[5, 0, 0], [0, 9, 0], [0, 0, 3]]
    )
    outlet = dem.Outlet(dem.Block((-0.006, -0.006, -0.01), (-1e-7, 0.006, 0.008)), every=4e-4)
    for dt in (4e-6, 2e-6):
        box, walls = None, [dem.Plane((0, 0, 0), (0, 0, 1), material=material, motion=motion)]
        if beside is dem.Box:
            box, walls = dem.Box((-1, -1, 0), (1, 1, 1), material, motion={"z-": motion} if motion else {}), []
        sim = dem.Simulation(grains, box, walls=walls, outlets=[outlet], time_step=dt, threads=1)
        sim.step(round(4e-4 / dt) - 1)
        before = sim.energy()
        assert (len(sim.particles), sim.contact_count) == (3, 4)
        sim.step(2)
        assert len(sim.particles) == 2
        errors.append(sim.energy_error)
        kept.append(abs(sim.energy().total - before.total) / before.total)
    assert errors[0] < 2e-3
    assert errors[1] < 0.3 * errors[0]
    assert kept[1] < 0.3 * kept[0]


@pytest.mark.parametrize("material", [ELASTIC, LOSSY], ids=["elastic", "lossy"])
def test_spin_is_booked_with_those_who_come(material):
    """Also where nothing changes it, so that kernels do not add it up: frictionless spheres."""
    spinning = rain(material=material, number=5, start=1e-4, angular_velocity=(0, 0, 40.0))
    sim = dem.Simulation(None, inserters=[spinning], time_step=1e-5)
    sim.step(20)
    energy = sim.energy()
    assert len(sim.particles) == 5
    assert energy.rotational == pytest.approx(5 * 0.5 * 0.4 * sim.particles.mass[0] * 0.005**2 * 40.0**2, rel=1e-9)
    assert energy.total == pytest.approx(0.0, abs=1e-9 * energy.inserted)


def test_an_event_disturbs_nobody():
    """Two spheres in contact go on to the bit as if a third one, far away, had not come, and gone again."""
    pair = dem.Particles(BALL, LOSSY, position=[[0, 0, 0], [0.0099, 0, 0]], velocity=[[0.1, 0.02, 0], [0, 0, 0]])
    gravity, far = (0, 0, 0), dem.Block((0.5, 0.5, 0.5), (0.6, 0.6, 0.6))
    alone = dem.Simulation(pair, gravity=gravity, time_step=1e-5)
    visit = rain(region=far, number=2, start=3e-4, velocity=(1, 0, 0), every=1e-4)
    gone = dem.Outlet(dem.Block((0.4, 0.4, 0.4), (0.7, 0.7, 0.7)), every=6e-4)
    crowded = dem.Simulation(pair, gravity=gravity, time_step=1e-5, inserters=[visit], outlets=[gone])
    most = 0
    for _ in range(12):
        alone.step(10)
        crowded.step(10)
        most = max(most, len(crowded.particles))
    assert (most, len(crowded.particles), crowded.outlets[0].number) == (4, 2, 2)
    for name in ("position", "velocity", "angular_velocity"):
        assert (getattr(alone.particles, name) == getattr(crowded.particles, name)).all(), name


def test_nobody_overlaps_anybody_when_they_come():
    sim = shower(outlets=[], number=400, every=0.004, sizes=dem.UniformSizes(lower=0.006, upper=0.012))
    p = sim.particles
    radius = np.array([shape.diameter / 2 for shape, _ in p.variants])[p.variant]
    gap = np.linalg.norm(p.position[:, None] - p.position, axis=2) - radius[:, None] - radius
    assert gap[np.triu_indices(len(p), 1)].min() > 0
    assert (p.position - radius[:, None] >= ABOVE.lower).all()
    assert (p.position + radius[:, None] <= ABOVE.upper).all()
    assert sim.energy().elastic == 0


def test_other_inserters_change_nothing():
    """What one draws owes nothing to another one that is there as well."""
    else_where = dem.Block((0.005, 0.005, 0.2), (0.055, 0.055, 0.25))
    one = dem.Simulation(None, inserters=[rain()], time_step=1e-4)
    two = dem.Simulation(None, inserters=[rain(), rain(region=else_where, name="more")], time_step=1e-4)
    first = two.particles.position[: len(one.particles)]
    assert len(two.particles) > len(one.particles)
    assert (first == one.particles.position).all()


@pytest.mark.slow
def test_rates_are_kept_to_the_particle_and_a_mass_to_half_of_one():
    pace = rain(number=None, rate=1234.0, every=0.003)
    sim = dem.Simulation(None, inserters=[pace], outlets=[dem.Outlet(dem.Plane((0, 0, -1), (0, 0, 1)))], time_step=1e-4)
    sim.step(305)  # rounds are each 30 steps, the last one at 300
    assert sim.inserters[0].number == int(1234 * 0.03)
    grains = rain(number=None, mass=0.02, every=0.003, sizes=dem.UniformSizes(lower=0.006, upper=0.012))
    sim = dem.Simulation(None, inserters=[grains], time_step=1e-4)
    sim.step(400)
    heaviest = 2500 * np.pi / 6 * 0.012**3
    assert abs(sim.inserters[0].mass - 0.02) <= 0.5 * heaviest
    assert sim.inserters[0].mass == pytest.approx(sim.particles.mass.sum(), rel=1e-12)


@pytest.mark.parametrize("every", [0.003, 0.004, 0.005, 0.02])
def test_rates_are_kept_until_an_inserter_stops(every):
    """Also if `stop` is no whole number of rounds after `start`, or earlier than the first interval ends."""
    mass = BALL.mass_properties(LOSSY.density).mass
    for rate in ({"rate": 1000.0}, {"mass_rate": 1000.0 * mass}):
        pace = rain(number=None, start=0.002, stop=0.0142, every=every, **rate)
        sim = dem.Simulation(None, inserters=[pace], time_step=1e-4)
        sim.step(200)
        assert sim.inserters[0].number == 12
        assert sim.time > pace.stop


def test_shares_by_mass_and_sizes_hold_by_quota():
    """Of a whole deck the shares are right to one particle; D50 is that of the distribution to its quantile's step."""
    sizes = dem.LogNormalSizes(median=2e-3, geometric_deviation=1.2)
    both = dem.Inserter(
        [BALL, dem.Sphere(diameter=0.02)], LOSSY, region=ABOVE, number=2000, shares=(0.5, 0.5), by="mass"
    )
    sampler = SizeSampler(both, 0)
    counts = np.bincount(sampler.sampled(np.arange(2000)))
    assert abs(counts[0] - 8 * counts[1]) <= 9  # one more or less of the large ones
    sampler = SizeSampler(dem.Inserter(BALL, LOSSY, region=ABOVE, number=10**6, sizes=sizes), 0)
    sampled = sampler.sampled(np.arange(5000, 6000))  # one time through
    assert sampler.grading(np.bincount(sampled, minlength=1000)).d50 == pytest.approx(sizes.quantile(0.5), rel=0.01)
    assert sorted(sampled) == list(range(1000))


def test_outlets_take_whole_bodies_and_count_them():
    fibre = dem.Fibre(diameter=0.01, aspect_ratio=3, spheres=3)
    state = {"position": [[0.0, 0, 0.004], [0.0, 0, 0.1]], "velocity": [[0, 0, -1.0], [0, 0, -1.0]]}
    rods = dem.Particles(fibre, LOSSY, **state, orientation=[[0.5**0.5, 0, 0.5**0.5, 0]] * 2)  # upright
    for whole, steps in ((False, 40), (True, 190)):  # the centre by 4 mm, or all of it by 19 mm
        out = dem.Outlet(dem.Plane((0, 0, 0), (0, 0, 1)), every=1e-4, whole=whole)
        sim = dem.Simulation(rods, gravity=(0, 0, 0), outlets=[out], time_step=1e-4)
        sim.step(steps - 2)
        assert len(sim.particles) == 2
        sim.step(4)
        assert (len(sim.particles), sim.outlets[0].number, sim.identities.tolist()) == (1, 1, [1])
        assert sim.outlets[0].mass == pytest.approx(rods.mass[0])


def test_surfaces_are_crossed_one_way_and_within_the_rim():
    start, speed = [[0, 0, 0.02], [0, 0, -0.01], [0.5, 0, 0.02]], [[0, 0, -1], [0, 0, 1], [0, 0, -1]]
    balls = dem.Particles(BALL, LOSSY, position=np.add(start, [[0, 0.05, 0]] * 3), velocity=speed)
    balls.position = np.where(np.arange(3)[:, None] == 1, [0.05, 0.05, -0.01], balls.position)
    ring = dem.Outlet(dem.Disc((0, 0, 0), (0, 0, -1), 0.1), every=1e-3)
    sim = dem.Simulation(balls, gravity=(0, 0, 0), outlets=[ring], time_step=1e-3)
    sim.step(30)
    assert sim.identities.tolist() == [1, 2]


@pytest.mark.parametrize("region", ["disc", "oblique disc", "rectangle", "ball", "cylinder", "block, whole"])
def test_outlets_act_across_periodic_faces(region):
    """Where the faces of a periodic box are makes no difference: the same particles go at the same steps."""
    length = 0.2
    made = {
        "disc": lambda c: dem.Disc(c, (1, 0, 0), 0.06),
        "oblique disc": lambda c: dem.Disc(c, (1, 1, 0.5), 0.06),
        "rectangle": lambda c: dem.Rectangle(c, (0, length, 0), (0, 0, 0.1)),
        "ball": lambda c: dem.Ball(c, 0.04),
        "cylinder": lambda c: dem.Cylinder(np.subtract(c, (0.02, 0.03, 0)), np.add(c, (0.02, 0.03, 0)), 0.03),
        "block, whole": lambda c: dem.Block(c - 0.03, c + 0.03),
    }[region]
    gone = []
    for centre in (np.full(3, 0.1), np.array([0.2, 0.0, 0.19])):
        box = dem.Box((0, 0, 0), (length,) * 3, LOSSY, periodic=["x", "y", "z"])
        grid = np.stack(np.meshgrid(*[0.03 + 0.06 * np.arange(3)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
        whole = "whole" in region
        shape = dem.Fibre(diameter=0.005, aspect_ratio=2, spheres=2) if whole else dem.Sphere(diameter=0.005)
        x = (grid + centre - 0.1) % length
        state = {"velocity": [2.4, 1.2, 0.8] + 0.02 * np.random.default_rng(3).standard_normal(grid.shape)}
        turned = Rotation.random(len(x), random_state=4).as_quat()[:, [3, 0, 1, 2]]
        rods = dem.Particles(shape, LOSSY, position=x, orientation=turned, **state)
        out = dem.Outlet(made(centre), every=1e-3, whole=whole)
        sim = dem.Simulation(rods, box, gravity=(0, 0, 0), outlets=[out], time_step=2.5e-4)
        present = []
        for _ in range(50):
            sim.step(4)
            present.append(sim.identities.tolist())
        gone.append(present)
    assert 2 < len(gone[0][-1]) < 26
    assert gone[0] == gone[1]


def test_who_went_since_the_last_round_is_not_missed_yet():
    """Two balls go, and are due again at the next round, not before: nobody is told that the region is too small."""
    rain_of_two = rain(material=ELASTIC, number=2, rate=900, every=0.02, velocity=(0, 0, -1), spread=0.0)
    gone = dem.Outlet(dem.Plane((0, 0, 0.045), (0, 0, 1)), every=1e-3, recycle="rain")
    sim = dem.Simulation(None, inserters=[rain_of_two], outlets=[gone], gravity=(0, 0, 0), time_step=1e-3)
    missed = []
    for _ in range(120):
        sim.step(1)
        missed += [doubt for doubt in sim.verdict().doubts if "found no place" in doubt]
    assert sim.inserters[0].number > 2
    assert missed == []


def test_gates_that_a_run_lacks_are_refused(tmp_path):
    """By number or by name: an empty flow would be taken for a result."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shower(number=3, rate=1000, every=0.001).run(0.005, output=tmp_path / "rain.h5", frames=5)
    with dem.Trajectory(tmp_path / "rain.h5") as run:
        assert run.flow("rain")[0].tolist() == run.flow(0)[0].tolist()
        assert run.flow("rain")[0][-1] == 3
        assert run.flow("rain")[1][-1] == pytest.approx(run.mass.sum())
        for gate in (1, -3, "drain"):
            with pytest.raises(ValueError, match=r"0 \(rain\), -1 \(.*\), -2"):
                run.flow(gate)


def test_a_replay_shows_particles_by_their_permanent_numbers(tmp_path):
    """Removal of particle 0 moves particle 1 to the first row; the mean force on it is its weight."""
    pair = dem.Particles(BALL, ELASTIC, position=[[0.015, 0.015, -0.034], [0.03, 0.03, 0.05]])
    pair.velocity = [[0, 0, -2], [0, 0, -1]]
    box = dem.Box(*BOX, ELASTIC)
    sim = dem.Simulation(pair, box, outlets=[dem.Outlet(BELOW, every=0.002)], time_step=2e-5)
    sim.run(0.01, output=tmp_path / "pair.h5", frames=5)
    with dem.Trajectory(tmp_path / "pair.h5") as run:
        assert len(run[-1].identity) == 1
        assert replay.particles_of_interest(run) == [1]
        shown = list(replay.states(run, [1, 0]))
        assert [[state.particle for state in frame] for frame in shown][:: len(shown) - 1] == [[1, 0], [1]]
        for state in [frame[0] for frame in shown[1:]]:
            np.testing.assert_allclose(state.force, [0, 0, -9.81 * run.mass[1]], rtol=1e-9, atol=1e-12)


@pytest.mark.slow
def test_files_have_who_is_there_and_all_can_be_repeated_and_resumed(tmp_path):
    sieve = [dem.Outlet(dem.Plane((0, 0, 0), (0, 0, 1)), every=0.002, recycle="rain"), dem.Outlet(BELOW)]
    fast = {"velocity": (0, 0, -4), "number": 12, "outlets": sieve}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shower(**fast).run(0.024, output=tmp_path / "whole.h5", frames=8, contacts=True)
        shower(**fast).run(0.012, output=tmp_path / "part.h5", frames=4, contacts=True)
        dem.resume(tmp_path / "part.h5", duration=0.024)
    assert dem.rerun(tmp_path / "whole.h5").same

    def values(path):
        with h5py.File(path) as file:
            found = {}
            file.visititems(
                lambda name, each: found.update({name: each[()]}) if isinstance(each, h5py.Dataset) else None
            )
        return found

    one, other = values(tmp_path / "whole.h5"), values(tmp_path / "part.h5")
    assert one.keys() == other.keys()
    for name, each in one.items():
        assert np.asarray(each).tobytes() == np.asarray(other[name]).tobytes() or isinstance(each, bytes), name
    with dem.Trajectory(tmp_path / "whole.h5") as run:
        there = [len(frame.identity) for frame in run]
        assert len({*there}) > 1
        assert run.position.shape == (9, run.identity.size, 3)
        assert [int((~np.isnan(run.position[k, :, 0])).sum()) for k in range(9)] == there
        last = run[-1]
        assert (run.of(int(last.identity[3]))[-1] == last.position[3]).all()
        assert last.kinetic_energies().translational.sum() == pytest.approx(run.energy["translational"][-1])
        events = run.events
        came, gone = (events["gate"] >= 0).sum(), (events["gate"] < 0).sum()
        assert there[-1] == there[0] + came - gone
        assert run.flow(-1)[0][-1] + run.flow(-2)[0][-1] == gone
        table = run.to_pandas(["position"])
        assert table.groupby("frame").size().tolist() == there
        assert table["particle"].tolist() == [n for frame in run for n in frame.identity.tolist()]
        rows = dem.export(run, "csv", tmp_path / "run.csv").read_text().splitlines()
        assert len(rows) == 1 + sum(there)
        assert dem.repair(run.path).endswith("there was nothing to repair")


RODS = dem.Fibre(diameter=0.008, aspect_ratio=2, spheres=3)


@pytest.fixture(scope="module", params=[
    pytest.param((RODS, {}), id="fibres"),
    pytest.param((BALL, {"fields": ["position"]}), id="balls", marks=pytest.mark.slow),
])  # fmt: skip
def emptied(request, tmp_path_factory):
    """A run of fibres, or of balls without orientations, that come and go until nobody is left."""
    (shape, fields), path = request.param, tmp_path_factory.mktemp("emptied") / "run.h5"
    state = {"position": [[0.0, 0, 0.048]], "velocity": [[0, 0, -1.0]], "angular_velocity": [[0, 9.0, 0]]}
    first = dem.Particles(BALL, LOSSY, **state)
    two = rain([shape, BALL], number=4, rate=500.0, every=0.004, stop=0.009, velocity=(0, 0, -5), spread=0.0)
    gone = dem.Outlet(dem.Plane((0, 0, 0.04), (0, 0, 1)), every=2e-4)
    sim = dem.Simulation(first, inserters=[two], outlets=[gone], time_step=2e-4, threads=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim.run(0.02, output=path, frames=10, force=True, **fields)
    return path


def test_gsd_has_those_who_are_there(emptied, tmp_path):
    """Types, masses and places of each frame, read back by the library, also of frames that nobody is in."""
    with dem.Trajectory(emptied) as run, gsd.hoomd.open(dem.export(run, "gsd", tmp_path / "run.gsd")) as frames:
        there = [len(frame.position) for frame in run]
        assert [frame.particles.N for frame in frames] == there
        assert len({*there}) > 2
        assert min(there) == (0 if "orientation" in run.fields else 1)
        types, shapes, centre = frames[0].particles.types, frames[0].particles.type_shapes, frames[0].log["box_centre"]
        assert len(types) == len(shapes) == len(run.kinds)
        unions = [number for number, each in enumerate(run.variants) if len(each.radii) > 1]
        assert [shape["type"] for shape in shapes].count("SphereUnion") == len(unions)
        for shown, held in zip(frames, run, strict=True):
            bodies = shown.particles
            assert (bodies.types, bodies.type_shapes) == (types, shapes)
            assert bodies.typeid.tolist() == held.kind.tolist()  # each kind is of one variant
            assert [shapes[k]["type"] == "SphereUnion" for k in bodies.typeid] == [v in unions for v in held.variant]
            np.testing.assert_array_equal(bodies.mass, held.mass.astype(np.float32))
            np.testing.assert_allclose(bodies.position + centre, held.position, atol=1e-7)  # single precision, 0.1 m
            for name in {"velocity", "orientation"} & {*run.fields}:
                np.testing.assert_array_equal(getattr(bodies, name), getattr(held, name).astype(np.float32))
            np.testing.assert_array_equal(shown.log["particles/identity"], held.identity)


def test_spheres_of_those_who_are_there(emptied, tmp_path):
    """As VTK's reader shows them; a sphere keeps its number while others come and go."""
    with dem.Trajectory(emptied) as run:
        shown = vtk_frames(dem.export(run, "spheres.vtkhdf", tmp_path / "run.vtkhdf", frames=slice(1, None)))
        ever = {}
        for (time, each), held in zip(shown, run[1:], strict=True):
            assert time == held.time
            if not len(held.position):
                assert each.GetNumberOfPoints() == each.GetNumberOfVerts() == 0
                continue
            own = [run.variants[v] for v in held.variant]
            owner = np.repeat(np.arange(len(own)), [len(each.radii) for each in own])
            arm = np.concatenate([each.offsets for each in own])
            if "orientation" in run.fields:
                arm = Rotation.from_quat(held.orientation[owner][:, [1, 2, 3, 0]]).apply(arm)
            data = point_data(each)
            assert each.GetNumberOfVerts() == len(arm)
            np.testing.assert_allclose(points(each), held.position[owner] + arm, rtol=0, atol=1e-16)  # arms of 1 cm
            np.testing.assert_array_equal(data["radius"], np.concatenate([each.radii for each in own]))
            np.testing.assert_array_equal(data["owner"], held.identity[owner])
            np.testing.assert_array_equal(data["kind"], held.kind[owner])
            assert len({*data["identity"]}) == len(data["identity"])
            for number, whose in zip(data["identity"], data["owner"], strict=True):
                assert ever.setdefault(number, whose) == whose
            if "velocity" in data:
                wanted = held.velocity[owner] + np.cross(held.angular_velocity[owner], arm)
                np.testing.assert_allclose(data["velocity"], wanted, rtol=0, atol=2e-15)  # of 8 m/s
        assert len({*ever.values()}) == len(run.identity)


@pytest.mark.filterwarnings("ignore")  # of MDAnalysis about itself
def test_h5md_has_a_column_for_each_who_was_ever_there(emptied, tmp_path, monkeypatch):
    """As `Trajectory` aligns them, and as MDAnalysis reads them, which keeps float32."""
    mda = pytest.importorskip("MDAnalysis")
    with dem.Trajectory(emptied) as run:
        path = dem.export(run, "h5md", tmp_path / "run.h5md", frames=slice(1, 9, 2))
        universe = mda.Universe.empty(len(run.identity), trajectory=True)
        universe.load_new(str(path), format="H5MD", convert_units=False)
        assert len(universe.trajectory) == 4
        for frame, held in zip(universe.trajectory, run[1:9:2], strict=True):
            assert frame.time == held.time
            np.testing.assert_array_equal(frame.positions, run.position[held.index].astype(np.float32))
            there = universe.select_atoms("prop z > -1e30").indices
            np.testing.assert_array_equal(run.identity[there], held.identity)
        with h5py.File(path) as file:
            for name in run.fields:
                stored = file[f"particles/trajectory/{name}/value"]
                np.testing.assert_array_equal(stored, run.field(name)[1:9:2], strict=True)
            who = file["particles/trajectory/id/value"][:]
            np.testing.assert_array_equal(who, np.where(np.isnan(run.position[1:9:2, :, 0]), -1, run.identity))
            np.testing.assert_array_equal(file["observables/total_energy/value"], run.energy["total"][1:9:2])
        monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=100))
        with pytest.raises(ValueError, match=r"a column for each of \d+ particles, and 100 bytes are free: take fewer"):
            dem.export(run, "h5md", tmp_path / "more.h5")


def test_tables_name_particles_by_their_numbers_that_stay(tmp_path):
    """Of contacts and of fields, of which the first particle is gone: the second rests, and a third falls on it."""
    places = [[0.0, 0.0, 0.0052], [0.02, 0.0, 0.00495], [0.02, 0.0, 0.01485]]
    balls = dem.Particles(BALL, LOSSY, position=places, velocity=[[0, 0, 5.0], [0, 0, 0], [0, 0, 0]])
    floor = dem.Plane((0, 0, 0), (0, 0, 1), material=LOSSY)
    out = dem.Outlet(dem.Block((-0.01, -0.01, 0.006), (0.01, 0.01, 0.02)), every=2e-4)
    sim = dem.Simulation(balls, walls=[floor], outlets=[out], time_step=1e-5, gravity=(0, 0, 0))
    sim.run(1e-3, output=tmp_path / "run.h5", frames=2, contacts=True, progress=False)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert run[-1].identity.tolist() == [1, 2]
        table = run.contacts(-1)
        assert table[["i", "j"]].to_numpy().tolist() == [[1, 2], [1, -7]]
        place = run.to_pandas(["position"], slice(-1, None)).set_index("particle")["z"]
        touching = table.iloc[0]
        assert place[1] - place[2] == pytest.approx(touching["branch_z"], abs=1e-15)
        data = run.to_xarray()
        assert data["identity"].values.tolist() == [0, 1, 2]
        with pytest.raises(ValueError, match="position is not finite everywhere, such as where particles are inserted"):
            dem.statistics.mean_square_displacement(run.position)
        assert dem.statistics.mean_square_displacement(run.position[:, 1:]).shape == (3,)


@pytest.mark.filterwarnings("ignore:coarse-time-step")
def test_info_has_sizes_and_masses_of_those_who_came(tmp_path):
    """Of all in any frame; a kind of which none has come yet has neither, in JSON as well."""
    sizes = dem.UniformSizes(lower=0.008, upper=0.01, by="number")
    late = rain(shape=dem.Fibre(diameter=0.008, aspect_ratio=2), name="late", start=1.0)
    box = dem.Box(*BOX, LOSSY, open=["z+"])
    sim = dem.Simulation(None, box, inserters=[rain(sizes=sizes, number=8), late], time_step=1e-4)
    sim.run(0.012, output=tmp_path / "run.h5", frames=3, progress=False)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        came, rest = run.summary()["kinds"]
        diameters = 2 * np.array([run.variants[v].radii[0] for v in run.variant])
        assert came["particles"] == len(diameters) > 0
        assert came["sizes"]["diameter"]["least"] == diameters.min()
        assert came["sizes"]["diameter"]["mean"] == pytest.approx(diameters.mean(), rel=1e-12)
        assert came["mass"]["most"] == run.mass.max()
        assert (rest["particles"], rest["sizes"], rest["mass"]) == (0, {}, None)
        json.loads(json.dumps(run.summary(), allow_nan=False))
    shown = CliRunner().invoke(app, ["info", str(tmp_path / "run.h5")]).output
    assert "0 x late  Fibre, material 1\n" in shown


def test_a_run_that_is_emptied_goes_on_and_says_so(tmp_path):
    ball = dem.Particles(BALL, LOSSY, position=[[0.0, 0, 0.01]])
    out = dem.Outlet(dem.Plane((0, 0, 0), (0, 0, 1)))
    sim = dem.Simulation(ball, outlets=[out], time_step=1e-4)
    verdict = sim.run(0.2, output=tmp_path / "out.h5", frames=4)
    assert len(sim.particles) == 0
    assert verdict.passed
    assert "1 taken out: 0 particles, so that nothing moves" in str(verdict)
    assert sim.energy().total == pytest.approx(sim.start_energy.total, abs=1e-12)
    assert dem.rerun(tmp_path / "out.h5").same
    with dem.Trajectory(tmp_path / "out.h5") as run:
        assert [len(frame.position) for frame in run] == [1, 0, 0, 0, 0]


@pytest.mark.slow
def test_nothing_is_kept_of_those_who_have_gone():
    """Arrays, and what a run goes on from, are of who is there, however many have passed; momentum is of all."""
    half = dem.Plane((0, 0, 0.045), (0, 0, 1))
    fall = rain(number=240, rate=2400, every=0.005, velocity=(0, 0, -8), spread=0.0, region=ABOVE)
    sim = dem.Simulation(None, gravity=(0, 0, 0), inserters=[fall], outlets=[dem.Outlet(half, every=1e-3)],
                         time_step=1e-4, threads=1)  # fmt: skip
    seen = []
    while sim.inserters[0].number < 240 or len(sim.particles):
        sim.step(20)
        kept = sum(each.nbytes for each in sim._population.state().values())
        seen.append(
            (len(sim.particles), sim.outlets[0].number, sum(each.nbytes for each in sim._engine.arrays()), kept)
        )
    there, gone, arrays, kept = np.array(seen).T
    first, later = gone < 80, gone >= 80
    assert (gone[-1], there[-1]) == (240, 0)
    assert there.max() < 40
    for sizes in (arrays, kept):
        assert sizes[later].max() <= 1.1 * sizes[first].max()  # some rounds have a particle or two more than others
    assert sim.verdict().momentum_error < 1e-14


@pytest.mark.slow
def test_what_has_not_come_to_pass_is_told():
    crammed = rain(number=400, every=0.02, attempts=3, debt="drop", stop=0.01)
    nowhere = dem.Outlet(dem.Block((5, 5, 5), (6, 6, 6)), name="drain")
    sim = dem.Simulation(None, inserters=[crammed], outlets=[nowhere], time_step=1e-4)
    sim.step(200)
    verdict = sim.verdict()
    assert verdict.status == "WARN"
    there = sim.inserters[0].number
    assert any(f"the rain has put in {there} of" in doubt and "no place" in doubt for doubt in verdict.doubts)
    assert any("nothing has reached the outlet 'drain'" in doubt for doubt in verdict.doubts)


def test_what_cannot_be_is_refused():
    box = dem.Box(*BOX, LOSSY, open=["z+"])
    outside = dem.Block((0, 0, 0.5), (0.05, 0.05, 0.6))
    with pytest.raises(ValueError, match=r"is to put in 1e\+06 particles a second, but its region takes"):
        dem.Simulation(None, inserters=[rain(rate=1e6)], time_step=1e-4)
    with pytest.raises(ValueError, match=r"sum to 0\.9"):
        rain([BALL, BALL], shares=(0.5, 0.4))
    with pytest.raises(ValueError, match=r"no room for its largest particle, of size 0\.07 m"):
        dem.Simulation(None, inserters=[rain(dem.Sphere(diameter=0.07))], time_step=1e-4)
    with pytest.raises(ValueError, match="is inside walls, or outside of the box"):
        dem.Simulation(None, dem.Box(*BOX, LOSSY), inserters=[rain(region=outside)], time_step=1e-4)
    with pytest.raises(ValueError, match="is inside walls, or outside of the box"):
        dem.Simulation(
            None, walls=[dem.Plane((0, 0, 1), (0, 0, 1), material=LOSSY)], inserters=[rain()], time_step=1e-4
        )
    still = rain(number=4000, velocity=(0, 0, 0), spread=0.0, every=None)
    with pytest.raises(ValueError, match="nothing makes them leave its region"):
        dem.Simulation(None, gravity=(0, 0, 0), inserters=[still], time_step=1e-4)
    with pytest.raises(ValueError, match="recycles to 'snow', expected the name of one inserter, of rain"):
        dem.Simulation(None, box, inserters=[rain()], outlets=[dem.Outlet(BELOW, recycle="snow")], time_step=1e-4)
    with pytest.raises(TypeError, match="there are no inserters"):
        dem.Simulation(None, box, time_step=1e-4)
    with pytest.raises(ValueError, match="region of the rain is unbounded"):
        rain(region=dem.Plane((0, 0, 0), (0, 0, 1)))
    with pytest.raises(TypeError, match="material of the plane is None"):
        dem.Simulation(None, walls=[dem.Plane((0, 0, 0), (0, 0, 1))], inserters=[rain()], time_step=1e-4)


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ({"motion": dem.Motion(velocity=(0, 0, 1))}, "has motion"),
        ({"motion": dem.Motion(rate=1.0, axis=(1, 0, 0))}, "has motion"),
        ({"motion": [dem.Motion(rate=1.0), dem.Motion(velocity=(0, 0, 1))]}, "has motion"),
        ({"servo": dem.Servo(force=1.0, axis=(0, 0, 1))}, "has servo"),
        ({"free": dem.RigidWall(mass=1.0)}, "has free"),
        ({"present_until": 1.0}, "has present_from or present_until"),
        ({"acts_on": "fine"}, "has acts_on"),
        ({"ignores": "fine"}, "has ignores"),
    ],
)
def test_options_that_a_region_does_not_follow_are_refused(option, told):
    region = dem.Cylinder((0, 0, 0.05), (0, 0, 0.11), 0.03, **option)
    with pytest.raises(ValueError, match=f"region of the rain {told}"):
        rain(region=region)
    with pytest.raises(ValueError, match=f"region of the outlet {told}"):
        dem.Outlet(region)


def test_a_drum_that_turns_about_its_axis_is_a_region_as_it_stays_the_same():
    drum = dem.Cylinder((0, 0, 0.05), (0, 0, 0.11), 0.03, motion=dem.Motion(rate=1.0))
    assert rain(region=drum).place.volume == dem.Outlet(drum).place.volume == pytest.approx(math.pi * 0.03**2 * 0.06)


@pytest.mark.parametrize(
    "region",
    [
        dem.Cylinder((0, 0, 0), (0.1, 0.1, 0.2), 0.1), dem.Cone((0, 0, 0), (0, 0, 0.2), 0.02, 0.1),
        dem.Ball((0, 0, 1), 0.1), dem.CapsuleWall((0, 0, 0), (0.1, 0, 0), 0.03),
        dem.Torus((0, 0, 0), (1, 0, 1), 0.1, 0.02),
        dem.Revolution([(0.03, 0), (0.1, 0.07), (0.1, 0.2)], axis=(0, 1, 0)), dem.Block((0, 0, 0), (0.1, 0.2, 0.3)),
    ],
    ids=lambda each: type(each).__name__,
)  # fmt: skip
def test_regions_are_as_large_as_they_say(region, rng):
    """Volume by Monte Carlo to four standard errors; depths have slope one, and are those to the surface."""
    found = region_of(region, "region")
    x = found.points(rng.random((40_000, 3)))
    depth = found.depth(x)
    box, share = np.prod(found.upper - found.lower), (depth > 0).mean()
    assert abs(share * box - found.volume) <= box * (4 * np.sqrt(share * (1 - share) / len(x)) + 1e-12)
    step = rng.normal(size=x.shape)
    step *= 1e-4 / np.linalg.norm(step, axis=1)[:, None]
    assert np.abs(found.depth(x + step) - depth).max() <= 1e-4 * (1 + 1e-9)  # no distance grows faster than one moves
    assert depth.max() > 0


@pytest.mark.slow
def test_a_case_file_says_the_same(tmp_path):
    """What its tables make is what the words make of the same numbers."""
    (tmp_path / "rain.toml").write_text(
        """
        duration = 0.1
        time_step = 1e-4
        particles = []
        materials.stuff = { young = 5e6, poisson = 0.3, density = 2500.0, restitution = 0.5, friction = 0.3 }
        shapes.bead = { type = "sphere", diameter = "1 cm" }

        [[inserters]]
        shape = "bead"
        material = "stuff"
        number = 20
        every = "8 ms"
        velocity = [0.0, 0.0, -2.0]
        spread = 0.2
        name = "rain"
        region = { type = "block", lower = [0.005, 0.005, 0.05], upper = [0.055, 0.055, 0.11] }

        [[outlets]]
        recycle = "rain"
        region = { type = "plane", point = [0.0, 0.0, 0.0], normal = [0.0, 0.0, 1.0] }
        """
    )
    told = dem.load(tmp_path / "rain.toml")
    out = dem.Outlet(dem.Plane((0, 0, 0), (0, 0, 1)), recycle="rain")
    said = dem.Simulation(None, inserters=[rain()], outlets=[out], time_step=1e-4)
    for sim in (told, said):
        sim.step(420)
    assert said.outlets[0].number > 0
    assert digest(told) == digest(said)
