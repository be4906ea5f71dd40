"""The trapezoidal rule."""

from screwgraph.motion.integration_rules.rule import Rule

TRAPEZOIDAL = Rule("trapezoidal", 2, (0.0, 1.0), ((0.5, 0.5),), ((0.5, 0.5),))
"""Accelerations are linear between knots; positions go along the mean velocity. Second order, A-stable.

Kelly (2017), eq. (6.1); on curved joints the step is the exponential of the mean twist.
"""
