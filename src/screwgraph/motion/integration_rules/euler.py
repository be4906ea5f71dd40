"""Euler's explicit method."""

from screwgraph.motion.integration_rules.rule import Rule

EULER = Rule("euler", 1, (0.0, 1.0), ((1.0, 0.0),), ((1.0, 0.0),))
"""Velocities and accelerations of the beginning are held. First order."""
