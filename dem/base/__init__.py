"""What everything stands on.

Checked input (`checks.py`), attributes, notices, words while kernels compile and while something takes long, how
long that took before, what a misspelt keyword may mean, Ctrl-C, optional libraries.
"""
