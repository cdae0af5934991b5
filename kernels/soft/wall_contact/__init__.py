"""Contacts of particles with walls: faces of the box, walls of any shape, meshes, rough walls, loads on walls, wear."""
