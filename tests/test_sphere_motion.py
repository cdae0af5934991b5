"""Lines of the motion of spheres: pairs read from them what they read from arrays of bodies."""

import numpy as np
import pytest
from dem.kernels.compiler.jit import kernel
from dem.kernels.numerics.columns import BLOCK
from dem.kernels.soft.chunks import CHUNK
from dem.kernels.soft.contact import batch_kinematics, sphere_motion

import dem
from dem.soft import arrays

ROWS = batch_kinematics.SPIN_J + 3


@kernel
def gathered_by_lines(position, velocity, spin, listed, sphere_i, sphere_j, lines, rows, has_lines):
    """Copy all bodies to lines, if wanted, and gather the pairs of the list from the second on."""
    if has_lines:
        sphere_motion.write_lines(0, position.shape[1], position, velocity, spin, lines)
    batch_kinematics.gather_spheres(
        1, listed, sphere_i, sphere_j, position, velocity, spin, has_lines, lines, rows
    )  # fmt: skip


@pytest.mark.parametrize("number", [0, 3, 4, 8, 13, 64])
def test_pairs_gather_the_same_numbers_from_lines(number, rng):
    bodies, pairs = 29, 70
    motion = rng.normal(size=(3, 3, bodies))
    first, second = rng.integers(0, bodies, (2, pairs)).astype(np.int32)
    listed = rng.permutation(pairs)[: 1 + number].astype(np.int32)
    lines, found = np.zeros((32, sphere_motion.WIDTH)), []
    for has_lines in (False, True):
        rows = np.full(ROWS * BLOCK, -1.0)
        gathered_by_lines(*motion, listed, first, second, lines, rows, has_lines)
        found.append(rows)
    assert np.array_equal(found[0], found[1])
    assert (found[1].reshape(ROWS, BLOCK)[:12, :number] != -1.0).all()


# 12000 spheres are six chunks, of which a pair has two at most: bodies take turns in the lines. Pairs of several sizes
# reach back as well; two threads have two blocks, of which some chunks are evaluated before the pass
@pytest.mark.parametrize(("sizes", "threads"), [(1, 1), (2, 1), (1, 2)])
def test_a_bed_has_the_same_bytes_without_lines(sizes, threads, monkeypatch):
    nylon = dem.Material(young=5e6, poisson=0.35, density=1100.0, restitution=0.5, friction=0.4)
    nx, ny, nz = 10, 10, 120
    assert nx * ny * nz > 5 * CHUNK
    grid = np.stack(np.meshgrid(*map(np.arange, (nx, ny, nz)), indexing="ij"), axis=-1).reshape(-1, 3)
    jitter = np.random.default_rng(3).normal(size=grid.shape)
    shapes = [dem.Sphere(diameter=0.01 - 1e-5 * k) for k in range(sizes)]
    found = []
    for without in (False, True):
        if without:
            monkeypatch.setattr(arrays, "_motion_lines", lambda lists, enough: np.zeros((len(lists.block), 0, 8)))
        particles = dem.Particles(
            [shapes[k % sizes] for k in range(len(grid))], nylon, position=0.0099 * grid + 1e-6 * jitter,
            velocity=0.1 * jitter, angular_velocity=10 * jitter[::-1],
        )  # fmt: skip
        sim = dem.Simulation(particles, None, time_step=2e-6, threads=threads)
        sim.step(20)
        lists = sim._engine._lists.arrays
        assert (lists.motion.shape[1] == 0) if without else (0 < lists.motion.shape[1] < len(grid))
        assert lists.touching_count.sum() > len(grid)  # so that lines are used
        found.append(np.concatenate([sim.particles.velocity, sim.particles.angular_velocity]).tobytes())
    assert found[0] == found[1]
