"""Other libraries' inverse kinematics, each as a function from a pose (4, 4) to positions of our joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

import screwgraph as sg
from screwgraph.ui.bench.peers.base import import_peer

Solve = Callable[[np.ndarray], np.ndarray]
STEPS = 50
"""Iterations of an attempt."""
DAMPING = 1e-6
"""Of Pinocchio's iteration, relative to unit lengths."""


def pink(robot: sg.Robot, path: str, frame: str, attempts: int, close: float) -> Solve:
    """Return pin-pink's: differential inverse kinematics, integrated until the frame is there."""
    pin: Any = import_peer("pinocchio", "pin")
    library: Any = import_peer("pink", "pin-pink")
    solver = import_peer("qpsolvers", "qpsolvers").available_solvers
    model = pin.buildModelFromUrdf(path)
    task = library.FrameTask(frame, position_cost=1.0, orientation_cost=1.0, lm_damping=1e-6, gain=1.0)
    order, starts = _order(model, robot), _starts(robot, attempts)
    name = "daqp" if "daqp" in solver else solver[0]

    def solve(T: np.ndarray) -> np.ndarray:
        task.set_target(pin.SE3(T))
        q = starts[0]
        for start in starts:
            state = library.Configuration(model, model.createData(), start[order])
            for _ in range(STEPS):
                if np.abs(task.compute_error(state)).max() <= 0.5 * close:
                    return state.q[np.argsort(order)]
                try:
                    state.integrate_inplace(library.solve_ik(state, [task], 1.0, solver=name), 1.0)
                except library.exceptions.PinkError:
                    break
            q = state.q[np.argsort(order)]
        return q

    return solve


def pinocchio(robot: sg.Robot, path: str, frame: str, attempts: int, close: float) -> Solve:
    """Return the damped iteration of Pinocchio's documentation, clipped at limits."""
    pin: Any = import_peer("pinocchio", "pin")
    model = pin.buildModelFromUrdf(path)
    data, number = model.createData(), model.getFrameId(frame)
    order, starts, eye = _order(model, robot), _starts(robot, attempts), DAMPING * np.eye(6)

    def solve(T: np.ndarray) -> np.ndarray:
        wanted, q = pin.SE3(T), starts[0]
        for start in starts:
            q = start[order]
            for _ in range(STEPS):
                pin.framesForwardKinematics(model, data, q)
                off = data.oMf[number].actInv(wanted)
                error = pin.log(off).vector
                if np.abs(error).max() <= 0.5 * close:
                    return q[np.argsort(order)]
                J = -pin.Jlog6(off.inverse()) @ pin.computeFrameJacobian(model, data, q, number, pin.LOCAL)
                q = q - J.T @ np.linalg.solve(J @ J.T + eye, error)
                q = np.clip(q, model.lowerPositionLimit, model.upperPositionLimit)
        return q[np.argsort(order)]

    return solve


def pyroki(robot: sg.Robot, path: str, frame: str, attempts: int, close: float) -> Solve:
    """Return PyRoki's: a nonlinear least-squares problem on JAX, compiled once, restarted where it does not reach."""
    jax: Any = import_peer("jax", "jax")
    library: Any = import_peer("pyroki", "almond-pyroki")
    import_peer("loguru", "loguru").logger.disable("jaxls")
    jaxls, jaxlie = import_peer("jaxls", "jaxls"), import_peer("jaxlie", "jaxlie")
    description = import_peer("yourdfpy", "yourdfpy").URDF.load(path, load_meshes=False)
    model = library.Robot.from_urdf(description)
    number = jax.numpy.array(model.links.names.index(frame), jax.numpy.int32)
    order = [robot.joint_names.index(name) for name in model.joints.actuated_names]
    starts, forward = _starts(robot, attempts), sg.forward_kinematics(robot, frame)

    @jax.jit
    def descended(wanted: Any, start: Any) -> Any:
        joints = model.joint_var_cls(0)
        costs = [
            library.costs.pose_cost_analytic_jac(model, joints, jaxlie.SE3.from_matrix(wanted), number, 50.0, 10.0),
            library.costs.limit_cost(model, joints, 100.0),
        ]
        problem = jaxls.LeastSquaresProblem(costs, [joints]).analyze()
        values = jaxls.VarValues.make([joints.with_value(start)])
        return problem.solve(values, verbose=False, linear_solver="dense_cholesky")[joints]

    def solve(T: np.ndarray) -> np.ndarray:
        q = starts[0]
        for start in starts:
            q = np.asarray(descended(T, start[order]))[np.argsort(order)]
            if np.abs(forward(q) - T).max() <= 0.5 * close:
                break
        return q

    return solve


PEERS: Mapping[str, Callable[[sg.Robot, str, str, int, float], Solve]] = {
    "pin-pink": pink,
    "PyRoki": pyroki,
    "Pinocchio (Python loop)": pinocchio,
}


def _order(model: Any, robot: sg.Robot) -> np.ndarray:
    """Return which of our joints each of the peer's is. All have one coordinate."""
    return np.array([robot.joint_names.index(name) for name in list(model.names)[1:]])


@cache
def _starts(robot: sg.Robot, attempts: int) -> np.ndarray:
    """Return the middle of the limits, and random positions within them."""
    limits = [joint.limits for joint in robot.joints]
    middle = np.array([0.5 * ((x.lower or 0.0) + (x.upper or 0.0)) for x in limits])
    return np.vstack([middle, sg.random(robot, (attempts - 1,), seed=2)])
