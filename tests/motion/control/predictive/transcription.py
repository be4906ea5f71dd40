"""Horizons as IPOPT has them: direct transcription of scenes whose equations are rows among all unknowns."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import casadi
import numpy as np
from tests.motion.control.predictive.bodies import pose_error
from tests.motion.control.predictive.scenes import Scene


@dataclass(frozen=True, eq=False)
class Task:
    """A horizon of a scene: numbers of `sg.mpc`, its arguments; `frame` (part, R, p) with goals and weights.

    `on` (N, feet) says which feet are on, `low` and `most` (N, inputs) bound inputs; `closed` (N + 1, closing) is a
    guess.
    """

    scene: Scene
    dt: float
    N: int
    most: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    penalty: tuple[float, float]
    references: np.ndarray
    weights: np.ndarray
    q: np.ndarray
    v: np.ndarray
    terminal: np.ndarray | None = None
    first: float | None = None
    frame: tuple[int, np.ndarray, np.ndarray] | None = None
    goals: np.ndarray | None = None
    frame_weights: np.ndarray = field(default_factory=lambda: np.zeros(6))
    low: np.ndarray | None = None
    on: np.ndarray | None = None

    @property
    def lengths(self) -> np.ndarray:
        """Intervals (s)."""
        return np.array([self.dt if self.first is None else self.first, *[self.dt] * (self.N - 1)])


def solve(task: Task, states, inputs, closed=None, tol: float = 1e-11, push: float = 1e-9):
    """Return cost, states, inputs and whether IPOPT solved it, from a guess of states (N + 1, nq + nv) and inputs.

    `closed` (N + 1, closing) is one of what follows from states.
    """
    scene, N, (l1, l2) = task.scene, task.N, task.penalty
    nq, nv, m = scene.nq, scene.nv, scene.inputs
    on = np.zeros((N, 0)) if task.on is None else task.on
    sizes = {"z": nq, "v": nv, "p": scene.closing, "w": scene.unknown, "u": m, "h": 1}
    sizes |= {"r": task.references.shape[1], "on": on.shape[1]}
    z, v, p, w, u, h, r, s = (casadi.SX.sym(*x) for x in sizes.items())
    now = scene.instant(z, v, p, w, u, s, r[nq + nv :], task.weights[2 * nv :])
    later = v + h * now.accelerations
    errors = casadi.vertcat(scene.difference(r[:nq], z), v - r[nq : nq + nv])
    square = casadi.dot(task.weights[: 2 * nv], errors**2)
    g = casadi.SX.sym("g", 4, 4)
    if task.frame is not None:
        part, R, x = task.frame
        Rb, pb = scene.pose(part, z, p)
        square += casadi.dot(task.frame_weights, pose_error(g, Rb @ R, pb + Rb @ x) ** 2)
    end = square if task.terminal is None else errors.T @ task.terminal @ errors
    close = casadi.Function("close", [z, v, p], [scene.close(z, v, p)])
    results = [scene.advance(z, h * later), later, now.zero, now.soft, now.least, now.cost]
    move = casadi.Function("move", [z, v, p, w, u, h, r, s], results)
    price = casadi.Function("price", [z, v, p, r, g], [square])
    ended = casadi.Function("ended", [z, v, p, r, g], [end])
    shapes = {"Z": (nq, N + 1), "V": (nv, N + 1), "P": (scene.closing, N + 1), "W": (scene.unknown, N), "U": (m, N)}
    Z, V, P, W, U = (casadi.MX.sym(name, *shape) for name, shape in shapes.items())
    bounded = [i for i in range(2 * nv) if np.isfinite([task.lower[i], task.upper[i]]).any()]
    E = casadi.MX.sym("E", 2 * len(bounded) + now.soft.numel(), N)
    lengths, before = task.lengths, [task.dt, *task.lengths]
    goals = np.tile(np.eye(4), (N + 1, 1, 1)) if task.goals is None else task.goals
    cost, rows, least = 0.0, [], []
    for k in range(N + 1):
        own = (Z[:, k], V[:, k], P[:, k], task.references[k], goals[k])
        rows.append(close(*own[:3]))
        if k == N:
            cost += ended(*own) if task.terminal is not None else before[k] * price(*own)
            break
        given = (W[:, k], U[:, k], lengths[k], task.references[k], on[k])
        reached, speed, left, soft, hard, effort = move(*own[:3], *given)
        cost += before[k] * price(*own) + lengths[k] * effort
        rows += [Z[:, k + 1] - reached, V[:, k + 1] - speed, left]
        x = casadi.vertcat(*(Z[scene.places[i], k + 1] if i < nv else V[i - nv, k + 1] for i in bounded))
        sides = [x - task.lower[bounded], task.upper[bounded] - x] if bounded else []
        least += [casadi.vertcat(*sides, -soft) + E[:, k], hard]
        cost += lengths[k] / task.dt * casadi.sum1(l1 * E[:, k] + 0.5 * l2 * E[:, k] ** 2)
    equal = sum(row.numel() for row in rows)
    found_w = _accelerate(task, move, states, inputs, closed, on)
    begin = _guess(task, states, inputs, closed, found_w, bounded, move, on)
    problem = {"x": casadi.veccat(Z, V, P, W, U, E), "f": cost, "g": casadi.vertcat(*rows, *least)}
    names = ("bound_push", "bound_frac", "slack_bound_push", "slack_bound_frac")
    own = {"print_level": 0, "tol": tol, "max_iter": 600, "bound_relax_factor": 0.0, "sb": "yes"}
    own["s_max"] = 1e6  # large multipliers do not let it stop earlier
    own |= {**dict.fromkeys(names, push), "mu_init": 1e-7} if push < 1e-3 else {}
    solver = casadi.nlpsol("horizon", "ipopt", problem, {"ipopt": own, "print_time": 0})
    most = np.broadcast_to(task.most, (N, m))
    least_u = -most if task.low is None else task.low

    def free(count):
        return np.full(count, np.inf)

    low = [task.q, -free(nq * N), task.v, -free(nv * N), -free(P.numel() + W.numel())]
    up = [task.q, free(nq * N), task.v, free(nv * N), free(P.numel() + W.numel())]
    low, up = [*low, np.ravel(least_u), np.zeros(E.numel())], [*up, np.ravel(most), free(E.numel())]
    count = problem["g"].numel()
    found = solver(
        x0=begin,
        lbx=np.concatenate(low),
        ubx=np.concatenate(up),
        lbg=0.0,
        ubg=np.concatenate([np.zeros(equal), free(count - equal)]),
    )
    ends = np.cumsum([0, *(a.numel() for a in (Z, V, P, W, U))])
    Zs, Vs, _, _, Us = (np.array(found["x"]).ravel()[i:j] for i, j in pairwise(ends))
    path = np.hstack([Zs.reshape(N + 1, nq), Vs.reshape(N + 1, nv)])
    return float(found["f"]), path, Us.reshape(N, m), bool(solver.stats()["success"])


def _accelerate(task, move, states, inputs, closed, on):
    """Return accelerations and multipliers (N, unknown) of a motion: equations are linear in them."""
    nq, found = task.scene.nq, []
    w = casadi.SX.sym("w", task.scene.unknown)
    for k in range(task.N):
        p = np.zeros(0) if closed is None else closed[k]
        given = (states[k, :nq], states[k, nq:], p, w, inputs[k], task.lengths[k], task.references[k], on[k])
        _, later, rows, *_ = move(*given)
        rows = casadi.vertcat(rows, (later - states[k + 1, nq:]) / task.lengths[k])
        line = casadi.Function("line", [w], [casadi.jacobian(rows, w), rows])
        A, b = (np.array(x) for x in line(np.zeros(w.numel())))
        found.append(np.linalg.lstsq(A, -b.ravel())[0])
    return np.array(found)


def _guess(task, states, inputs, closed, unknown, bounded, move, on):
    nq, nv, N, places = task.scene.nq, task.scene.nv, task.N, task.scene.places
    Z, V = states[:, :nq], states[:, nq:]
    P = np.zeros((N + 1, 0)) if closed is None else closed
    x = np.array([[Z[k, places[i]] if i < nv else V[k, i - nv] for i in bounded] for k in range(1, N + 1)])
    x = x.reshape(N, len(bounded))
    given = (Z[:-1], V[:-1], P[:-1], unknown, inputs, task.lengths, task.references[:-1], on)
    soft = np.array([np.ravel(move(*(a[k] for a in given))[3]) for k in range(N)]).reshape(N, -1)
    far = np.maximum(np.hstack([task.lower[bounded] - x, x - task.upper[bounded], soft]), 0.0)
    return np.concatenate([a.ravel() for a in (Z, V, P, unknown, inputs, far)])
