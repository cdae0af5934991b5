"""Observables of grains that flow out through an orifice."""

from __future__ import annotations

import math

import numpy as np

import dem

OUTFLOW = ("discharged_kg", "discharge_rate_kg_per_s", "discharge_time_s", "left_kg")


def outflow(run: dem.Trajectory, height: float, radius: float) -> dict[str, float]:
    """Observables of the discharge through an orifice of a given radius about the z axis at a given height [m].

    The mass that went through it up to the end and that which is left; the mean rate between the frames from which and
    up to which grains went through; and the time of the frame by which all had; nan if none, or not all, have.
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
