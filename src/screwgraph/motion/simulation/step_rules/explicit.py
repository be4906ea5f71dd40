"""Explicit rules of `time.RULES`."""

from __future__ import annotations

from typing import Any

from screwgraph.motion.integration_rules import Rule, take_step
from screwgraph.motion.simulation.step_code import TracedSteps
from screwgraph.motion.simulation.step_rules.base import Solve, StepRule
from screwgraph.tape import Number


def make_explicit_rule(rule: Rule) -> StepRule:
    """Return the steps of an explicit rule."""

    def step(space: TracedSteps, solve: Solve, h: Number, q: Any, v: Any) -> tuple[Any, Any]:
        return take_step(rule, space, lambda part, at, velocity: solve(at, velocity), h, q, v)

    return step
