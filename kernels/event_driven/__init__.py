"""Event-driven simulation of hard spheres: time goes from impact to impact.

Read `events` first: the loop over events. `event_queue`: events in order of time. `impact`: the time of an impact, and
the velocities after it. `flight`: free flight, cells, the search for the next event of a sphere, and the state
between events, as users see it.
"""
