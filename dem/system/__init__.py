"""What simulations of all kinds have in common.

`system.py`: particles in a box, at a time; `observer.py`: who listens to a run; `plan.py`: where frames are due.
"""
