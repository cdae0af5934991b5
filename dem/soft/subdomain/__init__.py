"""Subdomains: the part of an engine that a rank moves, migration, the distributed engine."""
