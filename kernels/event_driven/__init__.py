"""Hard spheres: the kernels of events.

``events`` is the loop over events; begin there. ``impact`` is the physics, ``flight`` what lies between impacts.
"""
