"""Narrow phase and contact forces between particles: detection, kinematics, evaluation, sums, reports."""
