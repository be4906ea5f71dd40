"""Quadratic programs that controllers leave at random ticks, their solutions here, and those of peers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

import screwgraph as sg
from screwgraph.motion.control import stack_gains
from screwgraph.motion.control.whole_body import WholeBody

EXACT = 1e-10
"""Tolerance of peers."""
AT_ONCE = 5000
"""Ticks whose terms are in memory together."""
GAITS = np.array([[1, 1, 1, 1], [1, 0, 0, 1], [0, 1, 1, 0], [1, 1, 1, 0], [1, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0]])
"""Feet on the ground: stance, trot, a lifted leg, pace, one foot, flight."""


@dataclass(frozen=True, eq=False)
class Programs:
    """Terms of n programs, each by its first axis, and what the controller answers: u, status, passages, violation."""

    H: Float[np.ndarray, "ticks n n"]
    g: Float[np.ndarray, "ticks n"]
    A: Float[np.ndarray, "ticks m n"]
    lower: Float[np.ndarray, "ticks m"]
    upper: Float[np.ndarray, "ticks m"]
    penalty: Float[np.ndarray, "ticks m"]
    u: Float[np.ndarray, "ticks n"]
    active: Float[np.ndarray, "ticks m"]
    solution: Float[np.ndarray, "ticks 3"]

    def cost(self, k: int, u: Float[np.ndarray, " n"]) -> float:
        """Return the cost of a tick at u."""
        return float(0.5 * u @ self.H[k] @ u + self.g[k] @ u)


def draw_ticks(body: WholeBody, ticks: int, seed: int) -> dict[str, Float[np.ndarray, "ticks ..."]]:
    """Return arguments of a quadruped's controller: random postures, straight knees, speeds, goals, gaits, frictions.

    Every fifth has straight knees, every seventh speeds and goals that limits do not allow.
    """
    robot, rng = body.model, np.random.default_rng(seed)
    q = np.tile(sg.neutral(robot), (ticks, 1))
    turn = 0.3 * rng.standard_normal((ticks, 3))
    q[:, :3] = 0.1 * rng.standard_normal((ticks, 3)) + [0.0, 0.0, 0.27]
    q[:, 3:6] = turn / 2.0
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    q[:, 7:] = np.tile([0.0, 0.9, -1.8], 4) + rng.uniform(-0.5, 0.5, (ticks, 12))
    straight = np.arange(ticks) % 5 == 0
    q[straight, 9::3] = rng.choice([0.0, -1e-6, -1e-3, -0.02], (straight.sum(), 4))
    wild = np.where(np.arange(ticks) % 7 == 0, 10.0, 1.0)[:, None]
    qd = wild * 0.5 * rng.standard_normal((ticks, robot.nv))
    goal = np.array(sg.forward_kinematics(robot, "trunk")(q))
    goal[:, :3, 3] += wild * 0.05 * rng.standard_normal((ticks, 3))
    on = GAITS[rng.integers(len(GAITS), size=ticks)].astype(float)
    feet = np.stack([on, rng.uniform(0.2, 1.0, (ticks, 4))], axis=-1)
    posture = q[:, 7:] + 0.2 * rng.standard_normal((ticks, 12))
    named = {
        "q": q,
        "qd": qd,
        "trunk_pose": goal,
        "trunk_pose_rates": wild[:, None] * rng.standard_normal((ticks, 2, 6)),
    }
    named |= {"posture": posture, "posture_rates": np.zeros((ticks, 2, 12))}
    gains = np.broadcast_to(stack_gains(body.tasks), (ticks, len(body.tasks), 3))
    return named | {"gains": gains, "contacts": feet}


def solve_programs(body: WholeBody, function: sg.Function, named: Mapping[str, Any]) -> Programs:
    """Return programs of ticks, each solved from scratch by the controller."""
    given = [np.asarray(named[argument.name]) for argument in body.given]
    ticks, n, m = len(given[0]), body.unknowns, body.rows
    columns = np.hstack([x.reshape(ticks, -1) for x in given])
    terms = np.array([np.broadcast_to(x, ticks) for x in body.code.evaluate(list(columns.T))])
    sizes = [int(np.prod(shape)) for shape in body.shapes.values()]
    parts = {
        name: np.ascontiguousarray(part.T)
        for name, part in zip(body.shapes, np.split(terms, np.cumsum(sizes)[:-1]), strict=True)
    }
    H, below = np.zeros((ticks, n, n)), np.tril_indices(n)
    H[:, below[0], below[1]] = parts["H"]
    H[:, below[1], below[0]] = parts["H"]
    results = dict(zip((r.name for r in function.results), function(*given, np.zeros((ticks, m))), strict=True))
    u = find_unknowns(body, results, named, parts["F"])
    A, low, up, penalty = (parts[name] for name in ("A", "lower", "upper", "penalty"))
    A = A.reshape(ticks, m, -1)
    A = A[:, :, :n] + A[:, :, n:] @ parts["E"].reshape(ticks, -1, n)
    return Programs(H, parts["g"], A, low, up, penalty, u, results["active"], results["solution"])


def find_unknowns(
    body: WholeBody, results: Mapping[str, Any], named: Mapping[str, Any], axes: Float[np.ndarray, "ticks k"]
) -> Float[np.ndarray, "ticks n"]:
    """Return u of ticks: accelerations of joints, and in the place of those of legs components of contacts' wrenches.

    `axes` is the term F: moment and force of each component.
    """
    motion, qdd = body.motion, results["qdd"]
    u = np.empty((len(qdd), body.unknowns))
    for i, place in motion.place.items():
        u[:, place] = qdd[:, motion.coordinates.places[i]]
    axes = axes.reshape(len(qdd), -1, 6)
    for c, (leg, components) in enumerate(zip(motion.legs, body.components, strict=True)):
        on = named["contacts"][:, c, 0] > 0.5
        forces = results["forces"][on, c]
        moments = results["moments"][on, c] if body.has_moments else np.zeros_like(forces)
        inverse = np.linalg.pinv(np.swapaxes(axes[on][:, components], 1, 2))
        own = np.einsum("kij,kj->ki", inverse, np.hstack([moments, forces]))
        u[np.ix_(on, [motion.place[i] for i in leg.own])] = own
    return u


Peer = Callable[[Programs, int], tuple[Any, float, bool]]
"""From programs and a tick to u, the time (ns) by the peer's own clock, and whether it says that it is solved."""


def make_daqp() -> Peer:
    """Return DAQP, a dual active set: from scratch, set-up included. Raises ImportError."""
    import daqp  # pyright: ignore[reportMissingImports]

    def solve(own: Programs, k: int) -> tuple[Any, float, bool]:
        rows = np.zeros(own.A.shape[1], dtype=np.int32)
        H, A = own.H[k].copy(), own.A[k].copy()
        x, _, flag, said = daqp.solve(
            H, own.g[k], A, own.upper[k].copy(), own.lower[k].copy(), rows, primal_tol=EXACT, dual_tol=EXACT
        )
        return x, 1e9 * (said["solve_time"] + said["setup_time"]), flag == 1

    return solve


def make_proxqp() -> Peer:
    """Return ProxQP, a proximal method of multipliers, dense: from scratch. Raises ImportError."""
    import proxsuite  # pyright: ignore[reportMissingImports]

    def solve(own: Programs, k: int) -> tuple[Any, float, bool]:
        m, n = own.A.shape[1:]
        program = proxsuite.proxqp.dense.QP(n, 0, m)
        program.settings.eps_abs, program.settings.eps_rel, program.settings.max_iter = EXACT, 0.0, 500
        program.settings.compute_timings = True
        low, up = np.maximum(own.lower[k], -1e20), np.minimum(own.upper[k], 1e20)
        program.init(own.H[k], own.g[k], None, None, own.A[k], low, up)
        program.solve()
        info = program.results.info
        is_solved = info.status == proxsuite.proxqp.PROXQP_SOLVED
        return np.array(program.results.x), 1e3 * (info.run_time), is_solved

    return solve


__all__ = ["AT_ONCE", "EXACT", "Peer", "Programs", "draw_ticks", "make_daqp", "make_proxqp", "solve_programs"]
