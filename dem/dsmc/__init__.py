"""Direct simulation Monte Carlo: spheres whose collisions are drawn at random, in time steps.

`simulation.py` has the class that users see, and `engine.py` owns the arrays. `checks.py` validates input, `advice.py`
proposes cells and time steps, `verdict.py` judges a run. `checkpoint.py` saves the state, and checks one from a file.
"""
