"""Elastic bonds between bodies: a potential of their two poses, what damps it, and when a bond breaks."""
