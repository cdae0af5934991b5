"""Carry a system through time (`runnable.py`, `record.py`), go on with a run, repeat it, step through its end."""
