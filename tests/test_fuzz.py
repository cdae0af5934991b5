"""Malformed input at every entry point: a clear error, no traceback, no hang, nothing half-written or accepted."""

import copy
import math
import shutil
import string

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.extra import numpy as arrays
from typer.testing import CliRunner

import dem
from dem.casefile.load import resolved
from dem.casefile.toml import tomllib
from dem.cli.application import app

FEW, MANY = 12, 1500
EXAMPLES = [FEW, pytest.param(MANY, marks=pytest.mark.nightly)]
COMPLAINTS = (ValueError, TypeError, OSError)

numbers = st.one_of(
    st.floats(), st.integers(-(2**70), 2**70), st.sampled_from([0, -0.0, math.nan, math.inf, 1e-320, 1e308, 2**63])
)
texts = st.text(string.printable, max_size=12)
things = st.one_of(numbers, texts, st.none(), st.booleans(), st.lists(numbers, max_size=4), st.binary(max_size=8))


def fuzz(count, **strategies):
    """Run a property so often; the same examples every time."""

    def decorate(check):
        return settings(
            max_examples=count, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
        )(given(**strategies)(check))

    return decorate


def in_range(value, low, high):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and low < value < high


@pytest.mark.parametrize("count", EXAMPLES)
@pytest.mark.slow
def test_materials(count):
    @fuzz(count, young=things, poisson=things, density=things, restitution=things, friction=things)
    def check(young, poisson, density, restitution, friction):
        try:
            made = dem.Material(
                young=young, poisson=poisson, density=density, restitution=restitution, friction=friction
            )
        except COMPLAINTS:
            return
        assert 0 < made.young < math.inf
        assert -1 < made.poisson <= 0.5
        assert 0 < made.density < math.inf
        assert 0 < made.restitution <= 1
        assert 0 <= made.friction < math.inf

    check()


@pytest.mark.long
@pytest.mark.parametrize("count", EXAMPLES)
def test_shapes(count):
    nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)

    @fuzz(count, diameter=things, aspect_ratio=things, spheres=things, spacing=things, offsets=things, radii=things)
    def check(diameter, aspect_ratio, spheres, spacing, offsets, radii):
        for make in (
            lambda: dem.Sphere(diameter=diameter),
            lambda: dem.Fibre(diameter=diameter, aspect_ratio=aspect_ratio),
            lambda: dem.Fibre(diameter=0.01, spheres=spheres, spacing=spacing),
            lambda: dem.Clump(offsets=offsets, radii=radii),
        ):
            try:
                made = make()
                particles = dem.Particles(made, nylon, position=[[0, 0, 0]])
            except (*COMPLAINTS, MemoryError, OverflowError):
                continue
            assert np.isfinite(made.offsets).all()
            assert (np.asarray(made.radii) > 0).all()
            assert 0 < particles.mass[0] < math.inf
            assert (particles.inertia > 0).all()

    check()


state = arrays.arrays(
    st.sampled_from([np.float64, np.float32, np.int64, np.complex128, np.dtype("U3"), object]),
    arrays.array_shapes(max_dims=3, max_side=4),
)


@pytest.mark.parametrize("count", EXAMPLES)
@pytest.mark.slow
def test_particles(count):
    nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)

    @fuzz(count, position=state | things, orientation=state | st.none(), velocity=state | st.none())
    def check(position, orientation, velocity):
        try:
            made = dem.Particles(
                dem.Sphere(diameter=0.01), nylon, position=position, orientation=orientation, velocity=velocity
            )
        except COMPLAINTS:
            return
        assert made.position.shape == (len(made), 3)
        assert np.isfinite(made.position).all()
        assert np.isfinite(made.velocity).all()
        np.testing.assert_allclose(np.linalg.norm(made.orientation, axis=1), 1, atol=1e-5)

    check()


GOOD = """
duration = "1 ms"
time_step = "10 us"
gravity = [0, 0, "-9.81 m/s2"]
materials.nylon = { young = "50 MPa", poisson = 0.35, density = "1.1 g/cm3", restitution = 0.9 }
materials.steel = { young = 2e8, poisson = 0.3 }
shapes.bead = { type = "sphere", diameter = "5 mm" }
shapes.rod = { type = "fibre", diameter = "4 mm", aspect_ratio = 3 }
box = { upper = ["5 cm", "5 cm", "10 cm"], material = "steel", open = ["z+"], periodic = ["x"], roughness = 0.1 }
output = { frames = 3, fields = ["velocity"] }
contacts = [{ materials = ["nylon", "steel"], restitution = 0.7, friction = 0.4 }]
particles = [
    { shape = "rod", material = "nylon", position = [["1 cm", 0.02, 0.03]], velocity = [1, 0, 0] },
    { shape = "bead", material = "nylon", lattice = { sites = [2, 2, 2], pitch = "1 cm", lower = [0.02, 0, 0.05] } },
]
"""


def places(content, path=()):
    """Paths to all that stands in a case file."""
    items = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    return [path, *(place for key, each in items for place in places(each, (*path, key)))]


@pytest.mark.parametrize("count", EXAMPLES)
def test_case_files(count):
    """Something in a good one is replaced, taken out, or goes by another name."""
    good = tomllib.loads(GOOD)
    values = things | st.sampled_from(
        ["1 furlong", "10 kg", "1e400 m", "-5 mm", "nan s", {}, [[]], [{}], "nylon", "auto"]
    )

    @fuzz(count, place=st.sampled_from(places(good)[1:]), value=values, deed=st.sampled_from(["put", "take", "rename"]))
    def check(place, value, deed):
        content = copy.deepcopy(good)
        *parents, last = place
        node = content
        for key in parents:
            node = node[key]
        if deed == "put" or isinstance(node, list):
            node[last] = value
        else:
            taken = node.pop(last)
            if deed == "rename":
                node[str(value)] = taken
        try:
            chosen = resolved(content, "fuzzed")
            sim = chosen.case.simulation()
        except COMPLAINTS:
            return
        for name in ("position", "velocity", "orientation"):
            assert np.isfinite(getattr(sim.particles, name)).all()
        assert 0 < chosen.case.duration < math.inf
        assert chosen.case.frames > 0
        assert np.isfinite(sim.gravity).all()

    check()


@pytest.mark.parametrize("count", EXAMPLES)
@pytest.mark.few(1)
def test_texts_of_case_files(count, tmp_path):
    """Characters are put in, taken out or replaced anywhere."""
    path = tmp_path / "mine.toml"
    changes = st.lists(
        st.tuples(st.integers(0, len(GOOD)), st.integers(0, 5), st.text(max_size=4)), min_size=1, max_size=4
    )

    @fuzz(count, changes=changes)
    def check(changes):
        text = GOOD
        for at, gone, new in changes:
            text = text[:at] + new + text[at + gone :]
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        result = CliRunner().invoke(app, ["run", str(path), "--frames", "0"], catch_exceptions=False)
        assert result.exit_code == 2  # no frames are wrong in any case
        assert result.stderr.startswith("dem: ")
        assert [p.name for p in tmp_path.iterdir()] == ["mine.toml"]

    check()


@pytest.fixture(scope="module")
def trajectory(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "run.h5"
    dem.cases()["single-fibre"](time_step=1e-5, threads=1).simulation().run(0.002, output=path, frames=4)
    return path


READERS = (["info"], ["rerun", "--quiet"], ["repair"], ["run", "--quiet", "--resume"])


@pytest.mark.parametrize("count", [12, pytest.param(1000, marks=pytest.mark.nightly)])
@pytest.mark.slow
def test_broken_files(count, trajectory, tmp_path):
    """Cut anywhere, with bytes changed anywhere, or with anything in it."""
    whole = trajectory.read_bytes()
    changes = st.lists(st.tuples(st.integers(0, len(whole) - 1), st.binary(min_size=1, max_size=16)), max_size=6)

    @fuzz(count, cut=st.integers(0, len(whole)), changes=changes, rubbish=st.none() | st.binary(max_size=200))
    def check(cut, changes, rubbish):
        folder = tmp_path / "one"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        data = bytearray(whole[: cut if not changes else len(whole)] if rubbish is None else rubbish)
        for at, new in changes if rubbish is None else ():
            data[at : at + len(new)] = new
        path = folder / "run.h5"
        for words in READERS:
            path.write_bytes(data)
            result = CliRunner().invoke(app, [*words, str(path)], catch_exceptions=False)
            assert result.exit_code in {0, 1, 2}, result.output
            assert "Traceback" not in result.output
            if result.exit_code == 2:
                assert result.stderr.startswith("dem: ")
                assert path.read_bytes() == bytes(data)
            left = {p.name for p in folder.iterdir()}
            assert left <= {"run.h5", "run-repaired.h5"}
            (folder / "run-repaired.h5").unlink(missing_ok=True)

    check()


words = st.one_of(
    st.sampled_from(
        [
            "run",
            "info",
            "cases",
            "integrators",
            "check",
            "init",
            "plot",
            "export",
            "repair",
            "rerun",
            "bench",
            "--quiet",
        ]
    ),
    st.sampled_from(["nine-fibres", "run.h5", "-o", "--frames", "--duration", "--time-step", "--set", "--resume"]),
    st.sampled_from(["0", "-1", "nan", "1e400", "young=0", "velocity=1,2", "=", "--to", "csv", "", "\x00", "..", "/"]),
    st.text(string.printable, max_size=8),
)


@pytest.mark.parametrize("count", EXAMPLES)
@pytest.mark.few(1)
def test_command_lines(count, tmp_path, monkeypatch):
    """Every one of them is wrong, or asks for nothing long: a bad value goes with each run."""
    monkeypatch.chdir(tmp_path)
    bad = st.sampled_from([["--frames", "0"], ["--duration", "-1"], ["--time-step", "nan"], ["--threads", "0"],
                           ["--set", "young=-1"], ["--nonsense"], ["--integrator", "verlet"]])  # fmt: skip

    @fuzz(count, line=st.lists(words, max_size=5), bad=bad)
    def check(line, bad):
        if "bench" in line or "validate" in line:
            line = [*line, "--share", "nan"]
        line = [*line, *bad] if "run" in line else line
        result = CliRunner().invoke(app, line, catch_exceptions=False)
        assert result.exit_code in {0, 1, 2}
        assert "Traceback" not in result.output
        assert not list(tmp_path.glob("*.h5*"))

    check()
