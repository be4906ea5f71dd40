"""Integration rules by which tasks join the points of a trajectory."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from screwgraph.motion.integration_rules import RULES, SEMI_IMPLICIT, Rule, lagrange_polynomials

# Collocation whose torques are held: a controller commands one for each step, and the motion is made with it.


def held_rule(name: str, stages: int) -> Rule:
    """Return Radau IIA of so many stages, of order 2 stages - 1, under torques that are constant over each step.

    A constant torque has no kinks within a step: the whole order is reached. Hairer & Wanner (1996), section IV.5.
    """
    x = np.polynomial.Polynomial([0.0, 1.0])
    roots = (x ** (stages - 1) * (x - 1.0) ** stages).deriv(stages - 1).roots().real
    nodes = (*np.sort(roots)[:-1].tolist(), 1.0)
    integrals = [p.integ() for p in lagrange_polynomials(nodes)]
    rows = tuple((0.0, *(float(p(node)) for p in integrals)) for node in nodes)
    return Rule(name, 2 * stages - 1, (0.0, *nodes), rows, rows, corrections=2 * stages - 3, holds=True)


HELD: Mapping[str, Rule] = {"held": held_rule("held", 3), "held_9": held_rule("held_9", 5)}
"""By name; refinement goes from the first to the second before it cuts steps, and with them the time of a torque."""


UNTIED = Rule("none", 0, (0.0, 1.0), ((0.5, 0.5),), ())
"""No rule joins the points: a smoothness prior does (Xie & Dellaert, 2019; Mukadam et al., 2018)."""

COLLOCATIONS: Mapping[str, Rule] = {
    "euler": SEMI_IMPLICIT,
    **{name: rule for name, rule in RULES.items() if not rule.is_explicit},
    **HELD,
    "none": UNTIED,
}
"""Euler's semi-implicit rule, all implicit rules of `time.RULES`, rules whose torques are held, and no rule."""
