"""Check that the state of bonds in a file fits an engine."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.files.validation.hdf5_validation import check_alike, check_finite, check_within, require
from dem.kernels.soft.bonds.bond_arrays import GONE
from dem.kernels.soft.bonds.overlap_release import FAR
from dem.system.plan import MOST_STEPS

if TYPE_CHECKING:
    from dem.soft.engine import Engine


def check_tied(state: dict[str, np.ndarray], engine: Engine) -> None:
    """Raise DamagedError unless the engine can go on from it: kernels trust its indices."""
    own = engine.bonds.state if engine.bonds else {}
    if own:
        state.setdefault("pressed", np.zeros(1))  # files of version 0.2 do not have it
    check_alike("bond_state", state, own)
    if not own:
        return
    check_finite("bond_state", state)
    bonds, eased = len(state["state"]), len(state["eased_slack"])
    check_within("bond_state/state", state["state"], 0, GONE)
    check_within("bond_state/when", state["when"], -1, MOST_STEPS)
    check_within("bond_state/pending", state["pending"], 0, bonds - 1)
    check_within("bond_state/count", state["count"], 0, MOST_STEPS)
    check_within("bond_state/pressed", state["pressed"], 0.0, math.inf)
    require(int(state["count"][0]) <= bonds, "bond_state has more bonds that break than there are")
    check_within("bond_state/eased_slack", state["eased_slack"], 0.0, FAR)
    check_within("bond_state/eased_active", state["eased_active"], 0, max(eased - 1, 0))
    check_within("bond_state/eased_count", state["eased_count"], 0, eased)
