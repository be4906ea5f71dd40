"""Measured states that violate what must hold: the violation may decay; what still cannot be kept costs instead.

A controller needs torques whatever the state. Laws of motion and limits of effort are kept, all else gives way: first
limits and clearances, then goals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.argument_checks import validate_numbers
from screwgraph.motion.planning.contacts.stance import find_stances
from screwgraph.motion.planning.goals.position import complete_position
from screwgraph.motion.planning.goals.velocity import select_velocities
from screwgraph.motion.planning.limits import EffortLimit
from screwgraph.motion.planning.limits.bernstein import find_share_ahead, name_between_limit
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.models import set_coordinates
from screwgraph.motion.planning.plan import FEASIBLE
from screwgraph.motion.planning.search.cost_scaling import ARMS
from screwgraph.motion.planning.search.violation_report import demand, when
from screwgraph.motion.planning.task import Task
from screwgraph.motion.planning.template_wrappers import Relaxed
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, Problem, each, hinge, soft
from screwgraph.optimize.batch import Batch
from screwgraph.optimize.factors import select_factors
from screwgraph.optimize.losses import Huber

RECOVERY = 0.1
"""Time constant (s) in which violations of a measured state decay."""
SMALL = 1e-6
"""Time (s) over which the rate of a violation is measured."""
STATES: tuple[str, ...] = ("q", "qd")
TOLERATED = {"limit": 1e-3, "obstacle": 1e-3, "goal": 1e-2}
"""Violations (SI units) that cost as much as a typical motion, of what is soft, by group of items."""


def measured_state(
    mechanics: Mechanics, planned: tuple[np.ndarray, np.ndarray], q: Any, qd: Any
) -> tuple[dict[str, np.ndarray], tuple[str, ...]]:
    """Return the state at which a plan begins, and what of the measured one was no use.

    What is not measured, or not finite, is as planned; {joint: value} gives some. Quaternions are normalised.

    Raises:
        InputError: something has another shape.
    """
    found, doubts = dict(zip(STATES, planned, strict=True)), []
    for family, value, word in (("q", q, "position"), ("qd", qd, "velocity")):
        if value is None:
            continue
        said = f"the measured {word} is not finite: the planned one is taken"
        if isinstance(value, Mapping):
            known = {name: x for name, x in value.items() if np.isfinite(validate_numbers(word, x)).all()}
            doubts += [said] if len(known) < len(value) else []
            found[family] = _replace_entries(mechanics, found[family], family, known)
        elif not np.isfinite(validate_numbers(word, value)).all():
            doubts.append(said)
        elif family == "q":
            found[family] = complete_position(mechanics.robot, _unit(mechanics.robot, value))[0]
        else:
            found[family] = select_velocities(mechanics, value)[1]
    return found, tuple(doubts)


def relax_problem(
    task: Task, steps: TrajectoryUnknowns, problem: Problem, state: Mapping[str, np.ndarray], recovery: float
) -> tuple[Problem, tuple[str, ...]]:
    """Return a problem that can be met from a measured state, and what the state violates, in words.

    A violation r with the rate r' may decay as (r + (r' + r / T) t) exp(-t / T), T is `recovery`, which is the motion
    of a critically damped oscillator; of velocities and goals as r exp(-t / T): points on which goals hold all the way
    would determine efforts that swing from point to point. A position within its limit violates it, too, where the
    velocity carries a control point of the first step beyond: no effort changes that.
    """
    plain = {f.name: _plain(f) for f in problem.factors}
    ahead = find_share_ahead(steps.collocation) * _first_step(steps)
    at_start = {
        name: _violation(task, steps, f, state, ahead if name_between_limit(f) in plain else 0.0)
        for name, f in plain.items()
        if _is_on_states(f)
    }
    found = tuple(w for name, v in at_start.items() if v is not None for w in _words(steps, plain[name], v, recovery))
    if not found and all(f is plain[f.name] for f in problem.factors):
        return problem, ()
    factors = [_relax_factors(task, steps, f, at_start, recovery) for f in plain.values()]
    return Problem(factors, problem.families).like(problem), found


def soften_problem(task: Task, problem: Problem, cost_scale: float) -> Problem:
    """Return a problem in which limits of the state, obstacles and goals cost: their squares, beyond what is kept.

    Goals cost in proportion to what is missing where that is much, so that one out of reach does not rule the motion.
    """
    return Problem(
        [_soften_factors(f, cost_scale) if _may_give_way(task, f) else f for f in problem.factors], problem.families
    )


def given_way(
    task: Task, steps: TrajectoryUnknowns, problem: Problem, values: Mapping[str, np.ndarray]
) -> Iterator[str]:
    """Say which of the demands that `soften_problem` made costs do not hold, by how much, and when."""
    for f in problem.factors:
        if not _may_give_way(task, f):
            continue
        r = _residuals(f, values)
        size = np.abs(r) if f.kind == "equality" else np.maximum(r, 0.0)
        number = int(size.max(axis=1).argmax())
        if size[number].max() > FEASIBLE:
            yield f"{demand(steps, f, r[number])} {when(steps, f, number)}".strip()


@dataclass(frozen=True, eq=False)
class _Violation:
    """How far the rows of factors are off at the measured state, how fast that grows, and where it may be off later.

    `rate` is None of what may change at once, velocities and goals; `is_signed`: rows must be zero, not only at most
    that. `is_ahead`: all hold at the start, some not in the step after it.
    """

    size: Float[np.ndarray, " m"]
    rate: Float[np.ndarray, " m"] | None
    where: Bool[np.ndarray, " N"]
    is_signed: bool
    is_ahead: bool = False

    def slack(self, times: Float[np.ndarray, " N"], recovery: float) -> Float[np.ndarray, "N m"]:
        """Return by how much rows may be off at times (s)."""
        t = times[:, None]
        return (self.size + self._growth(recovery) * t) * np.exp(-t / recovery)

    def slack_between(
        self, times: Float[np.ndarray, " N"], later: Float[np.ndarray, " N"], recovery: float
    ) -> Float[np.ndarray, "N m"]:
        """Return by how much control points of a motion that is off as it may be are off, at most, in steps (s)."""
        first, last = self.slack(times, recovery), self.slack(later, recovery)
        rates = self._growth(recovery) * np.exp(-times[:, None] / recovery) - first / recovery
        return np.maximum(np.maximum(first, last), first + 0.5 * (later - times)[:, None] * rates)

    def _growth(self, recovery: float) -> Float[np.ndarray, " m"]:
        """Return r' + r / T; 0 where rows come back by themselves."""
        grown = np.zeros_like(self.size) if self.rate is None else self.rate + self.size / recovery
        return grown if self.is_signed else np.maximum(grown, 0.0)


def _replace_entries(mechanics: Mechanics, planned: np.ndarray, family: str, value: Mapping[str, Any]) -> np.ndarray:
    """Return a planned position or velocity with other values of joints, or of single coordinates."""
    if family == "q":
        return complete_position(
            mechanics.robot, _unit(mechanics.robot, set_coordinates(mechanics.robot, planned, value))
        )[0]
    (columns, numbers), found = select_velocities(mechanics, value), planned.copy()
    found[list(columns)] = numbers
    return found


def _unit(robot: Any, q: Any) -> Any:
    """Return a position whose quaternions are unit, where they are not zero."""
    if np.shape(q) != (robot.nq,) or robot.nq == robot.nv:
        return q
    x = robot.manifold.normalise(np.asarray(q, dtype=float))
    return x if np.isfinite(x).all() else q


def _plain(f: Factors) -> Factors:
    if not isinstance(f.template, Relaxed):
        return f
    own = {name: array for name, array in f.each.items() if name != "slack"}
    return replace(f, template=f.template.template, each=own)


def _is_on_states(f: Factors) -> bool:
    """Whether hard factors are each on the state at one point."""
    first = f.arguments[0]
    return (
        f.kind != "soft"
        and not f.name.startswith("start")
        and all(a.variables.name in STATES and np.array_equal(a.indices, first.indices) for a in f.arguments)
    )


def _violation(
    task: Task, steps: TrajectoryUnknowns, f: Factors, state: Mapping[str, np.ndarray], ahead: float
) -> _Violation | None:
    """Return the violation of the rows of factors at the measured state, None where they say nothing about it.

    Limits of positions hold that time `ahead` (s), too, at the measured velocity.
    """
    where = _from_the_start(task, steps, f)
    if not where.any():
        return None
    families = [replace(a.variables, count=1) for a in f.arguments]
    one = replace(select_factors(f, np.array([0])), arguments=tuple(v[[0]] for v in families))
    size = _residuals(one, {name: x[None] for name, x in state.items()})[0]
    is_signed = f.kind == "equality"
    broken = size if is_signed else np.maximum(size, 0.0)
    if any(v.name != "q" for v in families) or (is_signed and f.name.startswith("goal")):
        return _Violation(broken, None, where, is_signed)
    moved = steps.mechanics.robot.manifold.retract(state["q"], SMALL * state["qd"])
    rate = (_residuals(one, {"q": np.asarray(moved, dtype=float)[None]})[0] - size) / SMALL
    if is_signed:
        return _Violation(broken, rate, where, is_signed)
    coming = np.where(size > 0.0, size, np.maximum(size + ahead * rate, 0.0))
    return _Violation(coming, np.where(coming > 0.0, rate, 0.0), where, is_signed, is_ahead=not broken.any())


def _first_step(steps: TrajectoryUnknowns) -> float:
    """Return the length (s) of the first step."""
    return float(steps.times[steps.per_step] - steps.times[0])


def _from_the_start(task: Task, steps: TrajectoryUnknowns, f: Factors) -> Bool[np.ndarray, " N"]:
    """Return which factors say about their points what they say about the start, too."""
    points = f.arguments[0].indices
    if f.kind == "inequality":
        return np.ones(len(points), dtype=bool)
    contact: Any = dict(task.items()).get(f.name.partition(": ")[0])
    if hasattr(contact, "phases"):
        run = find_stances(steps, contact.phases)[0]
        return points <= run.points[-1] if run.first == 0 else np.zeros(len(points), dtype=bool)
    return points == np.arange(len(points))


def _relax_factors(
    task: Task, steps: TrajectoryUnknowns, f: Factors, at_start: Mapping[str, _Violation | None], recovery: float
) -> Factors:
    """Return factors with slack where a violation may decay; those between points have the most that points imply."""
    name = next((n for n in (f.name, *_parents(f.name)) if at_start.get(n) is not None), None)
    violation = None if name is None else at_start[name]
    if violation is None or not (_is_on_states(f) or f.kind == "inequality"):
        return f
    points = [a.indices for a in f.arguments if a.variables.name in STATES]
    first = np.broadcast_to(np.min(np.broadcast_arrays(*points), axis=0), (len(f),))
    if name == f.name:
        slack = violation.slack(steps.times[first], recovery)
    else:
        last = np.minimum(first + steps.per_step, len(steps.times) - 1)
        slack = violation.slack_between(steps.times[first], steps.times[last], recovery)
    slack = np.tile(slack, (1, f.rows // slack.shape[1]))
    if len(violation.where) == len(slack):
        slack = np.where(violation.where[:, None], slack, 0.0)
    return replace(f, template=Relaxed(f.template), each={**f.each, "slack": slack})


def _parents(name: str) -> Iterator[str]:
    """Yield the names of factors at points whose violations those between points share."""
    while ": " in name:
        name = name.rpartition(": ")[0]
        yield name


def _words(steps: TrajectoryUnknowns, f: Factors, v: _Violation, recovery: float) -> Iterator[str]:
    if np.abs(v.size).max() > FEASIBLE:
        where = "in the first step" if v.is_ahead else "at the start"
        yield f"{demand(steps, f, v.size)} {where}, which decays with a time constant of {recovery:g} s"


def _may_give_way(task: Task, f: Factors) -> bool:
    """Whether factors are hard limits of the state, obstacles or goals."""
    item, _, _ = f.name.partition(": ")
    group, _, _ = item.partition(" ")
    return f.kind != "soft" and group in TOLERATED and not isinstance(dict(task.items()).get(item), EffortLimit)


def _soften_factors(f: Factors, cost_scale: float) -> Factors:
    group, _, _ = f.name.partition(" ")
    sigma = TOLERATED[group] / np.sqrt(2.0 * ARMS * cost_scale)
    parameters: dict[str, Any] = {**f.shared, **{name: each(array) for name, array in f.each.items()}}
    make = soft if f.kind == "equality" else hinge
    loss = Huber(TOLERATED[group] / sigma) if group == "goal" else None
    made = make(f.template, *f.arguments, sigma=sigma, loss=loss, name=f.name, **parameters)
    return replace(made, refresh=f.refresh)


def _residuals(f: Factors, values: Mapping[str, np.ndarray]) -> Float[np.ndarray, "N m"]:
    return np.atleast_2d(f.kernels.residual(*Batch(f, ()).inputs(dict(values))))
