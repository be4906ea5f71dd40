"""The functions of a window of steps: a Gauss-Newton step, and moving on by one; each one piece of machine code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.errors import InputError
from screwgraph.optimize.problem import Problem
from screwgraph.optimize.smoothers.unrolled import Expressions, Unknown, unrolled

Predict = Callable[..., Any]
"""From a step's unknowns, family by family, to those of the next: a sequence of as many, on CasADi scalars."""


@dataclass(frozen=True, eq=False)
class Window:
    """A problem over W steps: families of W unknowns have one a step, families of one are shared by all.

    `pinned` holds the first step fast; else there is a quadratic prior on it and on what is shared.
    """

    problem: Problem
    pinned: bool
    predict: Predict | None = None

    def __post_init__(self) -> None:
        counts = {v.count for v in self.problem.families} - {1}
        if len(counts) != 1:
            raise InputError("a window needs families with one unknown a step", why=f"families have {sorted(counts)}")
        if self.problem.has_hard:
            raise InputError("a window does not support hard factors", fix="make them soft, with a small sigma")
        if any(f.refresh is not None for f in self.problem.factors):
            raise InputError("a window does not support tables", fix="solve the problem as a whole")
        for f in self.problem.factors:
            for steps in self._steps_of(f):
                if len(steps) > 1 and max(steps) - min(steps) > 1:
                    raise InputError(f"{f.name} connects steps that are not neighbours", fix="give steps more unknowns")

    @cached_property
    def steps(self) -> int:
        """Number of steps."""
        return max(v.count for v in self.problem.families)

    @cached_property
    def expressions(self) -> Expressions:
        """Symbols and residuals."""
        return Expressions(self.problem.layout, self.problem.factors)

    @cached_property
    def shared(self) -> list[Unknown]:
        """Unknowns that belong to no step."""
        return [(v.name, 0) for v in self.problem.families if v.count == 1]

    def of_step(self, step: int) -> list[Unknown]:
        """Return the unknowns of a step."""
        return [(v.name, step) for v in self.problem.families if v.count > 1]

    @cached_property
    def free(self) -> list[Unknown]:
        """Unknowns in the order in which they are eliminated: step by step, then what is shared."""
        steps = range(1 if self.pinned else 0, self.steps)
        return [*(key for step in steps for key in self.of_step(step)), *self.shared]

    @cached_property
    def operations(self) -> int:
        """Operations, roughly, of factoring J'J step by step."""
        shared = sum(self._manifold(key).dim for key in self.shared)
        own = sum(self._manifold(key).dim for key in self.of_step(0))
        return (self.steps - self.pinned) * own * (own + shared) ** 2 + shared**3

    @cached_property
    def held(self) -> list[Unknown]:
        """What the prior is about."""
        return [*self.of_step(0), *self.shared] if not self.pinned else []

    @cached_property
    def held_size(self) -> int:
        """Directions of what the prior is about."""
        return sum(self._manifold(key).dim for key in self.held)

    @cached_property
    def prior_size(self) -> int:
        """Numbers of the prior: matrix row by row, vector, and the values where it was made."""
        values = sum(int(np.prod(self._manifold(key).shape)) for key in self.held)
        return self.held_size * (self.held_size + 1) + values

    @cached_property
    def newton(self) -> Any:
        """(x, p, prior, damping) -> moved values, cost at x, largest entry of the step."""
        import casadi as ca

        H, g, cost = self._normal(self.expressions.residuals(), self.free)
        damping = ca.SX.sym("damping")
        D, LT, order = ca.ldl(H + damping * ca.diag(ca.diag(H)), False)
        step = ca.densify(ca.ldl_solve(-g, D, LT, order))
        moved = dict(self.expressions.unknowns)
        for key, d in self._split(step, self.free):
            moved[key] = self._manifold(key).retract(moved[key], d)
        outputs = [*moved.values(), cost, ca.norm_inf(step)]
        return unrolled("window_step", self.expressions, [*self._extra, ("damping", damping)], outputs)

    @cached_property
    def advance(self) -> Any:
        """(x, p, prior) -> values moved on by one step, and the prior on what is then the first."""
        prior = [] if self.pinned else self._marginal()
        return unrolled("window_advance", self.expressions, self._extra, [*self._moved_on(), *prior])

    @cached_property
    def moving(self) -> Any:
        """(x) -> values moved on by one step."""
        return unrolled("window_move", self.expressions.without_parameters(), [], self._moved_on())

    def _moved_on(self) -> list[Any]:
        values = dict(self.expressions.unknowns)
        last = self.of_step(self.steps - 1)
        new = [values[key] for key in last] if self.predict is None else self._predicted([values[key] for key in last])
        moved = dict(values)
        for key, value in zip(last, new, strict=True):
            moved[key] = value
        for step in range(self.steps - 1):
            for here, after in zip(self.of_step(step), self.of_step(step + 1), strict=True):
                moved[here] = values[after]
        return list(moved.values())

    @cached_property
    def _prior(self) -> tuple[Any, Any, list[Any]]:
        import casadi as ca

        from screwgraph.optimize.manifold_code import symbol

        n = self.held_size
        at = [symbol(self._manifold(key), f"at{i}") for i, key in enumerate(self.held)]
        return ca.SX.sym("information", n, n), ca.SX.sym("vector", n), at

    @property
    def _extra(self) -> list[tuple[str, Any]]:
        import casadi as ca

        if self.pinned:
            return []
        information, vector, at = self._prior
        flat = [ca.vec(information.T), vector, *(ca.vec(a.T) for a in at)]
        return [("prior", ca.vertcat(*flat))]

    def _marginal(self) -> list[Any]:
        """Return the prior that is left when the first step goes: a Schur complement, where the values are now."""
        import casadi as ca

        first = set(self.of_step(0))
        factors = [item for item in self.expressions.residuals() if first & set(item[2])]
        going, staying = self.of_step(0), [*self.of_step(1), *self.shared]
        H, g, _ = self._normal(factors, [*going, *staying])
        k = sum(self._manifold(key).dim for key in going)
        D, LT, order = ca.ldl(H[:k, :k], False)
        gain = ca.ldl_solve(ca.densify(ca.horzcat(H[:k, k:], g[:k])), D, LT, order)
        information = H[k:, k:] - H[k:, :k] @ gain[:, :-1]
        vector = g[k:] - H[k:, :k] @ gain[:, -1]
        return [information, vector, *(self.expressions.unknowns[key] for key in staying)]

    def _normal(
        self, residuals: list[tuple[Any, Any, tuple[Unknown, ...]]], keys: list[Unknown]
    ) -> tuple[Any, Any, Any]:
        """Return J'J, J'r and the cost of factors and the prior, in the directions of `keys`."""
        import casadi as ca

        d = ca.vertcat(*(self.expressions.directions[key] for key in keys))
        r = ca.vertcat(*(item[0] for item in residuals))
        weights = ca.vertcat(*(ca.repmat(w, item.numel(), 1) for item, w, _ in residuals))
        J = self.expressions.at_zero(ca.jacobian(r, d))
        r, weights = self.expressions.at_zero(r), self.expressions.at_zero(weights)
        H, g = J.T @ (ca.repmat(ca.densify(weights), 1, J.shape[1]) * J), J.T @ (weights * r)
        cost = 0.5 * ca.dot(ca.densify(weights), r * r)
        if self.held and set(self.held) <= set(keys) | set(self.shared):
            H, g, cost = self._with_prior(H, g, cost, keys)
        return ca.sparsify(H), ca.densify(g), cost

    def _with_prior(self, H: Any, g: Any, cost: Any, keys: list[Unknown]) -> tuple[Any, Any, Any]:
        import casadi as ca

        information, vector, at = self._prior
        local = [
            self._manifold(key).difference(a, self.expressions.unknowns[key])
            for key, a in zip(self.held, at, strict=True)
        ]
        away = ca.vertcat(*local)
        ends = np.cumsum([0, *(self._manifold(key).dim for key in keys)])
        where = dict(zip(keys, ends[:-1].tolist(), strict=True))
        places = [where[key] + i for key in self.held for i in range(self._manifold(key).dim)]
        pull = information @ away + vector
        extended, added = ca.SX(H.shape[0], H.shape[0]), ca.SX(g.shape[0], 1)
        for a, i in enumerate(places):
            added[i] = pull[a]
            for b, j in enumerate(places):
                extended[i, j] = information[a, b]
        cost = cost + 0.5 * ca.dot(away, information @ away) + ca.dot(vector, away)
        return H + extended, g + added, cost

    def _predicted(self, last: list[Any]) -> list[Any]:
        assert self.predict is not None
        found = self.predict(*last)
        found = list(found) if isinstance(found, list | tuple) else [found]
        if len(found) != len(last):
            raise InputError(f"`predict` returned {len(found)} values", why=f"a step has {len(last)} unknowns")
        return found

    def _split(self, step: Any, keys: list[Unknown]) -> list[tuple[Unknown, Any]]:
        ends = np.cumsum([0, *(self._manifold(key).dim for key in keys)]).tolist()
        return [(key, step[a:b]) for key, a, b in zip(keys, ends, ends[1:], strict=False)]

    def _manifold(self, key: Unknown) -> Any:
        return next(v.manifold for v in self.problem.families if v.name == key[0])

    def _steps_of(self, factors: Any) -> list[set[int]]:
        found = []
        for k in range(len(factors)):
            several = [a for a in factors.arguments if a.variables.count > 1]
            found.append({int(a.indices[k if len(a) > 1 else 0]) for a in several})
        return found
