"""What limits are on as polynomials in each step, in Bernstein's form: their control points bound them everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import comb
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.motion.integration_rules import Rule, lagrange_polynomials, weights_at
from screwgraph.motion.planning.collocation import UNTIED
from screwgraph.motion.planning.mechanics import list_flat_places
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.motion.planning.violation import Violation
from screwgraph.optimize import Factors, Selection, inequality
from screwgraph.optimize.template_wrappers import Hinge
from screwgraph.spatial import concatenate

ROUNDING = 1e-12


@dataclass(frozen=True)
class BernsteinPiece:
    """A polynomial over a step: control point k is sum_i weights[k][i] h^powers[i] x_i.

    The x_i are values of families of unknowns at nodes of the rule; h is the length of the step (s). A polynomial in
    Bernstein's form stays within the hull of its control points. Farin (2002), section 5.1.
    """

    arguments: tuple[tuple[str, int], ...]
    powers: tuple[int, ...]
    weights: tuple[tuple[float, ...], ...]

    @property
    def degree(self) -> int:
        """Degree of the polynomial."""
        return len(self.weights) - 1


@cache
def make_piece(rule: Rule, kind: str) -> BernsteinPiece:
    """Return the polynomial of a family in a step: q, qd (in the rule's own sense), or qdd, tau (through samples)."""
    nodes = rule.nodes
    if kind == "tau" and rule.holds:
        return BernsteinPiece(((kind, rule.accelerated[0]),), (0,), ((1.0,),))
    if kind in ("qdd", "tau"):
        through = lagrange_polynomials(tuple(nodes[i] for i in rule.accelerated))
        arguments = [(kind, i, 0) for i in rule.accelerated]
        return _piece(arguments, [lambda s, p=p: p(s) for p in through], len(through) - 1)
    if rule == UNTIED:
        return _cubic(kind)
    count, moved = range(len(nodes)), kind == "q"
    degree = len(nodes) - 1 + bool(rule.curvature) + moved
    arguments = [("qd", i, int(moved)) for i in count] + [("qdd", i, 1 + moved) for i in count]
    own = ("position_v", "position_a") if moved else ("velocity_v", "velocity_a")
    shares = [lambda s, a=a, i=i: getattr(weights_at(rule, s), a)[i] for a in own for i in count]
    if moved:
        arguments, shares = [("q", 0, 0), *arguments], [lambda s: 1.0 + 0.0 * s, *shares]
    return _piece(arguments, shares, degree)


def _cubic(kind: str) -> BernsteinPiece:
    """Return the cubic with given positions and velocities at its ends, or its rate."""
    if kind == "q":
        rows = ((1.0, 0.0, 0.0, 0.0), (1.0, 1.0 / 3.0, 0.0, 0.0), (0.0, 0.0, 1.0, -1.0 / 3.0), (0.0, 0.0, 1.0, 0.0))
        return BernsteinPiece((("q", 0), ("qd", 0), ("q", 1), ("qd", 1)), (0, 1, 0, 1), rows)
    rows = ((0.0, 1.0, 0.0, 0.0), (-3.0, -1.0, 3.0, -1.0), (0.0, 0.0, 0.0, 1.0))
    return BernsteinPiece((("q", 0), ("qd", 0), ("q", 1), ("qd", 1)), (-1, 0, -1, 0), rows)


def _piece(arguments: Sequence[tuple[str, int, int]], shares: Sequence[Any], most: int) -> BernsteinPiece:
    """Return the polynomial of the least degree, `most` at most, that is the sum of shares of the arguments."""
    parts = np.linspace(0.0, 1.0, most + 1)
    values = np.array([np.broadcast_to(share(parts), parts.shape) for share in shares]).T
    for degree in range(most + 1):
        found = np.linalg.lstsq(evaluate_bernstein(degree, parts), values, rcond=None)[0]
        if np.abs(evaluate_bernstein(degree, parts) @ found - values).max() < ROUNDING:
            break
    found[np.abs(found) < ROUNDING] = 0.0
    used = np.flatnonzero(found.any(axis=0)).tolist()
    families, powers = tuple(arguments[i][:2] for i in used), tuple(arguments[i][2] for i in used)
    return BernsteinPiece(families, powers, tuple(map(tuple, found[:, used].tolist())))


@cache
def inner_weights(rule: Rule, kind: str) -> tuple[tuple[float, ...], ...]:
    """Return the weights of control points that bound a family between points, where it is bounded at these.

    They are those of both halves of a step, four times nearer to the polynomial than those of the whole. A step ends
    in a point, and begins in one unless the family has no sample there.
    """
    whole = make_piece(rule, kind)
    rows, k = np.array(whole.weights), np.arange(whole.degree + 1)
    if whole.degree > 1:
        left = np.array([[comb(i, j) / 2**i for j in k] for i in k])  # de Casteljau's scheme at the middle
        rows = np.concatenate([left @ rows, (left @ rows[::-1])[::-1][1:]])
    begins_free = kind in ("qdd", "tau") and rule.accelerated[0] > 0
    rows = rows[0 if begins_free else 1 : -1]
    at_node = (np.abs(rows - 1.0) < ROUNDING).any(axis=1) & (np.count_nonzero(rows, axis=1) == 1)
    return tuple(map(tuple, rows[~at_node].tolist()))


@cache
def find_share_ahead(rule: Rule) -> float:
    """Return s of the last control point q + s h qd of positions that the state at the start of a step determines.

    0 where there is none.
    """
    found, start = make_piece(rule, "q"), (("q", 0), ("qd", 0))
    given = [argument in start for argument in found.arguments]
    rows = [row for row in inner_weights(rule, "q") if all(known or not w for w, known in zip(row, given, strict=True))]
    return max((row[found.arguments.index(("qd", 0))] for row in rows), default=0.0)


def evaluate_bernstein(degree: int, parts: Float[np.ndarray, " n"]) -> Float[np.ndarray, "n d"]:
    """Return Bernstein's polynomials at parts 0..1."""
    k = np.arange(degree + 1)
    counts = np.array([comb(degree, i) for i in k], dtype=float)
    return counts * parts[:, None] ** k * (1.0 - parts[:, None]) ** (degree - k)


def compute_control_points(
    steps: TrajectoryUnknowns,
    t: Float[np.ndarray, " K"],
    values: Mapping[str, np.ndarray],
    kind: str,
    columns: Sequence[int],
) -> Float[np.ndarray, "d S n"]:
    """Return the control points of chosen coordinates of a family in all steps."""
    found, h = make_piece(steps.collocation, kind), np.diff(t[[*steps.first, -1]])[:, None]
    x = []
    for (family, node), power in zip(found.arguments, found.powers, strict=True):
        taken = values[family][node_rows(steps, family, node)][:, family_columns(steps, kind, family, columns)]
        x.append(taken * h**power if power else taken)
    return np.tensordot(np.array(found.weights), np.array(x), axes=1)


def node_rows(steps: TrajectoryUnknowns, family: str, node: int) -> Int[np.ndarray, " S"]:
    """Return which unknowns of a family belong to a node of the steps."""
    if family in ("q", "qd"):
        return steps.first + node
    return steps.effort_of_sample[steps.sample_at(node)] if family == "tau" else steps.sample_at(node)


def family_columns(steps: TrajectoryUnknowns, kind: str, family: str, columns: Sequence[int]) -> list[int]:
    """Return where coordinates of one family stand in another."""
    if kind != "q" or family == "q":
        return list(columns)
    places = {q: v for v, q in list_flat_places(steps.mechanics).items()}
    return [places[c] for c in columns]


@dataclass(frozen=True)
class ControlPointLimit:
    """How far control points of a polynomial over a step are beyond bounds.

    `kind` is the family that is bounded, `above` and `below` its columns in each unknown; others as of
    `BernsteinPiece`.
    """

    kind: str
    weights: tuple[tuple[float, ...], ...]
    powers: tuple[int, ...]
    above: tuple[tuple[int, ...], ...]
    below: tuple[tuple[int, ...], ...]

    def __call__(self, *unknowns: Any, h: Any = None, upper: Any = None, lower: Any = None) -> Any:
        """Return what must not be positive."""
        scaled = [
            x if p == 0 else x * h if p == 1 else x * h * h if p == 2 else x / h for x, p in self._powers(unknowns)
        ]
        found = []
        for row in self.weights:
            for bound, columns, sign in ((upper, self.above, 1.0), (lower, self.below, -1.0)):
                if bound is not None:
                    terms = [(sign * w) * x[list(c)] for w, x, c in zip(row, scaled, columns, strict=True) if w]
                    found.append(sum(terms[1:], start=terms[0]) - sign * bound)
        return concatenate(*found)

    def describe(self, violation: Violation) -> str:
        """Say which coordinate exceeds its limit by most, and that it does so between points."""
        where = "" if self.kind == "jerk" else "between points "
        return violation.describe_limit(self.kind, [*self.above[0], *self.below[0]], where)

    def _powers(self, unknowns: Sequence[Any]) -> Any:
        return zip(unknowns, self.powers, strict=True)


def limit_control_points(steps: TrajectoryUnknowns, made: Factors) -> Factors | None:
    """Return factors that keep all control points of each step within the bounds of a limit; None if there are none.

    `made` are the factors of the limit at points, hard or soft.
    """
    kind = made.arguments[0].variables.name
    found, rows = make_piece(steps.collocation, kind), inner_weights(steps.collocation, kind)
    if not rows:
        return None
    bound = made.template.template if isinstance(made.template, Hinge) else made.template
    used = [i for i in range(len(found.arguments)) if any(row[i] for row in rows)]
    arguments: list[Selection] = []
    for family, node in (found.arguments[i] for i in used):
        arguments.append(getattr(steps, family)[node_rows(steps, family, node)])
    picked = [
        tuple(tuple(family_columns(steps, kind, found.arguments[i][0], columns)) for i in used)
        for columns in (bound.above, bound.below)
    ]
    powers, rows = tuple(found.powers[i] for i in used), tuple(tuple(row[i] for i in used) for row in rows)
    template, timing = ControlPointLimit(kind, rows, powers, *picked), {}
    if any(powers):
        phases = steps.phase_of_step
        template, arguments, timing = steps.scale_by_duration(template, *arguments, phases=phases, scale=steps.lengths)
    name = name_between_limit(made)
    if isinstance(made.template, Hinge):
        return replace(made, template=Hinge(template), arguments=tuple(arguments), each=dict(made.each), name=name)
    return inequality(template, *arguments, name=name, **timing, **made.shared)


def limit_from_start(steps: TrajectoryUnknowns, at_samples: Iterable[Factors]) -> Iterator[Factors]:
    """Return limits at samples; soft ones are on all control points, too, where steps begin without a sample.

    Polynomials through later samples mostly exceed a limit there. Hard limits hold between points anyway.
    """
    for made in at_samples:
        everywhere = limit_control_points(steps, made) if steps.lead and made.kind == "soft" else None
        yield from (f for f in (made, everywhere) if f is not None)


def name_between_limit(made: Factors) -> str:
    """Return the name of the factors that keep a limit between points."""
    return f"{made.name}: between points"
