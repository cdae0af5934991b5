"""Script that `benchmarks.impact` runs in YADE's own Python: `yade -n -x -j 1 yade_impact.py state.npz end.npz`.

Spheres of two materials in a box without a lid. Contacts are Hertz's with Mindlin's tangential spring, damped for the
coefficient of restitution (`MindlinPhys` with `en` and `es`); walls count as flat (`hertzian`).
"""

import os
import sys
import time

import numpy as np

# how far boxes about spheres are larger than these, over the diameters of grains: the fastest of 0.05, 0.1 and 0.2
VERLET = 0.05


def build(state):
    """Build YADE's scene; returns it, and the numbers of the spheres."""
    from yade import utils, wrapper  # noqa: PLC0415 (nobody else has them)

    scene = wrapper.Omega()
    kinds = [
        scene.materials.append(wrapper.FrictMat(young=young, poisson=poisson, density=density, frictionAngle=0.5))
        for young, poisson, density in state["materials"].tolist()
    ]
    spheres = []
    rows = zip(*(state[name].tolist() for name in ("position", "velocity", "radius", "kind")), strict=True)
    for x, v, radius, kind in rows:
        spheres.append(scene.bodies.append(utils.sphere(x, radius, material=kinds[kind])))
        scene.bodies[spheres[-1]].state.vel = v
    for axis, place, sense in state["walls"].tolist():
        scene.bodies.append(utils.wall(place, axis=int(axis), sense=int(sense), material=kinds[1]))
    pairs = [(int(i), int(j), e, friction) for i, j, e, friction in state["pairs"].tolist()]
    restitution = wrapper.MatchMaker(matches=[(i, j, e) for i, j, e, _ in pairs])
    angle = wrapper.MatchMaker(matches=[(i, j, float(np.arctan(friction))) for i, j, _, friction in pairs])
    physics = wrapper.Ip2_FrictMat_FrictMat_MindlinPhys(en=restitution, es=restitution, frictAngle=angle)
    scene.engines = [
        wrapper.ForceResetter(),
        wrapper.InsertionSortCollider(
            [wrapper.Bo1_Sphere_Aabb(), wrapper.Bo1_Wall_Aabb()], verletDist=VERLET * 2 * float(state["radius"].min())
        ),
        wrapper.InteractionLoop(
            [wrapper.Ig2_Sphere_Sphere_ScGeom(), wrapper.Ig2_Wall_Sphere_ScGeom(hertzian=True)], [physics],
            [wrapper.Law2_ScGeom_MindlinPhys_Mindlin()],
        ),
        wrapper.NewtonIntegrator(gravity=state["gravity"].tolist(), damping=0.0),
    ]  # fmt: skip
    scene.dt = float(state["time_step"])
    return scene, spheres


def main(before, after):
    """Read the state, take the steps, and write the height of the last sphere at intervals and the seconds."""
    state = np.load(before)
    scene, spheres = build(state)
    seconds, heights = 0.0, []
    for steps in state["steps"].tolist():
        start = time.perf_counter()
        scene.run(steps, True)
        seconds += time.perf_counter() - start
        heights.append(scene.bodies[spheres[-1]].state.pos[2])
    np.savez(after, seconds=seconds, heights=np.array(heights))
    os._exit(0)  # its own way out asks


if __name__ == "__main__":
    main(*sys.argv[-2:])
