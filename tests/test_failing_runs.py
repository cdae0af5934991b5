"""Failing runs: the message names the cause, the exit status is not 0, and the earlier frames are stored."""

import copy
import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import dem
from dem.cli.application import app
from dem.run.replay import states
from dem.soft.crash_recorder import KEPT
from dem.soft.run_errors import BrokenRunError

NYLON = dem.Material(young=5e7, poisson=0.35, density=1100.0)
BALL = dem.Sphere(diameter=0.01)
FIBRE = dem.Fibre(diameter=0.01, aspect_ratio=3)
CUBE = dem.Box((-0.1, -0.1, -0.1), (0.1, 0.1, 0.1), NYLON)
DT = 1e-5  # 40 steps in an impact at 1 m/s


class Accident(dem.Case):
    """Two particles in a box, of which one is thrown at the floor."""

    name = "accident"
    duration: float = 0.05
    time_step: float = DT
    frames: int = 50
    threads: int = 1
    fibres: bool = False
    density: float = 1100.0
    young: float = 5e7
    speed: float = 1.0
    second: tuple[float, float, float] = (0.05, 0.05, 0.08)
    poison: int = 0  # step at which a velocity becomes NaN

    def build(self):
        stuff = dem.Material(young=self.young, poisson=0.35, density=self.density)
        position, velocity = [(0.05, 0.05, 0.03), self.second], [(0, 0, -self.speed), (0, 0, 0)]
        pair = dem.Particles(FIBRE if self.fibres else BALL, stuff, position=position, velocity=velocity)
        return pair, dem.Box((0, 0, 0), (0.1, 0.1, 0.1), stuff)

    def simulation(self):
        sim = super().simulation()
        if self.poison:
            plain = sim.step

            def step(steps=1):
                if sim.step_count < self.poison <= sim.step_count + steps:
                    plain(self.poison - sim.step_count)
                    sim._engine.bodies.velocity[2, list(sim._engine.bodies.identity).index(1)] = np.nan
                plain(steps)

            vars(sim)["step"] = step
        return sim


@pytest.fixture
def cli(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dem.casefile.choose.case", lambda _: Accident)
    return lambda *words: CliRunner().invoke(app, ["run", "accident", *words, "-o", "a.h5"], catch_exceptions=False)


def test_the_run_without_an_accident_passes_in_silence(cli, tmp_path):
    result = cli()
    # Kernels that are not in the cache yet are compiled aloud; which ones depends on the tests before this one.
    said = re.sub(r"^compiling kernels \(.*\): .*, [\d.]+ s\n", "", result.stderr, flags=re.MULTILINE)
    assert (result.exit_code, said) == (0, "")
    assert "PASS" in result.stdout
    assert [p.name for p in tmp_path.iterdir()] == ["a.h5"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--time-step", "2e-4"], "dem: coarse-time-step: time_step 0.0002 s leaves 1.6 steps to the shortest"),
        (
            ["--set", "second=0.05,0.05,0.032"],
            "dem: particles 0 and 1 overlap by 0.008 m at the start, 160% of a radius",
        ),
        (
            ["--set", "fibres=1", "--set", "second=0.05,0.05,0.03"],
            "dem: particles 0 and 1 overlap by 0.01 m at the start",
        ),
        (["--set", "second=0.05,0.05,0.2"], "dem: position of particle 1 is (0.05, 0.05, 0.2) m, outside the box from"),
        (["--set", "young=0"], "dem: young is 0 Pa, expected a finite number above 0"),
        (["--set", "gravity=0,0,-1e6"], "dem: soft-contacts: falling 0.08 m under gravity of 1e+06 m/s2 would press a"),
        (["--set", "density=1.1"], "1.1 g/cm3 would be 1100 kg/m3; give densities in kg/m3"),
        (["--set", "speed=500"], "dem: soft-contacts: a speed of 500 m/s would press a sphere on a wall in by"),
    ],
)
@pytest.mark.few(3)
def test_what_cannot_go_well_is_refused_before_the_first_step(cli, tmp_path, words, message):
    result = cli(*words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "message", "who"),
    [
        (["--time-step", "2e-4", "--set", "speed=9"], "pass through others unseen; lower time_step from 0.0002 s", 0),
        (["--set", "gravity=0,0,-1e6", "--time-step", "2e-7"], "too soft for the speeds or loads here: raise young", 0),
        (["--set", "fibres=1", "--set", "speed=500"], "particle 0 moves 0.005 m in one time step at 500", 0),
        (["--set", "young=1e3", "--set", "speed=3"], "particle 0 overlaps the wall z- by 0.0025", 0),
        (["--set", "poison=200"], "values are not numbers because they were set so", 1),
    ],
)  # fmt: skip
@pytest.mark.few(1)
def test_what_breaks_under_way_leaves_its_frames_and_the_last_steps(cli, tmp_path, words, message, who):
    forced = [] if "poison=200" in words else ["--force"]
    result = cli(*words, *forced)
    assert result.exit_code == 1
    assert message in result.stderr
    assert re.search(r"\ndem: the last (step|[1-9]\d* steps) before: dem replay a\.crash\.h5\n", result.stderr)
    assert "Traceback" not in result.stderr
    with dem.Trajectory(tmp_path / "a.h5") as run, dem.Trajectory(tmp_path / "a.crash.h5") as crash:
        assert np.isfinite(run.position[:]).all()
        assert message in run.error
        assert message in crash.error
        assert crash.event_particles == [who]
        assert np.diff(crash.step).tolist() == [1] * (len(crash) - 1)
        assert np.isfinite(crash.position[:]).all()
        assert len(run) == 1 + np.searchsorted(np.array(run.step[1:]), crash.step[-1], side="right")


def test_a_coarse_time_step_that_is_forced_does_not_pass(cli, tmp_path):
    result = cli("--time-step", "2e-4", "--force")
    assert result.exit_code == 1
    assert "dem: warning [coarse-time-step]: time_step 0.0002 s leaves 1.6 steps" in result.stderr
    assert "dem: warning [energy-error]: at step" in result.stderr
    assert "FAIL" in result.stdout
    assert re.search(r"energy error above 1%: lower time_step(;|\n)", result.stdout)  # nothing of the scheme: spheres
    with dem.Trajectory(tmp_path / "a.h5") as run:
        assert run.verdict.startswith("FAIL")


def test_a_velocity_that_is_no_number_cannot_be_assigned(tmp_path):
    sim = Accident().simulation()
    sim.run(0.01, output=tmp_path / "a.h5", frames=5)
    with pytest.raises(ValueError, match=r"velocity is not finite in 1 place, the first at \(0, 2\): nan"):
        sim.particles.velocity = [[0, 0, np.nan], [0, 0, 0]]


def test_strict_turns_warnings_into_errors(cli, tmp_path):
    coarse = ["--time-step", "3e-5"]
    loose, strict = cli(*coarse), cli(*coarse, "--strict", "--overwrite")
    assert "dem: warning [coarse-time-step]: time_step 3e-05 s leaves 11 steps" in loose.stderr
    assert strict.exit_code == 2
    assert "dem: coarse-time-step: time_step 3e-05 s" in strict.stderr


def test_strict_wants_a_verdict_without_doubts(cli):
    soft = ["--set", "young=1e6", "--set", "speed=3"]
    result = cli(*soft)
    assert (result.exit_code, result.stdout.splitlines()[-1][:5]) == (0, "WARN:")
    assert "above the 25% up to which Hertz theory" in result.stdout
    assert cli(*soft, "--overwrite", "--strict").exit_code == 1


@pytest.mark.slow
def test_an_energy_error_is_an_error_under_way_when_strict():
    coarse = dem.cases()["single-fibre"](integrator="pcdm", time_step=1e-5, threads=1)  # 18 % in 2 s
    sim = coarse.simulation()
    with pytest.warns(dem.DemWarning, match="energy-error: at step") as caught:
        sim.run(0.5)
    assert [str(w.message).partition(":")[0] for w in caught] == ["energy-error"]
    assert caught[0].message.name == "energy-error"
    sim = coarse.simulation()
    with pytest.raises(FloatingPointError, match=r"energy-error: .*turned into an error by strict"):
        sim.run(0.5, strict=True)


@pytest.mark.parametrize("name", ["single-fibre", "nine-fibres", "many-fibres", "many-spheres"])
@pytest.mark.few(1)
def test_built_in_cases_draw_no_warning(name):
    case = dem.cases()[name](threads=1)
    assert case.simulation().run(20 * case.time_step, frames=1, strict=True).status == "PASS"


def test_the_crash_file_holds_what_happened(tmp_path):
    """The same bytes as stepping there without a recorder."""
    case = Accident(time_step=2e-4, speed=4.0)
    with pytest.warns(dem.DemWarning), pytest.raises(BrokenRunError) as broken:
        case.simulation().run(10.0, output=tmp_path / "a.h5", force=True)
    assert broken.value.name == "too-fast"
    sim = case.simulation()
    with dem.Trajectory(tmp_path / "a.crash.h5") as crash:
        assert len(crash) == min(KEPT, crash.step[-1]) + 1
        for k, step in enumerate(crash.step):
            sim.step(int(step) - sim.step_count)
            for name in ("position", "velocity", "orientation", "angular_velocity"):
                assert getattr(crash, name)[k].tobytes() == getattr(sim.particles, name).tobytes()
    with pytest.raises(BrokenRunError, match=r"^step \d+ .*particle"):
        sim.step()


def test_a_run_that_breaks_in_its_first_step_shows_the_start(tmp_path):
    sim = Accident(fibres=True, speed=500.0).simulation()
    start = sim.particles.position.copy()
    with pytest.warns(dem.DemWarning), pytest.raises(BrokenRunError, match="step 0 "):
        sim.run(1.0, output=tmp_path / "a.h5", force=True)
    with dem.Trajectory(tmp_path / "a.crash.h5") as crash:
        assert crash.position[:].tobytes() == start.tobytes()


def test_a_broken_run_is_not_advised_but_says_so_again():
    sim = Accident(poison=20).simulation()
    for _ in range(2):
        with pytest.raises(
            BrokenRunError, match="position and velocity not finite for 1 of 2 particles, first particle 1"
        ):
            sim.run(0.01)


@pytest.mark.slow
def test_nothing_of_an_earlier_crash_is_overwritten(cli, tmp_path):
    words = ["--set", "poison=200"]
    (tmp_path / "a.crash.h5").write_text("precious")
    assert "steps before: dem replay a.crash-2.h5\n" in cli(*words).stderr
    assert (tmp_path / "a.crash.h5").read_text() == "precious"
    assert "cannot be shown: output a.crash.h5 is no HDF5 file" in cli(*words, "--overwrite").stderr
    (tmp_path / "a.crash-2.h5").replace(tmp_path / "a.crash.h5")
    assert "steps before: dem replay a.crash.h5" in cli(*words, "--overwrite").stderr


@pytest.mark.slow
def test_a_copy_brings_back_all_that_contacts_remember(rng):
    """Friction, rough walls and a periodic axis: from the copy it goes on to the same bytes."""
    rough = dem.Material(young=5e7, poisson=0.35, density=1100.0, restitution=0.8, friction=0.4)
    position = 0.011 * np.stack(np.meshgrid(range(3), range(3), range(3)), -1).reshape(-1, 3) + 0.0056
    balls = dem.Particles(BALL, rough, position=position, velocity=rng.normal(0, 0.5, (27, 3)))
    box = dem.Box((0, 0, 0), (0.033, 0.033, 0.05), rough, periodic=["x"], roughness=0.05)
    sim = dem.Simulation(balls, box, time_step=DT, threads=1)
    sim.step(1500)
    assert len(sim._engine.history().i) > 0
    copy = sim._engine.snapshot()
    sim.step(700)
    first = [getattr(sim.particles, name).tobytes() for name in ("position", "velocity", "angular_velocity")]
    energy = sim.energy()
    sim._engine.restore(copy)
    assert sim.step_count == 1500
    sim.step(700)
    assert first == [getattr(sim.particles, name).tobytes() for name in ("position", "velocity", "angular_velocity")]
    assert sim.energy() == energy


def test_a_deep_contact_of_large_spheres_is_no_alarm_for_small_ones():
    """Kernels come back at a share of the smallest radius; who it is decides, and coming back changes no bit."""
    shapes = [dem.Sphere(diameter=0.04), dem.Sphere(diameter=0.04), dem.Sphere(diameter=0.004)]
    states_at_end = []
    for limit in (0.15, 100.0):
        balls = dem.Particles(
            shapes, NYLON, position=[(0, 0, 0), (0.041, 0, 0), (0, 0.1, 0)], velocity=[(3, 0, 0), (-3, 0, 0), (0, 0, 0)]
        )
        sim = dem.Simulation(balls, gravity=(0, 0, 0), time_step=DT / 5, threads=1, deepest_overlap=limit)
        verdict = sim.run(0.002)
        assert verdict.largest_overlap * 0.004 > 0.5 * 0.002  # deeper than half of the small one's radius
        assert (verdict.status, verdict.overlap_share < 0.15) == ("PASS", True)
        assert "largest share of the smaller radius in a contact" in str(verdict)
        states_at_end.append(sim.particles.velocity.tobytes())
    assert states_at_end[0] == states_at_end[1]


def test_a_deep_contact_of_a_small_sphere_is_found():
    shapes = [dem.Sphere(diameter=0.04), dem.Sphere(diameter=0.004)]
    balls = dem.Particles(shapes, NYLON, position=[(0, 0, 0), (0.0225, 0, 0)], velocity=[(0, 0, 0), (-30, 0, 0)])
    sim = dem.Simulation(balls, gravity=(0, 0, 0), time_step=5e-7, threads=1, deepest_overlap=0.3)
    with pytest.raises(
        BrokenRunError, match=r"particle [01] overlaps particle 1 by .*, 3.% of the smaller radius .*too soft"
    ):
        sim.step(1000)


def test_momentum_is_kept_where_nothing_acts_from_outside():
    pair = dem.Particles(
        FIBRE, NYLON, position=[(0, 0, 0), (0.02, 0.006, 0)], orientation=[(1, 0, 0, 0), (0.6, 0, 0, 0.8)],
        velocity=[(1, 0, 0), (-1, 0, 0)],
    )  # fmt: skip
    verdict = dem.Simulation(pair, gravity=(0, 0, 0), time_step=1e-6, threads=1).run(0.02)
    assert verdict.largest_overlap > 0.001  # they met
    assert verdict.momentum_error < 1e-13
    with_walls = dem.Simulation(pair, CUBE, gravity=(0, 0, 0), time_step=1e-6, threads=1)
    assert with_walls.run(1e-5).momentum_error is None


def test_the_verdict_reckons_by_the_second():
    verdict = Accident().simulation().run(0.05)
    assert verdict.energy_rate == pytest.approx(verdict.energy_error / 0.05)
    assert verdict.energy_budget == pytest.approx(0.01 / 0.05)
    assert f"({verdict.energy_rate:.1e} a second, budget {verdict.energy_budget:.1e})" in str(verdict)


@pytest.mark.slow
def test_replay_finds_the_overlaps_that_the_engine_has(cli, tmp_path):
    """Against the engine's own, for fibres on the floor and on each other."""
    sim = Accident(fibres=True, second=(0.05, 0.05, 0.042), speed=2.0).simulation()
    sim.run(0.04, output=tmp_path / "b.h5", frames=200)
    again, met = Accident(fibres=True, second=(0.05, 0.05, 0.042), speed=2.0).simulation(), set()
    with dem.Trajectory(tmp_path / "b.h5") as run:
        for k, frame in enumerate(states(run, [0, 1])):
            again.step(int(run.step[k]) - again.step_count)
            deepest = again._engine.overlaps().deepest()
            found = max((t for s in frame for t in s.touches), key=lambda t: t.share, default=None)
            if found is None:
                assert deepest.share <= 1e-12
            else:
                np.testing.assert_allclose([found.overlap, found.share], [deepest.overlap, deepest.share], atol=1e-15)
                met.add(found.partner)
    assert "the wall z-" in met
    assert met & {"particle 0", "particle 1"}


@pytest.mark.slow
def test_replay_steps_through_a_crash(cli, tmp_path):
    cli("--set", "young=1e3", "--set", "speed=3", "--force")
    show = lambda *words: CliRunner().invoke(app, ["replay", "a.crash.h5", *words], catch_exceptions=False)  # noqa: E731
    result = show("--last", "2", "--plot", "a.png")
    assert result.exit_code == 0
    assert result.stdout.count("\nstep ") == 1  # and one in the first line
    assert "overlaps the wall z- by 0.0025" in result.stdout
    assert "BrokenRunError: step" in result.stdout
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    told = CliRunner().invoke(app, ["info", "a.crash.h5"]).stdout
    assert "\nverdict    none: the run broke\nerror " in told
    assert "a.png exists already" in show("--plot", "a.png").stderr
    assert "ends in nothing, but a picture is drawn: let it end in .png or" in show("--plot", "a").stderr
    assert "ends in .h5, but a picture is drawn: let it end in .png or .pdf" in show("--plot", "b.h5").stderr
    assert "particle is 7, expected 0 to 1" in show("--particle", "7").stderr


def test_the_input_of_a_crash_is_that_of_the_run(cli, tmp_path):
    cli("--set", "poison=200")
    with dem.Trajectory(tmp_path / "a.h5") as run, dem.Trajectory(tmp_path / "a.crash.h5") as crash:
        assert json.dumps(run.input) == json.dumps(crash.input)


# ---- scale invariance


def scaled(length, mass, time, *, restitution, friction):
    """Three fibres and two balls that meet and hit the floor, in other units."""
    stuff = dem.Material(
        young=5e7 * mass / length / time**2, poisson=0.35, density=1100 * mass / length**3, restitution=restitution,
        friction=friction,
    )  # fmt: skip
    fibre = dem.Fibre(diameter=0.01 * length, spheres=5, spacing=0.005 * length)
    speed = length / time
    fibres = dem.Particles(
        fibre, stuff, position=np.array([(0.05, 0.05, 0.02), (0.05, 0.055, 0.033), (0.05, 0.05, 0.05)]) * length,
        orientation=[(1, 0, 0, 0), (0.6, 0, 0, 0.8), (0.28, 0.96, 0, 0)],
        velocity=np.array([(0, 0, -1.0), (0, 0.1, -2.0), (0.3, 0, -3.0)]) * speed,
        angular_velocity=np.full((3, 3), 9.0) / time,
    )  # fmt: skip
    balls = dem.Particles(
        dem.Sphere(diameter=0.01 * length), stuff, position=np.array([(0.03, 0.05, 0.01), (0.07, 0.05, 0.01)]) * length,
        velocity=np.array([(1.0, 0, 0), (-1.0, 0, 0)]) * speed,
    )  # fmt: skip
    box = dem.Box((0, 0, 0), (0.1 * length, 0.1 * length, 0.1 * length), stuff)
    return dem.Simulation(
        dem.Particles.concatenate([fibres, balls]), box, gravity=(0, 0, -9.81 * length / time**2),
        time_step=1e-5 * time, threads=1,
    )  # fmt: skip


@pytest.mark.parametrize(("restitution", "friction"), [(1.0, 0.0), (0.8, 0.3)])
@pytest.mark.parametrize(
    ("length", "mass", "time"),
    [(4.0**-4, 4.0**-3, 4.0**-2), (4.0**4, 4.0**13, 4.0**5)],
    ids=["inertia of 1e-14 kg m2", "inertia of 1e6 kg m2"],
)
def test_no_scale_is_built_in(length, mass, time, restitution, friction):
    """Units four, or a power of it, times as large: the same bytes, scaled. Square roots of the factors are exact."""
    one = scaled(1.0, 1.0, 1.0, restitution=restitution, friction=friction)
    other = scaled(length, mass, time, restitution=restitution, friction=friction)
    for sim in (one, other):
        sim.step(3000)
    factors = {"position": length, "velocity": length / time, "orientation": 1.0, "angular_velocity": 1 / time}
    for name, factor in factors.items():
        assert (getattr(one.particles, name) * factor).tobytes() == getattr(other.particles, name).tobytes(), name
    joule = mass * length**2 / time**2
    assert [e * joule for e in one.energy()] == list(other.energy())
    assert one.energy_error == other.energy_error
    assert one.verdict().largest_overlap == other.verdict().largest_overlap
    assert one.advice().steps_per_contact == pytest.approx(other.advice().steps_per_contact, rel=1e-12)
    assert one._engine.run_state.largest_overlap[0] > 0


def test_a_run_that_broke_is_not_saved(tmp_path):
    """A file of it would load and go on, as if nothing had happened, until the state is assigned to."""
    sim = Accident(speed=2e3).simulation()
    with pytest.raises(BrokenRunError) as broken:
        sim.step(10)
    for ask in (lambda: sim.save(tmp_path / "a.h5"), lambda: copy.copy(sim)):
        with pytest.raises(BrokenRunError, match=re.escape(str(broken.value))):
            ask()
    assert not list(tmp_path.iterdir())
    sim.particles.velocity = [[0, 0, 0], [0, 0, 0]]
    sim.save(tmp_path / "a.h5")
    assert dem.Simulation.load(tmp_path / "a.h5").particles.position.tobytes() == sim.particles.position.tobytes()
