"""Folder and names of the pages of the documentation."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).resolve().parents[2]  # packages and pages lie in it
INSTALLED, CLONE = Path("dem/pages"), Path("docs")  # beside the packages; `setup.py` copies one to the other
ROOMS = ("guide", ".", "reference")


def pages() -> dict[str, Path]:
    """Each page by its name, the start first; raises FileNotFoundError where they were not installed."""
    root = HERE
    place = next((root / each for each in (INSTALLED, CLONE) if (root / each / "guide" / "start.md").exists()), None)
    if place is None:
        message = f"the pages are neither in {root / INSTALLED} nor in {root / CLONE}: install pcdm-dem again"
        raise FileNotFoundError(message)
    found = {path.stem: path for room in ROOMS for path in sorted((place / room).glob("*.md"))}
    for other in ("index", "contributing"):  # frames of the site
        found.pop(other, None)
    return {"start": found.pop("start"), **found}
