"""The largest violation of a plan in the words of its task: which joint or frame, by how much, with its unit, when."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.optimize import Factors, Result
from screwgraph.plan.goals.point import AtPoint
from screwgraph.plan.goals.pose import AtPose
from screwgraph.plan.goals.position import Apart
from screwgraph.plan.steps import Steps
from screwgraph.plan.templates import BoundViolation, Difference
from screwgraph.robot import Robot, units

KINDS = {"q": "position", "qd": "velocity", "qdd": "acceleration", "tau": "effort"}
RAW = (" is off by ", " remains violated by ")
"""What reasons of searches say of rows of residuals."""


def described(steps: Steps, result: Result) -> str:
    """Return which demand holds least, or nothing where all hold."""
    broken = result.problem.assembly.broken(result.iterate.x)
    name = max(broken, key=lambda key: float(broken[key].max()), default="")
    if not name or not broken[name].max() > 0.0:
        return ""
    factors, number = result.problem[name], int(broken[name].argmax())
    return f"{_demand(steps, factors, result.residuals[name][number])} {_when(steps, factors, number)}".strip()


def in_words(reason: str, description: str) -> str:
    """Return the reason of a search with a description in place of rows of residuals."""
    parts = [part for part in reason.split("; ") if not any(raw in part for raw in RAW)]
    return "; ".join([*parts, description] if description else parts)


def _demand(steps: Steps, f: Factors, r: Float[np.ndarray, " m"]) -> str:
    item, template = f.name.partition(":")[0], getattr(f.template, "template", f.template)
    if isinstance(template, AtPose):
        away, turned = np.linalg.norm(r[3:]), np.linalg.norm(r[:3])
        return f"{item}: frame {template.frame!r} is {away:.3g} m and {turned:.3g} rad from its pose"
    if isinstance(template, AtPoint):
        return f"{item}: frame {template.frame!r} is {np.linalg.norm(r):.3g} m from its point"
    family = f.arguments[0].variables.name
    if isinstance(template, Difference | Apart) and family in KINDS:
        worst = int(np.abs(r).argmax())
        column = template.columns[worst]
        return f"{item}: joint {_label(steps, column)!r} is {_size(steps, family, column, r[worst])} off"
    if isinstance(template, BoundViolation) and family in KINDS:
        worst = int(r.argmax())
        column = (*template.above, *template.below)[worst] if "upper" in f.shared else template.below[worst]
        column = steps.actuated[column] if family == "tau" else column
        over = _size(steps, family, column, r[worst])
        return f"{item}: {KINDS[family]} of joint {_label(steps, column)!r} exceeds its limit by {over}"
    if f.name.startswith("dynamics") and len(r) == steps.mechanics.robot.nv:
        worst = int(np.abs(r).argmax())
        return f"{_size(steps, 'tau', worst, r[worst])} are missing at joint {_label(steps, worst)!r}"
    if f.name.startswith("collocation"):
        return f"positions and velocities do not fit each other, by {np.abs(r).max():.3g}"
    if f.name.startswith("obstacle"):
        return f"{item}: spheres are {r.max():.3g} m too near"
    return f"{f.name} is violated by {np.abs(r).max():.3g} (SI units)"


def _when(steps: Steps, f: Factors, number: int) -> str:
    argument = f.arguments[0]
    if argument.variables.name not in KINDS:
        return ""
    index = int(argument.indices[number if len(argument.indices) > 1 else 0])
    point = index if argument.variables.name in ("q", "qd") else int(steps.points[index])
    return f"at t = {steps.times[point]:.3g} s"


def _label(steps: Steps, column: int) -> str:
    labels = steps.mechanics.labels
    return labels[column] if column < len(labels) else str(column)


def _size(steps: Steps, family: str, column: int, value: Any) -> str:
    robot, number = steps.mechanics.robot, f"{abs(float(value)):.3g}"
    if not isinstance(robot, Robot):
        return f"{number} (SI units)"
    every = [unit for joint in robot.joints for unit in getattr(units(joint.type), KINDS[family])]
    return f"{number} {every[column]}" if column < len(every) else number
