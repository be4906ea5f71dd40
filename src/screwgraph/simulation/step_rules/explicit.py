"""Explicit rules of `time.RULES`."""

from __future__ import annotations

from typing import Any

from screwgraph.simulation.step_code import SmallSteps
from screwgraph.simulation.step_rules.base import Solve, StepRule
from screwgraph.tape import Number
from screwgraph.time import Rule, stepped


def explicit_rule(rule: Rule) -> StepRule:
    """Return the steps of an explicit rule."""

    def step(space: SmallSteps, solve: Solve, h: Number, q: Any, v: Any) -> tuple[Any, Any]:
        return stepped(rule, space, lambda part, at, velocity: solve(at, velocity), h, q, v)

    return step
