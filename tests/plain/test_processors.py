"""What a run starts from, and its first steps, have the same bytes whatever vector code numpy and BLAS choose."""

import hashlib
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import dem

try:
    from numpy._core import _multiarray_umath as core
except ImportError:  # numpy 1
    from numpy.core import _multiarray_umath as core

LESS = {"OPENBLAS_CORETYPE": "Sandybridge"}  # whatever the processor has; and of numpy's code, nothing but the baseline


def without_vectors():
    """Environment in which numpy and BLAS are as on the oldest processor there is."""
    return {**os.environ, **LESS, "NPY_DISABLE_CPU_FEATURES": " ".join(core.__cpu_dispatch__)}


def in_both_ways(what):
    """What `python test_processors.py WHAT` prints here, and without vector code, by its names."""
    ways = []
    for environment in (dict(os.environ), without_vectors()):
        command = [sys.executable, "-W", "ignore", __file__, what]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        ways.append(json.loads(done.stdout))
    return ways


def digest(*arrays):
    return hashlib.sha256(b"".join(np.ascontiguousarray(each).tobytes() for each in arrays)).hexdigest()[:16]


def state(sim):
    p = sim.particles
    return digest(p.position, p.velocity, p.orientation, p.angular_velocity, np.array(sim.energy()))


def words():
    """Bytes of what words make of numbers: sizes, bodies, walls, packings, parts of laws."""
    steel = dem.Material(young=1e7, poisson=0.3, density=7800.0, restitution=0.7, friction=0.3)
    sizes = {
        "normal": dem.NormalSizes(mean=2e-3, deviation=2e-4, lower=1.4e-3, upper=2.6e-3),
        "log-normal": dem.LogNormalSizes(median=1e-3, geometric_deviation=1.5),
        "rosin-rammler": dem.RosinRammlerSizes(scale=1e-3, exponent=2.3, lower=1e-5),
        "sieves": dem.SieveSizes(apertures=(1e-3, 2e-3, 4e-3, 5e-3), shares=(0.3, 0.5, 0.2)),
    }
    yield from (
        (name, digest(each.draw(99, seed=2), each.mean_cube, each.quantile(0.37))) for name, each in sizes.items()
    )
    clump = dem.Clump(offsets=[[0, 0, 0], [1e-3, 2e-3, 5e-4], [-2e-3, 1e-3, 1e-3]], radii=[2e-3, 1e-3, 1.5e-3])
    yield "clump", digest(clump.offsets, clump.axes, clump.mass_properties(1.0).inertia)
    chain = dem.FlexibleFibre(diameter=1e-3, length=2e-2, segments=7, young=1e7, curvature=30.0)
    yield "flexible fibre", digest(chain.offsets, chain.mass_properties(1.0).inertia, chain.bonds(steel).stiffness)
    axis = (0.3, 0.5, 0.7)
    walls = {
        "cylinder": dem.Cylinder((0, 0, 0), axis, 0.2), "plane": dem.Plane((0.1, 0.2, 0.4), axis),
        "disc": dem.Disc((0.1, 0, 0), axis, 0.3), "cone": dem.Cone((0, 0, 0), axis, 0.1, 0.2),
        "torus": dem.Torus((0, 0, 0), axis, 0.3, 0.1), "rod": dem.CapsuleWall((0, 0.1, 0), axis, 0.01),
    }  # fmt: skip
    yield from ((name, digest(wall.shape.numbers, wall.shape.lower, wall.shape.upper)) for name, wall in walls.items())
    box = dem.Box((0, 0, 0), (0.02, 0.02, 0.02), steel)
    dense = dem.pack_dense(dem.Sphere(diameter=3e-3), steel, box, solid_fraction=0.5, seed=3)
    yield "dense packing", digest(dense.position)
    for name, size in (("graded", {"sizes": sizes["normal"]}), ("scaled", {"scale": (0.7, 1.2)})):
        packed = dem.pack(dem.Sphere(diameter=2e-3), steel, box, solid_fraction=0.05, seed=3, **size)
        yield f"{name} packing", digest(packed.position, packed.mass)
    air = dem.Turbulence(rms=0.3, time_scale=0.5, viscosity=1.8e-5)
    yield "turbulence", digest(air.step(0.1, 0.003), air.correlation(0.2))
    yield "roughness", digest(dem.effective_density([0.1, 0.2], 0.3, 0.2))


def runs(*wanted):
    """Bytes of some cases before the first step and after a few, and the time steps that are chosen by themselves."""
    few = {
        "nine-fibres": {}, "flexible-fibre": {}, "fibres-in-water": {}, "settling-spheres": {}, "jeffery-orbit": {},
        "rain": {"number": 60}, "cellular-fibres": {"n": 8}, "stochastic-cooling": {"n": 200},
        "granular-cooling": {"n": 200}, "heap": {"n": 30}, "rotating-drum": {"n": 30}, "breaking-rods": {},
    }  # fmt: skip
    for name in wanted or few:
        sim = dem.cases()[name](**few[name]).simulation()
        before = state(sim)
        if hasattr(sim, "step"):
            sim.step(20 if name == "rain" else 3)
        yield name, [before, state(sim), float(getattr(sim, "time_step", None) or 0.0).hex()]


@pytest.mark.long
def test_bytes_do_not_depend_on_vector_code():
    here, there = in_both_ways("all")
    assert len(here) > 25
    assert here == there


def test_the_other_way_is_another():
    """numpy's exponentials differ in their last bits, where the processor has any vector code to leave out."""
    code = "import numpy as np; print(np.exp(np.linspace(-9, 9, 9999)).tobytes().hex())"
    ways = [
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True).stdout
        for environment in (dict(os.environ), without_vectors())
    ]
    if not core.__cpu_features__.get("AVX512_SKX"):
        pytest.skip("numpy takes the C library's exponential on this processor")
    assert ways[0] != ways[1]


def every():
    """Bytes of words and of runs; each process takes seconds to begin."""
    yield from (*words(), *runs())


if __name__ == "__main__":
    print(json.dumps(dict({"all": every, "runs": runs}[sys.argv[1]](*sys.argv[2:]))))
