"""Convex bodies by their support functions: h(n) = max n·x over the points x of a body, and the x where it is reached.

`shape_kinds`: registration of a kind of shape, one row each, and the kinds that a run has.
"""
