"""Observables of powder tests on synthetic data with known answers: images, heaps, yield loci, single particles."""

import math

import numpy as np
import pytest

import dem
from dem.statistics import Profile, Spheres

PIXEL = 1e-4


def disc_image(radius, level, angle):
    """Image of the part of a disc about the origin below a line at an angle, which is at a level in the middle."""
    edges = np.arange(-radius, radius + 0.5 * PIXEL, PIXEL)
    x = 0.5 * (edges[1:] + edges[:-1])
    z = x[::-1, None]
    return (x**2 + z**2 <= radius**2) & (z <= level + np.tan(angle) * x)


def test_half_a_disc_has_half_its_area_and_the_angle_of_its_surface():
    """Within a pixel along the outline."""
    image = disc_image(0.042, 0.0, math.radians(35))
    assert dem.statistics.occupied_area(image, PIXEL) == pytest.approx(0.5 * math.pi * 0.042**2, rel=1e-3)
    surface = dem.statistics.image_surface(image, PIXEL, lower=(-0.042, -0.042))
    angles = dem.statistics.surface_angles(surface, within=0.7)
    assert [math.degrees(each.angle) for each in angles] == pytest.approx([35, 35, 35], abs=0.05)
    mirrored = dem.statistics.surface_angles(dem.statistics.image_surface(image[:, ::-1], PIXEL), within=0.7)
    assert mirrored.upper.angle == pytest.approx(angles.upper.angle, abs=1e-3)


def test_images_differ_by_the_area_between_their_surfaces():
    """Two segments at 30° and 40° differ by two sectors of 10°; the mean of both is as far from each."""
    one, other = (disc_image(0.042, 0.0, math.radians(angle)) for angle in (30, 40))
    area = math.radians(10) * 0.042**2
    assert dem.statistics.image_difference(one, other, PIXEL) == pytest.approx(area, rel=2e-3)
    mean = 0.5 * (one.astype(float) + other)
    assert dem.statistics.image_difference(mean, one, PIXEL) == pytest.approx(0.5 * area, rel=2e-3)
    with pytest.raises(ValueError, match="expected the same"):
        dem.statistics.image_difference(one, other[1:], PIXEL)
    with pytest.raises(ValueError, match="values from 0 to 1"):
        dem.statistics.occupied_area(255 * one, PIXEL)


def test_spheres_are_seen_as_discs_that_hide_each_other():
    """Of two discs of radius R at a distance of R the union is 2 π R² - (2 π/3 - √3/2) R²."""
    r = 0.005
    spheres = Spheres(np.array([[0.0, 0.3, 0.0], [r, -0.2, 0.0], [0, 0, 1.0]]), np.full(3, r), np.arange(3))
    image = dem.statistics.silhouette(spheres, (-0.02, -0.02), (0.02, 0.02), 2e-5)
    union = (2 * math.pi - 2 * math.pi / 3 + math.sqrt(3) / 2) * r * r
    assert dem.statistics.occupied_area(image, 2e-5) == pytest.approx(union, rel=2e-3)
    sideways = dem.statistics.silhouette(spheres, (-0.4, -0.02), (0.4, 0.02), 1e-4, axis="x")
    assert dem.statistics.occupied_area(sideways, 1e-4) == pytest.approx(2 * math.pi * r * r, rel=0.01)
    with pytest.raises(ValueError, match="a view from the side"):
        dem.statistics.silhouette(spheres, (0, 0), (1, 1), 0.1, axis="z")


def test_a_rough_cone_has_its_angle_within_the_standard_error(rng):
    """In 68 % of heaps whose heights scatter by chance."""
    edges = np.linspace(0, 0.05, 41)
    r = 0.5 * (edges[1:] + edges[:-1])
    hits = 0
    for _ in range(100):
        noise = rng.normal(0, 3e-4, len(r))
        shape = dem.statistics.heap_shape(Profile(edges, np.maximum(0.02 - math.tan(math.radians(27)) * r, 0) + noise))
        hits += abs(shape.slope.angle - math.radians(27)) < shape.slope.error
        assert shape.base == pytest.approx(0.02 / math.tan(math.radians(27)), rel=0.05)
        assert shape.height == pytest.approx(0.02, abs=1.5e-3)
    assert 55 <= hits <= 80


def test_a_yield_locus_gives_back_cohesion_angle_and_the_circles_that_touch_it(rng):
    """Mohr's circle of f_c goes through the origin, that of preshear through its point; both touch the line."""
    cohesion, angle = 500.0, math.radians(35)
    normal = np.linspace(1e3, 5e3, 9)
    locus = dem.statistics.yield_locus(normal, cohesion + normal * math.tan(angle))
    assert (locus.cohesion, locus.angle) == pytest.approx((cohesion, angle), rel=1e-9)
    radius = 0.5 * locus.unconfined_strength
    assert cohesion * math.cos(angle) + radius * math.sin(angle) == pytest.approx(radius)
    major = locus.consolidation_stress(6e3, 3500.0)
    middle = np.linspace(4e3, 2e4, 200_001)
    off = np.abs(np.hypot(middle - 6e3, 3500.0) - (cohesion * math.cos(angle) + middle * math.sin(angle)))
    m = middle[off < 0.2].min()
    assert m - (major - m) * math.sin(angle) < 6e3  # the circle touches the locus before the point of preshear
    assert major == pytest.approx(m + np.hypot(m - 6e3, 3500.0), rel=1e-4)
    with pytest.raises(ValueError, match="above the yield locus"):
        locus.consolidation_stress(1e3, 5e3)
    off = []
    for _ in range(200):
        noisy = dem.statistics.yield_locus(normal, cohesion + normal * math.tan(angle) + rng.normal(0, 50, 9))
        off.append(((noisy.cohesion - cohesion) / noisy.cohesion_error, (noisy.angle - angle) / noisy.angle_error))
    within = (np.abs(off) < 1).mean(0)
    assert within == pytest.approx([0.65, 0.65], abs=0.1)  # Student's, with seven degrees of freedom
    with pytest.raises(ValueError, match="two different normal"):
        dem.statistics.yield_locus([1e3, 1e3], [1.0, 2.0])


@pytest.mark.parametrize("frames", [60, 300])
def test_restitution_of_a_film_of_a_bounce(frames):
    """Whatever moments frames have caught."""
    t = np.linspace(0, 0.75, frames)
    fall = math.sqrt(2 * 0.5 / 9.81)
    up = t - fall
    height = np.where(up < 0, 0.5 - 0.5 * 9.81 * t**2, 0.65 * 9.81 * fall * up - 0.5 * 9.81 * up**2)
    assert dem.statistics.rebound_restitution(0.1 + height, 0.1) == pytest.approx(0.65, abs=2e-3)
    with pytest.raises(ValueError, match="do not fall from rest and rise again"):
        dem.statistics.rebound_restitution(height[:10])


def test_friction_of_what_slides_and_rolls():
    t, angle = np.linspace(0, 0.3, 31), math.radians(20)
    sliding = 0.5 * 9.81 * (math.sin(angle) - 0.25 * math.cos(angle)) * t**2
    rolling = 0.5 * 5 / 7 * 9.81 * (math.sin(angle) - 0.02 * math.cos(angle)) * t**2
    assert dem.statistics.incline_friction(t, sliding, angle) == pytest.approx(0.25, rel=1e-9)
    assert dem.statistics.incline_friction(t, rolling, angle, rolling=True) == pytest.approx(0.02, rel=1e-9)
    with pytest.raises(ValueError, match="at least three frames"):
        dem.statistics.incline_friction([0, 1], [0, 1], angle)


def test_a_shear_test_gives_back_the_circles_that_made_it(rng):
    """Of a powder with c, φ and a circle of preshear: its σ₁ and δ, whatever the scatter between preshears."""
    cohesion, angle = 400.0, math.radians(32)
    middle = 6e3
    radius = cohesion * math.cos(angle) + middle * math.sin(angle)
    before = middle - radius * math.cos(math.radians(75))  # a point of the circle, right of where it touches the locus
    steady = radius * math.sin(math.radians(75))
    normal = np.array([1e3, 1.8e3, 2.6e3])
    failed = cohesion + normal * math.tan(angle)
    test = dem.statistics.shear_test(normal, failed, before, steady)
    assert test.consolidation_stress == pytest.approx(middle + radius, rel=1e-9)
    assert math.sin(test.effective_angle) == pytest.approx(radius / middle, rel=1e-9)
    assert test.unconfined_strength == pytest.approx(2 * cohesion * math.cos(angle) / (1 - math.sin(angle)), rel=1e-9)
    assert test.flow_function == test.consolidation_stress / test.unconfined_strength
    assert math.tan(test.steady_angle) == pytest.approx(steady / before)
    off = np.array([0.9, 1.0, 1.1])  # samples that are weaker and stronger than the others, in both shears alike
    prorated = dem.statistics.shear_test(normal, off * failed, 3 * [before], off * steady)
    assert prorated.locus == pytest.approx(test.locus)
    dry = dem.statistics.shear_test(normal, normal * 0.6 - 1, 5e3, 3.1e3)  # c < 0, and preshear above the locus
    assert dry.flow_function == math.inf
    assert dry.consolidation_stress == pytest.approx(
        5e3 * (1 + math.sin(math.atan(0.6))) / math.cos(math.atan(0.6)) ** 2
    )
    with pytest.raises(ValueError, match="expected positive ones"):
        dem.statistics.shear_test(normal, failed, 5e3, 0.0)
    with pytest.raises(ValueError, match="two different normal"):
        dem.statistics.shear_test([1e3], [500.0], 5e3, 3e3)


def test_a_torque_is_that_of_the_stress_over_ring_and_disc():
    r = np.linspace(0.016, 0.032, 2001)
    torque = np.trapezoid(2 * math.pi * 750.0 * r**2, r)
    assert dem.statistics.torsional_stress(torque, 0.032, 0.016) == pytest.approx(750.0, rel=1e-6)
    assert dem.statistics.torsional_stress([0.0, 0.1], 0.024)[1] == pytest.approx(3 * 0.1 / (2 * math.pi * 0.024**3))
    with pytest.raises(ValueError, match="expected one below the outer one"):
        dem.statistics.torsional_stress(0.1, 0.02, 0.02)


def test_a_flow_energy_is_the_work_of_force_and_torque_along_a_helix():
    """Of a force that grows with depth, and a torque with its square, both over H and by the work along the path."""
    height = np.linspace(0.07, 0.01, 401)
    depth, slope = height[0] - height, math.radians(5)
    force, torque = 60 * depth, 3 * depth**2
    turned = depth / (0.024 * math.tan(slope))
    work = np.trapezoid(force, depth) + np.trapezoid(torque, turned)
    found = dem.statistics.flow_energy(height, force, torque, 0.024, slope)
    assert found == pytest.approx(work, rel=1e-9)
    assert found == pytest.approx(30 * 0.06**2 + 0.06**3 / (0.024 * math.tan(slope)), rel=1e-4)
    assert dem.statistics.flow_energy(height[::-1], force[::-1], torque[::-1], 0.024, slope) == pytest.approx(found)
    with pytest.raises(ValueError, match="expected as many of each"):
        dem.statistics.flow_energy(height, force[1:], torque, 0.024, slope)
    with pytest.raises(ValueError, match="helix"):
        dem.statistics.flow_energy(height, force, torque, 0.024, 0.0)


@pytest.mark.parametrize(("friction", "start"), [(0.01, 0.2), (0.03, 0.5)])
def test_swings_in_a_trough_tell_rolling_friction(friction, start):
    """Of the equation of motion, 7/5 r θ'' = -g sin θ ∓ μ_r (g cos θ + r θ'²), filmed 60 times a second."""
    r, dt, theta, rate, film = 0.05, 5e-5, start, 0.0, []
    for k in range(26_000):
        press = 9.81 * math.cos(theta) + r * rate * rate
        against = math.copysign(friction * press, rate if rate else -theta)
        rate -= 5 / 7 * (9.81 * math.sin(theta) + against) / r * dt
        theta += rate * dt
        if k % 333 == 0:
            film.append(theta)
    assert dem.statistics.pendulum_friction(film) == pytest.approx(friction, rel=0.02)
    with pytest.raises(ValueError, match="expected at least two"):
        dem.statistics.pendulum_friction(film[:10])
