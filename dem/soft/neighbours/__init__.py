"""Neighbour lists of an engine: grid, skins, room."""
