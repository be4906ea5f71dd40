"""Pinocchio's kinematics, called from Python through the wheel `pin`, in our conventions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import screwgraph as sg
from screwgraph.ui.bench import Budget, PeerResult, Tree, make_depth_first_tree, measure_nanoseconds
from screwgraph.ui.bench.benchmark_query import States
from screwgraph.ui.bench.peers.base import CHECKED, import_peer
from screwgraph.ui.bench.peers.pinocchio import pinocchio_model


@dataclass(frozen=True, eq=False)
class Way:
    """How Pinocchio answers a query: `call` of model, data, frame and vectors; `read` turns its answer to ours.

    `takes` is how many of q, v, a it takes. What `call` returns is not copied: that is left to `read`.
    """

    takes: int
    call: Callable[..., Any]
    read: Callable[[Any, Tree], np.ndarray]


def measured(robot: sg.Robot, query: str, states: States, effort: Budget) -> PeerResult:
    """Return the time of a query, and answers at the first states. Raises NotMeasuredError."""
    pin: Any = import_peer("pinocchio", "pin")
    bodies, way = make_depth_first_tree(robot), _ways(pin)[query]
    model = pinocchio_model(pin, robot, bodies)
    frame = model.addFrame(pin.Frame("tip", len(model.joints) - 1, pin.SE3.Identity(), pin.OP_FRAME))
    data, first = model.createData(), states.first(CHECKED)
    vectors = (first.q[:, bodies.q_places], first.qd[:, bodies.v_places], first.given[:, bodies.v_places])
    arrays = [np.ascontiguousarray(x) for x in vectors[: way.takes]]
    answers = [way.read(way.call(model, data, frame, *(x[i] for x in arrays)), bodies) for i in range(len(first.q))]
    time = measure_nanoseconds(effort, way.call, model, data, frame, *(x[0] for x in arrays))
    return PeerResult(time, np.array(answers), query)


def tip(robot: sg.Robot) -> str:
    """Return the link that Pinocchio's last joint moves: the frame that is asked for."""
    return make_depth_first_tree(robot).bodies[-1].joint.child


def _ways(pin: Any) -> Mapping[str, Way]:
    def pose(model: Any, data: Any, frame: int, q: Any) -> Any:
        pin.forwardKinematics(model, data, q)
        return pin.updateFramePlacement(model, data, frame)

    def velocity(model: Any, data: Any, frame: int, q: Any, v: Any) -> Any:
        pin.forwardKinematics(model, data, q, v)
        return pin.getFrameVelocity(model, data, frame, pin.LOCAL)

    def acceleration(model: Any, data: Any, frame: int, q: Any, v: Any, a: Any) -> Any:
        pin.forwardKinematics(model, data, q, v, a)
        return pin.getFrameAcceleration(model, data, frame, pin.LOCAL)

    def vector(x: Any, bodies: Tree) -> np.ndarray:
        return np.array(x)

    def motion(x: Any, bodies: Tree) -> np.ndarray:
        return np.concatenate([x.angular, x.linear])

    def columns(x: Any, bodies: Tree) -> np.ndarray:
        rows = np.array(x)[np.r_[3:6, 0:3]] if len(x) == 6 else np.array(x)
        return rows[:, np.argsort(bodies.v_places)]

    def square(x: Any, bodies: Tree) -> np.ndarray:
        back = np.argsort(bodies.v_places)
        return np.array(x)[back][:, back]

    return {
        "forward_kinematics": Way(1, pose, lambda x, bodies: np.array(x.homogeneous)),
        "frame_velocity": Way(2, velocity, motion),
        "frame_acceleration": Way(3, acceleration, motion),
        "frame_jacobian": Way(
            1, lambda m, d, frame, q: pin.computeFrameJacobian(m, d, q, frame, pin.LOCAL_WORLD_ALIGNED), columns
        ),
        "center_of_mass": Way(1, lambda m, d, frame, q: pin.centerOfMass(m, d, q, False), vector),
        "center_of_mass_jacobian": Way(1, lambda m, d, frame, q: pin.jacobianCenterOfMass(m, d, q, False), columns),
        "center_of_mass_acceleration": Way(3, _acceleration_of_mass(pin), vector),
        "centroidal_momentum": Way(2, lambda m, d, frame, q, v: pin.computeCentroidalMomentum(m, d, q, v), motion),
        "centroidal_momentum_matrix": Way(1, lambda m, d, frame, q: pin.computeCentroidalMap(m, d, q), columns),
        "coriolis_matrix": Way(2, lambda m, d, frame, q, v: pin.computeCoriolisMatrix(m, d, q, v), square),
        "kinetic_energy": Way(2, lambda m, d, frame, q, v: pin.computeKineticEnergy(m, d, q, v), vector),
        "potential_energy": Way(1, lambda m, d, frame, q: pin.computePotentialEnergy(m, d, q), vector),
    }


def _acceleration_of_mass(pin: Any) -> Callable[..., Any]:
    def acceleration(model: Any, data: Any, frame: int, q: Any, v: Any, a: Any) -> Any:
        pin.centerOfMass(model, data, q, v, a, False)
        return data.acom[0]

    return acceleration
