"""Direct simulation Monte Carlo: spheres with stochastic collisions, in time steps.

`simulation.py` has the class that users see, and `engine.py` owns the arrays. `advice.py` validates input and proposes
cells and time steps, `verdict.py` judges a run. `checkpoint.py` saves the state, and checks one from a file.
"""
