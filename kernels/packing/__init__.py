"""Starting states: spheres and fibres thrown in one after the other, directions on a lattice."""
