"""Pinocchio's constrained dynamics on the loops of our robots: its own rigid constraints and proximal solver."""

# pyright: reportAttributeAccessIssue=false
# Pinocchio's compiled module declares no types.

from __future__ import annotations

import numpy as np
import pinocchio as pin

from screwgraph.model.robot import Robot, without_loops
from tests.oracle import oracle, to_pin_a, to_pin_q, to_pin_v


class ConstrainedOracle:
    """A robot whose loops are ball joints, or revolute joints of planar linkages: each holds a point (CONTACT_3D)."""

    def __init__(self, robot: Robot) -> None:
        self.tree = oracle(without_loops(robot))
        model = self.tree.model
        self.robot, self.constraints = robot, pin.StdVec_RigidConstraintModel()
        for loop in robot.loops:
            ends = ((loop.predecessor, loop.T_pf), (loop.successor, loop.T_sf))
            frames = [(model.frames[model.getBodyId(link)], T) for link, T in ends]
            placed = [argument for frame, T in frames for argument in (frame.parentJoint, frame.placement * pin.SE3(T))]
            self.constraints.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *placed))
        self.datas = pin.StdVec_RigidConstraintData()
        self.datas.extend([constraint.createData() for constraint in self.constraints])
        pin.initConstraintDynamics(model, self.tree.data, self.constraints, self.datas)

    def forward_dynamics(
        self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, mu: float = 1e-10, iterations: int = 30
    ) -> np.ndarray:
        """Return accelerations by `constraintDynamics`, regularised by mu and iterated until that plays no part."""
        robot, model = self.robot, self.tree.model
        damping = np.concatenate([np.full(j.type.nv, j.damping) for j in robot.joints])
        E = to_pin_v(robot, q, np.eye(robot.nv))
        a = pin.constraintDynamics(
            model,
            self.tree.data,
            to_pin_q(robot, q),
            E @ qd,
            np.linalg.solve(E.T, tau - damping * qd),
            self.constraints,
            self.datas,
            pin.ProximalSettings(1e-15, mu, iterations),
        )
        return np.linalg.solve(E, a - to_pin_a(robot, q, qd, np.zeros(robot.nv)))
