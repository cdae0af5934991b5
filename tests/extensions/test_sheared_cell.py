"""An own domain: two particles that meet across the boundary of a sheared cell, and the same two inside of it."""

import numpy as np
import pytest
import sheared_cell

import dem

SIZE, RATE = 0.1, 4.0  # [m], [1/s]
ELASTIC = dem.Material(young=5e6, poisson=0.35, density=1100.0)
ROUGH = dem.Material(young=5e6, poisson=0.35, density=1100.0, restitution=0.7, friction=0.4)
SHAPES = {
    "spheres": dem.Sphere(diameter=0.01),
    "fibres": dem.Fibre(aspect_ratio=2.5, diameter=0.008),
    "capsules": dem.Capsule(aspect_ratio=2.5, diameter=0.008),
}


def sheared_box():
    return sheared_cell.ShearedBox.shear((SIZE,) * 3, rate=RATE)


def run(shape, material, height, bonds=None, steps=400):
    """Two particles of which the second is a period below where it is met, or with `height` below both, beside it."""
    low = height < SIZE / 2
    x = np.array([[0.05, height, 0.05], [0.053, height + 0.0100 - (0.0 if low else SIZE), 0.051]])
    v = np.array([[0.3, 0.8, 0.1], [-0.2, 0.0, 0.0]])
    spin = [[3.0, -5.0, 20.0], [10.0, 0.0, -4.0]]
    particles = dem.Particles(shape, material, position=x, velocity=v, angular_velocity=spin)
    bonds = bonds.at_rest(particles, [SIZE] * 3) if bonds else None
    sim = dem.Simulation(particles, sheared_box(), gravity=(0, 0, 0), time_step=1e-5, threads=1, bonds=bonds)
    sim.run(steps * 1e-5)
    return sim


def apart(sim):
    """From the nearest image of the first particle to the second one."""
    edges = sim.cell.edges
    gap = sim.particles.position[1] - sim.particles.position[0]
    return gap - edges @ np.round(np.linalg.solve(edges, gap))


@pytest.mark.filterwarnings("ignore:energy-error")  # of rough capsules, as without a cell
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("material", [ELASTIC, ROUGH], ids=["elastic", "rough"])
@pytest.mark.parametrize("height", [0.093, 0.0995], ids=["beside", "crossing"])
@pytest.mark.few(1, long=3)
def test_the_shearing_boundary_is_no_place(shape, material, height):
    across, inside = run(SHAPES[shape], material, height), run(SHAPES[shape], material, height - 0.06)
    assert (across.particles.position[0, 1] > SIZE) == (height > 0.095)
    assert abs(inside.particles.velocity[1] - [-0.2, 0, 0]).max() > 0.1  # they have met
    np.testing.assert_allclose(apart(across), apart(inside), rtol=0, atol=1e-13)
    np.testing.assert_allclose(across.particles.velocity, inside.particles.velocity, rtol=0, atol=1e-9)
    np.testing.assert_allclose(across.particles.angular_velocity, inside.particles.angular_velocity, rtol=0, atol=1e-6)
    one, other = across.energy(), inside.energy()
    assert one.elastic == pytest.approx(other.elastic, abs=1e-12)
    assert one.dissipated == pytest.approx(other.dissipated, abs=1e-12)
    assert (other.dissipated > 1e-7) == (material is ROUGH)


def test_the_work_of_the_cell_is_in_the_ledger():
    sim = run(SHAPES["spheres"], ELASTIC, 0.0995)
    assert abs(sim.energy().work) > 1e-3 * sim.energy().mechanical
    assert sim.energy_departure < 1e-4 * sim.energy().mechanical


@pytest.mark.long
def test_a_damped_bond_across_the_boundary_knows_the_velocity_of_the_image():
    bonds = dem.Bonds([(0, 1)], young=1e6, diameter=4e-3, damping=0.3)
    across, inside = (run(SHAPES["spheres"], ELASTIC, height, bonds) for height in (0.093, 0.033))
    np.testing.assert_allclose(apart(across), apart(inside), rtol=0, atol=1e-13)
    assert across.energy().dissipated == pytest.approx(inside.energy().dissipated, rel=1e-9)


def test_neighbours_are_found_across_the_boundary_wherever_images_are(rng):
    lattice, radius = np.stack(np.meshgrid(*[np.arange(5)] * 3), axis=-1).reshape(-1, 3), 0.0104
    x = 0.02 * lattice + rng.uniform(0.0004, 0.0016, lattice.shape)
    particles = dem.Particles(dem.Sphere(diameter=2 * radius), ROUGH, position=x)
    sim = dem.Simulation(particles, sheared_box(), gravity=(0, 0, 0), time_step=1e-6, threads=1)
    engine = sim._engine
    faces = engine.walls.faces
    for offset in (0.0, 0.013, -0.049, 0.055):
        faces.edges[0, 1], faces.to_scaled[0, 1] = offset, -offset / SIZE**2
        faces.inverse[:] = np.linalg.norm(faces.to_scaled, axis=1)
        faces.length[:] = 1 / faces.inverse
        scaled = np.floor(faces.to_scaled @ engine.bodies.position)
        engine.bodies.position[:] -= faces.edges @ scaled  # as a step does
        engine.rebuild()
        o = engine.overlaps()
        found = {tuple(sorted(pair)) for pair in zip(o.owner[o.i[o.pair > 0]], o.owner[o.j[o.pair > 0]], strict=True)}
        images = np.stack(np.meshgrid(range(-2, 3), range(-1, 2), range(-1, 2)), axis=-1).reshape(-1, 3)
        shifts = SIZE * images + np.outer(images[:, 1], [offset, 0, 0])
        d = np.linalg.norm(x[:, None, None] - x[None, :, None] - shifts, axis=-1).min(-1)
        assert found == {(i, j) for i, j in zip(*np.nonzero(d < 2 * radius), strict=True) if i < j}


def test_the_list_is_worn_by_images_that_move():
    """Two particles at rest in the cell, of which the second one's image passes the first."""
    x = [[0.045, 0.0985, 0.05], [0.004, 0.0085 - 0.001, 0.05]]
    particles = dem.Particles(SHAPES["spheres"], ROUGH, position=x)
    box = sheared_cell.ShearedBox.shear((SIZE,) * 3, rate=100 * RATE)
    skin = (3e-3, 5e-4)  # as for many bodies: so few are all listed as pairs otherwise
    sim = dem.Simulation(particles, box, gravity=(0, 0, 0), time_step=1e-5, threads=1, _skin=skin)
    assert not sim._engine.overlaps().pair.size or sim._engine.overlaps().pair.max() < 0
    sim.run(0.0135)  # 54 mm
    assert abs(sim.particles.velocity).max() > 0.01


def single(**settings):
    """One particle in a sheared cell."""
    particles = dem.Particles(SHAPES["spheres"], ELASTIC, position=[[0.05, 0.05, 0.05]])
    return dem.Simulation(particles, sheared_box(), gravity=(0, 0, 0), time_step=1e-5, threads=1, **settings)


@pytest.mark.parametrize(
    "beside",
    [
        {"walls": [dem.Plane((0, 0, 0.01), (0, 0, 1), material=ELASTIC)]},
        {"inserters": [dem.Inserter(SHAPES["spheres"], ELASTIC, region=dem.Ball((0.02,) * 3, 0.01), rate=9)]},
        {"outlets": [dem.Outlet(dem.Ball((0.02,) * 3, 0.01))]},
    ],
    ids=lambda words: next(iter(words)),
)
def test_what_is_at_rest_beside_moving_images_is_refused_by_name(beside):
    name = next(iter(beside))
    with pytest.raises(ValueError, match=f"has {name} in a ShearedBox, whose periodic images move"):
        single(**beside)


def test_a_fluid_that_does_not_flow_with_the_images_is_refused():
    with pytest.raises(ValueError, match="is not the same around all images of a particle"):
        single(fluid=dem.Fluid(density=1000.0, viscosity=1e-3))


def test_particles_are_not_added_where_images_move():
    sim = single()
    with pytest.raises(ValueError, match="has particles that are added in a ShearedBox"):
        sim.add(dem.Particles(SHAPES["spheres"], ELASTIC, position=[[0.08, 0.05, 0.05]]))


@pytest.mark.parametrize(("kind", "settings"), [(dem.HardSpheres, {}), (dem.StochasticSpheres, {"time_step": 1e-4})])
def test_other_schemes_refuse_images_that_move(kind, settings):
    particles = dem.Particles(SHAPES["spheres"], ELASTIC, position=[[0.05, 0.05, 0.05]])
    with pytest.raises(ValueError, match="ShearedBox, whose periodic images move, expected one whose images are at"):
        kind(particles, sheared_box(), gravity=(0, 0, 0), **settings)


def test_a_domain_touches_four_files_of_the_engine_at_most():
    """It puts functions into tables; whatever else it is made of is in its own file."""
    touched = {module.__name__ for module, _, _ in sheared_cell.DOMAIN_FUNCTIONS} | {sheared_cell.box_walls.__name__}
    assert len(touched) <= 4
    tables = [getattr(module, name).functions for module, name, _ in sheared_cell.DOMAIN_FUNCTIONS]
    assert all(sheared_cell.ShearedFaces in table for table in tables)
