"""Shear tests with several failures in one run: stages, load of the lid, and yield locus."""

from __future__ import annotations

import math
from contextlib import suppress
from itertools import pairwise
from typing import ClassVar, NamedTuple

import numpy as np
from dem.cases.shared.powder import Powder
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt, model_validator

import dem

FALLING, GAIN = 0.2, 0.2  # largest speed of the lid [m/s], and gain of its servo
LOCUS = (
    "consolidation_stress_Pa", "unconfined_strength_Pa", "flow_function", "cohesion_Pa", "internal_friction_deg",
    "effective_friction_deg", "steady_friction_deg",
)  # fmt: skip


class Station(NamedTuple):
    """A stage of the test: its start and end, its shear displacement, and the normal stress of the lid."""

    name: str
    start: float  # [s]
    end: float  # [s]
    way: float  # of shear [m]; at the mean radius of a cell that turns
    stress: float  # [Pa]


class ShearToFailure(Powder):
    """Base of shear tests: for each normal stress, a sample is presheared and then sheared to failure.

    Subclasses have the walls, of which one is called lid and moves by `servo`; `area` and `traces` tell the stresses.
    """

    returns: ClassVar[bool] = False  # between failures, so that the cell does not move further and further

    duration: PositiveFloat = Field(0.52, description="simulated time [s]; after the last failure nothing moves")
    young: PositiveFloat = Field(2e6, description="Young's modulus of grains and walls [Pa]")
    frames: PositiveInt = Field(200, description="frames written after the first")
    preshear_stress: PositiveFloat = Field(2e3, description="normal stress of preshear [Pa]")
    normal_stresses: tuple[PositiveFloat, ...] = Field(
        (700.0, 1400.0), description="normal stresses of shear to failure [Pa]"
    )
    speed: PositiveFloat = Field(0.03, description="speed of shear, at the mean radius if the cell turns [m/s]")
    preshear: PositiveFloat = Field(3e-3, description="shear displacement of preshear [m]")
    shear: PositiveFloat = Field(1.2e-3, description="shear displacement to failure [m]")
    release: NonNegativeFloat = Field(3e-4, description="displacement back before the normal stress is reduced [m]")
    rest: NonNegativeFloat = Field(
        0.03, description="time between the reduction of the normal stress and shear to failure [s]"
    )
    consolidated: PositiveFloat = Field(0.15, description="time at which the first preshear begins [s]")

    @model_validator(mode="after")
    def _fails_below_preshear(self) -> ShearToFailure:
        """Refuse normal stresses at failure that are not below the stress of preshear."""
        if not self.normal_stresses or max(self.normal_stresses) >= self.preshear_stress:
            message = f"normal_stresses are {self.normal_stresses}, expected some below {self.preshear_stress:g} Pa"
            raise ValueError(f"{message}, the preshear_stress")
        return self

    @property
    def observable_names(self) -> tuple[str, ...]:
        """Names of the observables: a failure stress for each normal stress, and quantities of the yield locus."""
        failures = (f"failure_{k}_Pa" for k in range(1, len(self.normal_stresses) + 1))
        return (*failures, "preshear_Pa", *LOCUS)

    @property
    def area(self) -> float:
        """Area of the plane of shear [m²]."""
        raise NotImplementedError

    def traces(self, run: dem.Trajectory) -> tuple[np.ndarray, np.ndarray]:
        """Mean normal and shear stress between frames in the plane of shear (T,), (T,) [Pa]."""
        raise NotImplementedError

    @property
    def farthest(self) -> float:
        """Shear displacement from the start of a preshear to the end of its failure [m]."""
        return self.preshear - self.release + self.shear

    def displacements(self) -> list[tuple[float, float]]:
        """Rows of time [s] and shear displacement [m]."""
        rows, way = [(0.0, 0.0), (self.consolidated, 0.0)], 0.0
        for each in self.stations():
            way += each.way
            if each.end > rows[-1][0]:
                rows.append((each.end, way))
        return rows

    def stations(self) -> list[Station]:
        """Stages of the test, from the first preshear on."""
        found, time = [], self.consolidated
        for stress in self.normal_stresses:
            for name, way, pressed in (
                ("preshear", self.preshear, self.preshear_stress), ("release", -self.release, self.preshear_stress),
                ("rest", 0.0, stress), ("failure", self.shear, stress),
                ("return", -self.farthest, self.preshear_stress),
            ):  # fmt: skip
                if name != "return" or self.returns:
                    lasts = abs(way) / self.speed if way else self.rest
                    found.append(Station(name, time, time + lasts, way, pressed))
                    time = found[-1].end
        return found[:-1] if self.returns else found

    def servo(self) -> dem.Servo:
        """Servo that presses the lid down."""
        changes = [(b.start, b.stress * self.area) for a, b in pairwise(self.stations()) if a.stress != b.stress]
        force = self.preshear_stress * self.area
        return dem.Servo(force=force, axis=(0, 0, -1), fastest=FALLING, gain=GAIN, schedule=changes)

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Steady and failure stresses, and quantities of the yield locus; nan if the run has ended too early."""
        time, (normal, shear) = np.asarray(run.time), self.traces(run)
        steady, failed = [], []
        for each in self.stations():
            during = (time > each.start) & (time <= each.end * (1 + 1e-9))
            if each.name == "preshear":
                during &= time > each.end - 0.3 * (each.end - each.start)
                steady.append((normal[during].mean(), shear[during].mean()) if during.any() else (math.nan, math.nan))
            elif each.name == "failure":
                k = int(np.where(during, shear, -math.inf).argmax())
                failed.append((normal[k], shear[k]) if during.any() else (math.nan, math.nan))
        (before, flowing), (pressed, peak) = np.array(steady).T, np.array(failed).T
        found = {f"failure_{k}_Pa": float(value) for k, value in enumerate(peak, start=1)}
        found |= {"preshear_Pa": float(flowing.mean())} | dict.fromkeys(LOCUS, math.nan)
        with suppress(ValueError):
            test = dem.statistics.shear_test(pressed, peak, before, flowing)
            values = (
                test.consolidation_stress, test.unconfined_strength, test.flow_function, test.locus.cohesion,
                math.degrees(test.locus.angle), math.degrees(test.effective_angle), math.degrees(test.steady_angle),
            )  # fmt: skip
            found |= {
                name: value if math.isfinite(value) else math.nan for name, value in zip(LOCUS, values, strict=True)
            }
        return found
