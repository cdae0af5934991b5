"""Time steps of soft particles. README.md of this folder describes the modules and the order of reading."""
