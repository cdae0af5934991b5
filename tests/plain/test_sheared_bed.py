"""The bed that benchmarks shear, and what LAMMPS is told of it."""

import numpy as np
import pytest

from dem.bench import lammps
from dem.bench.initial_states import DIAMETER, HEAVY, ShearedBed


@pytest.mark.slow
def test_rough_walls_come_together_and_pass_each_other_whatever_is_between():
    bed = ShearedBed(27, 1, 0.9, 0.5)
    bed.press(0.472)
    found = bed.n * np.pi / 6 * DIAMETER**3 / (bed.gap() * bed.width**2)
    assert 0.472 <= found < 0.479  # between two looks they come closer by 0.4 mm, of 32
    before = bed.gap()
    bed.shear(0.2, 0.002)
    lower, upper = np.split(bed.sim.particles.velocity[bed.n :], 2)
    assert len(lower) == bed.layer
    np.testing.assert_allclose(lower, np.tile([-0.1, 0, 0], (bed.layer, 1)), atol=1e-6)
    np.testing.assert_allclose(upper, np.tile([0.1, 0, 0], (bed.layer, 1)), atol=1e-6)
    assert abs(bed.gap() - before) < 1e-8


def test_lammps_gets_periodic_sides_no_walls_and_the_weight_of_each(tmp_path):
    bed = ShearedBed(27, 1, 0.9, 0.5)
    lammps.write(bed.sim, tmp_path, 10)
    script = (tmp_path / "in.dem").read_text()
    assert "boundary p p f" in script
    assert "wall/gran" not in script
    assert "gravity" not in script
    rows = (tmp_path / "data.dem").read_text().split("Atoms\n\n")[1].split("\n\n")[0].splitlines()
    density = np.array([float(row.split()[3]) for row in rows])
    exact = np.repeat([1100, HEAVY * 1100], [bed.n, 2 * bed.layer])
    np.testing.assert_allclose(density, exact, rtol=1e-12)  # mass over volume, and back
