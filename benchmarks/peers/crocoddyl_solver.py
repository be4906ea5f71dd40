"""Solves planning tasks by Crocoddyl; run by the Python that has it, which may be another one: JSON in, JSON out.

In: {"kind": "shooting", "urdf", "h", "knots", "start", "guess", "goals": [[knot, x]], "actuated", "efforts", "weight",
"pose": [frame, q], "box": [low, high], "stays", "rounds"}, or {"kind": "trot", "urdf", "standing", "rounds"}. Its
solvers shoot: states follow from controls that are held over a step (Runge-Kutta, order 4), goals are penalties.
{"kind": "horizon", "urdf", "h", "knots", "start", "goal", "weights", "weight", "actuated", "efforts", "box", "rounds"}:
squares of errors of states and controls over steps of Euler's semi-implicit rule.
{"kind": "standing", "urdf", "h", "knots", "base", "joints": {name: position}, "blow", "feet", "weights", "rounds"}: a
robot that floats stands on feet, [{"frame", "at", "size", "friction"}], other joints are locked.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from time import process_time
from typing import Any

import numpy as np

crocoddyl: Any = import_module("crocoddyl")
pinocchio: Any = import_module("pinocchio")
PENALTY, BARRIER, STOP, ITERATIONS = 1e6, 1e3, 1e-5, 500
"""Weights of goals and limits. With 1e4 and 1e5 the optima found were worse or farther from the goals."""


def main() -> None:
    """Answer one question."""
    asked = json.load(sys.stdin)
    if asked["kind"] == "version":
        answer = {"version": f"Crocoddyl {crocoddyl.__version__}, Pinocchio {pinocchio.__version__}"}
    else:
        answer = {"shooting": shooting, "trot": trot, "horizon": horizon, "standing": standing}[asked["kind"]](asked)
    json.dump(answer, sys.stdout)


def shooting(asked: dict[str, Any]) -> dict[str, Any]:
    """Solve a task of a fixed robot."""
    model = pinocchio.buildModelFromXML(asked["urdf"])
    _check_dynamics(model, crocoddyl.ActuationModelFull)
    state = crocoddyl.StateMultibody(model)
    goals = {knot: np.array(x) for knot, x in asked["goals"]}
    # Its actuation models drive all joints: those that have no motor are held at zero effort.
    effort = np.zeros(model.nv)
    effort[asked["actuated"]] = np.inf if asked["efforts"] is None else asked["efforts"]
    nodes = [_node(state, asked, goals.get(k), effort, k == asked["knots"] - 1) for k in range(asked["knots"])]
    start = np.array(asked["start"])
    problem = crocoddyl.ShootingProblem(start, nodes[:-1], nodes[-1])
    solver_type = crocoddyl.SolverBoxFDDP if np.isfinite(effort).any() else crocoddyl.SolverFDDP
    xs = [start, *np.array(asked["guess"])[1:]]
    us = list(problem.quasiStatic(xs[:-1])) if asked["stays"] else [np.zeros(model.nv) for _ in nodes[:-1]]
    solver, seconds = _solved(solver_type, problem, xs, us, asked["rounds"])
    U, X = np.array(solver.us), np.array(solver.xs)
    off = [np.abs(X[k] - goal)[np.isfinite(goal)].max() for k, goal in goals.items()]
    if asked["pose"]:
        off.append(np.abs(Pose(state, asked).distance(X[-1])).max())
    if asked["box"]:
        low, high = np.array(asked["box"])
        off.append(np.maximum(X - high, low - X).max())
    cost = asked["h"] * asked["weight"] * float((U[:, asked["actuated"]] ** 2).sum())
    return _answer(solver, seconds, cost, max(off))


def _node(state: Any, asked: dict[str, Any], goal: np.ndarray | None, effort: np.ndarray, last: bool) -> Any:
    """Return one step; what is wanted at its beginning is a cost, undone for the step's length."""
    actuation = crocoddyl.ActuationModelFull(state)
    costs, h, nv = crocoddyl.CostModelSum(state), asked["h"], state.nv
    per = 1.0 if last else h
    if not last:
        effort_cost = crocoddyl.CostModelResidual(state, crocoddyl.ResidualModelControl(state))
        costs.addCost("effort", effort_cost, 2 * asked["weight"])
    if goal is not None:
        weights = crocoddyl.ActivationModelWeightedQuad(np.isfinite(goal).astype(float))
        residual = crocoddyl.ResidualModelState(state, np.nan_to_num(goal))
        costs.addCost("goal", crocoddyl.CostModelResidual(state, weights, residual), PENALTY / per)
    if last and asked["pose"]:
        costs.addCost("pose", crocoddyl.CostModelResidual(state, Pose(state, asked).residual), PENALTY)
    if asked["box"]:
        low, high = np.array(asked["box"])
        barrier = crocoddyl.ActivationModelQuadraticBarrier(crocoddyl.ActivationBounds(low, high))
        residual = crocoddyl.ResidualModelState(state, np.zeros(2 * nv))
        costs.addCost("box", crocoddyl.CostModelResidual(state, barrier, residual), BARRIER / per)
    free = crocoddyl.DifferentialActionModelFreeFwdDynamics(state, actuation, costs)
    free.u_lb, free.u_ub = -effort, effort
    if last:
        return crocoddyl.IntegratedActionModelEuler(free, 0.0)
    whole = crocoddyl.IntegratedActionModelRK(free, crocoddyl.RKType.four, h)
    whole.u_lb, whole.u_ub = -effort, effort
    return whole


class Pose:
    """Where a frame should be: where it is at given joint positions."""

    def __init__(self, state: Any, asked: dict[str, Any]) -> None:
        frame, at = asked["pose"]
        self.model = state.pinocchio
        self.frame = self.model.getFrameId(frame)
        data = self.model.createData()
        pinocchio.framesForwardKinematics(self.model, data, np.array(at))
        self.target = data.oMf[self.frame].copy()
        self.residual = crocoddyl.ResidualModelFramePlacement(state, self.frame, self.target)

    def distance(self, x: np.ndarray) -> np.ndarray:
        """Return the distance, (6,)."""
        data = self.model.createData()
        pinocchio.framesForwardKinematics(self.model, data, x[: self.model.nq])
        return pinocchio.log6(self.target.actInv(data.oMf[self.frame])).vector


def trot(asked: dict[str, Any]) -> dict[str, Any]:
    """Solve the trot of Crocoddyl's own gait problem."""
    model = pinocchio.buildModelFromXML(asked["urdf"], pinocchio.JointModelFreeFlyer())
    _check_dynamics(model, crocoddyl.ActuationModelFloatingBase)
    standing = np.array(asked["standing"])
    model.referenceConfigurations["standing"] = standing
    feet = [f"{leg}_foot" for leg in ("FL", "FR", "RL", "RR")]
    x0 = np.concatenate([standing, np.zeros(model.nv)])
    gait = import_module("crocoddyl.utils.quadruped").SimpleQuadrupedalGaitProblem(model, *feet)
    problem = gait.createTrottingProblem(x0, 0.15, 0.05, 0.01, 25, 2)
    xs, us = [x0] * (problem.T + 1), problem.quasiStatic([x0] * problem.T)
    solver, seconds = _solved(crocoddyl.SolverFDDP, problem, xs, us, asked["rounds"])
    return _answer(solver, seconds, float(solver.cost), _slip(model, feet, np.array(solver.xs)))


def horizon(asked: dict[str, Any]) -> dict[str, Any]:
    """Solve the horizon of a predictive controller; limits of states are barriers."""
    model = pinocchio.buildModelFromXML(asked["urdf"])
    _check_dynamics(model, crocoddyl.ActuationModelFull)
    state, effort = crocoddyl.StateMultibody(model), np.zeros(model.nv)
    effort[asked["actuated"]] = asked["efforts"]
    nodes = [_tracking(state, asked, effort, is_last) for is_last in (False, True)]
    start = np.array(asked["start"])
    problem = crocoddyl.ShootingProblem(start, [nodes[0]] * asked["knots"], nodes[1])
    xs, us = [start] * (asked["knots"] + 1), [np.zeros(model.nv)] * asked["knots"]
    solver, seconds = _solved(crocoddyl.SolverBoxFDDP, problem, xs, us, asked["rounds"])
    answer = _answer(solver, seconds, float(solver.cost), 0.0)
    return answer | {"x": np.array(solver.xs).tolist(), "u": np.array(solver.us).tolist()}


def _tracking(state: Any, asked: dict[str, Any], effort: np.ndarray, is_last: bool) -> Any:
    """Return a stage that compares its state with the goal; the last one counts for a step, too."""
    costs, h = crocoddyl.CostModelSum(state), asked["h"]
    per = h if is_last else 1.0
    weights = crocoddyl.ActivationModelWeightedQuad(2 * per * np.array(asked["weights"]))
    residual = crocoddyl.ResidualModelState(state, np.array(asked["goal"]))
    costs.addCost("goal", crocoddyl.CostModelResidual(state, weights, residual), 1.0)
    if not is_last:
        squares = crocoddyl.CostModelResidual(state, crocoddyl.ResidualModelControl(state))
        costs.addCost("effort", squares, 2 * asked["weight"])
    if asked["box"]:
        low, high = np.array(asked["box"])
        barrier = crocoddyl.ActivationModelQuadraticBarrier(crocoddyl.ActivationBounds(low, high))
        residual = crocoddyl.ResidualModelState(state, np.zeros(2 * state.nv))
        costs.addCost(
            "box", crocoddyl.CostModelResidual(state, barrier, residual), BARRIER * (1.0 if is_last else 1 / h)
        )
    free = crocoddyl.DifferentialActionModelFreeFwdDynamics(state, crocoddyl.ActuationModelFull(state), costs)
    stage = crocoddyl.IntegratedActionModelEuler(free, 0.0 if is_last else h)
    stage.u_lb, stage.u_ub = -effort, effort
    return stage


def standing(asked: dict[str, Any]) -> dict[str, Any]:
    """Solve a horizon of a robot that stands, and whose base moves at first; limits of forces are barriers."""
    whole = pinocchio.buildModelFromXML(asked["urdf"], pinocchio.JointModelFreeFlyer())
    posture, kept = pinocchio.neutral(whole), asked["joints"]
    for name, position in kept.items():
        posture[whole.joints[whole.getJointId(name)].idx_q] = position
    posture[:7] = asked["base"]
    locked = [i for i in range(2, whole.njoints) if whole.names[i] not in kept]
    model = pinocchio.buildReducedModel(whole, locked, posture)
    start = np.concatenate([asked["base"], [kept[name] for name in list(model.names)[2:]], np.zeros(model.nv)])
    goal = start.copy()
    start[model.nq : model.nq + 2] = asked["blow"]
    state = crocoddyl.StateMultibody(model)
    nodes = [_stand(state, asked, goal, is_last) for is_last in (False, True)]
    _check_standing(model, nodes[0], start)
    problem = crocoddyl.ShootingProblem(start, [nodes[0]] * asked["knots"], nodes[1])
    xs = [start] * (asked["knots"] + 1)
    solver, seconds = _solved(crocoddyl.SolverFDDP, problem, xs, list(problem.quasiStatic(xs[:-1])), asked["rounds"])
    found = np.array(solver.xs)
    return _answer(solver, seconds, float(solver.cost), 0.0) | {"base": found[:, :7].tolist()}


def _stand(state: Any, asked: dict[str, Any], goal: np.ndarray, is_last: bool) -> Any:
    """Return a stage on all feet: soles keep their poses and a wrench cone, points their places and a friction cone."""
    model, actuation = state.pinocchio, crocoddyl.ActuationModelFloatingBase(state)
    contacts, costs = (kind(state, actuation.nu) for kind in (crocoddyl.ContactModelMultiple, crocoddyl.CostModelSum))
    joints, h = state.nv - 6, asked["h"]
    (place, turn, joint), (speed, spin, rate) = asked["weights"]
    weights = np.array([place] * 3 + [turn] * 3 + [joint] * joints + [speed] * 3 + [spin] * 3 + [rate] * joints)
    residual = crocoddyl.ResidualModelState(state, goal, actuation.nu)
    activation = crocoddyl.ActivationModelWeightedQuad(2 * (h if is_last else 1.0) * weights)
    costs.addCost("goal", crocoddyl.CostModelResidual(state, activation, residual), 1.0)
    control = crocoddyl.ResidualModelControl(state, actuation.nu)
    costs.addCost("effort", crocoddyl.CostModelResidual(state, control), 2 * asked["effort"])
    for k, foot in enumerate(asked["feet"]):
        parent, at = model.frames[model.getFrameId(foot["frame"])], pinocchio.SE3(np.eye(3), np.array(foot["at"]))
        own = pinocchio.Frame(f"foot {k}", parent.parentJoint, parent.placement * at, pinocchio.FrameType.OP_FRAME)
        frame = model.addFrame(own, False) if not model.existFrame(own.name) else model.getFrameId(own.name)
        axes, gains = pinocchio.LOCAL_WORLD_ALIGNED, np.array([0.0, 0.5 / h])
        if foot["size"]:
            data = model.createData()
            pinocchio.framesForwardKinematics(model, data, goal[: model.nq])
            one = crocoddyl.ContactModel6D(state, frame, data.oMf[frame], axes, actuation.nu, gains)
            cone = crocoddyl.WrenchCone(np.eye(3), foot["friction"], np.array(foot["size"]) / 2.0)
            residual = crocoddyl.ResidualModelContactWrenchCone(state, frame, cone, actuation.nu)
        else:
            one = crocoddyl.ContactModel3D(state, frame, np.zeros(3), axes, actuation.nu, gains)
            cone = crocoddyl.FrictionCone(np.eye(3), foot["friction"], 4, False)
            residual = crocoddyl.ResidualModelContactFrictionCone(state, frame, cone, actuation.nu)
        contacts.addContact(own.name, one)
        barrier = crocoddyl.ActivationModelQuadraticBarrier(crocoddyl.ActivationBounds(cone.lb, cone.ub))
        costs.addCost(own.name, crocoddyl.CostModelResidual(state, barrier, residual), 1.0)
    dynamics = crocoddyl.DifferentialActionModelContactFwdDynamics(state, actuation, contacts, costs, 0.0, True)
    return crocoddyl.IntegratedActionModelEuler(dynamics, 0.0 if is_last else h)


def _check_standing(model: Any, stage: Any, x: np.ndarray) -> None:
    """Exit where what moves a robot on its feet is not what Pinocchio's inverse dynamics says of it."""
    own, u = stage.differential, np.linspace(-1.0, 1.0, model.nv - 6)
    data = own.createData()
    own.calc(data, x, u)
    q, v, a = x[: model.nq], x[model.nq :], np.array(data.xout)
    forces = data.multibody.contacts.fext
    found = pinocchio.rnea(model, model.createData(), q, v, a, forces)
    scale = np.abs(pinocchio.rnea(model, model.createData(), q, v, 0 * v)).max() + 1.0
    if not np.abs(found - np.concatenate([np.zeros(6), u])).max() < 1e-8 * scale:
        sys.exit("forces of feet and accelerations do not belong to the efforts")


def _check_dynamics(model: Any, actuation_type: Any) -> None:
    """Exit where Crocoddyl's forward dynamics is not the inverse of Pinocchio's inverse dynamics.

    A Crocoddyl that was built for another Pinocchio reads its models wrongly: gravity is lost, and nothing is said.
    """
    state = crocoddyl.StateMultibody(model)
    actuation = actuation_type(state)
    costs = crocoddyl.CostModelSum(state, actuation.nu)
    free = crocoddyl.DifferentialActionModelFreeFwdDynamics(state, actuation, costs)
    data, u = free.createData(), np.ones(actuation.nu)
    q, v = pinocchio.neutral(model), np.full(model.nv, 0.1)
    free.calc(data, np.concatenate([q, v]), u)
    qdd = np.array(data.xout)
    actuated = pinocchio.rnea(model, model.createData(), q, v, qdd)
    wanted = np.concatenate([np.zeros(model.nv - actuation.nu), u])
    scale = np.abs(pinocchio.rnea(model, model.createData(), q, v, 0 * v)).max() + 1.0
    if not np.abs(actuated - wanted).max() < 1e-8 * scale:
        versions = f"Crocoddyl {crocoddyl.__version__}, Pinocchio {pinocchio.__version__}"
        sys.exit(f"{versions}: forward dynamics is wrong: install the Pinocchio that it was built for")


def _slip(model: Any, feet: list[str], X: np.ndarray) -> float:
    """Return how far feet on the ground move (m): each pair stands while the other one steps."""
    data, places = model.createData(), []
    for x in X:
        pinocchio.framesForwardKinematics(model, data, x[: model.nq])
        places.append([data.oMf[model.getFrameId(f)].translation.copy() for f in feet])
    at = np.array(places)
    first, second = at[:27, [0, 3]], at[29:54, [1, 2]]
    return max(float(np.abs(stand - stand[0]).max()) for stand in (first, second))


def _solved(
    solver_type: Any, problem: Any, xs: list[np.ndarray], us: list[np.ndarray], rounds: int
) -> tuple[Any, float]:
    best, solver = np.inf, None
    problem.nthreads = 1
    for _ in range(rounds):
        solver = solver_type(problem)
        solver.th_stop = STOP
        began = process_time()
        solver.solve([x.copy() for x in xs], [u.copy() for u in us], ITERATIONS, False)
        best = min(best, process_time() - began)
    return solver, best


def _answer(solver: Any, seconds: float, cost: float, violation: float) -> dict[str, Any]:
    status = "converged" if solver.isFeasible and solver.iter < ITERATIONS - 1 else "not solved"
    numbers = {"cost": cost, "violation": float(violation), "iterations": solver.iter + 1, "seconds": seconds}
    return {**numbers, "status": status}


if __name__ == "__main__":
    main()
