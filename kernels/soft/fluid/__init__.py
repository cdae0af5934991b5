"""Fluid forces in a time step; the laws are in `dem.kernels.fluid`.

`fluid_forces` evaluates the laws for a block of bodies, and `fluid_cache` keeps the results for some steps.
`translational_relaxation` and `rotational_relaxation` change velocities and angular velocities by exact relaxation, so
that stiff drag does not limit the time step. `fluid_step` completes a step of bodies in a fluid.
"""
