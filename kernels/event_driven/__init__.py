"""Event-driven simulation of hard spheres: time goes from impact to impact.

Read `events` first: the loop over events. `event_queue`: events in order of time. `impact`: when two spheres meet, and
their velocities afterwards. `flight`: free flight, cells, the search for the next event of a sphere, and the state
between events, as users see it.
"""
