"""Measure again what the site shows: ``python docs/make/measured.py [truth] [speed]``; minutes to an hour each."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = Path(__file__).parent.parent / "data"
BENCHMARKS = ("nine_fibres", "fibres_1e4", "spheres_1e4", "spheres_1e5", "friction_1e4", "hard_spheres")


def dem(*words: str) -> None:
    """Run a command; what it says is shown, and a study that misses a figure is one to show."""
    subprocess.run([sys.executable, "-m", "dem.cli", *words], check=False)


def truth() -> None:
    """Studies, as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        dem("validate", "--quick", "-o", f"{folder}/validation")
        keep(Path(folder) / "validation")


def keep(folder: Path) -> None:
    """Take over what `dem validate` wrote to a folder."""
    (DATA / "validation").mkdir(parents=True, exist_ok=True)
    for file in folder.glob("*.json"):
        shutil.copy(file, DATA / "validation")


def speed() -> None:
    """Benchmarks on one thread."""
    with tempfile.TemporaryDirectory() as folder:
        dem("bench", *BENCHMARKS, "--threads", "1", "--json", f"{folder}/speed.json")
        shutil.copy(f"{folder}/speed.json", DATA)


if __name__ == "__main__":
    for what in sys.argv[1:] or ("truth", "speed"):
        {"truth": truth, "speed": speed}[what]()
