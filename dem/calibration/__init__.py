"""Calibration: parameters of cases are found such that virtual tests give measured values.

`study.py` reads and checks a study, `runs.py` makes the runs of its points by the machinery of `dem.sweeps`,
`surrogate.py` approximates observables between points, `posterior.py` draws parameters that agree with measurements,
`search.py` chooses points stage by stage, `calibrate.py` is the public function, `findings.py` says what was found and
what is not identified, `report.py` writes the page.

The search is Bayesian: a Gaussian process of scikit-learn stands for each observable, further points are drawn from
the parameters that agree with the measurements so far, and uncertainties come from the same distribution. Direct
minimisation of the misfit needs more runs and gives no uncertainty; ``python -m benchmarks.calibration`` compares both.
Virtual tests are cases: see `dem.cases`.
"""
