"""MuJoCo as an independent oracle: its model of our robots, loops as equality constraints, and conversions.

MuJoCo's joints stand in the order of its bodies, depth first. Quaternions have w first; a free joint's linear velocity
comes first and is seen in the world's directions.
"""

# pyright: reportAttributeAccessIssue=false
# MuJoCo's compiled module declares no types.

from __future__ import annotations

from functools import cached_property
from xml.sax.saxutils import quoteattr

import mujoco
import numpy as np

from screwgraph.model.robot import Joint, Robot
from screwgraph.model.robot.joints import Floating, Prismatic, Revolute, Spherical, Universal
from screwgraph.spatial import rotation, translation

DIFFERENCES = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
"""Central differences of eighth order."""
STEP = 1e-3


class MujocoOracle:
    """A robot whose loops are ball joints, or revolute joints of planar linkages, as MuJoCo models it."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.model = mujoco.MjModel.from_xml_string(_xml(robot))
        self.data = mujoco.MjData(self.model)

    def forward_dynamics(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Return accelerations from MuJoCo's mass matrix, bias and constraint Jacobian J, by J's null space.

        MuJoCo's own constraints are soft, and leave out dJ/dt qd; here they are hard, and that is taken by differences.
        """
        E = self._map(q)
        v, force = E @ qd, np.linalg.solve(E.T, tau)
        J, rate = self._constraints(q, v), self._rate_of_constraints(q, v)
        M, bias = full_mass_matrix(self.model, self.data), self.data.qfrc_bias - self.data.qfrc_passive
        inverse = np.linalg.pinv(J, rcond=1e-9)
        rank = np.linalg.matrix_rank(J, tol=1e-9 * np.abs(J).max())
        N = np.linalg.svd(J)[2][rank:].T
        start = -inverse @ rate
        a = start + N @ np.linalg.solve(N.T @ M @ N, N.T @ (force - bias - M @ start))
        return np.linalg.solve(E, a - self._rate_of_map(q, qd))

    def equations(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return mass matrices (N, nv, nv) and bias forces (N, nv) of a batch of the tree's states, in our coordinates.

        Rotor inertias are part of the first, damping of the second.
        """
        masses, biases = [], []
        for x, velocity in zip(q, qd, strict=True):
            E = self._map(x)
            self._constraints(x, E @ velocity)
            M = full_mass_matrix(self.model, self.data)
            masses.append(E.T @ M @ E)
            own = self.data.qfrc_bias - self.data.qfrc_passive
            biases.append(E.T @ (M @ self._rate_of_map(x, velocity) + own))
        return np.array(masses), np.array(biases)

    def gap(self, q: np.ndarray) -> float:
        """Return by how much the loops gape (m), as MuJoCo sees it."""
        self._constraints(q, np.zeros(self.robot.nv))
        return float(np.abs(self.data.efc_pos).max())

    def _constraints(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return J at a state, which the data are brought to last."""
        self.data.qpos[:] = self._positions(q)
        return self._jacobian(v)

    def _jacobian(self, v: np.ndarray) -> np.ndarray:
        self.data.qvel[:] = v
        mujoco.mj_forward(self.model, self.data)
        return self.data.efc_J.reshape(-1, self.model.nv).copy()

    def _rate_of_constraints(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        total = 0.0
        for i, weight in enumerate(DIFFERENCES, start=1):
            for sign in (1.0, -1.0):
                moved = self._positions(q)
                mujoco.mj_integratePos(self.model, moved, v, sign * i * STEP)
                self.data.qpos[:] = moved
                total = total + sign * weight / STEP * (self._jacobian(v) @ v)
        self._constraints(q, v)
        return np.asarray(total)

    def _positions(self, q: np.ndarray) -> np.ndarray:
        theirs = to_mujoco(self.robot, q)
        order = [i for name in self._names for i in range(*self.robot.q_slices[name].indices(self.robot.nq))]
        return theirs[order]

    def _map(self, q: np.ndarray) -> np.ndarray:
        """Return E(q) with rows in MuJoCo's order."""
        return velocity_map(self.robot, q)[self._order]

    @cached_property
    def _order(self) -> list[int]:
        return [i for name in self._names for i in range(*self.robot.v_slices[name].indices(self.robot.nv))]

    @cached_property
    def _names(self) -> list[str]:
        """Return our joints in MuJoCo's order."""
        names = [self.model.joint(i).name.removesuffix("/1").removesuffix("/2") for i in range(self.model.njnt)]
        return list(dict.fromkeys(names))

    def _rate_of_map(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return dE/dt qd: a free joint's linear acceleration is that of a point."""
        result = np.zeros(self.robot.nv)
        for joint in self.robot.joints:
            if isinstance(joint.type, Floating):
                at = self.robot.v_slices[joint.name]
                R = rotation(_pose_of_free(joint, q[self.robot.q_slices[joint.name]]))
                w, v = np.split(qd[at], 2)
                result[at][:3] = R @ np.cross(w, v)
        return result[self._order]


def to_mujoco(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Return positions with w first in quaternions, of a free joint in the world, in our order of joints."""
    theirs = np.array(q)
    for joint in robot.joints:
        at = robot.q_slices[joint.name]
        if isinstance(joint.type, Floating):
            theirs[at.start : at.start + 3] = translation(_pose_of_free(joint, q[at]))
            mujoco.mju_mat2Quat(theirs[at.start + 3 : at.stop], rotation(_pose_of_free(joint, q[at])).ravel())
        elif joint.type.nq > joint.type.nv:
            theirs[at] = np.roll(q[at], 1)
    return theirs


def velocity_map(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Return E(q): MuJoCo's velocities are E qd, in our order of joints."""
    E = np.eye(robot.nv)
    for joint in robot.joints:
        if isinstance(joint.type, Floating):
            R = rotation(_pose_of_free(joint, q[robot.q_slices[joint.name]]))
            at = robot.v_slices[joint.name]
            E[at, at] = np.block([[np.zeros((3, 3)), R], [np.eye(3), np.zeros((3, 3))]])
    return E


def _pose_of_free(joint: Joint, q: np.ndarray) -> np.ndarray:
    return joint.origin @ joint.type.transform(q)


def full_mass_matrix(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """Return MuJoCo's mass matrix at the state that the data hold."""
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    return M


def _xml(robot: Robot) -> str:
    gravity = _text(robot.gravity)
    connect = [f'<connect site1="{loop.name}/p" site2="{loop.name}/s"/>' for loop in robot.loops]
    return f"""<mujoco><compiler angle="radian" boundmass="0"/>
<option gravity="{gravity}" jacobian="dense"><flag contact="disable"/></option>
<worldbody>{_sites(robot, robot.links[0].name)}{_bodies(robot, robot.links[0].name)}</worldbody>
<equality>{"".join(connect)}</equality></mujoco>"""


def _bodies(robot: Robot, parent: str) -> str:
    return "".join(_body(robot, joint) for joint in robot.children(parent))


def _body(robot: Robot, joint: Joint) -> str:
    at_rest = joint.origin @ joint.type.transform(joint.type.manifold.identity())
    inner = _inertia(robot, joint.child) + _sites(robot, joint.child) + _bodies(robot, joint.child)
    return f"<body {_pose(at_rest)}>{_joints(joint)}{inner}</body>"


def _joints(joint: Joint) -> str:
    common = f'damping="{joint.damping!r}" armature="{joint.armature!r}"'
    name = quoteattr(joint.name)
    match joint.type:
        case Revolute(axis=axis):
            return f'<joint name={name} axis="{_text(axis)}" {common}/>'
        case Prismatic(axis=axis):
            return f'<joint name={name} type="slide" axis="{_text(axis)}" {common}/>'
        case Spherical():
            return f'<joint name={name} type="ball" {common}/>'
        case Floating():
            return f"<freejoint name={name}/>"
        case Universal(axis=first, axis2=second):
            axes = enumerate((first, second), start=1)
            return "".join(f'<joint name="{joint.name}/{i}" axis="{_text(axis)}" {common}/>' for i, axis in axes)
    raise TypeError(f"the oracle does not know joint type {type(joint.type).__name__}; teach it")


def _inertia(robot: Robot, link: str) -> str:
    """Return a link's inertia; a flat link that turns about z only has any moments about x and y."""
    inertia = robot.link(link).inertia
    about = inertia.about_com
    if not about[:2, :2].any():
        about = about[2, 2] * np.eye(3)
    full = _text([*np.diag(about), about[0, 1], about[0, 2], about[1, 2]])
    return f'<inertial mass="{inertia.mass!r}" pos="{_text(inertia.com)}" fullinertia="{full}"/>'


def _sites(robot: Robot, link: str) -> str:
    ends = [(f"{p.name}/p", p.T_pf) for p in robot.loops if p.predecessor == link]
    ends += [(f"{s.name}/s", s.T_sf) for s in robot.loops if s.successor == link]
    return "".join(f'<site name="{name}" {_pose(T)}/>' for name, T in ends)


def _pose(T: np.ndarray) -> str:
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, rotation(T).ravel())
    return f'pos="{_text(translation(T))}" quat="{_text(quaternion)}"'


def _text(numbers) -> str:
    return " ".join(repr(float(x)) for x in numbers)
