"""A fluid around the particles: forces, flow fields, coupling, turbulence."""
