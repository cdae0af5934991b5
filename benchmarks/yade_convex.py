"""Script that `benchmarks.convex` runs in YADE's own Python: `yade -n -x -j 1 yade_convex.py state.npz end.npz`.

Cubes in a closed box, as YADE's polyhedra between walls, or as potential particles between others that do not move.
"""

import os
import sys
import time

import numpy as np

FIRST, STEPS = 5, 20  # steps in which pairs are found, and that are timed
VERLET = 0.05  # how far boxes about cubes are larger than these, over half an edge
INWARD = ((1, -1, 0, 0, 0, 0), (0, 0, 1, -1, 0, 0), (0, 0, 0, 0, 1, -1))  # components of the normals of six faces
SMOOTH, ROUND = 0.05, 0.25  # share of a sphere in the potential; radius of edges over half the smallest edge


def add_polyhedra(scene, state, half, material):
    """Add cubes and six walls; returns the numbers of the cubes."""
    from yade import polyhedra_utils, utils  # noqa: PLC0415 (nobody else has them)

    for axis, width in enumerate(state["size"].tolist()):
        scene.bodies.append(utils.wall(0.0, axis=axis, sense=1, material=material))
        scene.bodies.append(utils.wall(width, axis=axis, sense=-1, material=material))
    corners = [(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)]
    cubes = []
    for x, q in zip(state["position"].tolist(), state["orientation"].tolist(), strict=True):
        body = polyhedra_utils.polyhedra(material, v=corners)
        body.state.pos, body.state.ori = x, turned(q) * body.state.ori
        cubes.append(scene.bodies.append(body))
    return cubes


def turned(q):
    """Convert four numbers, scalar first, to YADE's quaternion."""
    from yade import minieigenHP  # noqa: PLC0415

    return minieigenHP.Quaternion(*q)


def block(scene, half, x, density, material, orientation=None):
    """Add a potential particle with these half edges, fixed if it has no orientation; returns its number."""
    from yade import minieigenHP, utils, wrapper  # noqa: PLC0415

    body, vector, r = wrapper.Body(), minieigenHP.Vector3, ROUND * min(half)
    sides = [h - r for h in half for _ in range(2)]
    body.mask, body.aspherical = 1, True
    body.shape = wrapper.PotentialParticle(
        k=SMOOTH, r=r, R=float(np.linalg.norm(half)), a=INWARD[0], b=INWARD[1], c=INWARD[2], d=sides,
        isBoundary=orientation is None, AabbMinMax=True, id=len(scene.bodies), minAabb=vector(*half),
        maxAabb=vector(*half), minAabbRotated=1.01 * vector(*half), maxAabbRotated=1.01 * vector(*half),
    )  # fmt: skip
    a, b, c = half
    volume = 8 * a * b * c
    inertia = [density * volume / 3 * s for s in (b * b + c * c, a * a + c * c, a * a + b * b)]
    utils._commonBodySetup(  # noqa: SLF001 (YADE has no other way to set masses)
        body, volume, vector(*inertia), material=material, pos=vector(*x), fixed=orientation is None
    )
    if orientation is not None:
        body.state.ori = turned(orientation)
    return scene.bodies.append(body)


def add_potential_particles(scene, state, half, material):
    """Add cubes and six plates around them; returns the numbers of the cubes."""
    density, size = float(state["density"]), state["size"]
    cubes = [
        block(scene, (half,) * 3, x, density, material, q)
        for x, q in zip(state["position"].tolist(), state["orientation"].tolist(), strict=True)
    ]
    thick = 0.2 * float(size.max())
    for axis in range(3):
        for place in (-thick, float(size[axis]) + thick):
            edges, middle = 0.5 * size + thick, 0.5 * size
            edges[axis], middle[axis] = thick, place
            block(scene, edges.tolist(), middle.tolist(), density, material)
    return cubes


def build(state):
    """Build YADE's scene; returns it, and the numbers of the cubes."""
    from yade import wrapper  # noqa: PLC0415

    scene, half, young = wrapper.Omega(), float(state["half_edge"]), float(state["young"])
    common = {"density": float(state["density"]), "frictionAngle": float(np.arctan(state["friction"])), "young": young}
    if int(state["kind"]) == 0:
        material = wrapper.PolyhedraMat(poisson=0.35, **common)
        scene.materials.append(material)
        cubes = add_polyhedra(scene, state, half, material)
        bounds = [wrapper.Bo1_Polyhedra_Aabb(), wrapper.Bo1_Wall_Aabb()]
        geometry = [wrapper.Ig2_Wall_Polyhedra_PolyhedraGeom(), wrapper.Ig2_Polyhedra_Polyhedra_PolyhedraGeom()]
        physics = wrapper.Ip2_PolyhedraMat_PolyhedraMat_PolyhedraPhys()
        law = wrapper.Law2_PolyhedraGeom_PolyhedraPhys_Volumetric()
    else:
        material = wrapper.FrictMat(poisson=0.35, **common)
        scene.materials.append(material)
        cubes = add_potential_particles(scene, state, half, material)
        bounds = [wrapper.PotentialParticle2AABB()]
        geometry = [wrapper.Ig2_PP_PP_ScGeom(calContactArea=False)]
        soft = 1e-3 * young * half  # [N/m]: of about a contact of Hertz at this load
        physics = wrapper.Ip2_FrictMat_FrictMat_KnKsPhys(Knormal=soft, Kshear=soft, kn_i=soft, ks_i=soft)
        law = wrapper.Law2_SCG_KnKsPhys_KnKsLaw()
    scene.engines = [
        wrapper.ForceResetter(),
        wrapper.InsertionSortCollider(bounds, verletDist=VERLET * half),
        wrapper.InteractionLoop(geometry, [physics], [law]),
        wrapper.NewtonIntegrator(gravity=(0, 0, -9.81), damping=0.0, exactAsphericalRot=True),
    ]
    scene.dt = float(state["time_step"])
    return scene, cubes


def main(before, after):
    """Read the state, take the steps, and write particle steps per second and the number of contacts."""
    scene, cubes = build(np.load(before))
    scene.run(FIRST, True)
    start = time.process_time()
    scene.run(STEPS, True)
    rate = len(cubes) * STEPS / (time.process_time() - start)
    np.savez(after, rate=rate, contacts=sum(1 for one in scene.interactions if one.isReal))
    os._exit(0)  # its own way out asks


if __name__ == "__main__":
    main(*sys.argv[-2:])
