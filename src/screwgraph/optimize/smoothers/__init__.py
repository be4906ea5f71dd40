"""Estimates over time, window by window."""

from typing import TYPE_CHECKING

from screwgraph.base.deprecated import old_names
from screwgraph.optimize.smoothers.fixed_lag import FixedLag
from screwgraph.optimize.smoothers.gauss_newton import WindowStatus
from screwgraph.optimize.smoothers.window_export import Own, UpdateInputs

__all__ = ["FixedLag", "Own", "UpdateInputs", "WindowStatus"]

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
