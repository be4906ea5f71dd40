"""The collection solved by this package, by SciPy and by IPOPT; what they say is checked against KKT conditions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

import casadi as ca
import numpy as np
from scipy.optimize import Bounds, least_squares, lsq_linear, minimize

from screwgraph.optimize import Problem, Variables, Vector, cost, equality, inequality, soft, solve

from .least_squares import LeastSquares
from .nlp import Nlp

STATIONARY = 1e-5
"""Of the Lagrangian's gradient, relative to the cost's; of cosines between residuals and columns of their Jacobian."""
VANISHED = 1e-12
"""Of a sum of squares, relative to that at the standard start: zero."""
FLAT = 1e-6
"""Part by which a sum of squares changes, to first order, when an unknown doubles: less at minima at infinity."""
FEASIBLE = 1e-6
"""Of the residuals of constraints, relative to the sizes of their gradients and unknowns."""
COMPLEMENTARY = 1e-6
"""Of products of multipliers and inequalities, relative to the cost's gradient."""
AT_OPTIMUM = 1e-4
"""Of a cost, relative to the known one; least squares count from 1e-8 on."""
ITERATIONS = 1000


@dataclass(frozen=True)
class Answer:
    """What a solver says: whether it converged, where, after how many iterations and seconds."""

    converged: bool
    x: np.ndarray
    iterations: int
    seconds: float
    says: str = ""


@dataclass(frozen=True)
class Verdict:
    """What is true of an answer: whether it satisfies the KKT conditions, and whether its cost is a known optimum."""

    answer: Answer
    is_optimal: bool
    is_known: bool
    remark: str = ""

    @property
    def is_solved(self) -> bool:
        """Whether a solver converged, and rightly."""
        return self.answer.converged and self.is_optimal

    @property
    def is_wrong(self) -> bool:
        """Whether a solver says that it converged, and did not."""
        return self.answer.converged and not self.is_optimal


def derivative(function: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    """Return a function's Jacobian by complex steps; by central differences where it knows no complex numbers."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            columns = [function(x + 1e-30j * e).imag / 1e-30 for e in np.eye(len(x))]
    except (TypeError, RuntimeWarning):
        h = 1e-6 * np.maximum(1.0, np.abs(x))
        columns = [(function(x + d) - function(x - d)) / (2 * d.max()) for d in np.diag(h)]
    return np.array(columns).T


def checked_squares(problem: LeastSquares, answer: Answer) -> Verdict:
    """Check J'r = 0 by the cosines between the residual and the columns of J; or the sum is zero, or flat."""
    with np.errstate(all="ignore"):
        r = np.array(problem.residuals(list(answer.x)), dtype=float)
        J = derivative(lambda x: np.array(problem.residuals(list(x))), answer.x)
    square = float(r @ r)
    if not np.isfinite(J).all() or not np.isfinite(square):
        return Verdict(answer, False, False, "not finite")
    sizes = np.linalg.norm(J, axis=0) * np.sqrt(square)
    cosine = float((np.abs(J.T @ r) / np.maximum(sizes, 1e-300)).max()) if square > 0 else 0.0
    known = any(abs(square - o) <= AT_OPTIMUM * max(o, 1e-4) for o in problem.optima)
    first = np.array(problem.residuals(list(problem.start)), dtype=float)
    slope = float((2 * np.abs(J.T @ r) * np.maximum(1.0, np.abs(answer.x))).max())
    is_optimal = cosine <= STATIONARY or square <= VANISHED * float(first @ first) or slope <= FLAT * square
    return Verdict(answer, is_optimal, known, f"sum {square:.6g}, cosine {cosine:.1e}, slope {slope:.1e}")


def checked(problem: Nlp, answer: Answer) -> Verdict:
    """Check feasibility, and that multipliers exist: a linear least-squares problem with bounds."""
    x = answer.x
    if not np.isfinite(x).all():
        return Verdict(answer, False, False, "not finite")
    with np.errstate(all="ignore"):
        f, c, g = (np.array(part, dtype=float).ravel() for part in problem.evaluated(list(x)))
        slopes = derivative(lambda x: _joined(problem, x), x)
    if not np.isfinite(slopes).all() or not np.isfinite(f).all():
        return Verdict(answer, False, False, "not finite")
    gradient = slopes[0]
    scale = 1.0 + np.abs(slopes[1:]) @ np.abs(x) if len(c) + len(g) else np.ones(0)
    broken = np.concatenate([np.abs(c), np.maximum(0.0, -g)]) / scale
    size = max(1.0, float(np.abs(gradient).max()))
    rows = slopes[1:]
    left = gradient
    if len(rows):
        sizes = np.maximum(np.linalg.norm(rows, axis=1), 1e-300)
        unit = (rows / sizes[:, None]).T
        # multipliers of inequalities are as large as complementarity lets them be
        most = np.full(len(rows), np.inf)
        most[len(c) :] = COMPLEMENTARY * size * sizes[len(c) :] / np.maximum(g, 1e-300)
        low = np.concatenate([np.full(len(c), -np.inf), np.zeros(len(g))])
        y = lsq_linear(unit, gradient, (low, np.maximum(most, 1e-300)), method="bvls", tol=1e-14).x
        left = gradient - unit @ y
    stationary = float(np.abs(left).max()) / size
    known = any(abs(f[0] - o) <= AT_OPTIMUM * max(abs(o), 0.1) for o in problem.optima)
    worst = float(broken.max(initial=0.0))
    remark = f"cost {f[0]:.9g}, broken {worst:.1e}, gradient {stationary:.1e}"
    return Verdict(answer, worst <= FEASIBLE and stationary <= STATIONARY, known and worst <= FEASIBLE, remark)


def _joined(problem: Nlp, x: np.ndarray) -> np.ndarray:
    f, c, g = problem.evaluated(list(x))
    return np.array([f, *c, *g])


def as_problem(problem: Nlp | LeastSquares) -> Problem:
    """Return factors on one unknown, x."""
    x = Variables("x", Vector(len(problem.start)))
    if isinstance(problem, LeastSquares):
        return Problem([soft(lambda v: problem.residuals(list(v)), x, sigma=0.5**0.5, name="residuals")])
    law = problem.evaluated
    _, c, g = law(list(problem.start))
    factors = [cost(lambda v: law(list(v))[0], x, name="cost")]
    factors += [equality(lambda v: law(list(v))[1], x, name="equal")] if c else []
    factors += [inequality(lambda v: [-s for s in law(list(v))[2]], x, name="unequal")] if g else []
    return Problem(factors)


def ours_from(made: Problem, x0: np.ndarray) -> Answer:
    """Solve by this package, from one start."""
    with np.errstate(all="ignore"):
        result = solve(made, {"x": x0[None]}, iterations=ITERATIONS)
    return Answer(result.success, result.values["x"][0], result.iterations, result.seconds, repr(result))


def ours(problem: Nlp | LeastSquares, start: np.ndarray | None = None) -> Answer:
    """Solve by this package; code is made before the clock starts."""
    made, x0 = as_problem(problem), problem.start if start is None else start
    ours_from(made, x0)
    return ours_from(made, x0)


@dataclass(frozen=True, eq=False)
class Functions:
    """A problem as functions of CasADi."""

    problem: Nlp | LeastSquares

    @cached_property
    def symbols(self) -> tuple[Any, Any, Any, int]:
        """Unknowns, cost, constraints (equalities first), number of equalities."""
        x = ca.SX.sym("x", len(self.problem.start))
        entries = ca.vertsplit(x)
        if isinstance(self.problem, LeastSquares):
            return x, ca.sumsqr(ca.vertcat(*self.problem.residuals(entries))), ca.SX(0, 1), 0
        f, c, g = self.problem.law(*entries)
        return x, f, ca.vertcat(*c, *g), len(c)

    def call(self, make: Callable[[Any, Any, Any], Any]) -> Callable[[np.ndarray], np.ndarray]:
        """Return a compiled expression of (x, f, g) as a function of arrays."""
        x, f, g, _ = self.symbols
        made = ca.Function("f", [x], [ca.densify(make(x, f, g))])
        return lambda v: np.array(made(v))

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Return bounds of the unknowns."""
        if isinstance(self.problem, LeastSquares):
            return np.full(len(self.problem.start), -np.inf), np.full(len(self.problem.start), np.inf)
        return self.problem.lower, self.problem.upper


def ipopt(problem: Nlp | LeastSquares, start: np.ndarray | None = None) -> Answer:
    """Solve by IPOPT with exact derivatives."""
    functions = Functions(problem)
    x, f, g, equal = functions.symbols
    options = {"print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes", "error_on_fail": False}
    solver = ca.nlpsol("s", "ipopt", {"x": x, "f": f, "g": g}, {**options, "ipopt.max_iter": ITERATIONS})
    low, high = functions.bounds()
    rows = np.concatenate([np.zeros(equal), np.full(g.numel() - equal, np.inf)])
    x0 = problem.start if start is None else start
    began = perf_counter()
    found = solver(x0=x0, lbx=low, ubx=high, lbg=0, ubg=rows)
    passed = perf_counter() - began
    stats = solver.stats()
    v = np.array(found["x"])[:, 0]
    return Answer(bool(stats["success"]), v, stats["iter_count"], passed, stats["return_status"])


def scipy_squares(problem: LeastSquares, start: np.ndarray | None = None) -> Answer:
    """Solve by SciPy's trust-region reflective method with exact Jacobians."""
    x = ca.SX.sym("x", len(problem.start))
    r = ca.vertcat(*problem.residuals(ca.vertsplit(x)))
    both = ca.Function("r", [x], [ca.densify(r)]), ca.Function("J", [x], [ca.densify(ca.jacobian(r, x))])
    x0 = problem.start if start is None else start
    began = perf_counter()
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = least_squares(
                lambda v: np.array(both[0](v))[:, 0], x0, lambda v: np.array(both[1](v)),
                ftol=1e-12, xtol=1e-12, gtol=1e-12, max_nfev=ITERATIONS, x_scale="jac",
            )  # fmt: skip
    except (ValueError, np.linalg.LinAlgError) as error:
        return Answer(False, x0, 0, perf_counter() - began, str(error))
    return Answer(found.status > 0, found.x, int(found.njev or 0), perf_counter() - began, found.message)


def slsqp(problem: Nlp) -> Answer:
    """Solve by SciPy's SLSQP with exact gradients."""
    functions = Functions(problem)
    _, _, g, equal = functions.symbols
    f, slope = functions.call(lambda x, f, g: f), functions.call(lambda x, f, g: ca.gradient(f, x))
    rows, slopes = functions.call(lambda x, f, g: g), functions.call(lambda x, f, g: ca.jacobian(g, x))
    parts = [("eq", slice(0, equal)), ("ineq", slice(equal, g.numel()))]
    rules = [
        {"type": kind, "fun": lambda v, s=s: rows(v)[s, 0], "jac": lambda v, s=s: slopes(v)[s]}
        for kind, s in parts
        if s.start < s.stop
    ]
    began = perf_counter()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = minimize(
            lambda v: float(f(v)[0, 0]), np.clip(problem.start, problem.lower, problem.upper),
            jac=lambda v: slope(v)[:, 0], bounds=Bounds(problem.lower, problem.upper), constraints=rules,
            method="SLSQP", options={"maxiter": ITERATIONS, "ftol": 1e-9},
        )  # fmt: skip
    return Answer(bool(found.success), found.x, int(found.nit), perf_counter() - began, str(found.message))
