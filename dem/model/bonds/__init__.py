"""Bonds between particles."""
