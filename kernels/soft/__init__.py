"""Time steps of soft particles; README.md of this folder says what is where, and in which order to read."""
