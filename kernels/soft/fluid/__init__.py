"""Fluid forces in a step: evaluation, their values between evaluations, relaxation of velocities."""
