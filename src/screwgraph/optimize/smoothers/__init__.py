"""Estimates over time, window by window."""

from screwgraph.optimize.smoothers.exported import Front
from screwgraph.optimize.smoothers.fixed_lag import FixedLag, Solved

__all__ = ["FixedLag", "Front", "Solved"]
