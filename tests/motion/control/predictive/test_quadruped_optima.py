"""Horizons of an A1 on its feet beside IPOPT: standing, trots, pushes, a lifted leg, a squat, weak motors.

Bodies' numbers are those of its file, equations of motion IPOPT's own.
"""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("casadi")

from tests.motion.control.predictive.bodies import Part, Tree
from tests.motion.control.predictive.random_actuators import Pulls, Way, make_gear
from tests.motion.control.predictive.random_feet import bound_forces
from tests.motion.control.predictive.random_horizons import Drawn, compare, settle
from tests.motion.control.predictive.scenes import Bodies, Foot
from tests.motion.control.predictive.transcription import Task
from tests.suites import record

import screwgraph as sg
from screwgraph.model.robot import Transmission
from screwgraph.motion.control import HorizonLimits, stack_references, stack_schedule, stack_weights
from screwgraph.motion.control.predictive.motors import choose_motors

DT, STAGES, FRICTION, RADIUS = 0.02, 20, 0.6, 0.02
NAMES = [f"{leg}_foot" for leg in ("FR", "FL", "RR", "RL")]
STAND = np.concatenate([[0.0, 0.0, 0.27, 0.0, 0.0, 0.0, 1.0], np.tile([0.0, 0.8, -1.6], 4)])


def list_parts(robot):
    """Return bodies of a floating tree of hinges, and their numbers by links' names."""
    places, found, q = {robot.links[0].name: -1}, list[Part](), robot.neutral()
    for joint, link in zip(robot.joints, robot.links[1:], strict=True):
        parent, is_free = places[joint.parent], joint.type.nv == 6
        T = [sg.forward_kinematics(robot, name)(q) for name in (joint.parent, link.name)]
        X = np.eye(4) if is_free else np.linalg.solve(*T)
        m, x, y, z, xx, yy, zz, xy, xz, yz = np.array(link.inertia.parameters, dtype=float)
        com, about = np.array([x, y, z]) / m, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        inertia = about - m * (com @ com * np.eye(3) - np.outer(com, com))
        axis = np.eye(3)[0] if is_free else np.asarray(joint.type.axis, dtype=float)
        kind, place = "free" if is_free else "hinge", (X[:3, :3], X[:3, 3])
        found.append(Part(link.name, kind, parent, place, axis, m, com, inertia, joint.armature, joint.damping))
        places[link.name] = len(found) - 1
    return found, places


def draw_case(name) -> Drawn:
    """Return a horizon of an A1."""
    robot = sg.load("a1", base="floating")
    parts, places = list_parts(robot)
    feet, contacts = list[Foot](), [sg.Contact(foot, radius=RADIUS, friction=FRICTION) for foot in NAMES]
    for foot in NAMES:
        frame = robot.frame(foot)
        last, leg = places[frame.link], list[int]()
        while parts[last].kind != "free":
            leg.append(last)
            last = parts[last].parent
        feet.append(Foot(places[frame.link], frame.T_lf[:3, 3], FRICTION, tuple(leg), RADIUS))
    on, v, goal = np.ones((STAGES, 4)), np.zeros(robot.nv), STAND.copy()
    if "trot" in name:
        on[:8, 1:3], on[10:18, [0, 3]] = 0.0, 0.0
    if "lifted" in name:
        on[5:, 0] = 0.0
    goal[2] -= 0.06 * ("squat" in name)
    v[4] = 0.64 * ("pushed" in name)
    limits = HorizonLimits(effort=12.0) if "weak" in name else HorizonLimits()
    drive = None
    if "geared" in name:  # each calf's belt runs over the thigh's joint
        limits, ways, motors = HorizonLimits(effort=1.5), list[Way](), list[Transmission]()
        for hip, thigh, calf in np.reshape(robot.joint_names[1:], (4, 3)).tolist():
            for terms in ({hip: 6.3}, {thigh: -8.0}, {calf: 9.0, thigh: 9.0}):
                made, way = make_gear(f"m{len(ways)}", terms, (-np.inf, np.inf))
                motors.append(made)
                ways.append(way)
        robot = replace(robot, actuators=tuple(motors))
        named = tuple(replace(part, name=joint) for part, joint in zip(parts, robot.joint_names, strict=True))
        drive = Pulls(Tree(named, np.zeros(3)), tuple(ways))
    control = sg.mpc(robot, DT, STAGES, contacts=contacts, limits=limits)
    position = [40.0] * 3 + [50.0, 50.0, 400.0] + [2.0] * 12
    weights = stack_weights(robot, position=position, velocity=0.4, force=1e-4, acceleration=1e-6)
    driven, (low, up) = list(range(6, robot.nv)), (np.array(side) for side in limits.states(robot))
    tree, axes = Tree(tuple(parts), np.array([0.0, 0.0, -9.81])), np.asarray(sg.Plane().touch(np.zeros(3))[1])
    most = limits.efforts(choose_motors(robot, None))[1]
    scene = Bodies(tree, driven, feet=tuple(feet), ground=axes, drag=0.5 / DT, most=most, drive=drive)
    least, largest = bound_forces(feet, on, limits.largest_force(9.81 * robot.mass), len(driven))
    references = stack_references(control, goal)
    task = Task(
        scene, DT, STAGES, largest, low, up, limits.penalty, references, weights, STAND, v, low=least, on=on
    )  # fmt: skip
    return Drawn(robot, control, task, {"contacts": stack_schedule(control, contacts, on)})


@pytest.mark.suite
def test_optima_are_those_of_ipopt():
    names = (
        "stands",
        "trot",
        "pushed",
        "lifted leg",
        "squat",
        "trot pushed",
        "weak trot pushed",
        "geared",
        "geared trot pushed",
    )
    gaps = []
    for name in names:
        drawn = draw_case(name)
        found = settle(drawn)
        assert found.solution[0] == 0.0, name
        gap, apart = compare(drawn, found)
        gaps.append(gap)
        assert abs(gap) < 1e-6, name
        assert apart < 1e-5, name
    cells = {"robot": "A1 on its feet", "states": ", ".join(names), "starts": len(names)}
    apart = f"{np.abs(gaps).max():.0e}"
    record("horizons", **cells, **{"converged": len(gaps), "beside IPOPT": len(gaps), "cost apart": apart})
