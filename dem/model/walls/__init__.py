"""Walls beside the box: basic, axisymmetric, polyhedral, meshes; their motion, servos, rigid walls."""
