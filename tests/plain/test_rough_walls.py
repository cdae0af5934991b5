"""Rough walls of any shape against rough faces of a box, and what roughness leaves as it is."""

import numpy as np
import pytest

import dem

R = 0.005
ELASTIC = dem.Material(young=5e6, poisson=0.3, density=1000.0)
LOSSY = dem.Material(young=5e6, poisson=0.3, density=1000.0, restitution=0.8, friction=0.3)
STICKY = dem.Material(
    young=5e6, poisson=0.3, density=1000.0, restitution=0.8, friction=0.3, adhesion=dem.JKR(work=0.02)
)
SIGMA = {"roughness": 0.15, "seed": 5}
CORNERS = [(-0.5, -0.5, 0), (0.5, -0.5, 0), (0.5, 0.5, 0), (-0.5, 0.5, 0)]
DT = 2e-5


def thrown(material, number=3):
    """Balls that come down on z = 0."""
    rng = np.random.default_rng(3)
    x = np.column_stack([0.03 * np.arange(number), rng.uniform(0, 0.1, number), np.full(number, R + 2e-4)])
    v = np.column_stack([rng.uniform(-0.5, 0.5, (number, 2)), np.full(number, -0.6)])
    return dem.Particles(dem.Sphere(diameter=2 * R), material, position=x, velocity=v)


def floors(material):
    """z = 0 as walls of several shapes."""
    return {
        "plane": dem.Plane((0, 0, 0), (0, 0, 1), material=material, **SIGMA),
        "rectangle": dem.Rectangle((0, 0, 0), (1, 0, 0), (0, 1, 0), material=material, **SIGMA),
        "mesh": dem.Mesh(CORNERS, [(0, 1, 2), (0, 2, 3)], material=material, **SIGMA),
    }


@pytest.mark.parametrize("material", [ELASTIC, LOSSY, STICKY], ids=["elastic", "lossy", "sticky"])
@pytest.mark.parametrize("shape", ["plane", "rectangle", "mesh"])
@pytest.mark.few(1)
def test_a_rough_floor_is_a_rough_face_of_a_box(shape, material):
    """To rounding, as distances are taken otherwise: the same inclinations are drawn, and the planes are the same."""
    box = dem.Box((-1, -1, 0), (1, 1, 1), material, open=["x-", "x+", "y-", "y+", "z+"], **SIGMA)
    boxed = dem.Simulation(thrown(material), box, time_step=DT)
    walled = dem.Simulation(thrown(material), walls=[floors(material)[shape]], gravity=(0, 0, -9.81), time_step=DT)
    smooth = dem.Simulation(thrown(material), walls=[dem.Plane((0, 0, 0), (0, 0, 1), material=material)],
                            gravity=(0, 0, -9.81), time_step=DT)  # fmt: skip
    for sim in (boxed, walled, smooth):
        sim.step(400)
    assert np.abs(walled.particles.velocity - boxed.particles.velocity).max() < 1e-12  # of about 1 m/s
    assert np.abs(walled.particles.velocity - smooth.particles.velocity).max() > 0.05


def test_a_plane_that_is_carried_along_is_the_same_plane():
    """Galilei: in the frame of a wall that moves on, and of particles that do, nothing is different."""
    carried = np.array([0.3, -0.2, 0.1])
    found = []
    for along in (np.zeros(3), carried):
        balls = thrown(LOSSY)
        balls.velocity = balls.velocity + along
        wall = dem.Plane((0, 0, 0), (0, 0, 1), material=LOSSY, motion=dem.Motion(velocity=tuple(along)), **SIGMA)
        sim = dem.Simulation(balls, walls=[wall], gravity=(0, 0, -9.81), time_step=DT)
        sim.step(300)
        found.append(sim.particles.velocity - along)
    assert np.abs(found[1] - found[0]).max() < 1e-11


CURVED = {
    "cylinder": dem.Cylinder((0, -0.1, 0), (0, 0.1, 0), 0.04, ends="both", material=ELASTIC, **SIGMA),
    "cone": dem.Cone((0, 0, -0.04), (0, 0, 0.04), 0.02, 0.06, material=ELASTIC, **SIGMA),
    "ball": dem.Ball((0, 0, 0), 0.04, inside=True, material=ELASTIC, **SIGMA),
    "revolution": dem.Revolution([(0, -0.03), (0.03, -0.03), (0.05, 0.04)], material=ELASTIC, **SIGMA),
    "torus": dem.Torus((0, 0, 0), (0, 0, 1), 0.08, 0.03, inside=True, material=ELASTIC, **SIGMA),
}


@pytest.mark.parametrize("shape", CURVED)
@pytest.mark.slow
def test_elastic_spheres_keep_their_energy_on_curved_rough_walls(shape):
    """Each contact is with a plane, which does no work; a wall's curve moves no sphere by more than it overlaps.

    What is left is what the planes miss of the curve while they touch: 1e-3 of the radius of curvature here.
    """
    x = (0.08, 0, 0) if shape == "torus" else (0, 0, 0)
    balls = dem.Particles(dem.Sphere(diameter=2 * R), ELASTIC, position=[x], velocity=[[1.1, 0.3, -0.7]])
    straight = balls.velocity[0] / np.linalg.norm(balls.velocity[0])
    sim = dem.Simulation(balls, walls=[CURVED[shape]], gravity=(0, 0, 0), time_step=DT / 4)
    before, hits, was = sim.energy().mechanical, 0, False
    for _ in range(60):
        sim.step(150)
        now = sim.walls[0].contacts > 0
        hits, was = hits + (now and not was), now
    assert np.linalg.norm(np.cross(sim.particles.velocity[0], straight)) > 0.1
    assert sim.energy().mechanical == pytest.approx(before, rel=0.02)


def test_cuts_and_skins_change_no_bit(tmp_path):
    """In a drum that turns, where planes are kept in its frame."""
    turning = dem.Motion(axis=(0, 1, 0), rate=3.0)
    drum = dem.Cylinder((0, -0.1, 0), (0, 0.1, 0), 0.06, ends="both", material=LOSSY, motion=turning, **SIGMA)
    found = []
    for skin in (None, (0.004, 0.001)):
        x = [[0.012 * k, 0, -0.04] for k in range(-2, 3)]
        balls = dem.Particles(dem.Sphere(diameter=2 * R), LOSSY, position=x, velocity=[[0, 0, -1]] * 5)
        sim = dem.Simulation(balls, walls=[drum], time_step=5e-5, **({"_skin": skin} if skin else {}))
        if skin:
            sim.step(173)
            sim.save(tmp_path / "cut.h5")
            sim = dem.Simulation.load(tmp_path / "cut.h5")
            assert sim.walls[0].wall.roughness == SIGMA["roughness"]
        sim.step(400 - sim.step_count)
        assert sim.walls[0].work != 0
        found.append((sim.particles.position.tobytes(), sim.particles.angular_velocity.tobytes()))
    assert found[0] == found[1]


def test_a_case_file_has_rough_walls():
    from dem.casefile.schema.walls import WallTable  # noqa: PLC0415

    table = WallTable(type="plane", material="sand", point=(0, 0, 0), normal=(0, 0, 1), roughness="5 deg", seed=3)
    wall = table.build({"sand": LOSSY})
    assert wall == dem.Plane((0, 0, 0), (0, 0, 1), material=LOSSY, roughness=np.radians(5), seed=3)


@pytest.mark.parametrize("given", [{"roughness": -0.1}, {"roughness": 1.5}, {"seed": -1}])
def test_what_roughness_cannot_be(given):
    with pytest.raises(ValueError, match=next(iter(given))):
        dem.Plane((0, 0, 0), (0, 0, 1), material=LOSSY, **given)
