"""Euler's semi-implicit method."""

from screwgraph.motion.integration_rules.rule import Rule

SEMI_IMPLICIT = Rule("semi_implicit", 1, (0.0, 1.0), ((1.0, 0.0),), ((0.0, 1.0),))
"""Accelerations are held; positions go along the velocity at the end. First order, symplectic.

Hairer, Lubich & Wanner (2006), (I.1.9).
"""
