"""The contacts of the present moment, one by one, for who looks at them: what a step has gathered already by body.

Forces are reckoned anew from the whole-step state and what the contacts remember; nothing is written but the list.
"""

import math

from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, kernel
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.laws import hertz
from dem.kernels.numerics.vector import dot, load, scale, subtract
from dem.kernels.soft.chunks import first_candidate
from dem.kernels.soft.contact import contact_detection
from dem.kernels.soft.contact.capsule_report import list_capsules
from dem.kernels.soft.contact.capsules import capsules_or
from dem.kernels.soft.contact.report_row import ARM, BRANCH, COLUMNS, FORCE, LOSS, NORMAL, OVERLAP, write  # noqa: F401
from dem.kernels.soft.wall_contact.wall_report import list_walls


@inline
def pair_elastic(law, t, start, end, rate, listed, half, bodies, kinds, neighbours, box):
    """Hertz's force between two spheres.

    Parameters
    ----------
    law, t, start, end, rate, listed, half, bodies, kinds, neighbours, box : see `pair_dissipative`

    Returns
    -------
    as `pair_dissipative`
    """
    k = start + listed[t]
    i, j, reach, stiffness = neighbours.sphere_i[k], neighbours.sphere_j[k], kinds.contact_distance, kinds.stiffness
    if reach == 0.0:
        reach, stiffness = neighbours.contact_distance[k], neighbours.stiffness[k]
    touch, x = contact_detection.meeting(i, bodies.owner[i], j, bodies.owner[j], reach, stiffness, bodies, kinds, box)
    return touch, x, scale(hertz.force(touch.stiffness, touch.overlap), touch.normal), 0.0, end, rate


@inline
def pair_dissipative(law, t, start, end, rate, listed, half, bodies, kinds, neighbours, box):
    """Force by a law that needs velocities, at the time of what the contact remembers.

    Parameters
    ----------
    law, t, start, end, rate, half, bodies, kinds, neighbours, box : see
    `kernels.soft.contact.contact_detection.look_together`
    listed : candidates that touch

    Returns
    -------
    `laws.ContactKinematics`, point [m], force on i [N], energy taken up besides the elastic one [W], end, rate
    """
    touch, x, history, end, rate = contact_detection.look_together(
        law, t, start, end, rate, listed, half, bodies, kinds, neighbours, box
    )
    b = bodies.owner[neighbours.sphere_i[start + listed[t]]]
    c = bodies.owner[neighbours.sphere_j[start + listed[t]]]
    m_b, m_c = kinds.material[bodies.kind[b]], kinds.material[bodies.kind[c]]
    outcome = laws.contact(law, m_b, m_c, touch, history, half, -1.0)[0]
    return touch, x, outcome.force, outcome.loss / half, end, rate


pair_now = laws.elastic_or(pair_elastic, pair_dissipative)


@func
def list_touching(law, c, bodies, kinds, neighbours, box, listed):
    """List the candidates of chunk c that touch, or have not let go since; returns their number.

    Parameters
    ----------
    law, c, bodies, kinds, neighbours, box : see `list_contacts`

    Writes
    ------
    listed : counted from the chunk's first
    """
    n, start = 0, first_candidate(c, neighbours)
    for k in range(neighbours.pairs[c]):
        i, j = neighbours.sphere_i[start + k], neighbours.sphere_j[start + k]
        reach = kinds.contact_distance if kinds.contact_distance > 0.0 else neighbours.contact_distance[start + k]
        d = minimum_image(box, load(bodies.sphere_position, i), load(bodies.sphere_position, j))
        held = laws.has_range(law) and neighbours.has_history[start + k] != 0
        if math.sqrt(dot(d, d)) < reach or held:
            listed[n] = k
            n += 1
    return n


@func
def list_spheres(kinds, law, half, bodies, neighbours, box, listed, who, what):
    """List the contacts of two spheres; returns their number.

    Parameters
    ----------
    kinds, law, half, bodies, neighbours, box : see `list_contacts`

    Writes
    ------
    listed, who, what : as `list_contacts`
    """
    n = 0
    for c in range(neighbours.pairs.size):
        start = first_candidate(c, neighbours)
        present = listed[: list_touching(law, c, bodies, kinds, neighbours, box, listed)]
        end, rate = 0, 0.0
        for t in range(present.size):
            i, j = neighbours.sphere_i[start + present[t]], neighbours.sphere_j[start + present[t]]
            a, b = bodies.owner[i], bodies.owner[j]
            touch, x, force, loss, end, rate = pair_now(
                law, t, start, end, rate, present, half, bodies, kinds, neighbours, box
            )
            arm, other = (
                minimum_image(box, x, load(bodies.position, a)),
                minimum_image(box, x, load(bodies.position, b)),
            )
            of_a, of_b = i - bodies.first_sphere[a], j - bodies.first_sphere[b]
            identity = bodies.identity
            branch = subtract(other, arm)
            write(n, identity[a], identity[b], of_a, of_b, touch, force, loss, arm, branch, who, what)
            n += 1
    return n


list_pairs = capsules_or(list_spheres, list_capsules)


@kernel
def list_contacts(law, half, bodies, kinds, neighbours, box, listed, who, what):
    """List all contacts of the present state.

    Parameters
    ----------
    law, half, kinds, neighbours, box : see `dem.kernels.soft.state`
    bodies : with all spheres placed, and whole-step velocities and spins in place of those ahead

    Writes
    ------
    listed : (K,) int32, scratch for the candidates of a chunk
    who : (R, 4) int64: numbers of the two bodies, -1 - face for a wall, -7 - w for
        wall w of `Walls`; those of the spheres within them
    what : (R, COLUMNS): overlap [m], unit normal from j to i, force on i [N], arm from the centre of i to the point of
        contact [m], branch from the centre of j, or the point at a wall, to that of i [m], energy that the
        contact takes up besides `elastic`, see `dem.kernels.laws` [W]

    Returns
    -------
    number of contacts, also of those for which there is no room
    """
    n = list_pairs(kinds, law, half, bodies, neighbours, box, listed, who, what)
    return list_walls(n, law, half, bodies, kinds, neighbours, box, who, what)
