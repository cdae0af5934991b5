"""Settings of the output file: fields, compression, file name endings, checkpoint interval."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dem.base import checks
from dem.model.particles.fields import STATE

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

COMPRESSION = ("gzip", "lzf")
ENDINGS = (".h5", ".hdf5", ".h5md", ".vtkhdf")
SIGNATURE = b"\x89HDF\r\n\x1a\n"  # how files of HDF5 begin
EVERY = "10 min"
SECONDS = {"s": 1, "min": 60, "h": 3600}


def check_ending(path: Path) -> None:
    """Raise ValueError for a file name with the ending of another format."""
    checks.ending(
        path,
        ENDINGS,
        "a trajectory is HDF5 (dem export converts it to csv, gsd, spheres.vtkhdf, surfaces.vtkhdf, walls.vtkhdf and "
        "contacts.vtkhdf)",
    )


def free_path(path: Path, word: str) -> Path:
    """Unused name next to a file: ``run.crash.h5`` for ``run.h5`` and "crash", else ``run.crash-2.h5`` and so on."""
    found, k = path.with_suffix(f".{word}{path.suffix}"), 1
    while os.path.lexists(found):
        k += 1
        found = path.with_suffix(f".{word}-{k}{path.suffix}")
    return found


@dataclass(frozen=True)
class Every:
    """Checkpoint interval, in computing time or in steps."""

    seconds: float = float("inf")
    steps: float = float("inf")

    @classmethod
    def parse(cls, value: str | int | None) -> Every:
        """Parse "10 min", "30 s", "2 h" or a number of steps; None: only at the start and the end."""
        if value is None:
            return cls()
        match = re.fullmatch(r"\s*([0-9.]+(?:e[0-9]+)?)\s*(s|min|h|)\s*", str(value))
        try:
            amount = float(match[1]) if match else 0.0
        except ValueError:
            amount = 0.0
        if not 0 < amount < math.inf or (not match[2] and amount != int(amount)):
            message = f"checkpoint_every is {value!r}, expected a time such as '10 min' or '30 s', or a number of steps"
            raise ValueError(message)
        return cls(seconds=amount * SECONDS[match[2]]) if match[2] else cls(steps=amount)


@dataclass(frozen=True)
class Output:
    """Contents and settings of the file of a run.

    ``fields`` are names of `dem.model.particles.fields.STATE`, position always among them. ``float32`` halves their
    size; checkpoints stay exact. ``compression`` is "gzip" or "lzf", which makes files smaller by about 13 % and
    writing slower. ``contacts`` writes the contacts of each frame.
    """

    fields: tuple[str, ...] = field(default_factory=lambda: tuple(STATE))
    float32: bool = False
    compression: str | None = None
    contacts: bool = False

    @classmethod
    def checked(
        cls, fields: Iterable[str] | None, *, float32: bool, compression: str | None, contacts: bool = False
    ) -> Output:
        """Check output settings; raises ValueError that suggests the nearest valid name."""
        if isinstance(fields, str):
            fields = [name.strip() for name in fields.split(",")]
        known = [name for name, each in STATE.items() if not each.hidden]
        given = known if fields is None else checks.listed("fields", fields, "position")
        chosen = {checks.one_of("field", name, known) for name in given}
        if compression is not None:
            checks.one_of("compression", compression, COMPRESSION)
        names = tuple(name for name in STATE if name in chosen | {"position"})
        return cls(names, bool(float32), compression, bool(contacts))
