"""The box, its periodic and rough faces, and regions of space."""
