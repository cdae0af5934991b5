"""`python -m benchmarks [NAME ...] [--share S] [--threads N]`: one number a benchmark on stdout, the rest on stderr."""

from __future__ import annotations

import argparse
import json
import sys

from dem.bench.stepping import StepBenchmark
from dem.bench.timing import machine
from dem.bench.workloads import BENCHMARKS


def main() -> None:
    """Run the named benchmarks, or the first one."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)}; default: the first")
    parser.add_argument("--share", type=float, default=1.0, help="of the usual number of steps")
    parser.add_argument("--threads", type=int, help="default: all cores")
    parser.add_argument("--verbose", action="store_true", help="all figures on stderr")
    arguments = parser.parse_args()
    names = arguments.names or [next(iter(BENCHMARKS))]
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"unknown benchmark {', '.join(unknown)}: known are {', '.join(BENCHMARKS)}")
    for name in names:
        benchmark = BENCHMARKS[name]
        parts = {"split": arguments.verbose} if isinstance(benchmark, StepBenchmark) else {}
        figures = benchmark.measure(share=arguments.share, threads=arguments.threads, **parts)
        sys.stderr.write(f"{name}, {benchmark.unit}\n")
        if arguments.verbose:
            sys.stderr.write(json.dumps(figures, indent=1) + "\n")
        print(f"{figures[benchmark.unit]:.6g}", flush=True)
    sys.stderr.write("".join(f"{key}: {value}\n" for key, value in machine().items()))


if __name__ == "__main__":
    main()
