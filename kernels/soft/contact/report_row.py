"""A row of what is told of a contact."""

from dem.kernels.compiler.jit import inline

OVERLAP, NORMAL, FORCE, ARM, BRANCH, LOSS, COLUMNS = 0, 1, 4, 7, 10, 13, 14  # where things are in a row


@inline
def write(n, i, j, of_i, of_j, touch, force, loss, arm, branch, who, what):
    """Write row n, if there is room for it.

    Parameters
    ----------
    n, i, j, of_i, of_j : row; the two bodies' numbers, and those of the spheres within them
    touch, force, loss, arm, branch : the contact [N, W, m, m]

    Writes
    ------
    who, what : as `dem.kernels.soft.contact.contact_report.list_contacts`
    """
    if n < who.shape[0]:
        who[n, 0], who[n, 1], who[n, 2], who[n, 3] = i, j, of_i, of_j
        what[n, OVERLAP], what[n, LOSS] = touch.overlap, loss
        for axis in range(3):
            what[n, NORMAL + axis] = touch.normal[axis]
            what[n, FORCE + axis] = force[axis]
            what[n, ARM + axis] = arm[axis]
            what[n, BRANCH + axis] = branch[axis]
