"""Boxes and simulations of random input are made, or refused by name."""

import hypothesis.strategies as st
import numpy as np
import pytest
from test_fuzz import COMPLAINTS, EXAMPLES, fuzz, in_range, numbers, texts, things

import dem


@pytest.mark.parametrize("count", EXAMPLES)
def test_boxes_and_simulations(count):
    nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    ball = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0.5, 0.5, 0.5]])
    faces = st.lists(st.sampled_from(["x", "y", "z", "z+", "x-", "w", ""]) | texts, max_size=3) | things
    triple = st.lists(numbers, min_size=3, max_size=3)

    @fuzz(count, upper=triple | things, open_=faces, periodic=faces, roughness=things, gravity=triple | things,
          time_step=things, integrator=st.sampled_from([*dem.INTEGRATORS]) | things, duration=things)  # fmt: skip
    def check(upper, open_, periodic, roughness, gravity, time_step, integrator, duration):
        try:
            box = dem.Box((0, 0, 0), upper, nylon, open=open_, periodic=periodic, roughness=roughness)
        except COMPLAINTS:
            box = dem.Box((0, 0, 0), (1, 1, 1), nylon)
        assert np.isfinite(box.size).all()
        for options in (
            {"time_step": time_step},
            {"time_step": 1e-5, "gravity": gravity},
            {"time_step": 1e-5, "integrator": integrator}
            if integrator not in [*dem.INTEGRATORS]
            else {"time_step": None},
        ):
            try:
                sim = dem.Simulation(ball, box, threads=1, **options)
            except COMPLAINTS:
                continue
            try:
                sim.step(3)
            except FloatingPointError:
                continue
            assert np.isfinite(sim.particles.position).all()
        sim = dem.Simulation(ball, threads=1, time_step=1e-3)
        try:
            sim.run(duration if not in_range(duration, 0.1, 1e300) else -1.0)
        except COMPLAINTS:
            assert sim.step_count == 0

    check()
