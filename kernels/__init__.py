"""Numba kernels on plain arrays and floats: formulae and loops, no classes, no I/O, no exceptions.

A room imports from rooms above it in this list, or from itself. What words mean is in docs/glossary.md, and what
goes by the same name in all kernels of soft particles in ``state``. Where to look for what:

``base``        what all others stand on
    ``jit``         how everything here is compiled and cached
    ``environment`` variables that numba reads
    ``own_folder``  folders that only the user can have written to: code is read from no others
    ``link_time_inlining``     how parts are put together to what Python calls
    ``lowering``    how numba lowers them
    ``minmax``    `max` and `min` in them
    ``libraries``   their code: what of it is optimised when
    ``stages``      large parts that are machine code of their own, on disk
    ``struct_reference``        tuples of arrays in memory, handed on by address
    ``fast_call``      pieces called from Python
    ``disk_cache``     parts on disk, for what is compiled next
    ``parallel_for``   calls of parts by threads
    ``calling_convention``  how parts are called
    ``c_functions``     functions of C called by their address
    ``setup``     what numba need not do before its first function runs, how threads wait
    ``processor``   what LLVM should know of processors: whose gathers are slow, whose vectors may be wide
    ``memory``      asked for ahead, or added to by several threads
    ``compress``     which of many numbers count, eight at a time
    ``transpose`` columns written as lines of memory, eight at a time
    ``float_bits``        floats as integers of the same bits
    ``elementary``  exponentials, logarithms and powers as vector code
    ``vector``      3-vectors as tuples
    ``quaternion``  quaternion algebra, exponential map, rotation of vectors
    ``random``      random numbers from a counter and a key, without a state
    ``distances``    distances of segments
    ``sphere_union``       moments of the union of spheres
    ``energy``      per-body energies and sums that do not depend on their order
``rotation``    the rotational integrators, one file each, with its paper
    ``steps``       what a scheme is made of, and what several of them share
    ``several``     those with several torques a step
    ``problems``    torque laws of one body
    ``study``       the loop over its steps
``laws``        contact laws, one file each, with its paper
    ``interface``       what laws are told, and what their parts are made of
    ``collision_time``      normal forces as Python knows them
    ``hertz``, ``linear``, ``hysteretic``, ``power``    normal force
    ``damping``, ``viscoelastic``, ``dashpot``  normal dashpot
    ``friction``    tangential spring
    ``rolling``, ``twisting``   couples
    ``jkr``, ``dmt``, ``bridge``  adhesion
    ``merged_contacts``     contacts that several pieces of a wall make together
    ``lubrication``        lubrication
    ``first_step``       the first and the last step of a contact, whose forces set in like roots or with a jump
``bonds``       what holds bodies together
    ``beam``        a bond as a short beam: potential, dashpots, stresses
    ``row``         bonds in a row, for static solutions
``box``         what soft and hard particles are in
    ``faces``       where the walls are, how they move
    ``periodic``    nearest images, and bodies folded back into the box
    ``roughness``   the inclination of a rough wall as a particle meets it
``walls``       shapes of walls, one file each, and what a sphere near one feels
    ``distances``    all of them in flat arrays
    ``potential_terms``       of their potential
    ``plane``, ``ball``, ``rectangle``, ``block``, ``capsule``, ``torus``  primitives
    ``cylindrical``       cylindrical coordinates
    ``revolution``  what a polyline sweeps about an axis
    ``contact_patches``      meshes of triangles: each edge counts once
    ``triangles``   closest points
    ``segment_distance``       those of segments
    ``capsule_sides``       what a capsule feels between its ends
    ``side_potential_terms``  of their potential
    ``axisymmetric_sides``  where what turns about an axis is nearest
    ``axis_distance``       how near that is along a line
    ``linked_cells``       where to look for those near a place
    ``clearance``       how far places are from all of them
    ``poses``       where walls are at a time
    ``rigid_body``        where those are that forces move
``fluid``       what a fluid about the bodies does to each, one file each, with its paper
    ``gradients``   what a flow field says of a place
    ``uniform``, ``linear``, ``poiseuille``, ``taylor_green``, ``beltrami``, ``gridded``, ``called``  flow fields
    ``stokes``, ``schiller_naumann``, ``hoelzer_sommerfeld``, ``rosendahl``, ``zastawny``  drag
    ``di_felice``, ``gidaspow``, ``beetstra``  drag in dense beds
    ``crowded``     flows in these, and those that somebody else computes
    ``linked_cells``       what particles give to cells, and see of them
    ``saffman``, ``magnus``  lift
    ``spin_drag``   resistance to rotation
    ``medium``      the fluid itself, what it has done
    ``stride``      where in a step it acts, however stiff
    ``sampling``    a field at many places, block by block
``packing``     starting states without overlap
    ``insertion``   bodies thrown in one after the other
    ``rounds``      the same while a run goes on
    ``directions``  fibres on a lattice
``soft``        particles that overlap where they touch, in time steps
    ``time_loop``     the loop over time steps
    ``passes``      its parts over all bodies, by one thread or several
    ``sweeps``      the same over a chunk of bodies, or a block of chunks
    ``near_wall_list``     who is near walls, between picks of candidates
    ``neighbour_lists``       what it needs lists for: bodies in order, neighbours, candidates, by one thread or several
    ``stage_benchmark``      its parts one at a time, for benchmarks
    ``state``       the arrays
    ``chunks``      bodies that are worked on together
    ``linked_cells``       linked cells, and bodies in memory in their order
    ``body_pairs``  which bodies may meet before the list is stale
    ``candidate_pairs``  which of their spheres may touch within the next few steps
    ``capsules``    bodies that are all points near a segment
    ``capsule_blending``       where two of them meet, at their closest points or at two ends
    ``capsule_candidates``  their candidates
    ``capsule_detection``  those that touch
    ``capsule_kinematics``  each of their contacts
    ``capsule_batch_kinematics``  many of them, looked at together
    ``capsule_batches``  these evaluated, many at a time
    ``body_accumulation``  what they come to, by body
    ``capsule_shared_damping``  damping that several contacts share, beside bodies of several spheres
    ``capsule_report``  the same one by one
    ``capsule_sides``       what walls do to them between their ends
    ``elastic_pairs``     place spheres, evaluate elastic pairs
    ``force_accumulation``      sum forces and torques by body
    ``contact_detection``    find those that touch, for laws that need velocities
    ``contact_batches``      evaluate them, many at a time: gather and scatter
    ``batch_evaluation``     the loops between
    ``batch_kinematics``       what laws want to know of them
    ``shared_damping``     several contacts of the same two bodies
    ``uniform_values``      one value for all pairs or one each
    ``surface_motion``    how bodies move at a point of contact, and how heavy they are there
    ``contact_sinks``  where forces of contacts with walls go: to bodies, walls and ledger, or to a report
    ``box_contacts``  what the faces of the box do
    ``rough_faces``  the planes that they show spheres where they are rough
    ``wall_arrays``      a box with other walls beside it, what they are and have come to
    ``near_wall_bodies``  which bodies are near any
    ``near_wall_record``   what is kept of spheres among those
    ``overlap_regions``     where spheres overlap those
    ``rough_walls``       the planes that those show spheres where they are rough
    ``wall_kinematics``  what a sphere and one of those do to each other, as laws want to know it
    ``wall_contacts``   what those walls do
    ``triangle_batches``  which triangles single spheres touch, many at a time
    ``wall_batch_kinematics``  what those walls and single spheres do to each other, many at a time
    ``wall_batches``  what comes of it
    ``wall_prefetch``      what it wants to know of bodies, asked for ahead
    ``all_walls``   what faces and they do
    ``box_batches`` what faces do to single spheres, many at a time
    ``body_wall_forces``    which of both, chunk by chunk
    ``wall_loads``        what they feel
    ``wear``        how they wear
    ``wall_history``       what contacts with them remember
    ``wall_history_tables`` that in tables
    ``wall_report``  contacts with faces and walls for reports; how deep spheres are in walls
    ``contact_history``     what contacts remember, from one list to the next
    ``particle_update``      predict and correct all bodies
    ``fixed``       bodies that forces do not move
    ``fluid_step``    correct them in a fluid
    ``fluid_forces``        its laws, evaluated for a block of bodies
    ``fluid_cache``   what comes of that, kept for some steps
    ``translational_relaxation``     their velocities
    ``rotational_relaxation``     their angular velocities
    ``bond_types``        whether bonds hold bodies together
    ``bond_arrays``  those bonds
    ``bond_forces``   what each does
    ``bond_accumulation``   what they come to, by body
    ``bond_step``      what all do, and how they break
    ``bond_exclusions``       who never meets, because they last
    ``overlap_release``      who does not meet as long as they hold
    ``contact_report``     contacts one by one, for who looks at them
    ``report_row``        a row of what is told of each
    ``compiled_stages``      stages of a step that are pieces, each told no more than it needs
    ``whole_steps`` into the leap-frog from a state of the user's, and out of it
    ``displacement``      how far bodies have come since they were listed
    ``ghosts``      copies of bodies that are moved by other processes, and who may touch them
    ``halo_exchange``      what these processes tell each other at each step
    ``half_sweeps``      sweeps over bodies that others want to know of, and over those further in, in two halves
    ``subdomain_step``      a step of some of the bodies, beside others who move the rest
``hard``        spheres whose impacts take no time, from event to event
    ``events``      the loop over events
    ``agenda``      those events, soonest first
    ``impact``      when spheres meet, and what that changes
    ``flight``      spheres between their impacts, cells, the search for each one's next event
    ``views``       what is seen of them in between
``stochastic``  spheres that collide at random, as often as kinetic theory says
    ``steps``       the loop over time steps
    ``gas``         who is where, how dense it is there, how often they collide
    ``impacts``     an impact whose place is drawn
    ``pairs``       collisions of pairs in cells
    ``partners``    collisions with fictitious partners
    ``pressure``    of the solids, which keeps them from being packed too close
    ``carrier``     turbulence that particles see, and its drag
"""
