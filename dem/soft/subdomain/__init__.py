"""Subdomains: the part of an engine that a rank moves.

Read `engine_subdomains` first: the engine on rank 0. `subdomain` is the part of a rank, with arrays, lists, order and
bonds in modules of these names. `migration` and `history_migration` move bodies and contact history between ranks.
"""
