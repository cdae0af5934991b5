"""A time step: update of particles, sweeps over chunks, passes over all chunks, the loop over steps."""
