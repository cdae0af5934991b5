"""Shapes of walls: how far a place is from each, and what a sphere there feels of it.

A primitive is a file with the distance of a place from it and the gradient of that distance, and a row in
``distances``; a mesh of triangles and a surface of revolution are put together of pieces by rule E, see
``contact_patches``.
"""
