"""Integration rules by which tasks join the points of a trajectory."""

from __future__ import annotations

from collections.abc import Mapping

from screwgraph.time import HERMITE_SIMPSON, LINEAR_ACCELERATION, SEMI_IMPLICIT, TRAPEZOIDAL, Rule

UNTIED = Rule("none", 0, (0.0, 1.0), ((0.5, 0.5),), ())
"""No rule joins the points: a smoothness prior does (Xie & Dellaert, 2019; Mukadam et al., 2018)."""

COLLOCATIONS: Mapping[str, Rule] = {
    "euler": SEMI_IMPLICIT,
    "trapezoidal": TRAPEZOIDAL,
    "linear_acceleration": LINEAR_ACCELERATION,
    "hermite_simpson": HERMITE_SIMPSON,
    "none": UNTIED,
}
