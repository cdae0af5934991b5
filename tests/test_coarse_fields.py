"""Coarse-grained fields: closed forms, what they conserve, and averages over a run."""

import math

import numpy as np
import pytest
from scipy import special, stats

import dem
from dem import statistics
from dem.statistics import ContactForces
from dem.statistics.coarse import Kernel

LOW, HIGH = (0.0, 0.0, 0.0), (1.0, 2.0, 3.0)
CUT = {1: 1e-6, 2: 5e-6, 3: 2e-5}  # what is cut off a Gaussian at five deviations, by dimensions
G = 9.81


def contacts_of(i, j, force, branch, position, arm=None):
    """Contacts with nothing said of overlaps and normals."""
    branch, force = np.asarray(branch, float), np.asarray(force, float)
    arm = -0.5 * branch if arm is None else np.asarray(arm, float)
    return ContactForces(np.array(i), np.array(j), np.zeros(len(i)), np.zeros_like(force), force, arm, branch,
                         np.asarray(position)[i] + arm)  # fmt: skip


def crowd(rng, n=40):
    """Bodies anywhere in the box, well away from its faces."""
    x = rng.uniform(0.3, 0.7, (n, 3)) * HIGH
    return x, rng.normal(size=(n, 3)), rng.uniform(1, 2, n)


@pytest.mark.parametrize("kernel", ["gaussian", "lucy"])
@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_integrals_of_kernels_are_one(kernel, dimensions):
    """In the measure of its dimensions, by a fine sum over the distance."""
    phi = Kernel.checked(kernel, 0.3, dimensions)
    edges = np.linspace(0, phi.range, 20001)
    r = 0.5 * (edges[1:] + edges[:-1])
    shell = {1: 2, 2: 2 * math.pi * r, 3: 4 * math.pi * r**2}[dimensions]
    assert (shell * phi(r**2)).sum() * phi.range / 20000 == pytest.approx(1, rel=1e-7)  # midpoints, second order
    assert phi(np.array([phi.range**2])) == 0


@pytest.mark.parametrize("kernel", ["gaussian", "lucy"])
@pytest.mark.parametrize("axes", ["z", "xz", "yx", "xyz"])
def test_integrals_of_fields_are_what_bodies_and_contacts_have(rng, axes, kernel):
    """Mass, momentum, energy about it, branch times force; sums over bins narrower than the kernel integrate it."""
    x, v, m = crowd(rng)
    i, j = np.arange(0, 40, 2), np.arange(1, 40, 2)
    x[j] = x[i] + 0.02 * rng.normal(size=(20, 3))
    branch, force = x[i] - x[j], rng.normal(size=(20, 3))
    bins = [{"x": 17, "y": 34, "z": 51}[name] for name in axes]  # of 0.059
    width = 0.06 if kernel == "gaussian" else 0.12
    found = statistics.coarse_fields(
        x, v, m, LOW, HIGH, width=width, axes=axes, bins=bins, kernel=kernel,
        contacts=contacts_of(i, j, force, branch, x),
    )  # fmt: skip
    rel = 2e-5 if kernel == "gaussian" else 1e-3  # what is cut off; Lucy's ends within four bins, and is not smooth
    cell = 6.0 / np.prod(bins)
    mass = found.density * cell
    assert mass.sum() == pytest.approx(m.sum(), rel=rel)
    v_at = np.nan_to_num(found.velocity)
    np.testing.assert_allclose((mass[..., None] * v_at).reshape(-1, 3).sum(0), m @ v, atol=rel * m.sum())
    moving = 0.5 * mass * (v_at**2).sum(-1) + 1.5 * mass * np.nan_to_num(found.temperature)
    assert moving.sum() == pytest.approx(0.5 * (m * (v * v).sum(1)).sum(), rel=rel)
    total = found.stress.contact.reshape(-1, 3, 3).sum(0) * cell
    np.testing.assert_allclose(total, np.einsum("ka,kb->ab", branch, force), atol=rel)


def test_a_column_at_rest_carries_what_is_above():
    """Balls on each other on a floor, of 5 mm: σ_zz A = g Σ m Φ((z_n - z)/w) - N m g Φ(-z/w) at every height.

    So that far above the floor it is the weight above, smoothed; the last part leaks below the floor.
    """
    n, r, m, w, area = 12, 2.5e-3, 1e-4, 3e-3, 0.02 * 0.03
    x = np.column_stack([np.full(n, 0.01), np.full(n, 0.01), (2 * np.arange(n) + 1) * r])
    above = m * G * np.arange(n - 1, -1, -1)
    down, up = np.array([0, 0, -1.0]), np.array([0, 0, 1.0])
    i, j = [*range(n - 1), 0], [*range(1, n), -5]
    force = [*(down * f for f in above[:-1]), n * m * G * up]
    branch = [*([down * 2 * r] * (n - 1)), up * r]
    held = contacts_of(i, j, force, branch, x, arm=[*([up * r] * (n - 1)), down * r])
    z = np.linspace(-0.02, 0.09, 223)
    found = statistics.coarse_fields(x, np.zeros((n, 3)), np.full(n, m), LOW, (0.02, 0.03, 0.1), width=w,
                                     points=z[:, None], contacts=held)  # fmt: skip
    expected = m * G * stats.norm.sf(z[:, None], x[:, 2], w).sum(1) - n * m * G * stats.norm.sf(z, 0, w)
    np.testing.assert_allclose(found.stress.contact[:, 2, 2] * area, expected, atol=2 * CUT[1] * n * m * G)
    others = found.stress.contact.copy()
    others[:, 2, 2] = 0
    assert not others.any()
    middle = 12 * r
    weight = G * m * n / 2
    at_middle = statistics.coarse_fields(x, np.zeros((n, 3)), np.full(n, m), LOW, (0.02, 0.03, 0.1), width=w,
                                         points=[[middle]], contacts=held)  # fmt: skip
    assert at_middle.stress.contact[0, 2, 2] * area == pytest.approx(weight, rel=1e-5)  # by symmetry, Φ aside


def test_a_contact_in_space_is_spread_along_its_branch(rng):
    """Product of a Gaussian across and a difference of error functions along, over the length."""
    x, w = np.array([[0.4, 0.5, 0.6], [0.5, 0.9, 0.8]]), 0.07
    branch = x[0] - x[1]
    force = np.array([1.0, -2, 3])
    points = x[0] + rng.normal(size=(50, 3)) * 0.1
    found = statistics.coarse_fields(x, 0 * x, [1, 1], LOW, HIGH, width=w, axes="xyz", points=points,
                                     contacts=contacts_of([0], [1], [force], [branch], x))  # fmt: skip
    length = np.linalg.norm(branch)
    along = (points - x[1]) @ branch / length
    across = ((points - x[1]) ** 2).sum(1) - along**2
    line = 0.5 * (special.erf(along / (w * 2**0.5)) - special.erf((along - length) / (w * 2**0.5))) / length
    density = np.exp(-0.5 * across / w**2) / (2 * math.pi * w * w) * line
    expected = np.einsum("p,a,b->pab", density, branch, force)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found.stress.contact, expected, atol=5e-5 * scale)  # what is cut off, and quadrature


def test_across_periodic_faces_all_images_count():
    """Two balls that touch across a face, looked at from any place of the period, with a kernel wider than that too."""
    x = np.array([[0.02, 0.1, 0.1], [0.98, 0.1, 0.1]])
    held = contacts_of([0], [1], [[2.0, 0, 0]], [[0.04, 0, 0]], x)
    for shift in (0.0, 0.5, -7.25):
        moved = x + np.array([shift, 0, 0])
        points = np.array([[0.01], [0.5], [0.97]]) + shift
        for width in (0.05, 0.6):
            found = statistics.coarse_fields(moved, 0 * x, [1, 1], LOW, HIGH, width=width, points=points, periodic="x",
                                             axes="x", contacts=held)  # fmt: skip
            images = np.arange(-8, 9)
            gap = points - shift - x[:, 0]
            phi = stats.norm.pdf(gap[..., None] + images, 0, width).sum((1, 2)) / 6
            np.testing.assert_allclose(found.density, phi, atol=3 * CUT[1] / width / 6)
            ends = [stats.norm.cdf((points - shift - 0.02 + c)[..., None] + images, 0, width) for c in (0.04, 0.0)]
            spread = (ends[0] - ends[1]).sum((1, 2)) / 6
            np.testing.assert_allclose(found.stress.contact[:, 0, 0], 2.0 * spread, atol=3 * CUT[1])


def test_shear_and_heat():
    """v_x = γ z + noise: V is linear, T what was put in plus γ² w²/3, σ_kinetic = ρ γ² w² along xx and nothing else."""
    rate, w = 3.0, 0.1
    z = (np.arange(4000) + 0.5) / 4000 * 3
    x = np.column_stack([np.full(4000, 0.5), np.full(4000, 1.0), z])
    v = np.column_stack([rate * z, 0.2 * (-1.0) ** np.arange(4000), 0 * z])
    found = statistics.coarse_fields(x, v, np.ones(4000), LOW, HIGH, width=w, points=[[1.2], [1.5]])
    density = 4000 / 6
    np.testing.assert_allclose(found.density, density, rtol=1e-5)
    np.testing.assert_allclose(found.velocity[:, 0], [3.6, 4.5], rtol=1e-5)
    expected = np.diag([rate**2 * w**2, 0.04, 0])
    np.testing.assert_allclose(found.stress.kinetic, density * np.array([expected] * 2), atol=1e-4 * density)
    np.testing.assert_allclose(found.temperature, np.trace(expected) / 3, rtol=3e-4)  # beyond the cut: 5e-5 of r²
    assert np.isnan(statistics.coarse_fields(x[:9], v[:9], np.ones(9), LOW, HIGH, width=w, bins=2).velocity[1]).all()


def test_a_profile_is_a_mean_over_space(rng):
    """Over the other axes, of the fields in space: the kernel of one axis is the marginal one."""
    x, v, m = crowd(rng)
    line = statistics.coarse_fields(x, v, m, LOW, HIGH, width=0.08, points=[[1.2], [1.6]])
    across = (np.arange(32) + 0.5) / 16
    space = statistics.coarse_fields(
        x, v, m, LOW, HIGH, width=0.08, axes="zxy",
        points=np.stack(np.meshgrid([1.2, 1.6], across[:16], across, indexing="ij"), -1),
    )  # fmt: skip
    assert space.density.shape == (2, 16, 32)
    np.testing.assert_allclose(space.density.mean((1, 2)), line.density, rtol=1e-4)  # cut off at 5 w, and bins


@pytest.mark.parametrize(("options", "error"), [
    ({"axes": "zz"}, "axes are 'zz', expected one to three of x, y, z, each once"),
    ({"axes": "r"}, "unknown axis 'r'"), ({"width": 0.0}, "width is 0 m, expected a finite number above 0"),
    ({"kernel": "box"}, "unknown kernel 'box'"), ({"axes": "xy", "bins": (3,)}, r"bins are \[3\], expected a number"),
    ({"axes": "xy", "points": [[1.0, 2, 3]]}, r"points has shape \(1, 3\), expected \(1, 2\)"),
])  # fmt: skip
def test_what_has_no_fields_is_refused(options, error):
    with pytest.raises(ValueError, match=error):
        statistics.coarse_fields([[0, 0, 0]], [[0, 0, 0]], [1], LOW, HIGH, **{"width": 0.1, **options})
    with pytest.raises(ValueError, match="nothing was averaged yet"):
        statistics.FieldAverage(LOW, HIGH, width=0.1).mean  # noqa: B018


def test_an_average_over_a_run_is_that_of_its_frames(nylon, tmp_path):
    """Three balls fall on each other: means of densities, and velocities of the momentum; frames say the same."""
    balls = dem.Particles(
        dem.Sphere(diameter=0.01), nylon, position=[[0.05, 0.05, 0.005 + 0.0099 * k] for k in range(3)]
    )
    box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), nylon)
    sim = dem.Simulation(balls, box, time_step=1e-5)
    average = statistics.FieldAverage(box.lower, box.upper, width=0.005, bins=15)
    sim.run(4e-4, frames=4, every=(10, average), output=tmp_path / "run.h5", contacts=True)
    assert average.count == 4
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert not len(run.changes)  # it only looked
        frames = [run[k].coarse_fields(0.005, bins=15) for k in range(1, 5)]
        contacts = run[-1].contact_forces()
    density = np.mean([each.density for each in frames], axis=0)
    np.testing.assert_allclose(average.mean.density, density, rtol=1e-12)
    momentum = np.mean([each.density[:, None] * np.nan_to_num(each.velocity) for each in frames], axis=0)
    some = density > 0
    np.testing.assert_allclose(average.mean.velocity[some], momentum[some] / density[some, None], atol=1e-12)
    stress = np.mean([each.stress.contact for each in frames], axis=0)
    np.testing.assert_allclose(average.mean.stress.contact, stress, rtol=1e-12, atol=1e-9)
    assert (contacts.branch.T @ contacts.force)[2, 2] > 0
    assert frames[-1].stress.contact[:, 2, 2].max() > 0
