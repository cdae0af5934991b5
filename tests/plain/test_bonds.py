"""Bonds: their potential, closed forms of beams, ledger, breakage, the same bytes, refusals, files."""

import itertools
import math
import re
import warnings

import h5py
import numpy as np
import pytest
from dem.kernels.bonds import beam
from dem.kernels.compiler import jit
from dem.kernels.numerics.quaternion import exponential, product
from dem.kernels.soft.bonds import bond_accumulation
from sample_runs import divide_into_small_chunks
from scipy.linalg import eigh

import dem
from dem.base.notices import DemWarning
from dem.soft.bonds import engine_bonds
from dem.soft.bonds.engine_bonds import bonded_pairs, shortest_period
from dem.validation.fibres.bonds import Beam

NYLON = dem.Material(young=1e7, poisson=0.35, density=1000.0, restitution=0.8, friction=0.3)
HAIR = dem.Material(young=5e7, poisson=0.35, density=1000.0)
ROD = {"diameter": 1e-3, "length": 20e-3, "young": 1e9, "poisson": 0.3}
EI, GJ, EA = 4.908738521234053e-5, 3.775952708641579e-5, 785.3981633974483  # of this rod, from its sizes
LENGTH, ALONG, ACROSS = 1.3, (3.0, 2.0), (1.5, 0.7)


def energy(one, other, r):
    s = beam.strain(one, other, r)
    return beam.energy(s, LENGTH, *beam.stresses(s, LENGTH, ALONG, ACROSS))


def difference(of, at, k, h=1e-6):
    """Derivative of a function of three small numbers by the k-th, error h² and rounding over h."""
    u = tuple(h * float(n == k) for n in range(3))
    return (of(u, at) - of(tuple(-x for x in u), at)) / (2 * h)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.1, 1.0, 2.5, 3.1])
@pytest.mark.parametrize("sign", [1, -1])
def test_forces_and_couples_are_the_gradient_of_the_energy(angle, sign):
    """By central differences (3e-9 of numbers about 10), and the moments balance, for any strain and sign of q."""
    rng = np.random.default_rng(3)
    q, axis, r = (rng.normal(size=n) for n in (4, 3, 3))
    one = tuple(q / np.linalg.norm(q))
    turned = exponential(tuple(0.5 * angle * axis / np.linalg.norm(axis)))
    other = tuple(sign * x for x in product(one, turned))
    s = beam.strain(one, other, tuple(r))
    assert np.linalg.norm(s.turn) == pytest.approx(angle, abs=2e-15)
    f, c = beam.stresses(s, LENGTH, ALONG, ACROSS)
    force, t_one, t_other = map(np.array, beam.end_loads(s, tuple(r), f, beam.couples(s, f, c)[0]))

    def spun(u, q):
        return product(exponential(tuple(0.5 * x for x in u)), q)

    for k in range(3):
        assert difference(lambda u, x: energy(one, other, tuple(np.add(x, u))), r, k) == pytest.approx(
            force[k], abs=1e-8
        )
        assert -difference(lambda u, x: energy(spun(u, x), other, tuple(r)), one, k) == pytest.approx(
            t_one[k], abs=1e-8
        )
        assert -difference(lambda u, x: energy(one, spun(u, x), tuple(r)), other, k) == pytest.approx(
            t_other[k], abs=1e-8
        )
    np.testing.assert_allclose(t_one + t_other, np.cross(r, force), atol=1e-14)


def test_rates_are_those_of_the_strain():
    """How d and ψ change as the ends move and turn: differences over a short time, which are of second order."""
    rng = np.random.default_rng(3)
    one, other = (q / np.linalg.norm(q) for q in ([1, 0.2, -0.1, 0.3], [0.9, -0.3, 0.4, 0.1]))
    r, velocity, spins, errors = np.array([0.9, 0.2, -0.3]), rng.normal(size=3), rng.normal(size=(2, 3)), []
    s = beam.strain(tuple(one), tuple(other), tuple(r))
    told = beam.rates(s, *(beam.to_bond_frame(s.axes, tuple(u)) for u in (velocity, *spins)))

    def after(time):
        ends = [product(exponential(tuple(0.5 * time * w)), tuple(q)) for w, q in zip(spins, (one, other), strict=True)]
        return beam.strain(*ends, tuple(r + time * velocity))

    for time in (1e-3, 5e-4):
        ahead, behind = after(time), after(-time)
        found = [np.subtract(a, b) / (2 * time) for a, b in ((ahead.chord, behind.chord), (ahead.turn, behind.turn))]
        errors.append(np.abs(np.subtract(found, told)).max())
    assert errors[1] < 1e-5
    assert errors[1] < 0.3 * errors[0]


@pytest.mark.parametrize("sign", [1, -1])
def test_bonds_break_by_twist_of_either_sign_and_by_bending_at_either_end(sign):
    """σ = F_n/A + β M_b r/I by the larger moment of both ends, and τ = F_s/A + β |M_t| r/J; over the strengths."""
    none, section, strength = (0.0, 0.0, 0.0), (2.0, 3.0, 5.0), (0.7, 0.9)

    def load(force=none, one=none, other=none):
        return beam.load_ratio(force, one, other, section, strength)

    assert load(one=(sign * 4.0, 0, 0), other=(-sign * 4.0, 0, 0)) == pytest.approx(4.0 * 5.0 * 0.9, rel=1e-15)
    for bent in ((0, sign * 4.0, 0), (0, 0, sign * 4.0)):
        assert load(one=bent) == load(other=bent) == pytest.approx(4.0 * 3.0 * 0.7, rel=1e-15)
        assert load(one=bent, other=(0, 3.0, -3.5)) == load(one=(0, 3.0, -3.5), other=bent)
    assert load(force=(0, sign * 4.0, 3.0)) == pytest.approx(5.0 * 2.0 * 0.9, rel=1e-15)
    assert load(force=(sign * 4.0, 0, 0)) == pytest.approx(max(sign * 4.0 * 2.0 * 0.7, 0.0), rel=1e-15)


@pytest.mark.parametrize("number", [1, 2, 5, 20])
def test_cantilever_bends_as_timoshenkos_whatever_the_number_of_bonds(number):
    """Deflection P L³/(3 E I) + P L/(κ G A), linear at this load; without shear flexibility P L³/(3 E I)."""
    load, cowper = 1e-9, 6 * 1.3 / (7 + 6 * 0.3)
    bending, shear = load * ROD["length"] ** 3 / (3 * EI), load * ROD["length"] / (cowper * EA / 2.6)
    assert bending / load * 1e-3 == pytest.approx(5.432488724203362e-5, rel=1e-15)
    tip = Beam(number, **ROD).deflected(force=(0, load, 0))
    assert tip.position[-1, 1] == pytest.approx(bending + shear, rel=1e-12)  # rounding of the solution
    tip = Beam(number, **ROD, sheared=False).deflected(force=(0, load, 0))
    assert tip.position[-1, 1] == pytest.approx(bending, rel=1e-12)


def test_stretch_and_twist_of_a_rod():
    """P L/(E A); M L/(G J) by up to three half turns of the whole rod, which leaves nothing unbalanced but rounding."""
    rod = Beam(20, **ROD)
    load = 1e-3
    assert rod.deflected(force=(load, 0, 0)).position[-1, 0] - 20e-3 == pytest.approx(load * 20e-3 / EA, rel=1e-9)
    for angle in (1e-3, 3 * math.pi):
        couple = (angle * GJ / 20e-3, 0, 0)
        twisted = rod.turned(couple)
        assert rod.unbalanced(twisted, couple) < 1e-9 if angle < 1 else 1e-12  # rounding of G J/l over the couple
        whole = 2 * np.arctan2(twisted.orientation[0, 1], twisted.orientation[0, 0]) * 20
        assert whole == pytest.approx(angle, rel=1e-12)


def test_a_rod_rolls_up_to_a_circle():
    """By M = 2 π E I/L its ends meet, each bond is turned by 2 π/N, and nothing is unbalanced but rounding."""
    rod, couple = Beam(20, **ROD), 2 * math.pi * EI / 20e-3
    assert couple == pytest.approx(0.015421256876702125, rel=1e-14)
    rolled = rod.turned((0, 0, couple))
    assert np.abs(rolled.position[-1]).max() < 1e-14 * 20
    assert rod.unbalanced(rolled, (0, 0, couple)) < 1e-12


@pytest.mark.parametrize(("number", "frequency"), [(10, 348.147), (20, 349.3438), (40, 349.6442)])
def test_first_frequency_of_lumped_masses(number, frequency):
    """Masses ρ A l, half of it at the tip, without rotary inertia: the matrix's value to its last digit."""
    rod = Beam(number, **ROD, sheared=False)
    k = rod.matrix()
    across, turning = np.arange(1, 6 * number, 6), np.arange(5, 6 * number, 6)
    condensed = k[np.ix_(across, across)] - k[np.ix_(across, turning)] @ np.linalg.solve(
        k[np.ix_(turning, turning)], k[np.ix_(turning, across)]
    )
    mass = np.full(number, 1000.0 * math.pi / 4 * 1e-6 * rod.spacing)
    mass[-1] *= 0.5
    found = math.sqrt(eigh(condensed, np.diag(mass), eigvals_only=True)[0]) / (2 * math.pi)
    assert found == pytest.approx(frequency, abs=0.51 * 10.0 ** -(3 if number == 10 else 4))
    assert found / 349.7445062302354 - 1 == pytest.approx(-0.457 / number**2, rel=0.03)  # the next order is 1/N⁴


def test_time_step_bound_is_below_that_of_the_whole_chain():
    """2/ω of the quickest bond by itself bounds that of a free chain, found from its matrix, from below."""
    fibre = dem.FlexibleFibre(diameter=1e-3, length=21e-3, segments=20, young=1e9, poisson=0.3)
    bodies, bonds = fibre.make(HAIR, position=[(0, 0, 0)])
    bound, _ = shortest_period(bonds, bodies)
    rod = Beam(20, **ROD)
    inertia = np.array([p.mass_properties(1000.0).inertia for p in fibre.pieces])
    mass = bodies.mass
    whole = np.concatenate([np.repeat(mass[1:, None], 3, axis=1), inertia[1:]], axis=1).ravel()
    exact = 2 / math.sqrt(eigh(rod.matrix(), np.diag(whole), eigvals_only=True)[-1])  # clamped: no quicker than free
    assert 0.7 * exact < bound <= exact * (1 + 1e-12)


@pytest.mark.parametrize(("name", "value"), [("damping", 1.5), ("damping", math.nan), ("strength", -1e6),
                                             ("shear_strength", "high")])  # fmt: skip
def test_a_flexible_fibre_refuses_values_that_its_bonds_would(name, value):
    with pytest.raises(ValueError, match=f"{name} (is|cannot)"):
        dem.FlexibleFibre(diameter=1e-3, length=9e-3, **{name: value})


def free(dt, *, damping=0.0, integrator="splitting", strength=math.inf, **settings):
    """A fibre that whirls, bends and twists, in no field."""
    fibre = dem.FlexibleFibre(diameter=1e-3, length=9e-3, segments=8, young=1e7, damping=damping, strength=strength)
    bodies, bonds = fibre.make(HAIR, position=[(0, 0, 0)], angular_velocity=[(300.0, 0, 400.0)])
    k = np.arange(9)
    bodies.velocity = bodies.velocity + np.column_stack([0 * k, 0.5 * np.sin(k), 0.5 * np.cos(2 * k)]) + (1.0, 0, 0)
    return dem.Simulation(bodies, bonds=bonds, gravity=(0, 0, 0), time_step=dt, integrator=integrator, **settings)


@pytest.mark.parametrize(("damping", "strength"), [(0.0, math.inf), (0.05, math.inf), (0.05, 1e4)])
@pytest.mark.few(1)
def test_energy_is_accounted_for_to_second_order(damping, strength):
    """Whirling through large rotations: error by 4 for half the step, damping and breaking included."""
    errors = []
    for dt in (2e-6, 1e-6):
        sim = free(dt, damping=damping, strength=strength)
        before = sim.momentum()
        sim.step(round(1.2e-4 / dt))
        errors.append(sim.energy_departure)
        after, size = sim.momentum(), np.abs(sim.particles.mass * 2.0).sum()
        np.testing.assert_allclose(after[0], before[0], atol=1e-13 * size)  # rounding of 600 steps
        np.testing.assert_allclose(after[1], before[1], atol=1e-13 * size * 5e-3)
        assert (sim.bonds.broken.sum() > 0) == (strength < math.inf)
        dissipated = sim.energy().dissipated
        assert dissipated > 0 if damping else dissipated == 0
    assert 3 < errors[0] / errors[1] < 6 if strength == math.inf else errors[0] / errors[1] > 2.5  # steps of breaking


@pytest.mark.slow
def test_whirling_fibre_does_not_drift():
    """4e3 steps here, 1e6 in `dem validate bonds`: the error never leaves the band that it has from the start."""
    sim = free(2e-6)
    parts = []
    for _ in range(4):
        sim.step(1000)
        parts.append(sim.energy_departure)  # the largest so far
    assert parts[-1] < 1.5 * parts[0] < 1e-3 * sim.start_energy.total  # extremes of many modes meet now and then


def falling(*, strength=2e5, dt=2e-6, skin=None, threads=1, integrator="improved-pcdm"):
    """Three fibres that hit each other and a plane, and break."""
    fibre = dem.FlexibleFibre(diameter=1e-3, length=5e-3, segments=6, young=1e7, damping=0.05, strength=strength)
    bodies, bonds = fibre.make(
        NYLON, position=[(0, 0, 0.02), (0, 2e-3, 0.02), (1e-3, 1e-3, 0.0215)],
        velocity=[(0, 0, -1), (0, 0, -1), (0, 0, -3.0)], angular_velocity=[(0, 50, 0), (0, 0, 0), (0, 0, 80)],
    )  # fmt: skip
    bodies.velocity = bodies.velocity + np.outer(1.5 * np.sin(np.arange(21)), (0, 0, 1))
    plane = dem.Plane((0, 0, 0.0185), (0, 0, 1), material=NYLON)
    return dem.Simulation(bodies, bonds=bonds, walls=[plane], time_step=dt, integrator=integrator, _skin=skin,
                          threads=threads)  # fmt: skip


def state(sim):
    p = sim.particles
    return [getattr(p, name).tobytes() for name in ("position", "velocity", "orientation", "angular_velocity")] + [
        sim.energy(), sim.bonds.breakages, sim.bonds.energies.tobytes(),
    ]  # fmt: skip


@pytest.mark.slow
def test_skins_cuts_and_checkpoints_change_no_bit(tmp_path):
    """A run in one piece; with other skins; cut, saved and loaded while bonds break; written and resumed."""
    one = falling()
    one.step(120)
    assert one.bonds.broken.any()
    assert not one.bonds.broken.all()
    other = falling(skin=(4e-4, 1e-4))
    other.step(120)
    assert state(other) == state(one)
    cut = falling()
    breaks = one.bonds.breakages[0].step
    cut.step(breaks - 1)  # in which the first one is about to part
    cut.save(tmp_path / "state.h5")
    loaded = dem.Simulation.load(tmp_path / "state.h5")
    loaded.step(120 - breaks + 1)
    assert state(loaded) == state(one)
    path = tmp_path / "run.h5"
    falling().run(duration=2.4e-4, output=path, frames=6)
    resumed = dem.resume(path, duration=4.8e-4)
    assert resumed.status == "PASS"
    with dem.Trajectory(path) as run:
        assert [b for b in run.breakages if b.step <= 120] == one.bonds.breakages
        assert run.bonds.broken.sum(1).tolist() == sorted(run.bonds.broken.sum(1).tolist())
        assert run.bonds.energy[0] == pytest.approx(0.0, abs=1e-18)  # at rest: squares of rounding
        assert run.position[-1].tobytes() == (one.step(120), one.particles.position.tobytes())[1]
        assert run.bonds.made.pairs.tolist() == one.bonds.pairs.tolist()


def test_whoever_was_bonded_meets_without_a_push():
    """Two balls that overlap by a quarter at rest: pulled apart until the bond breaks, then pressed together again."""
    balls = dem.Particles(dem.Sphere(diameter=1e-3), HAIR, position=[(0, 0, 0), (0.75e-3, 0, 0)],
                          velocity=[(0, 0, 0), (3.0, 0, 0)])  # fmt: skip
    bond = dem.Bonds([(0, 1)], young=1e7, diameter=1e-3, strength=1e5)
    sim = dem.Simulation(balls, bonds=bond, gravity=(0, 0, 0), time_step=1e-7)
    for _ in range(100):
        sim.step(0 if sim.bonds.broken[0] else 1)
    assert sim.bonds.broken[0]
    assert not sim.contact_forces().force.any()
    kinetic, error = sim.energy().kinetic, sim.energy_departure
    sim.step(50)
    assert sim.energy().kinetic == pytest.approx(kinetic, rel=1e-12)  # nothing pushes
    assert sim.energy_departure == pytest.approx(error, rel=1e-6)
    sim.particles.velocity = [(0, 0, 0), (-3.0, 0, 0)]
    sim.step(100)
    touch = sim.contact_forces()
    depth = 1e-3 - np.linalg.norm(np.diff(sim.particles.position, axis=0))
    assert 0 < touch.overlap[0] < depth - 0.2e-3  # the slack is what it was when they were least deep in each other


def test_bonds_to_the_ground_hold_a_weight():
    """A ball on a rod from the ceiling sinks by m g L/(E A) once it has come to rest."""
    ball = dem.Particles(dem.Sphere(diameter=2e-3), HAIR, position=[(0, 0, 0)])
    rod = dem.Bonds([(0, -1)], ground=[(0, 0, 4e-3)], young=1e5, diameter=1e-3, damping=0.5)
    sim = dem.Simulation(ball, bonds=rod, time_step=4e-5)
    sim.step(400)
    sunk = ball.mass[0] * 9.81 * 4e-3 / (1e5 * math.pi / 4 * 1e-6)
    assert -sim.particles.position[0, 2] == pytest.approx(sunk, rel=1e-6)  # e^-15 of it still swings


def test_the_ground_takes_up_momentum():
    """A ball that flies on a rod about the ground: its momentum turns, and nobody is blamed for that."""
    ball = dem.Particles(dem.Sphere(diameter=2e-3), HAIR, position=[(0, 0, 0)], velocity=[(0.1, 0, 0)])
    rod = dem.Bonds([(0, -1)], ground=[(0, 0, 4e-3)], young=1e5, diameter=1e-3)
    sim = dem.Simulation(ball, bonds=rod, gravity=(0, 0, 0), time_step=4e-5)
    sim.step(100)
    assert abs(sim.momentum()[0][0] / ball.mass[0] - 0.1) > 0.01
    assert (sim.verdict().momentum_error, sim.verdict().status) == (None, "PASS")


def test_anchors_carry_moments():
    """Two rods joined end to end by a bond between anchors: momentum and angular momentum are kept to rounding."""
    rods = dem.Particles(dem.Fibre(diameter=1e-3, aspect_ratio=5), HAIR, position=[(0, 0, 0), (5.5e-3, 0, 0)],
                         velocity=[(0, 1.0, 0), (0, 0, 0)], angular_velocity=[(0, 0, 0), (100.0, 50, 0)])  # fmt: skip
    hinge = dem.Bonds([(0, 1)], young=1e6, diameter=1e-3, anchors=[[(2e-3, 0, 0), (-2e-3, 0, 0)]], damping=0.1)
    sim = dem.Simulation(rods, bonds=hinge, gravity=(0, 0, 0), time_step=1e-6, integrator="splitting")
    before = sim.momentum()
    sim.step(200)
    for now, then in zip(sim.momentum(), before, strict=True):
        np.testing.assert_allclose(now, then, atol=1e-13 * np.abs(then).max())
    assert sim.energy_error < 1e-4  # second order, 1/50 of the quickest period a step


def test_fibres_leave_as_wholes():
    """Nobody is let go while somebody whom bonds hold to him stays."""
    engine = falling()._engine
    out = engine.numbering.rows(engine.bodies.identity) < 7 + 3  # one fibre and three nodes of the next one
    assert sorted(engine.bodies.identity[engine.bonds.whole_aggregates(out)].tolist()) == list(range(7))


def test_ways_between_bodies_some_bonds_apart():
    pairs, bonds = bonded_pairs(np.array([(0, 1), (1, 2), (2, 3)]), 4, 2)
    assert pairs.tolist() == [[0, 1], [1, 2], [2, 3], [0, 2], [1, 3]]
    assert bonds.tolist() == [[0, -1], [1, -1], [2, -1], [0, 1], [1, 2]]


@pytest.mark.parametrize("blocks", [1, 3])
@pytest.mark.parametrize("lag", [0, 2])
def test_what_bonds_do_is_kept_until_it_has_been_gathered(monkeypatch, blocks, lag):
    """Chunks share room: whatever a sweep has not gathered yet nobody writes over, and each body finds its own bonds.

    Chunks of 4 bodies, which lie in memory at random, so that bonds reach far, and one is to the ground.
    """
    monkeypatch.setattr(engine_bonds, "CHUNK", 4)
    rng, number = np.random.default_rng(1), 40
    balls = dem.Particles(dem.Sphere(diameter=1e-3), HAIR, position=np.outer(np.arange(number), (1.2e-3, 0, 0)))
    pairs = [(b, b + 1) for b in range(number - 1)] + [(7, -1)]
    bonds = dem.Bonds(pairs, ground=[(8.4e-3, 2e-3, 0)], young=1e6, diameter=1e-3).at_rest(balls, [0.0] * 3)
    tie = engine_bonds.arrays_of(bonds, balls)
    place = np.argsort(np.argsort(np.arange(number) + rng.uniform(0, 9, number))).astype(np.int32)
    identity = np.argsort(place)
    engine_bonds.fill_slots(tie, engine_bonds.bonds_of_bodies(tie, bonds.pairs), identity, place)
    chunks = tie.highest.size
    block = np.arange(blocks + 1) * chunks // blocks
    tie = engine_bonds.reserve_room(tie, block, lag)
    column = np.empty(len(bonds), int)
    for c in range(chunks):
        slots = np.arange(tie.chunk_first[c], tie.chunk_first[c + 1])
        column[tie.bond[slots]] = tie.first_force[c] + np.arange(slots.size)
    written = np.full(tie.forces.shape[1], -1)

    def evaluate(c):
        for slot in range(tie.chunk_first[c], tie.chunk_first[c + 1]):
            written[column[tie.bond[slot]]] = tie.bond[slot]

    borders = [c for first, stop in itertools.pairwise(block) for c in range(first, stop) if tie.highest[c] >= stop]
    for c in borders:
        evaluate(c)
    for first, stop in itertools.pairwise(block):
        for c in range(first, stop + lag):
            if c < stop and c not in borders:
                evaluate(c)
            for b in range(4 * (c - lag), min(4 * (c - lag) + 4, number)) if c - lag >= first else ():
                own = tie.incident[tie.incident_first[b] : tie.incident_first[b + 1]]
                expected = [
                    2 * k + side for k, pair in enumerate(pairs) for side in (0, 1) if pair[side] == identity[b]
                ]
                assert (2 * written[own // 2] + own % 2).tolist() == expected
    assert blocks == 1 or borders
    assert sorted(tie.ground[tie.grounded].tolist()) == [len(pairs) - 1]


def test_threads_show_in_no_bit_from_the_start(monkeypatch):
    """Chunks are shared out anew once forces are known: bonds are found again where their slots have gone since."""
    alone = falling()
    alone.step(10)
    divide_into_small_chunks(monkeypatch)
    monkeypatch.setattr(jit, "most_threads", lambda: 3)  # blocks as for three, on any machine
    monkeypatch.setattr(jit.numba, "set_num_threads", lambda count: None)  # the interpreter has but one
    several = falling(threads=3)
    several.step(10)
    assert several._engine.lists.arrays.block.size > 2
    assert state(several) == state(alone)


def test_bonded_balls_of_two_sizes_do_not_meet():
    """Pairs are listed with the larger one, wherever it is in memory: here the smaller balls come first."""
    place = [(1.1e-3 * k, 0, 0) for k in (0, 2, 1, 3)]
    small, large = (dem.Particles(dem.Sphere(diameter=d), HAIR, position=place[k : k + 2])
                    for k, d in ((0, 1e-3), (2, 1.4e-3)))  # fmt: skip
    bonds = dem.Bonds([(0, 2), (2, 1), (1, 3)], young=1e7, diameter=1e-3, strength=1e6)
    sim = dem.Simulation(dem.Particles.concatenate([small, large]), bonds=bonds, gravity=(0, 0, 0), time_step=1e-6)
    sim.step(20)
    assert np.abs(sim.particles.velocity).max() == 0.0  # they overlap by 0.1 mm, and nothing pushes


def test_sums_over_a_body_have_the_order_of_its_bonds_whatever_way_they_are_added_up():
    """Zero to five bonds a body: two at once and the rest, or one after the other, to the bit, zeros' signs too."""
    rng = np.random.default_rng(5)
    number = rng.integers(0, 6, 40)
    first = np.concatenate([[0], np.cumsum(number)]).astype(np.int32)
    pull = np.where(rng.random((9, 60)) < 0.2, -0.0, rng.normal(size=(9, 60)))
    incident = rng.integers(0, 120, first[-1]).astype(np.int32)
    given = np.where(rng.random((6, 40)) < 0.3, -0.0, rng.normal(size=(6, 40)))
    at_once, in_turn, rows = given.copy(), given.copy(), pull.reshape(-1)
    most = bond_accumulation.add_first_two_bonds(0, 40, 0, first, incident, pull, rows, at_once[:3], at_once[3:])
    bond_accumulation.add_further_bonds(0, 40, 0, 2, first, incident, pull, rows, at_once[:3], at_once[3:])
    for b, n in zip(np.repeat(np.arange(40), number), incident, strict=True):
        k, second = divmod(n, 2)
        in_turn[:3, b] += -pull[:3, k] if second else pull[:3, k]
        in_turn[3:, b] += pull[6:, k] if second else pull[3:6, k]
    assert most == number.max()
    assert at_once.tobytes() == in_turn.tobytes()


def test_those_held_together_for_good_are_not_listed():
    """Neighbours in a chain are no pair where bonds last, and one where they may break; they move alike to the bit."""
    moved = []
    for strength in (math.inf, 1e9):
        chain = dem.FlexibleFibre(diameter=1e-3, length=4e-3, segments=3, young=1e7, strength=strength)
        bodies, bonds = chain.make(NYLON, position=[(0, 0, 0), (0, 0, 1.05e-3)], velocity=[(0, 0, 1.0), (0, 0, 0)])
        sim = dem.Simulation(bodies, bonds=bonds, gravity=(0, 0, 0), time_step=1e-6, threads=1)
        lists, names = sim._engine.lists.arrays, sim._engine.bodies.identity
        both = (names[each[: lists.count.sum()]] for each in (lists.lower, lists.higher))
        pairs, held = {tuple(sorted(p)) for p in zip(*both, strict=True)}, {tuple(p) for p in bonds.pairs.tolist()}
        assert pairs & held == (set() if strength == math.inf else held)
        assert {(b, b + 4) for b in range(4)} <= pairs
        sim.step(100)
        assert sim.contact_count > 0
        moved.append(np.array(sim.particles.position))
    np.testing.assert_array_equal(*moved)


BALLS = dem.Particles(dem.Sphere(diameter=1e-3), HAIR, position=[(0, 0, 0), (1.2e-3, 0, 0), (0.2, 0, 0)])


@pytest.mark.parametrize(
    ("pairs", "settings", "message"),
    [
        ([(0, 0)], {}, "bond 0 is of particle 0 with itself"),
        ([(0, 1), (1, 0)], {}, "particles 0 and 1 have 2 bonds"),
        ([(0, 7)], {}, r"bond 0 is between particles 0 and 7, but the simulation has 3 particles"),
        ([(0, -2)], {}, "second may be -1"),
        ([(0, 2)], {}, "is 0.2 m long, at most 0.01 m"),
        ([(0, 1)], {"anchors": [[(0.6e-3, 0, 0), (-0.6e-3, 0, 0)]]}, "is 0 m long, at least 0.05 of its diameter"),
        ([(0, 1)], {"young": 1e12}, "time_step 1e-06 s is beyond .* stable: lower time_step"),
        ([(0, 1)], {"strength": 1e-3}, "weight of the lighter one alone pulls"),
        ([(0, 1)], {"young": -1.0}, "young is -1 Pa, expected a finite number above 0"),
        ([(0, 1)], {"damping": 2.0}, "expected shares of critical damping, 0 to 1"),
        ([(0, 1)], {"apart": 0}, "apart is 0, expected at least 1: .* give contact=True"),
        ([(0, 1)], {"contact": 2}, "contact is 2, expected True or False"),
        ([(0, 1)], {"contact": [True, False]}, "or one for each of 1 bonds"),
        ([(0, -1)], {}, r"ground has shape \(0, 3\), expected \(1, 3\)"),
    ],
)
def test_refusals(pairs, settings, message):
    with pytest.raises(ValueError, match=message):
        dem.Simulation(BALLS, bonds=dem.Bonds(pairs, **{"young": 1e7, "diameter": 1e-3} | settings), time_step=1e-6)


@pytest.mark.parametrize(("strength", "told"), [(1.1, False), (0.9, True)])
def test_chains_too_weak_for_their_own_weight_are_told_of(strength, told):
    """Three balls, and the uppermost bond carries all of them: just strong enough, and not quite."""
    balls = BALLS.copy()
    balls.position = [(0, 0, -1.2e-3 * k) for k in range(3)]
    alone = 9.81 * balls.mass[0] / (math.pi / 4 * 1e-6)
    chain = {"young": 1e7, "diameter": 1e-3, "ground": [(0, 0, 1.2e-3)], "strength": 3 * strength * alone}
    sim = dem.Simulation(balls, bonds=dem.Bonds([(0, -1), (1, 0), (1, 2)], **chain), time_step=1e-6)
    assert [notice.name for notice in sim.foreseen() if notice.name == "weak-bonds"] == ["weak-bonds"] * told


def test_stiffness_needs_a_length_at_rest():
    """E A/l of stretch from `at_rest`; before, an error that names it in place of one from inside."""
    bond = dem.Bonds([(0, 1)], young=1e7, diameter=1e-3)
    with pytest.raises(ValueError, match=r"no length at rest yet: take bonds\.at_rest\(particles\)"):
        _ = bond.stiffness
    length = np.linalg.norm(BALLS.position[1] - BALLS.position[0])
    assert bond.at_rest(BALLS).stiffness[0, 0] == pytest.approx(1e7 * math.pi / 4 * 1e-6 / length, rel=1e-12)


@pytest.mark.parametrize(("groups", "bodies", "said"), [
    (2, [2], "bodies is [2] for 2 groups of bonds, expected a number for each"),
    (2, [1, 2], "bodies[0] is 1, but groups[0] has a bond of body 1"),
    (2, [2, -1], "bodies[1] is -1, expected at least 1"),
    (2, [2, 2.5], "bodies[1] is 2.5, expected a whole number"),
    (0, [], "groups are none"),
])  # fmt: skip
def test_groups_of_bonds_are_joined_for_the_right_numbers_of_bodies_only(groups, bodies, said):
    """With too few bodies, bonds of one group became bonds of bodies of the next one."""
    rod = dem.Bonds([(0, 1)], young=1e7, diameter=1e-3)
    with pytest.raises((ValueError, TypeError), match=re.escape(said)):
        dem.Bonds.concatenate([rod] * groups, bodies)


def test_bonds_that_are_overloaded_at_the_start_are_refused():
    bond = dem.Bonds([(0, 1)], young=1e7, diameter=1e-3, strength=1e5).at_rest(BALLS)
    moved = BALLS.copy()
    moved.position = BALLS.position * 1.2
    with pytest.raises(ValueError, match="stressed to 20 times its strength at the start"):
        dem.Simulation(moved, bonds=bond, time_step=1e-6)


def test_the_time_step_bound_is_exact_for_slender_bodies_side_by_side():
    """Of the stretch, the shear by which both turn likewise, and bending, about the axes of the least inertia."""
    rods = dem.Particles(dem.Capsule(diameter=2e-3, aspect_ratio=30), HAIR, position=[(0, 0, 0), (0, 2e-3, 0)])
    for diameter in (1e-3, 4e-3):
        bond = dem.Bonds([(0, 1)], young=1e7, diameter=diameter).at_rest(rods)
        (stretch, _, shear, bending), m, inertia = bond.stiffness[0], rods.mass[0], rods.inertia[0].min()
        squared = [2 * stretch / m, shear * (2 / m + 2e-3**2 / (2 * inertia)), 2 * bending / inertia]
        assert engine_bonds.stable_steps(bond, rods) == pytest.approx(2 / math.sqrt(max(squared)), rel=1e-12)
    assert squared[2] > 2 * squared[0]


def test_the_time_step_bound_knows_that_anchors_couple_stretch_and_bending():
    """Anchors of two balls beside the line of their centres, which turn in opposite directions as the bond bends."""
    aside, balls = 0.4e-3, dem.Particles(dem.Sphere(diameter=1e-3), HAIR, position=[(0, 0, 0), (1e-3, 0, 0)])
    bond = dem.Bonds([(0, 1)], young=1e7, diameter=2e-3, anchors=[[(0, aside, 0)] * 2]).at_rest(balls)
    (stretch, _, _, bending), m, inertia = bond.stiffness[0], balls.mass[0], balls.inertia[0, 0]
    own = np.array([stretch * (2 / m + 2 * aside**2 / inertia), 2 * bending / inertia])
    both = math.hypot(0.5 * (own[0] - own[1]), math.sqrt(stretch * bending) * 2 * aside / inertia)
    squared = own.mean() + both
    assert squared > 1.2 * own.max()
    assert engine_bonds.stable_steps(bond, balls) == pytest.approx(2 / math.sqrt(squared), rel=1e-12)


def test_the_automatic_step_follows_many_strongly_damped_bonds():
    """All pairs of neighbours in a lattice, with dashpots that are critical for each bond by itself."""
    places = np.array(list(itertools.product(range(3), repeat=3)))
    pairs = [(i, j) for i, j in itertools.combinations(range(27), 2) if np.abs(places[i] - places[j]).max() == 1]
    rng = np.random.default_rng(0)
    balls = dem.Particles(
        dem.Sphere(diameter=1e-3), HAIR, position=1e-3 * places, velocity=rng.normal(0, 1e-3, (27, 3))
    )
    steps = []
    for damping in (0.0, 1.0):
        net = dem.Bonds(pairs, young=1e7, diameter=6e-4, damping=damping)
        sim = dem.Simulation(balls, bonds=net, gravity=(0, 0, 0), time_step="auto")
        sim.step(100)
        assert sim.energy().translational + sim.energy().elastic < sim.start_energy.total
        assert sim.energy_error < 0.01
        steps.append(sim.time_step)
    assert steps[1] < 0.5 * steps[0]


def test_coarse_time_steps_are_told(recwarn):
    bonds = dem.Bonds([(0, 1)], young=1e7, diameter=1e-3)
    limit = shortest_period(bonds.at_rest(BALLS), BALLS)[0]
    sim = dem.Simulation(BALLS, bonds=bonds, time_step=0.8 * limit, gravity=(0, 0, 0))
    assert any("stiffest bond" in notice.reason for notice in sim.foreseen())
    assert f"is stable up to {limit:.3g} s: 0.8 of it a step (0.1 are advised)" in " ".join(sim.advice().lines)
    assert sim.advice().advised <= 0.1 * limit
    assert not [w for w in recwarn if issubclass(w.category, DemWarning)]


@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_a_ball_on_one_bond_keeps_its_energy_with_the_automatic_step(damping):
    """The weight acts suddenly, so that all energy is in the oscillation that decides the step."""
    ball = dem.Particles(dem.Sphere(diameter=0.01), NYLON, position=[[0, 0, 0]])
    hung = dem.Bonds([(0, -1)], young=1e7, diameter=0.01, ground=[[0, 0, 0.01]], damping=damping).at_rest(ball)
    sim = dem.Simulation(ball, bonds=hung, time_step="auto")
    assert sim.run(0.005, frames=40).passed
    if not damping:  # half a swing is 2 m g/k, and the kinetic energy at most (m g)²/2k
        assert sim.energy_departure < 0.01 * (9.81 * ball.mass[0]) ** 2 / (2 * hung.stiffness[0, 0])


@pytest.mark.parametrize(("settings", "damping", "told"), [
    ({"integrator": "improved-pcdm"}, 0.0, True), ({}, 0.0, False), ({"integrator": "improved-pcdm"}, 0.05, False),
])  # fmt: skip
@pytest.mark.few(2)
def test_schemes_that_drive_undamped_bonds_are_told(settings, damping, told):
    """And they do: a twisted pair gains 0.36 to 0.5 (ω dt)⁴ of its energy a step with improved-pcdm."""
    balls = dem.Particles(dem.Sphere(diameter=1e-3), HAIR, position=[(0, 0, 0), (1.2e-3, 0, 0)],
                          angular_velocity=[(1.0, 0, 0), (-1.0, 0, 0)])  # fmt: skip
    bonds = dem.Bonds([(0, 1)], young=1e7, diameter=1e-3, damping=damping)
    dt = 0.2 * shortest_period(bonds.at_rest(balls), balls)[0]
    sim = dem.Simulation(balls, bonds=bonds, time_step=dt, gravity=(0, 0, 0), **settings)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sim.step(500)
        sim.step(500)
    assert [each.message.name for each in caught] == ["driven-bonds"] * told  # by the first step alone
    assert any(notice.name == "driven-bonds" for notice in sim.foreseen()) == told
    inertia, stiffness = balls.variants[0][0].mass_properties(1000.0).inertia[0], sim.bonds.made.stiffness[0, 1]
    turned = math.sqrt(2 * stiffness / inertia) * dt
    energy = sim.energy()
    grown = math.log((energy.kinetic + energy.elastic) / sim.start_energy.total) / 1000
    if damping:
        assert grown < -turned * damping
    else:
        assert (0.36 * turned**4 < grown < 0.5 * turned**4) if told else abs(grown) < 1e-4


def test_the_scheme_is_chosen_by_whether_there_are_bonds():
    """Unless it is named; a named one is kept as it is, with bonds and without."""
    bonds, settings = dem.Bonds([(0, 1)], young=1e7, diameter=1e-3), {"time_step": 1e-6, "gravity": (0, 0, 0)}
    assert dem.Simulation(BALLS, **settings).integrator.name == "improved-pcdm"
    assert dem.Simulation(BALLS, bonds=bonds, **settings).integrator.name == "splitting"
    for name in ("improved-pcdm", "no-squish"):
        sim = dem.Simulation(BALLS, bonds=bonds, integrator=name, **settings)
        assert sim.settings["integrator"] == sim.integrator.name == name


def colliding(speed=0.2, dt=1e-5, bond=None, contacts=None, **settings):
    """Two balls whose surfaces touch run into each other, bonded if so wished."""
    ball = dem.Material(young=1e7, poisson=0.3, density=1200.0)
    pair = dem.Particles(
        dem.Sphere(diameter=5e-3), ball, position=[[0, 0, 0], [5e-3, 0, 0]], velocity=[[speed, 0, 0], [-speed, 0, 0]],
        angular_velocity=[[0, 0, 30.0], [0, 0, 10.0]],
    )  # fmt: skip
    bonds = bond and dem.Bonds([(0, 1)], **{"diameter": 1e-3} | bond)
    contacts = dem.Contacts({(ball, ball): contacts}) if contacts else None
    return dem.Simulation(pair, bonds=bonds, gravity=(0, 0, 0), time_step=dt, contacts=contacts, **settings)


LOSSY = dem.Contact(restitution=0.5, friction=0.3)


def test_a_bond_that_is_next_to_nothing_beside_contact_changes_next_to_nothing():
    """Energy of the bond at its deepest is 1e-9 of that of the impact; without contact the balls meet nothing."""
    free, bonded = (
        colliding(contacts=LOSSY, integrator="splitting"),
        colliding(contacts=LOSSY, bond={"young": 1e-3, "contact": True}),
    )
    for sim in (free, bonded):
        sim.step(60)
        assert sim.particles.velocity[0, 0] < 0  # has bounced
    for name in ("position", "velocity", "angular_velocity"):
        one, other = getattr(bonded.particles, name), getattr(free.particles, name)
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("strength", [math.inf, 9.0])
@pytest.mark.few(1, long=99)
def test_energy_is_accounted_for_with_contact_beside_bonds(strength):
    """To second order, with damping and friction of both; the weaker bond breaks while the balls touch."""
    errors = []
    for dt in (4e-6, 2e-6):
        bond = {"young": 3e5, "shear_strength": strength, "damping": 0.1, "contact": True}
        sim = colliding(dt=dt, bond=bond, contacts=LOSSY)
        sim.step(round(1e-4 / dt))
        assert sim.contact_count == 1
        assert sim.bonds.broken[0] == (strength < math.inf)
        sim.step(round(9e-4 / dt))
        errors.append(sim.energy_error)
    assert errors[0] < 1e-3
    assert errors[1] < 0.35 * errors[0]


def test_contact_beside_bonds_goes_on_from_a_file_to_the_bit(tmp_path):
    bond = {"young": 3e5, "contact": True, "shear_strength": 9.0}
    whole, cut = (colliding(bond=bond, contacts=LOSSY) for _ in range(2))
    whole.step(60)
    cut.step(10)
    assert cut.contact_count == 1
    assert cut.bonds.broken.all()
    cut.save(tmp_path / "cut.h5")
    again = dem.Simulation.load(tmp_path / "cut.h5")
    assert again.bonds.made.contact.tolist() == [True]
    again.step(50)
    assert state(again) == state(whole)
    assert again.verdict() == whole.verdict()


def test_bonded_bodies_that_pass_through_each_other_are_no_pass(tmp_path):
    """Overlaps that no contact resists count beyond those at rest, over a radius, however steps and files cut a run."""
    through = colliding(bond={"young": 1e2, "damping": 0.0})
    through.step(1300)
    assert through.particles.position[0, 0] > through.particles.position[1, 0]
    through.save(tmp_path / "through.h5")
    with h5py.File(tmp_path / "through.h5") as file:
        (name,) = [name for name in names_of(file) if name.endswith("bond_state/pressed")]
        assert 1.9 < file[name][0] <= 2.0
    for sim in (through, dem.Simulation.load(tmp_path / "through.h5")):
        assert sim.verdict().status == "WARN"
        assert "have no contact beside their bonds: give contact=True" in str(sim.verdict())
    held = colliding(bond={"young": 1e2, "contact": True})
    held.step(100)
    assert held.verdict().status == "PASS"
    with h5py.File(tmp_path / "through.h5", "r+") as file:  # as version 0.2 wrote it
        del file[name]
    assert dem.Simulation.load(tmp_path / "through.h5").verdict().status == "PASS"


def names_of(file):
    found = []
    file.visit(found.append)
    return found


def test_fibres_that_overlap_at_rest_are_not_pressed():
    """Neighbours of a chain lie half in each other, along their axes and bent, of spheres and of capsules."""
    for smooth in (False, True):
        fibre = dem.FlexibleFibre(diameter=1e-3, length=5e-3, segments=6, young=1e7, curvature=200.0, smooth=smooth)
        bodies, bonds = fibre.make(HAIR, position=[(0, 0, 0)])
        assert engine_bonds.closest(bonds, bodies)[0] == pytest.approx(bonds.geometry.length, rel=1e-12)
    gap = dem.Bonds([(0, 1), (1, -1)], young=1e7, diameter=1e-3, ground=[(1.2e-3, 1e-3, 0)]).at_rest(BALLS)
    assert engine_bonds.closest(gap, BALLS) == pytest.approx(np.array([[1e-3, 0], [2e3, 0]]), rel=1e-12)


@pytest.mark.parametrize("in_cell", [False, True])
def test_listed_forces_are_those_of_the_step(in_cell):
    """With dashpots, anchors, the ground or a nearest image in a cell that deforms; there are no contacts."""
    rng = np.random.default_rng(5)
    balls = dem.Particles(dem.Sphere(diameter=0.004), NYLON, position=[(0, 0, 0), (0.012, 0, 0), (0.012, 0.011, 0.001)])
    box = dem.Cell([[0.04, 0.01, 0], [0, 0.04, 0], [0, 0, 0.04]], rate=[[0, 2e2, 0]] * 3) if in_cell else None
    pairs, ground = ([(0, 1), (1, 2)], None) if in_cell else ([(0, 1), (1, 2), (2, -1)], [(0.02, 0.02, 0.01)])
    held = {"ground": ground, "anchors": 1e-3 * rng.normal(size=(len(pairs), 2, 3))}
    rods = dem.Bonds(pairs, young=1e7, diameter=0.002, damping=0.1, **held).at_rest(balls)
    balls.position = balls.position + 1e-4 * rng.normal(size=(3, 3))
    if in_cell:
        balls.position = balls.position + np.array([(0.01, 0.04, 0), (0, 0, 0), (0, 0, 0.04)])
    balls.velocity, balls.angular_velocity = rng.normal(size=(2, 3, 3))
    sim = dem.Simulation(balls, box, bonds=rods, gravity=(0, 0, 0), time_step=1e-9)
    assert sim.bonds.forces.loss.sum() > 0
    for tolerance in (1e-11, 1e-5):  # in a step dashpots evaluate velocities that are predicted
        loads, engine = dem.statistics.body_loads(sim.bonds.forces, 3), sim._engine
        for found, own in ((loads.force, engine.bodies.force), (loads.torque, engine.bodies.torque)):
            assert found == pytest.approx(engine.by_row(own).T, rel=0, abs=tolerance * np.abs(own).max())
        sim.step(1)


def test_bonds_that_were_taken_before_particles_are_set_show_the_present_ones():
    sim = dem.Simulation(BALLS, bonds=dem.Bonds([(0, 1)], young=1e7, diameter=1e-3, strength=1e5), time_step=1e-7)
    bonds = sim.bonds
    sim.particles.velocity = [(0, 0, 0), (10.0, 0, 0), (0, 0, 0)]
    sim.step(1000)
    assert bonds.broken.tolist() == sim.bonds.broken.tolist() == [True]
    assert bonds.energies.tolist() == [0]


def test_the_stress_of_a_cell_is_that_of_contacts_and_bonds():
    """Two balls that press each other and are held by a bond are balanced, and so are the means of coarse fields."""
    overlap, diameter = 1e-5, 0.01
    ball = dem.Material(young=1e7, poisson=0.3, density=1000.0)
    pressed = 4 / 3 * (1e7 / 2 / (1 - 0.09)) * math.sqrt(diameter / 4) * overlap**1.5
    apart = diameter - overlap
    stretch = pressed * apart / (1e8 * math.pi * 1e-6)  # of a rod with E A = 1e8 Pa π (1 mm)², nearly
    balls = dem.Particles(
        dem.Sphere(diameter=diameter), ball, position=[(0.01, 0.02, 0.02), (0.01 + apart, 0.02, 0.02)]
    )
    shorter = dem.Particles.concatenate([balls])
    shorter.position = balls.position - [(0, 0, 0), (stretch, 0, 0)]
    rod = dem.Bonds([(0, 1)], young=1e8, diameter=0.002, contact=True).at_rest(shorter)
    cell = dem.Cell((0.04, 0.04, 0.04), rate=(-1e-9, 0, 0))
    sim = dem.Simulation(balls, cell, bonds=rod, gravity=(0, 0, 0), time_step=1e-6)
    sim.step(1)
    assert sim.cell.unbalanced < 1e-3  # 1 by the contact alone
    every = dem.statistics.ContactForces.concatenate([sim.contact_forces(), sim.bonds.forces])
    contacts, of_all = (dem.statistics.stress(x, sim.cell.volume).contact for x in (sim.contact_forces(), every))
    assert abs(of_all[0, 0]) < 1e-3 * contacts[0, 0]
    assert sim.cell.stress.contact == pytest.approx(of_all, abs=1e-6 * contacts[0, 0])
    average = dem.statistics.FieldAverage((0, 0, 0), (0.04,) * 3, width=0.004, axes="x", periodic="x", bins=40)
    average(sim)
    assert average.mean.stress.contact.mean(axis=0) == pytest.approx(of_all, abs=1e-4 * contacts[0, 0])
