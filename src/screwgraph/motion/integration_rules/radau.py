"""Radau IIA collocation of two and three stages."""

from math import sqrt

from screwgraph.motion.integration_rules.rule import Rule

_ROWS = ((0.0, 5.0 / 12.0, -1.0 / 12.0), (0.0, 3.0 / 4.0, 1.0 / 4.0))
RADAU = Rule("radau", 3, (0.0, 1.0 / 3.0, 1.0), _ROWS, _ROWS, corrections=1)
"""Accelerations are linear through the points at a third and at the end. Third order, L-stable: stiff motions decay.

Hairer & Wanner (1996), table IV.5.5.
"""

_R = sqrt(6.0)
_ROWS_5 = (
    (0.0, (88.0 - 7.0 * _R) / 360.0, (296.0 - 169.0 * _R) / 1800.0, (-2.0 + 3.0 * _R) / 225.0),
    (0.0, (296.0 + 169.0 * _R) / 1800.0, (88.0 + 7.0 * _R) / 360.0, (-2.0 - 3.0 * _R) / 225.0),
    (0.0, (16.0 - _R) / 36.0, (16.0 + _R) / 36.0, 1.0 / 9.0),
)
RADAU_5 = Rule("radau_5", 5, (0.0, (4.0 - _R) / 10.0, (4.0 + _R) / 10.0, 1.0), _ROWS_5, _ROWS_5, corrections=3)
"""Accelerations are quadratic through three points, the last at the end. Fifth order, L-stable.

Hairer & Wanner (1996), table IV.5.6.
"""
