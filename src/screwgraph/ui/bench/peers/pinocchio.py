"""Pinocchio, called from Python through the wheel `pin`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.model.robot import Robot
from screwgraph.ui.bench.measure import Budget, measure_nanoseconds
from screwgraph.ui.bench.peers.base import CHECKED, Case, NotMeasuredError, PeerResult, import_peer
from screwgraph.ui.bench.robot_tree import Body, Tree, make_depth_first_tree

Answer = Callable[..., Any]


@dataclass(frozen=True)
class PinocchioFromPython:
    """Its algorithms with data allocated beforehand; viscous damping, which it does not know, must be zero."""

    name: str = "pin"

    def version(self) -> str:
        """Return name and version."""
        return f"pin {_pin().__version__}"

    def measure(self, case: Case, effort: Budget) -> PeerResult:
        """Time one call; answer at the first states."""
        pin = _pin()
        _refuse_damping(case.robot)
        bodies = make_depth_first_tree(case.robot)
        model = pinocchio_model(pin, case.robot, bodies)
        data = model.createData()
        algorithm, arguments, way = _algorithm(pin, case.question.name)
        states = peer_states(bodies, case)[:arguments]
        answers = np.array(
            [_stack_matrices(algorithm(model, data, *(x[i] for x in states))) for i in range(len(states[0]))]
        )
        time = measure_nanoseconds(effort, algorithm, model, data, *(x[0] for x in states))
        return PeerResult(time, bodies.back(answers), way)


def _pin() -> Any:
    return import_peer("pinocchio", "pin")


def _refuse_damping(robot: Robot) -> None:
    if any(joint.damping for joint in robot.joints):
        raise NotMeasuredError("Pinocchio has no viscous damping (load the robot with damping=False)")


def peer_states(bodies: Tree, case: Case) -> list[np.ndarray]:
    """Return the first states' q, v, and accelerations or torques, in Pinocchio's order."""
    states = case.states.first(CHECKED)
    turned = [states.q[:, bodies.q_places], states.qd[:, bodies.v_places], states.given[:, bodies.v_places]]
    return [np.ascontiguousarray(x) for x in turned]


def _algorithm(pin: Any, question: str) -> tuple[Answer, int, str]:
    """Return the function, how many of q, v and the third vector it takes, and its name."""
    algorithms: dict[str, tuple[Answer, int, str]] = {
        "inverse": (pin.rnea, 3, "rnea"),
        "forward": (pin.aba, 3, "aba"),
        "mass_matrix": (pin.crba, 1, "crba"),
        "inverse_mass_matrix": (pin.computeMinverse, 1, "minverse"),
        "inverse_derivatives": (pin.computeRNEADerivatives, 3, "rnea-derivatives"),
        "forward_derivatives": (pin.computeABADerivatives, 3, "aba-derivatives"),
    }
    if question not in algorithms:
        raise NotMeasuredError(f"Pinocchio has no algorithm for {question}")
    return algorithms[question]


def _stack_matrices(answer: Any) -> np.ndarray:
    """Return matrices side by side, symmetric ones from their upper triangle; vectors as they are."""
    if isinstance(answer, tuple):
        return np.hstack([*answer[:-1], _symmetric(answer[-1])])
    return _symmetric(answer) if np.ndim(answer) == 2 else np.array(answer)


def _symmetric(M: np.ndarray) -> np.ndarray:
    return np.triu(M) + np.triu(M, 1).T


def pinocchio_model(pin: Any, robot: Robot, bodies: Tree) -> Any:
    """Build Pinocchio's model of the same bodies."""
    model = pin.Model()
    model.gravity.linear = np.array(robot.gravity)
    armature: list[float] = []
    for body in bodies.bodies:
        number = model.addJoint(body.parent + 1, _joint(pin, body), pin.SE3(body.joint.origin), body.joint.name)
        model.appendBodyToJoint(number, _inertia(pin, body), pin.SE3.Identity())
        armature += [body.joint.armature] * body.joint.type.nv
    model.armature = np.array(armature)
    return model


def _inertia(pin: Any, body: Body) -> Any:
    """Put an inertia in; the constructor would refuse some that files have."""
    inertia = pin.Inertia.Zero()
    inertia.mass, inertia.lever, inertia.inertia = body.inertia.mass, body.inertia.com, body.inertia.about_com
    return inertia


def _joint(pin: Any, body: Body) -> Any:
    """Joints about coordinate axes have types of their own, which are faster."""
    if body.kind == "floating":
        return pin.JointModelFreeFlyer()
    short = {"revolute": "R", "prismatic": "P"}[body.kind]
    for name, axis in zip("XYZ", np.eye(3), strict=True):
        if np.array_equal(body.axis, axis):
            return getattr(pin, f"JointModel{short}{name}")()
    return getattr(pin, f"JointModel{body.kind.capitalize()}Unaligned")(np.array(body.axis))
