"""What the pages on how to do things are about, in the order of somebody who begins; others follow by themselves."""

TOPICS = {
    "Set up": {
        "guide/case-files": "a whole run as one file, with units; what is checked before it",
        "guide/contacts": "elasticity, damping, friction, rolling, adhesion, liquid bridges, pair by pair",
        "guide/walls-and-meshes": "planes, cylinders, hoppers, meshes; moving, pressing, floating, measured",
        "coming-and-going": "inserters, feeds, outlets, hoppers that empty",
        "guide/fluids": "drag, lift, added mass, flow fields, two-way coupling",
        "capsules": "fibres that are smooth, and cost one contact a pair",
        "bonds": "beams between bodies that bend, twist and break; flexible fibres",
        "guide/without-time-steps": "hard spheres from impact to impact; collisions drawn at random",
        "guide/rotation": "one body under any torque, by eighteen schemes",
    },
    "Run": {
        "guide/warnings": "what is refused, what is warned of, whether to trust a run",
        "guide/resume": "what survives a kill, how runs go on, functions called in a run",
        "sweeps": "a run for each combination of parameters, and a table of them",
        "clusters": "one run shared among processes and machines, with the same bytes",
        "guide/batch": "job arrays, images, threads",
        "compiling": "what the first run waits for, and how not to",
    },
    "Look and analyse": {
        "guide/viewers": "the browser, pictures, movies, ParaView, OVITO, MDAnalysis, notebooks",
        "guide/analysis": "statistics of grains and fibres, stresses, fields, tables",
        "bulk": "silos, drums, heaps and an impact next to published ones",
    },
    "Tasks": {
        "guide/recipes": "angle of repose, mixing in a drum, torque on a blade, a clump from a scan, calibration",
        "guide/element-tests": "triaxial and uniaxial compression, shear flow: stress, angle of friction, μ(I)",
    },
    "Go further": {
        "guide/own": "cases, contact laws, shapes, schemes of your own",
        "walls": "how walls of any shape are computed, and how exact that is",
        "flows": "how often, how densely and both ways: what is behind particles in fluids",
    },
}
