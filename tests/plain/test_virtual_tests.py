"""Virtual tests: their observables on places and loads with known answers, and short runs of one particle."""

import math
import re
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from dem.cases.flow_energy import FlowEnergy
from dem.cases.jenike_shear import JenikeShear
from dem.cases.shear_testers import RingShear, ShearHead
from dem.cases.single_particle import Drop, Incline, RollingPendulum
from typer.testing import CliRunner

import dem
from dem.calibration.study import read_study
from dem.cli.application import app
from dem.statistics import Spheres

SHORT = {"duration": 0.03}


def run_of(case, frames, time=None, walls=()):
    """What observables see of a run: grains of 2 g at places (T, N, 3), and loads on walls by name, forces (T, 3).

    Torques and positions of walls may follow the forces (T, 9).
    """
    places = np.array(frames, float)
    if places.ndim == 2:
        places = np.stack([places, places])
    n, time = places.shape[1], np.linspace(0, case.duration, len(places)) if time is None else np.array(time)

    class Run(SimpleNamespace):
        def __len__(self):
            return len(places)

        def spheres(self, k):
            return Spheres(places[k], np.full(n, 0.5 * case.diameter), np.arange(n))

    loads = [
        SimpleNamespace(
            name=name, mean_force=np.array(load, float)[:, :3], mean_torque=np.array(load, float)[:, 3:6],
            position=np.array(load, float)[:, 6:],
        )
        for name, load in dict(walls).items()
    ]  # fmt: skip
    return Run(time=time, position=places, mass=np.full(n, 2e-3), walls=loads)


def observed(case, run):
    """Observables, of which the case lists the names."""
    found = case.observables(run)
    assert {*found} == {*case.observable_names}
    return found


def wedge(d, low, high, height, angle, *, falls):
    """Grains in columns of a diameter under a line that has a height at the higher end."""
    columns = np.arange(low + 0.5 * d, high, d)
    away = columns - low if falls > 0 else high - columns
    tops = height - math.tan(math.radians(angle)) * away
    return [(x, 0.0, z - 0.5 * d) for x, top in zip(columns, tops, strict=True) for z in (top, 0.3 * top) if top > d]


@pytest.mark.parametrize("steps", np.linspace(3.0, 4.0, 41))
def test_grains_on_lattice_sites_overlap_no_wall_whatever_the_width(steps):
    """In a cube of three to four lattice steps; images of grains in a periodic one do not overlap either."""
    case = dem.cases()["heap"](n=27)
    width, r = steps * 1.1 * case.diameter, 0.5 * case.diameter
    x = case.grains(lambda x, _y, _z: np.isfinite(x), (0, 0, 0), (width,) * 3).position
    assert x.min() > r
    assert x.max() < width - r


def test_a_slope_on_a_ledge_has_its_angle_and_its_mass():
    case = dem.cases()["ledge"](width=0.06)
    grains = wedge(case.diameter, 0.0, 0.06, 0.035, 25.0, falls=1)
    found = observed(case, run_of(case, [*grains, (0.2, 0, -0.04), (0.3, 0, -0.04)]))
    assert found["angle_deg"] == pytest.approx(25.0, abs=0.5)
    assert found["left_kg"] == pytest.approx(2e-3 * len(grains))


def test_a_draw_down_has_two_angles_mass_left_and_rate():
    case = dem.cases()["draw-down"](drop=0.05)
    d, gap, half = case.diameter, 0.5 * case.slot, 0.5 * case.width
    above = wedge(d, gap, half, 0.03, 32.0, falls=-1) + wedge(d, -half, -gap, 0.03, 32.0, falls=1)
    flanks = wedge(d, 0, half, 0.02, 24.0, falls=1) + wedge(d, -half, 0, 0.02, 24.0, falls=-1)
    below = [(x, y, z + d - 0.05) for x, y, z in flanks]
    start = [*above, *((x, y, 0.01) for x, y, _ in below)]
    middle = [*above, *(at if k % 2 else (at[0], at[1], 0.01) for k, at in enumerate(below))]
    end = [*above, *below]
    found = observed(case, run_of(case, [start, middle, end], time=[0.0, 1.0, 2.0]))
    assert found["upper_angle_deg"] == pytest.approx(32.0, abs=0.5)
    assert found["lower_angle_deg"] == pytest.approx(24.0, abs=0.7)
    assert found["left_kg"] == pytest.approx(2e-3 * len(above))
    assert found["rate_kg_per_s"] == pytest.approx(1e-3 * len(below), rel=0.1)


def test_a_half_full_drum_is_seen_half_full_with_a_straight_surface():
    case = dem.cases()["drum-test"]()
    step, r = 0.3 * case.diameter, case.radius
    x, z = (each.ravel() for each in np.meshgrid(np.arange(-r, r, step), np.arange(-r, r, step)))
    slope = math.radians(30)
    away = (z - math.tan(slope) * x) * math.cos(slope)  # of a centre from the surface
    inside = (np.hypot(x, z) < r - 0.5 * case.diameter) & (away < -0.5 * case.diameter)
    grains = np.column_stack([x, 0 * x, z])[inside]
    found = observed(case, run_of(case, grains))
    assert found["occupied_mm2"] == pytest.approx(1e6 * 0.5 * math.pi * r * r, rel=0.05)  # rounded in the corners
    for name in ("angle_deg", "upper_angle_deg", "lower_angle_deg"):
        assert found[name] == pytest.approx(30.0, abs=1.5)
    heights = [1e3 * math.tan(slope) * share * r for share in (-0.5, -0.25, 0, 0.25, 0.5)]
    assert [found[f"height_{k}_mm"] for k in range(1, 6)] == pytest.approx(heights, abs=1.2)


def test_a_drum_that_turns_fast_first_is_observed_in_the_second_half_of_each_part():
    """One grain that is at another height in each quarter of the run, of which two are observed."""
    case = dem.cases()["drum-test"](rate=1.5, fast_rate=4.5, fast_until=1.0, duration=2.0)
    time = np.linspace(0.0, 2.0, 41)
    quarters = np.minimum(np.maximum(np.ceil(time / 0.5 - 1e-9).astype(int), 1), 4)
    disc = np.linspace(-0.03, 0.03, 40)
    frames = [[(x, 0.0, -0.02 + 0.005 * k) for x in disc] for k in quarters]
    found = observed(case, run_of(case, frames, time=time))
    assert found["fast_height_3_mm"] == pytest.approx(1e3 * (-0.01 + 0.5 * case.diameter), abs=0.5)  # a pixel
    assert found["height_3_mm"] == pytest.approx(1e3 * (0.0 + 0.5 * case.diameter), abs=0.5)
    (drum,) = case.walls()
    assert sum(each.rate * (min(each.stop, 2.0) - each.start) for each in drum.motion) == pytest.approx(-6.0)
    with pytest.raises(ValueError, match="fast_until is 1 s, expected less than the duration"):
        dem.cases()["drum-test"](fast_rate=4.5, fast_until=1.0, duration=0.9)


def test_a_piston_moves_down_to_the_height_of_the_sample():
    with pytest.raises(
        ValueError, match=r"height is 0.034 m, expected less than that of the piston at the start, 0.03 m"
    ):
        dem.cases()["uniaxial-compression"](n=20)


def test_densities_before_and_after_tapping_are_those_of_the_lattices():
    """Simple cubic lattices, the second one closer by a tenth along z: π/6 d³/a³ of the density of the solid."""
    case = dem.cases()["bulk-density"](radius=0.02, diameter=2e-3)
    axis = np.arange(-0.03, 0.03, 2e-3) + 1e-3
    x, y, z = (each.ravel() for each in np.meshgrid(axis, axis, np.arange(1e-3, 0.04, 2e-3)))
    half = 0.5 * math.sqrt(math.pi) * case.radius
    there = (abs(x) < half) & (abs(y) < half)
    loose = np.column_stack([x, y, z])[there]
    shape = (np.unique(x[there]).size * 2e-3) ** 2 / (2 * half) ** 2  # the square holds whole rows
    run = run_of(case, [loose, loose * (1, 1, 0.9)], time=[0.0, case.duration])
    found = observed(case, run)
    assert found["poured_kg_per_m3"] == pytest.approx(case.density * math.pi / 6 * shape, rel=0.02)
    assert found["hausner_ratio"] == pytest.approx(1 / 0.9, rel=0.02)
    assert found["tapped_kg_per_m3"] == found["poured_kg_per_m3"] * found["hausner_ratio"]


@pytest.mark.parametrize("name", ["triaxial", "simple-shear", "oedometer"])
def test_element_tests_have_the_angles_and_ratios_of_their_stresses(name):
    """sin φ = (σ₁ - σ₃)/(σ₁ + σ₃): 1/2 at the peak, 1/3 at the end, also in turned axes; q = σ₁ - σ₃ where σ₂ = σ₃.

    A loose powder at a fiftieth of the pressure, with a larger angle, does not count.
    """
    case = dem.cases()[name]()
    time = np.linspace(0, case.duration, 5)
    principal = np.array([[60, 1, 1], [1e4, 1e4, 1e4], [3e4, 1e4, 1e4], [2.5e4, 1e4, 1e4], [2e4, 1e4, 1e4]])
    c, s = math.cos(0.4), math.sin(0.4)
    turn = np.eye(3) if name == "oedometer" else np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    total = np.array([turn @ np.diag(row[[1, 2, 0]]) @ turn.T for row in principal])
    still = np.zeros((5, 3, 3))
    solid = np.array([0.5, 0.6, 0.62, 0.61, 0.625])
    cell = dem.statistics.CellState(
        np.stack([np.eye(3)] * 5), still, still, dem.statistics.Stress(total, still), solid, np.full(5, 4.5),
        np.zeros(5), np.zeros(5), still,
    )  # fmt: skip
    found = observed(case, SimpleNamespace(cell=cell, time=time))
    assert found["peak_friction_angle_deg"] == pytest.approx(30.0)
    assert found["friction_angle_deg"] == pytest.approx(math.degrees(math.asin(1 / 3)))
    assert found["deviatoric_stress_Pa"] == pytest.approx(1e4)
    assert found["pressure_Pa"] == pytest.approx(4e4 / 3)
    assert (found["void_ratio_at_first"], found["void_ratio"]) == pytest.approx((1.0, 0.6))
    assert found["coordination"] == 4.5
    if name == "oedometer":
        assert found["K0"] == pytest.approx(1 / 2.5), "of the time at which it is loaded most"


def test_stresses_of_compressions_are_the_largest_of_each():
    case = dem.cases()["uniaxial-compression"]()
    lowest, free, crush, end = case.stations()
    assert case.duration > end
    area, time = case.width**2, np.array([0.0, lowest, free, crush + 0.01, crush + 0.02, end])
    force = np.zeros((6, 3))
    force[:, 2] = area * np.array([0.0, 5e3, 1.0, 1e3, 2e3, 1e3])
    found = observed(case, run_of(case, np.zeros((6, 10, 3)), time=time, walls={"piston": force}))
    assert found["consolidation_stress_Pa"] == pytest.approx(5e3)
    assert found["unconfined_strength_Pa"] == pytest.approx(2e3)
    assert found["flow_function"] == pytest.approx(2.5)
    assert found["compressed_kg_per_m3"] == pytest.approx(10 * 2e-3 / (area * case.height))


def test_direct_shear_adds_lid_and_upper_sides_and_the_weight_above_the_plane():
    """The sides bear 20 Pa of the load by friction."""
    case = dem.cases()["direct-shear"]()
    area, time = case.width**2, np.linspace(0, case.duration, 101)
    sheared = (time > case.consolidated).astype(float)
    push, lid = np.zeros((101, 3)), np.zeros((101, 3))
    push[:, 0], lid[:, 0], lid[:, 2] = -600 * area * sheared, -400 * area * sheared, 2020 * area
    push[:, 2] = -20 * area
    heights = np.repeat([[0, 0, 0.5 * case.middle], [0, 0, 2 * case.middle]], 5, axis=0)
    walls = {"upper x-": push, "lid": lid, "lower x-": 100 * push, "upper y-": 0 * push}
    found = observed(case, run_of(case, np.stack([heights] * 101), time=time, walls=walls))
    weight = 5 * 2e-3 * 9.81 / area
    assert found["shear_stress_Pa"] == pytest.approx(1000)
    assert found["peak_shear_stress_Pa"] == pytest.approx(1000)
    assert found["normal_stress_Pa"] == pytest.approx(2000 + weight)
    assert found["friction_angle_deg"] == pytest.approx(math.degrees(math.atan2(1000, 2000 + weight)))


@pytest.mark.parametrize("kind", [RingShear, ShearHead, JenikeShear])
def test_loads_at_preshear_and_failure_give_the_yield_locus_that_made_them(kind):
    """c = 300 Pa and tan φ = 0.5, with a peak before each failure, and the weight of the grains above the plane.

    Torques of a lid with vanes; or forces, of which a ring bears a third.
    """
    case = kind(normal_stresses=(700.0, 1000.0, 1400.0), preshear_stress=2e3, duration=1.0)
    time = np.linspace(0, case.duration, 1601)
    load, pushed = np.zeros((1601, 9)), kind is JenikeShear
    per_pascal = -case.area if pushed else 1 / dem.statistics.torsional_stress(1.0, case.outer, case.inner)
    load[:, 8], shear = 0.02, 0 if pushed else 5
    above = 3 * 2e-3 * 9.81 / case.area  # of three grains of 2 g
    for each in case.stations():
        k = np.flatnonzero((time > each.start) & (time <= each.end * (1 + 1e-9)))
        load[k, 2] = (each.stress - above) * case.area
        if each.name == "preshear":
            load[k, shear] = 1250 * np.minimum(1.0, np.linspace(0, 3, len(k))) * per_pascal
        elif each.name == "failure":
            load[k, shear] = (300 + 0.5 * each.stress) * (1 - 0.2 * np.linspace(-1, 1, len(k)) ** 2) * per_pascal
    grains = [(0.0, 0.0, z) for z in (0.001, 0.002, 0.021, 0.022, 0.023)]
    walls = {"lid": 2 / 3 * load, "ring": load / 6, "ring rim": load / 6, "base": load} if pushed else {"lid": load}
    found = observed(case, run_of(case, np.stack([grains] * 1601), time=time, walls=walls))
    assert found["cohesion_Pa"] == pytest.approx(300, rel=2e-3)
    assert found["internal_friction_deg"] == pytest.approx(math.degrees(math.atan(0.5)), rel=2e-3)
    assert found["preshear_Pa"] == pytest.approx(1250)
    assert found["failure_2_Pa"] == pytest.approx(800, rel=1e-3)
    exact = dem.statistics.shear_test([700, 1000, 1400], [650, 800, 1000], 2e3, 1250)
    assert found["flow_function"] == pytest.approx(exact.flow_function, rel=5e-3)
    assert found["effective_friction_deg"] == pytest.approx(math.degrees(exact.effective_angle), rel=2e-3)
    short = observed(
        case, run_of(case, [grains], time=[0.0, 0.1], walls={name: each[:2] for name, each in walls.items()})
    )
    assert math.isnan(short["flow_function"])


def test_the_lid_presses_as_the_stations_say():
    case = RingShear(normal_stresses=(500.0, 1e3), preshear_stress=2e3)
    servo = case.servo()
    for each in case.stations():
        assert servo.force_at(0.5 * (each.start + each.end)) == pytest.approx(each.stress * case.area)
    mean = 2 / 3 * (case.outer**3 - case.inner**3) / (case.outer**2 - case.inner**2)
    total = 2 * (case.preshear - case.release + case.shear) / mean
    assert case.turning().table[-1][4] == pytest.approx(total)
    assert case.stations()[-1].end <= case.duration


def test_the_ring_of_a_translational_tester_begins_each_preshear_over_its_base():
    case = JenikeShear(normal_stresses=(500.0, 1e3, 1500.0))
    times, ways = np.array(case.displacements()).T
    for each in case.stations():
        if each.name == "preshear":
            assert np.interp(each.start, times, ways) == pytest.approx(0.0, abs=1e-15)
        elif each.name == "failure":
            assert np.interp(each.end, times, ways) == pytest.approx(case.farthest)
    assert case.stations()[-1].name == "failure"
    assert max(ways) < case.rim
    assert JenikeShear().stations()[-1].end <= JenikeShear().duration
    ring = next(wall for wall in case.walls() if wall.name == "ring")
    assert ring.motion[0].table[-1][1] == pytest.approx(case.farthest)


@pytest.mark.parametrize(("kind", "settings", "message"), [
    (RingShear, {"normal_stresses": (1e3, 2e3)}, r"expected some below 2000 Pa, the preshear_stress"),
    (RingShear, {"inner_radius": 0.03}, "leaves no room for grains"),
    (ShearHead, {"radius": 5e-4}, "leaves no room for grains"),
    (JenikeShear, {"shear": 2e-3}, "over a rim of 0.005 m: expected less"),
    (JenikeShear, {"n": 300}, "expected more than the base_height of 0.006 m"),
    (JenikeShear, {"radius": 1e-3}, "has no room for grains of 0.0025 m"),
    (FlowEnergy, {"blade_radius": 0.0125}, "expected a smaller blade"),
    (FlowEnergy, {"blade_radius": 0.0123, "tip_pitch": 70}, "a blade of 0.01262 m in a vessel"),
    (FlowEnergy, {"bottom": 1e-3}, "expected a smaller blade, and a bottom below the top"),
])  # fmt: skip
def test_devices_that_cannot_be_are_refused(kind, settings, message):
    with pytest.raises(ValueError, match=message):
        kind(**settings)


def test_flow_energies_are_those_of_a_blade_that_force_and_torque_resist():
    """2 N and 3 mN m on the way down, half of that on the way up, in two cycles of which the first one is harder."""
    case = FlowEnergy(cycles=2, conditioning=1, duration=4.0)
    rows = case.way()
    time = np.linspace(0, case.duration, 2001)
    load = np.zeros((2001, 9))
    for k, (a, b) in enumerate(pairwise(rows[4:])):
        inside = (time > a[0]) & (time <= b[0])
        sense, share = (1, 1.0) if k % 2 == 0 else (-1, 0.5)
        load[inside, 2], load[inside, 5] = sense * share * 2.0, -sense * share * 3e-3
        load[inside] *= 1.5 if k == 0 else 1.0
    assert rows[-1][0] < case.duration
    found = observed(case, run_of(case, np.zeros((2001, 10, 3)), time=time, walls={"blade": load}))
    drop = case.top - case.bottom
    exact = 1e3 * drop * (2.0 + 3e-3 / (case.blade_radius * math.tan(math.radians(case.helix))))
    assert found["flow_energy_mJ"] == pytest.approx(exact, rel=5e-3)
    assert found["specific_energy_mJ_per_g"] == pytest.approx(0.5 * exact / 20, rel=5e-3)
    assert found["first_flow_energy_mJ"] == pytest.approx(1.5 * exact, rel=5e-3)
    assert found["stability"] == pytest.approx(1 / 1.5, rel=5e-3)


def test_the_blade_is_a_helicoid_between_its_pitches_whose_area_is_known():
    """By ∫∫ √(1 + (s θ')²) ds dr with θ' = dθ/dr, to second order in the size of its triangles.

    Each blade is a surface r e_r + s (cos θ e_z + sin θ e_φ) with -h/2 < s < h/2, from a tenth of the radius on.
    """
    case = FlowEnergy(pitch=10.0, tip_pitch=70.0)
    half, length, change = 0.5 * case.blade_height, 0.9 * case.blade_radius, math.radians(60) / case.blade_radius
    exact = 2 * length * (half * math.sqrt(1 + (change * half) ** 2) + math.asinh(change * half) / change)
    errors = []
    for segments in (4, 8, 16):
        mesh = dem.Mesh.blades(
            case.blade_radius, case.blade_height, pitch=10.0, tip_pitch=70.0, segments=segments, material=case.wall()
        )
        a, b, c = mesh.vertices[mesh.triangles].transpose(1, 0, 2)
        errors.append(float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()) / 2 / exact - 1)
    assert abs(errors[1]) < 0.03
    assert np.log2(np.abs(errors[0] / np.array(errors[1:]))) == pytest.approx([2, 4], abs=0.5)
    x, y, z = case.blade().vertices.T
    r = np.where(abs(x) > abs(y), abs(x), 0.0)  # the blades lie along x
    assert r.max() == pytest.approx(case.blade_radius, rel=1e-12)
    assert case.blade_radius < np.hypot(x, y).max() < case.radius
    off = abs(z - case.start) > 1e-9  # of the axis of a blade
    pitch = np.degrees(np.arctan2(abs(y), abs(z - case.start)))[off]
    assert pitch == pytest.approx(10.0 + 60.0 * r[off] / case.blade_radius, rel=1e-9)


def test_the_tip_of_the_blade_goes_along_a_helix_with_the_speed_of_the_tip():
    """Down in the sense in which the blade pushes, and up in the other one; conditioning cuts through both ways."""
    case = FlowEnergy(helix=5.0, tip_speed=0.07, conditioning=1, cycles=2)
    legs = list(pairwise(case.way()[2:]))
    assert len(legs) == 6
    for k, (a, b) in enumerate(legs):
        fall, turned, lasts = a[3] - b[3], b[4] - a[4], b[0] - a[0]
        assert abs(fall) == pytest.approx(case.top - case.bottom)
        assert abs(fall) / (case.blade_radius * abs(turned)) == pytest.approx(math.tan(math.radians(5.0)))
        assert math.hypot(fall, case.blade_radius * turned) / lasts == pytest.approx(0.07)
        assert (fall > 0) == (k % 2 == 0)
        assert (turned > 0) == (k in (2, 4)), "only on the way down of the test the blade pushes"


@pytest.mark.parametrize(("kind", "settings", "observable", "exact"), [
    (Drop, {"restitution": 0.7, "height": 0.004, "duration": 0.08}, "apparent_restitution", 0.7),
    (Incline, {"angle": 10.0, "rolling_friction": 0.03, **SHORT}, "apparent_rolling_friction", 0.03),
    (Incline, {"angle": 45.0, "friction": 0.2, "rolling_friction": 0, **SHORT}, "apparent_friction", 0.2),
    (RollingPendulum, {"radius": 0.02, "duration": 0.35, "time_step": 1.5e-4}, "apparent_rolling_friction", 0.02),
])  # fmt: skip
@pytest.mark.few(1, long=99)
def test_one_particle_shows_the_coefficients_that_it_was_given(tmp_path, kind, settings, observable, exact):
    case = kind(**{"young": 2e5, "time_step": 4e-5, "frames": 120, **settings})
    case.simulation().run(case.duration, output=tmp_path / "run.h5", frames=case.frames, progress=False)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert observed(case, run)[observable] == pytest.approx(exact, rel=0.03)


def test_the_command_lists_the_runs_of_a_study_and_makes_them(tmp_path, monkeypatch):
    """A sphere is dropped: restitution is found, and friction, which has no influence, is told."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ball.toml").write_text(
        "budget = 16\nbatch = 4\n"
        "[parameters]\nrestitution = {bounds = [0.4, 0.9]}\nyoung = {bounds = ['2 MPa', '8 MPa']}\n"
        "[tests.drop]\ncase = 'drop-test'\nsettings = {time_step = 2e-4, frames = 60, duration = 0.2}\n"
        "observables.apparent_restitution = {measured = 0.6, standard_error = 0.02}\n"
    )
    listed = CliRunner().invoke(app, ["calibrate", "ball.toml", "--list"])
    assert listed.exit_code == 0
    assert len(listed.stdout.splitlines()) == 12
    assert listed.stdout.startswith("dem run drop-test --set ")
    assert (tmp_path / "ball-calibration" / "points.csv").read_text().count("\n") == 13


def test_studies_of_the_guide_are_valid(tmp_path, monkeypatch):
    """Those that take hours as well, which the page does not run."""
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "guide" / "calibration.md").read_text()
    studies = re.findall(r"```toml\n(# (\S+\.toml)\n.*?)```", page, re.DOTALL)
    assert len(studies) == 3
    (tmp_path / "heap.jpg").touch()
    for text, name in studies:
        (tmp_path / name).write_text(text)
        assert read_study(tmp_path / name).fitted
