"""Cases: set-ups that run by name, with parameters that can be set from the command line.

`bases.py` and `study.py` have the classes to inherit from, `find.py` looks cases up.
"""

from dem.case.bases import HARD, Axes, BaseCase, Case, HardSphereCase, SteppedCase, TimeStep
from dem.case.find import case, cases, names, with_parameters
from dem.case.stochastic import STOCHASTIC, StochasticCase
from dem.case.study import RotationCase, StudyCase

__all__ = [
    "HARD",
    "STOCHASTIC",
    "Axes",
    "BaseCase",
    "Case",
    "HardSphereCase",
    "RotationCase",
    "SteppedCase",
    "StochasticCase",
    "StudyCase",
    "TimeStep",
    "case",
    "cases",
    "names",
    "with_parameters",
]
