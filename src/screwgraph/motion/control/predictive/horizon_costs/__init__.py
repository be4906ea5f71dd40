"""Costs of a horizon beside those of states and inputs: one kind a file; a new one is a line in `HORIZON_COSTS`."""

from collections.abc import Mapping

from screwgraph.motion.control.predictive.horizon_costs.base import CostErrors, HorizonCost
from screwgraph.motion.control.predictive.horizon_costs.frames import FrameCost

HORIZON_COSTS: Mapping[str, type[HorizonCost]] = {
    "frames": FrameCost,
}
"""By the keys of their entries in files."""

__all__ = ["HORIZON_COSTS", "CostErrors", "FrameCost", "HorizonCost"]
