"""Estimates over time, window by window."""

from screwgraph.optimize.smoothers.fixed_lag import FixedLag, Solved

__all__ = ["FixedLag", "Solved"]
