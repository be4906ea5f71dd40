"""Free bodies and legged robots on the ground, and laws of contacts as NumPy sees them."""

from __future__ import annotations

import numpy as np

import screwgraph as sg
from screwgraph.spatial import quaternions
from screwgraph.spatial.manifolds.gliding import glide

LEG = """<link name="{n}_thigh"><inertial><origin xyz="0 0 -0.1"/><mass value="0.6"/>
  <inertia ixx="0.003" iyy="0.003" izz="0.0006" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="{n}_calf"><inertial><origin xyz="0 0 -0.1"/><mass value="0.2"/>
  <inertia ixx="0.001" iyy="0.001" izz="0.0002" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="{n}_hip" type="revolute"><parent link="body"/><child link="{n}_thigh"/><axis xyz="0 1 0"/>
  <origin xyz="{x} {y} 0"/><limit lower="-1.5" upper="1.5" effort="20" velocity="20"/></joint>
<joint name="{n}_knee" type="revolute"><parent link="{n}_thigh"/><child link="{n}_calf"/><axis xyz="0 1 0"/>
  <origin xyz="0 0 -0.2"/><limit lower="-2.5" upper="-0.2" effort="20" velocity="20"/>
  <dynamics friction="{friction}"/></joint>"""
PLACES = {"a": (0.2, 0.1), "b": (0.2, -0.1), "c": (-0.2, 0.1), "d": (-0.2, -0.1)}


def free_body(mass: float, inertia: float) -> sg.Robot:
    """Return a body with equal moments of inertia (kg m^2)."""
    return sg.load(
        f'<robot name="body"><link name="body"><inertial><mass value="{mass}"/><inertia ixx="{inertia}" '
        f'iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>',
        base="floating",
    )


def free_brick(mass: float, size: tuple[float, float, float]) -> sg.Robot:
    """Return a box of uniform density (kg, m)."""
    x, y, z = size
    moments = [mass * s / 12.0 for s in (y * y + z * z, x * x + z * z, x * x + y * y)]
    return sg.load(
        f'<robot name="brick"><link name="body"><inertial><mass value="{mass}"/><inertia ixx="{moments[0]}" '
        f'iyy="{moments[1]}" izz="{moments[2]}" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>',
        base="floating",
    )


def box(friction: float, stiffness: float = np.inf) -> tuple[sg.Robot, list[sg.Contact]]:
    """Return a cube of 0.1 m and 1 kg, and its lower corners."""
    corners = [(x, y, -0.05) for x in (-0.05, 0.05) for y in (-0.05, 0.05)]
    contacts = [sg.Contact("body", friction=friction, stiffness=stiffness, at=corner) for corner in corners]
    return free_body(1.0, 0.01 / 6.0), contacts


def quadruped(friction: float = 0.0, names: str = "abcd") -> sg.Robot:
    """Return a body on four legs of two links, or on some of them, joints of which may rub (N m)."""
    legs = "".join(LEG.format(n=n, x=PLACES[n][0], y=PLACES[n][1], friction=friction) for n in names)
    return sg.load(
        '<robot name="quadruped"><link name="body"><inertial><mass value="5"/><inertia ixx="0.05" iyy="0.1" izz="0.12" '
        f'ixy="0.002" ixz="0" iyz="0"/></inertial></link>{legs}</robot>',
        base="floating",
    )


def feet(names: str = "abcd", **numbers) -> list[sg.Contact]:
    """Return contacts of the ends of calves."""
    return [sg.Contact(f"{n}_calf", 0.02, at=(0.0, 0.0, -0.2), **numbers) for n in names]


def standing(robot: sg.Robot, height: float = 0.36) -> np.ndarray:
    """Return a position with bent legs."""
    q = robot.neutral()
    q[2], q[7:] = height, np.tile([0.6, -1.2], (robot.nv - 6) // 2)
    return q


def start_axes(before: np.ndarray, after: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Return a floating robot's velocity after a step in the axes that its base had before it."""
    R, R_after = (quaternions.to_rotation(q[3:7]) for q in (before, after))
    return np.concatenate([qd[:3], R.T @ R_after @ qd[3:6], qd[6:]])


class PointJacobians:
    """Jacobians (k, 3, nv) of the lowest points of contacts, in the axes of the base of the file."""

    def __init__(self, robot: sg.Robot, contacts) -> None:
        self.contacts = contacts
        self.jacobians = [sg.frame_jacobian(robot, c.frame, reference="local_world_aligned") for c in contacts]
        self.poses = [sg.forward_kinematics(robot, c.frame) for c in contacts]

    def __call__(self, q: np.ndarray) -> np.ndarray:
        found = []
        for contact, jacobian, pose in zip(self.contacts, self.jacobians, self.poses, strict=True):
            J, T = np.asarray(jacobian(q)), np.asarray(pose(q))
            arm = T[:3, :3] @ np.array(contact.at) - [0.0, 0.0, contact.radius]
            found.append(J[3:] + np.cross(J[:3].T, arm).T)
        return np.array(found)


def slip_rates(robot: sg.Robot, jacobians: PointJacobians, q: np.ndarray, qd: np.ndarray, step=1e-3) -> np.ndarray:
    """Return rates (k, 3) of velocities of lowest points while qd stays, by differences of order 4 along the motion."""

    def velocity(time: float) -> np.ndarray:
        there, moved = glide(robot.manifold, q, time * qd)
        return jacobians(np.asarray(there)) @ (np.asarray(moved) / time)

    near, far = (velocity(s) - velocity(-s) for s in (step, 2.0 * step))
    return (8.0 * near - far) / (12.0 * step)
