"""Robots of all files, dropped on their own shapes from random poses: none diverges or gains energy."""

from __future__ import annotations

import os
import warnings
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.robot import without_loops
from screwgraph.motion.simulation.contacts.geometry.contact_slot import ContactSlot
from screwgraph.motion.simulation.contacts.shape_contacts import contacts_of_shapes
from screwgraph.motion.simulation.contacts.steps.middle_state import compile_middle_state
from tests.motion.simulation.test_every_robot import HELD
from tests.robots import SHARED, package_urdfs, robot_file
from tests.suites import is_recorded, record

MOST = 8
"""Contacts of one robot: all points of its shapes would be up to 564, and code of a step grows with their cube."""
TIME, DROP, G, FLOATING = 0.5, 0.05, 9.81, "floating_base"
GAIN, SOLVED, SINGULAR, STILL = 1e-2, 1e-6, 1e-14, 1e-12
FOLDED = {"cassie.sdf": 0.05}
"""Part of steps in which loops may fold flat, by file, so that they are not solved, but reported; of others 0.01."""
THIN = ("ur5.urdf", "inverted_double_pendulum.xml", "kinova.urdf")
"""The last stands on a point while its joints turn at 110 rad/s."""


@dataclass(frozen=True, eq=False)
class Drop:
    """Energies above the ground at the middle of each step (steps, B), parts of the first, and residuals (m/s)."""

    energies: np.ndarray
    residuals: np.ndarray

    @property
    def gain(self) -> float:
        return float((self.energies - self.energies[0]).max())

    @property
    def rise(self) -> float:
        return float((self.energies - np.minimum.accumulate(self.energies)).max())

    @property
    def unsolved(self) -> float:
        return float((self.residuals > SOLVED).mean())


def strangers() -> list[Path]:
    """List the robot files of `shared/` and of the package, by name; the larger file of one name."""
    shared = [p for p in (SHARED / "robots").rglob("*.*") if p.suffix in (".urdf", ".sdf", ".xml")]
    found = sorted([*package_urdfs(), *shared], key=lambda path: path.stat().st_size)
    return sorted({p.name: p for p in found}.values(), key=lambda p: p.name)


ARMED, ARMATURE = ("human", "romeo", "romeo_laas_small"), 1e-3
"""Files with links without inertia, whose joints move nothing, or at gimbal lock; what errors ask for (kg m^2)."""


def free_robot(path: Path) -> sg.Robot:
    """Load a robot whose base floats, if the file gives it no slides and hinges of its own that do as well."""
    robot = sg.load(path, base="floating", lock=HELD.get(path.stem.removesuffix("_v2"), ()))
    if path.stem in ARMED:
        joints = (replace(j, armature=ARMATURE) if j.type.nv == 1 else j for j in robot.joints)
        robot = replace(robot, joints=tuple(joints))
    if robot.is_closed:
        base = next(link for link in robot.links if link.name == robot.joints[0].child)
        return robot if base.inertia.mass else upright(sg.load(path))
    eigenvalues = np.linalg.eigvalsh(sg.mass_matrix(robot)(robot.random(np.random.default_rng(0))))
    return robot if eigenvalues[0] > SINGULAR * eigenvalues[-1] else sg.load(path)


def upright(robot: sg.Robot) -> sg.Robot:
    """Return a robot whose joints gravity moves: along y where axes of all joints stand along it."""
    rng, place = np.random.default_rng(0), sg.center_of_mass(without_loops(robot))
    heights = [float(np.asarray(place(robot.random(rng)))[2]) for _ in range(3)]
    return robot if np.ptp(heights) > STILL else replace(robot, gravity=(0.0, -G, 0.0))


def up(robot: sg.Robot) -> np.ndarray:
    """Return the direction against gravity (3,), the ground's normal."""
    gravity = np.array(robot.gravity, dtype=float)
    return -gravity / np.linalg.norm(gravity)


def few_contacts(robot: sg.Robot) -> list[sg.Contact]:
    """Return points of the shapes that are far from one another, as many of each link; else origins of last links."""
    try:
        with warnings.catch_warnings():  # some meshes are not to be had
            warnings.simplefilter("ignore", RuntimeWarning)
            found = tuple(c for c in contacts_of_shapes(robot) if not isinstance(c, ContactSlot))
    except InputError:
        found = ()
    if not found:
        parents = {joint.parent for joint in robot.joints}
        found = tuple(sg.Contact(joint.child, 0.01) for joint in robot.joints if joint.child not in parents)
    links = defaultdict[str, list[sg.Contact]](list)
    for contact in found:
        links[contact.frame].append(contact)
    most, q = max(MOST // len(links), 1), robot.neutral()
    chosen = [c for own in links.values() for c in spread_out(own, np.array([c.at for c in own]), most)]
    poses = {frame: np.asarray(sg.forward_kinematics(robot, frame)(q)) for frame in links}
    return spread_out(chosen, np.array([(poses[c.frame] @ [*c.at, 1.0])[:3] for c in chosen]), MOST)


def spread_out(contacts: list[sg.Contact], places: np.ndarray, most: int) -> list[sg.Contact]:
    """Return those that are farthest from their middle, then from those chosen, in their order."""
    chosen = list[int]()
    distance = np.linalg.norm(places - places.mean(axis=0), axis=1)
    for _ in range(min(most, len(contacts))):
        chosen.append(int(distance.argmax()))
        nearest = np.linalg.norm(places - places[chosen[-1]], axis=1)
        distance = nearest if len(chosen) == 1 else np.minimum(distance, nearest)
    return [contacts[i] for i in sorted(chosen)]


def random_starts(robot: sg.Robot, contacts: list[sg.Contact], count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return positions, loops closed, turned any way, and the heights of a ground a little below the lowest contact."""
    rng, found, heights = np.random.default_rng(0), list[np.ndarray](), list[float]()
    poses = {contact.frame: sg.forward_kinematics(robot, contact.frame) for contact in contacts}
    while len(found) < count:
        q = robot.random(rng)
        try:
            q = robot.close_loops(q) if robot.is_closed else q
        except (InputError, ModelError):
            continue
        if FLOATING in robot.joint_names:
            turn = rng.normal(size=4)
            q[:3], q[3:7] = 0.0, turn / np.linalg.norm(turn)
        lowest = min((np.asarray(poses[c.frame](q)) @ [*c.at, 1.0])[:3] @ up(robot) - c.radius for c in contacts)
        found.append(q)
        heights.append(float(lowest) - DROP)
    return np.array(found), np.array(heights)


def drop(robot: sg.Robot, contacts: list[sg.Contact], dt: float, starts: np.ndarray, heights: np.ndarray) -> Drop:
    """Let a robot fall from all positions at once."""
    tree = without_loops(robot)
    mass, place, ground = sg.mass_matrix(tree), sg.center_of_mass(tree), sg.Plane(up(robot), heights)
    middle = compile_middle_state(robot)
    simulator = sg.Simulator(robot, dt, starts, contacts=contacts, ground=ground)
    energies, residuals = list[np.ndarray](), list[np.ndarray]()
    for k in range(round(TIME / dt) + 1):
        if k:
            simulator.step()
            residuals.append(simulator.residual.copy())
        q, qd = middle(simulator.q, simulator.qd, [dt]) if k else (simulator.q, simulator.qd)
        height = np.asarray(place(q)) @ up(robot) - heights
        energies.append(tree.mass * G * height + 0.5 * np.einsum("bi,bij,bj->b", qd, np.asarray(mass(q)), qd))
    scale = np.abs(energies[0]) + tree.mass * G * DROP
    return Drop(np.array(energies) / scale, np.array(residuals))


def check_drops(path: Path, count: int, steps: tuple[float, ...] = (1e-3, 2e-3)) -> None:
    robot = free_robot(path)
    contacts = few_contacts(robot)
    starts = random_starts(robot, contacts, count)
    for dt in steps:
        if is_recorded("dropped", robot=path.name, poses=count, step_ms=f"{1e3 * dt:g}"):
            continue
        found = drop(robot, contacts, dt, *starts)
        record(
            "dropped",
            robot=path.name,
            contacts=len(contacts),
            poses=count,
            step_ms=f"{1e3 * dt:g}",
            gain=f"{found.gain:.0e}",
            rise=f"{found.rise:.0e}",
            residual=f"{found.residuals.max():.0e}",
            unsolved=f"{found.unsolved:.1e}",
        )
        assert found.gain < GAIN, found.gain
        assert found.unsolved < FOLDED.get(path.name, 0.01)


@pytest.mark.parametrize("name", THIN)
def test_a_few_robots_fall_and_lose_energy(name):
    check_drops(robot_file(name), 5, (1e-3,))


def test_a_planar_robot_has_slides_of_its_own_and_no_floating_base():
    assert FLOATING not in free_robot(robot_file("half_cheetah.xml")).joint_names
    assert FLOATING in free_robot(robot_file("ur5.urdf")).joint_names


def test_mechanisms_whose_plane_is_level_fall_along_it():
    np.testing.assert_array_equal(up(free_robot(robot_file("four_bar.urdf"))), [0, 1, 0])


@pytest.mark.suite
@pytest.mark.parametrize("path", strangers(), ids=lambda path: path.name)
def test_all_robots_fall_and_lose_energy(path):
    check_drops(path, int(os.environ.get("DROPS", "20")))
