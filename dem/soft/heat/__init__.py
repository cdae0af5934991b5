"""Scalars that particles exchange in a run, such as temperatures; the laws are in `dem.model`.

`conductances`: contacts of the present moment with what they conduct, for all kinds of bodies. `scalar_in_run`: the
stage that carries out the exchange every so many steps, and its ledger; `implicit_exchange`: its implicit steps.
`heat_in_run`: that stage of temperatures, with the heat that contacts dissipate; `temperature_classes`: contact
properties by temperature; `fluid_heat`: of a fluid that particles warm or cool. `property_tables`: properties by
temperature. `exact_sums`: sums of ledgers. `scalar_setup`: checks of a simulation, and stages of its engine.
"""
