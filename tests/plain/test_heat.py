"""Heat in particles that touch, against closed forms."""

import itertools
import math

import numpy as np
import pytest
from dem.cases.heat import HeatedDrum, HeatedRow, HotFluidisedBed, SelfHeatingGas
from dem.kernels.compiler import jit
from scipy.integrate import quad

import dem
from dem.ranks.domain_decomposition import AtRandom
from dem.ranks.threads import in_one_process
from dem.soft.heat.heat_in_run import HeatInRun
from dem.validation.heat import LATTICES, effective_conductivity, row_between_walls

SOLID = dem.Material(
    young=1e7, poisson=0.3, density=2500.0, restitution=0.5, friction=0.3, conductivity=3.0, heat_capacity=800.0,
    name="solid",
)  # fmt: skip
D, DEEP, DT = 0.01, 1e-5, 1e-9
BALL, FIBRE = dem.Sphere(diameter=D), dem.Fibre(diameter=D, aspect_ratio=3)
C = 800.0 * 2500.0 * math.pi / 6 * D**3  # J/K


def conductance(overlap, k=3.0, radius=D / 4):
    return 2 * k * math.sqrt(radius * overlap)


@pytest.mark.parametrize("lattice", LATTICES)
def test_lattices_conduct_as_homogenised(lattice):
    """A plane wave in a periodic lattice decays at k_eff q², but for the lattice's own (sin x/x)²; images conduct."""
    basis, nearest, factor = LATTICES[lattice]
    assert effective_conductivity(basis, nearest) == pytest.approx(factor, rel=1e-8)


def chain(n, temperature, ends, **more):
    """Row of spheres between two walls; `more` are further options of `dem.Heat`."""
    return row_between_walls(n, temperature, ends, dem.Heat(every=1, **more))


def test_a_row_between_walls_comes_to_its_profile_and_flux():
    n, ends = 5, (400.0, 280.0)
    sim = chain(n, 300.0, ends, time_factor=4e12)
    sim.step(40)
    profile = ends[0] + (ends[1] - ends[0]) * np.arange(1, n + 1) / (n + 1)
    np.testing.assert_allclose(sim.particles.temperature, profile, rtol=1e-6)
    before, start = sim.heat.received, sim.heat.time
    sim.step(1)
    flux = {name: (sim.heat.received[name] - before[name]) / (sim.heat.time - start) for name in before}
    expected = conductance(DEEP) * (ends[0] - ends[1]) / (n + 1)
    assert flux["floor"] == pytest.approx(expected, rel=1e-5)
    assert flux["lid"] == pytest.approx(-expected, rel=1e-5)
    assert abs(sim.heat.imbalance) < 1e-14 * sim.heat.content


def test_the_slowest_mode_of_a_row_decays_at_its_rate():
    n = 6
    mode = np.sin(math.pi * np.arange(1, n + 1) / (n + 1))
    sim = chain(n, 300 + mode, (300.0, 300.0), time_factor=2e10, resolution=0.02)
    sim.step(2)
    rate = -np.log((sim.particles.temperature - 300) / mode) / sim.heat.time
    expected = 4 * conductance(DEEP) / C * math.sin(math.pi / (2 * (n + 1))) ** 2
    np.testing.assert_allclose(rate, expected, rtol=2e-3)


@pytest.mark.parametrize("real_young", [None, 1e10])
def test_conductance_of_two_spheres_by_the_force_that_presses_them(real_young):
    soft = dem.Material(young=1e7, poisson=0.3, density=2500.0, conductivity=3.0, heat_capacity=800.0,
                        real_young=real_young)  # fmt: skip
    other = dem.Material(young=4e7, poisson=0.2, density=2500.0, conductivity=12.0, heat_capacity=800.0)
    big = dem.Sphere(diameter=2 * D)
    pair = dem.Particles.concatenate(
        [
            dem.Particles(BALL, soft, position=[[0, 0, 0]], temperature=310.0),
            dem.Particles(big, other, position=[[1.5 * D - DEEP, 0, 0]], temperature=300.0),
        ]
    )
    heat = dem.Heat(every=1, time_factor=1e6)
    sim = dem.Simulation(pair, gravity=(0, 0, 0), time_step=DT, heat=heat)
    force, radius = np.linalg.norm(sim.contact_forces().force[0]), 1 / (2 / D + 1 / D)
    real = dem.Material(young=real_young or 1e7, poisson=0.3)
    a = (3 * force * radius / (4 * real.effective_modulus(other))) ** (1 / 3)
    sim.step(1)
    passed = C * (310.0 - sim.particles.temperature[0])
    assert passed == pytest.approx(2 * 4.8 * a * 10.0 * sim.heat.time, rel=1e-5)


def cloud(shape=BALL, skin=(0.06 * D, 0.02 * D), number=27, seed=3, **more):
    """A gas in a closed box that lists anew every few steps."""
    rng = np.random.default_rng(seed)
    k = round(number ** (1 / 3))
    place = np.stack(np.meshgrid(*[np.arange(k)] * 3, indexing="ij"), -1).reshape(-1, 3)[::-1] + 0.5
    made = dem.Particles(
        shape, SOLID, position=1.12 * D * place, velocity=rng.normal(0, 1.0, (number, 3)),
        temperature=300 + 50 * rng.random(number),
    )  # fmt: skip
    box = dem.Box((0, 0, 0), (1.12 * D * k,) * 3, SOLID)
    heat = dem.Heat(**({"every": 5, "time_factor": 1e4, "faces": {"z-": 500.0}} | more))
    return dem.Simulation(made, box, time_step=2e-5, heat=heat, threads=1, _skin=skin)


def test_lists_cuts_and_restarts_change_no_bit(tmp_path):
    whole, cut, wide = cloud(), cloud(), cloud(skin=(0.3 * D, 0.1 * D))
    whole.step(60), wide.step(60)
    cut.step(13)
    cut.save(tmp_path / "state.h5")
    cut = dem.Simulation.load(tmp_path / "state.h5")
    for steps in (9, 20, 18):
        cut.step(steps)
    warmed = whole.particles.temperature
    assert np.ptp(warmed) > 1
    assert whole.heat.received["face z-"] > 0
    for other in (cut, wide):
        assert other.particles.temperature.tobytes() == warmed.tobytes()
        assert other.particles.position.tobytes() == whole.particles.position.tobytes()
        assert other.heat.received == whole.heat.received
        assert other.heat.imbalance == pytest.approx(0, abs=1e-13 * whole.heat.content)


def test_heat_moves_nothing():
    warm, plain = cloud(), cloud()
    still = dem.Simulation(
        dem.Particles(BALL, SOLID, position=plain.particles.position, velocity=plain.particles.velocity),
        plain.box, time_step=2e-5, threads=1,
    )  # fmt: skip
    warm.step(30), still.step(30)
    assert "temperature" not in still.particles.fields
    assert warm.particles.position.tobytes() == still.particles.position.tobytes()
    assert warm.energy() == still.energy()


def test_capsules_and_clumps_conduct_as_spheres_of_their_radius():
    """End to end two bodies touch as two spheres do."""
    found = {}
    for name, shape in {"sphere": BALL, "capsule": dem.Capsule(diameter=D, aspect_ratio=3), "fibre": FIBRE}.items():
        length = D if name == "sphere" else 3 * D
        made = dem.Particles(shape, SOLID, position=[[0, 0, 0], [length - DEEP, 0, 0]], temperature=[310.0, 300.0])
        sim = dem.Simulation(made, gravity=(0, 0, 0), time_step=DT, heat=dem.Heat(every=1, time_factor=1e5))
        sim.step(1)
        capacity = made.mass[0] * 800.0
        found[name] = capacity * (310.0 - sim.particles.temperature[0]) / sim.heat.time / 10.0
        assert found[name] == pytest.approx(conductance(DEEP), rel=1e-4)


DIE = dem.Polyhedron(vertices=list(itertools.product([0.0, D], repeat=3)), rounding=0.1 * D)
FLAT = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]


@pytest.mark.parametrize("gas", [0.0, 0.026])
def test_a_face_on_four_corners_conducts_by_one_contact(gas):
    """Whatever the wall, its heat is that of a sphere of the volume of the die, at the same overlap."""
    z = D / 2 - DEEP
    found = []
    for wall in ({"temperature": 310.0}, {"heat_flux": 1000.0}):
        about = {"material": SOLID, "name": "wall"} | wall
        walls = [
            dem.Plane((0, 0, 0), (0, 0, 1), **about),
            dem.Rectangle((0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), **about),
            dem.Mesh(0.05 * np.array(FLAT, float), [[0, 1, 2], [0, 2, 3]], **about),
            dem.Cylinder((-1, 0, 5e3), (1, 0, 5e3), 5e3, ends="both", **about),  # corners are 2 nm deeper in it
        ]
        for each in walls:
            die = dem.Particles(DIE, SOLID, position=[[0, 0, z]], temperature=300.0)
            heat = dem.Heat(every=1, time_factor=1e5, gas_conductivity=gas)
            sim = dem.Simulation(die, walls=[each], gravity=(0, 0, 0), time_step=DT, heat=heat)
            corners = len(sim.contact_forces().overlap)
            assert corners == 4
            sim.step(1)
            found.append(sim.heat.received["wall"] / sim.heat.time)
    by_temperature, by_flux = found[:4], found[4:]
    radius = (0.75 * DIE.volume / math.pi) ** (1 / 3)
    np.testing.assert_allclose(by_temperature, by_temperature[1], rtol=1e-3)  # of the cylinder
    np.testing.assert_allclose(by_temperature[:3], by_temperature[1], rtol=1e-6)
    np.testing.assert_allclose(by_flux, 1000.0 * math.pi * radius**2, rtol=1e-8)  # units of heat in 1 ns


def test_a_die_across_the_edge_of_a_block_conducts_by_one_contact():
    """Its corners and its edges on that of the block have other normals, but they are in one region of the block."""
    block = dem.Block((-0.1, -0.1, -0.1), (0, 0.1, 0), material=SOLID, temperature=310.0, name="wall")
    rates, tilt = [], (1.0, 0.0, 1e-5, 0.0) / np.linalg.norm((1.0, 0.0, 1e-5))
    for x in (-5 * D, 0.1 * D):
        die = dem.Particles(DIE, SOLID, position=[[x, 0, D / 2 - DEEP]], orientation=[tilt], temperature=300.0)
        heat = dem.Heat(every=1, time_factor=1e5)
        sim = dem.Simulation(die, walls=[block], gravity=(0, 0, 0), time_step=DT, heat=heat)
        assert (len(np.unique(sim.contact_forces().normal, axis=0)) > 1) == (x > -D)
        sim.step(1)
        rates.append(sim.heat.received["wall"] / sim.heat.time)
    # turned by 2e-5, the deepest corners differ by 2 % in overlap and by half of that in the conductance
    assert rates[1] == pytest.approx(rates[0], rel=0.01)


@pytest.mark.parametrize(("angle", "regions"), [(0.2, 1), (math.pi / 2, 2)])
def test_corners_of_a_die_in_a_groove_conduct_by_one_contact_with_each_side_of_it(angle, regions):
    """The sides of a mesh rise by half the angle: to normals that differ by less than 0.5 rad they are one region."""
    rise = 0.05 * math.tan(angle / 2)
    groove = dem.Mesh(
        [[-0.05, -0.05, rise], [-0.05, 0.05, rise], [0, -0.05, 0], [0, 0.05, 0], [0.05, -0.05, rise],
         [0.05, 0.05, rise]],
        [[0, 2, 3], [0, 3, 1], [2, 4, 5], [2, 5, 3]], material=SOLID, temperature=310.0, name="wall",
    )  # fmt: skip
    turn = (math.cos(math.pi / 8), 0, math.sin(math.pi / 8), 0) if regions == 2 else (1, 0, 0, 0)
    core, low = 0.4 * D, D / math.sqrt(2) if regions == 2 else 0.5 * D
    height = low if regions == 2 else core * math.tan(angle / 2) + core + 0.1 * D / math.cos(angle / 2)
    die = dem.Particles(DIE, SOLID, position=[[0, 0, height - DEEP]], orientation=[turn], temperature=300.0)
    heat = dem.Heat(every=1, time_factor=1e5)
    sim = dem.Simulation(die, walls=[groove], gravity=(0, 0, 0), time_step=DT, heat=heat)
    found = sim.contact_forces()
    deepest = np.sort(found.overlap)[-regions:]
    assert len(found.overlap) > regions
    sim.step(1)
    radius = (0.75 * DIE.volume / math.pi) ** (1 / 3)
    conductance = 2 * SOLID.conductivity * np.sqrt(radius * deepest).sum()
    assert sim.heat.received["wall"] / sim.heat.time == pytest.approx(10.0 * conductance, rel=1e-6)


def test_a_die_in_an_edge_of_the_box_conducts_to_both_faces():
    die = dem.Particles(DIE, SOLID, position=[[D / 2 - DEEP, 2 * D, D / 2 - 2 * DEEP]], temperature=300.0)
    heat = dem.Heat(every=1, time_factor=1e4, faces={"x-": 310.0, "z-": 290.0})
    box = dem.Box((0, 0, 0), (4 * D,) * 3, SOLID)
    sim = dem.Simulation(die, box, gravity=(0, 0, 0), time_step=DT, heat=heat)
    assert len(sim.contact_forces().overlap) == 8
    sim.step(1)
    received = sim.heat.received
    assert received["face z-"] / received["face x-"] == pytest.approx(-math.sqrt(2), rel=1e-5)


def test_walls_bring_a_flux_or_nothing():
    place = [[0, 0, D / 2 - DEEP]]
    for wall, expected in (({"heat_flux": 1000.0}, 1000.0 * math.pi / 4 * D**2), ({}, 0.0)):
        plate = dem.Plane((0, 0, 0), (0, 0, 1), material=dem.Material(young=1e7, poisson=0.3), name="plate", **wall)
        ball = dem.Particles(BALL, SOLID, position=place)
        sim = dem.Simulation(
            ball, walls=[plate], gravity=(0, 0, 0), time_step=DT, heat=dem.Heat(every=1, time_factor=1e6)
        )
        sim.step(1)
        assert sim.heat.received.get("plate", 0.0) == pytest.approx(expected * sim.heat.time, rel=1e-12)
        assert C * (sim.particles.temperature[0] - 293.15) == pytest.approx(
            expected * sim.heat.time, rel=1e-6, abs=1e-12
        )


def test_files_have_temperatures_and_the_verdict_the_ledger(tmp_path):
    sim = cloud()
    verdict = sim.run(60 * sim.time_step, output=tmp_path / "run.h5", frames=2)
    assert verdict.scalars_balanced
    assert " J received from face z-" in str(verdict)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert "temperature" in run.fields
        assert not any("remainder" in name for name in run.fields)
        assert run.temperature[-1][:, 0].tolist() == sim.particles.temperature.tolist()
        assert run.input["heat"]["faces"] == {"z-": 500.0}
    longer = dem.resume(tmp_path / "run.h5", duration=80 * sim.time_step)
    assert longer.scalars != verdict.scalars


def test_what_comes_and_goes_is_booked():
    source = dem.Inserter(BALL, SOLID, region=dem.Block((0.05, 0.05, 0.1), (0.15, 0.15, 0.12)), number=3,
                          every=1e-3)  # fmt: skip
    drain = dem.Outlet(dem.Block((0, 0, 0), (0.02, 0.02, 0.02)))
    balls = dem.Particles(BALL, SOLID, position=[[0.01, 0.01, 0.01], [0.1, 0.1, 0.02]], temperature=[600.0, 400.0])
    box = dem.Box((0, 0, 0), (0.2, 0.2, 0.2), SOLID)
    sim = dem.Simulation(balls, box, inserters=[source], outlets=[drain], time_step=1e-4, heat=dem.Heat())
    sim.step(60)
    assert len(sim.particles) == 4
    assert sim.heat.added == pytest.approx(C * (3 * 293.15 - 600.0), rel=1e-12)
    sim.add(dem.Particles(BALL, SOLID, position=[[0.15, 0.15, 0.15]], temperature=350.0))
    sim.step(5)
    assert sim.heat.added == pytest.approx(C * (3 * 293.15 - 600.0 + 350.0), rel=1e-12)
    assert sim.verdict().scalars_balanced


def test_assignments_in_a_run_are_booked():
    sim = cloud(faces={})

    def heated(sim):
        sim.particles.temperature = sim.particles.temperature + 1.0

    sim.run(20 * sim.time_step, every=(10, heated))
    assert sim.heat.added == pytest.approx(2 * 27 * C, rel=1e-9)
    assert sim.verdict().scalars_balanced


BARE = dem.Material(young=1e7, poisson=0.3, name="bare")


def planned(material=SOLID, wall=None, **heat):
    ball = dem.Particles(BALL, material, position=[[0, 0, 1]])
    return dem.Simulation(ball, walls=[wall] if wall else [], time_step=1e-5, heat=dem.Heat(**heat))


def hot(temperature, poured=None):
    ball = dem.Particles(BALL, SOLID, position=[[0, 0, 1]], temperature=temperature)
    above = dem.Block((0, 0, 2), (1, 1, 3))
    inserters = [dem.Inserter(BALL, SOLID, region=above, number=1, rate=1, temperature=poured)] if poured else []
    return dem.Simulation(ball, inserters=inserters, time_step=1e-5, heat=dem.Heat())


def boxed(material, face, at=350.0, **faces):
    ball = dem.Particles(BALL, SOLID, position=[[0.5, 0.5, 0.5]])
    box = dem.Box((0, 0, 0), (1, 1, 1), material, **faces)
    return dem.Simulation(ball, box, time_step=1e-5, heat=dem.Heat(faces={face: at}))


@pytest.mark.parametrize(
    ("attempt", "told"),
    [
        (lambda: planned(BARE), "the material 'bare' has no conductivity"),
        (lambda: hot(1e30), r"temperature of particle 0 is 1e\+30 K, expected less than 16384: is a unit wrong"),
        (lambda: hot(300.0, poured=2e4), "temperature of particles of the inserter is 20000 K"),
        (
            lambda: boxed(SOLID, "z-", at=1e30),
            r"temperature of face z- is 1e\+30 K, expected less than 16384: is a unit",
        ),
        (
            lambda: chain(1, 300.0, (300.0, 1e30)),
            r"temperature of the lid is 1e\+30 K, expected less than 16384",
        ),
        (
            lambda: planned(dem.Material(young=1e7, poisson=0.3, conductivity=1.0, name="half")),
            "'half' has no heat_cap",
        ),
        (lambda: planned(wall=dem.Plane((0, 0, 0), (0, 0, 1), material=BARE, temperature=300)), "'bare' of the plane"),
        (lambda: dem.Plane((0, 0, 0), (0, 0, 1), material=BARE, temperature=-1), "temperature is -1 K"),
        (
            lambda: dem.Particles(BALL, SOLID, position=[[0, 0, 0]], temperature=-20.0),
            "expected more than 0 K, not deg",
        ),
        (lambda: dem.Material(young=1e7, poisson=0.3, heat_capacity=0), "heat_capacity is 0"),
        (lambda: dem.Heat(faces={"top": 300.0}), "face"),
        (lambda: dem.Heat(faces={"z+": 0.0}), "temperature of face z"),
        (lambda: planned(faces={"z-": 350.0}), "face z- without a box"),
        (lambda: boxed(SOLID, "z-", open=["z-"]), "face z- that is open"),
        (lambda: boxed(SOLID, "x+", periodic=["x"]), "face x. that is periodic"),
        (lambda: boxed(BARE, "z-"), "the material of the box has no conductivity"),
        (lambda: dem.Heat(every=0), "every"),
        (lambda: dem.Heat(resolution=1.5), "resolution"),
    ],
)
def test_bad_input_is_refused(attempt, told):
    with pytest.raises(ValueError, match=told):
        attempt()


def test_a_wall_with_a_temperature_wants_heat():
    wall = dem.Plane((0, 0, 0), (0, 0, 1), material=SOLID, temperature=300.0)
    with pytest.raises(ValueError, match=r"add heat=dem\.Heat"):
        dem.Simulation(dem.Particles(BALL, SOLID, position=[[0, 0, 1]]), walls=[wall], time_step=1e-5)


def test_an_exchange_that_wants_too_many_sub_steps_is_refused():
    sim = chain(2, [300.0, 310.0], (300.0, 300.0), time_factor=1e22)
    with pytest.raises(FloatingPointError, match="lower every or time_factor"):
        sim.step(1)


SHAPES = {"spheres": BALL, "fibres": dem.Fibre(diameter=0.45 * D, aspect_ratio=2),
          "capsules": dem.Capsule(diameter=0.45 * D, aspect_ratio=2),
          "ellipsoids": dem.Ellipsoid(semi_axes=(0.5 * D, 0.4 * D, 0.3 * D))}  # fmt: skip


def lossy(shape="spheres", walled=False):
    """A gas that loses energy in a closed box, or between planes."""
    rng, edge = np.random.default_rng(3), 1.12 * D * 2
    place = np.stack(np.meshgrid(*[np.arange(2)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
    made = dem.Particles(
        SHAPES[shape], SOLID, position=1.12 * D * place, velocity=rng.normal(0, 1.0, (8, 3)),
        angular_velocity=rng.normal(0, 30, (8, 3)),
    )  # fmt: skip
    sides = [(np.zeros(3), n) for n in np.eye(3)] + [(np.full(3, edge), -n) for n in np.eye(3)]
    walls = [dem.Plane(tuple(p), tuple(n), material=SOLID) for p, n in sides] if walled else []
    box = None if walled else dem.Box((0, 0, 0), (edge,) * 3, SOLID)
    heat = dem.Heat(every=5, dissipation=True)
    return dem.Simulation(made, box, walls=walls, gravity=(0, 0, 0), time_step=2e-5, heat=heat)


@pytest.mark.parametrize("walled", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_what_contacts_dissipate_becomes_heat(shape, walled):
    """To the resolution of the mechanical ledger, 2^-40 of the energy at the start for what springs hold."""
    sim = lossy(shape, walled)
    sim.step(60)
    energy = sim.energy()
    assert energy.dissipated > 0.05 * sim.start_energy.total
    assert sim.heat.gain == pytest.approx(energy.dissipated, abs=4e-12 * sim.start_energy.total)
    assert sim.heat.received["dissipation"] == pytest.approx(sim.heat.gain, rel=1e-13)
    assert sim.verdict().scalars_balanced


def test_dissipation_goes_through_files_and_assignments(tmp_path):
    """What contacts took up since the last exchange is not lost."""
    whole, cut = lossy(), lossy()
    whole.step(43), cut.step(32)
    cut.save(tmp_path / "state.h5")
    cut = dem.Simulation.load(tmp_path / "state.h5")
    cut.step(11)
    assert cut.particles.temperature.tobytes() == whole.particles.temperature.tobytes()
    cut.run(12 * cut.time_step, every=(4, lambda sim: setattr(sim.particles, "velocity", 0.9 * sim.particles.velocity)))
    assert cut.step_count == 55
    assert cut.heat.gain == pytest.approx(cut.energy().dissipated, abs=1e-11 * cut.start_energy.total)
    before = lossy()
    before.step(55)
    assert cut.heat.gain < before.heat.gain


def test_either_of_two_alike_particles_gets_half():
    pair = dem.Particles(BALL, SOLID, position=[[0, 0, 0], [1.001 * D, 0, 0]], velocity=[[0.5, 0, 0], [-0.5, 0, 0]])
    heat = dem.Heat(every=2, dissipation=True)
    sim = dem.Simulation(pair, gravity=(0, 0, 0), time_step=1e-6, heat=heat)
    sim.step(2000)
    lost = sim.start_energy.kinetic - sim.energy().kinetic
    assert lost == pytest.approx((1 - 0.5**2) * sim.start_energy.kinetic, rel=1e-3)
    np.testing.assert_allclose(C * (sim.particles.temperature - 293.15), lost / 2, rtol=1e-5)
    assert sim.heat.gain == pytest.approx(sim.energy().dissipated, rel=1e-12)


def test_dissipation_is_refused_where_it_cannot_be_followed():
    with pytest.raises(ValueError, match="time_factor is 10 with dissipation, expected 1"):
        dem.Heat(dissipation=True, time_factor=10)


def coming_and_going(shape="spheres", **more):
    """A gas that loses energy in a box, with an inserter, and an outlet in which particles touch each other."""
    rng, edge = np.random.default_rng(3), 1.12 * D * 3
    place = np.stack(np.meshgrid(*[np.arange(3)] * 3, indexing="ij"), -1).reshape(-1, 3)[:18] + 0.5
    made = dem.Particles(
        SHAPES[shape], SOLID, position=1.12 * D * place, velocity=rng.normal(0, 1.0, (18, 3)),
        angular_velocity=rng.normal(0, 30, (18, 3)),
    )  # fmt: skip
    region = dem.Ball((0.7 * edge,) * 3, 0.28 * edge)
    source = dem.Inserter(SHAPES[shape], SOLID, region=region, rate=300, velocity=(-8, 0, -4), temperature=350.0)
    drain = dem.Outlet(dem.Ball((0, 0, 0), 0.6 * edge), every=8e-4)
    return dem.Simulation(
        made, dem.Box((0, 0, 0), (edge,) * 3, SOLID), gravity=(0, 0, 0), time_step=2e-5, inserters=[source],
        outlets=[drain], heat=dem.Heat(every=7, dissipation=True), **more,
    )  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.few(1)
@pytest.mark.long
def test_dissipation_with_particles_that_come_and_go(shape, tmp_path):
    """Heat is what contacts have dissipated, with what leaves along with the removed; no bit depends on a restart.

    The mechanical ledger has what springs of ended contacts held a step later. It is in whole units, of which each
    contact of each step rounds by a half at most.
    """
    sim = coming_and_going(shape)
    gone = 0
    for steps in (35, 147, 140, 28):
        sim.step(steps - 1)
        sim.save(tmp_path / "state.h5")
        sim.step(1)
        again = dem.Simulation.load(tmp_path / "state.h5")
        again.step(1)
        assert again.particles.temperature.tobytes() == sim.particles.temperature.tobytes()
        assert again.heat.received == sim.heat.received
        gone = sim.outlets[0].number
        assert sim.heat.gain == pytest.approx(sim.energy().dissipated, abs=100 / sim._engine.energy_unit)
        assert sim.heat.received["dissipation"] == pytest.approx(sim.heat.gain, rel=1e-12)
        assert abs(sim.heat.imbalance) <= 1e-13 * sim.heat.content
    assert gone > 2
    assert sim.inserters[0].number > 0
    assert sim.heat.gain > 0.02 * sim.start_energy.total
    assert sim.verdict().scalars_balanced


def test_dissipation_goes_on_when_particles_are_added():
    """What contacts took up since the last exchange is neither lost nor counted twice."""
    sim = lossy()
    sim.step(43)
    sim.add(outlets=[dem.Outlet(dem.Ball((-1, 0, 0), 0.01))])
    plain = lossy()
    for each in (sim, plain):
        each.step(60 - each.step_count)
    assert sim.particles.temperature.tobytes() == plain.particles.temperature.tobytes()
    assert sim.heat.received == plain.heat.received


def alone(temperature=300.0, speed=2.0, resolution=0.002, scale=1e10, **heat):
    """A particle in a stream that hardly brakes it while it warms."""
    ball = dem.Particles(BALL, SOLID, position=[[0, 0, 0]], velocity=[[speed, 0, 0]], temperature=temperature)
    air = dem.Fluid(density=1.2, viscosity=1.8e-5, velocity=(0.5, 0.0, 0.0))
    law = dem.Heat(every=1, time_factor=scale, resolution=resolution, **heat)
    return dem.Simulation(ball, gravity=(0, 0, 0), fluid=air, time_step=1e-8, heat=law), air


@pytest.mark.parametrize(("law", "voidage"), [("ranz-marshall", 1.0), ("gunn", 0.4)])
def test_a_sphere_in_a_stream_warms_in_its_time(law, voidage):
    hot = dem.Convection(temperature=400.0, conductivity=0.026, heat_capacity=1005.0, law=law, voidage=voidage)
    sim, _ = alone(convection=hot, scale=2e9)
    sim.step(2)
    reynolds, prandtl = voidage * 1.2 * 1.5 * D / 1.8e-5, (1005.0 * 1.8e-5 / 0.026) ** (1 / 3)
    nusselt = 2 + 0.6 * math.sqrt(reynolds) * prandtl
    if law == "gunn":
        nusselt = (7 - 10 * 0.4 + 5 * 0.16) * (1 + 0.7 * reynolds**0.2 * prandtl)
        nusselt += (1.33 - 2.4 * 0.4 + 1.2 * 0.16) * reynolds**0.7 * prandtl
    relaxation = C / (nusselt * 0.026 / D * math.pi * D**2)
    expected = 400 - 100 * math.exp(-sim.heat.time / relaxation)
    assert 310 < expected < 390
    assert sim.particles.temperature[0] == pytest.approx(expected, abs=0.1)
    assert sim.heat.received["fluid"] == pytest.approx(sim.heat.gain, rel=1e-12)


def test_radiation_comes_to_the_temperature_of_the_surroundings():
    """From far above, dT/dt = -b T⁴: 1/T³ grows by 3 b t."""
    sim, _ = alone(temperature=1000.0, radiation=dem.Radiation(temperature=1.0, emissivity=0.5))
    sim.step(2)
    b = 0.5 * 5.670374419e-8 * math.pi * D**2 / C
    assert sim.particles.temperature[0] == pytest.approx((1000.0**-3 + 3 * b * sim.heat.time) ** (-1 / 3), rel=2e-3)
    assert sim.heat.received["radiation"] == pytest.approx(sim.heat.gain, rel=1e-12)
    assert sim.verdict().scalars_balanced


@pytest.mark.parametrize("shape", [DIE, dem.Ellipsoid(semi_axes=(3 * D, D, D)), dem.Capsule(diameter=D, length=3 * D)])
def test_a_fluid_warms_other_shapes_like_the_sphere_of_their_volume(shape):
    """At rest, where Nu = 2: 2π k d, which no shape of this volume falls below (Poincaré, Pólya and Szegő)."""
    volume = shape.mass_properties(1.0).volume
    d = (6 * volume / math.pi) ** (1 / 3)
    gas = dem.Convection(temperature=400.0, conductivity=0.03, heat_capacity=1000.0)
    still = dem.Particles(shape, SOLID, position=[[0, 0, 0]], temperature=300.0)
    law = dem.Heat(every=1, convection=gas)
    sim = dem.Simulation(
        still, gravity=(0, 0, 0), fluid=dem.Fluid(density=1.2, viscosity=1.8e-5), time_step=DT, heat=law
    )
    sim.step(1)
    assert sim.heat.received["fluid"] == pytest.approx(2 * math.pi * 0.03 * d * 100.0 * sim.heat.time, rel=1e-6)


@pytest.mark.parametrize("shape", [DIE, dem.Ellipsoid(semi_axes=(3 * D, D, D))])
def test_the_surface_of_a_convex_shape_radiates(shape):
    warm = dem.Particles(shape, SOLID, position=[[0, 0, 0]], temperature=300.0)
    heat = dem.Heat(every=1, radiation=dem.Radiation(temperature=1000.0, emissivity=0.5))
    sim = dem.Simulation(warm, gravity=(0, 0, 0), time_step=DT, heat=heat)
    sim.step(1)
    power = 0.5 * 5.670374419e-8 * shape.area * (1000.0**4 - 300.0**4)
    assert sim.heat.received["radiation"] == pytest.approx(power * sim.heat.time, rel=1e-6)


def test_a_convection_wants_a_fluid():
    hot = dem.Convection(temperature=400.0, conductivity=0.026, heat_capacity=1005.0)
    with pytest.raises(ValueError, match="convection in a run without a fluid"):
        planned(convection=hot)
    with pytest.raises(ValueError, match="of single spheres: take law='gunn'"):
        dem.Convection(temperature=400.0, conductivity=0.026, heat_capacity=1005.0, voidage=0.5)


@pytest.mark.parametrize("shape", [BALL, dem.Capsule(diameter=D, aspect_ratio=3)])
def test_a_gas_conducts_in_the_gap_about_a_contact(shape):
    """The integral over rings of the gap, between two spheres and at a plate."""
    k_g, jump, rim = 0.026, 3e-7, math.sqrt(D / 4 * DEEP)
    r = np.linspace(rim, D / 2, 2_000_001)
    y = np.sqrt((D / 2) ** 2 - r**2)
    for plate, gap, at in ((False, 2 * (D / 2 - y), rim), (True, D / 2 - y, math.sqrt(2) * rim)):
        ring = np.where(r >= at, 2 * math.pi * r * k_g / (gap + jump), 0.0)
        expected = 0.5 * ((ring[1:] + ring[:-1]) * np.diff(r)).sum()
        length = shape.length if hasattr(shape, "length") else D
        place = [[0, 0, 0]] if plate else [[0, 0, 0], [length - DEEP, 0, 0]]
        walls = [dem.Plane((DEEP - length / 2, 0, 0), (1, 0, 0), material=SOLID, temperature=310.0)] if plate else []
        made = dem.Particles(shape, SOLID, position=place, temperature=[300.0, 310.0][: len(place)])
        found = []
        for conductivity in (0.0, k_g):
            heat = dem.Heat(every=1, time_factor=1e5, gas_conductivity=conductivity, gas_jump=jump)
            sim = dem.Simulation(made, walls=walls, gravity=(0, 0, 0), time_step=DT, heat=heat)
            sim.step(1)
            capacity = 800.0 * sim.particles.mass[0]
            found.append(capacity * (sim.particles.temperature[0] - 300.0) / sim.heat.time / 10.0)
        assert found[1] - found[0] == pytest.approx(expected, rel=1e-3)


def test_cases_with_heat():
    """A row comes to a straight line; a gas gets what it loses; grains warm in a hot drum and in hot gas."""
    row = HeatedRow(n=3, time_factor=1e11).simulation()
    row.step(40)
    np.testing.assert_allclose(row.particles.temperature, 373.15 - 80 * np.arange(1, 4) / 4, rtol=1e-4)
    gas = SelfHeatingGas(n=8, speed=2.0, time_step=2e-5).simulation()
    gas.step(200)
    assert gas.heat.gain == pytest.approx(gas.energy().dissipated, abs=4e-12 * gas.start_energy.total)
    assert gas.heat.gain > 0
    blown = HotFluidisedBed(n=12, time_step=2e-5).simulation()
    blown.step(100)
    assert blown.heat.received["fluid"] == pytest.approx(blown.heat.gain, rel=1e-12)
    assert 293.15 < blown.particles.temperature.min()
    assert blown.heat.fluid.min() < 550.0 < blown.heat.fluid.max() <= 573.15
    assert abs(blown.heat.imbalance) < 1e-12 * blown.heat.content
    drum = HeatedDrum(n=12, time_step=5e-5).simulation()
    drum.step(400)
    assert drum.heat.received["drum"] > 0
    assert drum.particles.temperature.max() > 293.15


@pytest.mark.parametrize("shape", ["spheres", "fibres", "capsules"])
@pytest.mark.few(1, long=99)
def test_heat_goes_to_those_that_collide(shape):
    """As the reports of contacts have it, to the half steps that they are apart."""
    sim = lossy(shape)
    sim.step(5)
    heat, expected = sim.particles.temperature.copy(), np.zeros(8)
    capacity = 800.0 * sim.particles.mass[0]
    frictionless = dem.Material(**{**vars(SOLID), "friction": 0.0})
    made = dem.Particles(SHAPES[shape], frictionless, position=sim.particles.position, velocity=sim.particles.velocity)
    sim = dem.Simulation(made, sim.box, gravity=(0, 0, 0), time_step=2e-6,
                         heat=dem.Heat(every=1, dissipation=True))  # fmt: skip
    heat = sim.particles.temperature
    for _ in range(300):
        sim.step(1)
        contacts = sim.contact_forces()
        lost = contacts.loss * sim.time_step
        np.add.at(expected, contacts.i, np.where(contacts.with_wall, lost, 0.5 * lost))
        np.add.at(expected, contacts.j[~contacts.with_wall], 0.5 * lost[~contacts.with_wall])
    gained = capacity * (sim.particles.temperature - heat)
    assert expected.max() > 0
    np.testing.assert_allclose(gained, expected, rtol=0.02, atol=0.01 * expected.max())


def test_fields_that_are_not_there_are_refused(tmp_path):
    plain = dem.Simulation(dem.Particles(BALL, SOLID, position=[[0, 0, 1]]), time_step=1e-5)
    with pytest.raises(ValueError, match="fields has temperature, which the particles do not have"):
        plain.run(1e-5, output=tmp_path / "run.h5", fields=["temperature"])
    assert not (tmp_path / "run.h5").exists()


def gap_integral(big, small, gap, k_g, jump, plate=False):
    """Conductance of the gas between two spheres, or a sphere and a plate, by rings: ∫ 2π r k_g/(h(r) + M) dr."""
    both = 0.0 if plate else 1.0
    return quad(
        lambda r: 2 * math.pi * r * k_g / (gap + small - math.sqrt(small**2 - r**2)
                                          + both * (big - math.sqrt(big**2 - r**2)) + jump), 0, small,
        points=[1e-3 * small, 1e-2 * small, 0.1 * small], epsrel=1e-10,
    )[0]  # fmt: skip


@pytest.mark.parametrize("gap", [1e-9, 0.02 * D, 0.2 * D])
def test_a_gas_conducts_between_surfaces_that_do_not_touch(gap):
    """Two spheres, a plate and a face, against the integral over rings; nothing beyond the range."""
    k_g, jump = 0.026, 3e-7
    hot = {"temperature": 310.0, "material": SOLID}
    box = dem.Box((-0.5 * D - gap, -1, -1), (1, 1, 1), SOLID)
    ways = {
        "spheres": ([[0, 0, 0], [D + gap, 0, 0]], {}, {}),
        "plate": ([[0, 0, 0]], {"walls": [dem.Plane((-0.5 * D - gap, 0, 0), (1, 0, 0), **hot)]}, {}),
        "block": ([[0, 0, 0]], {"walls": [dem.Block((-2, -1, -1), (-0.5 * D - gap, 1, 1), **hot)]}, {}),
        "face": ([[0, 0, 0]], {"box": box}, {"faces": {"x-": 310.0}}),
    }
    for name, (place, more, heat) in ways.items():
        expected = gap_integral(D / 2, D / 2, gap, k_g, jump, plate=name != "spheres")
        made = dem.Particles(BALL, SOLID, position=place, temperature=[300.0, 310.0][: len(place)])
        for beyond, factor in ((1.01, 1.0), (0.99, 0.0)):
            law = dem.Heat(
                every=1, time_factor=1e5, gas_conductivity=k_g, gas_jump=jump, gas_range=beyond * gap, **heat
            )
            sim = dem.Simulation(made, gravity=(0, 0, 0), time_step=DT, heat=law, **more)
            sim.step(1)
            found = C * (sim.particles.temperature[0] - 300.0) / sim.heat.time / 10.0
            assert found == pytest.approx(factor * expected, rel=1e-4), name


def test_gaps_of_unequal_spheres_count_as_those_of_their_mean_radius():
    """Up to the equator of the smaller one, within two hundredths."""
    big, gap, k_g, jump = 1.5 * D / 2, 1e-3 * D, 0.026, 3e-7
    made = dem.Particles.concatenate([
        dem.Particles(BALL, SOLID, position=[[0, 0, 0]], temperature=300.0),
        dem.Particles(dem.Sphere(diameter=2 * big), SOLID, position=[[D / 2 + big + gap, 0, 0]], temperature=310.0),
    ])  # fmt: skip
    law = dem.Heat(every=1, time_factor=1e5, gas_conductivity=k_g, gas_jump=jump, gas_range=2 * gap)
    sim = dem.Simulation(made, gravity=(0, 0, 0), time_step=DT, heat=law)
    sim.step(1)
    found = C * (sim.particles.temperature[0] - 300.0) / sim.heat.time / 10.0
    assert found == pytest.approx(gap_integral(big, D / 2, gap, k_g, jump), rel=0.02)
    assert abs(sim.heat.imbalance) < 1e-15 * sim.heat.content


@pytest.mark.parametrize("shape", ["spheres", "fibres"])
@pytest.mark.few(1, long=99)
def test_gaps_depend_on_no_list_or_cut(shape, tmp_path):
    """A gas of particles in a box with a hot face, a block and a periodic axis: heat moves nothing."""
    rng = np.random.default_rng(3)
    number = {"spheres": 27, "fibres": 9}[shape]
    place = np.stack(np.meshgrid(*[np.arange(3)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
    made = dem.Particles(
        SHAPES[shape], SOLID, position=1.3 * D * rng.permutation(place)[:number],
        velocity=rng.normal(0, 1.0, (number, 3)), angular_velocity=rng.normal(0, 30, (number, 3)),
        temperature=300 + 50 * rng.random(number),
    )  # fmt: skip
    box = dem.Box((0, 0, 0), (3.9 * D,) * 3, SOLID, periodic=["x"])
    block = dem.Block((1.2 * D, -D, 3.76 * D), (2.1 * D, 9 * D, 5 * D), material=SOLID, temperature=400.0)
    heat = dem.Heat(every=5, time_factor=1e4, faces={"z-": 500.0}, gas_conductivity=0.03, gas_range=0.5 * D)

    def gas(skin=(0.06 * D, 0.02 * D), heat=heat):
        return dem.Simulation(made, box, walls=[block], time_step=2e-5, heat=heat, threads=1, _skin=skin)

    whole, cut, wide, cold = gas(), gas(), gas(skin=(0.3 * D, 0.1 * D)), gas(heat=dem.Heat(every=60))
    whole.step(60), wide.step(60), cut.step(13)
    cut.save(tmp_path / "state.h5")
    cut = dem.Simulation.load(tmp_path / "state.h5")
    for steps in (9, 20, 18):
        cut.step(steps)
    assert set(whole.heat.received) == {"face z-", whole.walls[0].word}
    for other in (cut, wide):
        assert other.particles.temperature.tobytes() == whole.particles.temperature.tobytes()
        assert other.heat.received == whole.heat.received
    with pytest.raises(ValueError, match="has a temperature"):
        gas(heat=None)
    cold.step(60)
    assert cold.particles.position.tobytes() == whole.particles.position.tobytes()
    assert whole.verdict().scalars_balanced


def test_ranges_of_a_gas_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="without a gas: give gas_conductivity"):
        dem.Heat(gas_range=1e-3)
    rod = dem.Particles(dem.Capsule(diameter=D, aspect_ratio=2), SOLID, position=[[0, 0, 1]])
    with pytest.raises(ValueError, match="with capsules or convex particles"):
        dem.Simulation(rod, time_step=1e-6, heat=dem.Heat(gas_conductivity=0.02, gas_range=1e-3))
    small = dem.Box((0, 0, 0), (3 * D,) * 3, SOLID, periodic=["x"])
    with pytest.raises(ValueError, match="long along its periodic axis x"):
        dem.Simulation(
            dem.Particles(BALL, SOLID, position=[[D, D, D]]), small, time_step=1e-6,
            heat=dem.Heat(gas_conductivity=0.02, gas_range=D),
        )  # fmt: skip


@pytest.mark.parametrize("gas", [{}, {"gas_conductivity": 0.026}, {"gas_conductivity": 0.026, "gas_range": 0.3 * D}])
@pytest.mark.parametrize("sizes", [1, 2])
def test_an_exchange_in_one_sub_step_is_that_of_listed_contacts(sizes, gas, monkeypatch):
    """To the bit: of spheres of one radius and material or several, at a face and a plane."""
    place = np.stack(np.meshgrid(*[np.arange(3)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
    rng, soft = np.random.default_rng(5), dem.Material(**{**vars(SOLID), "conductivity": 11.0, "real_young": 1e9})
    place = 0.995 * D * place + rng.uniform(-0.004, 0.0, (27, 3)) * D
    groups = [slice(0, 14), slice(14, 27)] if sizes == 2 else [slice(0, 27)]
    made = dem.Particles.concatenate([
        dem.Particles(dem.Sphere(diameter=(1 - 0.002 * k) * D), (SOLID, soft)[k], position=place[rows],
                      temperature=rng.uniform(300, 400, len(place[rows])))
        for k, rows in enumerate(groups)
    ])  # fmt: skip
    box = dem.Box((-0.002 * D, 0, 0), (4 * D, 2.985 * D, 4 * D), SOLID, periodic=["y"])
    plate = dem.Plane((0, 0, 0), (0, 0, 1), material=soft, temperature=350.0, name="plate")

    def warmed():
        law = dem.Heat(every=2, time_factor=10.0, faces={"x-": 500.0}, **gas)
        sim = dem.Simulation(made, box, walls=[plate], gravity=(0, 0, 0), time_step=1e-7, heat=law)
        sim.step(4)
        return sim

    once, listed = [], []
    substep = HeatInRun._exchange_once
    monkeypatch.setattr(HeatInRun, "_exchange_once", lambda *given: once.append(substep(*given)) or once[-1])
    quick = warmed()
    monkeypatch.setattr(HeatInRun, "_exchange_once", lambda *given: listed.append(0))
    slow = warmed()
    assert once == [True] * 3  # the first compiles
    assert len(listed) == 3
    assert quick.particles.temperature.tobytes() == slow.particles.temperature.tobytes()
    assert np.ptp(quick.particles.temperature - made.temperature) > 0
    assert quick.heat.received == slow.heat.received
    assert set(quick.heat.received) == {"face x-", "plate"}


@pytest.mark.parametrize("law", [{"dissipation": True}, {"gas_conductivity": 0.02, "gas_range": 0.2 * D}])
def test_threads_and_skins_change_no_bit(law, small_chunks):
    """Of temperatures and the ledger, with what contacts dissipate and with gaps that conduct."""
    found = []
    for threads, skin in ((1, 0.06), (2, 0.2)):
        rng = np.random.default_rng(3)
        place = np.stack(np.meshgrid(*[np.arange(3)] * 3, indexing="ij"), -1).reshape(-1, 3)[::-1] + 0.5
        made = dem.Particles(
            BALL, SOLID, position=1.12 * D * place, velocity=rng.normal(0, 1.0, (27, 3)),
            temperature=300 + 50 * rng.random(27),
        )  # fmt: skip
        box = dem.Box((0, 0, 0), (1.12 * D * 3,) * 3, SOLID)
        heat = dem.Heat(every=5, faces={"z-": 500.0}, **law)
        sim = dem.Simulation(
            made, box, time_step=2e-5, heat=heat, threads=threads, _skin=(skin * D, skin * D / 3)
        )  # fmt: skip
        sim.step(30)
        found.append((sim.particles.temperature.tobytes(), sim.particles.position.tobytes(), sim.heat.received))
        assert sim._engine.lists.arrays.block.size == min(threads, jit.most_threads()) + 1
    assert found[1] == found[0]


def test_a_wall_with_a_capacity_comes_to_the_mean_temperature(tmp_path):
    """With one particle: dT/dt by 1/C + 1/C_w; what the particle gains the wall loses, also after a restart."""
    wall = dem.Plane((0, 0, 0), (0, 0, 1), material=SOLID, temperature=400.0, heat_capacity=3 * C, name="plate")
    ball = dem.Particles(BALL, SOLID, position=[[0, 0, D / 2 - DEEP]], temperature=300.0)
    rate = 2 * 3.0 * math.sqrt(D / 2 * DEEP) * (1 / C + 1 / (3 * C))
    law = dem.Heat(every=1, time_factor=0.2 / rate / DT, resolution=0.002)
    sim = dem.Simulation(ball, walls=[wall], gravity=(0, 0, 0), time_step=DT, heat=law)
    sim.step(3)
    expected = math.exp(-rate * sim.heat.time)
    assert sim.heat.walls["plate"] - sim.particles.temperature[0] == pytest.approx(100 * expected, rel=2e-3)
    sim.save(tmp_path / "state.h5")
    again = dem.Simulation.load(tmp_path / "state.h5")
    for each in (sim, again):
        each.step(100)
        assert each.heat.walls["plate"] == pytest.approx(375.0, rel=1e-6)
        assert each.particles.temperature[0] == pytest.approx(375.0, rel=1e-6)
        lost = 3 * C * (400.0 - each.heat.walls["plate"])
        assert each.heat.gain == pytest.approx(lost, rel=1e-12)
        assert "plate at 375 K" in str(each.verdict())
    assert again.particles.temperature.tobytes() == sim.particles.temperature.tobytes()
    sim.particles.temperature = 300.0  # the ledger begins anew, the wall stays as warm
    sim.step(1)
    assert 370 < sim.heat.walls["plate"] < 375
    with pytest.raises(ValueError, match="no temperature at the start"):
        dem.Plane((0, 0, 0), (0, 0, 1), material=SOLID, heat_capacity=1.0)
    with pytest.raises(ValueError, match="a heat_flux too"):
        dem.Plane((0, 0, 0), (0, 0, 1), material=SOLID, temperature=300.0, heat_capacity=1.0, heat_flux=1.0)


@pytest.mark.parametrize("shape", ["spheres", "fibres", "bonded"])
@pytest.mark.few(0, long=2)
def test_ranks_change_no_bit(shape, small_chunks, tmp_path):
    """Of temperatures, motion and ledger, with a wall that warms, gaps or bonds, and a restart on one rank."""
    rng = np.random.default_rng(3)
    place = np.stack(np.meshgrid(*[np.arange(3)] * 3, indexing="ij"), -1).reshape(-1, 3)[::-1] + 0.5
    bonds = dem.Bonds([[k, k + 1] for k in range(26) if k % 3 < 2], young=1e6, diameter=0.4 * D)
    made = dem.Particles(
        SHAPES.get(shape, BALL), SOLID, position=1.15 * D * place, velocity=rng.normal(0, 1.0, (27, 3)),
        temperature=300 + 50 * rng.random(27),
    )  # fmt: skip
    box = dem.Box((0, 0, 0), (3.45 * D,) * 3, SOLID)
    plate = dem.Plane((0, 0, 0), (0, 0, 1), material=SOLID, temperature=400.0, heat_capacity=C, name="plate")
    heat = dem.Heat(every=7, time_factor=100.0, faces={"x-": 500.0}, gas_conductivity=0.02, gas_range=0.3 * D)

    def begun():
        return dem.Simulation(
            made, box, walls=[plate], time_step=2e-5, heat=heat, threads=1, _skin=(0.06 * D, 0.02 * D),
            bonds=bonds if shape == "bonded" else None,
        )  # fmt: skip

    alone = begun()
    alone.step(30)
    with in_one_process(3, owners=AtRandom):
        shared = begun()
        shared.step(11)
        shared.step(10)
        shared.save(tmp_path / "state.h5")
        shared.step(9)
        found = {name: getattr(shared.particles, name).tobytes() for name in ("temperature", "position", "velocity")}
        received, walls = shared.heat.received, shared.heat.walls
    again = dem.Simulation.load(tmp_path / "state.h5")
    again.step(9)
    for name, values in found.items():
        assert getattr(alone.particles, name).tobytes() == values, name
        assert getattr(again.particles, name).tobytes() == values, name
    assert received == alone.heat.received == again.heat.received
    assert walls == alone.heat.walls == again.heat.walls
    assert set(received) == {"face x-", "plate"}


@pytest.mark.parametrize("shape", [BALL, dem.Capsule(diameter=D, aspect_ratio=3)])
@pytest.mark.parametrize("contact", [False, True])
def test_bonds_conduct(contact, shape, tmp_path):
    """k_h A/l of the bond, and the contact besides where the bond leaves it; a bond to the ground conducts nothing."""
    length = D if shape is BALL else 3 * D
    pair = dem.Particles(shape, SOLID, position=[[0, 0, 0], [length - DEEP, 0, 0]], temperature=[310.0, 300.0])
    bonds = dem.Bonds(
        [[1, 0], [0, -1]], young=1e6, diameter=0.4 * D, contact=contact, ground=[[0, 0, -D]]
    )  # fmt: skip
    law = dem.Heat(every=1, time_factor=1e4)
    sim = dem.Simulation(pair, bonds=bonds, gravity=(0, 0, 0), time_step=DT, heat=law)
    sim.step(1)
    expected = 3.0 * math.pi / 4 * (0.4 * D) ** 2 / (length - DEEP) + (conductance(DEEP) if contact else 0.0)
    capacity = 800.0 * pair.mass[0]
    assert capacity * (310.0 - sim.particles.temperature[0]) / sim.heat.time / 10 == pytest.approx(expected, rel=1e-4)
    assert abs(sim.heat.imbalance) < 1e-15 * sim.heat.content
    sim.save(tmp_path / "state.h5")
    again = dem.Simulation.load(tmp_path / "state.h5")
    sim.step(2), again.step(2)
    assert again.particles.temperature.tobytes() == sim.particles.temperature.tobytes()


def test_broken_bonds_conduct_nothing():
    pair = dem.Particles(BALL, SOLID, position=[[0, 0, 0], [1.01 * D, 0, 0]], temperature=[310.0, 300.0],
                         velocity=[[0, 0, 0], [1, 0, 0]])  # fmt: skip
    bonds = dem.Bonds([[0, 1]], young=1e6, diameter=0.4 * D, strength=1.0)
    sim = dem.Simulation(pair, bonds=bonds, gravity=(0, 0, 0), time_step=1e-6, heat=dem.Heat(every=1, time_factor=1e3))
    sim.step(1)
    before = sim.particles.temperature[0]
    assert before < 310.0
    sim.step(5)
    after = sim.particles.temperature[0]
    sim.step(5)
    assert sim.particles.temperature[0] == after


def bonded(shape, strength):
    """A gas of chains of three, and a ball on a leash, that lose energy in bonds, at contacts and at walls."""
    rng = np.random.default_rng(3)
    place = np.stack(np.meshgrid(*[np.arange(3)] * 3, indexing="ij"), -1).reshape(-1, 3)[::-1] + 0.5
    bonds = dem.Bonds(
        [*([k, k + 1] for k in range(26) if k % 3 < 2), [5, -1]], young=1e6, diameter=0.4 * D, damping=0.2,
        strength=strength, ground=[[D, D, D]],
    )  # fmt: skip
    made = dem.Particles(SHAPES[shape], SOLID, position=1.15 * D * place, velocity=rng.normal(0, 1.0, (27, 3)))
    box = dem.Box((0, 0, 0), (3.45 * D,) * 3, SOLID)
    return dem.Simulation(
        made, box, gravity=(0, 0, 0), time_step=2e-5, heat=dem.Heat(every=7, dissipation=True), bonds=bonds, threads=1,
        _skin=(0.06 * D, 0.02 * D),
    )  # fmt: skip


@pytest.mark.parametrize(("shape", "strength"), [("spheres", math.inf), ("spheres", 2e4), ("ellipsoids", 2e4)])
@pytest.mark.few(1)
@pytest.mark.long
def test_what_bonds_dissipate_becomes_heat_on_any_number_of_ranks(shape, strength, small_chunks, tmp_path):
    """Dashpots, and bonds that break; to the resolution of the mechanical ledger, and the same bytes for ranks."""
    alone = bonded(shape, strength)
    alone.step(42)
    broken, lost = int(alone.bonds.broken.sum()), alone.energy().dissipated
    assert (broken > 5) == math.isfinite(strength)
    assert lost > 0.05 * alone.start_energy.total
    assert alone.heat.gain == pytest.approx(lost, abs=4e-12 * alone.start_energy.total)
    with in_one_process(3, owners=AtRandom):
        shared = bonded(shape, strength)
        shared.step(13)
        shared.step(7)
        shared.save(tmp_path / "state.h5")
        shared.step(22)
        found = shared.particles.temperature.tobytes(), shared.heat.received
        assert shared.heat.gain == pytest.approx(shared.energy().dissipated, abs=4e-12 * alone.start_energy.total)
    again = dem.Simulation.load(tmp_path / "state.h5")
    again.step(22)
    for each in (alone, again):
        assert (each.particles.temperature.tobytes(), each.heat.received) == found


AIR = {"density": 1.2, "viscosity": 1.8e-5}
GAS = {"temperature": 400.0, "conductivity": 0.03, "heat_capacity": 1000.0}


def fluid_after_ten_steps(ball, heat):
    """Temperature of the fluid after ten steps without walls."""
    sim = dem.Simulation(ball, fluid=dem.Fluid(**AIR), gravity=(0, 0, 0), time_step=DT, heat=heat)
    sim.step(10)
    return sim.heat.fluid.tobytes()


def test_a_volume_of_fluid_comes_to_the_mean_temperature_with_a_particle(tmp_path):
    """The difference decays at h A (1/C + 1/C_f); what particles gain the fluid loses, also after a restart."""
    ball = dem.Particles(BALL, SOLID, position=[[0, 0, 0]], temperature=300.0)
    volume = 2 * C / (1.2 * 1000.0)
    gas = dem.Convection(**GAS, volume=volume)
    rate = 2 * 0.03 / D * math.pi * D**2 * (1 / C + 1 / (2 * C))  # Nu = 2 at rest
    heat = dem.Heat(every=1, time_factor=0.1 / rate / DT, resolution=0.002, convection=gas)
    sim = dem.Simulation(ball, fluid=dem.Fluid(**AIR), gravity=(0, 0, 0), time_step=DT, heat=heat)
    sim.step(5)
    sim.save(tmp_path / "state.h5")
    again = dem.Simulation.load(tmp_path / "state.h5")
    for each in (sim, again):
        each.step(5)
        difference = each.heat.fluid.item() - each.particles.temperature[0]
        assert difference == pytest.approx(100 * math.exp(-rate * each.heat.time), rel=2e-3)
        each.step(200)
        assert each.heat.fluid.item() == pytest.approx(300 + 100 * 2 / 3, rel=1e-9)
        assert each.heat.received["fluid"] == pytest.approx(2 * C * (400 - each.heat.fluid.item()), rel=1e-13)
        assert abs(each.heat.imbalance) < 1e-14 * each.heat.content
        assert "fluid at 366.667 K" in str(each.verdict())
    assert again.particles.temperature.tobytes() == sim.particles.temperature.tobytes()
    sim.particles.velocity = [[0.0, 0.0, 1.0]]  # the ledger begins anew, the fluid stays as warm
    sim.step(1)
    assert sim.heat.fluid.item() == pytest.approx(366.667, rel=1e-5)
    wall = dem.Plane((0, 0, -D), (0, 0, 1), material=SOLID, name="gate")
    gated = dem.Simulation(ball, walls=[wall], fluid=dem.Fluid(**AIR), gravity=(0, 0, 0), time_step=DT, heat=heat)
    gated.step(5)
    gated.remove_wall("gate")
    gated.step(5)
    assert abs(gated.heat.imbalance) < 1e-14 * gated.heat.content
    assert gated.heat.fluid.tobytes() == fluid_after_ten_steps(ball, heat)
    with pytest.raises(ValueError, match="leave one out, as cells have volumes"):
        dem.Convection(**GAS, volume=1.0, cells=True)
    with pytest.raises(ValueError, match="the fluid has no cells"):
        dem.Simulation(
            ball, fluid=dem.Fluid(**AIR), time_step=DT, heat=dem.Heat(convection=dem.Convection(**GAS, cells=True))
        )


def fixed_bed(every=1, function=None, resolution=0.02, law="ranz-marshall", time_factor=1e3, **more):
    """A column of spheres, almost at rest, through which gas is blown upwards."""
    cells = dem.Cells(number=(1, 1, 8), lower=(0, 0, 0), upper=(3 * D, 3 * D, 16 * D), every=every)
    place = [[1.5 * D, 1.5 * D, (2 * k + 1) * D] for k in range(8)]
    balls = dem.Particles(BALL, SOLID, position=place, temperature=300.0)
    coupling = function and dem.Coupling(function=function, implicit=True)
    gas = dem.Fluid(
        **AIR, drag="di-felice", model="B", rotation=None, cells=cells, coupling=coupling,
        **({} if function else {"velocity": (0, 0, 0.5)}),
    )  # fmt: skip
    heat = dem.Heat(every=every, time_factor=time_factor, resolution=resolution,
                    convection=dem.Convection(**GAS, cells=True, law=law))  # fmt: skip
    box = dem.Box((0, 0, 0), (3 * D, 3 * D, 16 * D), SOLID, periodic=["x", "y"])
    return dem.Simulation(balls, box, fluid=gas, gravity=(0, 0, 0), time_step=1e-6, heat=heat, **more)


def test_gas_cools_on_its_way_through_a_bed(tmp_path):
    """Cell by cell in a steady stream, F (T_up - T_c) = h A (T_c - T); all heat is accounted for, also in restarts."""
    sim, cut = (fixed_bed(every=5, time_factor=1e5, resolution=0.2) for _ in range(2))
    assert 0 < sim.heat.relaxation_time < 2 * D / 0.5  # of the gas, which leaves a cell in that time
    sim.step(20)
    cut.step(7)
    cut.save(tmp_path / "state.h5")
    time = cut.heat.relaxation_time
    cut = dem.Simulation.load(tmp_path / "state.h5")
    assert cut.heat.relaxation_time == time
    cut.step(13)
    assert cut.particles.temperature.tobytes() == sim.particles.temperature.tobytes()
    assert cut.heat.fluid.tobytes() == sim.heat.fluid.tobytes()
    gas, solid = sim.heat.fluid[0, 0], sim.particles.temperature
    voidage = 1 - math.pi / 6 / 18
    reynolds = 1.2 * 0.5 * D / 1.8e-5
    film = (2 + 0.6 * math.sqrt(reynolds) * (1000 * 1.8e-5 / 0.03) ** (1 / 3)) * 0.03 / D * math.pi * D**2
    rate = 1.2 * 1000.0 * voidage * 0.5 * (3 * D) ** 2
    upstream = np.append(400.0, gas[:-1])
    np.testing.assert_allclose(
        rate * (upstream - gas), film * (gas - solid), rtol=0.02
    )  # particles warm by 1 K a second
    content = sim.heat.fluid_content
    lost = content["start"] + content["flow"] - content["now"]
    assert sim.heat.received["fluid"] == pytest.approx(lost, rel=1e-12)
    assert sim.heat.gain == pytest.approx(sim.heat.received["fluid"], rel=1e-9)
    assert abs(sim.heat.imbalance) < 1e-13 * sim.heat.content
    assert "came with its flow" in str(sim.verdict())


def test_a_coupling_is_told_of_heat_and_may_return_temperatures():
    """A function that computes what the flow does itself; particles lose to each cell what it is told of."""
    seen = []

    def still(exchange):
        seen.append(exchange)
        return dem.FlowState(velocity=(0, 0, 0.5), temperature=exchange.temperature + (1.0 if len(seen) == 3 else 0.0))

    sim = fixed_bed(every=2, function=still, law="gunn")
    sim.step(8)
    assert [each.heat_interval for each in seen] == pytest.approx([0.0, 0.0, 2e-3, 2e-3, 2e-3])
    told = sum(each.heat.sum() for each in seen) + sim.exchange().heat.sum()
    assert -told == pytest.approx(sim.heat.received["fluid"], rel=1e-12)
    capacity = 1.2 * 1000.0 * 18 * D**3 * (1 - math.pi / 108)
    assert sim.heat.fluid_content["flow"] == pytest.approx(8 * capacity, rel=1e-9)
    assert abs(sim.heat.imbalance) < 1e-13 * sim.heat.content
    cold = fixed_bed(every=2, function=lambda _: dem.FlowState(velocity=(0, 0, 0.5)))
    assert cold.exchange().temperature.shape == (1, 1, 8)
    with pytest.raises(ValueError, match="temperature from the coupling is -1 K"):
        fixed_bed(function=lambda _: dem.FlowState(velocity=(0, 0, 0), temperature=-np.ones((1, 1, 8))))


def by_temperature(**more):
    """The material with properties that depend on temperature."""
    return dem.Material(**{**vars(SOLID), **more})


HOT = ((300.0, 800.0), (350.0, 1000.0), (360.0, 400.0), (500.0, 900.0))  # J/(kg K)


def test_heat_capacity_by_temperature_is_the_slope_of_the_enthalpy(tmp_path):
    """Walls bring a flux; the heat is the integral of the table, whatever the steps, also beyond its ends."""
    stuff = by_temperature(heat_capacity=HOT)
    plate = dem.Plane((0, 0, 0), (0, 0, 1), material=SOLID, heat_flux=1000.0, name="plate")
    ball = dem.Particles(BALL, stuff, position=[[0, 0, D / 2 - DEEP]], temperature=290.0)
    mass, power = float(ball.mass[0]), 1000.0 * math.pi / 4 * D**2
    for seconds in (20.0, 400.0, 4000.0):
        law = dem.Heat(every=1, time_factor=seconds / 20 / DT)
        sim = dem.Simulation(ball, walls=[plate], gravity=(0, 0, 0), time_step=DT, heat=law)
        sim.step(7)
        sim.save(tmp_path / "state.h5")
        sim.step(13)
        again = dem.Simulation.load(tmp_path / "state.h5")
        again.step(13)
        t = sim.particles.temperature[0]
        integral = quad(lambda x: np.interp(x, *zip(*HOT, strict=True)), 290.0, t, points=[300, 350, 360, 500])[0]
        assert mass * integral == pytest.approx(power * sim.heat.time, rel=1e-6)
        assert sim.heat.received["plate"] == pytest.approx(power * sim.heat.time, rel=1e-12)
        assert abs(sim.heat.imbalance) < 1e-15 * sim.heat.content
        assert again.particles.temperature.tobytes() == sim.particles.temperature.tobytes()
    assert t > 510  # beyond the last row


def test_conductivity_by_temperature_is_that_of_both_at_the_exchange():
    """Pairs, walls and bonds; what a gas in the gaps adds does not change."""
    table = ((300.0, 3.0), (400.0, 9.0))
    k_hot, k_cold = 3.0 + 6.0 * 0.8, 3.0 + 6.0 * 0.2
    mean = 2 * k_hot * k_cold / (k_hot + k_cold)
    stuff = by_temperature(conductivity=table)
    bonds = dem.Bonds([[0, 1]], young=1e6, diameter=0.4 * D, contact=False)
    plate = dem.Plane((0, 0, -D / 2 + DEEP), (0, 0, 1), material=stuff, temperature=380.0)
    gas = {"gas_conductivity": 0.026}

    def passed(stuff, gas, place, temperature, **more):
        made = dem.Particles(BALL, stuff, position=place, temperature=temperature)
        law = dem.Heat(every=1, time_factor=1e3, **gas)
        sim = dem.Simulation(made, gravity=(0, 0, 0), time_step=DT, heat=law, **more)
        sim.step(1)
        assert abs(sim.heat.imbalance) < 1e-15 * sim.heat.content
        return C * (sim.particles.temperature[-1] - 320.0) / sim.heat.time / 60.0

    both = [[0, 0, 0], [0, 0, D - DEEP]], [380.0, 320.0]
    assert passed(stuff, {}, *both) == pytest.approx(conductance(DEEP, mean), rel=1e-5)
    assert passed(stuff, {}, *both, bonds=bonds) == pytest.approx(
        mean * math.pi / 4 * (0.4 * D) ** 2 / (D - DEEP), rel=1e-5
    )
    assert passed(stuff, {}, [[0, 0, 0]], 320.0, walls=[plate]) == pytest.approx(
        2 * mean * math.sqrt(D / 2 * DEEP), rel=1e-5
    )
    about = passed(SOLID, gas, *both) - passed(SOLID, {}, *both)
    assert passed(stuff, gas, *both) - passed(stuff, {}, *both) == pytest.approx(about, rel=1e-4)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ([[300, 1.0]], "conductivity is a table of 1 row, expected two or more"),
        ([[300, 1.0, 2.0], [400, 1.0]], "each of a temperature"),
        ([[400, 1.0], [300, 2.0]], "400 K and then 300 K, expected them to ascend"),
        ([[-20, 1.0], [300, 2.0]], "temperature 0 of conductivity is -20 K"),
        ([[20, 1.0], [300, 0.0]], "value 1 of conductivity is 0"),
    ],
)
def test_tables_that_make_no_sense_are_refused(table, told):
    with pytest.raises(ValueError, match=told):
        by_temperature(conductivity=table)


def test_a_table_may_be_an_array_and_is_no_mapping():
    rows = [[300.0, 45.0], [600.0, 38.0]]
    for table in (np.array(rows), [np.array(row) for row in rows]):
        brass = dem.Material(young=1e7, poisson=0.3, conductivity=table)
        assert brass.conductivity == ((300.0, 45.0), (600.0, 38.0))
        hash(brass)
    with pytest.raises(TypeError, match="or rows of a temperature"):
        dem.Material(young=1e7, poisson=0.3, conductivity={300.0: 45.0, 600.0: 38.0})


def test_each_mesh_has_a_temperature_of_its_own():
    """A ball on the line between two sheets of triangles takes 2 k_h a (T - T_ball) from each, as from planes."""
    corners = D * np.array([[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [2.0, 2.0, 0.0], [-2.0, 2.0, 0.0]])
    gap = np.array([0.0, 0.0, D - 2 * DEEP])
    ball = dem.Particles(BALL, SOLID, position=[[0, 0.3 * D, D / 2 - DEEP]], temperature=300.0)
    sheets = [
        dem.Mesh(corners, [[0, 1, 2], [0, 2, 3]], material=SOLID, temperature=400.0, name="hot"),
        dem.Mesh(corners + gap, [[0, 1, 2], [0, 2, 3]], material=SOLID, temperature=320.0, name="warm"),
    ]
    planes = [
        dem.Plane((0, 0, 0), (0, 0, 1), material=SOLID, temperature=400.0, name="hot"),
        dem.Plane(tuple(gap), (0, 0, -1), material=SOLID, temperature=320.0, name="warm"),
    ]
    found = []
    for walls in (sheets, planes):
        sim = dem.Simulation(
            ball, walls=walls, gravity=(0, 0, 0), time_step=DT, heat=dem.Heat(every=1, time_factor=1e6)
        )
        sim.step(1)
        found.append(sim.heat.received)
    expected = conductance(DEEP, radius=D / 2) * DT * 1e6
    assert found[0] == {"hot": pytest.approx(100 * expected, rel=1e-6), "warm": pytest.approx(20 * expected, rel=1e-6)}
    assert found[0] == {name: pytest.approx(heat, rel=1e-9) for name, heat in found[1].items()}
