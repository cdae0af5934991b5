"""Particles in a fluid as they are compiled: the same as in plain Python, and the same bytes by threads."""

import os
import re
import subprocess
import sys

import numba
import numpy as np
import pytest
from dem.kernels.compiler import jit

import dem

pytestmark = pytest.mark.skipif(bool(jit.numba.config.DISABLE_JIT), reason="threads are compiled")
GLASS = dem.Material(young=1e6, poisson=0.22, density=2500.0)


@numba.njit
def stirring(t, x, y, z):
    """A flow as users write it."""
    return (np.sin(30 * y + t), x * z, np.cos(2 * t) * x * y)


def giving_way(exchange):
    """A flow that feels the particles."""
    mass = exchange.density * exchange.voidage * exchange.cells.volume
    return dem.FlowState(velocity=exchange.fluid_velocity + exchange.momentum / mass[..., None])


COUPLED = {
    "drag": "beetstra", "model": "B", "cells": dem.Cells(size=5e-3, every=7),
    "lubrication": dem.Lubrication(roughness=2e-6), "coupling": dem.Coupling(function=giving_way),
}  # fmt: skip


def crowd(n, threads, **fluid):
    """Spheres on a lattice that touches, in a flow by a function, or as it is told."""
    side = round(n ** (1 / 3))
    rng = np.random.default_rng(5)
    places = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)
    balls = dem.Particles(
        dem.Sphere(diameter=1e-3),
        GLASS,
        position=1.02e-3 * (places + 0.5),
        velocity=0.1 * rng.normal(size=places.shape),
    )
    box = dem.Box((0, 0, 0), (1.02e-3 * side,) * 3, GLASS, periodic=["x"])
    water = dem.Fluid(density=1000, viscosity=1e-3, **fluid or {"velocity": stirring, "every": 3})
    return dem.Simulation(balls, box, fluid=water, time_step=1e-5, threads=threads)


CODE_OF_LOOPS = """
import dem
from dem.kernels.fluid import gridded
from dem.kernels.soft.fluid import fluid_forces as forces, rotational_relaxation as whirled
from dem.kernels.soft.fluid import translational_relaxation as dragged
from dem.bench.costs import Flowing
(_, sim) = Flowing("many-spheres", 1, 1, {"all": {"lift": "mei", "magnus": "oesterle-bui-dinh"}}, n=27).runs().values()
going = forces.predict_positions, forces.predict_velocities, forces.evaluate_translational_laws
relaxed = dragged.integrate_velocities, whirled.relax_rotation
for loop in (*relaxed, *going, forces.evaluate_rotational_laws, gridded.fill):
    for compiled in loop.dispatcher.overloads.values():
        print("LOOP", loop.__name__, compiled.library.get_llvm_str())
"""


@pytest.mark.slow
def test_the_loops_over_bodies_in_a_fluid_are_vectorised(tmp_path):
    """With all laws of spheres: one of them that called a function would keep its loop scalar."""
    # What is cached is machine code of the whole; of several threads some compile in processes of their own.
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_NUM_THREADS": "1"}
    command = [sys.executable, "-c", CODE_OF_LOOPS]
    loops = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.split("LOOP ")
    names = {
        *("integrate_velocities", "relax_rotation", "predict_positions", "predict_velocities", "fill"),
        *("evaluate_translational_laws", "evaluate_rotational_laws"),
    }
    assert {loop.split()[0] for loop in loops[1:]} == names
    for loop in loops[1:]:
        assert re.search(r"fmul .*<\d+ x double>", loop), loop.split()[0]


@pytest.mark.slow
@pytest.mark.parametrize("fluid", [{}, COUPLED], ids=["function", "coupled"])
def test_threads_change_no_bit_in_a_fluid(fluid):
    """Two chunks of bodies; the function is compiled as well, and called from both threads."""
    if jit.most_threads() < 2:
        pytest.skip("there is one core")
    one, two = crowd(2744, threads=1, **fluid), crowd(2744, threads=2, **fluid)
    for sim in (one, two):
        sim.step(40)
    assert one.contact_count > 100
    for name in ("position", "velocity", "angular_velocity"):
        np.testing.assert_array_equal(getattr(one.particles, name), getattr(two.particles, name))
    assert one.energy() == two.energy()
    assert one.energy().fluid != 0
    assert one.verdict() == two.verdict()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("drag", "ratio", "published"), [("zastawny", 2.5, 0.6824836220622328), ("rosendahl", 5.0, None)]
)
def test_fibres_fall_at_the_drag_of_their_law(drag, ratio, published):
    """Along their axis: weight is ½ ρ v² π/4 d² C_D. At Re = 100 Zastawny's C_0 is known by other means.

    By sphericities (Hölzer and Sommerfeld) both are of the capsule, and Rosendahl's form has that at its end.
    """
    fibre = dem.Fibre(diameter=1e-3, aspect_ratio=ratio)
    volume = fibre.mass_properties(1.0).volume
    d = (6 * volume / np.pi) ** (1 / 3)
    length, width = ratio * 1e-3, 1e-3
    surface, side = np.pi * width * length, width * (length - width)
    disc, own = np.pi * d**2 / 4, np.pi * width**2 / 4
    phi = np.pi * d**2 / surface
    lengthwise = disc / (surface / 2 - (own + side))
    exact = published or (
        8 / (100 * lengthwise**0.5)
        + 16 / (100 * phi**0.5)
        + 3 / (10 * phi**0.75)
        + 0.42 * 10 ** (0.4 * (-np.log10(phi)) ** 0.2) * own / disc
    )
    speed = 100 * 1e-6 / d
    density = 1000 + 0.5 * 1000 * speed**2 * disc * exact / (9.81 * volume)
    upright = (np.sqrt(0.5), 0, -np.sqrt(0.5), 0)
    one = dem.Particles(
        fibre, dem.Material(young=1e6, poisson=0.22, density=density), position=[(0, 0, 0)], orientation=[upright],
        velocity=[(0, 0, -speed)],
    )  # fmt: skip
    sim = dem.Simulation(one, fluid=dem.Fluid(density=1000, viscosity=1e-3, drag=drag), time_step=1e-4, threads=1)
    sim.step(4000)
    assert sim.particles.velocity[0] == pytest.approx([0, 0, -speed], abs=1e-6 * speed)
