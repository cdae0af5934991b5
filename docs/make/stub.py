"""Write ``dem/__init__.pyi``, by which type checkers know the public names: ``python docs/make/stub.py``."""

from __future__ import annotations

from pathlib import Path

import dem

STUB = Path(dem.__file__).with_suffix(".pyi")


def text() -> str:
    """What `dem.HOMES` says, for type checkers."""
    lines = [
        "# Public names for type checkers, made from dem.HOMES by docs/make/stub.py.",
        "from typing import Final",
        "",
    ]
    for name, place in sorted(dem.HOMES.items(), key=lambda row: (row[1], row[0])):
        start, _, last = place.rpartition(".")
        home = start if (start, last) == ("dem", name) else place
        lines.append(f"from {home} import {name} as {name}")
    former = [f"{old} = {new}  # deprecated" for old, new in dem.DEPRECATED.items()]
    return "\n".join([*lines, "", *former, "", "HOMES: Final[dict[str, str]]", "__version__: Final[str]", ""])


if __name__ == "__main__":
    STUB.write_text(text())
