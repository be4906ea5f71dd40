"""Horizons from random states, within their limits and beyond: they have commands, always the same, and optima."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from tests.motion.control.predictive.test_optima import PENALTY, arm
from tests.suites import in_suites, record

import screwgraph as sg
from screwgraph.motion.control import HorizonLimits, converge, stack_references, stack_weights
from screwgraph.motion.control.predictive.motors import choose_motors

SOFT = 10.0, 100.0
MOST = 100
"""Calls."""
NEAR = 1e-6
"""Relative difference of costs of one optimum."""


@dataclass(frozen=True, eq=False)
class Case:
    """A controller of joints whose positions are a vector, its weights, its limits, and random states and goals."""

    robot: sg.Robot
    control: sg.Function
    weights: np.ndarray
    dt: float
    driven: list[int]
    limits: HorizonLimits
    draw: Callable[[np.random.Generator, bool], tuple[np.ndarray, np.ndarray, np.ndarray]]

    @property
    def most(self) -> np.ndarray:
        """The largest efforts of driven joints."""
        names = [self.robot.joint_names[i] for i in self.driven]
        return self.limits.efforts(choose_motors(self.robot, names))[1]


@cache
def cart_pole() -> Case:
    """A cart of 20 N on a rail of 1 m to each side, with its pole at any angle."""
    limits = HorizonLimits(effort={"x": 20.0}, lower={"x": -1.0}, upper={"x": 1.0}, velocity=15.0, penalty=SOFT)
    robot = sg.load("cart_pole")
    control = sg.mpc(robot, dt=0.02, horizon=50, actuated=["x"], limits=limits)
    weights = stack_weights(robot, position=[1.0, 10.0], velocity=0.1, effort=0.01, actuated=["x"])

    def draw(rng, feasible):
        q, qd = rng.uniform([-0.8, 0.0], [0.8, 2.0 * np.pi]), rng.uniform(-1.0, 1.0, 2) * [1.0, 4.0]
        return (q if feasible else q + np.sign(q) * [1.0, 0.0]), (qd if feasible else 5.0 * qd), np.array([0.0, np.pi])

    return Case(robot, control, weights, 0.02, [0], limits, draw)


@cache
def panda() -> Case:
    """A Panda within the ranges of its joints, and beyond them by up to 0.3 rad, at up to twice its velocities."""
    (control, weights), robot = arm(), sg.load("panda")
    low, up, fast = robot.limits.lower, robot.limits.upper, robot.limits.velocity

    def draw(rng, feasible):
        q, qd = rng.uniform(low + 0.1, up - 0.1), rng.uniform(-0.5, 0.5, 7) * fast
        beyond = rng.choice([-1.0, 1.0], 7) * rng.uniform(0.1, 0.3, 7)
        q = q if feasible else np.where(beyond > 0.0, up, low) + beyond
        goal = np.clip(q + rng.uniform(-0.6, 0.6, 7), low + 0.05, up - 0.05)
        return q, (qd if feasible else 4.0 * qd), goal

    return Case(robot, control, weights, 0.01, list(range(7)), HorizonLimits(penalty=PENALTY), draw)


CASES = {"cart-pole": cart_pole, "Panda": panda}


def solve_by_ipopt(case: Case, x0, references, guess, first=None):
    """Return the least cost that IPOPT finds from a guess (states, inputs), its inputs, and whether it converged.

    `first` (s) is the first interval, by default as all others: states count for the interval before.
    """
    casadi = pytest.importorskip("casadi")
    n, m, N = case.robot.nv, len(case.driven), case.control.results[2].shape[0]
    dynamics = sg.forward_dynamics(case.robot).casadi
    X, U = casadi.SX.sym("X", 2 * n, N + 1), casadi.SX.sym("U", m, N)
    x, u, h = casadi.SX.sym("x", 2 * n), casadi.SX.sym("u", m), casadi.SX.sym("h")
    lengths = np.array([case.dt if first is None else first, *[case.dt] * (N - 1)])
    tau = casadi.SX.zeros(n)
    for k, i in enumerate(case.driven):
        tau[i] = u[k]
    new = x[n:] + h * dynamics(x[:n], x[n:], tau)
    step = casadi.Function("step", [x, u, h], [casadi.vertcat(x[:n] + h * new, new)]).map(N)
    lower, upper = case.limits.states(case.robot)
    bounded = [i for i in range(2 * n) if np.isfinite([lower[i], upper[i]]).any()]
    low, up = np.array(lower)[bounded], np.array(upper)[bounded]
    E = casadi.SX.sym("E", 2 * len(bounded), N)
    W, R = case.weights[: 2 * n], np.broadcast_to(case.weights[2 * n :], m)
    missed, pushed = X - references[:, : 2 * n].T, U - references[:-1, 2 * n :].T
    l1, l2 = case.limits.penalty
    cost = (W[None] @ missed**2) @ np.array([case.dt, *lengths]) + (R[None] @ pushed**2) @ lengths
    cost += casadi.sum1(l1 * E + 0.5 * l2 * E**2) @ (lengths / case.dt)
    kept = X[bounded, 1:]
    rows = [
        casadi.vec(step(X[:, :N], U, lengths[None]) - X[:, 1:]),
        casadi.vec(casadi.vertcat(kept - low, up - kept) + E),
    ]
    most = np.repeat([case.most], N, axis=0).ravel()
    states, inputs = guess
    ends = np.concatenate([low - states[1:, bounded], states[1:, bounded] - up], axis=1)
    begin = np.concatenate([states.ravel(), inputs.ravel(), np.maximum(ends, 0.0).ravel()])
    free = np.full(states.size - 2 * n, np.inf)
    problem = {"x": casadi.vertcat(casadi.vec(X), casadi.vec(U), casadi.vec(E)), "f": cost, "g": casadi.vertcat(*rows)}
    near = dict.fromkeys(("bound_push", "bound_frac", "slack_bound_push", "slack_bound_frac"), 1e-9)
    own = {"print_level": 0, "tol": 1e-10, "max_iter": 500, "bound_relax_factor": 0.0, "mu_init": 1e-7, **near}
    options = {"ipopt": own, "print_time": 0}
    solver = casadi.nlpsol("horizon", "ipopt", problem, options)
    found = solver(
        x0=begin,
        lbx=np.concatenate([x0, -free, -most, np.zeros(ends.size)]),
        ubx=np.concatenate([x0, free, most, np.full(ends.size, np.inf)]),
        lbg=0.0,
        ubg=np.concatenate([np.zeros(2 * n * N), np.full(ends.size, np.inf)]),
    )
    inputs = np.array(found["x"]).ravel()[states.size : states.size + inputs.size].reshape(N, m)
    return float(found["f"]), inputs, bool(solver.stats()["success"])


@pytest.mark.parametrize(
    ("name", "starts", "each"),
    [("cart-pole", 20, 0), *(in_suites(*row) for row in (("cart-pole", 1000, 10), ("Panda", 1000, 50)))],
)
@pytest.mark.parametrize("is_within", [True, False])
def test_any_state_has_a_command(name, starts, each, is_within):
    """Every `each` of the horizons that converge stands beside IPOPT."""
    case, rng, calls = CASES[name](), np.random.default_rng(11), 3
    solved, gaps, most = 0, [], case.most
    for k in range(starts):
        q, qd, goal = case.draw(rng, is_within)
        references = stack_references(case.control, goal)
        found = converge(case.control, q, qd, references, case.weights, most=MOST)
        assert all(np.isfinite(value).all() for value in found if value is not None)
        assert np.all(np.abs(found.tau) <= most)
        assert found.solution[0] in (0.0, 1.0)
        solved += found.solution[0] == 0.0
        if k % 10 == 0:  # the most calls are honoured, and the same input has the same bits
            last = np.zeros(case.control.arguments[-1].shape)
            for _ in range(calls):
                tau, states, *_, last, _ = case.control(q, qd, references, case.weights, 0.0, last)
            capped = converge(case.control, q, qd, references, case.weights, most=calls)
            for result, own in ((capped.next, last), (capped.states, states), (capped.tau, tau)):
                np.testing.assert_array_equal(result, own)
        if each and k % each == 0 and found.solution[0] == 0.0:
            cost, _, is_solved = solve_by_ipopt(
                case, np.concatenate([q, qd]), references, (found.states, found.efforts)
            )
            assert is_solved
            gaps.append(found.solution[1] / cost - 1.0)
    if each:
        cells = {"robot": name, "states": "within limits" if is_within else "beyond limits", "starts": starts}
        found = {"converged": int(solved), "beside IPOPT": len(gaps), "cost apart": f"{np.abs(gaps).max():.0e}"}
        record("horizons", **cells, **found)
        assert np.abs(gaps).max() < NEAR
    if is_within:
        assert solved > 0.6 * starts


@pytest.mark.parametrize(
    ("is_within", "number", "cost"),
    [(True, 84, 76.714538), (False, 37, 178.093501), (False, 35, 4750.95935), (False, 41, 2671.856244)],
)
def test_barriers_settle_by_themselves(is_within, number, cost):
    """Of two of the many states above trajectories went round in circles; two came back from too far, where barriers
    were bounded."""
    case, rng = CASES["cart-pole"](), np.random.default_rng(11)
    for _ in range(number + 1):
        q, qd, goal = case.draw(rng, is_within)
    found = converge(case.control, q, qd, stack_references(case.control, goal), case.weights, most=MOST)
    assert found.solution[0] == 0.0
    assert abs(found.solution[1] / cost - 1.0) < 1e-6  # IPOPT's, from there
