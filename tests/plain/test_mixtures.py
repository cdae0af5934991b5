"""Fluids with density and viscosity by cell from a coupling: layers, uniform fluids, files, refusals."""

import h5py
import numpy as np
import pytest

import dem

GLASS = dem.Material(young=1e6, poisson=0.22, density=2500.0, restitution=0.8, friction=0.3)
BOX = dem.Box((0, 0, 0), (0.01, 0.01, 0.02), GLASS, periodic=["x", "y", "z"])
NUMBER = (2, 2, 4)
LAYERS = np.linspace(0.5, 1.5, 16).reshape(NUMBER)  # any that differ


class Answering:
    """A fluid that stands still, of such properties; from some step on of others."""

    def __init__(self, first, then=None, since=0):
        self.first, self.then, self.since, self.told = first, then, since, []

    def __call__(self, exchange):
        self.told.append(exchange)
        words = self.then if self.then is not None and exchange.step >= self.since else self.first
        return dem.FlowState(velocity=(0.01, 0, 0.02), **words)


def cloud(answer, rods=0):
    """Spheres, and fibres beside them, with all that a fluid does to them."""
    beads = dem.pack(dem.Sphere(diameter=1e-3), GLASS, BOX, number=12, seed=3)
    beads.velocity = 0.1 * np.random.default_rng(2).normal(size=(12, 3))
    if rods:
        places = [(0.005, 0.005, 0.004 * k) for k in range(rods)]
        rod = dem.Fibre(diameter=3e-4, aspect_ratio=3)
        beads = dem.Particles.concatenate([beads, dem.Particles(rod, GLASS, position=places)])
    fluid = dem.Fluid(
        density=1000.0, viscosity=1e-3, model="B", drag="beetstra", lift="mei", magnus="rubinow-keller",
        cells=dem.Cells(number=NUMBER, every=4), coupling=dem.Coupling(function=answer, implicit=True),
    )  # fmt: skip
    return dem.Simulation(beads, BOX, fluid=fluid, time_step=1e-4)


def state(sim):
    p = sim.particles
    return np.hstack([p.position, p.velocity, p.orientation, p.angular_velocity])


def test_a_sphere_settles_in_each_layer_as_in_a_fluid_of_its_own():
    """(ρ_p - ρ) g d²/(18 μ), by Stokes: to 1e-6, as e^(-t/τ) is after 14 relaxation times at the least."""
    bead = dem.Particles(dem.Sphere(diameter=1e-4), GLASS, position=[(5e-4, 5e-4, 1.55e-3)])
    density, viscosity = (np.repeat(pair, 4).reshape(1, 1, 8) for pair in ((1000.0, 800.0), (1e-3, 3e-3)))
    cells = dem.Cells(number=(1, 1, 8), lower=(0, 0, 0), upper=(1e-3, 1e-3, 1.6e-3), every=5)
    layered = dem.Coupling(
        function=lambda told: dem.FlowState(velocity=(0, 0, 0), density=density, viscosity=viscosity), implicit=True
    )
    fluid = dem.Fluid(density=900.0, viscosity=2e-3, model="B", drag="stokes", cells=cells, coupling=layered)
    sim = dem.Simulation(bead, fluid=fluid, time_step=2e-3)
    reached = {}
    while (z := sim.particles.position[0, 2]) > 1e-4:
        for layer, middle in enumerate((0.4e-3, 1.2e-3)):
            if z < middle and z > middle - 1e-4:
                reached[layer] = -sim.particles.velocity[0, 2]
        sim.step(1)
    for layer, (rho, mu) in enumerate(((1000.0, 1e-3), (800.0, 3e-3))):
        assert reached[layer] == pytest.approx((2500.0 - rho) * 9.81 * 1e-8 / (18 * mu), rel=1e-6)


def test_added_mass_is_that_of_the_fluid_where_a_sphere_is():
    """First accelerations from rest by hand: weight less buoyancy, over the mass with half of what is displaced."""
    beads = dem.Particles(dem.Sphere(diameter=1e-3), GLASS, position=[(5e-3, 5e-3, 2e-3), (5e-3, 5e-3, 1.2e-2)])
    density = np.repeat([500.0, 1500.0], 4).reshape(1, 1, 8)
    layered = dem.Coupling(function=lambda told: dem.FlowState(velocity=(0, 0, 0), density=density), implicit=True)
    fluid = dem.Fluid(density=900.0, viscosity=1e-3, model="B", drag="stokes", coupling=layered,
                      cells=dem.Cells(number=(1, 1, 8), lower=(0, 0, 0), upper=(0.01, 0.01, 0.016)))  # fmt: skip
    sim = dem.Simulation(beads, fluid=fluid, time_step=1e-6)
    sim.step(1)
    for speed, rho in zip(sim.particles.velocity[:, 2], (500.0, 1500.0), strict=True):
        exact = -9.81 * (2500.0 - rho) / (2500.0 + 0.5 * rho) * 1e-6
        assert speed == pytest.approx(exact, rel=1e-5)  # drag takes at most 18 μ/(2 ρ_p d²) dt = 4e-6 of it


@pytest.mark.parametrize("rods", [0, 3], ids=["spheres", "fibres"])
def test_the_same_in_all_cells_is_a_number_to_the_bit(rods):
    """Weights of cells with the same value leave it as it is."""
    told = {"density": 1900.3, "viscosity": 1.9e-3}  # of which (1 - s) a + s a is another number for every third s
    filled = {name: np.full(NUMBER, value) for name, value in told.items()}
    one, *others = (
        cloud(Answering(words), rods) for words in (told, filled, told | {"viscosity": filled["viscosity"]})
    )  # fmt: skip
    one.step(11)
    for other in others:
        other.step(11)
        assert (state(other) == state(one)).all()
        assert other.energy() == one.energy()
        assert (other.exchange().density == np.full(NUMBER, one.exchange().density)).all()


def test_numbers_again_after_layers():
    """A number fills all cells, and what is not told stays as it is."""
    solver = Answering({"density": 1000.0 * LAYERS, "viscosity": 1e-3 * LAYERS}, {"viscosity": 5e-4}, since=4)
    sim = cloud(solver)
    sim.step(5)
    exchange = sim.exchange()
    assert (exchange.density == 1000.0 * LAYERS).all()
    assert (exchange.viscosity == np.full(NUMBER, 5e-4)).all()
    assert (solver.told[1].viscosity == 1e-3 * LAYERS).all()
    assert solver.told[0].viscosity == 1e-3


def test_layers_are_in_files_and_outlast_what_somebody_changes(tmp_path):
    """Cut between two exchanges, a run has the bytes of one that is not; a file that lies is refused."""
    words = {"density": 1000.0 * LAYERS, "viscosity": 1e-3 * LAYERS}
    whole, cut = cloud(Answering(words)), cloud(Answering(words))
    whole.step(10)
    cut.step(6)
    cut.save(tmp_path / "a.h5")
    again = dem.Simulation.load(tmp_path / "a.h5", coupling=Answering({}))  # nothing is told anew: it is as it was
    again.step(4)
    assert (state(again) == state(whole)).all()
    again.particles.velocity = 0.5 * again.particles.velocity
    assert (again.exchange().density == words["density"]).all()
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        file["fluid/properties"][1, 0, 0, 0] = -1.0
    with pytest.raises(ValueError, match="fluid/properties"):
        dem.Simulation.load(tmp_path / "a.h5", coupling=Answering({}))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"viscosity": np.ones((2, 2, 3))}, r"viscosity from the coupling has shape \(2, 2, 3\), expected \(2, 2, 4\)"),
        ({"density": np.where(LAYERS > 1.4, np.nan, 1.0)}, "density from the coupling is not finite in 2 places"),
        (
            {"viscosity": LAYERS - LAYERS[0, 0, 1]},
            r"viscosity from the coupling is -0\.0666667 Pa s in cell \(0, 0, 0\)",
        ),
        ({"density": LAYERS - LAYERS[0, 0, 0]}, r"density from the coupling is 0 kg/m3 in cell \(0, 0, 0\), expected"),
        ({"density": "thick"}, "density from the coupling"),
    ],
    ids=["shape", "nan", "negative", "zero", "word"],
)
def test_layers_that_cannot_be(words, said):
    with pytest.raises((ValueError, TypeError), match=said):
        cloud(Answering(words))
