"""Script that `benchmarks.drum` runs in YADE's own Python: `yade -n -x -j 1 yade_drum.py state.npz end.npz`.

Spheres and the triangles of a drum, as YADE's facets, that turns about y and is periodic along it. Contacts are
Hertz's with Mindlin's tangential spring, damped for the coefficient of restitution (`MindlinPhys` with `en` and `es`);
facets count as flat (`hertzian`), so that the radius of the contact is the sphere's.
"""

import os
import sys
import time

import numpy as np

# how far boxes about spheres are larger than these, over their diameters: the fastest of 0.05, 0.1 and 0.2
VERLET = 0.05


def build(state):
    """Build YADE's scene; returns it, and the numbers of the spheres."""
    from yade import utils, wrapper  # noqa: PLC0415 (nobody else has them)

    scene = wrapper.Omega()
    young, poisson, density, restitution, friction, dt, rate, length, width = (float(v) for v in state["numbers"])
    scene.periodic = True
    scene.cell.setBox(width, length, width)
    material = scene.materials.append(
        wrapper.FrictMat(young=young, poisson=poisson, density=density, frictionAngle=float(np.arctan(friction)))
    )
    facets = scene.bodies.append([utils.facet(t.tolist(), material=material) for t in state["triangles"]])
    spheres = []
    rows = zip(state["position"].tolist(), state["velocity"].tolist(), state["spin"].tolist(), strict=True)
    for x, v, spin in rows:
        spheres.append(scene.bodies.append(utils.sphere(x, float(state["radius"]), material=material)))
        scene.bodies[spheres[-1]].state.vel, scene.bodies[spheres[-1]].state.angVel = v, spin
    facet_and_sphere = wrapper.Ig2_Facet_Sphere_ScGeom(hertzian=True)
    physics = wrapper.Ip2_FrictMat_FrictMat_MindlinPhys(en=restitution, es=restitution)
    scene.engines = [
        wrapper.ForceResetter(),
        wrapper.InsertionSortCollider(
            [wrapper.Bo1_Sphere_Aabb(), wrapper.Bo1_Facet_Aabb()], verletDist=VERLET * 2 * float(state["radius"])
        ),
        wrapper.InteractionLoop(
            [wrapper.Ig2_Sphere_Sphere_ScGeom(), facet_and_sphere], [physics],
            [wrapper.Law2_ScGeom_MindlinPhys_Mindlin()],
        ),
        wrapper.RotationEngine(
            ids=facets, rotationAxis=(0, 1, 0), angularVelocity=rate, rotateAroundZero=True,
            zeroPoint=(0.5 * width, 0, 0.5 * width),
        ),
        wrapper.NewtonIntegrator(gravity=state["gravity"].tolist(), damping=0.0),
    ]  # fmt: skip
    scene.dt = dt
    return scene, spheres


def main(before, after):
    """Read the state, take the steps, and write the final positions and the seconds."""
    state = np.load(before)
    scene, spheres = build(state)
    scene.run(int(state["first"]), True)  # all pairs are found in these
    start = time.perf_counter()
    scene.run(int(state["steps"]), True)
    seconds = time.perf_counter() - start
    np.savez(after, seconds=seconds, position=np.array([scene.bodies[i].state.pos for i in spheres]))
    os._exit(0)  # its own way out asks


if __name__ == "__main__":
    main(*sys.argv[-2:])
