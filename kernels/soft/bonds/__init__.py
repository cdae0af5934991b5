"""Bonds in a step: forces, breaking, accumulation by body, release of overlaps."""
