"""Neighbour lists of an engine.

`grid`: the cells of the search. `skin_distances`: how far bodies may move before lists are made anew.
"""
