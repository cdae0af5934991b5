"""Ways of placing a group of particles, a file for each."""
