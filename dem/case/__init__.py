"""Cases: set-ups that run by name, with parameters that can be set from the command line.

`bases.py` and `study.py` have the classes to inherit from, `find.py` looks cases up. `prepare.py` compiles what cases
need before they run; `settled.py` makes and keeps beds of particles at rest, at which some cases start.
"""

from dem.case.bases import HARD, STOCHASTIC, Axes, BaseCase, Case, HardSphereCase, StochasticCase, TimeStep
from dem.case.find import AnyCase, case, cases, names, with_parameters
from dem.case.study import RotationCase, StudyCase

__all__ = [
    "HARD",
    "STOCHASTIC",
    "AnyCase",
    "Axes",
    "BaseCase",
    "Case",
    "HardSphereCase",
    "RotationCase",
    "StochasticCase",
    "StudyCase",
    "TimeStep",
    "case",
    "cases",
    "names",
    "with_parameters",
]
