"""Radau IIA collocation of two stages."""

from screwgraph.time.rule import Rule

_ROWS = ((0.0, 5.0 / 12.0, -1.0 / 12.0), (0.0, 3.0 / 4.0, 1.0 / 4.0))
RADAU = Rule("radau", 3, (0.0, 1.0 / 3.0, 1.0), _ROWS, _ROWS, corrections=1)
"""Accelerations are linear through the points at a third and at the end. Third order, L-stable: stiff motions decay.

Hairer & Wanner (1996), table IV.5.5.
"""
