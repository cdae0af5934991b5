"""Whether ranks are alike: one result to the bit wants the same code, and libraries that round alike."""

from __future__ import annotations

import hashlib
import math
import platform
from pathlib import Path
from typing import NamedTuple


class Likeness(NamedTuple):
    """What has to be the same at all ranks, and where this one is."""

    code: str
    numbers: str
    host: str

    @classmethod
    def here(cls, kernels: str) -> Likeness:
        """Of this process, whose kernels have that fingerprint."""
        digest = hashlib.sha256(kernels.encode())
        for source in sorted(Path(__file__).parent.parent.rglob("*.py")):
            digest.update(source.read_bytes())
        values = [f(0.001 * k) for k in range(1, 500) for f in (math.sin, math.cos, math.exp, math.log, math.atan)]
        numbers = hashlib.sha256("".join(value.hex() for value in values).encode()).hexdigest()
        return cls(digest.hexdigest()[:12], numbers[:12], platform.node())


def unlike(found: list[Likeness]) -> str | None:
    """What is not alike, in words; None if all is.

    Examples
    --------
    >>> one = Likeness("a1", "b2", "node1")
    >>> unlike([one, one]), unlike([one, one._replace(code="a7", host="node2")])
    (None, 'rank 1 on node2 has other code (a7) than rank 0 on node1 (a1)')
    """
    first = found[0]
    for r, other in enumerate(found):
        if other.code != first.code:
            return f"rank {r} on {other.host} has other code ({other.code}) than rank 0 on {first.host} ({first.code})"
        if other.numbers != first.numbers:
            return f"the mathematical library of rank {r} on {other.host} rounds unlike that of rank 0 on {first.host}"
    return None
