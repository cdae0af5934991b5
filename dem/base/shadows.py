"""Files of users that bear the names of our own packages, and are found first.

Python looks next to the script, or in the working folder, before it looks at what is installed.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]  # our packages lie next to each other


def check(name: str) -> None:
    """Raise ImportError if a package that is to be ours is somebody else's."""
    spec = find_spec(name)
    places = [Path(place).resolve() for place in (spec and spec.submodule_search_locations) or ()]
    if spec and HERE / name not in places:
        message = (
            f"{spec.origin or places[0]} is found in place of the package {name!r} that belongs to dem: rename it, or "
            "start Python elsewhere"
        )
        raise ImportError(message)
