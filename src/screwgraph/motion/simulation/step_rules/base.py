"""What a rule of time steps is, as code without branches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from screwgraph.motion.simulation.step_code import TracedSteps
from screwgraph.tape import Number

Solve = Callable[[Any, Any], Any]
"""Accelerations at a position and a velocity."""
StepRule = Callable[[TracedSteps, Solve, Number, Any, Any], tuple[Any, Any]]
"""From accelerations, a step h (s), a position and a velocity to those at the end."""
