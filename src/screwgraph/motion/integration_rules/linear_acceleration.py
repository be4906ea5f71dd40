"""Newmark's method of linear acceleration."""

from screwgraph.motion.integration_rules.rule import Rule

LINEAR_ACCELERATION = Rule(
    "linear_acceleration", 2, (0.0, 1.0), ((0.5, 0.5),), ((0.5, 0.5),), ((1.0 / 12.0, -1.0 / 12.0),)
)
"""Accelerations are linear between knots, velocities and positions their exact integrals. Second order.

Newmark (1959), beta = 1/6; as the trapezoidal rule, with a smaller error at the same cost.
"""
