"""Particles that are inserted and removed during a run.

`inserter`: which particles enter, where, when and how fast. `outlet`: where particles are removed.
"""
