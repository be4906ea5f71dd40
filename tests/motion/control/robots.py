"""An arm, and a body on three legs with feet of one point."""

from __future__ import annotations

import numpy as np

import screwgraph as sg
from screwgraph.motion.control import Sole

JOINT = """<joint name="{n}" type="revolute"><parent link="{parent}"/><child link="{n}_link"/><axis xyz="{axis}"/>
  <origin xyz="{at}"/><limit lower="{lower}" upper="{upper}" effort="{effort}" velocity="{speed}"/></joint>
<link name="{n}_link"><inertial><origin xyz="{com}"/><mass value="{mass}"/>
  <inertia ixx="0.01" iyy="0.02" izz="0.015" ixy="0.001" ixz="0" iyz="0"/></inertial></link>"""
RADIUS = 0.02
PLACES = {"front": (0.2, 0.0), "left": (-0.1, 0.15), "right": (-0.1, -0.15)}


def joint(n, parent, axis, at, com, mass, *, lower=-2.0, upper=2.0, effort=60, speed=8):
    return JOINT.format(**locals())


def arm() -> sg.Robot:
    """Return an arm of three joints."""
    return sg.load(arm_text())


def arm_text() -> str:
    """Return the URDF of the arm."""
    chain = [
        joint("turn", "base", "0 0 1", "0 0 0.1", "0 0.02 0.1", 2.0),
        joint("lift", "turn_link", "0 1 0", "0 0 0.2", "0.15 0 0.01", 1.5),
        joint("bend", "lift_link", "0 1 0", "0.3 0 0", "0.12 0.01 0", 1.0),
        '<link name="tip"/><joint name="end" type="fixed"><parent link="bend_link"/><child link="tip"/>'
        '<origin xyz="0.25 0 0"/></joint>',
    ]
    return f'<robot name="arm"><link name="base"/>{"".join(chain)}</robot>'


def tripod() -> sg.Robot:
    """Return a body on three legs of three joints."""
    return sg.load(tripod_text(), base="floating")


def tripod_text() -> str:
    """Return the URDF of the tripod."""
    legs = ""
    for side, (x, y) in PLACES.items():
        legs += joint(f"{side}_hip", "body", "1 0 0", f"{x} {y} 0", "0 0 0", 0.4, lower=-1, upper=1)
        legs += joint(f"{side}_thigh", f"{side}_hip_link", "0 1 0", "0 0 0", "0 0.01 -0.1", 0.6)
        legs += joint(f"{side}_knee", f"{side}_thigh_link", "0 1 0", "0 0 -0.2", "0 0 -0.1", 0.2, lower=-2.6, upper=0)
    return (
        '<robot name="tripod"><link name="body"><inertial><mass value="5"/><inertia ixx="0.05" iyy="0.1" izz="0.12" '
        f'ixy="0.002" ixz="0" iyz="0"/></inertial></link>{legs}</robot>'
    )


def feet(**numbers) -> list[sg.Contact]:
    """Return balls at the ends of the legs."""
    return [sg.Contact(f"{side}_knee_link", RADIUS, at=(0.0, 0.0, -0.2), **numbers) for side in PLACES]


def crouched(robot: sg.Robot) -> np.ndarray:
    """Return a position with bent legs whose feet are on the ground."""
    q = robot.neutral()
    q[7:] = np.tile([0.0, 0.5, -1.0], 3)
    q[2] = RADIUS + 0.4 * np.cos(0.5)
    return q


def biped() -> sg.Robot:
    """Return a body on two legs of six joints with soles, and a mast of one joint."""
    links = joint("mast", "body", "0 1 0", "0 0 0.1", "0 0.01 0.2", 1.0)
    for side, y in (("left", 0.1), ("right", -0.1)):
        links += joint(f"{side}_yaw", "body", "0 0 1", f"0 {y} 0", "0 0 0", 0.5)
        links += joint(f"{side}_roll", f"{side}_yaw_link", "1 0 0", "0 0 0", "0 0 0", 0.5)
        links += joint(f"{side}_hip", f"{side}_roll_link", "0 1 0", "0 0 0", "0 0.01 -0.15", 2.0, effort=90)
        links += joint(f"{side}_knee", f"{side}_hip_link", "0 1 0", "0 0 -0.3", "0 0 -0.15", 1.0, effort=90)
        links += joint(f"{side}_ankle", f"{side}_knee_link", "0 1 0", "0 0 -0.3", "0 0 0", 0.2)
        links += joint(f"{side}_foot", f"{side}_ankle_link", "1 0 0", "0 0 0", "0.02 0 -0.04", 0.3)
    return sg.load(
        '<robot name="biped"><link name="body"><inertial><mass value="8"/><inertia ixx="0.2" iyy="0.15" izz="0.1" '
        f'ixy="0.002" ixz="0" iyz="0"/></inertial></link>{links}</robot>',
        base="floating",
    )


def soles(width=0.08, **numbers) -> list[Sole]:
    """Return the soles of the biped, or their edges."""
    return [Sole(f"{side}_foot_link", 0.16, width, at=(0.02, 0.0, -0.06), **numbers) for side in ("left", "right")]


def bent(robot: sg.Robot) -> np.ndarray:
    """Return a position of the biped with bent legs on flat soles."""
    q = robot.neutral()
    q[7:] = [0.0, *([0.0, 0.0, -0.4, 0.8, -0.4, 0.0] * 2)]
    q[2] = 0.06 + 0.6 * np.cos(0.4)
    return q
