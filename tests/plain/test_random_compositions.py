"""Grains of any shapes, by any law, in any box: a run keeps its ledger and stays within its arrays, or is refused.

In plain Python an index beyond an array raises IndexError, where compiled kernels would write into other memory.
"""

import itertools
import warnings

import numpy as np
import pytest
from sample_runs import random_quaternions

import dem
from dem.soft.run_errors import BrokenRunError

EDGE, COUNT = 0.05, 10
CORNERS = list(itertools.product([0.0, 0.008], repeat=3))
SHAPES = (
    dem.Sphere(diameter=0.01),
    dem.Sphere(diameter=0.006),
    dem.Fibre(diameter=0.006, aspect_ratio=2),
    dem.Capsule(diameter=0.006, aspect_ratio=2),
    dem.Clump(offsets=[[0, 0, 0], [0.004, 0, 0], [0, 0.003, 0.002]], radii=[0.004, 0.003, 0.003]),
    dem.Ellipsoid(semi_axes=(0.006, 0.005, 0.004)),
    dem.Superellipsoid(semi_axes=(0.005, 0.005, 0.004), exponents=(4, 4)),
    dem.Polyhedron(vertices=CORNERS, rounding=0.001),
    dem.RoundedCylinder(diameter=0.01, length=0.006, rounding=0.001),
)
NORMAL = (
    None, dem.Hertz(), dem.Linear(stiffness=2000.0), dem.Hysteretic(loading=1000.0, unloading=1600.0),
    dem.EEPA(plasticity=0.5, surface_energy=0.2), dem.PowerLaw(stiffness=3e6, exponent=1.5),
)  # fmt: skip
ADHESION = (None, None, dem.DMT(work=0.05), dem.JKR(work=0.05), dem.Bridge(volume=1e-10, tension=0.07))
DAMPING = (None, dem.Viscoelastic(time=3e-6), dem.Dashpot(coefficient=0.01))
ROLLING = (None, dem.Rolling(friction=0.1), dem.Rolling(friction=0.1, model="constant"))
MATERIAL = dem.Material(young=5e6, poisson=0.3, density=1500.0, conductivity=1.0, heat_capacity=800.0)


def any_contact(rng):
    """A contact of any components; some do not fit each other and are refused."""
    pick = lambda values: values[rng.integers(len(values))]  # noqa: E731
    parts = {"normal": pick(NORMAL), "adhesion": pick(ADHESION), "damping": pick(DAMPING)}
    parts |= {"restitution": pick((1.0, 0.6)), "friction": pick((0.0, 0.4))}
    if parts["friction"]:
        parts |= {"rolling": pick(ROLLING), "twisting": pick((None, dem.Twisting()))}
    if parts["damping"] or isinstance(parts["normal"], dem.Hysteretic | dem.EEPA):
        parts["restitution"] = 1.0
    return dem.Contact(**parts)


def any_surroundings(rng):
    """Options of a simulation: a box, a cell or walls."""
    corners = (0, 0, 0), (EDGE, EDGE, EDGE)
    sheet = np.array([[0, 0, 0], [EDGE, 0, 0], [0, EDGE, 0.003], [EDGE, EDGE, 0]])
    lid = dem.Plane((0, 0, EDGE), (0, 0, -1), material=MATERIAL, servo=dem.Servo(force=0.5, axis=(0, 0, -1)))
    walls = (
        [dem.Plane((0, 0, 0), (0.1, 0, 1), material=MATERIAL), dem.Plane((EDGE, 0, 0), (-1, 0, 0), material=MATERIAL)],
        [dem.Rectangle((0, 0, 0), (EDGE, 0, 0), (0, EDGE, 0), material=MATERIAL)],
        [dem.Cylinder((EDGE / 2, EDGE / 2, -0.1), (EDGE / 2, EDGE / 2, 0.2), 0.034, material=MATERIAL)],
        [dem.Mesh(sheet, [[0, 1, 3], [0, 3, 2]], material=MATERIAL)],
    )
    choices = (
        {"box": dem.Box(*corners, MATERIAL)},
        {"box": dem.Box(*corners, MATERIAL, periodic=["x", "y"])},
        {"box": dem.Box(*corners, MATERIAL, roughness=0.1)},
        {"box": dem.Box(*corners, MATERIAL, open=["z+"]), "walls": [lid]},
        {"box": dem.Cell(corners[1], rate=[[0, 5.0, 0], [0, 0, 0], [0, 0, -3.0]]), "gravity": (0, 0, 0)},
        *({"walls": each} for each in walls),
    )
    return choices[rng.integers(len(choices))]


def strewn(rng):
    """Bodies of up to three shapes that fly at each other from a lattice."""
    shapes = rng.permutation(len(SHAPES))[: rng.integers(1, 4)]
    sites = np.stack(np.unravel_index(rng.permutation(27)[:COUNT], (3, 3, 3)), axis=1) * 0.0145 + 0.0105
    groups = []
    for k, shape in enumerate(shapes):
        place = sites[k :: len(shapes)]
        groups.append(
            dem.Particles(
                SHAPES[shape], MATERIAL, position=place, orientation=random_quaternions(rng, len(place)),
                velocity=rng.normal(0, 1.5, (len(place), 3)), angular_velocity=rng.normal(0, 60, (len(place), 3)),
            )
        )  # fmt: skip
    return dem.Particles.concatenate(groups)


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(k, marks=pytest.mark.nightly) for k in range(4, 200))])
def test_whatever_meets_stays_within_its_arrays_and_keeps_its_ledger(seed):
    """The energy is off by 1 % at most: steps are a fiftieth of a contact, but for the stiffest ones."""
    rng = np.random.default_rng(seed)
    particles, options = strewn(rng), any_surroundings(rng)
    if rng.random() < 0.3:
        particles.temperature = 300.0 + 10 * rng.random(COUNT)
        options["heat"] = dem.Heat(every=3, dissipation=bool(rng.random() < 0.5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dem.DemWarning)
        try:
            contacts = dem.Contacts({(MATERIAL, MATERIAL): any_contact(rng)})
            sim = dem.Simulation(particles, contacts=contacts, time_step=2e-5, threads=1, **options)
            sim.step(160)
        except ValueError:
            return  # components or shapes that do not fit each other
        except BrokenRunError:
            return  # contacts that are too soft for these speeds
    assert np.isfinite(sim.particles.position).all()
    assert sim.verdict().energy_error < 0.01
