"""Estimates over time, window by window."""

from screwgraph.optimize.smoothers.exported import Front
from screwgraph.optimize.smoothers.fixed_lag import FixedLag
from screwgraph.optimize.smoothers.gauss_newton import Solved

__all__ = ["FixedLag", "Front", "Solved"]
