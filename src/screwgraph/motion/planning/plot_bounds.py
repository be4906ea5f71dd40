"""What plots of a plan show beside its motion: limits and goals of each joint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from screwgraph.motion.planning.between_points import find_instants, unwrap_demand
from screwgraph.motion.planning.goals.position import PositionError
from screwgraph.motion.planning.limits.position import list_flat_places
from screwgraph.motion.planning.plan import Plan
from screwgraph.motion.planning.template_wrappers import BoundViolation, EntryError, unwrap_template
from screwgraph.optimize import Factors

KINDS = ("q", "qd", "qdd", "tau")


@dataclass(frozen=True)
class PlotBound:
    """A limit of one coordinate of q, qd, qdd or tau, by its column there."""

    kind: str
    coordinate: int
    value: float


@dataclass(frozen=True)
class PlotGoal:
    """A value that a goal asks for at a time (s), of a column of q or qd."""

    kind: str
    coordinate: int
    time: float
    value: float


def collect_limits(plan: Plan) -> Iterator[PlotBound]:
    """Return the limits that a plan keeps, hard or soft; those of actuators' efforts are none of its torques."""
    steps = plan.transcription.steps
    for f in plan.transcription.problem.factors:
        template = unwrap_template(f.template)
        kind = f.arguments[0].variables.name
        if not isinstance(template, BoundViolation) or kind not in KINDS:
            continue
        for name, chosen in (("upper", template.above), ("lower", template.below)):
            for c, value in zip(chosen, f.shared.get(name, ()), strict=False):
                column = steps.drive.slots[c] if kind == "tau" else c
                if column is not None:
                    yield PlotBound(kind, column, float(value))


def collect_goals(plan: Plan) -> Iterator[PlotGoal]:
    """Return what goals ask of joint positions and velocities, the start among them; not of quaternions."""
    places = list_flat_places(plan.transcription.steps.mechanics)
    for f in plan.transcription.problem.factors:
        kind = f.arguments[0].variables.name
        template = unwrap_demand(f.template)
        if kind not in ("q", "qd") or not isinstance(template, PositionError | EntryError):
            continue
        whole = isinstance(template, PositionError)  # it names velocity coordinates, and has a whole position
        for n, time in enumerate(find_instants(plan.transcription.steps, f, plan.t).tolist()):
            value = _values(f, n)
            for i, c in enumerate(template.columns):
                column = places.get(c) if whole else c
                if column is not None:
                    yield PlotGoal(kind, column, time, float(value[column if whole else i]))


def _values(factors: Factors, i: int) -> np.ndarray:
    return factors.each["at"][i] if "at" in factors.each else factors.shared["at"]
