"""Costs of the last state of a horizon: one kind a file; a new one is a new file and a line in `TERMINAL_COSTS`."""

from collections.abc import Mapping

from screwgraph.motion.control.predictive.terminal_costs.base import TerminalCost
from screwgraph.motion.control.predictive.terminal_costs.riccati_matrix import RiccatiMatrix
from screwgraph.motion.control.predictive.terminal_costs.state_weights import StateWeights

TERMINAL_COSTS: Mapping[str, TerminalCost] = {
    "weights": StateWeights(),
    "riccati": RiccatiMatrix(),
}
"""By the names that `mpc(terminal=...)` takes."""

__all__ = ["TERMINAL_COSTS", "RiccatiMatrix", "StateWeights", "TerminalCost"]
