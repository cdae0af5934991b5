"""Time loop of direct simulation Monte Carlo: free flight with impacts on walls, then stochastic collisions.

Flight is that of hard spheres without impacts between them, exact also under gravity. Flight and collisions are split,
so a step must be short against the time between collisions, and against the time to cross a cell if cells differ.

Functions take the number of steps and the time step dt [s], an upper limit of the solid fraction, the seed of the
random numbers, and what they write: spheres, all at the same time (`event_driven.flight.SphereState`), `Gas`,
`SolidsStress`, `VelocityMoments`, `Carrier`, `CollisionTally`; besides `event_driven.flight.Space`, whose chains are
not used, and `event_driven.events.ImpactLaws`.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import func, inline, kernel
from dem.kernels.dsmc.carrier_fluid import advance_fluid_and_particle
from dem.kernels.dsmc.gas import largest_solid_fraction, mean_rate, sort
from dem.kernels.dsmc.pairs import collide_cell
from dem.kernels.dsmc.partners import collide_with_partner, sum_partner_moments
from dem.kernels.dsmc.solids_pressure import apply_solids_pressure
from dem.kernels.event_driven.events import hit_wall
from dem.kernels.event_driven.flight import PERIODIC, TIME, advance_to_time, next_wall

DONE, DENSE, STUCK, FREQUENT, STIFF = range(5)
MAX_COLLISIONS = 10.0  # maximum number of collisions of a particle in a step; with more, splitting is inaccurate
MAX_COURANT = 0.5  # maximum fraction of a cell that waves of the solids pressure cross in a step
MAX_BOUNCES = 1000  # impacts of a particle on walls in a step, beyond those a contact time apart, see `max_bounces`


class CollisionTally(NamedTuple):
    """Counts, energies and extremes of a run."""

    step: np.ndarray  # (1,) steps taken
    pair: np.ndarray  # (1,) collisions; of a particle with a fictitious partner each one
    wall: np.ndarray  # (1,) impacts with walls
    lasting: np.ndarray  # (1,) those that came within the contact time after the last one
    excess: np.ndarray  # (1,) collisions that were less likely than they should have been
    lost: np.ndarray  # (1,) energy that impacts have taken [J]
    lifted: np.ndarray  # (1,) energy given to what rests on walls [J]
    gained: np.ndarray  # (1,) energy given by fictitious partners, and the fluid [J]
    impulse: np.ndarray  # (3,) momentum given by them [kg m/s]
    rate: np.ndarray  # (1,) most collisions of a particle a second, on average over all, of any step
    densest: np.ndarray  # (1,) largest solid fraction, see `dem.kernels.dsmc.gas.largest_solid_fraction`
    stuck: np.ndarray  # (1,) particle that hits walls again and again


@inline
def advance_particle(i, t, spheres, space, laws, tally, most):
    """Move particle i to time t and reflect it from walls; returns whether it arrived."""
    row = spheres.row
    for _ in range(most):
        soonest, wall = next_wall(i, row[i, TIME], row, space)
        if not soonest <= t:
            advance_to_time(row, i, t, space)
            for axis in range(3):
                if space.boundary[axis] == PERIODIC:
                    away = math.floor((row[i, axis] - space.lower[axis]) / space.period[axis])
                    row[i, axis] -= away * space.period[axis]
                    spheres.image[axis, i] += np.int64(away)
            return True
        tally.lasting[0] += 1 if soonest - spheres.last[i] < laws.contact_time else 0
        hit_wall(i, -1 - wall, soonest, spheres, space, laws, tally)
    tally.stuck[0] = i
    return False


@func
def sort_and_check(dt, limit, spheres, space, gas, tally):
    """Sort particles into cells; returns DONE, or which limit on density or collision rate is exceeded."""
    sort(spheres, space, gas)
    densest = largest_solid_fraction(spheres, space, gas)
    tally.densest[0] = max(tally.densest[0], densest)
    if not densest < limit:
        return DENSE
    rate = mean_rate(spheres, space, gas)
    tally.rate[0] = max(tally.rate[0], rate)
    return DONE if rate * dt <= MAX_COLLISIONS else FREQUENT


@inline
def max_bounces(dt, laws):
    """Maximum number of impacts of a particle on walls in a step."""
    return MAX_BOUNCES + int(4.0 * dt / laws.contact_time)


@inline
def advance_all_particles(dt, limit, spheres, space, laws, gas, tally):
    """Move all particles to the end of the next step, then `sort_and_check`; returns its code, or STUCK."""
    t, bounces = (tally.step[0] + 1) * dt, max_bounces(dt, laws)
    for i in range(gas.cell.size):
        if not advance_particle(i, t, spheres, space, laws, tally, bounces):
            return STUCK
    return sort_and_check(dt, limit, spheres, space, gas, tally)


@func
def collide_pairs(t, dt, spheres, gas, law, seed, tally):
    """Collide pairs in all cells in the step that ends at time t."""
    for c in range(gas.share.size):
        if gas.first[c + 1] - gas.first[c] > 1:
            collide_cell(c, t, dt, spheres, gas, law, seed, tally)


@kernel
def advance_pairs(steps, dt, limit, seed, spheres, space, laws, gas, tally):
    """Take a number of steps with collisions of pairs of particles.

    Returns DONE; DENSE if the limit was reached, STUCK if a particle hits walls without end, or FREQUENT if there would
    be more than MAX_COLLISIONS of a particle: the step is not complete then.
    """
    for _ in range(steps):
        code = advance_all_particles(dt, limit, spheres, space, laws, gas, tally)
        if code != DONE:
            return code
        collide_pairs((tally.step[0] + 1) * dt, dt, spheres, gas, laws.pair, seed, tally)
        tally.step[0] += 1
    return DONE


@kernel
def advance_with_solids_pressure(steps, dt, limit, seed, spheres, space, laws, gas, stress, tally):
    """Take a number of steps with collisions of pairs and a solids pressure.

    Returns as `advance_pairs`; STIFF if waves of the pressure would cross more than MAX_COURANT of a cell in a step.
    """
    narrowest = min(space.width[0], space.width[1], space.width[2])
    for _ in range(steps):
        code = advance_all_particles(dt, limit, spheres, space, laws, gas, tally)
        if code != DONE:
            return code
        apply_solids_pressure(dt, spheres, space, gas, stress, tally)
        if not stress.waves[0] * dt <= MAX_COURANT * narrowest:
            return STIFF
        collide_pairs((tally.step[0] + 1) * dt, dt, spheres, gas, laws.pair, seed, tally)
        tally.step[0] += 1
    return DONE


@inline
def advance_particle_in_fluid(i, t, gravity, seed, spheres, space, laws, moments, carrier, tally, most):
    """Move particle i to time t with drag, reflected at most `most` times from walls; returns whether it arrived.

    Gravity acts through the fluid velocities, not during flight.
    """
    row, image, period = spheres.row, spheres.image, space.period
    if carrier.table.shape[1] == 0:
        return advance_particle(i, t, spheres, space, laws, tally, most)
    advance_fluid_and_particle(i, moments.variant[i], seed, spheres, carrier, tally)
    risen = 0.0
    for axis in range(3):
        risen += gravity[axis] * (row[i, axis] + image[axis, i] * period[axis])
    arrived = advance_particle(i, t, spheres, space, laws, tally, most)
    for axis in range(3):
        risen -= gravity[axis] * (row[i, axis] + image[axis, i] * period[axis])
    tally.gained[0] += spheres.mass[i] * risen
    return arrived


@kernel
def advance_partners(steps, dt, limit, seed, gravity, spheres, space, laws, gas, moments, carrier, tally):
    """Take a number of steps with collisions with fictitious partners; returns a code as `advance_pairs`.

    gravity: that acts while the fluid carries particles [m/s²].
    """
    bounces = max_bounces(dt, laws)
    for _ in range(steps):
        t = (tally.step[0] + 1) * dt
        for i in range(gas.cell.size):
            if not advance_particle_in_fluid(
                i, t, gravity, seed, spheres, space, laws, moments, carrier, tally, bounces
            ):
                return STUCK
        code = sort_and_check(dt, limit, spheres, space, gas, tally)
        if code != DONE:
            return code
        sum_partner_moments(spheres, gas, moments, carrier.seen)
        for i in range(gas.cell.size):
            c = gas.cell[i]
            if gas.first[c + 1] - gas.first[c] > 1:
                collide_with_partner(i, t, dt, spheres, gas, moments, laws.pair, seed, carrier.seen, tally)
        tally.step[0] += 1
    return DONE


@kernel
def measure_gas(spheres, space, gas):
    """Sort particles into cells; returns the largest solid fraction and the mean collision rate of a particle [1/s].

    The latter for equal spheres with Maxwell's distribution in each cell.
    """
    sort(spheres, space, gas)
    densest = largest_solid_fraction(spheres, space, gas)
    return densest, (mean_rate(spheres, space, gas) if densest < 1.0 else math.inf)
