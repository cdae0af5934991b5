"""Contacts of an engine: forces at a moment, history, overlaps."""
