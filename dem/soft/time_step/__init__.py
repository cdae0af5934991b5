"""Advice on the time step: impacts, short contacts, adhesion, limits."""
