"""Script that `dem.bench.yade` runs in YADE's own Python: `yade -n -x -j 1 yade_box.py state.npz end.npz`.

Equal spheres, or rigid clumps of them, in a closed box. YADE takes half the radius of a sphere for the effective one at
a wall; walls are stiffer here in return, so that a contact is as stiff as in the other programs. Velocities are those
half a step before, as YADE's scheme has them; mass and moments of inertia of clumps are those of the union of spheres.
"""

import os
import sys
import time

import numpy as np

# ruff: noqa: ANN001, ANN201 (types are those of YADE, which nobody else has)

FIRST = 50  # steps in which all pairs are found, and that are not timed
MIN_SECONDS = 1.0  # [s] that are timed: YADE says only every 40 ms or so whether it is done
SKIN = 0.1  # diameters
FEW, FEW_SKIN = 100, 2.0  # so few particles that long lists cost nothing


def build(state):
    """Build YADE's scene from the state, and return it."""
    from yade import utils, wrapper  # noqa: PLC0415 (nobody else has them)

    numbers = [float(v) for v in state["numbers"]]
    young, poisson, density, restitution, friction, wall_modulus, dt, radius, mass, *inertia = numbers
    scene, centres = wrapper.Omega(), state["centres"]
    grain = scene.materials.append(
        wrapper.FrictMat(young=young, poisson=poisson, density=density, frictionAngle=float(np.arctan(friction)))
    )
    own = (1 - poisson**2) / young
    stiff = (1 - poisson**2) / (1 / (np.sqrt(2.0) * wall_modulus) - own)
    wall = scene.materials.append(wrapper.FrictMat(young=stiff, poisson=poisson, density=density, frictionAngle=0.0))
    for axis in range(3):
        scene.bodies.append(utils.wall(0.0, axis=axis, sense=1, material=wall))
        scene.bodies.append(utils.wall(float(state["size"][axis]), axis=axis, sense=-1, material=wall))
    velocity = state["velocity"] - 0.5 * dt * state["gravity"]
    for body, v, spin in zip(centres.tolist(), velocity.tolist(), state["angular_velocity"].tolist(), strict=True):
        made = [utils.sphere(x, radius, material=grain) for x in body]
        if len(made) == 1:
            moving = scene.bodies.append(made[0])
        else:
            moving, _ = scene.bodies.appendClumped(made, discretization=0)
            it = scene.bodies[moving].state
            axis = int(np.argmin([it.inertia[k] for k in range(3)]))  # YADE orders the principal axes its own way
            moments = [max(inertia)] * 3
            moments[axis] = min(inertia)
            it.mass, it.inertia = mass, tuple(moments)
        scene.bodies[moving].state.vel, scene.bodies[moving].state.angVel = v, spin
    skin = FEW_SKIN if len(centres) < FEW else SKIN
    lossy = {"en": restitution, "es": restitution} if restitution < 1 else {}
    scene.engines = [
        wrapper.ForceResetter(),
        wrapper.InsertionSortCollider(
            [wrapper.Bo1_Sphere_Aabb(), wrapper.Bo1_Wall_Aabb()], verletDist=2 * radius * skin
        ),
        wrapper.InteractionLoop(
            [wrapper.Ig2_Sphere_Sphere_ScGeom(), wrapper.Ig2_Wall_Sphere_ScGeom()],
            [wrapper.Ip2_FrictMat_FrictMat_MindlinPhys(**lossy)], [wrapper.Law2_ScGeom_MindlinPhys_Mindlin()],
        ),
        wrapper.NewtonIntegrator(gravity=state["gravity"].tolist(), damping=0.0, exactAsphericalRot=True),
    ]  # fmt: skip
    scene.dt = dt
    return scene


def main(before, after):
    """Read the state, time the steps, or more if they are quick, and write the steps per second."""
    state = np.load(before)
    scene = build(state)
    scene.run(FIRST, True)
    steps, seconds = int(state["steps"]), 0.0
    while seconds < MIN_SECONDS:
        start = time.perf_counter()
        scene.run(steps, True)
        seconds = time.perf_counter() - start
        done, steps = steps, int(steps * min(100.0, 1.5 * MIN_SECONDS / seconds)) + 1
    np.savez(after, steps_per_second=done / seconds)
    os._exit(0)  # its own way out asks


if __name__ == "__main__":
    main(*sys.argv[-2:])
