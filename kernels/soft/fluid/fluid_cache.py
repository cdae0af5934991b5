"""Cache of fluid forces by body: the rows of `Bodies.fluid_cache`.

See ``fluid_forces``.
"""

from dem.kernels import rotation
from dem.kernels.compiler.jit import inline, select
from dem.kernels.fluid.gradients import three, write_three
from dem.kernels.fluid.relaxation_step import Share

# SLOPE: rate of change of the fluid velocity along the path of the body [m/s²]. MASS: of the body [kg]. SHARE: `Share`
# of the relaxation along its first axis, see `relaxation_step.with_added_mass`. TARGET: velocity of the fluid in the
# middle of the interval; for spheres, change of velocity in half a step by this and by PUSH [m/s]. Where bodies turn:
# TURN, `Share` of the relaxation of rotation about the first axis; SPIN, angular velocity without torque [rad/s]. Of
# other bodies than spheres: PUSH, lift and pressure force over the mass, less SLOPE over the mass ratio [m/s²]; SHARES,
# along the other two axes; TURNS, about these; SPIN_SLOPE, rate of change of SPIN as the body turns [rad/s²]. SPIN and
# SPIN_SLOPE are those at the beginning of the interval, in the body frame.
SLOPE, MASS, SHARE, TARGET, TURN, SPIN, PUSH, SHARES, TURNS, SPIN_SLOPE = 0, 3, 4, 6, 9, 11, 14, 17, 21, 25
OF_STRAIGHT_SPHERES, OF_SPHERES, OF_BODIES = 9, 14, 28  # numbers of rows


@inline
def share_in(cache, row, b):
    """Relaxation factors (`Share`) of body b in two rows from a given one on."""
    return Share(cache[row, b], cache[row + 1, b])


@inline
def write_share(cache, row, b, share):
    """Write `Share` of a relaxation to two rows of the cache."""
    cache[row, b], cache[row + 1, b] = share.loss, share.time


@inline
def _one_share(scheme, cache, row, rows, b):
    one = share_in(cache, row, b)
    return one, one, one


@inline
def _three_shares(scheme, cache, row, rows, b):
    return share_in(cache, row, b), share_in(cache, rows, b), share_in(cache, rows + 2, b)


@inline
def _write_one(scheme, cache, row, rows, b, shares):
    write_share(cache, row, b, shares[0])


@inline
def _write_three(scheme, cache, row, rows, b, shares):
    write_share(cache, row, b, shares[0])
    write_share(cache, rows, b, shares[1])
    write_share(cache, rows + 2, b, shares[2])


@inline
def _spin_slope(scheme, cache, b):
    return three(cache, SPIN_SLOPE, b)


@inline
def _write_spin_slope(scheme, cache, b, slope):
    write_three(cache, SPIN_SLOPE, b, slope)


# Functions of (scheme, cache, SHARE, SHARES or TURN, TURNS, b), or of (scheme, cache, b), which read the cache; those
# that write it have the values as last argument. Spheres have the same shares along all axes.
shares_in = select("scheme", {rotation.SphericalPCDM: _one_share, object: _three_shares})
write_shares = select("scheme", {rotation.SphericalPCDM: _write_one, object: _write_three})
spin_slope_in = select("scheme", {rotation.SphericalPCDM: (0.0, 0.0, 0.0), object: _spin_slope})
write_spin_slope = select("scheme", {rotation.SphericalPCDM: None, object: _write_spin_slope})
