"""The constraints of loops and couplings: residuals at a position, and the rows of K, with K(q) qd = 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.robot.coupling import Coupling
from screwgraph.robot.kinematics import Poses, carried_by, joint_screws, link_poses
from screwgraph.robot.parts import Loop
from screwgraph.robot.robot import Robot
from screwgraph.spatial import Ad, inverse, rotation, translation


@dataclass(frozen=True)
class Row:
    """One scalar constraint: its loop or coupling, and which motion it takes away ("rotation x", "equation")."""

    of: str
    component: str

    def __str__(self) -> str:
        return f"{self.of}: {self.component}"


def constraint_rows(robot: Robot) -> tuple[Row, ...]:
    """Return the names of the rows of `constraint_residual` and `constraint_jacobian`: loops first, as listed."""
    rows = [Row(loop.name, component) for loop in robot.loops for component in _components(loop)]
    return (*rows, *(Row(coupling.name, "equation") for coupling in robot.couplings))


def constraint_residual(robot: Robot, q: Float[np.ndarray, " nq"]) -> Float[np.ndarray, " rows"]:
    """Return by how much loops gape (rad, m) and couplings are off, row by row; zero where all are closed."""
    poses = link_poses(robot, q)
    parts = [_gap(loop, _relative_pose(loop, poses))[1] for loop in robot.loops]
    with np.errstate(all="ignore"):  # an equation may divide by a position that vanishes; its residual is then infinite
        parts += [np.array([coupling(_positions(robot, coupling, q))], dtype=float) for coupling in robot.couplings]
    return np.concatenate([np.zeros(0), *parts])


def constraint_jacobian(robot: Robot, q: Float[np.ndarray, " nq"]) -> Float[np.ndarray, "rows nv"]:
    """Return K: with loops closed, the velocities that they allow obey K qd = 0.

    A loop's rows are W' V, with V the twist of its successor relative to its predecessor in the successor's loop
    frame, and W the wrenches that its type transmits. Where loops gape, K is the residual's derivative only nearly.
    """
    poses = link_poses(robot, q)
    screws = joint_screws(robot, q, poses)
    blocks = [np.zeros((0, robot.nv)), *(_loop_rows(robot, loop, poses, screws) for loop in robot.loops)]
    for coupling in robot.couplings:
        row = np.zeros((1, robot.nv))
        for joint, slope in zip(coupling.joints, coupling.gradient(_positions(robot, coupling, q)), strict=True):
            row[0, robot.v_slices[joint]] = slope
        blocks.append(row)
    return np.concatenate(blocks)


def loop_gap(loop: Loop, poses: Poses) -> Float[np.ndarray, " rows"]:
    """Return by how much one loop gapes (rad, m): zero where its frames lie as its type lets them."""
    return _gap(loop, _relative_pose(loop, poses))[1]


def _loop_rows(
    robot: Robot, loop: Loop, poses: Poses, screws: Float[np.ndarray, "6 nv"]
) -> Float[np.ndarray, "rows nv"]:
    T = _relative_pose(loop, poses)
    W = _gap(loop, T)[0]
    relative = carried_by(robot, loop.successor) - carried_by(robot, loop.predecessor)
    to_loop_frame = Ad(inverse(poses[loop.successor] @ loop.T_sf))
    return W.T @ to_loop_frame @ (screws * relative)


def _relative_pose(loop: Loop, poses: Poses) -> Float[np.ndarray, "4 4"]:
    """Return the successor's loop frame in the predecessor's."""
    return inverse(poses[loop.predecessor] @ loop.T_pf) @ poses[loop.successor] @ loop.T_sf


def _gap(loop: Loop, T: Float[np.ndarray, "4 4"]) -> tuple[Float[np.ndarray, "6 rows"], Float[np.ndarray, " rows"]]:
    """Return the loop joint's wrenches, and the components along them of what it takes from its nearest pose to T."""
    x = loop.type.nearest(T)
    W = np.asarray(loop.type.constraint_wrenches(x), dtype=float)
    error = inverse(loop.type.transform(x)) @ T
    return W, W.T @ np.concatenate([_rotation_vector(rotation(error)), translation(error)])


def _rotation_vector(R: Float[np.ndarray, "3 3"]) -> Float[np.ndarray, "3"]:
    """Return the axis of a rotation times its angle, which grows with the turn all the way to 180 degrees."""
    sine = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2.0
    s, c = float(np.linalg.norm(sine)), (float(np.trace(R)) - 1.0) / 2.0
    if c < 0.0 and s < 1e-6:  # half a turn: the axis is the eigenvector of eigenvalue 1
        from scipy.spatial.transform import Rotation

        return Rotation.from_matrix(R).as_rotvec()
    return sine * (np.arctan2(s, c) / s) if s > 1e-12 else sine


def _positions(robot: Robot, coupling: Coupling, q: Float[np.ndarray, " nq"]) -> Float[np.ndarray, " n"]:
    """Return the positions that a coupling ties; a joint that is welded stands at zero."""
    return np.array([sum(q[robot.q_slices[joint]]) for joint in coupling.joints], dtype=float)


def _components(loop: Loop) -> list[str]:
    """Name the columns of W: after a coordinate axis where they lie along one, else by number."""
    names = []
    for number, column in enumerate(
        np.asarray(loop.type.constraint_wrenches(loop.type.manifold.identity())).T, start=1
    ):
        kind = "rotation" if column[:3].any() else "translation"
        part = column[:3] if column[:3].any() else column[3:]
        along = np.flatnonzero(np.abs(part) > 1e-9)
        single = len(along) == 1 and not (column[:3].any() and column[3:].any())
        names.append(f"{kind} {'xyz'[along[0]] if single else number}")
    return names
