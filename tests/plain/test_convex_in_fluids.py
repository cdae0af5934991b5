"""Convex shapes in fluids and in bonds: what is seen of them, drag, buoyancy; a ball as an ellipsoid is a sphere."""

import itertools
import math

import numpy as np
import pytest
from dem.kernels import fluid as fluids

import dem
from dem.model.shapes.spheroid import ProjectedAreas, Spheroid
from dem.soft.fluid import fluid_setup

WATER = {"density": 1000.0, "viscosity": 1e-3}
STUFF = dem.Material(young=5e6, poisson=0.3, density=2500.0)
BALL, EVEN = dem.Sphere(diameter=0.004), dem.Ellipsoid(semi_axes=(0.002, 0.002, 0.002))
LONG, FLAT = (dem.Ellipsoid(semi_axes=(a, 0.002, 0.002)) for a in (0.005, 0.001))
THREE = dem.Ellipsoid(semi_axes=(0.004, 0.003, 0.001))
DIE = dem.Polyhedron(vertices=list(itertools.product([0, 0.006], repeat=3)), rounding=1e-6)


def figure_of(shape):
    """How it looks, by its surface."""
    return ProjectedAreas.of(shape, Spheroid.of(shape, shape.mass_properties(1.0)))


@pytest.mark.parametrize("shape", [LONG, FLAT, EVEN])
def test_what_is_seen_of_spheroids_is_that_in_closed_form(shape):
    body = Spheroid.of(shape, shape.mass_properties(1.0))
    assert (body.ratio, body.axis) == (pytest.approx(shape.semi_axes[0] / 0.002, rel=1e-12), 0)
    # 3456 triangles: areas are those of the ellipsoid to 1e-3, whose surface they are scaled to
    np.testing.assert_allclose(ProjectedAreas.of(shape, body), ProjectedAreas.spheroid(body), rtol=1e-3)


def test_what_is_seen_of_an_ellipsoid_and_of_a_cube():
    """Along d an ellipsoid shows π |(b c d_x, c a d_y, a b d_z)|, a cube e² (|d_x| + |d_y| + |d_z|)."""
    a, b, c = THREE.semi_axes
    turn = 2 * np.pi * (np.arange(400) + 0.5) / 400
    body, seen = Spheroid.of(THREE, THREE.mass_properties(1.0)), figure_of(THREE)
    ring = np.zeros((3, 400))
    ring[(body.axis + 1) % 3], ring[(body.axis + 2) % 3] = np.cos(turn), np.sin(turn)
    sides = np.array([b * c, c * a, a * b])
    assert seen.along == pytest.approx(np.pi * sides[body.axis], rel=1e-3)
    assert seen.across == pytest.approx(np.pi * np.linalg.norm(sides[:, None] * ring, axis=0).mean(), rel=1e-3)
    cube = figure_of(DIE)
    square = 0.006**2
    assert cube.surface == pytest.approx(6 * square, rel=1e-3)  # less what is rounded, 1/6000
    assert cube.along == pytest.approx(square, rel=1e-3)
    assert cube.across == pytest.approx(4 / np.pi * square, rel=2e-3)  # the mean of |cos| + |sin|
    d = np.stack([0 * turn, np.cos(turn), np.sin(turn)])
    over = np.stack([0 * turn, -np.sin(turn), np.cos(turn)])
    beside = [
        (np.abs(over * math.cos(t)) + np.abs(np.eye(3)[:, :1] * math.sin(t))).sum(0).mean() for t in turn
    ]  # directions across d
    assert np.abs(d * over).sum(0).max() < 1
    assert cube.aslant == pytest.approx(np.mean(beside) * square, rel=2e-3)


def test_drag_by_sphericities_along_and_across():
    """Hölzer and Sommerfeld's equation 10 of a disc, from its projections in closed form."""
    disc = dem.RoundedCylinder(diameter=0.008, length=0.001, rounding=1e-6)
    one = dem.Particles(disc, STUFF, position=[(0, 0, 0)])
    made = fluid_setup.fluid_of(dem.Fluid(**WATER, drag="hoelzer-sommerfeld"), one, 1e-4)
    d, surface = (6 * disc.volume / np.pi) ** (1 / 3), np.pi * (0.008**2 / 2 + 0.008 * 0.001)
    sphere, side, face = np.pi * d**2 / 4, 0.008 * 0.001, np.pi * 0.008**2 / 4
    sphericity, slip = np.pi * d**2 / surface, 0.05
    reynolds = 1000 * slip * d / 1e-3

    def force(lengthwise, crosswise):
        c = (
            8 / (reynolds * math.sqrt(lengthwise)) + 16 / (reynolds * math.sqrt(sphericity))
            + 3 / (math.sqrt(reynolds) * sphericity**0.75)
            + 0.42 * 10 ** (0.4 * (-math.log10(sphericity)) ** 0.2) / crosswise
        )  # fmt: skip
        return 0.5 * 1000 * slip**2 * sphere * c

    found = slip * np.array(fluids.drag_on(made.drag, made.medium, 0, reynolds, (slip, 0.0, 0.0)))
    assert found[0] == pytest.approx(force(sphere / (surface / 2 - side), sphere / face), rel=2e-3)
    found = slip * np.array(fluids.drag_on(made.drag, made.medium, 0, reynolds, (0.0, slip, 0.0)))
    slanting = face * 2 / np.pi + side * 2 / np.pi  # |cos| and |sin| of the angle to its axis, means; and of the side
    beside = np.mean([
        face * abs(math.cos(t)) + side * abs(math.sin(t)) for t in 2 * np.pi * (np.arange(4800) + 0.5) / 4800
    ])  # fmt: skip
    assert beside == pytest.approx(slanting, rel=1e-6)
    assert found[1] == pytest.approx(force(sphere / (surface / 2 - beside), sphere / side), rel=2e-3)


def force_on(shape, angle, law, reynolds=100.0):
    """Force on a body of which the slip has this angle with its spheroid's axis: along the slip, and from the axis."""
    one = dem.Particles(shape, STUFF, position=[(0, 0, 0)])
    made = fluid_setup.fluid_of(dem.Fluid(**WATER, drag=law), one, 1e-4)
    axis = np.array(made.medium.axis[:, 0])
    aside = np.roll(axis, 1)
    slip = 0.01 * (math.cos(angle) * axis + math.sin(angle) * aside)
    force = slip * np.array(fluids.drag_on(made.drag, made.medium, 0, reynolds, tuple(slip)))
    return 100 * force @ slip, force @ (math.cos(angle) * aside - math.sin(angle) * axis)


@pytest.mark.parametrize("shape", [LONG, FLAT])
def test_lift_by_cross_flow_turns_the_force_to_the_normal_of_a_flat_body(shape):
    """α is from the axis of a long body, or the plane of a flat one: the force of a thin disc is along its normal."""
    broad, toward = (90, 1) if shape is LONG else (0, -1)
    ends = {side: force_on(shape, math.radians(side), "hoelzer-sommerfeld")[0] for side in (0, 90)}
    assert ends[broad] > 1.2 * ends[90 - broad]  # the broad side has more drag
    for angle in (0, 20, 50, 90):
        a = math.radians(angle if shape is LONG else 90 - angle)
        drag = ends[90 - broad] + (ends[broad] - ends[90 - broad]) * math.sin(a) ** 3
        expected = [drag, toward * drag * math.sin(a) ** 2 * math.cos(a)]
        assert force_on(shape, math.radians(angle), "rosendahl") == pytest.approx(expected, rel=1e-12, abs=1e-12 * drag)


def test_bodies_of_equal_moments_have_no_lift_by_cross_flow():
    assert force_on(DIE, 0.7, "rosendahl")[1] == pytest.approx(0, abs=1e-12 * force_on(DIE, 0.7, "rosendahl")[0])


def test_only_spheres_count_as_spheres_for_lift():
    """A clump of three equal moments of inertia gets no shear lift, however rounding makes the moments differ."""
    even = [
        dem.Clump(offsets=reach * np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]),
                  radii=[0.002] * 6)
        for reach in (0.001, 0.0011)
    ]  # fmt: skip
    shapes = [BALL, DIE, *even]
    bodies = dem.Particles(shapes, STUFF, position=[(k, 0, 0) for k in range(len(shapes))])
    made = fluid_setup.fluid_of(dem.Fluid(**WATER, lift="mei"), bodies, 1e-4)
    assert made.medium.is_sphere.tolist() == [1, 0, 0, 0]


def in_water(shape, density=2500.0, *, steps, **fluid):
    """One body that falls from rest, after so many steps."""
    material = dem.Material(young=5e6, poisson=0.3, density=density)
    one = dem.Particles(shape, material, position=[(0, 0, 0)])
    sim = dem.Simulation(one, fluid=dem.Fluid(**WATER, **fluid), time_step=1e-4, threads=1)
    sim.step(steps)
    return sim


@pytest.mark.parametrize("shape", [THREE, DIE])
def test_weight_is_less_by_that_of_the_fluid(shape):
    floats = in_water(shape, 1000.0, drag="stokes", steps=20)
    assert np.abs(floats.particles.velocity).max() < 1e-15
    sinks = in_water(shape, 4000.0, drag="stokes", added_mass=False, steps=1)
    # within 0.1 ms, in which drag takes less than a thousandth
    assert sinks.particles.velocity[0, 2] == pytest.approx(-9.81 * (1 - 1000 / 4000) * 1e-4, rel=1e-3)


@pytest.mark.parametrize("drag", ["stokes", "schiller-naumann", "hoelzer-sommerfeld"])
def test_an_ellipsoid_of_equal_axes_falls_as_a_sphere(drag):
    ball, even = (in_water(shape, drag=drag, steps=50) for shape in (BALL, EVEN))
    # a mesh of its surface, to 1e-3, is in the last law
    close = 1e-3 if drag == "hoelzer-sommerfeld" else 1e-12
    np.testing.assert_allclose(even.particles.velocity, ball.particles.velocity, rtol=close, atol=1e-18)
    assert ball.particles.velocity[0, 2] < -0.02


def test_lift_acts_on_spheres_alone():
    flow = dem.Fluid(**WATER, drag="stokes", lift="saffman", velocity=dem.ShearFlow(rate=5.0))
    with pytest.raises(ValueError, match="lift and magnus are of spheres"):
        dem.Simulation(dem.Particles(THREE, STUFF, position=[(0, 0, 0)]), fluid=flow, time_step=1e-4)


def bonded(shape, time_step=2e-6, **more):
    """Three bodies in a bent row, the first of which is thrown."""
    x = 2.25 * shape.radii[0] * np.array([(0, 0, 0), (1, 0, 0), (2, 0.2, 0)])
    row = dem.Particles(shape, STUFF, position=x, velocity=[(0, 0.5, 0), (0, 0, 0), (0, 0, 0)])
    bonds = dem.Bonds([(0, 1), (1, 2)], young=1e6, diameter=0.002, contact=True, **more)
    return dem.Simulation(row, bonds=bonds, gravity=(0, 0, 0), time_step=time_step, threads=1)


def test_bonded_ellipsoids_of_equal_axes_move_as_bonded_spheres():
    ball, even = bonded(BALL), bonded(EVEN)
    for sim in (ball, even):
        sim.step(300)
    # spheres turn by a scheme of their own, of the same order
    np.testing.assert_allclose(even.particles.velocity, ball.particles.velocity, rtol=0, atol=1e-6)
    assert np.abs(ball.particles.velocity[2]).max() > 1e-3


def test_bonds_of_grains_conserve_energy_and_break():
    errors = []
    for halves in range(2):
        sim = bonded(THREE, 8e-6 / 2**halves)
        sim.step(200 * 2**halves)
        errors.append(sim.energy_error)
    assert 1e-7 < errors[0] < 1e-2
    assert errors[1] < 0.35 * errors[0]  # of second order: a quarter, and some room for terms of higher order
    weak = bonded(THREE, strength=1e2)
    weak.step(100)
    assert weak.bonds.broken.any()
