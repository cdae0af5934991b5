"""Published results of the bulk benchmarks of Dosta et al. (2024), and results of other programs.

M. Dosta et al., Comput. Phys. Commun. 296 (2024) 109066; raw results of the impact: weinhart/dem_benchmark_plots; runs
of others from the same initial states: computational-chemical-engineering/peclet-examples. Nothing here was read in the
paper itself: rates, ratios and periods are as other texts quote them.
"""

from __future__ import annotations

import numpy as np

SECOND_HAND = (
    "Second-hand: the paper itself was not at hand. Means and scatter of the impact are of its authors' raw results (7 "
    "codes, 10 initial states, 25 000 grains; YADE left out as they do); rates of the silo and periods of the drum as "
    "quoted by others; curves of MUSEN and LIGGGHTS are runs repeated by others from the published initial states. The "
    "initial states here are our own, settled from grains strewn at random; theirs are not published with the text."
)
DIFFERENCES = (
    "Contacts: Hertz, damping, Coulomb friction with memory, restitution and friction by pair, as published. Our "
    "damped contact lets go where its force is zero, with a damping that gives the restitution in full; the codes "
    "compared with let it pull until the overlap is zero, or get less restitution: 0.47, 0.55, 0.63 for 0.4, 0.5, 0.6."
)

# Impact of 25 000 grains: time [ms], displacement [mm], its standard deviation over ten states [mm]
IMPACT = np.array([
    (21, -107.16, 0.0), (22, -112.17, 0.04), (24, -120.03, 0.08), (26, -126.47, 0.16), (28, -131.97, 0.21),
    (30, -136.59, 0.22), (31, -138.38, 0.15), (32, -137.85, 0.35), (34, -134.60, 0.60), (36, -131.39, 0.87),
    (40, -125.07, 1.42),
])  # fmt: skip
DEEPEST = (-138.4, 0.5)  # [mm]
TOP_OF_BED = -0.0555  # of 25 000 grains [m]

# Silo
RATE = 23.2e3  # mean discharge, large orifice, M1 [grains/s]
RATIO = (3.10, 0.06)  # of large to small
LEFT_AT = np.arange(0.5, 4.6, 0.5)  # [s]
LEFT = {
    "LIGGGHTS, large": (88542, 76015, 63550, 51271, 39070, 27007, 15080, 3953, 0),
    "MUSEN, large": (88020, 75710, 63402, 51156, 39112, 27141, 15454, 4341, 152),
    "MUSEN, small": (96164, 92274, 88367, 84522, 80647, 76808, 72913, 69066, 65166),
}

# Drum: every 0.25 s
DRUM_AT = np.arange(20) * 0.25
DRUM = {
    ("M1", 2): {
        "MUSEN": (15047, 12992, 17957, 20240, 9899, 2336, 22, 302, 6381, 14317, 17107, 12428, 5469, 1530, 1468, 5007,
                  9134, 11966, 11829, 8221),
        "LIGGGHTS": (14471, 12988, 17904, 20334, 9869, 2334, 21, 324, 5984, 13794, 17016, 12653, 6136, 1728, 1471, 4666,
                     8275, 11877, 12196, 8738),
    },
    ("M1", 1): {"MUSEN": (0, 4040, 3442, 56, 1, 0, 485, 5334, 7456, 6110, 1799, 172, 2, 26, 2036, 4816, 5506, 3348, 833,
                          70)},
    ("M2", 2): {"MUSEN": (3963, 2109, 477, 714, 1965, 2864, 3195, 3226, 2459, 1396, 1055, 1636, 2512, 2994, 2962, 2598,
                          2117, 1690, 1742, 2187)},
    ("M2", 1): {"MUSEN": (0, 84, 993, 1032, 986, 934, 745, 129, 0, 252, 759, 876, 824, 778, 600, 220, 148, 478, 758,
                          785)},
}  # fmt: skip
DRUM_NUMBERS = {"M1": 30_000, "M2": 8_000}


def rates_between(first: float, last: float, orifice: str = "large") -> dict[str, float]:
    """Mean rates through an orifice in repeated runs between two times of `LEFT_AT`, by code [grains/s]."""
    start, end = (int(np.abs(LEFT_AT - time).argmin()) for time in (first, last))
    return {
        name.split(",")[0]: (left[start] - left[end]) / (last - first) for name, left in LEFT.items() if orifice in name
    }
