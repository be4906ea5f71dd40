"""Horizons by fatrop, in CasADi on our forward dynamics compiled to C, and by Crocoddyl."""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
from jaxtyping import Float

import screwgraph as sg
from benchmarks.horizons import Horizon
from benchmarks.native import Compiler
from benchmarks.peers import crocoddyl
from benchmarks.peers.casadi_solvers import Program, make_solver


@dataclass(frozen=True, eq=False)
class Found:
    """A motion, how many iterations it took, and the least CPU time (s) of several solutions; forces of feet."""

    x: Float[np.ndarray, "K 2*n"]
    u: Float[np.ndarray, "N m"]
    iterations: int
    seconds: float
    is_solved: bool
    forces: tuple[Float[np.ndarray, " k"], ...] = ()


def solve_by_fatrop(horizon: Horizon, compiler: Compiler | None, rounds: int, patience: float | None = None) -> Found:
    """Solve a horizon from the start, held at rest. Raises NotMeasuredError: compiling takes longer than `patience`."""
    program, size, m = make_program(horizon), 2 * horizon.n, len(horizon.actuated)
    solver, best, found = make_solver("fatrop", program, compiler, {}, patience), np.inf, {}
    for _ in range(rounds):
        began = process_time()
        found = solver(x0=program.start, **program.bounds)
        best = min(best, process_time() - began)
    z, stats = np.append(np.asarray(found["x"])[:, 0], np.zeros(m)).reshape(-1, size + m), solver.stats()
    return Found(z[:, :size], z[:-1, size:], int(stats["iter_count"]), best, bool(stats["success"]))


def make_program(horizon: Horizon) -> Program:
    """Return the program stage by stage, x_k, then u_k; gaps first, then the start and limits."""
    import casadi as ca

    n, m, N, h = horizon.n, len(horizon.actuated), horizon.knots, horizon.h
    size, count = 2 * n, horizon.knots * (2 * n + m) + 2 * n
    q, v = ca.MX.sym("q", n), ca.MX.sym("v", n)
    t = ca.MX.sym("t", m)
    place = {i: k for k, i in enumerate(horizon.actuated)}
    full = ca.vertcat(*(t[place[i]] if i in place else 0.0 for i in range(n)))
    after = v + h * sg.forward_dynamics(horizon.robot).casadi(q, v, full)
    step = ca.Function("step", [ca.vertcat(q, v), t], [ca.vertcat(q + h * after, after)])
    z = ca.MX.sym("z", count)
    block = ca.reshape(ca.vertcat(z, ca.MX.zeros(m)), size + m, N + 1)
    X, U = block[:size, :], block[size:, :N]
    gaps = X[:, 1:] - step.map(N)(X[:, :N], U)
    wq, wv, wu = horizon.weights
    off = X[:n, :] - ca.DM(list(horizon.goal))
    cost = h * (ca.sum1(ca.sum2(off**2) * ca.DM(list(wq))) + wv * ca.sumsqr(X[n:, :]) + wu * ca.sumsqr(U))
    low, high = horizon.states
    kept = np.flatnonzero(np.isfinite(high))
    rows: list[Any] = []
    lower: list[float] = []
    upper: list[float] = []
    equal: list[bool] = []
    sizes: list[int] = []
    for k in range(N + 1):
        own = [] if k == N else [(gaps[:, k], [0.0] * size, [0.0] * size)]
        own += [(X[:, 0], *([[*horizon.start, *[0.0] * n]] * 2))] if k == 0 else []
        own += [(U[:, k], [-x for x in horizon.most], list(horizon.most))] if k < N else []
        own += [(X[kept.tolist(), k], low[kept].tolist(), high[kept].tolist())] if k and len(kept) else []
        sizes.append(sum(len(lo) for _, lo, _ in own) - (size if k < N else 0))
        for row, lo, up in own:
            rows.append(row)
            lower, upper = lower + lo, upper + up
            equal += [a == b for a, b in zip(lo, up, strict=True)]
    start = np.zeros((N + 1, size + m))
    start[:, :n] = horizon.start
    options = {
        "structure_detection": "manual",
        "N": N,
        "nx": [size] * (N + 1),
        "nu": [m] * N + [0],
        "ng": sizes,
        "equality": equal,
    }
    nlp = {"x": z, "f": cost, "g": ca.vertcat(*rows)}
    bounds = {"lbg": np.array(lower), "ubg": np.array(upper)}
    return Program(nlp, bounds, start.ravel()[:count], np.arange(count), options)


def solve_by_crocoddyl(horizon: Horizon, rounds: int) -> Found:
    """Solve a horizon by BoxFDDP; limits of states are penalties. Raises NotMeasuredError."""
    low, high = horizon.states
    question = {
        "kind": "horizon",
        "urdf": crocoddyl.write_urdf(horizon.robot),
        "h": horizon.h,
        "knots": horizon.knots,
        "start": [*horizon.start, *[0.0] * horizon.n],
        "goal": [*horizon.goal, *[0.0] * horizon.n],
        "weights": [*horizon.weights[0], *[horizon.weights[1]] * horizon.n],
        "weight": horizon.weights[2],
        "actuated": list(horizon.actuated),
        "efforts": list(horizon.most),
        "box": [low.tolist(), high.tolist()] if horizon.has_states else None,
        "rounds": rounds,
    }
    found = crocoddyl.ask(question)
    u = np.array(found["u"])[:, list(horizon.actuated)]
    return Found(np.array(found["x"]), u, found["iterations"], found["seconds"], found["status"] == "converged")
