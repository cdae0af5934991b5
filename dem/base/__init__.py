"""What everything stands on: checked input (`checks.py`), notices, words while kernels compile, optional libraries."""
