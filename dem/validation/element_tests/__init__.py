"""Element tests in periodic cells that deform (`dem.Cell`), next to closed forms, kinetic theory and published results.

- `lattices.py`: an elastic and a frictional face-centred cubic lattice
- `reductions.py`: an elastic gas sheared by γ and back, with and without reductions of the basis of the cell
- `sheared_gas.py`: inelastic gases in simple shear
- `shear_flow.py`: friction and solid fraction of flows in simple shear at constant pressure, μ(I) and φ(I)
- `triaxial.py`: a drained triaxial test next to one of YADE
- `boundaries.py`: triaxial and oedometric tests in a cell and between walls with servos
- `small_strains.py`: bulk and shear moduli of an isotropic packing
- `jammed_packings.py`: solid fractions of jammed ellipsoids and Platonic solids without friction
- `grids.py`: the studies of the last six files, and `dice.py` and `clumps.py` of `granular_beds`, are grids of
  independent runs; ``python -m dem.validation.element_tests`` computes them with many processes

From the root of a clone, without installation, on 16 cores:

    python -m dem.validation.element_tests shear-rheology -o rheology --processes 16
    python -m dem.validation.element_tests triaxial-cell -o triaxial --processes 16
    python -m dem.validation.element_tests sheared-gas -o gas --processes 16

Each writes the rows of its runs to FOLDER/STUDY-rows.json, and the report of ``dem validate STUDY`` where matplotlib
is installed. ``--rows FILE`` writes the report from rows that were computed elsewhere. ``--grid KEY=VALUE,VALUE``
changes a parameter of the grid, such as ``--grid friction=0.5 --grid seed=1,2,3``.
"""
