"""Event-driven simulation of hard spheres: impacts take no time and are processed one after another.

`simulation.py` has the class that users see, and `engine.py` owns the arrays. `checks.py` validates input,
`verdict.py` judges a run. `checkpoint.py` saves the state, and checks one from a file.
"""
