"""Integration rules by which tasks join the points of a trajectory."""

from __future__ import annotations

from collections.abc import Mapping

from screwgraph.motion.integration_rules import RULES, SEMI_IMPLICIT, Rule
from screwgraph.motion.planning.held import HELD

UNTIED = Rule("none", 0, (0.0, 1.0), ((0.5, 0.5),), ())
"""No rule joins the points: a smoothness prior does (Xie & Dellaert, 2019; Mukadam et al., 2018)."""

COLLOCATIONS: Mapping[str, Rule] = {
    "euler": SEMI_IMPLICIT,
    **{name: rule for name, rule in RULES.items() if not rule.is_explicit},
    **HELD,
    "none": UNTIED,
}
"""Euler's semi-implicit rule, all implicit rules of `time.RULES`, rules whose torques are held, and no rule."""
