"""Sites of a cubic lattice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks

if TYPE_CHECKING:
    from dem.casefile.schema.case_tables import LatticeTable
    from dem.model.domain.box import Box


def sites(table: LatticeTable, box: Box | None) -> np.ndarray:
    """Positions (N, 3) [m], x fastest: origin + pitch (i, j, k).

    Raises
    ------
    ValueError
        If there is neither origin nor box.
    """
    if table.origin is None and box is None:
        message = "lattice needs an origin, or the file a box whose lower corner it starts from"
        raise ValueError(message)
    origin = np.array(table.origin) if table.origin is not None else np.array(box.lower) + 0.5 * table.pitch
    x, y, z = table.sites
    checks.bodies(x * y * z, f"sites of a lattice, {x} x {y} x {z},")
    index = np.arange(x * y * z)
    return origin + table.pitch * np.column_stack([index % x, index // x % y, index // (x * y)])
