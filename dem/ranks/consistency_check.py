"""Compare the code and the mathematical libraries of all ranks: bitwise equal results need both to be equal."""

from __future__ import annotations

import hashlib
import math
import platform
from pathlib import Path
from typing import NamedTuple


class BuildFingerprint(NamedTuple):
    """Hashes of code and rounding, which must be equal on all ranks, and the name of the machine."""

    code: str
    numbers: str
    host: str

    @classmethod
    def here(cls, kernels: str) -> BuildFingerprint:
        """Fingerprint of this process; `kernels` is the fingerprint of its kernels."""
        digest = hashlib.sha256(kernels.encode())
        for source in sorted(Path(__file__).parent.parent.rglob("*.py")):
            digest.update(source.read_bytes())
        values = [f(0.001 * k) for k in range(1, 500) for f in (math.sin, math.cos, math.exp, math.log, math.atan)]
        numbers = hashlib.sha256("".join(value.hex() for value in values).encode()).hexdigest()
        return cls(digest.hexdigest()[:12], numbers[:12], platform.node())


def difference(found: list[BuildFingerprint]) -> str | None:
    """Describe the first difference between ranks; None if there is none.

    Examples
    --------
    >>> one = BuildFingerprint("a1", "b2", "node1")
    >>> difference([one, one]), difference([one, one._replace(code="a7", host="node2")])
    (None, 'rank 1 on node2 has other code (a7) than rank 0 on node1 (a1)')
    """
    first = found[0]
    for r, other in enumerate(found):
        if other.code != first.code:
            return f"rank {r} on {other.host} has other code ({other.code}) than rank 0 on {first.host} ({first.code})"
        if other.numbers != first.numbers:
            return f"the mathematical library of rank {r} on {other.host} rounds unlike that of rank 0 on {first.host}"
    return None
