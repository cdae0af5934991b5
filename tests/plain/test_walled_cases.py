"""Cases in containers of other shapes than a box: they begin without overlap, and grains stay in."""

import numpy as np
import pytest
from dem.cases.fibres_in_sphere import FibresInSphere
from dem.cases.hopper import Hopper
from dem.cases.mixer import Mixer
from dem.cases.rotating_drum import RotatingDrum
from dem.cases.vibrated_bed import VibratedBed
from dem.kernels.walls.geometry import clearance

import dem
from dem.model.walls import wall_shapes

CASES = {
    "drum": RotatingDrum(n=40), "drum of flats": RotatingDrum(n=40, segments=12), "hopper": Hopper(n=40),
    "bed": VibratedBed(n=40), "mixer": Mixer(n=40), "fibres": FibresInSphere(),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_cases_begin_without_overlap(name):
    """Each grain clear of each wall, the ball that fibres are in as well."""
    case = CASES[name]
    particles, box = case.build()
    assert box is None
    radius = np.array([float(particles.variants[k][0].radii.max()) for k in particles.variant])
    for wall in case.walls():
        geometry = wall_shapes.geometry_of([wall.shape], reach=0.02)
        gaps = np.array([clearance(0, tuple(x), geometry) for x in particles.position])
        assert (gaps > radius).all(), wall.word
    if name != "fibres":
        assert len(particles) == 40 + (name == "bed")
        off = particles.position[:40, None] - particles.position[None]
        distance = np.linalg.norm(off, axis=2) + np.where(np.eye(40, len(particles)) == 1, 1, 0)
        assert distance.min() > case.diameter


@pytest.mark.parametrize("name", ["drum of flats", "mixer"])
@pytest.mark.few(1)
def test_they_go_on_from_files(name, tmp_path):
    """Meshes and their motion included, to the bit; the account closes."""
    sim = CASES[name].model_copy(update={"n": 12, "time_step": 5e-5}).simulation()
    sim.step(60)
    assert abs(sim.energy().total - sim.start_energy.total) < 1e-3 * sim.energy().kinetic
    sim.save(tmp_path / "state.h5")
    again = dem.Simulation.load(tmp_path / "state.h5")
    again.step(10)
    sim.step(10)
    assert np.array_equal(again.particles.position, sim.particles.position)


def test_blades_from_a_file(tmp_path):
    """As those made in code, but for the single precision of the file; in millimetres if it says so."""
    case = CASES["mixer"]
    made = case.mixer(material=case.material())
    made.write(tmp_path / "blades.stl")
    read = case.model_copy(update={"stl": str(tmp_path / "blades.stl")}).mixer(material=case.material())
    assert read.report.area == pytest.approx(made.report.area, rel=1e-6)
    small = case.model_copy(update={"stl": str(tmp_path / "blades.stl"), "scale": 1e-3}).mixer(material=case.material())
    assert small.report.area == pytest.approx(made.report.area * 1e-6, rel=1e-6)


def test_too_many_grains():
    with pytest.raises(ValueError, match="n is 100000, but the container holds"):
        RotatingDrum(n=100_000).build()
