"""Mutation tests: change one thing in the code at a time, and run the tests that should then fail.

    python tests/mutants.py [NAME ...] [--jobs N] [--seconds S] [--list]

The mutants are in ``mutations.py``. Each is tried in a copy of the tree in a temporary folder, by the interpreter
(NUMBA_DISABLE_JIT=1), so that nothing is compiled. The tests must pass without it, must still be found, and must fail
with it; a run that takes longer than S seconds counts as noticed. The exit status is 1 if any mutant survives, and 2 if
one cannot be tried.
"""

import argparse
import ast
import os
import queue
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from mutations import MUTANTS

ROOT = Path(__file__).parent.parent
COPIED = ("kernels", "dem", "cases", "benchmarks", "tests", "pyproject.toml")
PYTEST = (sys.executable, "-m", "pytest", "-o", "addopts=", "-p", "no:cacheprovider", "-q", "-x", "--tb=line")
PASSED, FAILED = 0, 1  # exit status of pytest; anything else means that no test was run
KILLED, SURVIVED, UNTRIED = "killed", "SURVIVED", "NOT TRIED"


@cache
def functions():
    """All functions of kernels and dem: name -> [(path in the tree, first and last character of the code)]."""
    found = {}
    for path in sorted(p for folder in ("kernels", "dem") for p in (ROOT / folder).rglob("*.py")):
        text = path.read_text()
        starts = [0]
        for line in text.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                documented = ast.get_docstring(node) is not None and len(node.body) > 1
                first = node.body[1 if documented else 0]
                stretch = path.relative_to(ROOT), starts[first.lineno - 1], starts[node.end_lineno]
                found.setdefault(node.name, []).append(stretch)
    return found


def place(mutant):
    """File of a mutant; characters where its function begins, where its text stands, where the function ends.

    Raises LookupError unless that is one place.
    """
    places = []
    for path, begin, end in functions().get(mutant.function, []):
        text = (ROOT / path).read_text()
        at = text.find(mutant.old, begin, end)
        while at >= 0:
            places.append((path, begin, at, end))
            at = text.find(mutant.old, at + 1, end)
    if len(places) != 1:
        message = f"{mutant.name}: {mutant.old!r} stands {len(places)} times in functions named {mutant.function}"
        raise LookupError(message)
    return places[0]


def mutated(mutant):
    """File that a mutant changes, and its text then."""
    path, _, at, _ = place(mutant)
    text = (ROOT / path).read_text()
    return path, text[:at] + mutant.new + text[at + len(mutant.old) :]


def status(tree, file, tests, seconds):
    """Exit status of some tests of a file, None after so many seconds; what pytest said; whether slow tests were run.

    Slow tests are run where there are no others.
    """
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    for more in ([], ["--slow"]):
        command = [*PYTEST, f"tests/{file}", "-k", tests, *more]
        try:
            done = subprocess.run(
                command, cwd=tree, env=environment, capture_output=True, text=True, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            return None, "", bool(more)
        if done.returncode != PASSED or " passed" in done.stdout:
            break
    return done.returncode, done.stdout + done.stderr, bool(more)


def judge(tree, mutant, seconds):
    """Try a mutant in a tree of its own, which is left as it was; returns the verdict and the output behind it.

    Slow tests that notice it are run without it too: `complaint` leaves them out.
    """
    path, text = mutated(mutant)
    (tree / path).write_text(text)
    try:
        code, output, slow = status(tree, mutant.file, mutant.tests, seconds)
    finally:
        shutil.copy2(ROOT / path, tree / path)
    if code in {FAILED, None}:
        wrong = complaint(tree, mutant.file, [mutant], seconds) if slow else ""
        return (UNTRIED, wrong) if wrong else (KILLED, "")
    return (SURVIVED, "") if code == PASSED else (UNTRIED, output)


def complaint(tree, file, mutants, seconds):
    """What is wrong with the tests of a file while there is no mutant; nothing if they pass."""
    every = " or ".join(sorted({f"({m.tests})" for m in mutants if m.file == file}))
    code, output, _ = status(tree, file, every, seconds * len(mutants))
    return "" if code == PASSED else f"without a mutant: {output or 'not done'}"


def copy_of_the_tree(folder):
    """Copy what tests need."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("kernels-*"))
        else:
            shutil.copy2(source, folder / name)
    return folder


def try_all(mutants, jobs, seconds):
    """Try mutants, so many at a time; yields each with its verdict and output, in order."""
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(jobs) as pool:
        trees = queue.SimpleQueue()
        for k in range(jobs):
            trees.put(copy_of_the_tree(Path(work) / str(k)))

        def in_a_tree(job, *arguments):
            tree = trees.get()
            try:
                return job(tree, *arguments)
            finally:
                trees.put(tree)

        files = sorted({m.file for m in mutants})
        wrong = dict(
            zip(files, pool.map(lambda file: in_a_tree(complaint, file, mutants, seconds), files), strict=True)
        )
        verdicts = pool.map(
            lambda m: (UNTRIED, wrong[m.file]) if wrong[m.file] else in_a_tree(judge, m, seconds), mutants
        )
        yield from ((m, *verdict) for m, verdict in zip(mutants, verdicts, strict=True))


def main():
    """Try the mutants named, or all."""
    parser = argparse.ArgumentParser(prog="python tests/mutants.py", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="mutants, or how their names begin; default: all")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time")
    parser.add_argument("--seconds", type=float, default=120.0, help="after which a mutant counts as noticed")
    parser.add_argument("--list", action="store_true", help="show the mutants and what is to notice them")
    arguments = parser.parse_args()
    chosen = [m for m in MUTANTS if not arguments.names or m.name.startswith(tuple(arguments.names))]
    if not chosen:
        parser.error(f"no mutant is called {' or '.join(arguments.names)}: see --list")
    for mutant in chosen:
        place(mutant)
    if arguments.list:
        for m in chosen:
            print(f"{m.name}: {m.function}: {m.old!r} -> {m.new!r} [{m.file} -k '{m.tests}']")
        return 0
    verdicts = []
    for mutant, verdict, output in try_all(chosen, arguments.jobs, arguments.seconds):
        print(f"{verdict:9} {mutant.name} [{mutant.file} -k '{mutant.tests}']\n{output}".rstrip(), flush=True)
        verdicts.append(verdict)
    count = {verdict: verdicts.count(verdict) for verdict in (KILLED, SURVIVED, UNTRIED)}
    print(f"{count[KILLED]} killed, {count[SURVIVED]} survived, {count[UNTRIED]} not tried")
    return 2 if count[UNTRIED] else 1 if count[SURVIVED] else 0


if __name__ == "__main__":
    sys.exit(main())
