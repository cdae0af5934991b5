"""Measure again what the site shows, or take over what was measured; see `HOW`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HOW = """\
python docs/make/measured.py truth [STUDY ...]        all that dem validate does by itself: an hour
python docs/make/measured.py keep FOLDER              what dem validate -o FOLDER wrote
python docs/make/measured.py speed [BENCHMARK ...]    a quarter of an hour, on a machine that does nothing else"""
DATA = Path(__file__).parent.parent / "data"
BENCHMARKS = ("nine_fibres", "fibres_1e4", "spheres_1e4", "spheres_1e5", "friction_1e4", "hard_spheres")


def dem(*words: str) -> int:
    """Run a command; what it says is shown. Its exit status."""
    return subprocess.run([sys.executable, "-m", "dem", *words], check=False).returncode


def truth(*names: str) -> None:
    """Studies, one by one, so that what is done is kept; one that misses a figure is one to show."""
    from dem.validation import STUDIES  # noqa: PLC0415

    for name in names or STUDIES:
        with tempfile.TemporaryDirectory() as folder:
            if dem("validate", name, "--quick", "-o", f"{folder}/validation") in (0, 1):
                keep(f"{folder}/validation")


def keep(folder: str) -> None:
    """Take over what `dem validate` wrote to a folder."""
    (DATA / "validation").mkdir(parents=True, exist_ok=True)
    for file in Path(folder).glob("*.json"):
        shutil.copy(file, DATA / "validation")


def speed(*names: str) -> None:
    """Benchmarks on one thread; names may be followed by options, such as ``--share 0.01`` to try it."""
    chosen = names if names and not names[0].startswith("-") else (*BENCHMARKS, *names)
    with tempfile.TemporaryDirectory() as folder:
        if dem("bench", *chosen, "--threads", "1", "--json", f"{folder}/speed.json") == 0:
            shutil.copy(f"{folder}/speed.json", DATA)


if __name__ == "__main__":
    what, *rest = sys.argv[1:] or ["help"]
    if what not in ("truth", "keep", "speed"):
        sys.exit(HOW)
    {"truth": truth, "keep": keep, "speed": speed}[what](*rest)
