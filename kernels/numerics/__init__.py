"""Vectors, quaternions, random numbers, elementary functions, energies of bodies, moments of unions of spheres."""
