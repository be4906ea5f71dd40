"""What plans with contacts are checked with: Pinocchio, and geometry by hand; nothing of it comes from the planner."""

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from scipy.optimize import linprog
from scipy.spatial.transform import Rotation

from tests.oracle import oracle


@dataclass(frozen=True, eq=False)
class Body:
    """Pinocchio's model of a robot, asked about frames."""

    robot: object

    def __post_init__(self):
        object.__setattr__(self, "peer", oracle(self.robot))

    def pose(self, q, frame):
        """Pose (4, 4) of a frame in the base."""
        return self.peer.pose(q, frame)

    def velocity(self, q, qd, frame, point, step=1e-6):
        """Velocity in the base of a point fixed to a frame, by central differences along the motion."""
        ahead, behind = (self.pose(moved(self.robot, q, s * np.asarray(qd)), frame) for s in (step, -step))
        x = np.append(point, 1.0)
        return ((ahead - behind) @ x)[:3] / (2.0 * step)

    def residual(self, q, qd, qdd, tau, forces):
        """What is missing in the equations of motion; forces are (frame, point in the frame, force in the base)."""
        wrenches = {}
        for frame, point, force in forces:
            link, T = self.robot.frame(frame).link, self.robot.frame(frame).T_lf
            f = self.pose(q, link)[:3, :3].T @ force
            moment, sum_of_forces = wrenches.get(link, (np.zeros(3), np.zeros(3)))
            wrenches[link] = (moment + np.cross(T[:3, :3] @ point + T[:3, 3], f), sum_of_forces + f)
        return self.peer.inverse_dynamics(q, qd, qdd, wrenches) - tau


def moved(robot, q, d):
    """Move along a velocity of a floating base and joints for a unit of time, by SciPy's rotations."""
    turn = Rotation.from_quat(q[3:7])
    M = pin.exp6(np.concatenate([d[3:6], d[:3]]))
    found = np.array(q, dtype=float)
    found[:3] = q[:3] + turn.as_matrix() @ M.translation
    found[3:7] = (turn * Rotation.from_matrix(M.rotation)).as_quat()
    found[7:] = q[7:] + d[6:]
    return found


def is_passed_on(wrench, length, width, friction):
    """Whether forces at a sole's four corners, within pyramids whose edges lie on the friction cone, make a wrench."""
    mu = friction / np.sqrt(2.0)
    cone = np.array([[1, 0, -mu], [-1, 0, -mu], [0, 1, -mu], [0, -1, -mu]])
    A = np.zeros((6, 12))
    for i, (x, y) in enumerate(((1, 1), (1, -1), (-1, -1), (-1, 1))):
        corner = np.array([x * length / 2, y * width / 2, 0.0])
        for k, axis in enumerate(np.eye(3)):
            A[:, 3 * i + k] = [*np.cross(corner, axis), *axis]
    cones = np.kron(np.eye(4), cone)
    found = linprog(np.zeros(12), A_ub=cones, b_ub=np.zeros(16), A_eq=A, b_eq=wrench, bounds=(None, None))
    return found.status == 0
