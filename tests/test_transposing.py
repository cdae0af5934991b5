"""Columns written as lines: the same numbers, in whole groups, nothing behind them."""

import numpy as np
import pytest
from dem.kernels import laws
from dem.kernels.compiler.jit import kernel
from dem.kernels.numerics.columns import BLOCK
from dem.kernels.simd import transpose
from dem.kernels.soft.contact.batch_kinematics import FORCE, PERSISTS, RESULT_ROWS, SingleSpheres
from dem.kernels.soft.contact.contact_batches import load_history, scatter_forces, store_history
from dem.kernels.soft.contact.contact_detection import FORCE_J, LINE, ON_I, ON_J, SHARED, VECTOR_WIDTH
from dem.kernels.soft.contact.result_sinks import ForceSink

ROWS = (4, 0, 0, 7, 1, 2, 9, 3)
NEGATED = (1, 2)
write = transpose.lines_of(*ROWS, negated=NEGATED)
AT_ONCE = transpose.columns_at_once(len(ROWS))


INTO = (4, 0, 7, 1, 2, 6, 3, 5)
read = transpose.columns_of(*INTO)


@kernel
def columns_read(index, lines, column, numbers, length, number):
    """Read them; as `dem.kernels.simd.transpose.columns_of`."""
    return read(index, lines, column, numbers, length, number)


@kernel
def written(numbers, length, number, lines, column):
    """Write them; as `dem.kernels.simd.transpose.lines_of`."""
    return write(numbers, length, number, lines, column)


@kernel
def recalled(law, index, lines, filled, number, rows):
    """From the second entry on; as `dem.kernels.soft.contact.contact_batches.load_history`."""
    load_history(SingleSpheres(), law, 1, number, index, index, lines, filled, rows)


@kernel
def kept(law, index, lines, lasts, number, rows, out):
    """The same; as `dem.kernels.soft.contact.contact_batches.store_history`."""
    store_history(SingleSpheres(), law, 1, number, index, index, rows, out, lines, lasts)


@kernel
def handed_out(damping, number, out, other, force_torque):
    """Write rows of wrenches; as `dem.kernels.soft.contact.contact_batches.scatter_forces`."""
    scatter_forces(damping, ForceSink(), number, out, other, force_torque)


@pytest.mark.parametrize("number", [0, 5, 8, 17, 64])
def test_lines_have_the_columns_of_the_rows_that_are_named(number):
    rows = np.arange(10 * 64.0).reshape(10, 64)
    lines, sign = np.full((80, 16), -1.0), np.where(np.isin(np.arange(len(ROWS)), NEGATED), -1.0, 1.0)
    done = written(rows.ravel(), 64, number, lines, 8)
    assert done == (number // AT_ONCE * AT_ONCE if transpose.available else 0)
    np.testing.assert_array_equal(lines[:done, 8:], sign * rows[list(ROWS), :done].T)
    assert (lines[:, :8] == -1.0).all()
    assert (lines[done:] == -1.0).all()


@pytest.mark.parametrize("number", [0, 5, 8, 17, 64])
def test_rows_have_the_numbers_of_the_lines_that_are_listed(number):
    lines = np.arange(90 * 16.0).reshape(90, 16)
    index, rows = np.random.default_rng(1).permutation(90)[:64], np.full((10, 64), -1.0)
    done = columns_read(index, lines, 8, rows.ravel(), 64, number)
    assert done == (number // AT_ONCE * AT_ONCE if transpose.available else 0)
    np.testing.assert_array_equal(rows[list(INTO), :done], lines[index[:done], 8:].T)
    assert (rows[:, done:] == -1.0).all()
    assert (rows[[8, 9]] == -1.0).all()


def law(numbers: int) -> tuple:
    """Of contacts that remember four or seven numbers."""
    table = np.zeros((1, 1))
    tangential, rolling = laws.Friction(table, table, table), laws.Rolling(table, table, table)
    return laws.Composite(laws.Hertz(), tangential=tangential, **({"rolling": rolling} if numbers == 7 else {}))


@pytest.mark.parametrize("number", [1, 8, 27, BLOCK])
@pytest.mark.parametrize(("numbers", "width"), [(4, 4), (7, 7), (7, 8)])
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_what_contacts_remember_is_read_and_written_line_by_line(kind, numbers, width, number):
    rng = np.random.default_rng(number)
    index = rng.permutation(200).astype(kind)[: number + 1]
    here = index[1:]
    filled = (rng.random(200) < 0.7).astype(np.int8)
    lines = rng.normal(size=(200, width))
    lines[filled == 0] = np.nan  # who remembers nothing has anything there
    rows = np.full((width, BLOCK), 5.0)
    recalled(law(numbers), index, lines, filled, number, rows)
    np.testing.assert_array_equal(rows[:numbers, :number], np.where(filled[here] != 0, lines[here].T, 0.0)[:numbers])
    out, before = np.zeros((RESULT_ROWS, BLOCK)), lines.copy()
    out[PERSISTS] = rng.random(BLOCK) < 0.5
    rows[:] = rng.normal(size=rows.shape)
    kept(law(numbers), index, lines, filled, number, rows, out.ravel())
    np.testing.assert_array_equal(lines[here, :numbers], rows[:numbers, :number].T)
    np.testing.assert_array_equal(filled[here], out[PERSISTS, :number])
    others = np.setdiff1d(np.arange(200), here)
    np.testing.assert_array_equal(lines[others], before[others])


@pytest.mark.parametrize("number", [1, 8, 27, BLOCK])
@pytest.mark.parametrize(("width", "other"), [(LINE, ON_I), (SHARED, ON_J), (SHARED, ON_I), (2 * LINE, ON_J)])
def test_rows_of_wrenches_have_what_is_said_of_them(width, other, number):
    out = np.random.default_rng(number).normal(size=(RESULT_ROWS, BLOCK))
    force, on_i, on_j = (out[r : r + 3, :number].T for r in (FORCE, ON_I, other))
    wanted = {LINE: {0: force, ON_I: on_i}, SHARED: {0: on_j, VECTOR_WIDTH: force, 2 * VECTOR_WIDTH: on_i}}
    of_clusters = {0: force, ON_I: on_i, FORCE_J: -force, ON_J: on_j}
    for damping in (laws.Damping, laws.SharedDamping)[: 1 if width in wanted else 2]:  # the latter is of clusters alone
        force_torque = np.full((BLOCK + 8, width), 7.0)
        handed_out(damping(np.zeros((1, 1))), number, out.ravel(), other, force_torque)
        for column, values in wanted.get(width, of_clusters).items():
            np.testing.assert_array_equal(force_torque[:number, column : column + 3], values)
        assert (force_torque[number:] == 7.0).all()
