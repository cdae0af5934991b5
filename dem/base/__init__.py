"""What everything stands on.

Checked input (`checks.py`), attributes, notices, words while kernels compile, Ctrl-C, optional libraries.
"""
