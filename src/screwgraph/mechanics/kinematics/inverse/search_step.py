"""A step of inverse kinematics as straight-line code: Levenberg and Marquardt's, within limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.compiler import Function, Result, compile_expression, make_numbered_argument
from screwgraph.mechanics.kinematics.inverse.problem import InverseProblem
from screwgraph.spatial import Array, choose, maximum, minimum
from screwgraph.tape import Number, dot, is_zero, solve_positive

DAMPING, LEAST = 0.1, 1e-12
"""Damping, relative to the cost: Yamashita & Fukushima (2001); and the least damping."""
LONGEST = 0.9
"""Largest change (rad, m) of a coordinate in a step."""
SHORTER = 0.25
"""By how much a step is shortened that does not lower the cost."""
SLOW, SLOW_SOFT, PATIENCE = 0.9, 0.9999, 3
"""Part of the cost that a step has to come below, without and with soft targets, and how many in a row may fail to."""
NEARLY = 1e-9
"""Cost below which steps may gain as little as they like: beside singular positions they do."""
TRIES = 4
"""How often a step may be shortened."""


def compile_step(problem: InverseProblem) -> Function:
    """Return a step (q, cost, d, soft, slow, tried, parameters) -> (the same, verdict).

    q is the best position yet, d the displacement that is tried from there, as it was judged by linear residuals.
    `soft` is 1 while targets with weights count, then 0; `slow` and `tried` count steps that gain little or nothing.
    """
    model, manifold = problem.model, problem.model.manifold
    (nq,), nv = manifold.shape, manifold.dim
    sizes = {"q": nq, "cost": 1, "d": nv, "soft": 1, "slow": 1, "tried": 1}
    memory = tuple(make_numbered_argument(name, n) for name, n in sizes.items())

    def expression(q: Array, cost: Array, d: Array, soft: Array, slow: Array, tried: Array, *given: Array) -> list:
        parameters = dict(zip((a.name for a in problem.parameters), given, strict=True))
        values = [x.reshape(t.shape(model.subject)) for t, x in zip(problem.targets, given, strict=False)]
        lower, upper = (parameters.get(name, np.zeros(0)) for name in ("lower", "upper"))
        tolerance = parameters["setting"][0]
        (least,), (is_soft,), (lost,), (failed,) = cost, soft, slow, tried
        at = problem.clip_positions(manifold.retract(q, d), parameters["start"], lower, upper)
        found = problem.rows(at, values)
        off, scaled, r = 0.0, [], []
        for i, rows in enumerate(found):
            for value, row, is_length in zip(rows.values, rows.jacobian.tolist(), rows.lengths, strict=True):
                weight = parameters["weight"][problem.group_of(i, is_length)]
                if problem.is_hard(i):
                    off = off + (weight * value) * (weight * value)
                else:
                    weight = weight * is_soft
                weight = weight * (1.0 / model.length) if is_length else weight
                r.append(weight * value)
                scaled.append([0.0 if is_zero(row[j]) else weight * row[j] for j in model.moves])
        size = 0.5 * _squares(r)
        better = size < least
        d_next = _solve_damped(problem, scaled, r, maximum(DAMPING * size, LEAST), at, (lower, upper))
        slowest = is_soft * (SLOW_SOFT - SLOW) + SLOW if problem.has_soft else SLOW
        is_slow = choose(better, choose(maximum(slowest * least, NEARLY) < size, lost + 1.0, 0.0), lost)
        fails = choose(better, 0.0, failed + 1.0)
        given_up = maximum(choose(is_slow < PATIENCE, 0.0, 1.0), choose(fails < TRIES, 0.0, 1.0))
        met = choose(off <= tolerance * tolerance, 1.0, 0.0)
        q_next = [choose(better, a, b) for a, b in zip(at, q, strict=True)]
        d_next = [choose(better, a, SHORTER * b) for a, b in zip(d_next, d, strict=True)]
        state = [choose(better, size, least), *d_next, is_soft, is_slow, fails]
        verdict = choose(met > 0.5, 1.0, 2.0 * given_up)
        if problem.has_soft:
            ends = given_up * is_soft
            fresh = [np.inf, *([0.0] * nv), 0.0, 0.0, 0.0]
            state = [choose(ends > 0.5, a, b) for a, b in zip(fresh, state, strict=True)]
            verdict = choose(is_soft > 0.5, 0.0, verdict)
        return [*q_next, *state, verdict]

    shapes = (*(Result(name, (n,)) for name, n in sizes.items()), Result("verdict", (1,)))
    arguments = (*memory, *problem.parameters)
    return compile_expression(
        "inverse_kinematics_step", problem.question, arguments, expression, results=shapes, branches=True
    )


def initial_memory(problem: InverseProblem) -> tuple[float, ...]:
    """Return what a state begins with behind its cost."""
    return (*([0.0] * problem.model.manifold.dim), float(problem.has_soft), 0.0, 0.0)


def compile_end(problem: InverseProblem) -> Function:
    """Return (q, parameters) -> q, errors of each target in its units, flaws of values."""
    subject, (nq,) = problem.model.subject, problem.model.manifold.shape

    def expression(q: Array, *given: Array) -> list:
        values = [x.reshape(t.shape(subject)) for t, x in zip(problem.targets, given, strict=False)]
        moving = problem.moving(q)
        found = [t.errors(subject, m, v) for t, m, v in zip(problem.targets, moving, values, strict=True)]
        return [
            *q,
            *(e for own in found for e in own),
            *(t.flaw(v) for t, v in zip(problem.targets, values, strict=True)),
        ]

    arguments, results = (make_numbered_argument("q", nq), *problem.parameters), list_end_results(problem)
    question = ("end", problem.question)
    return compile_expression("inverse_kinematics_end", question, arguments, expression, results=results, branches=True)


def list_end_results(problem: InverseProblem) -> tuple[Result, ...]:
    """Return the results of `compile_end`."""
    (nq,), errors = problem.model.manifold.shape, sum(len(t.units) for t in problem.targets)
    return Result("q", (nq,)), Result("errors", (errors,)), Result("flaws", (len(problem.targets),))


def _squares(values: Sequence[Number]) -> Number:
    return sum((x * x for x in values), start=0.0)


def _solve_damped(
    problem: InverseProblem,
    J: Sequence[Sequence[Number]],
    r: Sequence[Number],
    damping: Number,
    q: Array,
    bounds: tuple[Array, Array],
) -> list[Number]:
    """Return the displacement d that minimises |r + J d|^2 + damping |d|^2, no longer than `LONGEST`.

    Coordinates at a limit that the cost pushes against stay there. Rows with one entry are part of the damping; of the
    others, the equations are as many as rows: (J W J' + damping) y = -r, d = W J' y.
    """
    single = [i for i, row in enumerate(J) if sum(not is_zero(x) for x in row) == 1]
    several = [i for i in range(len(J)) if i not in single]
    n = len(problem.model.moves)
    slope = [dot([row[j] for row in J], r) for j in range(n)]
    free, own, pull = _free(problem, slope, q, bounds), [0.0] * n, [0.0] * n
    for i in single:
        j = next(j for j in range(n) if not is_zero(J[i][j]))
        own[j], pull[j] = own[j] + J[i][j] * J[i][j], pull[j] + J[i][j] * r[i]
    share = [f if is_zero(m) else f / (damping + m) for f, m in zip(free, own, strict=True)]
    W = [s if is_zero(m) else damping * s for s, m in zip(share, own, strict=True)]
    shift = [0.0 if is_zero(p) else s * p for s, p in zip(share, pull, strict=True)]
    rows = [J[i] for i in several]
    weighted = [[0.0 if is_zero(x) else x * w for x, w in zip(row, W, strict=True)] for row in rows]
    S = [[dot(weighted[i], rows[j]) + (damping if i == j else 0.0) for j in range(i + 1)] for i in range(len(rows))]
    y = solve_positive(S, [dot(row, shift) - r[i] for i, row in zip(several, rows, strict=True)])
    d = [dot([row[j] for row in weighted], y) - shift[j] for j in range(n)]
    longest: Number = LONGEST
    for x in d:
        longest = maximum(longest, abs(x))
    part = LONGEST / longest
    every: list[Number] = [0.0] * problem.model.manifold.dim
    for j, x in zip(problem.model.moves, d, strict=True):
        every[j] = x * part
    return every


def _free(problem: InverseProblem, slope: Sequence[Number], q: Array, bounds: tuple[Array, Array]) -> list[Number]:
    """Return 0 for coordinates that stand at a limit which lower cost lies beyond, else 1."""
    free: list[Number] = [1.0] * len(problem.model.moves)
    for own, low, high in zip(problem.model.limited, *bounds, strict=True):
        j = problem.model.moves.index(own.v)
        below = choose(q[own.q] <= low, choose(slope[j] > 0.0, 0.0, 1.0), 1.0)
        above = choose(q[own.q] >= high, choose(slope[j] < 0.0, 0.0, 1.0), 1.0)
        free[j] = minimum(below, above)
    return free
