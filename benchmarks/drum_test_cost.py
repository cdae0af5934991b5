"""Cost of the drum test of the calibration guide: time step, steps per second, and time of a run at both speeds.

``python -m benchmarks.drum_test_cost [GRAINS DIAMETER ...]`` settles beds for 0.2 s on one thread, and
times the last steps by process time, which other processes of the machine disturb little.
"""

from __future__ import annotations

import sys
import time

import dem

SIZES = (3648, 2.56e-3, 29185, 1.28e-3)  # grains and their diameters [m]
STEP = 19e-6 / 1.28e-3  # time step over diameter [s/m]: 20 steps of the shortest contact that can be foreseen
SETTLED, STEPS, ROUNDS = 0.2, 1500, 5  # [s]; steps in a round, of which the median counts
POWDER = {"density": 1500.0, "young": 2e5, "friction": 0.561, "rolling_friction": 0.293}
FAST = {"fast_rate": 4.712, "fast_until": 1.0}  # 45 rpm [rad/s]; [s]
DURATION = 1.8  # of a run at 45 and at 15 rpm [s]


def cost(n: int, diameter: float) -> tuple[float, float]:
    """Time step [s], and steps per second on one core."""
    case = dem.cases()["drum-test"](n=n, diameter=diameter, time_step=STEP * diameter, threads=1, **POWDER, **FAST)
    sim = case.simulation()
    sim.run(SETTLED, progress=False)
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        sim.step(STEPS)
        times.append(time.process_time() - start)
    return sim.time_step, STEPS / sorted(times)[ROUNDS // 2]


def main(words: list[str]) -> None:
    """Print a line for each size."""
    given = [float(word) for word in words] or SIZES
    for n, diameter in zip(map(int, given[::2]), given[1::2], strict=True):
        step, rate = cost(n, diameter)
        print(
            f"{n} grains of {1e3 * diameter:g} mm: {1e6 * step:.1f} µs, {rate:.0f} steps a second, "
            f"{n * rate / 1e6:.1f} million particle steps a second, {DURATION / step / rate / 60:.1f} minutes a run"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
