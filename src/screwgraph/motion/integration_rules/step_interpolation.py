"""Motions between the points of a step, in the sense of the rule that joins them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.motion.integration_rules.rule import Point, Row, Rule
from screwgraph.spatial import dot

Numbers = Float[np.ndarray, "N _"]


@dataclass(frozen=True)
class Weights:
    """Weights of velocity and position at a part of a step: one for each point of the rule.

    v = sum(velocity_v v) + h sum(velocity_a a), and q is moved from the first one by h sum(position_v v) +
    h^2 sum(position_a a); weights are numbers, or arrays for many parts.
    """

    __repr__ = one_line

    velocity_v: tuple[Any, ...]
    velocity_a: tuple[Any, ...]
    position_v: tuple[Any, ...]
    position_a: tuple[Any, ...]


def weights_at(rule: Rule, part: Any) -> Weights:
    """Return the weights at a part 0..1 of a step.

    Velocities are the polynomial through those of all points, positions the integral of that through those with a
    weight; of rules with a curvature, both are integrals of accelerations.
    """
    count = len(rule.nodes)
    none = (0.0 * part,) * count
    if rule.curvature:
        once = lagrange_integrals(rule.nodes)
        first, moved = (1.0 + none[0], *none[1:]), (part, *none[1:])
        shares = [tuple(evaluate_polynomial(p, part) for p in found) for found in (once, [p.integ() for p in once])]
        return Weights(first, shares[0], moved, shares[1])
    used = [i for i in range(count) if any(row[i] for row in rule.position)]
    integrals = lagrange_integrals(tuple(rule.nodes[i] for i in used))
    moved = dict(zip(used, (evaluate_polynomial(p, part) for p in integrals), strict=True))
    through = tuple(evaluate_polynomial(p, part) for p in lagrange_polynomials(rule.nodes))
    return Weights(through, none, tuple(moved.get(i, none[0]) for i in range(count)), none)


def interpolate_step(rule: Rule, points: Sequence[Point], h: Numbers, part: Numbers) -> tuple[Numbers, Numbers]:
    """Return steps (N, nv) from the first position, and velocities (N, nv), at the parts 0..1 (N, 1) of N steps.

    `h` (N, 1) are the steps' lengths (s); see `weights_at`.
    """
    _, v, a = zip(*points, strict=True)
    w = weights_at(rule, part)
    moved, velocity = h * dot(w.position_v, v), dot(w.velocity_v, v)
    if rule.curvature:
        moved, velocity = moved + h * h * dot(w.position_a, a), velocity + h * dot(w.velocity_a, a)
    return moved, velocity


def evaluate_polynomial(p: Any, part: Any) -> Any:
    """Return a polynomial's value at a number, at arrays, or at an expression."""
    *others, found = p.coef.tolist()
    for coefficient in reversed(others):
        found = found * part + coefficient
    return found


@lru_cache(maxsize=64)
def lagrange_polynomials(nodes: Row) -> tuple[Any, ...]:
    """Return Lagrange's polynomials of nodes: 1 at their own, 0 at the others."""
    found = []
    for i, node in enumerate(nodes):
        p = np.polynomial.Polynomial([1.0])
        for other in [*nodes[:i], *nodes[i + 1 :]]:
            p *= np.polynomial.Polynomial([-other, 1.0]) / (node - other)
        found.append(p)
    return tuple(found)


@lru_cache(maxsize=64)
def lagrange_integrals(nodes: Row) -> tuple[Any, ...]:
    """Return the integrals from 0 of Lagrange's polynomials."""
    return tuple(p.integ() for p in lagrange_polynomials(nodes))
