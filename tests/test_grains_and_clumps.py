"""Study of grains and clumps: bodies of equal mass, the judgement of differences, and the rotation of a bed."""

import numpy as np
import pytest

import dem
from dem.model.shapes.clump import union_moments
from dem.validation.granular_beds import clumps

SEEDS = (1, 2, 3)


@pytest.mark.long
@pytest.mark.parametrize("device", clumps.CASES)
def test_bodies_have_the_mass_of_a_grain_and_enlarged_clumps_its_volume(device):
    """Rounding errors of a few operations on masses; volumes of unions are integrated to 1e-6."""
    kind, numbers = clumps.CASES[device]
    made = dem.cases()[kind](**numbers | {"n": 3})
    grain = clumps.bodies(made, clumps.GRAIN)
    volume = made.grain().volume
    for name in ("12 spheres", "12 spheres, equal volume", "sphere"):
        body = clumps.bodies(made, name)
        np.testing.assert_allclose(body.mass, grain.mass, rtol=1e-12)
        np.testing.assert_array_equal(body.position, grain.position)
        shape = body.variants[0][0]
        if name != clumps.SPHERE:
            assert len(shape.radii) == 12
            filled = union_moments(shape.offsets, shape.radii)[0] / volume
            if clumps.BODIES[name].equal_volume:
                assert filled == pytest.approx(1, rel=1e-5)
            else:
                assert 0.8 < filled < 0.95


def test_a_difference_is_clear_where_students_t_test_says_so():
    """Quantiles are rounded to 0.005; samples whose probability is so near to 5 % are left out."""
    stats = pytest.importorskip("scipy.stats")
    for freedom, quantile in clumps.STUDENT.items():
        assert quantile == pytest.approx(stats.t.ppf(0.975, freedom), abs=0.006)
    rng = np.random.default_rng(1)
    judged = []
    for count in (3, 4, 5, 6):
        for _ in range(50):
            a, b = rng.normal(size=(2, count)) + np.array([[rng.uniform(0, 4)], [0]])
            probability = stats.ttest_ind(a, b).pvalue
            if abs(probability - 0.05) > 1e-3:
                judged.append(clumps.difference(a, b).clear)
                assert judged[-1] == (probability < 0.05)
    assert {*judged} == {True, False}


def test_a_bed_that_turns_as_one_has_the_rotation_of_the_drum():
    x = np.random.default_rng(2).uniform((-1, -1, -1), (1, 1, -0.5), (200, 3))
    v = np.cross((0, 2.5, 0), x)
    assert clumps.outer_rotation(x, v, 0.6) == pytest.approx(2.5, rel=1e-12)


def rows_of(rates):
    """Rows as of runs; rates of the hopper by body and start."""
    common = {"scale": 1.0, "status": "PASS"}
    flow = {"half_s": 0.5, "trend": 1.0, "pause_s": 0.01, "time_s": [0.0, 0.5, 1.0], "share": [0.0, 0.5, 1.0]}
    turning = {"angle_deg": 30.0, "trend_deg": 0.0, "rotation": 0.95, "time_s": [0.0, 1.0], "angles_deg": [30.0, 30.0]}
    rows = []
    for body, values in rates.items():
        for seed, rate in zip(SEEDS, values, strict=True):
            rows.append({"device": "hopper", "body": body, "seed": seed, "rate_per_s": rate} | common | flow)
            rows.append({"device": "drum", "body": body, "seed": seed} | common | turning)
    return rows


def test_a_report_tells_differences_from_scatter(tmp_path):
    rates = {"grain": (100.0, 101.0, 102.0), "12 spheres": (110.0, 111.0, 112.0), "40 spheres": (101.0, 102.0, 103.0)}
    report = clumps.report(rows_of(rates))
    assert report.passed
    words = report.statements[0]
    assert "grain 101 ± 1" in words
    assert "12 spheres +10 ± 0.82 (above the scatter)" in words
    assert "40 spheres +1 ± 0.82 (within the scatter)" in words
    assert report.write(tmp_path).exists()


@pytest.mark.parametrize("device", clumps.CASES)
def test_one_device_can_be_reported_by_itself(device, tmp_path):
    rows = rows_of({"grain": (100.0, 101.0, 102.0), "12 spheres": (110.0, 111.0, 112.0)})
    report = clumps.report([row for row in rows if row["device"] == device])
    assert report.passed
    assert report.write(tmp_path).exists()


def test_clumps_that_flow_much_faster_fail():
    assert not clumps.report(rows_of({"grain": (100.0, 101.0, 102.0), "12 spheres": (130.0, 131.0, 132.0)})).passed


@pytest.mark.parametrize(("key", "value"), [("pause_s", 0.1), ("trend", 0.7), ("trend_deg", 3.0), ("rotation", 0.7)])
def test_a_flow_that_stops_or_slips_or_is_not_steady_fails(key, value):
    rows = rows_of({"grain": (100.0, 110.0, 120.0)})
    for row in rows:
        if key in row:
            row[key] = value
    assert not clumps.report(rows).passed
