"""`python -m benchmarks.cold [--against TREE]`: CPU and wall-clock seconds from an empty cache to the first step.

Each start has its own empty cache folder; `after` are combinations compiled while the first one is in the cache.
Stages are compiled side by side in two processes: less wall-clock time, but the second process must import numba too.
With `--against`, another tree, such as an earlier commit, is measured alternately with this one, by the same Python.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent.parent
COMMAND_LINE = "from dem.cli import main; main()"  # earlier versions have no `python -m dem`
LOSSES = ("--set", "restitution=0.8", "--set", "friction=0.3")
FIRST = ("nine-fibres", "--duration", "1e-4", "--threads", "1")
FIBRES, SPHERES = (("many-fibres", "--duration", "1e-4", "--set", n) for n in ("n=5000", "n=5000"))
SPHERES = ("many-spheres", *SPHERES[1:])
STARTS = {
    "elastic": (FIRST,),
    "frictional": ((*FIRST, *LOSSES),),
    "hard spheres": (("hard-spheres", "--duration", "1e-3"),),
    "two threads": ((*FIBRES, "--threads", "2"),),
    "another scheme, after": (FIRST, (*FIRST, "--integrator", "splitting")),
    "friction, after": (FIRST, (*FIRST, *LOSSES)),
    "spheres, after": (FIRST, (*SPHERES, "--threads", "1")),
    "all there": (FIRST, FIRST),
}


def seconds_of_start(tree: Path, runs: tuple) -> tuple[float, float]:
    """CPU and wall-clock seconds of the last of these runs, which start in a folder without compiled kernels."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ, "NUMBA_CACHE_DIR": folder, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": ""
        }  # fmt: skip
        for k, run in enumerate(runs):
            before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            command = [sys.executable, "-c", COMMAND_LINE, "run", *run, "-o", f"{folder}/{k}.h5", "--quiet"]
            subprocess.run(command, cwd=folder, env=environment, check=True, stderr=subprocess.DEVNULL)
            after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, end - begin


def main() -> None:
    """Measure the named starts, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cold", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(STARTS)}")
    parser.add_argument("--against", type=Path, metavar="TREE", help="checkout of another commit")
    arguments = parser.parse_args()
    for name in arguments.names or STARTS:
        line = f"{name:24}" + "CPU {:6.1f} s, wall clock {:5.1f} s".format(*seconds_of_start(HERE, STARTS[name]))
        if arguments.against:
            line += "; there {:6.1f} s, {:5.1f} s".format(*seconds_of_start(arguments.against.resolve(), STARTS[name]))
        print(line, flush=True)


if __name__ == "__main__":
    main()
