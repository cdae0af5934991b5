"""Pages in `docs/` by kind and subject, in reading order; a page that is not listed appears under "More"."""

TOPICS = {
    "Set up a run": {
        "guide/case-files": "a whole run in one file, with units and checks",
        "guide/contacts": "elasticity, damping, friction, rolling, adhesion, liquid bridges, by pair of materials",
        "guide/walls-and-meshes": "planes, cylinders, hoppers, meshes; motion, given forces, loads",
        "coming-and-going": "inserters, feeds, outlets, hoppers that empty",
        "guide/fluids": "drag, lift, added mass, flow fields, two-way coupling",
        "guide/heat": "temperatures, conduction through contacts, hot walls",
        "capsules": "fibres without grooves, with one contact for each pair",
        "convex": "ellipsoids, superellipsoids, polyhedra and cylinders, and how they touch",
        "bonds": "beams between particles that bend, twist and break; flexible fibres",
        "guide/without-time-steps": "event-driven hard spheres; random collisions",
        "guide/rotation": "one body under any torque, with eighteen schemes",
    },
    "Run": {
        "guide/warnings": "what is refused, what gives a warning, when to trust a run",
        "guide/resume": "stop and continue a run, call functions during it",
        "sweeps": "one run for each combination of parameters, and a table of results",
        "guide/calibration": "find friction and other parameters from measurements, by virtual tests",
        "clusters": "one run on several processes and machines, with the same bytes",
        "guide/batch": "job arrays, containers, threads, machines without a screen",
        "compiling": "what the first run compiles, and how to avoid waiting for it",
    },
    "Look and analyse": {
        "guide/viewers": "browser, pictures, movies, ParaView, OVITO, MDAnalysis, notebooks",
        "guide/analysis": "statistics of grains and fibres, stresses, fields, tables",
    },
    "Complete scripts": {
        "guide/recipes": "angle of repose, mixing in a drum, torque on a blade, a clump from a scan, calibration",
        "guide/element-tests": "triaxial and uniaxial compression, shear flow: stress, angle of friction, μ(I)",
    },
    "Extend": {
        "guide/own": "cases, shapes, laws, fields, walls, exports, statistics and studies of your own",
    },
    "Explanation and results": {
        "walls": "how contacts with walls of any shape are computed, and how accurate they are",
        "flows": "how often fluid forces are computed, dense beds, two-way coupling",
        "bulk": "silos, drums, heaps, element tests, packings and a heated bed next to published results",
    },
}
