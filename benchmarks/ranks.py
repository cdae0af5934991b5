"""`python -m benchmarks.ranks [--n N] [--large N] [--rounds R] [--bed] [--lammps]`: parallel efficiency of two ranks.

Spheres with friction, a dense gas, or with `--bed` such as have settled, whose states are kept as those of `dem bench`
are. By turns, in slices of a few seconds, each of these does some steps, and all others wait: one process with N
spheres; two such processes at once, which know nothing of each other; two ranks with 2 N spheres. How long the one
takes over what the ranks take is their efficiency; over what the two processes take it is the most that two cores with
one memory allow. Then two threads and two ranks with the same large number. `--lammps` does the first three with
LAMMPS as well, from the same states. Needs mpiexec and mpi4py; nothing else should run.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from dem.bench import lammps
from dem.bench.stepping import SettledHeap
from dem.bench.workloads import FRICTION
from dem.case import case

# steps before any is timed: the layers of the lattice, between which alone domains could be cut, have run into each
# other by then, and memory that lists need is had, a page of which a host may take 5 ms to find, while all ranks wait
WARM = 5000
ROUNDS = 32  # by which a bed settles
ONE, PAIR, RANKS = "one process", "two processes", "two ranks"


def simulation(n: int, threads: int, *, bed: bool = False) -> object:
    """Simulation of n frictional spheres, as a gas or settled."""
    if not bed:
        return case("many-spheres")(n=n, threads=threads, **FRICTION).simulation()
    return SettledHeap("many-spheres", ROUNDS, 0, n=n, speed=0.0, **FRICTION).prepare(threads=threads)


def work(n: int, threads: int, warm: int, *, bed: bool) -> None:
    """Process of a team: for each number on stdin, take that many steps and print their seconds."""
    sim = simulation(n, threads, bed=bed)
    sim.step(warm)
    print("ready", flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        sim.step(int(line))
        print(time.perf_counter() - start, flush=True)


class Team:
    """Processes that take the same steps at the same time on request; their first steps are over once made."""

    def __init__(
        self, n: int, *, processes: int = 1, ranks: int = 1, threads: int = 1, warm: int = WARM, bed: bool = False
    ) -> None:
        several = ["mpiexec", "-n", str(ranks)] if ranks > 1 else []
        me = [sys.executable, "-m", "benchmarks.ranks", "--work", n, "--threads", threads, "--warm", warm]
        me = [str(word) for word in (*me, *(["--bed"] if bed else []))]
        self.members = [
            subprocess.Popen([*several, *me], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for _ in range(processes)
        ]
        for member in self.members:  # so that who comes next finds kernels that are compiled
            self._hear(member)

    def seconds(self, steps: int) -> float:
        """Mean seconds of the processes for a number of steps."""
        for member in self.members:
            member.stdin.write(f"{steps}\n")
            member.stdin.flush()
        with ThreadPoolExecutor(len(self.members)) as pool:
            return statistics.mean(float(said) for said in pool.map(self._hear, self.members))

    def end(self) -> None:
        """End the processes."""
        for member in self.members:
            member.stdin.close()
            member.wait()

    @staticmethod
    def _hear(member: subprocess.Popen) -> str:
        said = member.stdout.readline().strip()
        if not said:
            message = f"{' '.join(member.args)} ended with status {member.wait()}"
            raise RuntimeError(message)
        return said


def by_turns(teams: dict[str, Team], steps: int, rounds: int) -> dict[str, list[float]]:
    """Seconds per step of each team in each of the alternating rounds."""
    found: dict[str, list[float]] = {name: [] for name in teams}
    for k in range(rounds):
        for name in [*teams] if k % 2 == 0 else [*teams][::-1]:
            found[name].append(teams[name].seconds(steps) / steps)
        sys.stderr.write(", ".join(f"{name} {1e3 * times[-1]:.4g} ms" for name, times in found.items()) + "\n")
    for team in teams.values():
        team.end()
    return found


def ratio(found: dict[str, list[float]], over: str, under: str) -> str:
    """Median and quartiles of the ratios of two teams' times in the same rounds, as text."""
    ratios = sorted(a / b for a, b in zip(found[over], found[under], strict=True))
    low, middle, high = (statistics.quantiles(ratios, n=4) if len(ratios) > 1 else 3 * ratios)[:3]
    return f"{middle:.3f} ({low:.3f} to {high:.3f})"


def weak(n: int, steps: int, rounds: int, *, bed: bool) -> None:
    """Weak scaling: efficiency of two ranks, and of two independent processes."""
    if bed:
        for each in (n, 2 * n):  # kept for all that need it
            simulation(each, 1, bed=True)
    teams = {ONE: Team(n, bed=bed), PAIR: Team(n, processes=2, bed=bed), RANKS: Team(2 * n, ranks=2, bed=bed)}
    tell(f"{n} spheres a process", by_turns(teams, steps, rounds))


def tell(what: str, found: dict[str, list[float]]) -> None:
    """Print the efficiencies that follow from the times of `ONE`, `PAIR` and `RANKS`."""
    each = ", ".join(f"{name} {1e3 * min(times):.4g} ms a step" for name, times in found.items())
    print(f"{what}: {each} at best; efficiency of two ranks {ratio(found, ONE, RANKS)}, of two processes "
          f"{ratio(found, ONE, PAIR)}, of ranks against these {ratio(found, PAIR, RANKS)}", flush=True)  # fmt: skip


def strong(n: int, steps: int, rounds: int) -> None:
    """Strong scaling: two ranks against two threads with equally many spheres."""
    found = by_turns({"two threads": Team(n, threads=2, warm=100), RANKS: Team(n, ranks=2, warm=100)}, steps, rounds)
    each = ", ".join(f"{name} {1e3 * min(times):.4g} ms a step" for name, times in found.items())
    print(f"{n} spheres: {each} at best; two threads over two ranks {ratio(found, 'two threads', RANKS)}", flush=True)


def theirs(n: int, steps: int, rounds: int, *, bed: bool) -> None:
    """Print the scaling of LAMMPS over two ranks."""
    found: dict[str, list[float]] = {ONE: [], PAIR: [], RANKS: []}
    one, both = simulation(n, 1, bed=bed), simulation(2 * n, 1, bed=bed)
    for sim in (one, both):
        sim.step(WARM)
    for _ in range(rounds):
        with ThreadPoolExecutor(2) as pool:
            found[ONE].append(n / lammps.run(one, steps)[0])
            found[PAIR].append(
                statistics.mean(n / rate for rate, _ in pool.map(lammps.run, (one, one), (steps, steps)))
            )
            found[RANKS].append(2 * n / lammps.run(both, steps, ranks=2)[0])
    tell(f"LAMMPS, {n} spheres a process", found)


def main() -> None:
    """Measure, and print a line for each comparison."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ranks", description=__doc__)
    parser.add_argument("--n", type=int, default=100_000, help="spheres a process; default 100000")
    parser.add_argument("--large", type=int, default=1_000_000, help="for two threads; default 1000000, 0 for none")
    parser.add_argument("--steps", type=int, default=150, help="in a slice; default 150, a tenth so many of the large")
    parser.add_argument("--rounds", type=int, default=9, help="default 9")
    parser.add_argument("--bed", action="store_true", help="a settled bed in place of a gas")
    parser.add_argument("--lammps", action="store_true", help="LAMMPS, found as by dem bench, in place of this engine")
    parser.add_argument("--work", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--warm", type=int, default=WARM, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        work(arguments.work, arguments.threads, arguments.warm, bed=arguments.bed)
        return
    (theirs if arguments.lammps else weak)(arguments.n, arguments.steps, arguments.rounds, bed=arguments.bed)
    if arguments.large and not arguments.lammps:
        strong(arguments.large, max(1, arguments.steps // 10), arguments.rounds)
    sys.stderr.write(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")


if __name__ == "__main__":
    main()
