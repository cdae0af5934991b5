"""Effective radius, reduced mass and rolling inertia of every kind of contact, by forces and couples in closed form.

Each is read from the list of contacts and from what one short step does to the body below: the kinematics of single
spheres are computed by different loops there.
"""

import math

import numpy as np
import pytest

import dem

GLASS = {"young": 5e7, "poisson": 0.3, "density": 2500.0}
OVERLAP, STEP = 1e-5, 1e-9
HERTZ = 4 / 3 * GLASS["young"] / (2 * (1 - GLASS["poisson"] ** 2))  # of F = HERTZ √R* δ^1.5 [Pa]
LOWER, RADIUS = 0.005, 0.008  # of the sphere below [m]; of the body above, at the contact
ABOVE = {  # and half its height
    "sphere": (dem.Sphere(diameter=2 * RADIUS), RADIUS),
    "clump": (dem.Clump(offsets=[[0, 0, -0.003], [0, 0, 0.003]], radii=[RADIUS, RADIUS]), 0.003 + RADIUS),
    "capsule": (dem.Capsule(diameter=2 * RADIUS, aspect_ratio=2), 2 * RADIUS),
    "ellipsoid": (dem.Ellipsoid(semi_axes=(RADIUS, RADIUS, RADIUS + 1e-18)), RADIUS),
}
UPRIGHT = {"clump": "as-given", "capsule": [(math.sqrt(0.5), 0, -math.sqrt(0.5), 0)]}  # axes of capsules are x


def simulation(name, spin, law):
    """A sphere that turns about y, below a body or upon a wall."""
    material = dem.Material(**GLASS, **law)
    below = LOWER - OVERLAP if name in ("face", "plane") else 0.0
    place, turning = [(0, 0, below)], [(0, spin, 0)]
    particles = dem.Particles(dem.Sphere(diameter=2 * LOWER), material, position=place, angular_velocity=turning)
    settings = {"gravity": (0, 0, 0), "time_step": STEP, "threads": 1}
    if name == "face":
        return dem.Simulation(particles, dem.Box((-0.1, -0.1, 0), (0.1, 0.1, 0.1), material=material), **settings)
    if name == "plane":
        return dem.Simulation(particles, walls=[dem.Plane((0, 0, 0), (0, 0, 1), material=material)], **settings)
    shape, half_height = ABOVE[name]
    place = [(0, 0, LOWER + half_height - OVERLAP)]
    above = dem.Particles(shape, material, position=place, orientation=UPRIGHT.get(name))
    return dem.Simulation(dem.Particles.concatenate([particles, above]), **settings)


def joint(values):
    """1/Σ(1/x)."""
    return 1 / (1 / values).sum()


def contact_of(name, law, spin=0.0):
    """Force and couple of the contact, from the list and from a step, and its properties in closed form.

    Returns forces along the normal [N] and couples about y [N m], two of each; effective radius, reduced mass and
    rolling inertia: 1/Σ(1/x) of both bodies, or x of the ball at a wall, with x = I + m R² for the last one.
    """
    sim = simulation(name, spin, law)
    listed, mass = sim.contact_forces(), sim.particles.mass
    assert listed.i.size == 1
    assert listed.overlap[0] == pytest.approx(OVERLAP, rel=1e-9)
    shapes, radii = [dem.Sphere(diameter=2 * LOWER)], np.array([LOWER])
    if name in ABOVE:
        shapes, radii = [*shapes, ABOVE[name][0]], np.array([LOWER, RADIUS])
    inertia = np.array([np.mean(shape.mass_properties(GLASS["density"]).inertia) for shape in shapes])
    sim.step(1)
    force = mass[0] * sim.particles.velocity[0, 2] / STEP
    torque = inertia[0] * (sim.particles.angular_velocity[0, 1] - spin) / STEP
    couple = 0.0 if listed.couple is None else listed.couple[0, 1]
    found = [listed.force[0] @ listed.normal[0], abs(force)], [abs(couple), abs(torque)]
    return *found, joint(radii), joint(mass), joint(inertia + mass * radii**2)


every_kind = pytest.mark.parametrize("name", [*ABOVE, "face", "plane"])


@every_kind
def test_adhesion_of_dmt_is_by_the_effective_radius(name):
    """F = 4/3 E* √R* δ^1.5 - 2 π w R*."""
    forces, _, radius, _, _ = contact_of(name, {"adhesion": dem.DMT(work=0.5)})
    expected = HERTZ * math.sqrt(radius) * OVERLAP**1.5 - 2 * math.pi * 0.5 * radius
    np.testing.assert_allclose(forces, expected, rtol=1e-6)


@every_kind
def test_linear_springs_of_a_collision_time_are_by_the_reduced_mass(name):
    """k = m* (π/T)², whichever bodies have the mass."""
    forces, _, _, mass, _ = contact_of(name, {"normal": dem.Linear(collision_time=1e-4)})
    np.testing.assert_allclose(forces, mass * (math.pi / 1e-4) ** 2 * OVERLAP, rtol=1e-6)


@every_kind
def test_rolling_is_damped_by_the_rolling_inertia(name):
    """Before the spring is stretched: a couple of 2 ζ R* √(c F/δ I*) ω."""
    rolling = dem.Rolling(friction=0.3, stiffness=0.2, damping=0.4)
    _, couples, radius, _, inertia = contact_of(name, {"friction": 0.5, "rolling": rolling}, spin=1e-3)
    stiffness = 0.2 * HERTZ * math.sqrt(radius * OVERLAP)
    np.testing.assert_allclose(couples, 2 * 0.4 * radius * math.sqrt(stiffness * inertia) * 1e-3, rtol=1e-5)


@pytest.mark.parametrize("angle", [0.0, 0.5 * math.pi], ids=["flat", "crossed"])
def test_capsules_on_each_other_are_damped_alike_by_one_contact_or_two(angle):
    """Parallel ones touch at both ends, which share the couple of 2 ζ R* √(c F/δ I*) ω about the lower axis."""
    shape = dem.Capsule(diameter=2 * RADIUS, aspect_ratio=2)
    law = {"friction": 0.5, "rolling": dem.Rolling(friction=0.3, stiffness=0.2, damping=0.4)}
    capsules = dem.Particles(
        shape, dem.Material(**GLASS, **law), position=[(0, 0, 0), (0, 0, 2 * RADIUS - OVERLAP)],
        orientation=[(1, 0, 0, 0), (math.cos(0.5 * angle), 0, 0, math.sin(0.5 * angle))],
        angular_velocity=[(1e-3, 0, 0), (0, 0, 0)],
    )  # fmt: skip
    sim = dem.Simulation(capsules, gravity=(0, 0, 0), time_step=STEP, threads=1)
    properties, listed = shape.mass_properties(GLASS["density"]), sim.contact_forces()
    sim.step(1)
    torque = properties.inertia[0] * (sim.particles.angular_velocity[0, 0] - 1e-3) / STEP
    radius, inertia = 0.5 * RADIUS, 0.5 * (np.mean(properties.inertia) + properties.mass * RADIUS**2)
    couple = 2 * 0.4 * radius * math.sqrt(0.2 * HERTZ * math.sqrt(radius * OVERLAP) * inertia) * 1e-3
    np.testing.assert_allclose([abs(listed.couple[:, 0].sum()), abs(torque)], couple, rtol=1e-5)
    np.testing.assert_allclose(listed.loss.sum(), couple * 1e-3, rtol=1e-5)  # of both contacts
