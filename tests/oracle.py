"""Contact forces by a plain double loop over all spheres, in numpy and scipy: shares no code with the engine."""

import numpy as np
from scipy.spatial.transform import Rotation


def spheres(particles):
    """Centre, radius, owner and material of every sphere."""
    rotation = Rotation.from_quat(particles.orientation, scalar_first=True)
    centre, radius, owner, material = [], [], [], []
    for p in range(len(particles)):
        shape, stuff = particles.kinds[particles.kind[p]]
        for offset, r in zip(shape.offsets, shape.radii, strict=True):
            centre.append(particles.position[p] + rotation[p].apply(offset))
            radius.append(r)
            owner.append(p)
            material.append(stuff)
    return np.array(centre), np.array(radius), np.array(owner), material


def modulus(a, b):
    return 1 / ((1 - a.poisson**2) / a.young + (1 - b.poisson**2) / b.young)


def forces(particles, box):
    """Force and torque on every particle, and the elastic energy."""
    centre, radius, owner, material = spheres(particles)
    force, torque, energy = np.zeros((len(particles), 3)), np.zeros((len(particles), 3)), 0.0

    def push(s, f):
        force[owner[s]] += f
        torque[owner[s]] += np.cross(centre[s] - particles.position[owner[s]], f)

    for i in range(len(radius)):
        for j in range(i):
            gap = centre[i] - centre[j]
            overlap = radius[i] + radius[j] - np.linalg.norm(gap)
            if owner[i] != owner[j] and overlap > 0:
                r = radius[i] * radius[j] / (radius[i] + radius[j])
                k = 4 / 3 * modulus(material[i], material[j]) * np.sqrt(r)
                f = k * overlap**1.5 * gap / np.linalg.norm(gap)
                push(i, f)
                push(j, -f)
                energy += 2 / 5 * k * overlap**2.5
        if box is not None:
            k = 4 / 3 * modulus(material[i], box.material) * np.sqrt(radius[i])
            for axis in range(3):
                for corner, sign in ((box.lower, 1), (box.upper, -1)):
                    overlap = radius[i] - sign * (centre[i][axis] - corner[axis])
                    if overlap > 0:
                        push(i, sign * k * overlap**1.5 * np.eye(3)[axis])
                        energy += 2 / 5 * k * overlap**2.5
    return force, torque, energy
