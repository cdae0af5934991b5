"""The rotational schemes by name (`integrators.py`), and one body that rotates under any torque (`study.py`)."""
