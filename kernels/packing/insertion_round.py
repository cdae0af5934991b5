"""A round of insertion: random places are tried for each body until it overlaps nothing."""

import numpy as np
from dem.kernels.compiler.jit import kernel
from dem.kernels.numerics.quaternion import load_quaternion, rotate
from dem.kernels.numerics.random import philox, uniform
from dem.kernels.numerics.vector import add, load
from dem.kernels.packing.insertion import add_sphere, into_period, is_free


@kernel
def draw(purpose, seed, stream, turn, number, draws, out):
    """Write four uniform numbers in (0, 1) for each draw (K,) of each particle (K,) of a round to out (4, K)."""
    key = np.uint64(seed), np.uint64(stream)
    for k in range(number.size):
        words = philox((np.uint64(draws[k]), np.uint64(number[k]), np.uint64(purpose), np.uint64(turn)), key)
        for w in range(4):
            out[w, k] = uniform(words[w])


@kernel
def place_each(first, offset, size, gap, usable, position, orientation, occupied, used, chosen):
    """Offer places to one body after the other.

    first: (B + 1,) int; body b has the spheres first[b] to first[b + 1].
    offset, size: (3, S) centres in the body frame, (S,) radii [m].
    gap: distance that there has to be between surfaces [m].
    usable: (B, A) int8, offers that may be taken at all.
    position, orientation: (3, B A) [m], (4, B A), the offers.
    Writes occupied: `Occupied`, spheres of bodies that have a place. Writes used: (1,) int, spheres that have a place.
    Writes chosen: (B,) int, the offer that each body took, or -1; those that have one already are left out.
    """
    offers, spheres = usable.shape[1], used[0]
    for b in range(chosen.size):
        a = 0
        while chosen[b] < 0 and a < offers:
            k = b * offers + a
            free = usable[b, a] == 1
            x, q = load(position, k), load_quaternion(orientation, k)
            o = first[b]
            while free and o < first[b + 1]:
                place = into_period(add(x, rotate(q, load(offset, o))), occupied)
                free = is_free(place, size[o] + gap, occupied)
                o += 1
            if free:
                for s in range(first[b], first[b + 1]):
                    add_sphere(into_period(add(x, rotate(q, load(offset, s))), occupied), size[s], spheres, occupied)
                    spheres += 1
                chosen[b] = a
            a += 1
    used[0] = spheres
