"""Several ranks, as threads of one process, against one: equal bytes for any assignment of bodies."""

import ctypes
import errno
import itertools
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from dem.kernels.compiler.c_functions import kind_of_call
from dem.kernels.soft.subdomain import subdomain_step

import dem
from dem.ranks import communicator, launcher, shared_memory
from dem.ranks.consistency_check import BuildFingerprint, difference
from dem.ranks.domain_decomposition import AtRandom, Bisection, BoundingBox, Cut, cut, is_within_reach
from dem.ranks.job_server import JobServer
from dem.ranks.threads import Board, Threads, in_one_process
from dem.soft import simulation  # noqa: F401, all who know of chunks are to be there
from dem.soft.subdomain import engine_subdomains, rank_checks, subdomain  # noqa: F401, all who know of chunks are to be there
from dem.soft.subdomain.migration import HistoryTable
from dem.soft.subdomain.subdomain import Subdomain

D, DT, STEPS, FEW = 0.01, 2e-5, 60, 30
THIN = (0.06 * D, 0.02 * D)  # how much farther than they reach bodies and spheres are listed: lists do not last long
STICKY = dem.Material(young=5e6, poisson=0.3, density=2000.0, restitution=0.6, friction=0.5)
ELASTIC = dem.Material(young=5e6, poisson=0.3, density=2000.0)


pytestmark = [
    pytest.mark.filterwarnings("ignore:overflow encountered in scalar subtract"),  # of bonds' columns: it wraps
    pytest.mark.usefixtures("small_chunks"),
]


def cloud(shape, material, number, pitch, *, seed=3, jitter=0.1, speed=0.6):
    """Particles near the places of a lattice, thrown about at random; the edge of a box that holds them."""
    rng = np.random.default_rng(seed)
    k = int(np.ceil(number ** (1 / 3)))
    places = np.stack(np.meshgrid(*[np.arange(k)] * 3, indexing="ij"), -1).reshape(-1, 3)[:number] + 0.5
    turned = rng.normal(size=(number, 4))
    particles = dem.Particles(
        shape, material, position=pitch * (places + rng.uniform(-jitter, jitter, (number, 3))),
        orientation=turned / np.linalg.norm(turned, axis=1)[:, None],
        velocity=rng.normal(0, speed, (number, 3)), angular_velocity=rng.normal(0, 20, (number, 3)),
    )  # fmt: skip
    return particles, k * pitch


def spheres(**box):
    particles, edge = cloud(dem.Sphere(diameter=D), STICKY, 36, 1.25 * D)
    return dem.Simulation(particles, dem.Box((0, 0, 0), (edge,) * 3, STICKY, **box), time_step=DT, _skin=THIN)


def open_spheres():
    particles, edge = cloud(dem.Sphere(diameter=D), ELASTIC, 36, 1.25 * D)
    box = dem.Box((0, 0, 0), (edge,) * 3, ELASTIC, open=["z+", "x+"])
    return dem.Simulation(particles, box, time_step=DT, _skin=THIN)


def mixture():
    """Spheres of two sizes, and fibres: who is larger looks for who is smaller, wherever either is."""
    small, edge = cloud(dem.Sphere(diameter=D), STICKY, 27, 1.25 * D)
    large = dem.Particles(
        dem.Sphere(diameter=2 * D), STICKY, position=[[x * edge, edge / 2, 1.3 * edge] for x in (0.2, 0.8)]
    )
    fibres = dem.Particles(
        dem.Fibre(diameter=0.7 * D, aspect_ratio=2), ELASTIC, velocity=[[0, 0, -2.0]] * 4,
        position=[[x * edge, y * edge, 1.2 * edge] for x in (0.2, 0.8) for y in (0.05, 0.95)],
    )  # fmt: skip
    walls = [
        dem.Plane((0, 0, 0), (0, 0, 1), material=STICKY, motion=dem.Motion(velocity=(0, 0, 0.5))),
        dem.Cylinder((edge / 2, edge / 2, 0), (edge / 2, edge / 2, 1), edge, material=STICKY),
    ]
    particles = dem.Particles.concatenate([small, large, fibres])
    return dem.Simulation(particles, walls=walls, time_step=DT, _skin=THIN)


def in_fluid():
    particles, edge = cloud(dem.Sphere(diameter=D), ELASTIC, 36, 1.25 * D)
    water = dem.Fluid(density=1000.0, viscosity=1e-3, velocity=(0.1, 0, 0))
    box = dem.Box((0, 0, 0), (edge,) * 3, ELASTIC, periodic=["x"])
    return dem.Simulation(particles, box, time_step=DT, fluid=water, _skin=THIN)


def coming_and_going(longer=dem.Fibre, **more):
    """Spheres and fibres rain onto a sloping sheet, are taken out beside it and begin anew, none at first."""
    edge = 6 * D
    shapes = [dem.Sphere(diameter=D), longer(diameter=0.7 * D, aspect_ratio=2)]
    above = dem.Block((0, 0, 0.5 * edge), (edge, edge, 1.2 * edge))
    rain = dem.Inserter(shapes, STICKY, region=above, every=7 * DT, number=40, velocity=(0, 0, -6.0), spread=0.2,
                        name="rain")  # fmt: skip
    out = dem.Outlet(dem.Block((-edge, -edge, 0), (2 * edge, 2 * edge, 0.55 * edge)), every=5 * DT, recycle="rain")
    corners = np.array([[0, 0, 0.3], [1, 0, 0.5], [1, 1, 0.5], [0, 1, 0.3]]) * edge
    sheet = dem.Mesh(corners, [[0, 1, 2], [0, 2, 3]], material=STICKY)
    return dem.Simulation(None, walls=[sheet], inserters=[rain], outlets=[out], time_step=DT, **more)


def rough_and_worn():
    """Spheres on a rough plate that is pressed up in a rough funnel, beneath a rough lid of some mass; all wear."""
    particles, edge = cloud(dem.Sphere(diameter=D), STICKY, 36, 1.25 * D)
    c, wears = edge / 2, {"material": STICKY, "wear": 1e-12}
    particles.velocity = particles.velocity + 40 * (particles.position - c)  # all away from the middle
    particles.angular_velocity = np.tile([2e3, -1.5e3, 1e3], (len(particles), 1))  # rad/s: surfaces slide
    walls = [
        dem.Revolution([(0.64 * edge, -D), (0.65 * edge, D), (edge, edge)], (c, c, 0), roughness=0.1, **wears),
        dem.Plane((c, c, 0), (0, 0, 1), roughness=0.05, servo=dem.Servo(force=2.0, axis=(0, 0, 1)), **wears),
        dem.Rectangle((c, c, 1.003 * edge), (edge, 0, 0), (0, edge, 0), roughness=0.2, seed=3, **wears,
                      free=dem.RigidWall(mass=0.02, velocity=(0, 0, -1.0))),
        dem.Plane((0, 0, 0), (1, 0, 0), material=STICKY, motion=dem.Motion(amplitude=(1e-3, 0, 0), frequency=60.0)),
    ]  # fmt: skip
    return dem.Simulation(particles, walls=walls, time_step=DT, _skin=THIN)


def capsules(material=STICKY, other=None, **box):
    """Capsules that lie nearly parallel, so that pairs have up to five contacts, and balls or others on them."""
    rng = np.random.default_rng(5)
    lying = np.stack(np.meshgrid(np.arange(2), np.arange(6), np.arange(2), indexing="ij"), -1).reshape(-1, 3)
    turn = rng.uniform(-0.01, 0.01, (len(lying), 3))
    many = dem.Particles(
        dem.Capsule(diameter=D, aspect_ratio=3), material, position=D * (lying + 0.5) * (3.1, 1.02, 1.02),
        orientation=np.column_stack([np.ones(len(lying)), turn]) / np.sqrt(1 + (turn**2).sum(1))[:, None],
        velocity=rng.normal(0, 0.4, (len(lying), 3)), angular_velocity=rng.normal(0, 20, (len(lying), 3)),
    )  # fmt: skip
    places = [(x * D, y * D, 2.8 * D) for x in (1.1, 3.1, 5.1) for y in (0.9, 4.9)]
    balls = dem.Particles(other or dem.Sphere(diameter=D), material, position=places, velocity=[(0, 0, -3.0)] * 6)
    size = (6.2 * D, 6.2 * D, 6 * D)
    return dem.Simulation(
        dem.Particles.concatenate([many, balls]), dem.Box((0, 0, 0), size, material, **box), time_step=DT, _skin=THIN
    )


def bonded(strength=2e5, *, damping=0.05, smooth=False, **settings):
    """Flexible fibres that hit each other and a plane; whose bonds break there."""
    fibre = dem.FlexibleFibre(
        diameter=1e-3, length=5e-3, segments=6, young=1e7, damping=damping, strength=strength, smooth=smooth
    )
    bodies, bonds = fibre.make(
        STICKY, position=[(0, 0, 0.02), (0, 2e-3, 0.02), (1e-3, 1e-3, 0.0215)],
        velocity=[(0, 0, -1), (0, 0, -1), (0, 0, -3.0)], angular_velocity=[(0, 50, 0), (0, 0, 0), (0, 0, 80)],
    )  # fmt: skip
    bodies.velocity = bodies.velocity + np.outer(1.5 * np.sin(np.arange(len(bodies))), (0, 0, 1))
    plane = dem.Plane((0, 0, 0.01945), (0, 0, 1), material=STICKY)
    return dem.Simulation(bodies, bonds=bonds, walls=[plane], time_step=4.5e-6, _skin=(1.5e-4, 5e-5), **settings)


def hung(strength=5e5, pitch=1.1e-3, **more):
    """A chain of balls of two sizes across a periodic box, hung up twice, in air; others fall on it, and it breaks."""
    rng, number = np.random.default_rng(4), 14
    along = pitch * (np.arange(number) + 0.5)
    at = np.column_stack([along, 0 * along + 2e-3, 0 * along + 2e-3])
    chain = [
        dem.Particles(dem.Sphere(diameter=size), STICKY, position=at[k::2], velocity=rng.normal(0, 0.3, (7, 3)))
        for k, size in enumerate((1e-3, 1.4e-3))
    ]
    order = np.arange(number) // 2 + number // 2 * (np.arange(number) % 2)  # numbers of the balls along the chain
    pairs = [*zip(order, np.roll(order, -1), strict=True), (order[0], -1), (order[7], -1)]
    bonds = dem.Bonds(
        pairs, ground=[at[0] + (0, 0, 2e-3), at[7] + (0, 0, 2e-3)], young=1e7, diameter=8e-4, damping=0.05,
        strength=strength, apart=2, **more,
    )  # fmt: skip
    above = at[::2] + np.outer(np.linspace(1.2e-3, 1.8e-3, 7), (0, 0, 1))
    drops = dem.Particles(dem.Sphere(diameter=1e-3), STICKY, position=above, velocity=[(0, 0, -4.5)] * 7)
    box = dem.Box((0, 0, 0), (number * pitch, 4e-3, 6e-3), STICKY, periodic=["x"])
    return dem.Simulation(
        dem.Particles.concatenate([*chain, drops]), box, bonds=bonds, time_step=3e-6, _skin=(1.5e-4, 5e-5),
        fluid=dem.Fluid(density=1.2, viscosity=1.8e-5),
    )  # fmt: skip


def convex(material=STICKY, **box):
    """Ellipsoids and superellipsoids, whose normals are kept from step to step."""
    grain = dem.Ellipsoid(semi_axes=(0.6 * D, 0.5 * D, 0.4 * D))
    block = dem.Superellipsoid(semi_axes=(0.5 * D, 0.4 * D, 0.4 * D), exponents=(3, 3))
    one, edge = cloud(grain, material, 27, 1.25 * D)
    other, _ = cloud(block, material, 9, 1.25 * D, seed=5)
    other.position = other.position + np.array([0, 0, edge])
    box = dem.Box((0, 0, 0), (edge, edge, 2 * edge), material, **box)
    return dem.Simulation(dem.Particles.concatenate([one, other]), box, time_step=DT, _skin=THIN)


BALL = dem.Sphere(diameter=D)


def in_a_cell(shape=BALL, material=STICKY, pitch=1.02, lean=0.45, bonds=None, number=36, fluid=None, **control):
    """Particles in a skewed cell that is sheared until its basis is reduced, and the stress along z is held."""
    control = control or {"rate": SHEAR, "stress": [[None] * 3, [None] * 3, [None, None, 2e3]], "fastest": 20.0}
    particles, edge = cloud(shape, material, number, pitch * D, jitter=0.0, speed=1.0)
    cell = dem.Cell(edge * np.array([[1, lean, 0], [0, 1, 0.25 * lean], [0, 0, 1]]), **control)
    return dem.Simulation(particles, cell, gravity=(0, 0, 0), time_step=DT, bonds=bonds, fluid=fluid, _skin=THIN)


def bonded_in_a_cell():
    pairs = [(k, k + 1) for k in range(35) if k % 4 < 3]  # along z
    bonds = dem.Bonds(pairs, young=1e6, diameter=0.4 * D, damping=0.2)
    return in_a_cell(lean=0.0, bonds=bonds, rate=2 * np.array(SHEAR))


SHEAR = [[0, 250.0, 0], [0] * 3, [0] * 3]
CASES = {
    "cell": in_a_cell,
    "bonds in a cell": bonded_in_a_cell,
    "capsules in a cell": lambda: in_a_cell(dem.Capsule(diameter=0.8 * D, aspect_ratio=1.6), pitch=1.3, stress=2e4),
    "cell in a fluid": lambda: in_a_cell(
        fluid=dem.Fluid(density=1000.0, viscosity=0.02, velocity=dem.CellFlow(), lift="mei")
    ),
    "elastic cell with inertia": lambda: in_a_cell(material=ELASTIC, stress=2e3, control="inertia"),
    "coming-and-going": coming_and_going,
    "frictional": spheres,
    "open": open_spheres,
    "periodic": lambda: spheres(periodic=["x", "y"]),
    "rough": lambda: spheres(roughness=0.1),
    "shaken": lambda: spheres(motion={"z-": dem.Motion(amplitude=(0, 0, 2e-3), frequency=50.0)}),
    "mixture": mixture,
    "worn": rough_and_worn,
    "bonded": bonded,
    "hung": hung,
    "hung, some with contact": lambda: hung(pitch=1.3e-3, contact=np.arange(16) % 3 > 0),
    "bonded capsules": lambda: bonded(4e5, smooth=True),
    "bonded for good": lambda: bonded(np.inf, damping=0.0),
    "capsules": capsules,
    "capsules beside chains": lambda: capsules(other=dem.Fibre(diameter=D, aspect_ratio=2)),
    "capsules coming and going": lambda: coming_and_going(dem.Capsule),
    "convex": convex,
    "elastic convex": lambda: convex(ELASTIC, periodic=["x", "y"]),
    "elastic capsules": lambda: capsules(ELASTIC, periodic=["x", "y"]),
    "fluid": in_fluid,
    "coming-and-going in air": lambda: coming_and_going(fluid=dem.Fluid(density=1.2, viscosity=1e-3)),
}
LONG = {"periodic", "rough", "shaken", "fluid", "open", "coming-and-going in air"}
LONG |= {"bonded", "capsules", "bonded capsules", "bonded for good", "capsules coming and going", "elastic capsules"}
LONG |= {"capsules beside chains", "elastic convex"}
LONG |= {"bonds in a cell", "capsules in a cell", "cell in a fluid", "elastic cell with inertia"}


def everything(sim):
    """All that decides how a run goes on, and its energies, as bytes."""
    state = sim._engine.snapshot()
    parts = [
        state.bodies,
        state.contacts._asdict(),
        state.run_state,
        state.fluid,
        state.walls,
        state.population,
        state.bonds,
    ]
    found = {f"{k} {name}": np.ascontiguousarray(v).tobytes() for k, p in enumerate(parts) for name, v in p.items()}
    return found | {"energy": np.array(sim.energy()).tobytes(), "shown": sim.particles.position.tobytes()}


WAYS = [(1, Bisection), (2, Bisection), (3, AtRandom), (4, Bisection), (7, AtRandom)]
MATRIX = [pytest.param(case, *way, STEPS, marks=pytest.mark.slow) for case in CASES for way in WAYS]
MATRIX += [pytest.param(case, 3, AtRandom, FEW) for case in CASES if case not in LONG]


@pytest.mark.parametrize(("case", "ranks", "owners", "steps"), MATRIX)
@pytest.mark.few(2, long=5)
def test_ranks_show_in_no_bit(case, ranks, owners, steps):
    """Owners at random, and others at each rebuild, leave nothing to geometry. Looking in between changes nothing."""
    alone = CASES[case]()
    alone.step(steps)
    with in_one_process(ranks, owners=owners):
        sim = CASES[case]()
        sim.step(steps // 3)
        assert sim.energy().translational > 0 <= sim.contact_count  # all bodies come to rank 0
        sim.step(steps - steps // 3)
        told = sim._engine.subdomains.remote.own.load
        assert everything(sim) == everything(alone)
        assert sim.contact_count == alone.contact_count > 0
        assert all(wall.worn.any() for wall in sim.walls if wall.wear)
        assert told.rebuilt > 2  # to begin, to go on after the look, and for motion at least once
        if ranks > 1:
            assert told.ghosts > 0  # the test is about them
        if owners is AtRandom:
            assert told.arrived > 0


def test_bonds_that_broke_on_ranks_are_shown():
    """Also by what was taken of the simulation before, and first of all that is looked at."""
    alone = bonded()
    alone.step(60)
    assert 0 < alone.bonds.broken.sum() < len(alone.bonds)
    for name in ("broken", "broken_at", "breakages", "forces"):
        with in_one_process(2):
            sim = bonded()
            bonds = sim.bonds
            sim.step(60)
            assert str(getattr(bonds, name)) == str(getattr(alone.bonds, name))


@pytest.mark.long
def test_contacts_with_ghosts_are_found_in_a_skewed_cell():
    """With so many particles that cells of the search lie beyond each other's reach."""
    alone = in_a_cell(number=216, pitch=0.98, rate=SHEAR)
    alone.step(1)
    assert alone.contact_count > 300
    with in_one_process(2):
        sim = in_a_cell(number=216, pitch=0.98, rate=SHEAR)
        sim.step(1)
        assert everything(sim) == everything(alone)


BY_KERNELS = {"frictional": (), "mixture": pytest.mark.long, "coming-and-going": pytest.mark.long}


@pytest.mark.parametrize("pause", [subdomain_step.PAUSE, -1])
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=BY_KERNELS.get(case, pytest.mark.slow)) for case in sorted(CASES)],
)
def test_kernels_of_ranks_with_memory_in_common_take_steps_by_themselves(case, pause, monkeypatch):
    """Many, or one at a time; Python has a part in steps of those with bonds."""
    monkeypatch.setattr(subdomain_step, "PAUSE", pause)
    alone = CASES[case]()
    alone.step(FEW)
    orders = []
    execute = Subdomain.execute
    monkeypatch.setattr(Subdomain, "execute", lambda *a, **k: (orders.append(a[1]), execute(*a, **k))[1])
    with in_one_process(2, owners=AtRandom, by_kernels=True):
        sim = CASES[case]()
        sim.step(FEW)
        own = sim._engine.subdomains.remote.own
        assert everything(sim) == everything(alone)
        assert own.load.rebuilt > 1
        assert own.load.seconds > 0
    steps = orders.count(subdomain_step.STEPS)
    if own.bonds:
        assert steps == 0
    else:
        assert subdomain_step.RECORD not in orders
        assert (steps >= 2 * FEW) is (pause < 0 or "inertia" in case)  # edges with inertia complete each step first


def test_reports_that_cannot_be_handed_on_end_a_run(monkeypatch):
    """Kernels come back at once, and nothing of the step is noted."""
    failing = kind_of_call()(lambda *_: -15)
    call = [ctypes.cast(failing, ctypes.c_void_p).value]
    monkeypatch.setattr(Threads, "exchange_call", lambda *_: call)
    with in_one_process(1):
        sim = spheres()
        with pytest.raises(RuntimeError, match="what ranks report could not be handed on"):
            sim.step(5)
        assert sim._engine.run_state.step[0] == 0


def bar(*, sizes=False, bonded=False):
    """Spheres, of two sizes or bonded if so wished, in a box so long that many of a rank are out of others' reach."""
    rng = np.random.default_rng(5)
    places = np.stack(np.meshgrid(np.arange(16), [0, 1], [0, 1, 2], indexing="ij"), -1).reshape(-1, 3) + 0.5
    groups = [
        dem.Particles(
            dem.Sphere(diameter=d), STICKY, position=1.04 * D * (some + rng.uniform(-0.02, 0.02, some.shape)),
            velocity=rng.normal(0, 1.5, some.shape), angular_velocity=rng.normal(0, 20, some.shape),
        )
        for d, some in zip((D, 0.7 * D), (places[::2], places[1::2]) if sizes else (places, places[:0]), strict=True)
        if len(some)
    ]  # fmt: skip
    box = dem.Box((0, 0, 0), (16 * 1.04 * D, 2.08 * D, 3.12 * D), STICKY, periodic=["x"])
    pairs = [(k, k + 6) for k in range(len(places) - 6) if k % 5]
    bonds = dem.Bonds(pairs, young=5e6, diameter=0.5 * D, strength=2e5) if bonded else None
    return dem.Simulation(dem.Particles.concatenate(groups), box, time_step=DT, threads=1, bonds=bonds)


@pytest.mark.parametrize(
    "made", [{}, *(pytest.param({name: True}, marks=pytest.mark.slow) for name in ("sizes", "bonded"))]
)
@pytest.mark.few(8)
def test_inner_bodies_move_while_others_are_told_of_the_border(made, monkeypatch):
    """What is told may not be touched meanwhile, and what is heard is not a number: `ThreadChannel` sees to that.

    Reports come combined, as those of many ranks do, and messages are hastened, as long ones are.
    """
    monkeypatch.setattr(communicator, "FEW", 1)
    monkeypatch.setattr(subdomain, "LONG", 0)
    monkeypatch.setattr(subdomain, "SEVERAL", 1)
    alone = bar(**made)
    alone.step(24)
    with in_one_process(2, together=1):
        sim = bar(**made)
        sim.step(24)
        own = sim._engine.subdomains.remote.own
        block, border = own.lists.arrays.block, own.border
        assert everything(sim) == everything(alone)
        assert len(border.reports) == 1
        assert own.hastens
        assert own.ghosts > 8  # chunks of ghosts, too, there are several of
        assert 0 < border.index.max() < 8 * block[border.blocks] < 8 * block[-1]  # those told of are of the border
        assert own.load.rebuilt > 1
        assert sim.contact_count > 0


class Swinging(Bisection):
    """The cut between two ranks goes far to and fro, so that bodies part whom no other rank knew of."""

    def renew(self, communicator, position, work):
        further = self.root is None or self.root.at < 8 * D
        self.root = Cut(0, (12 if further else 5) * 1.04 * D, 0, 1)


@pytest.mark.long
def test_contacts_of_bodies_that_part_are_remembered_by_both_ranks():
    alone = bar()
    alone.step(32)
    with in_one_process(2, owners=Swinging):
        sim = bar()
        sim.step(32)
        own = sim._engine.subdomains.remote.own
        assert own.load.rebuilt > 1
        assert own.load.arrived > 30  # of 96
        assert everything(sim) == everything(alone)


def test_ranks_in_kernels_go_beside_ranks_that_send_rows_to_another_machine():
    """Of four in a row, three share memory: the second one takes steps in kernels, its neighbours send to the last."""
    alone = bar()
    alone.step(10)
    with in_one_process(4, together=3, by_kernels=True):
        sim = bar()
        sim.step(10)
        own = sim._engine.subdomains.remote.own
        assert own.channel.remote_bytes > 0
        assert not own.border.exchange[0]
        assert everything(sim) == everything(alone)


SHAPES = {
    "spheres": [dem.Sphere(diameter=D)],
    "fibres": [dem.Fibre(diameter=0.7 * D, aspect_ratio=2)],
    "mixture": [dem.Sphere(diameter=D), dem.Fibre(diameter=0.7 * D, aspect_ratio=2), dem.Sphere(diameter=1.4 * D)],
}
PLACES = {
    "closed": {},
    "periodic": {"periodic": ["x", "y"]},
    "moving": {"motion": {"z-": dem.Motion(amplitude=(0, 0, 2e-3), frequency=100.0)}},
    "rough": {"roughness": 0.1},
    "mesh": {},
}
MATERIALS = {"elastic": ELASTIC, "frictional": STICKY}
COMBINED = ["-".join(each) for each in itertools.product(SHAPES, MATERIALS, PLACES, ("alone", "rained on"))]


def combined(name):
    """A few particles of some shapes in a box that moves, is rough or has a sheet in it, and others that rain in."""
    shape, material, place, rains = name.split("-")
    material = MATERIALS[material]
    rng, shapes, many = np.random.default_rng(2), SHAPES[shape], 21
    pitch = 1.08 * D if shape == "spheres" else 1.45 * D
    edge = 3 * pitch
    places = np.stack(np.meshgrid(*[np.arange(3)] * 3, indexing="ij"), -1).reshape(-1, 3)[:many] + 0.5
    positions, velocities = pitch * places + rng.uniform(-0.03, 0.03, (many, 3)) * D, rng.normal(0, 0.8, (many, 3))
    velocities[:, 2] -= 0.8
    particles = [
        dem.Particles(each, material, position=positions[k :: len(shapes)], velocity=velocities[k :: len(shapes)])
        for k, each in enumerate(shapes)
    ]
    above = dem.Block((0, 0, edge + 0.2 * D), (edge, edge, edge + 3 * D))
    rain = dem.Inserter(shapes, material, region=above, every=5 * DT, number=7, velocity=(0, 0, -9.0), name="rain")
    corners = np.array([[0, 0, -0.5], [1, 0, -0.05], [1, 1, -0.05], [0, 1, -0.5]]) * (edge, edge, D)
    sheet = dem.Mesh(corners, [[0, 1, 2], [0, 2, 3]], material=material)
    deep = 0.6 * D if place == "mesh" else 0.0
    box = dem.Box((0, 0, -deep), (edge, edge, edge + 4 * D + deep), material, **PLACES[place])
    return dem.Simulation(
        dem.Particles.concatenate(particles), box, walls=[sheet] if place == "mesh" else [], time_step=DT,
        inserters=[rain] if rains == "rained on" else [], _skin=THIN,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", COMBINED)
def test_ranks_show_in_no_bit_of_any_combination(name):
    """Each combination in one of the ways, in turn."""
    ranks, owners = WAYS[1 + COMBINED.index(name) % (len(WAYS) - 1)]
    alone = combined(name)
    alone.step(FEW)
    with in_one_process(ranks, owners=owners):
        sim = combined(name)
        sim.step(FEW)
        told = sim._engine.subdomains.remote.own.load
        assert everything(sim) == everything(alone)
        assert sim.contact_count == alone.contact_count > 0
        assert told.rebuilt > 1
        assert told.ghosts > 0


@pytest.mark.filterwarnings("ignore:few-per-rank")
@pytest.mark.slow
@pytest.mark.parametrize("make", [spheres, capsules, hung])
def test_files_are_those_of_one_rank_and_go_on_on_any_number(make, tmp_path):
    one, several = tmp_path / "one.h5", tmp_path / "several.h5"
    dt = make().time_step
    make().run(60 * dt, output=one, frames=3, progress=False, contacts=True)
    with in_one_process(3):
        make().run(40 * dt, output=several, frames=2, progress=False, contacts=True)
    with in_one_process(2):
        dem.resume(several, duration=50 * dt, progress=False)
    dem.resume(several, duration=60 * dt, progress=False)
    with dem.Trajectory(one) as a, dem.Trajectory(several) as b:
        assert a.position[-1].tobytes() == b.position[-1].tobytes()
        assert {name: values[-1] for name, values in a.energy.items()} == {n: v[-1] for n, v in b.energy.items()}
    with in_one_process(2):
        assert dem.rerun(one).same  # frame by frame, contacts and all


def test_a_run_that_breaks_says_the_same():
    def broken():
        sim = spheres()
        sim.particles.velocity = np.tile([0, 0, -300.0], (36, 1))
        with pytest.raises(FloatingPointError) as caught:
            sim.step(50)
        return str(caught.value)

    said = broken()
    with in_one_process(2, owners=AtRandom):
        assert broken() == said


def test_an_overlap_that_is_too_deep_has_the_same_speed_on_ranks():
    """Forces of a step in the middle are overwritten by those of other chunks: velocities do not depend on them."""

    def broken():
        sim = spheres()
        sim.particles.velocity = 18 * np.random.default_rng(1).normal(size=(36, 3))
        with pytest.raises(FloatingPointError, match=r"overlaps .* m/s") as caught:
            sim.step(50)
        return str(caught.value), sim.particles.velocity.tobytes()

    said = broken()
    with in_one_process(2, owners=AtRandom):
        assert broken() == said


@pytest.mark.slow
@pytest.mark.parametrize(("case", "steps"), [("frictional", 20), ("worn", 4)])
def test_changes_from_outside_reach_all_ranks(case, steps):
    """Assigned velocities, gravity that turns (the weight of walls as well), somebody who looks on: as on one rank."""

    def disturbed():
        sim = CASES[case]()
        sim.step(steps)
        sim.particles.velocity = 1.1 * sim.particles.velocity
        sim.step(steps)
        sim.gravity = (300.0, 0.0, -900.0)
        sim.step(30)
        return everything(sim), sim.verdict()

    alone = disturbed()
    with in_one_process(3, owners=AtRandom):
        assert disturbed() == alone


@pytest.mark.slow
def test_a_wall_is_removed_on_all_ranks():
    """The walls that stay are pressed, free, rough and worn, and contacts with them remember: all as on one rank."""

    def opened():
        sim = CASES["worn"]()
        sim.step(6)
        sim.remove_wall(0)
        sim.step(6)
        return everything(sim), sim.verdict(), len(sim.walls)

    alone = opened()
    with in_one_process(3, owners=AtRandom):
        assert opened() == alone


@pytest.mark.slow
def test_particles_grow_on_all_ranks():
    """A worn and rough floor, servos and friction remember: all as on one rank, and so do particles of other sizes."""

    def grown():
        sim = CASES["worn"]()
        sim.step(6)
        sim.grow(1.001)
        sim.step(6)
        return everything(sim), sim.verdict(), sim.particles.mass.tolist()

    alone = grown()
    with in_one_process(3, owners=AtRandom):
        assert grown() == alone


def test_more_ranks_than_particles_work_and_are_told_of():
    def pair():
        touching = dem.Particles(dem.Sphere(diameter=D), STICKY, position=[[0, 0, 0], [0.99 * D, 0, 0]])
        return dem.Simulation(touching, time_step=DT)

    alone = pair()
    alone.step(40)
    with in_one_process(5) as communicator:
        sim = pair()
        sim.step(40)
        assert everything(sim) == everything(alone)
        assert communicator.ranks == 5
        assert "3 of them with none" in JobServer.current.described


def test_what_one_rank_computes_alone_is_refused():
    balls = dem.Particles(dem.Sphere(diameter=D), ELASTIC, position=[[0, 0, 0]])
    with in_one_process(2):
        with pytest.raises(ValueError, match="HardSpheres cannot be shared by 2 ranks: start it without mpiexec"):
            dem.HardSpheres(balls)
        with pytest.raises(ValueError, match="a table of one body's steps cannot be shared"):
            dem.cases()["symmetric-top"](duration=1.0).write("top.csv")


def stirring(t, x, y, z):
    return 0.1 * z, 0.0, 0.0


def test_a_flow_by_a_function_is_refused_on_ranks():
    """Its machine code is at an address of one process."""
    ball = dem.Particles(dem.Sphere(diameter=D), ELASTIC, position=[[0, 0, 0]])
    with in_one_process(2), pytest.raises(ValueError, match="whose velocity is a function cannot be computed by sev"):
        dem.Simulation(ball, fluid=dem.Fluid(density=1.2, viscosity=1e-5, velocity=stirring), time_step=DT)


def unreadable(rank_0):
    """Read from a pickle: nothing on rank 0, an error on others, as where a class is of the program of rank 0 alone."""
    if threading.get_ident() != rank_0:
        raise AttributeError("Can't get attribute 'Bowl' on <module '__main__'>")


class OfTheProgram(dict):
    def __reduce__(self):
        return unreadable, (threading.get_ident(),)


def test_what_other_ranks_cannot_read_is_refused_and_they_go_on():
    with in_one_process(3):
        server = JobServer.current
        with pytest.raises(
            ValueError, match=r"cannot be handed to other ranks, .* attribute 'Bowl'.* in a module that"
        ):
            server.make(Subdomain, OfTheProgram())
        with pytest.raises(ValueError, match=r"cannot be handed to other ranks: .*pickle.*; run it without mpiexec"):
            server.make(Subdomain, lambda: None)
        sim = spheres()
        sim.step(3)
        assert sim.step_count == 3


@pytest.mark.parametrize("ranks", [2, 3, 7, 64])
def test_bisection_gives_all_ranks_their_share_of_the_work(ranks):
    """The middle of what is left is halved by weight, so that shares differ by a body or two at each of the cuts."""
    rng = np.random.default_rng(1)
    x, weight = rng.uniform(size=(3, 20_000)) ** 2, rng.uniform(0.5, 1.5, 20_000)
    owners = Bisection()
    owners.root = cut(x, weight, 0, ranks)
    share = np.bincount(owners.of(x, np.arange(20_000)), weights=weight, minlength=ranks)
    assert share.max() - share.min() < 2 * 1.5 * np.ceil(np.log2(ranks))


def test_nobody_in_a_domain_is_no_matter():
    assert cut(np.zeros((3, 0)), np.zeros(0), 0, 2) == Cut(0, 0.0, 0, 1)
    assert not is_within_reach(BoundingBox.about(np.zeros((3, 0))), np.ones(4), np.zeros((3, 4)), np.zeros(3)).any()


def on_a_machine(ranks, what):
    """What comes of something that each of the ranks of a machine does with all of them, as with a communicator."""
    board = Board(ranks)

    def one(rank):
        here = Threads(board, rank)
        return what(SimpleNamespace(rank=rank, bcast=here.bcast, allgather=here.allgather))

    with ThreadPoolExecutor(ranks) as pool:
        return list(pool.map(one, range(ranks)))


def test_memory_in_common_is_seen_by_all_and_has_no_name(monkeypatch, tmp_path):
    monkeypatch.setattr(shared_memory, "FOLDER", tmp_path)
    found = on_a_machine(3, lambda machine: shared_memory.shared_bytes(machine, 800))
    assert [(each.size, each.any()) for each in found] == [(800, False)] * 3
    found[1].view(float)[7] = 0.1
    assert [each.view(float)[7] for each in found] == [0.1] * 3
    assert not list(tmp_path.iterdir())


def test_a_rank_receives_from_where_the_sender_has_put_its_rows():
    """Rank 1 sends two rows to rank 0, then three to rank 2; each rank has ten rows of the buffer of the machine."""
    segment, members = communicator.Segment, (0, 1, 2)
    sends = [[segment(1, 0, 2)], [segment(0, 0, 2), segment(2, 2, 5)], [segment(1, 0, 3)]]
    sizes = [communicator.BufferSizes.of(to, to, members) for to in sends]
    layout = communicator.BufferLayout.among(2, members, sizes, sends[2], sends[2])
    assert layout.side_rows == 5
    assert layout.received == [segment(1, 10 + 2, 10 + 5)]


@pytest.mark.parametrize("broken", ["_file", "_mapped"])
def test_nobody_has_memory_in_common_that_one_cannot_have(broken, monkeypatch, tmp_path):
    monkeypatch.setattr(shared_memory, "FOLDER", tmp_path)
    right, calls = getattr(shared_memory, broken), itertools.count()
    monkeypatch.setattr(shared_memory, broken, lambda *given: None if next(calls) == 0 else right(*given))
    assert on_a_machine(3, lambda machine: shared_memory.shared_bytes(machine, 800)) == [None] * 3
    assert not list(tmp_path.iterdir())


def test_there_is_no_memory_in_common_where_there_is_no_room(monkeypatch, tmp_path):
    def full(*given):
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(shared_memory, "FOLDER", tmp_path)
    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    assert on_a_machine(2, lambda machine: shared_memory.shared_bytes(machine, 800)) == [None] * 2
    assert not list(tmp_path.iterdir())


def test_domains_are_cut_anew_by_as_much_as_cuts_leave():
    """A rank with 1.02 of the mean work is half way to 1/1.02 of its bodies then; one with 1.009 keeps them all.

    Who has had so much once only keeps them as well.
    """
    x = np.stack([np.linspace(0, 1, 20_000), np.zeros(20_000), np.zeros(20_000)])
    halves = [x[:, :10_000], x[:, 10_000:]]
    for before, more, expected in ((0.02, 0.02, 9902), (0.009, 0.009, 10_000), (0.0, 0.02, 10_000)):
        board, both = Board(2), [Bisection(), Bisection()]
        for owners in both:
            owners.root = Cut(0, 0.5, 0, 1)
        with ThreadPoolExecutor(2) as pool:
            ranks = [Threads(board, 0), Threads(board, 1)]
            for share in (before, more):
                list(pool.map(Bisection.renew, both, ranks, halves, (1.0 + share, 1.0 - share)))
        first, second = both
        share = np.count_nonzero(first.of(x, np.arange(20_000)) == 0)
        assert first.root == second.root
        assert abs(share - expected) <= 4  # two of those that tell where all are: every second does


def test_the_work_of_a_rank_is_what_its_quickest_steps_take():
    """Of 20 at least, 10 ms in all; 20 that took 5 ms more are another matter, and so are fewer that took less."""
    share = SimpleNamespace(work=np.inf, spent=0.0, steps=0)
    for milliseconds, steps in ((15, 20), (4, 5), (6, 15), (1, 19)):
        share.spent += 1e-3 * milliseconds
        Subdomain._record_step_time(share, steps)
    assert share.work == pytest.approx(1e-3 * 10 / 20)
    assert (share.spent, share.steps) == (pytest.approx(1e-3), 19)


def test_memories_that_differ_between_ranks_are_noticed():
    """Both owners of a touching pair keep what it remembers; where both copies meet they must be of the same bytes."""
    one = HistoryTable(np.array([3, 4]), np.array([5, -1]), np.array([[0.1], [0.2]]))
    other = HistoryTable(np.array([3]), np.array([5]), np.array([[0.1]]))
    assert [a.tolist() for a in HistoryTable.merged([one, other])] == [[3, 4], [5, -1], [[0.1], [0.2]]]
    with pytest.raises(AssertionError, match="two ranks remember different things of the contact of spheres 3 and 5"):
        HistoryTable.merged([one, other._replace(history=np.array([[np.nextafter(0.1, 1)]]))])


@pytest.mark.parametrize(
    ("number", "cores", "said"),
    [
        (2000, 2.0, ["few-per-rank: 3 ranks share 2000 particles, 667 each, but ranks pay from 10000 each on"]),
        (20_000, 1.0, ["few-per-rank: 3 ranks share 20000 particles"]),
        (30_000, 1.0, []),
        (30_000, 0.5, ["crowded-cores: 3 ranks have no core each, but 0.5 of one"]),
    ],
)
def test_ranks_that_do_not_pay_say_so(number, cores, said):
    assert not [*rank_checks.startup_notices(number)]  # of one process
    with in_one_process(3) as communicator:
        communicator.cores = cores
        notices = [str(each) for each in rank_checks.startup_notices(number)]
    assert [text[: len(start)] for text, start in zip(notices, said, strict=True)] == said
    assert all("on 2 ranks" in text for text in notices if number == 20_000)


def test_a_run_says_at_its_start_that_ranks_do_not_pay():
    with in_one_process(2), pytest.warns(dem.DemWarning, match="few-per-rank: 2 ranks share 36 particles, 18 each"):
        spheres().run(DT, progress=False)
    with in_one_process(2), pytest.raises(ValueError, match="few-per-rank"):
        spheres().run(DT, progress=False, strict=True)
    above = dem.Inserter(dem.Sphere(diameter=D), STICKY, region=dem.Block((0, 0, 0), (1, 1, 1)), rate=1e4)
    with in_one_process(2):  # which may come to any number
        sim = dem.Simulation(None, dem.Box((0, 0, 0), (1, 1, 1), STICKY), inserters=[above], time_step=DT)
        assert "few-per-rank" not in [each.name for each in sim.foreseen()]


def test_ranks_come_by_their_threads_before_numba_does():
    """Numba reads the number of threads when it is imported: each rank would have as many as there are cores."""
    fake = "import sys, types; sys.modules['mpi4py'] = m = types.ModuleType('mpi4py'); m.MPI = types.ModuleType('MPI')"
    wanted = f"{fake}; import dem.ranks.mpi; print('numba' in sys.modules)"
    told = {"PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", wanted], env=told, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_ranks_must_be_alike():
    here = BuildFingerprint.here("kernels")
    assert here == BuildFingerprint.here("kernels")
    assert difference([here, here]) is None
    assert "rank 1" in difference([here, BuildFingerprint.here("other kernels")])
    assert "rounds unlike" in difference([here, here._replace(numbers="0")])


@pytest.mark.parametrize(
    ("environment", "size", "rank"),
    [
        ({}, 1, 0),
        ({"SLURM_NTASKS": "8"}, 1, 0),  # a batch script, or a login: nothing has been launched
        ({"PMI_SIZE": "4", "PMI_RANK": "3"}, 4, 3),
        ({"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "1", "PMIX_RANK": "1"}, 2, 1),
        ({"PMIX_RANK": "0", "SLURM_STEP_NUM_TASKS": "16"}, 16, 0),
        ({"PMI_SIZE": "1", "PMI_RANK": "0"}, 1, 0),
    ],
)
def test_launchers_are_recognised(environment, size, rank):
    assert (launcher.size(environment), launcher.rank(environment)) == (size, rank)


@pytest.mark.parametrize(("rank", "said"), [("0", "a launcher has started 4 of this process, but mpi4py"), ("2", "")])
def test_a_launcher_without_mpi4py_is_refused_once(rank, said):
    """Else four copies would write the same file."""
    hide = "import sys; sys.modules['mpi4py'] = None; import importlib.util as u; f = u.find_spec; "
    hide += "u.find_spec = lambda name, *a: None if name == 'mpi4py' else f(name, *a); import dem; print('on')"
    told = {"PMI_SIZE": "4", "PMI_RANK": rank, "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", hide], env=told | {"PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(said)
    assert bool(done.stderr) == bool(said)
    assert not done.stdout


TWO_RANKS = """
import importlib.util, os, sys, types
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: "here" if name == "mpi4py" else find(name, *rest)
sys.modules["dem.ranks.mpi"] = mpi = types.ModuleType("dem.ranks.mpi")
mpi.end = lambda: print("ended")
class World:
    rank, ranks = int(os.environ["PMI_RANK"]), int(os.environ["PMI_SIZE"])
    threads_each = staticmethod(lambda: 1)
    def bcast(self, order=None):
        return print("bcast", order) or (0, "end", (3,), [])
mpi.World = World
import dem
print("program")
"""


ENDS = {
    "": 0, "1 / 0": 1, "sys.argv[1:] = ['run', 'no-such-case']; import dem.cli; dem.cli.main()": 2,
    "sys.argv[1:] = ['--version']; import dem.cli; dem.cli.main()": 0,
}  # fmt: skip


def run_as(rank, program):
    """A program of two ranks, as run by one of them."""
    told = {"PMI_SIZE": "2", "PMI_RANK": rank, "PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(filter(None, sys.path))}
    words = [sys.executable, "-c", TWO_RANKS + program]
    return subprocess.run(words, env=told, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("program", ENDS)
def test_rank_0_sends_its_exit_status(program):
    """Of the command line, and after an exception that the program does not handle."""
    done = run_as("0", program)
    assert done.returncode == ENDS[program]
    assert done.stdout.splitlines()[-1] == f"bcast (0, 'end', ({ENDS[program]},), [])"


@pytest.mark.parametrize(
    ("rank", "printed"), [("0", ["program", "bcast (0, 'end', (0,), [])"]), ("1", ["bcast None", "ended"])]
)
def test_import_dem_returns_on_rank_0_alone_which_says_so(rank, printed):
    """The other rank serves until rank 0 ends, runs nothing of the program, and ends with the status of rank 0."""
    done = run_as(rank, "")
    assert done.returncode == (0 if rank == "0" else 3)
    assert done.stdout.splitlines() == printed
    assert done.stderr.startswith(
        "dem: rank 0 of 2 runs this program; on the other ranks import dem does not return"
    ) == (rank == "0")
    assert bool(done.stderr) == (rank == "0")
