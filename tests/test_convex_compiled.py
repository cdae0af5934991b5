"""Compiled overlaps of convex bodies: random pairs of all shapes against a search without derivatives."""

import itertools
import math
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from dem.kernels.compiler import jit
from dem.kernels.compiler.jit import in_python, kernel
from dem.kernels.convex.overlap import UNFINISHED, overlap
from dem.kernels.convex.shape_registry import CONVEX_KINDS, ConvexBody, convex_kinds
from sample_runs import random_quaternions
from scipy.spatial.transform import Rotation

import dem
from tests.plain import test_heat, test_wear

NAMES = [row.name for row in CONVEX_KINDS.values() if row.name != "triangle"]
KINDS = convex_kinds([kind for kind, row in CONVEX_KINDS.items() if row.name in NAMES])
ROOM = 40  # numbers of a shape
DIRECTIONS = 1000


@kernel
def all_overlaps(kinds, number, numbers, q, r, start, reach, found):
    """Overlaps of pairs: columns are the overlap, the normal, the places on A and B, the steps, and how it ended."""
    for i in range(r.shape[0]):
        a = ConvexBody(kinds, number[0, i], numbers[0, i], 0, (q[0, i, 0], q[0, i, 1], q[0, i, 2], q[0, i, 3]))
        b = ConvexBody(kinds, number[1, i], numbers[1, i], 0, (q[1, i, 0], q[1, i, 1], q[1, i, 2], q[1, i, 3]))
        n = (start[i, 0], start[i, 1], start[i, 2])
        g, n, x_a, x_b, steps, ending = overlap(a, b, (r[i, 0], r[i, 1], r[i, 2]), n, reach)
        found[i, 0], found[i, 10], found[i, 11] = g, steps, ending
        for k in range(3):
            found[i, 1 + k], found[i, 4 + k], found[i, 7 + k] = n[k], x_a[k], x_b[k]


def random_shape(name, rng):
    """Numbers of a random shape of some millimetres, padded."""
    sizes = 1e-3 * rng.uniform(0.5, 2.0, 3)
    rounding = 1e-3 * rng.uniform(0.1, 0.2)
    if "superellipsoid" in name:
        n = rng.uniform(1.2, 8.0, 2)
        if name.startswith("even"):
            n[:] = rng.choice([2.0, 3.0, 4.0, 5.0, 8.0, n[0]])
        elif name.startswith("quartic"):
            n[:] = 4.0
        row = [*sizes, *n, *(n / (n - 1))]
    elif name == "polyhedron":
        u = rng.normal(size=(rng.integers(6, 12), 3))
        u[:6] = np.concatenate([np.eye(3), -np.eye(3)]) + 0.3 * u[:6]  # so that the centre is inside
        row = [rounding, len(u), *np.ravel(u / np.linalg.norm(u, axis=1)[:, None] * sizes)]
    else:
        row = {
            "ball": [sizes[0]], "ellipsoid": [*sizes], "capsule": [sizes[0], sizes[1]],
            "cylinder": [sizes[0], sizes[1], rounding],
        }[name]  # fmt: skip
    return np.pad(np.array(row, dtype=float), (0, ROOM - len(row)))


class Pairs:
    """Random pairs of bodies, whose centres are put where they overlap by a little or are a little apart."""

    def __init__(self, count, rng):
        self.number = np.ascontiguousarray(rng.integers(0, len(NAMES), (2, count)))
        self.numbers = np.array([[random_shape(NAMES[k], rng) for k in row] for row in self.number])
        self.q = random_quaternions(rng, 2 * count).reshape(2, count, 4)
        direction = rng.normal(size=(count, 3))
        direction /= np.linalg.norm(direction, axis=1)[:, None]
        wanted = 1e-3 * rng.uniform(-0.05, 0.05, count)
        low, high = np.zeros(count), np.full(count, 0.02)
        for _ in range(30):
            self.r = (0.5 * (low + high))[:, None] * direction
            deep = self.found()[:, 0] > wanted
            low, high = np.where(deep, 0.5 * (low + high), low), np.where(deep, high, 0.5 * (low + high))

    def found(self, start=None, reach=math.inf):
        """Overlaps, see `all_overlaps`."""
        found = np.empty((len(self.r), 12))
        start = np.zeros_like(self.r) if start is None else start
        all_overlaps(KINDS, self.number, self.numbers, self.q, self.r, start, reach, found)
        return found

    def support(self, k, i, n):
        """h of the first or second body of pair i for unit vectors n (K, 3)."""
        turned = Rotation.from_quat(self.q[k, i], scalar_first=True).inv().apply(n)
        return support_function(NAMES[self.number[k, i]], self.numbers[k, i], turned)

    def function(self, i, n):
        """g of pair i for unit vectors n (K, 3)."""
        return self.support(0, i, n) + self.support(1, i, -n) - n @ self.r[i]


def support_function(name, row, n):
    """h(n) of body-frame unit vectors (K, 3), written once more."""
    u = np.abs(n)
    if name == "ball":
        return np.full(len(n), row[0])
    if name == "ellipsoid":
        return np.linalg.norm(n * row[:3], axis=1)
    if "superellipsoid" in name:
        q_1, q_2 = row[5:7]
        u = u * row[:3]
        s = np.linalg.norm(u[:, :2], axis=1, ord=q_2)
        return np.linalg.norm(np.column_stack([s, u[:, 2]]), axis=1, ord=q_1)
    if name == "capsule":
        return row[0] * u[:, 0] + row[1]
    if name == "cylinder":
        return row[0] * np.hypot(n[:, 1], n[:, 2]) + row[1] * u[:, 0] + row[2]
    vertices = row[2 : 2 + 3 * int(row[1])].reshape(-1, 3)
    return (n @ vertices.T).max(1) + row[0]


def fibonacci(count):
    k = np.arange(count) + 0.5
    z, turn = 1 - 2 * k / count, math.pi * (1 + 5**0.5) * k
    across = np.sqrt(1 - z * z)
    return np.column_stack([across * np.cos(turn), across * np.sin(turn), z])


def searched(pairs, i, rng):
    """Small g of pair i by trying directions all over, and then about the best one, ever nearer to it."""
    n = fibonacci(DIRECTIONS)
    values = pairs.function(i, n)
    best, least, radius = n[values.argmin()], values.min(), 0.05
    while radius > 1e-5:
        tried = best + radius * rng.normal(size=(30, 3))
        tried /= np.linalg.norm(tried, axis=1)[:, None]
        values = pairs.function(i, tried)
        if values.min() < least:
            best, least = tried[values.argmin()], values.min()
        else:
            radius *= 0.5
    return least


@pytest.mark.long
@pytest.mark.parametrize("count", [200, pytest.param(10_000, marks=pytest.mark.slow)])
def test_random_pairs_against_a_search_without_derivatives(count):
    """Overlaps of -50 to 50 micrometres of bodies of millimetres; places to 1e-12 m.

    For bodies that are apart that is a proof: places on both at some distance, and a plane between both that is as far
    from either. For others no direction of a search may have a smaller overlap.
    """
    rng = np.random.default_rng(count)
    pairs = Pairs(count, rng)
    found = pairs.found()
    g, n, x_a, x_b = found[:, 0], found[:, 1:4], found[:, 4:7], found[:, 7:10]
    np.testing.assert_allclose(np.linalg.norm(n, axis=1), 1.0, rtol=0, atol=1e-14)
    np.testing.assert_allclose(x_a - pairs.r - x_b, g[:, None] * n, rtol=0, atol=1e-12)
    everywhere = fibonacci(200)
    for i in range(count):
        assert g[i] == pytest.approx(pairs.function(i, n[i : i + 1])[0], abs=4e-14)  # 1e-11 of the sizes
        near = np.concatenate([everywhere, n[i] + 1e-3 * everywhere])
        near /= np.linalg.norm(near, axis=1)[:, None]
        assert (near @ x_a[i] <= pairs.support(0, i, near) + 1e-12).all()  # both places are on the bodies
        assert (near @ x_b[i] <= pairs.support(1, i, near) + 1e-12).all()
        if g[i] > 0:
            assert g[i] <= searched(pairs, i, rng) + 1e-15
    again = pairs.found(start=n.copy())
    np.testing.assert_allclose(again[:, 0], g, rtol=0, atol=4e-15)  # 1e-12 of the sizes
    np.testing.assert_allclose(again[:, 1:4], n, rtol=0, atol=1e-8)
    early = pairs.found(reach=0.0)
    np.testing.assert_array_equal(early[g >= 0], found[g >= 0])
    assert (early[g < 0, 0] < 0).all()
    assert (early[:, 10] <= found[:, 10]).all()
    assert found[:, 10].max() < 200
    assert (found[:, 11] < UNFINISHED).all()


@pytest.mark.long
def test_compiled_code_has_the_bits_of_plain_python():
    """Whatever LLVM makes of it: strict floating point, and powers of our own."""
    pairs = Pairs(60, np.random.default_rng(60))
    plain = np.empty((60, 12))
    in_python(all_overlaps)(
        KINDS, pairs.number, pairs.numbers, pairs.q, pairs.r, np.zeros_like(pairs.r), math.inf, plain
    )
    assert pairs.found().tobytes() == plain.tobytes()


CODE_OF_BATCH = """
import numpy as np
from dem.kernels.compiler.jit import kernel
from dem.kernels.convex.newton_batches import evaluate_normals
from dem.kernels.convex.shape_registry import EllipsoidKind, convex_kinds

@kernel
def step(count, shapes, numbers, integers, rows):
    evaluate_normals(count, shapes, numbers, integers, rows, rows)

step(0, convex_kinds([EllipsoidKind]), np.zeros(1), np.zeros((1, 1), int), np.zeros(1))
(compiled,) = evaluate_normals.dispatcher.overloads.values()
print(compiled.library.get_llvm_str())
"""


@pytest.mark.skipif(bool(jit.numba.config.DISABLE_JIT), reason="looks at compiled code")
@pytest.mark.skipif(bool(jit.numba.config.BOUNDSCHECK), reason="bounds checks keep loops scalar")
def test_newton_steps_of_one_kind_of_shape_are_vectorised(tmp_path):
    """A branch on the kind of shape keeps the loop scalar, which is then six times slower."""
    (tmp_path / "step.py").write_text(CODE_OF_BATCH)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}  # what is cached is machine code of the whole
    command = [sys.executable, str(tmp_path / "step.py")]
    code = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    assert re.search(r"fmul .*<\d+ x double>", code)


def tray(material):
    """Mesh of a square floor of 40 mm with a slight ridge, and four side walls."""
    corners = np.array([(-1, -1, 0), (0, -1, 0), (1, -1, 0), (1, 1, 0), (0, 1, 0), (-1, 1, 0)]) * (0.02, 0.02, 0)
    top, floor = corners + np.array([0, 0, 0.1]), [(0, 1, 4), (0, 4, 5), (1, 2, 3), (1, 3, 4)]
    corners[[1, 4], 2] = 5e-4
    sides = [(k, (k + 1) % 6, 6 + k) for k in range(6)] + [((k + 1) % 6, 6 + (k + 1) % 6, 6 + k) for k in range(6)]
    return dem.Mesh(np.concatenate([corners, top]), floor + sides, material=material)


@pytest.mark.long
def test_threads_and_a_restart_change_no_bit_of_dice_in_a_mesh_in_a_drum_and_on_a_disc(tmp_path):
    """Their corners fall, slide and come to rest with friction, and the ledger of the energy closes."""
    stuff = dem.Material(young=5e6, poisson=0.3, density=1500.0, friction=0.4, restitution=0.5)
    die = dem.Polyhedron(vertices=list(itertools.product([0.0, 0.005], repeat=3)), rounding=8e-4)
    walls = [
        tray(stuff), dem.Cylinder((0.1, -0.02, 0.02), (0.1, 0.02, 0.02), 0.02, ends="both", material=stuff),
        dem.Disc((0.2, 0, 0), (0, 0, 1), 0.02, material=stuff),
    ]  # fmt: skip
    rng = np.random.default_rng(1)
    place = np.array(list(itertools.product([-0.008, 0, 0.008], [-0.008, 0.008], [0.008, 0.017, 0.026])))
    place = np.concatenate([place + np.array([x, 0, 0]) for x in (0, 0.1, 0.2)])
    dice = dem.Particles(
        die, stuff, position=place, orientation=random_quaternions(rng, len(place)),
        velocity=rng.normal(size=place.shape) * 0.1,
    )  # fmt: skip

    def state(sim):
        names = ("position", "orientation", "velocity", "angular_velocity")
        return b"".join(getattr(sim.particles, name).tobytes() for name in names)

    one, two = (dem.Simulation(dice, walls=walls, time_step=2e-5, threads=threads) for threads in (1, 2))
    one.step(2000)
    one.save(tmp_path / "half.h5")
    for sim in (one, resumed := dem.Simulation.load(tmp_path / "half.h5")):
        sim.step(2000)
    two.step(4000)
    assert one.contact_count > 25  # they lie
    assert one.verdict().passed
    assert state(one) == state(resumed) == state(two)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["heat", "wear"])
def test_corners_of_polyhedra_on_planes_conduct_and_wear_in_machine_code(what):
    """What the tests in plain Python show: types of their own to the compiler."""
    if what == "heat":
        test_heat.test_a_die_in_an_edge_of_the_box_conducts_to_both_faces()
    else:
        test_wear.test_all_corners_of_a_cube_wear_the_plane_that_it_slides_on(second=True)
