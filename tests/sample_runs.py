"""Particles and short runs with many contacts, which several files of tests share, and comparison of their files."""

import sys

import h5py
import numpy as np
import pytest

import dem
from dem.files.h5md import layout
from dem.ranks.domain_decomposition import AtRandom
from dem.ranks.threads import in_one_process
from dem.soft import simulation  # noqa: F401, all that know of chunks are to be there
from dem.soft.subdomain import engine_subdomains, subdomain  # noqa: F401, all that know of chunks are to be there

LAWS = {"elastic": {}, "damped": {"restitution": 0.7}, "friction": {"restitution": 0.9, "friction": 0.4}}
SHAPES = {
    "spheres": [dem.Sphere(diameter=0.01)],
    "fibres": [dem.Fibre(diameter=0.005, aspect_ratio=2, spheres=3)],
    "mixture": [dem.Fibre(diameter=0.005, aspect_ratio=2), dem.Sphere(diameter=0.009)],
    "clumps": [dem.Clump(offsets=[[0, 0, 0], [0.003, 0.001, 0]], radii=[0.003, 0.002])],
}


def random_quaternions(rng, n):
    q = rng.normal(size=(n, 4))
    return q / np.linalg.norm(q, axis=1)[:, None]


def schemes_in_contacts():
    """All that can run with contacts; two of them unless long tests are asked for."""
    few = ("improved-pcdm", "splitting")
    names = [name for name, row in dem.INTEGRATORS.items() if row.torques == 1]
    return [pytest.param(name, marks=() if name in few else pytest.mark.slow) for name in names]


def mixture(rng, materials, n=60, edge=0.09):
    """Fibres of two materials and spheres of two sizes, thrown at random, so that many touch slightly."""
    fibre, ball, big = dem.Fibre(diameter=0.01, aspect_ratio=3), dem.Sphere(diameter=0.01), dem.Sphere(diameter=0.017)
    groups = []
    kinds = (
        (fibre, materials[0], n),
        (ball, materials[0], n),
        (big, materials[1], n // 3),
        (fibre, materials[1], n // 3),
    )
    for shape, material, count in kinds:
        group = dem.Particles(
            shape,
            material,
            position=rng.uniform(0.015, edge - 0.015, (count, 3)),
            orientation=random_quaternions(rng, count),
            velocity=rng.normal(0, 0.3, (count, 3)),
            angular_velocity=rng.normal(0, 30, (count, 3)),
        )
        groups.append(group)
    return dem.Particles.concatenate(groups)


def crowd(name="mixture", law="friction", n=64, **options):
    """Particles that fall on each other."""
    rng = np.random.default_rng(11)
    edge = round(n ** (1 / 3) + 0.5)
    grid = (np.stack(np.meshgrid(*[np.arange(edge)] * 3), -1).reshape(-1, 3)[:n] + 0.5) * 0.0104
    material = dem.Material(young=5e7, poisson=0.35, density=1100.0, **LAWS[law])
    shapes = (SHAPES[name] * n)[:n]
    particles = dem.Particles(
        shapes, material, position=grid, orientation=random_quaternions(rng, n), velocity=rng.normal(0, 0.4, (n, 3)),
        angular_velocity=rng.normal(0, 20, (n, 3)),
    )  # fmt: skip
    box = dem.Box((0, 0, 0), (edge * 0.0104,) * 3, material)
    return dem.Simulation(particles, box, **{"gravity": (0, 0, -300), "time_step": 1e-5, **options})


def divide_into_small_chunks(monkeypatch):
    """Chunks of eight bodies, so that small systems have many, of ghosts as well: plain Python looks the number up."""
    for name, module in list(sys.modules.items()):
        if name.startswith("dem.") and getattr(module, "CHUNK", None) == 2048:
            monkeypatch.setattr(module, "CHUNK", 8)


def warm_state(sim):
    """Positions and temperatures as bytes, and the energies."""
    return sim.particles.position.tobytes(), sim.particles.temperature.tobytes(), sim.energy()


def warm_states_of_cut_ranks(make, path):
    """States after 60 steps on three ranks that save a file after 32, and of what goes on from this file."""
    with in_one_process(3, owners=AtRandom):
        sim = make()
        sim.step(32)
        sim.save(path)
        sim.step(28)
        ranked = warm_state(sim)
    again = dem.Simulation.load(path)
    again.step(28)
    return [ranked, warm_state(again)]


def contents(path):
    """All that a run writes at its frames."""
    with h5py.File(path) as file:
        return {name: dataset[:] for name, dataset in layout.frame_datasets(file).items()}


def assert_same_frames(one, other):
    one, other = contents(one), contents(other)
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)
