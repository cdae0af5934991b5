"""`python -m benchmarks.same_bytes [--against TREE] [PART ...]`: hashes of runs over shapes x laws x boxes x threads.

A change that is to change no result prints what the commit before it printed; with a checkout of that, differences
are shown and the exit status is 1. Only runs whose name holds one of the parts are done, if parts are given. Runs of
shapes that the other checkout does not have are skipped there, and named.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import dem

HERE = Path(__file__).parent.parent
CLUMP = dem.Clump.restored(  # as files keep it: found anew, mass properties of other versions differ by rounding
    {
        "offsets": [[0, -0.00051728, -0.00192342], [0, 0.00440677, 0.00150495], [0, -0.00359433, 0.00249605]],
        "radii": [0.005, 0.004, 0.004],
        "centre": [0, 0, 0],
        "axes": [1, 0, 0, 0],
        "_moments": [9.263e-07, 2.05364e-11, 1.23946e-11, 1.62556e-11],
    }
)
SHAPES = {
    "spheres": (dem.Sphere(diameter=0.01),),
    "sizes": (dem.Sphere(diameter=0.008), dem.Sphere(diameter=0.011)),
    "fibres": (dem.Fibre(diameter=0.01, aspect_ratio=3),),
    "mixture": (dem.Sphere(diameter=0.009), dem.Fibre(diameter=0.008, aspect_ratio=3)),
    "capsules": (dem.Capsule(diameter=0.01, aspect_ratio=3),),
    "rods": (dem.Capsule(diameter=0.01, aspect_ratio=2.5), dem.Sphere(diameter=0.012)),
    "clumps": (CLUMP,),
}
CONVEX = {
    "cubes": {"Polyhedron": {"vertices": list(itertools.product([-0.0038, 0.0038], repeat=3)), "rounding": 0.0004}},
    "ellipsoids": {"Ellipsoid": {"semi_axes": (0.006, 0.005, 0.004)}},
    "superellipsoids": {"Superellipsoid": {"semi_axes": (0.005, 0.005, 0.005), "exponents": (4, 4)}},
    "grains": {
        "Ellipsoid": {"semi_axes": (0.006, 0.005, 0.004)},
        "Superellipsoid": {"semi_axes": (0.006, 0.004, 0.005), "exponents": (4, 3)},
        "Sphere": {"diameter": 0.01},
        "Capsule": {"diameter": 0.008, "aspect_ratio": 2},
    },
}
SHAPES |= {
    name: tuple(getattr(dem, shape)(**sizes) for shape, sizes in shapes.items())
    for name, shapes in CONVEX.items()
    if all(hasattr(dem, shape) for shape in shapes)
}
CONVEX_RUNS = (
    "cubes-frictional-closed-1", "cubes-frictional-closed-2", "cubes-damped-mesh-1", "ellipsoids-frictional-mesh-1",
    "ellipsoids-elastic-periodic-1", "ellipsoids-frictional-closed-2", "superellipsoids-frictional-periodic-1",
    "grains-frictional-closed-1", "grains-frictional-closed-2", "grains-damped-mesh-1",
)  # fmt: skip
LAWS = {"elastic": {}, "damped": {"restitution": 0.7}, "frictional": {"restitution": 0.8, "friction": 0.4}}
BOXES = ("closed", "periodic", "moving", "rough", "none", "mesh", "worn")
FEW, MANY = 120, 2500  # the latter are spread over threads
STEPS = 2500
MIN_TOUCHED = 0.2  # of the bodies must have touched something, or a run says nothing of contacts


def names() -> list[str]:
    """Names of all runs; two threads only for three of the shapes, as the others compile the same kernels.

    Of convex shapes a few, which take longest to compile.
    """
    runs = [
        "-".join((shape, law, box, str(threads)))
        for shape, law, box, threads in itertools.product(SHAPES, LAWS, BOXES, (1, 2))
        if shape not in CONVEX and (threads == 1 or shape in ("spheres", "fibres", "mixture"))
    ]
    return [*runs, *CONVEX_RUNS]


def simulation(name: str) -> dem.Simulation:
    """Simulation of bodies that collide, starting from a jittered lattice."""
    shape, law, box, threads = name.split("-")
    rng, n = np.random.default_rng(20261121), MANY if threads == "2" else FEW
    material = dem.Material(young=5e7, poisson=0.35, density=1100.0, **LAWS[law])
    side = int(np.ceil(n ** (1 / 3)))
    pitch = 1.1 * max(2 * (np.linalg.norm(one.offsets, axis=1) + one.radii).max() for one in SHAPES[shape])
    place = np.stack(np.unravel_index(np.arange(n), (side, side, side)), axis=1) + 0.5
    place = (place + rng.uniform(-0.03, 0.03, (n, 3))) * pitch
    groups = []
    for k, one in enumerate(SHAPES[shape]):
        mine = place[k :: len(SHAPES[shape])]
        turned = rng.normal(size=(len(mine), 4))
        groups.append(
            dem.Particles(
                one,
                material,
                position=mine,
                orientation=turned / np.linalg.norm(turned, axis=1)[:, None],
                velocity=rng.normal(0, 0.5, (len(mine), 3)),
                angular_velocity=rng.normal(0, 30, (len(mine), 3)),
            )
        )
    kinds = {"periodic": {"periodic": ["x", "y"]}, "moving": {"motion": {"z-": SHAKEN}}, "rough": {"roughness": 0.2}}
    kind = kinds.get(box, {})
    grains, options = dem.Particles.concatenate(groups), {"time_step": 1e-5, "threads": int(threads)}
    if box in {"mesh", "worn"}:
        return between(side * pitch, material, grains, worn=box == "worn", **options)
    walls = None if box == "none" else dem.Box((0, 0, 0), (side * pitch,) * 3, material=material, **kind)
    return dem.Simulation(grains, walls, **options)


def between(length: float, material: dem.Material, grains: dem.Particles, *, worn: bool, **options) -> dem.Simulation:
    """Simulation of bodies between a vibrating bumpy mesh and a lid; `worn`: the lid is rough, and both walls wear."""
    steps = np.linspace(0, 1, 9)
    x, y = (a.ravel() for a in np.meshgrid(steps, steps, indexing="ij"))
    bumps = 0.05 * (np.cos(2 * np.pi * x) * np.cos(4 * np.pi * y) - 1)
    at = np.arange(81).reshape(9, 9)
    a, b, c, d = (each.ravel() for each in (at[:-1, :-1], at[1:, :-1], at[:-1, 1:], at[1:, 1:]))
    faces = np.concatenate([np.column_stack([a, b, d]), np.column_stack([a, d, c])])
    wear = {"wear": 1e-12} if worn else {}
    lid = {"roughness": 0.05, "seed": 3} if worn else {"surface_velocity": (0.3, 0, 0)}
    across = {} if any(isinstance(kind, dem.Capsule) for kind, _ in grains.variants) else {"periodic": ["x", "y"]}
    corners = (0, 0, -length), (length, length, 2 * length)
    box = dem.Box(*corners, material=material, open=["z-", "z+"], **across)
    walls = [
        dem.Mesh(length * np.column_stack([x, y, bumps]), faces, material=material, motion=SHAKEN, **wear),
        dem.Plane((0, 0, length), (0, 0, -1), material=material, **lid, **wear),
    ]
    return dem.Simulation(grains, box, walls=walls, **options)


SHAKEN = dem.Motion(amplitude=(0, 0, 0.001), frequency=30.0)


def digest(name: str) -> str:
    """Hash of the state, the energies and their error after some contacts; raises RuntimeError if there were few."""
    sim = simulation(name)
    free = sim.particles.velocity + STEPS * sim.time_step * np.array(sim.gravity)
    sim.step(STEPS)
    state = sim.particles
    touched = (np.abs(state.velocity - free) > 1e-9).any(axis=1).mean()
    if touched < MIN_TOUCHED:
        message = f"{name}: {touched:.0%} of the bodies touched something, expected {MIN_TOUCHED:.0%} or more"
        raise RuntimeError(message)
    energy, error = sim.energy(), sim.energy_error
    if "-none-" in name:  # potential energy is zero at the centre of mass, which 0.2 left to BLAS, by processor
        energy, error = energy._replace(gravitational=0.0), 0.0
    arrays = (state.position, state.velocity, state.orientation, state.angular_velocity, energy, error)
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()[:16]


def main() -> None:
    """Print the hashes, and compare them with those of another tree."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.same_bytes", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help="of a name like fibres-elastic-closed-1")
    parser.add_argument("--against", type=Path, metavar="TREE", help="checkout of another commit")
    arguments = parser.parse_args()
    chosen = [name for name in names() if not arguments.parts or any(part in name for part in arguments.parts)]
    there = {}
    if arguments.against:
        environment = {**os.environ, "PYTHONPATH": str(arguments.against.resolve())}
        command = [sys.executable, __file__, *chosen]
        said = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
        there = dict(line.split() for line in said.splitlines())
        skipped = [name for name in chosen if name not in there]
        sys.stderr.write("".join(f"{name}: skipped, no such shape there\n" for name in skipped))
        chosen = [name for name in chosen if name in there]
    differ = 0
    for name in chosen:
        if name.split("-")[0] not in SHAPES:
            continue
        mine = digest(name)
        other = there.get(name, mine)
        differ += other != mine
        print(name, mine, *([] if other == mine else [f"there {other}"]), flush=True)
    if arguments.against:
        sys.stderr.write(f"{len(chosen) - differ} of {len(chosen)} the same\n")
    sys.exit(differ > 0)


if __name__ == "__main__":
    main()
