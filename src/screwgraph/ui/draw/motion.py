"""Motions over time: all coordinates by their units, with the limits and goals of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from screwgraph.motion.planning import Plan
from screwgraph.motion.planning.factors.between_points import find_instants, unwrap_demand
from screwgraph.motion.planning.goals.position import PositionError
from screwgraph.motion.planning.mechanics import list_flat_places
from screwgraph.motion.planning.template_wrappers import BoundViolation, EntryError, unwrap_template
from screwgraph.motion.simulation import QUANTITIES, Column, Trajectory
from screwgraph.optimize import Factors
from screwgraph.ui.draw.time_plots import Panel, draw_histories

if TYPE_CHECKING:
    from screwgraph.ui.draw.drawing import Drawing


MOST_CURVES = 7
"""Of a panel: those of more joints have panels of their own, below one another."""
ROUNDING = 1e-11
"""Motion (m, rad, N, N m and rates) that is rounding: robots that are still do not seem to move."""

Places = Mapping[tuple[str, int], list]
"""Values by kind and column."""

KINDS = ("q", "qd", "qdd", "tau")


def draw_motion(
    motion: Plan | Trajectory, kinds: Sequence[str] = tuple(QUANTITIES), *, width: float | None = None
) -> Drawing:
    """Draw q, qd, qdd and tau of every coordinate over time, a panel for each kind and unit; `width` in inches.

    Kinds are rows and units are columns; the units of a single kind stand below one another, and more than seven
    coordinates of a unit are several panels. Of plans, dashed lines are limits, where these are near the motion, with
    the names of their joints; circles are what goals ask for. Torques that are always zero are left out.
    """
    run = motion.trajectory if isinstance(motion, Plan) else motion
    limits, goals = _of_plan(motion) if isinstance(motion, Plan) else ({}, {})
    found = [motion_panels(run, kind, limits, goals, zeros=kind != "tau") for kind in kinds]
    rows = [panels for panels in found if panels]
    figure = draw_histories(run.t, rows[0] if len(rows) == 1 else rows, width=width)
    if isinstance(motion, Plan) and not motion.feasible:
        figure.suptitle(f"NOT FEASIBLE: violation {motion.violation:.2g}", color="crimson", fontsize=9)
    return figure


def motion_panels(
    motion: Trajectory,
    kind: str,
    limits: Places | None = None,
    goals: Places | None = None,
    *,
    zeros: bool = True,
) -> list[Panel]:
    """Return the coordinates of a kind (q, qd, qdd, tau), panels for each unit; `zeros` keeps those that are none."""
    values = getattr(motion, kind)
    of = {i: column for i, column in enumerate(motion.model.columns[kind]) if zeros or values[:, i].any()}

    def name_places(by: Places | None) -> dict[str, list]:
        return {column.label: by[kind, i] for i, column in of.items() if by and (kind, i) in by}

    return panels_by_unit(QUANTITIES[kind], of, values, name_places(limits), name_places(goals))


def panels_by_unit(
    quantity: str,
    of: Mapping[int, Column],
    values: Float[np.ndarray, "N k"],
    limits: Mapping[str, list] | None = None,
    goals: Mapping[str, list] | None = None,
) -> list[Panel]:
    """Return panels for each unit, lengths first, then angles, then quaternions; `of` are columns of values."""
    found: dict[str, list[int]] = {}
    for i, column in of.items():
        found.setdefault(column.unit, []).append(i)
    panels = []
    for unit in sorted(found, key=_turning):
        for part in _split_evenly(found[unit]):
            curves = {of[i].label: values[:, i] for i in part}
            own = ({name: by[name] for name in curves if name in by} for by in (limits or {}, goals or {}))
            panels.append(Panel(f"{quantity} ({unit or 'quaternion'})", curves, *own, rounding=ROUNDING))
    return panels


def _split_evenly(columns: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield columns as they follow one another, in parts of about the same length and at most `MOST_CURVES`."""
    count = -(-len(columns) // MOST_CURVES)
    edges = [round(k * len(columns) / count) for k in range(count + 1)]
    return (columns[a:b] for a, b in pairwise(edges))


def _turning(unit: str) -> int:
    """Tell lengths, angles and quaternions apart, in this order."""
    return 2 if not unit else int("rad" in unit or unit == "N m")


def _of_plan(plan: Plan) -> tuple[Places, Places]:
    """Return the limits and the goals of a plan, by kind and column."""
    limits: dict[tuple[str, int], list] = {}
    goals: dict[tuple[str, int], list] = {}
    for b in collect_limits(plan):
        limits.setdefault((b.kind, b.coordinate), []).append(b.value)
    for w in collect_goals(plan):
        goals.setdefault((w.kind, w.coordinate), []).append((w.time, w.value))
    return limits, goals


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
