"""Single contacts of one or two bodies, against closed forms and independent solutions.

- `chung_ooi.py`: tests 1 to 8 of Chung & Ooi (2011), normal and oblique impacts
- `partial_slip.py`: Maw, Barber & Fawcett (1976)
- `springs.py`, `adhesion.py`, `rolling.py`: one kind of law each
- `mfix_cases.py`, `lammps_impacts.py`: verification cases and results of other programs
- `convex_energy.py`: energy of ellipsoids and superellipsoids without losses
- `energy_losses.py`, `convergence_and_incline.py`: conservation laws, orders of convergence, a sphere on a slope
- `collisions.py`, `reference_solution.py`: what these studies share
"""
