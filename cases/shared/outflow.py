"""Observables of grains that flow out through an orifice."""

from __future__ import annotations

import math

import numpy as np

import dem

OUTFLOW = ("discharged_kg", "discharge_rate_kg_per_s", "discharge_time_s", "left_kg")


def outflow(run: dem.Trajectory, height: float, radius: float) -> dict[str, float]:
    """Observables of the discharge through an orifice of a given radius about the z axis at a given height [m].

    Masses that have and have not gone through it at the end; the mean rate while grains went through, nan if none has;
    and the time of the first frame after all had, nan if some have not.
    """
    time, mass = run.time, run.mass
    flow = dem.statistics.mass_flow(time, run.position, mass, (0, 0, height), (0, 0, -1), radius=radius)
    flows = np.flatnonzero(flow.rate)
    rate = end = math.nan
    if flows.size:
        first, last = flows[0], flows[-1] + 1
        rate = flow.total[last] / (time[last] - time[first])
        end = time[last] if flow.forward.sum() - flow.backward.sum() == len(mass) else math.nan
    return {
        "discharged_kg": float(flow.total[-1]), "discharge_rate_kg_per_s": float(rate), "discharge_time_s": float(end),
        "left_kg": float(mass.sum() - flow.total[-1]),
    }  # fmt: skip
