"""Contact parameters of pairs of materials.

Read `contacts` first: `Contact` and `Contacts`. `law_component` is the base class of the components, `law_parts` has
them (elastic forces, damping, rolling, twisting, adhesion), and `law_registry` finds them by name, those of other
packages too. `restitution` converts coefficients of restitution to damping. `lubrication`: the fluid between surfaces.
`contact_law` makes the tables of the kernels. `contact_forces`: the contacts of one moment, as users read them.
"""
