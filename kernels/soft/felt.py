"""What walls feel: sums over contacts that do not depend on their order, and what they come to in time.

Each contact is rounded to integers in a fixed unit, as energies are (`kernels.base.energy`), by chunk; a step adds the
chunks up.
"""

import math

import numpy as np

from kernels.base.energy import REST, as_words
from kernels.base.jit import formula, part
from kernels.base.vector import add, cross, dot, load, scale, subtract
from kernels.box.periodic import gap
from kernels.soft.walled import bare_or

FORCE, TORQUE, WORK, STIFFNESS, CONTACTS, COLUMNS = 0, 6, 12, 14, 16, 17  # two words each but for the last


@formula
def nothing_felt(box, c):
    """Where there are no walls."""
    return


@formula
def clear_felt(box, c):
    """Begin to sum what walls feel from chunk c."""
    box.walls.fullest[c] = 0
    for w in range(box.walls.row.size):
        for k in range(COLUMNS):
            box.walls.part[c, w, k] = 0


begin = bare_or(nothing_felt, clear_felt)


@formula
def book_vector(c, w, column, u, unit, box):
    """Add a vector to the sums."""
    for k in range(3):
        whole, rest = as_words(u[k], unit)
        box.walls.part[c, w, column + 2 * k] += whole
        box.walls.part[c, w, column + 2 * k + 1] += rest


@part
def book(c, w, x, force, couple, work, stiffness, box):
    """Note a contact of chunk c with wall w.

    Parameters
    ----------
    c, w, x : chunk, wall, point [m]
    force, couple : on the sphere [N, N m]
    work : that the wall does in half a step, in two words [units]
    stiffness : of the contact [N/m]

    Writes
    ------
    box.walls.part : row c, w
    """
    walls = box.walls
    middle = load(walls.poses.middle, w)
    arm = add(gap(box, x, middle), subtract(middle, load(walls.poses.about, w)))
    book_vector(c, w, FORCE, scale(-1.0, force), walls.unit[0], box)
    book_vector(c, w, TORQUE, scale(-1.0, add(cross(arm, force), couple)), walls.unit[1], box)
    walls.part[c, w, WORK] += work[0]
    walls.part[c, w, WORK + 1] += work[1]
    if walls.servo[6, w] != 0.0:
        whole, rest = as_words(stiffness, walls.unit[2])
        walls.part[c, w, STIFFNESS] += whole
        walls.part[c, w, STIFFNESS + 1] += rest
    walls.part[c, w, CONTACTS] += 1


@formula
def total(w, column, walls):
    """A sum over all chunks."""
    whole, rest = np.int64(0), np.int64(0)
    for c in range(walls.part.shape[0]):
        whole += walls.part[c, w, column]
        rest += walls.part[c, w, column + 1]
    return whole + rest / REST


@formula
def add_up(total, k, w, value):
    """Add to a sum in time, and what rounding leaves out of it, as `kernels.base.energy.accumulate`."""
    before = total[0, k, w]
    total[0, k, w] = before + value
    taken = total[0, k, w] - before
    total[1, k, w] += (before - (total[0, k, w] - taken)) + (value - taken)


@formula
def no_account(box, setting, completes, progress):
    """Where there are no walls."""
    return


@formula
def steered(w, pressed, stiffness, dt, walls):
    """Velocity at which a servo moves its wall: G (F₀ - F), G = α/(k dt), with the stiffness k of all its contacts.

    So a share α of what lacks is made up in a step. Itasca, PFC manual, "servo-controlled walls".
    """
    lacking, most = walls.servo[3, w] - pressed, walls.servo[5, w]
    if lacking == 0.0:
        return 0.0
    speed = walls.servo[4, w] * lacking / (stiffness * dt) if stiffness > 0.0 else math.copysign(most, lacking)
    return max(min(speed, most), -most)


@part
def account(box, setting, completes, progress):
    """Note what walls felt in a sweep, and see what servos do until the next.

    Parameters
    ----------
    setting : see `kernels.soft.state`
    completes : whether a step has been completed with them

    Writes
    ------
    box.walls : felt, impulse, working, driven
    progress.working : what changes of velocity add to it
    """
    walls = box.walls
    half = 0.5 * setting.dt
    for w in range(walls.row.size):
        for k in range(6):
            force = total(w, 2 * k, walls) / walls.unit[k // 3]
            if completes:
                add_up(walls.impulse, k, w, half * (walls.felt[k, w] + force))
            walls.felt[k, w] = force
        work = total(w, WORK, walls) / setting.per_joule
        if completes:
            add_up(walls.impulse, 6, w, walls.working[w] + work)
        walls.working[w] = work
        contacts = np.int64(0)
        for c in range(walls.part.shape[0]):
            contacts += walls.part[c, w, CONTACTS]
        walls.felt[6, w] = contacts
        if walls.servo[6, w] != 0.0:
            pressed = -dot(load(walls.servo, w), load(walls.felt, w))
            before = walls.driven[1, w]
            walls.driven[1, w] = steered(w, pressed, total(w, STIFFNESS, walls) / walls.unit[2], setting.dt, walls)
            more = half * pressed * (walls.driven[1, w] - before)
            walls.working[w] += more
            progress.working[0] += more * setting.per_joule


account_walls = bare_or(no_account, account)
