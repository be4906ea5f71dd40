"""The classical Runge-Kutta method of order four."""

from screwgraph.motion.integration_rules.rule import Rule

_ROWS = (
    (0.5, 0.0, 0.0, 0.0),
    (0.0, 0.5, 0.0, 0.0),
    (0.0, 0.0, 1.0, 0.0),
    (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0),
)
RK4 = Rule("rk4", 4, (0.0, 0.5, 0.5, 1.0, 1.0), _ROWS, _ROWS)
"""Explicit, fourth order. Hairer, Norsett & Wanner (1993), table II.1.2; on curved joints, as Munthe-Kaas wrote it."""
