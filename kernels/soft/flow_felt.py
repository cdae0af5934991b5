"""What bodies feel of a fluid, from one evaluation of its laws to the next: rows of `Bodies.felt`, see ``feel``."""

from kernels import rotation
from kernels.base.jit import formula
from kernels.fluid.gradients import put_three, three
from kernels.fluid.stride import Share

# `Share` of the relaxation along a body's first axis; velocity of the fluid in the middle of the interval [m/s]; how
# fast that changes for who goes along [m/s²]; push of the fluid [m/s²]; where bodies turn: `Share` of the relaxation of
# rotation about the first axis, the angular velocity at which it feels no torque [rad/s]; of other bodies than spheres:
# the shares along the other two axes, those about them, how fast that angular velocity changes as they turn, as both
# are at the beginning of the interval, in the body frame [rad/s²]
SHARE, TARGET, SLOPE, PUSH, TURN, SPIN, SHARES, TURNS, BEND = 0, 2, 5, 8, 11, 13, 16, 20, 24
OF_STRAIGHT_SPHERES, OF_SPHERES, OF_BODIES = 11, 16, 27  # numbers of rows


@formula
def share_in(felt, row, b):
    """The `Share` of body b in two rows from this one on."""
    return Share(felt[row, b], felt[row + 1, b])


@formula
def put_share(felt, row, b, share):
    """Write it."""
    felt[row, b], felt[row + 1, b] = share.loss, share.mean


@formula
def _one_share(scheme, felt, row, rows, b):
    one = share_in(felt, row, b)
    return one, one, one


@formula
def _three_shares(scheme, felt, row, rows, b):
    return share_in(felt, row, b), share_in(felt, rows, b), share_in(felt, rows + 2, b)


@formula
def _put_one(scheme, felt, row, rows, b, shares):
    put_share(felt, row, b, shares[0])


@formula
def _put_three(scheme, felt, row, rows, b, shares):
    put_share(felt, row, b, shares[0])
    put_share(felt, rows, b, shares[1])
    put_share(felt, rows + 2, b, shares[2])


@formula
def _no_bend(scheme, felt, b):
    return 0.0, 0.0, 0.0


@formula
def _bend(scheme, felt, b):
    return three(felt, BEND, b)


@formula
def _leave_bend(scheme, felt, b, bend):
    return


@formula
def _put_bend(scheme, felt, b, bend):
    put_three(felt, BEND, b, bend)


# of spheres, whose axes are all alike, and of other bodies: (scheme, felt, SHARE, SHARES or TURN, TURNS, b), or
# (scheme, felt, b); and what is to be written
shares_in = rotation.spheres_or(_one_share, _three_shares)
put_shares = rotation.spheres_or(_put_one, _put_three)
bend_in = rotation.spheres_or(_no_bend, _bend)
put_bend = rotation.spheres_or(_leave_bend, _put_bend)
