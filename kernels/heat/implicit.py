"""Sparse systems of an implicit exchange, (D + L) x = b: L is the Laplacian of conductances, D a diagonal.

Nodes are bodies in the order of the user's rows, and what has a capacity besides them. Edges come in an order that
depends on their nodes alone, and sums are taken one after the other: a solution has the same bits for any number of
threads and ranks, and for lists of any age.
"""

from dem.kernels.compiler.jit import inline, kernel
from dem.kernels.heat.temperature_dependence import value_at


@inline
def times_laplacian(first, second, conductance, x, result):
    """Laplacian of the edges times x (N,); writes result (N,)."""
    for n in range(x.size):
        result[n] = 0.0
    for k in range(first.size):
        amount = conductance[k] * (x[first[k]] - x[second[k]])
        result[first[k]] += amount
        result[second[k]] -= amount


@inline
def dot_product(x, y):
    """Sum of products, one after the other."""
    total = 0.0
    for n in range(x.size):
        total += x[n] * y[n]
    return total


@kernel
def flows(first, second, conductance, value, result):
    """Amount a second that nodes gain from each other, Σ G (u_j - u_i).

    first, second: (E,) int64, nodes of the edges. conductance: (E,) G. value: (N,) u.
    Writes result: (N,).
    """
    times_laplacian(first, second, conductance, value, result)
    for n in range(value.size):
        result[n] = -result[n]


@kernel
def solve(first, second, conductance, diagonal, x, r, z, p, q, tolerance, most):
    """Solve (D + L) x = b by conjugate gradients, preconditioned by the diagonal of the matrix.

    M. R. Hestenes & E. Stiefel, J. Res. Natl. Bur. Stand. 49 (1952) 409. It ends when the residual, in the norm of the
    preconditioner, is `tolerance` of that at the start.

    first, second, conductance: as of `flows`. diagonal: (N,) D, positive. r: (N,) b. tolerance: a share. most: of
    iterations.
    Writes x: (N,). Writes r, z, p, q: (N,), scratch. Returns the number of iterations, or -1 if they do not suffice.
    """
    for n in range(x.size):
        q[n] = diagonal[n]
    for k in range(first.size):
        q[first[k]] += conductance[k]
        q[second[k]] += conductance[k]
    for n in range(x.size):
        x[n], z[n] = 0.0, 1.0 / q[n]
        p[n] = z[n] * r[n]
    residual = dot_product(r, p)
    goal = tolerance * tolerance * residual
    done = 0
    while not residual <= goal:
        if done == most:
            return -1
        times_laplacian(first, second, conductance, p, q)
        for n in range(x.size):
            q[n] += diagonal[n] * p[n]
        step = residual / dot_product(p, q)
        for n in range(x.size):
            x[n] += step * p[n]
            r[n] -= step * q[n]
        before, residual = residual, 0.0
        for n in range(x.size):
            residual += r[n] * z[n] * r[n]
        for n in range(x.size):
            p[n] = z[n] * r[n] + residual / before * p[n]
        done += 1
    return done


@kernel
def values(table, kind, at, result):
    """Values of a `PropertyTable`, such as heat capacities, of bodies of these kinds at (N,) [K]; writes result."""
    for b in range(at.size):
        result[b] = value_at(table, kind[b], at[b])


@kernel
def radiated(factor, around, value, result):
    """Heat a second from surroundings, σ ε A (T_s⁴ - T⁴), of bodies; around: T_s [K].

    factor: (N,) σ ε A [W/K⁴]. value: (N,) T [K].
    Writes result: (2, N), the heat [W] and minus its derivative [W/K].
    """
    for b in range(value.size):
        square = value[b] * value[b]
        result[0, b] = factor[b] * (around * around * around * around - square * square)
        result[1, b] = 4.0 * factor[b] * value[b] * square
