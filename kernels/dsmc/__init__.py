"""Direct simulation Monte Carlo: stochastic collisions of spheres at the rates of kinetic theory.

Read `steps` first: the loop over time steps. `gas`: cells, densities and collision rates. `pairs`: collisions of pairs
in cells. `partners`: collisions with fictitious partners. `impacts`: an impact with a random contact point.
`solids_pressure`: limits the packing of particles. `carrier_fluid`: turbulence and drag. Impact laws and walls are
those of hard spheres.
"""
