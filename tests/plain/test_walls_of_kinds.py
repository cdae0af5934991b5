"""Walls that act on some kinds of particles only: sieves and membranes."""

import numpy as np
import pytest

import dem
from dem.casefile.load import load
from dem.ranks.domain_decomposition import AtRandom
from dem.ranks.threads import in_one_process

CASE = """
duration = "0.1 ms"
time_step = "2 us"

[materials.sand]
young = "5 MPa"
poisson = 0.3
density = 1000

[shapes.large]
type = "sphere"
diameter = "10 mm"

[shapes.fine]
type = "sphere"
diameter = "9.9 mm"

[[particles]]
name = "coarse"
shape = "large"
material = "sand"
position = [[0, 0, 0.00499]]

[[particles]]
shape = "fine"
material = "sand"
position = [[0.1, 0, 0.00494]]

[[walls]]
type = "plane"
material = "sand"
point = [0, 0, 0]
normal = [0, 0, 1]
acts_on = ["coarse"]
"""
R, DT = 0.005, 2e-6
SAND = dem.Material(young=5e6, poisson=0.3, density=1000.0, restitution=0.6, friction=0.5)
GLASS = dem.Material(young=5e6, poisson=0.3, density=1000.0)
DUST = dem.Material(young=5e6, poisson=0.3, density=1000.0, restitution=0.6, friction=0.5, name="dust")
SPHERE = dem.Sphere(diameter=2 * R)
SHAPES = [SPHERE, dem.Fibre(diameter=2 * R, aspect_ratio=3), dem.Capsule(diameter=2 * R, aspect_ratio=3)]
FLOORS = {
    "plane": lambda **words: dem.Plane((0, 0, 0), (0, 0, 1), **words),
    "mesh": lambda **words: dem.Mesh([[-1, -1, 0], [1, -1, 0], [0, 1, 0]], [[0, 1, 2]], **words),
}


def both(shape, material, apart=0.1):
    """One particle of the kind "coarse" that lies on z = 0, and one of the kind "fine" beside it."""
    groups = [("coarse", shape, -apart), ("fine", shape.scaled(0.9), apart)]
    heights = [0.99 * R, 0.9 * 0.99 * R]
    return dem.Particles.concatenate(
        [
            dem.Particles(each, material, position=[[x, 0, z]], name=name)
            for (name, each, x), z in zip(groups, heights, strict=True)
        ]
    )


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("material", [SAND, GLASS])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.few(4, long=99)
def test_one_kind_is_held_as_ever_and_the_other_falls_freely(shape, material, floor):
    """z = z0 - g t²/2 for the one, to rounding; the other as above a floor for all, to the bit."""
    bodies = both(shape, material)
    sim = dem.Simulation(bodies, walls=[FLOORS[floor](material=material, ignores="fine")], time_step=DT)
    usual = dem.Simulation(bodies, walls=[FLOORS[floor](material=material)], time_step=DT)
    for each in (sim, usual):
        each.step(100)
    assert usual.walls[0].contacts > sim.walls[0].contacts > 0
    assert np.array_equal(sim.particles.position[0], usual.particles.position[0])
    fallen = 0.9 * 0.99 * R - 0.5 * 9.81 * (100 * DT) ** 2
    assert sim.particles.position[1, 2] == pytest.approx(fallen, abs=1e-12)
    assert set(sim.contact_forces().i.tolist()) == {0}
    assert sim.contact_count == sim.walls[0].contacts
    assert sim.verdict().energy_error < 1e-2


def test_to_act_on_one_of_two_kinds_is_to_ignore_the_other(tmp_path):
    """Also after a restart, and with what is added later."""

    def run(**words):
        bodies = both(SPHERE, SAND)
        sim = dem.Simulation(bodies, walls=[dem.Plane((0, 0, 0), (0, 0, 1), material=SAND, **words)], time_step=DT)
        sim.step(20)
        again = sim
        if "acts_on" in words:
            sim.save(tmp_path / "state.h5")
            again = dem.Simulation.load(tmp_path / "state.h5")
        later = [("fine", SPHERE.scaled(0.8), 0.05), ("coarse", SPHERE.scaled(0.5), -0.05)]
        for name, shape, x in later:
            again.add(
                dem.Particles(shape, SAND, position=[[x, x, shape.radii[0] + 2e-5]], velocity=[[0, 0, -0.5]], name=name)
            )
        again.step(60)
        assert again.walls[0].contacts == 2  # one of those that were added
        return again.particles.position.tobytes(), again.energy(), again.walls[0].impulse.tobytes()

    assert run(acts_on=["coarse"]) == run(ignores=["fine"])


@pytest.mark.long
def test_ranks_know_for_whom_walls_are():
    def run():
        bodies = both(SPHERE, SAND, apart=0.02)
        more = dem.Particles(SHAPES[2], SAND, position=[[0, 0.05 * k, 0.99 * R] for k in range(1, 5)], name="rod")
        walls = [dem.Plane((0, 0, 0), (0, 0, 1), material=SAND, acts_on=["coarse", "rod"], present_from=2 * DT)]
        bodies = dem.Particles.concatenate([bodies, more])
        bodies.position = np.add(bodies.position, [0, 0, 0.0101 * R + 2.1 * DT])
        bodies.velocity = [[0, 0, -1.0]] * len(bodies)
        sim = dem.Simulation(bodies, walls=walls, time_step=DT)
        sim.step(8)
        assert sim.walls[0].contacts == 5 + 4
        return sim.particles.position.tobytes(), sim.energy(), sim.walls[0].impulse.tobytes(), sim.verdict()

    alone = run()
    with in_one_process(3, owners=AtRandom):
        assert run() == alone


def test_kinds_that_are_put_in_are_known_by_the_names_of_their_inserters():
    """The region of the inserter is behind the plane, which is there for others alone."""
    block = dem.Block((-0.01, -0.01, 0.05), (0.01, 0.01, 0.07))
    inserter = dem.Inserter(SPHERE, DUST, region=block, number=1, name="dust")
    floor = dem.Plane((0, 0, 0.2), (0, 0, 1), material=SAND, ignores="dust")
    sim = dem.Simulation(None, walls=[floor], inserters=[inserter], time_step=DT)
    sim.step(5)
    assert sim.inserters[0].number == 1
    assert sim.walls[0].contacts == 0


def test_kinds_that_cannot_be_are_refused():
    def made(bodies=None, **words):
        bodies = bodies or both(SPHERE, SAND)
        return dem.Simulation(
            bodies, walls=[dem.Plane((0, 0, -1), (0, 0, 1), material=SAND, name="sieve", **words)], time_step=DT
        )

    with pytest.raises(ValueError, match=r"ignores of the wall sieve: unknown kind 'fin': did you mean fine\?"):
        made(ignores="fin")
    with pytest.raises(ValueError, match="both given: leave one out"):
        made(ignores="fine", acts_on="coarse")
    alike = dem.Particles.concatenate(
        [dem.Particles(SPHERE, SAND, position=[[x, 0, 0]], name=name) for x, name in ((0, "a"), (1, "b"))]
    )
    with pytest.raises(ValueError, match="divides the kinds a, b, which are of one shape and material: give one"):
        made(alike, acts_on="a")
    assert made(alike, acts_on=["a", "b"]).walls[0].acts_on == ("a", "b")
    walls = [dem.Disc((0, 0, -1 - k), (0, 0, 1), 0.1, material=SAND) for k in range(63)]
    walls[62] = dem.Plane((0, 0, -1), (0, 0, 1), material=SAND, ignores="fine")
    with pytest.raises(ValueError, match="only the first 62 walls may be: move it to the front of walls"):
        dem.Simulation(both(SPHERE, SAND), walls=walls, time_step=DT)


def test_case_files_have_sieves(tmp_path):
    (tmp_path / "sieve.toml").write_text(CASE)
    sim = load(tmp_path / "sieve.toml")
    assert sim.walls[0].acts_on == ("coarse",)
    sim.step(20)
    assert sim.walls[0].contacts == 1
    (tmp_path / "wrong.toml").write_text(CASE.replace('acts_on = ["coarse"]', 'acts_on = ["corse"]'))
    with pytest.raises(ValueError, match="did you mean coarse"):
        load(tmp_path / "wrong.toml")
