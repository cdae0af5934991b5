"""Drag in dense beds, and the voidage that is counted in cells."""

import math

import numpy as np
import pytest
from dem.kernels import fluid as fluids
from dem.kernels.fluid import cells as shared
from dem.kernels.fluid.dense_suspension import InBed

import dem
from dem.soft.fluid import fluid_setup, two_way_coupling

WATER = {"density": 1000.0, "viscosity": 1e-3}
GLASS = dem.Material(young=1e6, poisson=0.22, density=2500.0, restitution=0.8, friction=0.3)
BOX = dem.Box((0, 0, 0), (0.01, 0.01, 0.02), GLASS, periodic=["x", "y"])
NO_GRADIENT = (0.0,) * 9


def bead(position=(0.005, 0.005, 0.005), **state):
    return dem.Particles(dem.Sphere(diameter=1e-3), GLASS, position=[position], **state)


def force(drag, voidage, slip, model="A"):
    """Drag on a sphere of 1 mm in water [N]."""
    fluid = dem.Fluid(**WATER, drag=drag)
    made = fluid_setup.fluid_of(fluid, bead(), 1e-4, two_way_coupling.cells_of(fluid, bead(), BOX))
    law, flow = made.drag._replace(whole=float(model == "B")), InBed((slip, 0, 0), NO_GRADIENT, (0, 0, 0), 0, voidage)
    return slip * fluids.resist(law, made.medium, 0, 1e3 * slip * 1e-3 / 1e-3, (slip, 0.0, 0.0), flow)[0]


@pytest.mark.parametrize(
    ("drag", "dilute", "dense"),
    [
        ("di-felice", 5.454366368e-7, 1.5820439407e-6),
        ("gidaspow", 5.214898756e-7, 1.9373154697e-6),
        ("beetstra", 6.429227366e-7, 2.1463959725e-6),
    ],
)
def test_drag_in_beds(drag, dilute, dense):
    """At 2 cm/s, voidages 0.9 and 0.5, from the papers' formulae by other means; model B has 1/ε of it."""
    assert force(drag, 0.9, 0.02) == pytest.approx(dilute, rel=1e-9)
    assert force(drag, 0.5, 0.02) == pytest.approx(dense, rel=1e-9)
    assert force(drag, 0.5, 0.02, "B") == pytest.approx(2 * dense, rel=1e-9)


def test_gidaspow_jumps_and_its_smoothed_form_does_not():
    """By Ergun's and Wen's and Yu's values at 0.8; halfway between them there, and theirs a tenth aside to 2 %."""
    below, above = force("gidaspow", 0.8 - 1e-12, 0.02), force("gidaspow", 0.8, 0.02)
    assert below / above > 1.1
    assert force("huilin-gidaspow", 0.8, 0.02) == pytest.approx(0.5 * (below + above), rel=1e-9)
    for voidage in (0.7, 0.9):
        plain = force("gidaspow", voidage, 0.02)
        assert force("huilin-gidaspow", voidage, 0.02) == pytest.approx(plain, rel=0.02)


def test_ergun_is_what_a_bed_of_gidaspow_costs():
    """-dp/dz = n F_d/ε is Ergun's 150 (1-ε)² μ U/(ε³ d²) + 1.75 (1-ε) ρ U²/(ε³ d), to rounding."""
    d, u, e = 1e-3, 0.02, 0.45
    number = (1 - e) / (math.pi / 6 * d**3)
    ergun = 150 * (1 - e) ** 2 * 1e-3 * e * u / (e**3 * d**2) + 1.75 * (1 - e) * 1e3 * (e * u) ** 2 / (e**3 * d)
    assert number * force("gidaspow", e, u, "B") == pytest.approx(ergun, rel=1e-13)


def in_bed(particles=None, box=BOX, dt=5e-5, **fluid):
    given = WATER | {"drag": "gidaspow"} | fluid
    return dem.Simulation(bead() if particles is None else particles, box, fluid=dem.Fluid(**given), time_step=dt)


def test_cells_have_all_volume_of_the_particles_and_share_it_trilinearly():
    """One sphere a quarter of a cell from a centre, across a period, and in the corner at a wall."""
    v, cell = math.pi / 6 * 1e-9, 0.005**3
    cells = dem.Cells(number=(2, 2, 4))
    x = 0.0025 + 0.25 * 0.005
    solid = 1 - in_bed(bead((x, 0.0025, 0.0075)), cells=cells).exchange().voidage
    assert solid.sum() * cell == pytest.approx(v, rel=1e-12)
    assert solid[:, 0, 1] * cell / v == pytest.approx([0.75, 0.25], rel=1e-9)
    across = 1 - in_bed(bead((0.0099, 0.0025, 0.0005)), cells=cells).exchange().voidage
    share = (0.0099 - 0.0075) / 0.005
    assert across[:, 0, 0] * cell / v == pytest.approx([share, 1 - share], rel=1e-9)


def test_an_even_bed_is_even_in_cells():
    """A lattice that fills the box: every cell, those at walls too, has its solid fraction; and so has every place."""
    step = 0.0025
    x, y, z = np.meshgrid(*((np.arange(n) + 0.5) * step for n in (4, 4, 8)), indexing="ij")
    lattice = dem.Particles(
        dem.Sphere(diameter=1e-3), GLASS, position=np.column_stack([x.ravel(), y.ravel(), z.ravel()])
    )
    sim = in_bed(lattice, cells=dem.Cells(size=0.005))
    assert sim.exchange().voidage == pytest.approx(np.full((2, 2, 4), 1 - math.pi / 6 * 1e-9 / step**3), rel=1e-12)


def test_what_cells_hold_is_seen_linearly():
    """A product of lines along the axes, between centres; beyond the outermost ones it stays, or the period goes on."""
    cells = dem.Cells(number=(4, 3, 5), lower=(0, 0, 0), upper=(4, 3, 5)).resolve(None, 0.1).as_arguments()
    x, y, z = np.meshgrid(*(np.arange(n) + 0.5 for n in (4, 3, 5)), indexing="ij")
    values = ((1 + x) * (2 - y) * (3 + 2 * z))[None]

    def seen(place, cells=cells):
        return shared.value_at(values, 0, shared.corner(cells, place))

    assert seen((1.3, 0.9, 4.2)) == pytest.approx(2.3 * 1.1 * 11.4, rel=1e-14)
    assert seen((0.1, 2.9, 4.9)) == pytest.approx(1.5 * -0.5 * 12, rel=1e-14)
    around = cells._replace(periodic=(1, 0, 0))
    assert seen((3.75, 0.9, 4.2), around) == pytest.approx((0.75 * 4.5 + 0.25 * 1.5) * 1.1 * 11.4, rel=1e-14)
    assert [shared.corner(cells, place).outside for place in ((0, 0, 5), (-0.01, 1, 1), (1, 1, 5.01))] == [0, 1, 1]


def test_nothing_is_lost_between_particles_and_cells():
    """Integers: the sums over cells are those over particles to the last unit, in any order of these."""
    rng = np.random.default_rng(1)
    known = dem.Cells(number=(3, 2, 5), lower=(0, 0, 0), upper=(3, 2, 5)).resolve(None, 0.1).as_arguments()
    position, amounts, unit = (
        rng.uniform(0, 1, (3, 50)) * [[3], [2], [5]],
        rng.normal(size=(2, 50)),
        np.full(2, 2.0**-40),
    )
    found = np.zeros((2, 2, 3, 2, 5), np.int64)
    order = rng.permutation(50)
    shared.deposit(known, position, amounts, unit, found[0])
    mixed = [np.ascontiguousarray(rows[:, order]) for rows in (position, amounts)]
    shared.deposit(known, *mixed, unit, found[1])
    assert (found[0] == found[1]).all()
    assert found[0].sum((1, 2, 3)).tolist() == np.floor(amounts / 2.0**-40 + 0.5).sum(1).tolist()


def swarm(fluid=None, number=30, **options):
    particles = dem.pack(dem.Sphere(diameter=1e-3), GLASS, BOX, number=number, seed=3)
    particles.velocity = 0.05 * np.random.default_rng(2).normal(size=(number, 3))
    return in_bed(particles, **{"cells": dem.Cells(number=(2, 2, 4), every=7)} | (fluid or {}), **options)


def same(one, other):
    return all(
        (getattr(one.particles, name) == getattr(other.particles, name)).all() for name in ("position", "velocity")
    )  # fmt: skip


def test_the_same_bytes_however_a_run_is_cut(tmp_path):
    """At steps where cells are counted, and where not; from a file likewise."""
    whole, cut = swarm(), swarm()
    whole.step(30)
    for steps in (3, 4, 7, 5):
        cut.step(steps)
    cut.save(tmp_path / "bed.h5")
    again = dem.Simulation.load(tmp_path / "bed.h5")
    again.step(11)
    assert same(again, whole)
    assert again.energy() == whole.energy()


@pytest.mark.slow
def test_who_settles_among_others_settles_more_slowly():
    """Terminal velocity in a bed of the same voidage everywhere: F_B(ε, v) = V (ρ_p - ρ) g, to rounding.

    A periodic box has two spheres that never meet; there is one cell, hence the voidage is even.
    """
    box = dem.Box((0, 0, 0), (0.004,) * 3, GLASS, periodic=["x", "y", "z"])
    two = dem.Particles(dem.Sphere(diameter=1e-3), GLASS, position=[(0.001,) * 3, (0.003,) * 3])
    sim = in_bed(two, box, drag="beetstra", cells=dem.Cells(number=(1, 1, 1)), dt=5e-4, added_mass=False)
    sim.step(1500)
    speed, voidage = -sim.particles.velocity[0, 2], 1 - 2 * math.pi / 6 * 1e-9 / 0.004**3
    assert force("beetstra", voidage, speed, "B") == pytest.approx(math.pi / 6 * 1e-9 * 1500 * 9.81, rel=1e-10)
    alone = 0.1459455492159735
    assert 0.5 * alone < speed < alone


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: in_bed(cells=dem.Cells(lower=(0, 0, 0), upper=(0.01, 0.01, 0.004))), "is in none of the cells"),
        (
            lambda: in_bed(cells=dem.Cells(number=(11, 1, 1))),
            "cells are 0.000909 m wide along x, less than the largest",
        ),
        (lambda: in_bed(cells=dem.Cells(lower=(0, 0, 0), upper=(0.02, 0.01, 0.02))), "box is periodic from 0 to 0.01"),
        (lambda: in_bed(box=None), "there is no box to take them from: give lower and upper"),
        (lambda: dem.Cells(number=(1, 0, 1)), "number of cells is 0, expected at least 1"),
        (lambda: dem.Cells(number=(1, 1, 1), size=0.1), "number and size of cells are both given"),
        (lambda: dem.Cells(lower=(0, 0, 0), upper=(1, 0, 1)), "have no volume"),
        (lambda: dem.Cells(every=0), "every is 0, expected at least 1"),
        (lambda: dem.Fluid(**WATER, cells=dem.Cells()), "drag is schiller-naumann, which has no voidage"),
        (lambda: dem.Fluid(**WATER, model="B"), "which is for few particles: leave model out"),
        (lambda: dem.Fluid(**WATER, drag="gidaspow", model="A"), "no coupling tells it"),
        (lambda: dem.Fluid(**WATER, drag="gidaspov"), "did you mean gidaspow"),
    ],
)
def test_beds_that_cannot_be(make, said):
    with pytest.raises(ValueError, match=said):
        make()


def test_small_cells_are_warned_of():
    with pytest.warns(dem.DemWarning, match="small-cells: cells are 0.00111 m wide, 1.1 of the largest particle"):
        in_bed(cells=dem.Cells(number=(9, 9, 18)), dt=5e-6).run(1e-5)


def test_voidages_out_of_the_range_of_a_law_are_in_the_verdict():
    """Once: spheres in the densest packing, ε = 1 - π/(3√2) = 0.2595."""
    edge = 2 * math.sqrt(2) * 1e-3 * 1.0001
    corners = np.array([(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)])
    blocks = np.array([(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    places = (0.25 * (corners[:, None] + 2 * blocks).reshape(-1, 3) + 0.01) * edge
    packing = dem.Particles(dem.Sphere(diameter=1e-3), GLASS, position=places)
    box = dem.Box((0, 0, 0), (edge,) * 3, GLASS, periodic=["x", "y", "z"])
    sim = in_bed(packing, box, cells=dem.Cells(number=(1, 1, 1)), drag="beetstra", dt=1e-5)
    (doubt,) = [each for each in sim.run(2e-5).doubts if "voidage" in each]
    assert doubt == "voidage down to 0.26 in a cell, beetstra is for more than 0.4: take larger cells"
