"""Drag laws of one's own, registered by one call: in Python, case files, verdicts and files of runs."""

import math
from typing import NamedTuple

import pytest
from dem.kernels import fluid as fluids
from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import load, scale

import dem
from dem.base import imports
from dem.model.fluid import drag_registry
from dem.soft.fluid import fluid_setup

DIAMETER, DENSITY, WATER, VISCOSITY, G = 2e-4, 1500.0, 1000.0, 1e-3, 9.81


class Oseen(NamedTuple):
    """Selects Oseen's correction, C_D = 24/Re (1 + 3/16 Re)."""


@inline
def oseen(part, medium, g, reynolds, slip):
    """Resistance along the body axes [N s/m]."""
    return scale(medium.viscosity * (1.0 + 0.1875 * reynolds), load(medium.translation, g))


class Hindered(NamedTuple):
    """Selects Stokes' drag times a power of the voidage."""

    whole: float


@inline
def hindered(part, reynolds, voidage):
    """Drag over Stokes'."""
    return voidage**-3.65


@pytest.fixture(autouse=True)
def laws():
    """The whole extension."""
    dem.register_drag("oseen", Oseen, oseen, reynolds=(0.0, 5.0))
    dem.register_drag("hindered", Hindered, hindered, reynolds=(0.0, 1.0), least_voidage=0.4)
    yield
    drag_registry.unregister_drag("oseen")
    drag_registry.unregister_drag("hindered")


def water(drag, **more):
    return dem.Fluid(density=WATER, viscosity=VISCOSITY, drag=drag, **more)


def terminal_velocity():
    """Root of 3π μ d v (1 + 3/16 ρ d v/μ) = (ρ_s - ρ) g π d³/6."""
    stokes = (DENSITY - WATER) * G * DIAMETER**2 / (18 * VISCOSITY)
    a = 0.1875 * WATER * DIAMETER / VISCOSITY
    return (math.sqrt(1 + 4 * a * stokes) - 1) / (2 * a)


def settling():
    sand = dem.Material(young=1e6, poisson=0.3, density=DENSITY)
    ball = dem.Particles(dem.Sphere(diameter=DIAMETER), sand, position=[(0, 0, 0)])
    return dem.Simulation(ball, fluid=water("oseen"), time_step=1e-4, gravity=(0, 0, -G))


def test_a_sphere_settles_at_the_terminal_velocity_of_the_law(tmp_path):
    sim = settling()
    verdict = sim.run(0.1, output=tmp_path / "run.h5", frames=2)
    assert -sim.particles.velocity[0, 2] == pytest.approx(terminal_velocity(), rel=1e-6)
    assert verdict.passed
    assert dem.Trajectory(tmp_path / "run.h5").input["fluid"]["drag"] == "oseen"
    other = dem.Simulation.load(tmp_path / "run.h5")
    assert other.fluid.drag == "oseen"


def test_a_case_file_takes_it_by_its_name(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(
        f"duration = 0.1\ntime_step = 1e-4\nmaterials.sand = {{ young = 1e6, poisson = 0.3, density = {DENSITY} }}\n"
        f'shapes.ball = {{ type = "sphere", diameter = {DIAMETER} }}\n'
        f'fluid = {{ density = {WATER}, viscosity = {VISCOSITY}, drag = "oseen" }}\n'
        '[[particles]]\nshape = "ball"\nmaterial = "sand"\nposition = [[0, 0, 0]]\n'
    )
    one, other = dem.load(path), settling()
    one.step(50), other.step(50)
    assert one.particles.velocity.tobytes() == other.particles.velocity.tobytes()
    path.write_text(path.read_text().replace('"oseen"', '"ossen"'))
    with pytest.raises(ValueError, match="unknown drag 'ossen': did you mean oseen"):
        dem.load(path)


@pytest.mark.parametrize("voidage", [1.0, 0.6])
def test_a_law_of_dense_beds_goes_by_the_voidage(voidage):
    """3π μ d ε^-3.65, with the pressure gradient that drag causes over ε more."""
    sand = dem.Material(young=1e6, poisson=0.3, density=DENSITY)
    ball = dem.Particles(dem.Sphere(diameter=DIAMETER), sand, position=[(0, 0, 0)])
    cells = dem.Cells(number=(1, 1, 1), lower=(-0.01,) * 3, upper=(0.01,) * 3)
    made = fluid_setup.fluid_of(water("hindered", cells=cells), ball, 1e-4)
    factor = fluids.dense_factor(made.drag, 0.1, voidage) / (1.0 + made.drag.whole * (voidage - 1.0))
    assert factor == pytest.approx(voidage**-4.65, rel=1e-12)


def test_verdicts_know_its_range():
    assert water("oseen").laws["oseen"] == drag_registry.Correlation(5.0)
    assert water("hindered").laws["hindered"].least_voidage == 0.4


def test_names_of_dem_are_refused():
    with pytest.raises(ValueError, match="name of a drag law is 'stokes', which is one of dem"):
        dem.register_drag("stokes", Oseen, oseen)


def test_a_package_is_imported_when_its_law_is_named(monkeypatch):
    class Entry:
        name, value = "their-drag", "theirs:law"

        def load(self):
            dem.register_drag("their-drag", Oseen, oseen)

    monkeypatch.setattr(imports, "entry_points", lambda group: [Entry()])
    try:
        assert water("their-drag").drag == "their-drag"
    finally:
        drag_registry.unregister_drag("their-drag")
    monkeypatch.setattr(Entry, "load", lambda self: 1 / 0)
    with pytest.raises(ValueError, match="drag their-drag cannot be loaded from theirs:law: ZeroDivisionError"):
        water("their-drag")
    monkeypatch.setattr(Entry, "load", lambda self: None)
    with pytest.raises(ValueError, match=r"drag their-drag: theirs:law does not register it, by dem.register_drag"):
        water("their-drag")
