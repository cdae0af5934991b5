"""Contact parameters of pairs of materials.

Read `contacts` first: `Contact` and `Contacts`. `law_component` is the base class of the components, and
`law_components` lists them: `normal_forces`, `damping`, `adhesion`, and rolling and twisting resistance. `restitution`
converts coefficients of restitution to damping. `lubrication`: the fluid between surfaces. `contact_law` makes the
tables of the kernels. `contact_forces`: the contacts of one moment, as users read them.
"""
