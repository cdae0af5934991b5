"""Particles outside of closed walls: at the start, at the end, and `pack` that puts them inside."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import dem
from dem.model.walls.enclosure import enclosed

STUFF = dem.Material(young=5e6, poisson=0.3, density=2500.0, restitution=0.5)
DRUM = dem.Cylinder((0, 0, -0.04), (0, 0, 0.04), 0.04, ends="both", material=STUFF)
BALL = dem.Sphere(diameter=0.005)


CAN = [(0, -0.04), (0.04, -0.04), (0.04, 0.04), (0, 0.04)]  # radius and height of a closed vessel
VESSEL = dem.Mesh.turned(CAN, segments=24, material=STUFF)


def run_of(*places: tuple[float, float, float], walls: list, **words: object) -> dem.Simulation:
    """Balls at rest."""
    balls = dem.Particles(BALL, STUFF, position=np.array(places))
    return dem.Simulation(balls, walls=walls, time_step=2e-5, **words)


def test_who_begins_outside_of_a_closed_wall_is_told_at_the_start_and_in_the_verdict() -> None:
    """One inside, one outside: a warning with its number and place, and WARN; strict refuses."""
    sim = run_of((0, 0, 0), (0.06, 0, 0), walls=[DRUM])
    with pytest.warns(dem.DemWarning, match=r"outside-walls: particle 1, at \(0.06, 0, 0\) m"):
        verdict = sim.run(1e-3, progress=False)
    assert verdict.status == "WARN"
    assert "1 particle of 2, the first one particle 1, is outside of the closed walls" in str(verdict)
    with pytest.raises(ValueError, match="outside-walls"):
        sim.run(1e-3, progress=False, strict=True)


def test_who_escapes_is_told_in_the_verdict() -> None:
    """It was inside at the start, and is put outside on the way: through a gap, or a step that is too coarse."""
    sim = run_of((0, 0, 0), walls=[DRUM])

    def thrown(sim: dem.Simulation) -> None:
        sim.particles.position = [[0.06, 0, 0]]

    verdict = sim.run(1e-3, every=(20, thrown), progress=False)
    assert verdict.status == "WARN"
    assert "outside of the closed walls" in str(verdict)


@pytest.mark.parametrize(
    "walls",
    [
        [],
        [dem.Cylinder((0, 0, -0.04), (0, 0, 0.04), 0.04, material=STUFF)],  # its ends are open
        [dem.Ball((0, 0, 0), 0.02, material=STUFF)],  # an obstacle
        [dem.Block((-0.02,) * 3, (0.02,) * 3, material=STUFF)],
        [dem.Mesh.box((-0.02,) * 3, (0.02,) * 3, material=STUFF)],
        [dem.Mesh.blades(0.03, 0.01, material=STUFF)],
        [dem.Mesh.turned(CAN[:3], segments=24, material=STUFF)],  # without its lid
        [DRUM, dem.Plane((0, 0, -0.1), (0, 0, 1), material=STUFF)],  # a floor beside it
        [DRUM, dem.Rectangle((0.06, 0, -0.1), (0.02, 0, 0), (0, 0.02, 0), material=STUFF)],  # a tray below
    ],
)
def test_open_systems_and_what_falls_on_something_are_no_fault(walls: list) -> None:
    """No notice, and PASS."""
    sim = run_of((0.06, 0, 0), walls=walls)
    with warnings.catch_warnings():
        warnings.simplefilter("error", dem.DemWarning)
        assert sim.run(1e-4, progress=False).status == "PASS"


def test_a_closed_wall_that_turns_and_moves_is_followed() -> None:
    """The place of the wall counts, not where it was at time 0."""
    moving = dem.Cylinder(
        (0, 0, -0.04), (0, 0, 0.04), 0.04, ends="both", material=STUFF, motion=dem.Motion(velocity=(0.5, 0, 0))
    )
    sim = run_of((0.03, 0, 0), walls=[moving], gravity=(0, 0, 0))
    sim.step(2000)  # 0.02 m
    assert sim.verdict().status == "PASS"
    sim.particles.position = [[-0.03, 0, 0]]
    assert sim.verdict().status == "WARN"


@pytest.mark.parametrize("wall", [DRUM, dem.Ball((0.1, 0, 0), 0.03, material=STUFF, inside=True)])
def test_pack_fills_the_inside_of_a_wall(wall: dem.Cylinder | dem.Ball) -> None:
    """All spheres are inside with their whole radius, and fill the part of its volume that was asked for."""
    balls = dem.pack(BALL, STUFF, solid_fraction=0.1, inside=wall, scale=(0.8, 1.2))
    radius = np.array([shape.diameter for shape, _ in balls.variants])[balls.variant] / 2
    if wall is DRUM:
        off = np.hypot(*balls.position.T[:2])
        assert (off + radius < 0.04).all()
        assert (np.abs(balls.position[:, 2]) + radius < 0.04).all()
        volume = np.pi * 0.04**2 * 0.08
    else:
        assert (np.linalg.norm(balls.position - (0.1, 0, 0), axis=1) + radius < 0.03).all()
        volume = 4 / 3 * np.pi * 0.03**3
    one = 4 / 3 * np.pi * (1.2 * BALL.diameter / 2) ** 3
    assert (4 / 3 * np.pi * radius**3).sum() == pytest.approx(0.1 * volume, abs=one)


def test_pack_refuses_walls_without_a_volume() -> None:
    """A plane has no inside that is finite."""
    with pytest.raises(ValueError, match="expected a wall with a volume"):
        dem.pack(BALL, STUFF, number=3, inside=dem.Plane((0, 0, 0), (0, 0, 1), material=STUFF))


def test_a_closed_mesh_that_holds_most_is_a_container() -> None:
    """Two inside and one outside: the warning, and WARN; one of two is not most, and no fault."""
    sim = run_of((0, 0, 0), (0, 0, 0.02), (0.06, 0, 0), walls=[VESSEL])
    with pytest.warns(dem.DemWarning, match=r"outside-walls: particle 2, at \(0.06, 0, 0\) m"):
        assert sim.run(1e-4, progress=False).status == "WARN"
    assert run_of((0, 0, 0), (0.06, 0, 0), walls=[VESSEL]).run(1e-4, progress=False).status == "PASS"


@pytest.mark.parametrize("resumed", [False, True])
@pytest.mark.few(1, long=99)
def test_who_escapes_from_a_mesh_is_told_in_the_verdict(resumed: bool, tmp_path: Path) -> None:
    """All were inside at the start, and none is at the end; a file of the run knows the container as well."""
    blades = dem.Mesh.blades(0.03, 0.01, material=STUFF)
    sim = run_of((0, 0, 0.02), walls=[blades, VESSEL], gravity=(0, 0, 0))
    assert sim.verdict().status == "PASS"

    def thrown(sim: dem.Simulation) -> None:
        sim.particles.position = [[0.2, 0, 0.02]]

    sim.run(1e-3, every=(20, thrown), progress=False)
    if resumed:
        sim.save(tmp_path / "state.h5")
        sim = dem.Simulation.load(tmp_path / "state.h5")
    assert "outside of the closed walls" in str(sim.verdict())
    sim.remove_wall(0)
    assert sim.verdict().status == "WARN"
    sim.remove_wall(0)
    assert sim.verdict().status == "PASS"


def test_a_mesh_that_moves_is_followed() -> None:
    """After 0.02 m a place that was in the box is outside, and one that was outside is in it."""
    box = dem.Mesh.box(
        (-0.01, -0.01, -0.01), (0.03, 0.01, 0.01), material=STUFF, motion=dem.Motion(velocity=(0.5, 0, 0))
    )
    sim = run_of((0.027, 0, 0), (0.021, 0, 0), (0.015, 0, 0), walls=[box], gravity=(0, 0, 0))
    sim.step(2000)
    sim.particles.position = [[0.045, 0, 0], [0.04, 0, 0], [0.035, 0, 0]]
    assert sim.verdict().status == "PASS"
    sim.particles.position = [[0.045, 0, 0], [0.04, 0, 0], [0, 0, 0]]
    assert "the first one particle 2, is outside" in str(sim.verdict())


def test_points_that_a_mesh_encloses() -> None:
    """A sphere and a box of triangles next to their closed forms, points on their axes and edges' planes too."""
    rng = np.random.default_rng(1)
    grid = np.stack(np.meshgrid(*[np.linspace(-1.5, 1.5, 13)] * 3), axis=-1).reshape(-1, 3)
    points = np.concatenate([rng.uniform(-1.5, 1.5, (2000, 3)), grid])
    box = dem.Mesh.box((-1.1, -0.6, -0.3), (1.1, 0.6, 0.3), material=STUFF)
    expected = (np.abs(points) < (1.1, 0.6, 0.3)).all(1)
    assert (enclosed(box.vertices, box.triangles, points) == expected).all()
    t = np.linspace(0, np.pi, 25)
    ball = dem.Mesh.turned(np.column_stack([np.sin(t), np.cos(t)]), segments=48, material=STUFF)
    r, found = np.linalg.norm(points, axis=1), enclosed(ball.vertices, ball.triangles, points)
    flat = np.cos(np.pi / 48) ** 2  # how near to the middle its triangles come
    assert found[r < flat].all()
    assert not found[r > 1 + 1e-9].any()


def test_the_cavity_of_a_vessel_with_two_faces_is_inside() -> None:
    """Its inner face is wound against the outer one, as in a file of a solid."""
    outer, inner = (dem.Mesh.box((-size,) * 3, (size,) * 3, material=STUFF) for size in (0.04, 0.03))
    faces = np.concatenate([outer.triangles, len(outer.vertices) + inner.triangles[:, ::-1]])
    hollow = dem.Mesh(np.concatenate([outer.vertices, inner.vertices]), faces, material=STUFF)
    with pytest.warns(dem.DemWarning, match="outside-walls: particle 2"):
        run_of((0, 0, 0), (0, 0, 0.01), (0.06, 0, 0), walls=[hollow]).run(1e-4, progress=False)
    with pytest.raises(ValueError, match="which is of 2 parts: expected a closed mesh of one part"):
        dem.pack(BALL, STUFF, number=3, inside=hollow)


@pytest.mark.parametrize("walls", [[], [VESSEL]])
def test_pack_fills_a_closed_mesh(walls: list) -> None:
    """All spheres are inside with their whole radius; the part filled is of the volume of the mesh."""
    balls = dem.pack(BALL, STUFF, solid_fraction=0.1, inside=VESSEL, walls=walls)
    apothem, radius = 0.04 * np.cos(np.pi / 24), BALL.diameter / 2
    angle = (np.arange(24) + 0.5) * np.pi / 12
    off = balls.position[:, :2] @ np.stack([np.cos(angle), np.sin(angle)])
    assert (off.max(1) < apothem - radius).all()
    assert (np.abs(balls.position[:, 2]) < 0.04 - radius).all()
    one = 4 / 3 * np.pi * radius**3
    assert len(balls) * one == pytest.approx(0.1 * abs(VESSEL.report.volume), abs=one)


def test_pack_refuses_an_open_mesh() -> None:
    """It has no inside."""
    tube = dem.Mesh.turned(CAN[:3], segments=24, material=STUFF)
    with pytest.raises(ValueError, match="which is open: 24 edges of one triangle: expected a closed mesh"):
        dem.pack(BALL, STUFF, number=3, inside=tube)


CASE = """
duration = 0.01
time_step = 1e-5
[materials.glass]
young = "5 MPa"
poisson = 0.25
density = 2500
[shapes.bead]
type = "sphere"
diameter = "5 mm"
[[walls]]
type = "cylinder"
name = "drum"
material = "glass"
start = [0, 0, -0.04]
end = [0, 0, 0.04]
radius = 0.04
ends = "both"
[[particles]]
shape = "bead"
material = "glass"
random = { solid_fraction = 0.1, inside = "drum" }
"""


def test_case_files_fill_the_inside_of_a_wall(tmp_path: Path) -> None:
    """The wall goes by its name; the region and the volume are its own."""
    path = tmp_path / "drum.toml"
    path.write_text(CASE)
    particles = dem.load(path).particles
    assert (np.hypot(*particles.position.T[:2]) + 0.0025 < 0.04).all()
    one = np.pi / 6 * 0.005**3
    assert len(particles) * one == pytest.approx(0.1 * np.pi * 0.04**2 * 0.08, abs=one)
    path.write_text(CASE.replace('inside = "drum"', 'inside = "drun"'))
    with pytest.raises(ValueError, match="unknown wall 'drun': did you mean drum"):
        dem.load(path)
