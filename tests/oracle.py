"""Contact forces by a plain double loop over all spheres, in numpy and scipy: shares no code with the engine."""

import numpy as np
from scipy.spatial.transform import Rotation


def spheres(particles):
    """Centre, radius, owner and material of every sphere."""
    rotation = Rotation.from_quat(particles.orientation, scalar_first=True)
    centre, radius, owner, material = [], [], [], []
    for p in range(len(particles)):
        shape, stuff = particles.variants[particles.variant[p]]
        for offset, r in zip(shape.offsets, shape.radii, strict=True):
            centre.append(particles.position[p] + rotation[p].apply(np.array(offset)))
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


CYLINDER_MASS = 1100.0 * np.pi * 0.005**2 * 0.03  # Seelen et al. 2016, 3.3; axis along x
CYLINDER_INERTIA = (
    CYLINDER_MASS * 0.005**2 / 2,
    *[CYLINDER_MASS * (3 * 0.005**2 + 0.03**2) / 12] * 2,
)
SPHERE_INERTIA = 0.4 * 1100.0 * 4 / 3 * np.pi  # Zhao & van Wachem 2013, test 3: diameter 2 m


def angle_between(p, q):
    """Rotation angle of p^-1 q, accurate for small ones too."""
    p, q = np.asarray(p), np.asarray(q)
    q = q * np.sign(p @ q)
    return 4 * np.arcsin(min(1.0, np.linalg.norm(p - q) / 2))


def sphere_orientation(t):
    """Closed form of the sphere under the torque A exp(t) about y: angle (A/I)(e^t - 1 - t)."""
    half = 0.5 * 1e5 / SPHERE_INERTIA * (np.exp(t) - 1 - t)
    return (np.cos(half), 0.0, np.sin(half), 0.0)


def top_orientation(inertia, omega, t):
    """Free symmetric top, I_x = I_y: exp(t L/2I_x) exp(t (1 - I_z/I_x) omega_z e_z/2), from the identity."""

    def exponential(v):
        angle = np.linalg.norm(v)
        return np.array([np.cos(angle), *(np.sin(angle) * v / angle)])

    def multiply(p, q):
        return np.array([p[0] * q[0] - p[1:] @ q[1:], *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])

    momentum = np.multiply(inertia, omega)
    about = np.array([0.0, 0.0, (1 - inertia[2] / inertia[0]) * omega[2]])
    return multiply(exponential(0.5 * t / inertia[0] * momentum), exponential(0.5 * t * about))
