"""Subdomains: the part of an engine that a rank moves.

Read `engine_subdomains` first: the engine on rank 0. `subdomain` is the part of a rank, with its arrays, their order
and its lists; `subdomain_bonds` its bonds. `migration` moves bodies and contact history between ranks. `rank_checks`:
notices if several ranks do not pay.
"""
