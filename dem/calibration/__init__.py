"""Calibration: find parameters of cases such that virtual tests give measured values.

The search is Bayesian: a Gaussian process stands for each observable, further points are drawn from
the parameters that agree with the measurements so far, and uncertainties come from the same distribution. Direct
minimisation of the misfit needs more runs and gives no uncertainty; ``python -m benchmarks.calibration`` compares both.
README.md of this folder says what is where.
"""
