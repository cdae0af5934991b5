"""Contacts of an engine.

`contact_forces`: the contacts of one moment, with forces. `contact_history`: histories of contacts, in tables by the
numbers of users. `overlaps`: the deepest overlaps. `capsules`, `convex_bodies`: such particles in
arrays for kernels, where pairs of them touch, and walls that they may meet.
"""
