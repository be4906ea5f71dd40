"""Motions with contacts whose exact values are known, with what was found beside what is asked, as a table."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import screwgraph as sg
from screwgraph.model.robot import Box, world
from tests.motion.simulation.contacts.bodies import box, free_body
from tests.motion.simulation.contacts.geometry.test_other_bodies import gripper
from tests.motion.simulation.contacts.test_known_motions import on_slope
from tests.suites import record

DT, G = 1e-3, 9.81
FREE = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]


def creep_on_a_slope() -> float:
    simulator = on_slope(0.4, 0.5, 1e6)
    simulator.step(steps=2000)
    return float(np.abs(simulator.qd).max())


def acceleration_on_a_slope() -> float:
    simulator = on_slope(0.6, 0.5, 1e6)
    simulator.step(steps=1000)
    angle = np.arctan(0.6)
    return float(abs(np.linalg.norm(simulator.qd[3:]) - G * (np.sin(angle) - 0.5 * np.cos(angle))))


def ball(q0: list[float], qd0: list[float], **numbers: Any) -> sg.Simulator:
    return sg.Simulator(free_body(1.0, 0.004), DT, q0, qd0, contacts=[sg.Contact("body", 0.1, **numbers)])


def velocity_of_rolling() -> float:
    simulator = ball([0, 0, 0.1, 0, 0, 0, 1], [0, 0, 0, 1, 0, 0], friction=0.3)
    simulator.step(steps=500)
    R = sg.forward_kinematics(simulator.model, "body")(simulator.q)[:3, :3]
    return float(np.abs(R @ simulator.qd[3:] - [5 / 7, 0, 0]).max())


def way_of_a_kicked_box() -> float:
    worst, (robot, contacts) = 0.0, box(0.5)
    for angle in np.radians([0, 17, 30, 45]):
        along = np.array([np.cos(angle), np.sin(angle), 0.0])
        start = [0, 0, 0.05, 0, 0, 0, 1], np.concatenate([np.zeros(3), 2.0 * along])
        simulator = sg.Simulator(robot, DT, *start, contacts=contacts)
        simulator.step(steps=500)
        exact = (4.0 / (2 * 0.5 * G) - DT) * along  # the last step's sum of v, beside the integral
        worst = max(worst, float(np.abs(simulator.q[:2] - exact[:2]).max()))
    return worst


def top_of_a_bounce(restitution: float) -> float:
    simulator = ball([0, 0, 0.6, 0, 0, 0, 1], [0.0] * 6, restitution=restitution)
    while simulator.forces[0, 2] == 0.0:
        simulator.step()
    simulator.step()
    rise = simulator.qd[5] + 0.5 * G * DT  # at the start of the step, whose middle has qd
    top = simulator.q[2] - 0.1 - DT * simulator.qd[5] + rise**2 / (2.0 * G)
    return float(abs(top / ((0.5 + G * DT**2 / 8.0) * restitution**2) - 1.0))


def weights_in_a_stack(count: int = 5) -> float:
    robot = world({f"b{i}": free_body(1.0, 0.01 / 6) for i in range(count)})
    corners = [(x, y, -0.05) for x in (-0.05, 0.05) for y in (-0.05, 0.05)]
    below = [None, *(sg.OtherBody(f"b{i}/body", Box((0.1, 0.1, 0.1))) for i in range(count - 1))]
    contacts = [sg.Contact(f"b{i}/body", friction=0.5, at=c, against=below[i]) for i in range(count) for c in corners]
    q0 = np.tile(FREE, count)
    q0[2::7] = 0.05 + 0.1 * np.arange(count)
    simulator = sg.Simulator(robot, DT, q0, contacts=contacts)
    simulator.step(steps=1000)
    carried = simulator.forces[:, 2].reshape(count, 4).sum(axis=1)
    return float(np.abs(carried - G * np.arange(count, 0, -1)).max())


def creep_in_a_gripper() -> float:
    robot = world({"hand": gripper(), "box": free_body(0.1, 0.1 * 0.05**2 / 6)})
    block = sg.OtherBody("box/body", Box((0.05, 0.05, 0.05)))
    pads = [(0.01, y, z) for y in (-0.01, 0.01) for z in (-0.01, 0.01)]
    contacts = [
        sg.Contact(f"hand/{side}", at=(sign * x, y, z), friction=0.5, against=block)
        for side, sign in (("left", 1.0), ("right", -1.0))
        for x, y, z in pads
    ]
    tau = np.zeros(robot.nv)
    tau[[robot.v_slices[f"hand/{side}_slide"].start for side in ("left", "right")]] = 5.0, -5.0
    simulator = sg.Simulator(robot, DT, contacts=contacts)
    simulator.step(tau, steps=1000)
    return float(np.abs(simulator.qd).max())


def flight_of_a_spinning_ball() -> float:
    simulator = ball([0, 0, 100, 0, 0, 0, 1], [0, 20, 0, 1, 0, 0])
    simulator.step(steps=1000)
    R = sg.forward_kinematics(simulator.model, "body")(simulator.q)[:3, :3]
    return float(np.abs(R @ simulator.qd[3:] - [1.0, 0.0, -G]).max())


def velocity_of_a_ball_that_spins() -> float:
    simulator = ball([0, 0, 0.1, 0, 0, 0, 1], [0, 10, 0, 0, 0, 0], friction=0.3)
    simulator.step(steps=500)
    R = sg.forward_kinematics(simulator.model, "body")(simulator.q)[:3, :3]
    return float(np.abs(R @ simulator.qd[3:] - [2 / 7, 0, 0]).max())


def forces_of_a_table(copies: int) -> float:
    places = copies * [(x, y, -0.4) for x in (-0.3, 0.3) for y in (-0.2, 0.2)]
    contacts = [sg.Contact("body", at=at) for at in places]
    simulator = sg.Simulator(free_body(8.0, 0.4), DT, [0, 0, 0.4, 0, 0, 0, 1], contacts=contacts)
    simulator.step(steps=1000)
    return float(np.abs(simulator.forces - [0.0, 0.0, 8.0 * G / len(places)]).max())


LINKS, LENGTH, LYING = 50, 0.02, 8
"""Of a cable: links, their length (m), and how many lie on the ground."""


def cable() -> sg.Robot:
    """Return links of 20 g, hinged about y, the first one at the base."""
    text, before, at = "", "base", 0.0
    for i in range(LINKS):
        text += (
            f'<link name="l{i}"><inertial><origin xyz="{LENGTH / 2} 0 0"/><mass value="0.02"/><inertia ixx="2e-7" '
            f'iyy="7e-7" izz="7e-7" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j{i}" type="continuous">'
            f'<parent link="{before}"/><child link="l{i}"/><axis xyz="0 1 0"/><origin xyz="{at} 0 0"/></joint>'
        )
        before, at = f"l{i}", LENGTH
    return sg.load(f'<robot name="cable"><link name="base"/>{text}</robot>')


def forces_under_a_cable() -> float:
    """The ground carries a link at each joint that lies on it, half of one at the end; the rest hangs, and stays."""
    robot, at = cable(), (LENGTH, 0.0, 0.0)
    ends = [sg.Contact(f"l{i}", at=at, friction=0.5, stiffness=np.inf) for i in range(LINKS - LYING, LINKS)]
    q0 = robot.neutral()
    q0[0], q0[LINKS - LYING] = np.pi / 2, -np.pi / 2
    ground = sg.Plane(height=-(LINKS - LYING) * LENGTH)
    simulator = sg.Simulator(robot, DT, q0, contacts=ends, ground=ground)
    simulator.step(steps=500)
    exact = 0.02 * G * np.array([*[1.0] * (LYING - 1), 0.5])
    assert np.abs(simulator.qd).max() < 1e-9
    return float(np.abs(simulator.forces[:, 2] - exact).max())


def force_of_a_cable_on_a_wall() -> float:
    """Link i from the wall has the slope H / (weight below its middle); the wall, without friction, pushes with H."""
    below, out = 0.02 * G * (LINKS - 0.5 - np.arange(LINKS)), 0.3
    H = brentq(lambda force: LENGTH * np.sin(np.arctan(force / below)).sum() - out, 0.0, 100.0, xtol=1e-14)
    robot, wall = cable(), sg.Plane((1.0, 0.0, 0.0), out)
    end = sg.Contact(f"l{LINKS - 1}", at=(LENGTH, 0.0, 0.0), friction=0.0, stiffness=np.inf)
    turns = np.pi / 2 - np.arctan(H / below)
    simulator = sg.Simulator(robot, DT, np.diff(turns, prepend=0.0), contacts=[end], ground=wall)
    simulator.step(steps=500)
    return float(np.abs(simulator.forces[0] - [H, 0.0, 0.0]).max())


CASES: list[tuple[str, Callable[[], float], float]] = [
    ("box on a slope, tan 0.4, mu 0.5: creep (m/s)", creep_on_a_slope, 1e-9),
    ("box on a slope, tan 0.6, mu 0.5: velocity after 1 s (m/s)", acceleration_on_a_slope, 1e-9),
    ("ball, from sliding to rolling: velocity (m/s)", velocity_of_rolling, 1e-9),
    ("ball, from spinning to rolling: velocity (m/s)", velocity_of_a_ball_that_spins, 1e-9),
    ("kicked box, four directions: place (m)", way_of_a_kicked_box, 1e-3),
    ("bounce, e = 0.3: first top, relative", lambda: top_of_a_bounce(0.3), 0.02),
    ("bounce, e = 0.5: first top, relative", lambda: top_of_a_bounce(0.5), 0.02),
    ("bounce, e = 0.9: first top, relative", lambda: top_of_a_bounce(0.9), 0.02),
    ("stack of five boxes: weights (N)", weights_in_a_stack, 1e-6),
    ("gripper, 5 N, mu 0.5, 0.1 kg: creep (m/s)", creep_in_a_gripper, 1e-9),
    ("table on four feet: forces (N)", lambda: forces_of_a_table(1), 1e-6),
    ("table on eight feet, 24 rows of rank 6: forces (N)", lambda: forces_of_a_table(2), 1e-6),
    ("cable of 50 links that hangs from above, 8 on the ground: forces (N)", forces_under_a_cable, 1e-6),
    ("cable of 50 links that leans on a wall: force (N)", force_of_a_cable_on_a_wall, 1e-5),
    ("ball that spins in flight: velocity after 1 s (m/s)", flight_of_a_spinning_ball, 1e-3),
]


@pytest.mark.suite
@pytest.mark.parametrize(("case", "error", "asked"), CASES, ids=[name for name, _, _ in CASES])
def test_errors_are_as_small_as_asked(case, error, asked):
    found = error()
    record("contacts", case=case, asked=f"{asked:.0e}", error=f"{found:.1e}")
    assert found <= asked
