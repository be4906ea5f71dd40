"""Motions between the points of a step, in the sense of the rule that joins them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.time.rule import Point, Rule

Numbers = Float[np.ndarray, "N _"]


def between(rule: Rule, points: Sequence[Point], h: Numbers, part: Numbers) -> tuple[Numbers, Numbers]:
    """Return steps (N, nv) from the first position, and velocities (N, nv), at the parts 0..1 (N, 1) of N steps.

    Velocities are the polynomial through those of all points, positions the integral of that through those with a
    weight; of rules with a curvature, both are integrals of accelerations. `h` (N, 1) are the steps' lengths (s).
    """
    _, v, a = zip(*points, strict=True)
    if rule.curvature:
        gains = integrals(rule.nodes)
        moved = h * part * v[0] + h * h * _sum([p.integ()(part) for p in gains], a)
        return moved, v[0] + h * _sum([p(part) for p in gains], a)
    used = [i for i in range(len(rule.nodes)) if any(row[i] for row in rule.position)]
    moved = h * _sum([p(part) for p in integrals([rule.nodes[i] for i in used])], [v[i] for i in used])
    return moved, _sum([p(part) for p in polynomials(rule.nodes)], v)


def _sum(shares: Sequence[Numbers], values: Sequence[Numbers]) -> Numbers:
    return np.sum([share * value for share, value in zip(shares, values, strict=True)], axis=0)


def polynomials(nodes: Sequence[float]) -> list[Any]:
    """Return Lagrange's polynomials of nodes: 1 at their own, 0 at the others."""
    found = []
    for i, node in enumerate(nodes):
        p = np.polynomial.Polynomial([1.0])
        for other in [*nodes[:i], *nodes[i + 1 :]]:
            p *= np.polynomial.Polynomial([-other, 1.0]) / (node - other)
        found.append(p)
    return found


def integrals(nodes: Sequence[float]) -> list[Any]:
    """Return the integrals from 0 of Lagrange's polynomials."""
    return [p.integ() for p in polynomials(nodes)]
