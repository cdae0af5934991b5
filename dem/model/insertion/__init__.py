"""Inserters and outlets."""
