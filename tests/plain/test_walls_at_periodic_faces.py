"""Walls whose ends differ, across the seam of a periodic box."""

import numpy as np
import pytest
from dem.kernels.walls.mesh_cells import sort_triangles

import dem

R = 0.005
SOFT = dem.Material(young=5e6, poisson=0.3, density=1000.0)


@pytest.mark.slow
def test_who_crosses_a_seam_meets_the_other_end_of_a_wall():
    """A cone as long as the box: its narrow end meets its own wide end at the seam, which is felt as it is crossed."""
    cone = dem.Cone((-0.05, 0, 0), (0.05, 0, 0), 0.01, 0.03, material=SOFT)
    box = dem.Box((-0.05, -0.1, -0.1), (0.05, 0.1, 0.1), SOFT, periodic=["x"])
    # along the narrow end's radius from beyond the seam, where the cone is wide: nobody is near until it is crossed
    ball = dem.Particles(dem.Sphere(diameter=2 * R), SOFT, position=[[0.0485, 0.0, 0.0143]], velocity=[[0.5, 0.0, 0.0]])
    sim = dem.Simulation(ball, box, walls=[cone], gravity=(0, 0, 0), time_step=2e-5)
    deepest = 0.0
    for _ in range(400):
        sim.step()
        deepest = max(deepest, sim.contact_forces().overlap.max(initial=0.0))
        np.testing.assert_allclose(sim.walls[0].force, -sim.contact_forces().force.sum(0), rtol=1e-12, atol=1e-15)
        assert sim.walls[0].contacts == len(sim.contact_forces().i)
    assert deepest > 0


@pytest.mark.slow
def test_lists_of_triangles_change_no_bit():
    """A ball that rolls over many triangles, from those that are listed, from cells, and with another skin."""
    sand = dem.Material(young=5e6, poisson=0.3, density=1000.0, restitution=0.7, friction=0.4)
    pipe = dem.Mesh.turned([(0.02, z) for z in (-0.05, -0.02, 0.013, 0.02, 0.05)], segments=24, material=sand)
    found = []
    for skin, listed in ((None, True), (None, False), ((0.004, 0.0008), True)):
        ball = dem.Particles(dem.Sphere(diameter=2 * R), sand, position=[[0, 0.0005, 0]], velocity=[[0.5, -2.0, 1.0]])
        sim = dem.Simulation(ball, walls=[pipe], gravity=(0, 0, 0), time_step=2e-5, _skin=skin)
        touched = 0
        for _ in range(40):
            sim.step(20)
            touched += sim.walls[0].contacts
            if not listed:
                sim._engine.walls.faces.walls.sphere_records[:, 0] = -1
        assert touched > 0
        found.append((sim.particles.position.tobytes(), sim.particles.angular_velocity.tobytes(), sim.walls[0].impulse))
    for other in found[1:]:
        assert other[:2] == found[0][:2]
        assert (other[2] == found[0][2]).all()


def test_triangles_across_a_seam_are_listed_and_change_no_bit():
    """A ball that crosses the seam of a periodic mesh, from triangles listed of both images, and from cells."""
    sand = dem.Material(young=5e6, poisson=0.3, density=1000.0, restitution=0.7, friction=0.4)
    pipe = dem.Mesh.turned([(0.02, z) for z in (-0.02, 0.007, 0.02)], segments=9, material=sand)
    box = dem.Box((-0.05, -0.05, -0.02), (0.05, 0.05, 0.02), sand, periodic=["z"], open=["x-", "x+", "y-", "y+"])
    found = []
    for listed in (True, False):
        ball = dem.Particles(
            dem.Sphere(diameter=2 * R), sand, position=[[0.0143, 0.001, 0.0195]], velocity=[[1, 0.5, 2]]
        )
        sim = dem.Simulation(ball, box, walls=[pipe], gravity=(2000, 0, 0), time_step=2e-5)
        touched = 0
        for _ in range(12):
            sim.step(4)
            at = sim._engine.walls.faces.walls.sphere_records
            assert not listed or at[0, 0] >= 0
            touched += sim.walls[0].contacts
            at[:, 0] = at[:, 0] if listed else -1
        assert touched > 5
        assert sim.particles.position[0, 2] > 0.02 or sim.particles.position[0, 2] < 0
        found.append((sim.particles.position.tobytes(), sim.particles.angular_velocity.tobytes(), sim.walls[0].impulse))
    assert found[1][:2] == found[0][:2]
    assert (found[1][2] == found[0][2]).all()


def floor(lower, upper):
    """Two triangles at z = 0."""
    (a, b), (c, d) = lower, upper
    return dem.Mesh([(a, b, 0), (c, b, 0), (c, d, 0), (a, d, 0)], [(0, 1, 2), (0, 2, 3)], material=SOFT)


def test_floors_from_files_span_a_period_whichever_way_lengths_are_rounded(tmp_path):
    """In single precision some of these are longer than the period, some shorter; also far from the origin."""
    rounded = set()
    for k, length in enumerate((0.05, 0.06, 0.1, 0.12, 0.2, 0.3, 0.5, 0.7)):
        start = 0.0 if k % 2 else 7.3
        made = floor((start, start), (start + length, start + length))
        made.write(tmp_path / f"floor{k}.stl")
        read = dem.Mesh.from_file(tmp_path / f"floor{k}.stl", material=SOFT)
        box = dem.Box((start, start, -0.05), (start + length, start + length, 0.05), SOFT, periodic=["x", "y"])
        ball = dem.Particles(dem.Sphere(diameter=2 * R), SOFT, position=[[start + 0.02, start + 0.02, 0.02]])
        dem.Simulation(ball, box, walls=[read], time_step=5e-6)
        rounded.add(int(np.sign((np.ptp(read.vertices[:, 0]) - length).round(12))))
    assert {-1, 1} <= rounded
    longer = floor((0, 0), (0.1 + 3e-7, 0.1))
    with pytest.raises(
        ValueError, match=r"is 0\.1000003 m long along the periodic axis x, along which the box is 0\.1 m"
    ):
        dem.Simulation(
            ball, dem.Box((0, 0, -0.05), (0.1, 0.1, 0.05), SOFT, periodic=["x"]), walls=[longer], time_step=5e-6
        )


def test_a_ball_feels_nothing_of_a_seam_that_is_rounded_up(tmp_path):
    """It rests on a floor that is 1e-8 longer than the period, wherever it is put: with its weight, to rounding."""
    made = floor((0, 0), (0.1, 0.1))
    made.write(tmp_path / "floor.stl")
    read = dem.Mesh.from_file(tmp_path / "floor.stl", material=SOFT)
    assert np.ptp(read.vertices[:, 0]) > 0.1
    box = dem.Box((0, 0, -0.05), (0.1, 0.1, 0.05), SOFT, periodic=["x", "y"])
    forces = []
    for x in (0.05, 0.1 - 1e-10, 1e-10, 0.0999):
        ball = dem.Particles(dem.Sphere(diameter=2 * R), SOFT, position=[[x, 0.03, 0.98 * R]])
        forces.append(dem.Simulation(ball, box, walls=[read], time_step=5e-6).contact_forces().force.sum(0))
    assert np.array(forces) == pytest.approx(np.tile(forces[0], (4, 1)), abs=1e-9 * np.abs(forces[0]).max())
    assert abs(forces[0][2]) > 0


def test_lists_are_put_in_order():
    """Numbers from `start` on come in ascending order, each once; what there is no room for stays as it is."""
    row = np.array([9, 5, 3, 8, 3, 5, 1], np.int32)
    assert sort_triangles(row, 1, 5) == 3
    assert row[:4].tolist() == [9, 3, 5, 8]
    assert sort_triangles(row, 3, 5) == 5
