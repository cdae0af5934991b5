"""Which bodies are near walls, and so have to be looked at until candidates are picked anew."""

import numpy as np

from kernels.base.jit import formula, part
from kernels.base.quaternion import body_x, load_quaternion
from kernels.base.vector import add_scaled, load
from kernels.soft import slots
from kernels.soft.neighbours import SLACK
from kernels.soft.walled import SINGLE, bare_or, in_frame
from kernels.soft.walls import touches_rough
from kernels.walls.geometry import clearance


@formula
def axis(b, bodies, kinds):
    """Direction of body b if its spheres lie on a line, else zero."""
    if kinds.on_line[bodies.kind[b]] == 0:
        return (0.0, 0.0, 0.0)
    return body_x(load_quaternion(bodies.orientation, b))


@formula
def centre(b, s, u, bodies, kinds):
    """Centre of sphere s of body b: on its axis u, or where it was placed."""
    g = bodies.kind[b]
    if kinds.on_line[g] == 0:
        return load(bodies.sphere_position, bodies.first_sphere[b] + s)
    return add_scaled(load(bodies.position, b), kinds.offset[0, kinds.first_offset[g] + s], u)


@formula
def near_wall(b, skin, bodies, kinds, box):
    """Whether a sphere of body b comes closer to a wall than the skin."""
    g = bodies.kind[b]
    if is_clear(load(bodies.position, b), (kinds.bound[g] + skin) * SLACK, box):
        return 0
    u = axis(b, bodies, kinds)
    for s in range(kinds.first_offset[g + 1] - kinds.first_offset[g]):
        radius = kinds.radius[kinds.first_offset[g] + s]
        if not is_clear(centre(b, s, u, bodies, kinds), (radius + skin) * SLACK, box):
            return 1
    return 0


@formula
def is_clear(x, margin, box):
    """Whether a point is farther than the margin from all walls."""
    clear = True
    for axis in range(3):
        clear = clear and x[axis] - margin >= box.lower[axis] and x[axis] + margin <= box.upper[axis]
    return clear


@formula
def near_faces(box, b, skin, bodies, kinds, neighbours):
    """Whether body b is near the faces of a box, or in touch with the plane that a rough one shows it."""
    near = near_wall(b, skin, bodies, kinds, box)
    if box.roughness > 0.0 and touches_rough(b, bodies, neighbours):
        near = 1
    return near


@part
def near_any(box, b, skin, bodies, kinds, neighbours):
    """The same, or near any other wall, of which it is noted near which; who is near none remembers none."""
    near, walls, u = np.int64(0), box.walls, axis(b, bodies, kinds)
    g = bodies.kind[b]
    for s in range(kinds.first_offset[g + 1] - kinds.first_offset[g]):
        reach = (kinds.radius[kinds.first_offset[g] + s] + skin) * SLACK
        x = centre(b, s, u, bodies, kinds)
        for w in range(walls.row.size):
            if clearance(w, in_frame(w, x, box), walls.geometry) < reach:
                near |= np.int64(1) << min(w, SINGLE)
    walls.near[b] = near
    if near == 0:
        slots.forget(b, bodies, walls)
    return 1 if near != 0 else near_faces(box, b, skin, bodies, kinds, neighbours)


is_walled = bare_or(near_faces, near_any)
