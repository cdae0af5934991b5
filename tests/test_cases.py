"""Built-in cases: published set-ups, and starts without overlap."""

import math
from importlib.metadata import EntryPoint, entry_points

import numpy as np
import oracle
import pytest
from dem.cases.heat import HeatedBed
from scipy.spatial import cKDTree
from typer.testing import CliRunner

import dem
from dem.case import StudyCase
from dem.case.find import case, with_parameters
from dem.cli.application import app
from dem.rotation.study import rub_cylinders

HARD = ("hard-spheres", "granular-cooling")
STOCHASTIC = ("stochastic-cooling", "turbulent-gas")
IMMERSED = (
    "settling-spheres",
    "settling-fibres",
    "jeffery-orbit",
    "sheared-fibres",
    "cellular-fibres",
    "fibres-in-water",
)
ROTATION = ("torque-sphere", "symmetric-top", "torque-cylinder", "coupled-cylinders")


def test_all_cases_are_found_through_the_entry_points():
    assert set(dem.cases()) >= {
        "single-fibre",
        "nine-fibres",
        "many-fibres",
        "many-spheres",
        "fluidised-bed",
        *HARD,
        *STOCHASTIC,
        *IMMERSED,
        *ROTATION,
    }
    for name, kind in dem.cases().items():
        hard = dem.HardSphereCase if name in HARD else dem.StochasticCase if name in STOCHASTIC else dem.Case
        assert issubclass(kind, StudyCase if name in (*ROTATION, "rough-wall") else hard)
        assert kind.name == name


@pytest.mark.parametrize("name", ["single-fibre", "nine-fibres", "many-fibres", "many-spheres"])
@pytest.mark.few(2)
def test_every_case_runs(name, tmp_path):
    case = dem.cases()[name](**({"n": 50} if name.startswith("many") else {}), time_step=1e-5)
    verdict = case.simulation().run(0.01, output=tmp_path / "run.h5", frames=2)
    assert verdict.passed
    assert verdict.steps == 1000


def test_single_fibre_is_the_published_one():
    """Middle of a unit cube, at rest, 30 degrees from the floor, z up."""
    sim = dem.cases()["single-fibre"]().simulation()
    centre = oracle.spheres(sim.particles)[0]
    axis = (centre[-1] - centre[0]) / np.linalg.norm(centre[-1] - centre[0])
    assert axis[2] == pytest.approx(0.5)
    np.testing.assert_array_equal(sim.particles.position, [[0.5, 0.5, 0.5]])
    assert not sim.particles.velocity.any()
    assert sim.gravity == (0, 0, -9.81)


def test_nine_fibres_are_the_published_ones():
    sim = dem.cases()["nine-fibres"]().simulation()
    assert sorted(map(tuple, sim.particles.position)) == [
        (x, y, 0.5) for x in (0.25, 0.5, 0.75) for y in (0.25, 0.5, 0.75)
    ]
    centre = oracle.spheres(sim.particles)[0].reshape(9, 5, 3)
    axis = (centre[:, -1] - centre[:, 0]) / 0.02
    np.testing.assert_allclose(axis, [[np.cos(np.radians(75)), np.sin(np.radians(75)), 0]] * 9, atol=1e-14)
    np.testing.assert_array_equal(sim.particles.velocity, [[1, -1, 0]] * 9)


@pytest.mark.parametrize(("name", "parameters"), [
    ("many-fibres", {"n": 700}), ("many-fibres", {"n": 300, "spacing": 1.74}),
    ("many-fibres", {"n": 90, "aspect_ratio": 6, "spheres": 11, "spacing": 3.5}), ("many-spheres", {"n": 1001}),
])  # fmt: skip
@pytest.mark.few(1)
def test_random_starts_do_not_overlap(name, parameters):
    particles, box = dem.cases()[name](**parameters).build()
    centre, radius, owner, _ = oracle.spheres(particles)
    assert (centre - radius[:, None] >= box.lower).all()
    assert (centre + radius[:, None] <= box.upper).all()
    pairs = cKDTree(centre).query_pairs(2 * radius.max() * 0.999999, output_type="ndarray")
    assert (owner[pairs[:, 0]] == owner[pairs[:, 1]]).all()


def test_random_starts_are_seeded():
    kind = dem.cases()["many-fibres"]
    one, two, other = (kind(n=40, seed=s).build()[0] for s in (7, 7, 8))
    np.testing.assert_array_equal(one.orientation, two.orientation)
    assert not np.array_equal(one.velocity, other.velocity)


def test_random_fibres_point_everywhere():
    """Second moments of the directions are those of the isotropic distribution within four standard errors."""
    particles, _ = dem.cases()["many-fibres"](n=8000, spacing=3.1).build()
    axis = oracle.Rotation.from_quat(particles.orientation, scalar_first=True).apply([1.0, 0, 0])
    # variance of x² on the sphere is 4/45
    np.testing.assert_allclose((axis**2).mean(0), 1 / 3, atol=4 * np.sqrt(4 / 45 / 8000))


@pytest.mark.slow
def test_a_one_shape_many_radii_box_runs(nylon, rng):
    """Polydisperse spheres, one shape each."""
    grid = np.stack(np.meshgrid(*[np.arange(5)] * 3), -1).reshape(-1, 3) * 0.021 + 0.011
    balls = dem.Particles([dem.Sphere(diameter=d) for d in rng.uniform(0.002, 0.02, 125)], nylon, position=grid,
                          velocity=rng.normal(0, 1, (125, 3)))  # fmt: skip
    sim = dem.Simulation(balls, dem.Box((0, 0, 0), (0.106,) * 3, material=nylon), time_step=2e-6)
    assert sim.run(0.02).passed


@pytest.mark.slow
def test_a_packed_bed_in_air_warms_as_measured():
    """Beaulieu (2020): steel beads of 6.4 mm on a plate of 53 °C, at 40, 60 and 73 mm after 2000 and 4000 s; ± 2 K."""
    case = HeatedBed()
    sim, found = case.simulation(), []
    for _ in range(2):
        sim.step(round(0.5 * case.duration / case.time_step))
        found += case.profile(sim.particles.position[:, 2], sim.particles.temperature, (0.04, 0.06, 0.073))
    np.testing.assert_allclose(np.array(found) - 273.15, [27.2, 22.1, 20.9, 33.2, 26.3, 23.9], atol=1.0)
    assert case.solid_fraction(sim.particles.position[:, 2]) == pytest.approx(0.58, abs=0.03)
    assert abs(sim.heat.imbalance) < 1e-14 * sim.heat.content


def test_a_broken_case_of_another_package_does_not_hide_the_others(monkeypatch):
    mine = [EntryPoint("broken", "dem.cases.nine_fibres:Nope", "dem.cases"), EntryPoint("odd", "math:pi", "dem.cases")]
    installed = entry_points(group="dem.cases")
    monkeypatch.setattr("dem.case.find.installed", lambda: {entry.name: entry for entry in (*installed, *mine)})
    listed = CliRunner().invoke(app, ["cases"])
    assert listed.exit_code == 0
    assert "Nine fibres are thrown" in listed.stdout
    assert "case broken cannot be loaded from dem.cases.nine_fibres:Nope: AttributeError" in listed.stdout
    assert "case odd: math:pi is no dem.Case" in listed.stdout


@pytest.mark.parametrize(("name", "parameters", "most"), [
    ("torque-sphere", {}, 6e-7), ("symmetric-top", {"integrator": "splitting"}, 1e-10),
    ("torque-cylinder", {}, 2.5e-4), ("torque-cylinder", {"torque_frame": "body"}, 5e-6),
])  # fmt: skip
@pytest.mark.few(1)
def test_rotation_cases_meet_their_solutions(name, parameters, most):
    """Bounds: what an independent implementation of the default scheme leaves at these steps, or rounding."""
    case = dem.cases()[name](**parameters)
    history = case.history()
    assert len(history.time) == 201
    assert case.errors(history).max() < most


@pytest.mark.slow
def test_exact_orientations_of_the_rotation_cases():
    sphere, top = (dem.cases()[name]() for name in ("torque-sphere", "symmetric-top"))
    np.testing.assert_allclose(sphere.exact(np.array([0.7]))[0], oracle.sphere_orientation(0.7), atol=1e-14)
    np.testing.assert_allclose(
        top.exact(np.array([70.0]))[0], oracle.top_orientation(top.inertia(), top.start, 70.0), atol=1e-13
    )


@pytest.mark.parametrize(("name", "error"), [("improved-pcdm", 1.6e-7), ("splitting", 1.6e-7), ("pcdm", 2.34e-4)])
@pytest.mark.few(1)
def test_coupled_cylinders(name, error):
    """Seelen et al. 3.4 at dt = 1e-3: largest relative error of the first angular velocity, two or three digits."""
    case = dem.cases()["coupled-cylinders"]()
    exact = case.exact(np.arange(10_001) * 1e-3)
    np.testing.assert_allclose(exact[-1], (0.5204964846892959, -0.2164597980461267), rtol=1e-14)
    found = case.angular_velocities(name)
    assert np.abs(found[:, 0] / exact[:, 0] - 1).max() == pytest.approx(error, rel=0.05)


def test_coupled_cylinders_with_the_output_as_printed():
    """The paper's whole-step output, the prediction omega_n + dt rate_n, is off by 2.4e-7 instead."""
    case = dem.cases()["coupled-cylinders"]()
    omega, dt = case.angular_velocities("improved-pcdm")[:, 0], 1e-3
    rate = np.empty_like(omega)
    rate[0] = -5.4 * 2.96 / case.inertia()[0]  # slip 2 · 1 + 0.4 · 2.4 m/s, radius 1 m
    for n in range(len(omega) - 1):  # omega_{n+1} = omega_n + dt (rate_n + rate_{n+1})/2
        rate[n + 1] = 2 * (omega[n + 1] - omega[n]) / dt - rate[n]
    exact = case.exact(np.arange(1, 10_001) * dt)[:, 0]
    assert np.abs((omega + dt * rate)[:-1] / exact - 1).max() == pytest.approx(2.4e-7, rel=0.05)


@pytest.mark.parametrize("name", ROTATION)
@pytest.mark.few(1)
def test_rotation_cases_run_from_the_command_line(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["run", name])
    assert done.exit_code == 0
    assert f"{name}.csv: " in done.stdout
    table = np.genfromtxt(f"{name}.csv", delimiter=",", names=True)
    assert table["time_s"][0] == 0
    few = CliRunner().invoke(app, ["run", name, "--frames", "7", "-o", "few.csv"])
    assert few.exit_code == 0
    assert 8 <= len(np.genfromtxt("few.csv", skip_header=1, delimiter=",")) <= 16
    assert np.genfromtxt("few.csv", skip_header=1, delimiter=",")[-1, 0] == pytest.approx(table["time_s"][-1])
    nowhere = CliRunner().invoke(app, ["run", name, "-o", "no/such/folder.csv"])
    assert "there is no folder no/such" in nowhere.stderr
    refused = CliRunner().invoke(app, ["run", name, "-o", f"{name}.csv"])
    assert refused.exit_code == 2
    assert f"output {name}.csv exists already" in refused.stderr


def test_cylinders_that_speed_up_are_refused():
    with pytest.raises(FloatingPointError, match="the cylinders speed up with improved-pcdm: lower time_step"):
        dem.cases()["coupled-cylinders"](time_step=2.5).angular_velocities()


@pytest.mark.parametrize(
    ("argument", "value", "error"),
    [
        ("inertia", (0.0, 1.0), r"inertia\[0\] is 0, expected a finite number above 0"),
        ("radii", (1.0, -2.0), r"radii\[1\] is -2, expected a finite number above 0"),
        ("radii", (1.0,), r"radii has shape \(1,\), expected \(2,\)"),
        ("friction", -1.0, "friction is -1 kg/s, expected a finite number at least 0"),
        ("angular_velocity", (1.0, math.nan), "angular_velocity is not finite in 1 place"),
    ],
)
def test_cylinders_that_cannot_be_are_refused(argument, value, error):
    given = {"radii": (1, 2), "friction": 1.0, "inertia": (1, 1), "angular_velocity": (1, 1), argument: value}
    with pytest.raises(ValueError, match=error):
        rub_cylinders("pcdm", **given, time_step=0.1, steps=3)


@pytest.mark.slow
def test_rough_walls_scatter_velocities_of_spheres_and_spins_of_fibres():
    """For small σ a sphere's velocity turns by 2 γ in the plane of incidence and by 2 β sin α across it."""
    case = dem.cases()["rough-wall"](n=400, frames=2, roughness=0.04)
    columns, header, _ = case.table()
    rows = dict(zip(header.split(","), columns.T, strict=True))
    np.testing.assert_allclose(rows["sphere_velocity"][0], 0, atol=1e-13)
    expected = 2 * rows["roughness_rad"][1:] * np.sqrt(1.5)
    # 400 samples: 2.5 % a standard deviation; the shadow effect adds σ² at 45 degrees
    np.testing.assert_allclose(rows["sphere_velocity"][1:], expected, rtol=0.08)
    assert not rows["sphere_spin"].any()
    assert (rows["fibre_velocity"][1:] < 0.7 * rows["sphere_velocity"][1:]).all()
    assert (rows["fibre_spin"][1:] > rows["fibre_velocity"][1:]).all()


def test_a_check_of_several_parameters_says_its_message_alone():
    with pytest.raises(ValueError, match=r"^fast_until is 9 s, expected less than the duration$"):
        with_parameters(case("drum-test"), {"fast_until": "9", "fast_rate": "4"})


def test_wrong_parameters_of_a_case_are_named_in_a_line_each():
    """They raised pydantic's ValidationError, with lines about its types and a link to its pages."""
    with pytest.raises(ValueError, match=r"^gravity\.2 is missing$") as wrong:
        dem.cases()["nine-fibres"](gravity=(0, 0))
    assert type(wrong.value) is ValueError
    with pytest.raises(ValueError, match="unknown parameter of hard-spheres") as wrong:
        dem.cases()["hard-spheres"](diametre=0.01, n=-1)
    lines = str(wrong.value).splitlines()
    assert lines[0] == "n is -1: input should be greater than 0"
    assert lines[1].startswith("unknown parameter of hard-spheres 'diametre': did you mean diameter? known are ")
