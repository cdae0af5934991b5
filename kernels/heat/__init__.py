"""Scalars that particles carry, such as temperatures, and their exchange through contacts.

`conductances` lists the contacts of the present moment with their conductances, `exchange` carries out sub-steps of the
exchange, and `single_substep` one of spheres without that list; `implicit` solves the systems of implicit steps;
`temperature_dependence` has properties that depend on the temperature. Exchanged amounts are rounded to integers of a
fixed unit, so that sums depend on no order and nothing is lost.
"""
