"""Demands at times between two points: on the state that the collocation has there."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.integration_rules import Rule, interpolate_step
from screwgraph.motion.integration_rules.step_interpolation import evaluate_polynomial, lagrange_polynomials
from screwgraph.motion.planning.collocation import UNTIED
from screwgraph.motion.planning.factors.priors import GpInterpolation, interpolation_weights
from screwgraph.motion.planning.template_wrappers import unwrap_template
from screwgraph.motion.planning.trajectory_unknowns import Time, TrajectoryUnknowns
from screwgraph.optimize import Factors, Manifold, Selection


@dataclass(frozen=True)
class BetweenPoints:
    """A template of states at a `part` 0..1 of a step, as functions of the unknowns of the step.

    `families` says which of q, qd and qdd the template takes. The state is that of `interpolate_step`: positions and
    velocities are those of the rule, accelerations polynomials through their samples.
    """

    template: Any
    rule: Rule
    positions: Manifold
    families: tuple[str, ...]

    def list_unknowns(self) -> list[tuple[str, int]]:
        """Return the unknowns that the state depends on: family, and node of the step."""
        is_moving = bool({"q", "qd"} & set(self.families))
        with_accelerations = "qdd" in self.families or (is_moving and bool(self.rule.curvature))
        found = [("q", 0)] if "q" in self.families else []
        for i in range(len(self.rule.nodes)):
            found += [("qd", i)] if is_moving else []
            found += [("qdd", i)] if with_accelerations and i in self.rule.accelerated else []
        return found

    def __call__(self, *unknowns: Any, part: Any, h: Any, **parameters: Any) -> Any:
        """Return the template's residual; h (s) is the length of the step."""
        given = dict(zip(self.list_unknowns(), unknowns, strict=True))
        state: dict[str, Any] = {}
        if {"q", "qd"} & set(self.families):
            points = [(None, given["qd", i], given.get(("qdd", i))) for i in range(len(self.rule.nodes))]
            way, state["qd"] = interpolate_step(self.rule, points, h, part)
            if "q" in self.families:
                state["q"] = self.positions.retract(given["q", 0], way)
        if "qdd" in self.families:
            nodes = self.rule.accelerated
            shares = lagrange_polynomials(tuple(self.rule.nodes[i] for i in nodes))
            state["qdd"] = sum(
                evaluate_polynomial(p, part) * given["qdd", i] for p, i in zip(shares, nodes, strict=True)
            )
        return self.template(*(state[family] for family in self.families), **parameters)


@dataclass(frozen=True)
class BetweenStates:
    """A template of the position at a part of a step that no rule joins: that of a prior of constant velocity."""

    template: Any
    position: GpInterpolation
    part: float

    def __call__(self, *states: Any, h: Any, **parameters: Any) -> Any:
        """Return the template's residual; states are those of the step's ends."""
        return self.template(self.position(states, interpolation_weights(2, self.part), h), **parameters)


@dataclass(frozen=True, eq=False)
class Demand:
    """A template at some instants of a time: its unknowns and parameters, and which of the instants these are."""

    template: Any
    unknowns: tuple[Selection, ...]
    parameters: dict[str, Any]
    chosen: list[int]
    suffix: str = ""


def list_demands(
    steps: TrajectoryUnknowns,
    template: Any,
    families: tuple[str, ...],
    time: Time,
    left_out: Collection[int] = (),
) -> Iterator[Demand]:
    """Return what a template of states asks for at a time or in an interval: at its points, and at ends between points.

    `families` are the arguments of the template, some of q, qd, qdd; some points may be left out.

    Raises:
        InputError: there is no such time, or nothing is known between points.
    """
    points = [steps.find_point(t) for t in steps.times_at(time).tolist()]
    kept = {i: p for i, p in enumerate(points) if p is not None and p not in left_out}
    if "qdd" in families:
        samples = {steps.sample(p): i for i, p in reversed(kept.items())}
        kept = {i: kept[i] for i in sorted(samples.values())}
    if kept:
        rows = np.array(list(kept.values()))
        at = {"q": rows, "qd": rows, "qdd": [steps.sample(p) for p in kept.values()]}
        yield Demand(template, tuple(getattr(steps, f)[at[f]] for f in families), {}, list(kept))
    for i, t in enumerate(steps.times_at(time).tolist()):
        if points[i] is None:
            yield _demand_between(steps, template, families, t, i)


def _demand_between(
    steps: TrajectoryUnknowns, template: Any, families: tuple[str, ...], t: float, number: int
) -> Demand:
    rule = steps.collocation
    step = find_step(steps.times[steps.first], t)
    first, n = int(steps.first[step]), steps.per_step
    part = float((t - steps.times[first]) / (steps.times[first + n] - steps.times[first]))
    if rule == UNTIED:
        if families != ("q",):
            raise InputError(
                f"there is no velocity at t = {t:g} s",
                why="no rule joins the points: between them there are positions alone",
                fix=f"choose a collocation, or the time {steps.times[first + (part > 0.5)]:.9g} s",
            )
        made: Any = BetweenStates(template, GpInterpolation(steps.mechanics.positions, 2), part)
        unknowns = [family[[first + i]] for i in (0, 1) for family in (steps.q, steps.qd)]
        parameters = {}
    else:
        made = BetweenPoints(template, rule, steps.mechanics.positions, families)
        unknowns = [
            steps.qdd[[int(steps.sample_at(i)[step])]] if family == "qdd" else getattr(steps, family)[[first + i]]
            for family, i in made.list_unknowns()
        ]
        parameters = {"part": part}
    phases = steps.phase_of_step[[step]]
    made, unknowns, timing = steps.scale_by_duration(made, *unknowns, phases=phases, scale=steps.lengths[step])
    return Demand(made, tuple(unknowns), {**parameters, **timing}, [number], f" at {t:.6g} s")


def unwrap_demand(template: Any) -> Any:
    """Return the template of a state that a template hinges, relaxes, times, or has between points."""
    inner = unwrap_template(template)
    return unwrap_template(inner.template) if isinstance(inner, BetweenPoints | BetweenStates) else inner


def find_instants(steps: TrajectoryUnknowns, f: Factors, t: Float[np.ndarray, " K"]) -> Float[np.ndarray, " n"]:
    """Return the times (s) of factors on q, qd, qdd or tau, where t (s) are those of the points."""
    argument, inner = f.arguments[0], unwrap_template(f.template)
    family, rows = argument.variables.name, argument.indices
    if isinstance(inner, BetweenPoints | BetweenStates):
        step = int(steps.step_of_sample[rows[0]]) if family == "qdd" else find_step(steps.first, rows[0])
        part = inner.part if isinstance(inner, BetweenStates) else float(f.shared["part"])
        begin, end = t[steps.first[step]], t[steps.first[step] + steps.per_step]
        return np.array([begin + part * (end - begin)])
    if family in ("q", "qd"):
        return t[rows]
    return t[steps.first[rows] if family == "tau" and steps.collocation.holds else steps.points[rows]]


def find_step(begins: Float[np.ndarray, " S"], place: Any) -> int:
    """Return the last step that begins at a place or before."""
    return int(np.searchsorted(begins, place, side="right")) - 1
