"""The model of a simulation, as plain data that users make.

materials, energy       materials; the energy ledger
shapes, particles       shapes and their mass properties; particles, kinds, sizes, starting states
contact                 contact parameters of pairs of materials, and the law that follows
domain, walls           the box and regions of space; walls beside the box (`wall_selection`: for which particles)
bonds, fluid            bonds between particles, and their shape at rest (`bond_forces`: from poses); a fluid
scalar_exchange, heat   scalars that particles exchange through contacts, and one of them, the temperature;
                        `heat_transfer`: a fluid and surroundings; `temperature_tables`: properties by temperature
insertion               insertion and removal of particles during a run

`register_field` in `particles.particles` adds a field of a user; `particles.fields` lists all fields.
"""
