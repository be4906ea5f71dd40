"""Robots of all files, dropped on their own shapes from random poses: none diverges, at 1 ms none gains energy."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.robot import without_loops
from screwgraph.motion.simulation.contacts.shape_contacts import contacts_of_shapes
from tests.robots import SHARED, robot_file
from tests.suites import record

MOST = 20
"""Contacts of one robot: all points of its shapes would be up to 220."""
TIME, DROP, G = 0.5, 0.05, 9.81
GAIN, SOLVED = 1e-2, 1e-6
THIN = ("ur5.urdf", "inverted_double_pendulum.xml")


def strangers() -> list[Path]:
    """List the robot files of `shared/`, by name; the larger file of one name."""
    found = sorted((SHARED / "robots").rglob("*.*"), key=lambda path: path.stat().st_size)
    return sorted({p.name: p for p in found if p.suffix in (".urdf", ".sdf", ".xml")}.values(), key=lambda p: p.name)


def few_contacts(robot: sg.Robot) -> list[sg.Contact]:
    """Return points of the shapes that are far from one another, as many of each link; else origins of last links."""
    try:
        found = contacts_of_shapes(robot)
    except InputError:
        parents = {joint.parent for joint in robot.joints}
        found = tuple(sg.Contact(joint.child, 0.01) for joint in robot.joints if joint.child not in parents)[:MOST]
    links = defaultdict[str, list[sg.Contact]](list)
    for contact in found:
        links[contact.frame].append(contact)
    most = max(MOST // len(links), 1)
    return [contact for own in links.values() for contact in spread_out(own, most)][:MOST]


def spread_out(contacts: list[sg.Contact], most: int) -> list[sg.Contact]:
    """Return those that are farthest from their middle, then from those chosen."""
    places, chosen = np.array([c.at for c in contacts]), list[int]()
    distance = np.linalg.norm(places - places.mean(axis=0), axis=1)
    for _ in range(min(most, len(contacts))):
        chosen.append(int(distance.argmax()))
        nearest = np.linalg.norm(places - places[chosen[-1]], axis=1)
        distance = nearest if len(chosen) == 1 else np.minimum(distance, nearest)
    return [contacts[i] for i in chosen]


def random_starts(robot: sg.Robot, contacts: list[sg.Contact], count: int) -> np.ndarray:
    """Return positions in which the lowest contact is a little above the ground, loops closed, turned any way."""
    rng, found = np.random.default_rng(0), list[np.ndarray]()
    poses = {contact.frame: sg.forward_kinematics(robot, contact.frame) for contact in contacts}
    while len(found) < count:
        q = robot.random(rng)
        try:
            q = robot.close_loops(q) if robot.is_closed else q
        except (InputError, ModelError):
            continue
        turn = rng.normal(size=4)
        q[:3], q[3:7] = 0.0, turn / np.linalg.norm(turn)
        q[2] = DROP - min((np.asarray(poses[c.frame](q)) @ [*c.at, 1.0])[2] - c.radius for c in contacts)
        found.append(q)
    return np.array(found)


def drop(robot: sg.Robot, contacts: list[sg.Contact], dt: float, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the energy (J) of each motion after each step, and residuals (m/s)."""
    tree = without_loops(robot)
    mass, place = sg.mass_matrix(tree), sg.center_of_mass(tree)
    simulator = sg.Simulator(robot, dt, starts, contacts=contacts)
    energies, residuals = list[np.ndarray](), list[np.ndarray]()
    for k in range(round(TIME / dt) + 1):
        if k:
            simulator.step()
            residuals.append(simulator.residual.copy())
        q, qd = simulator.q, simulator.qd
        height = np.asarray(place(q))[:, 2]
        energies.append(tree.mass * G * height + 0.5 * np.einsum("bi,bij,bj->b", qd, np.asarray(mass(q)), qd))
    return np.array(energies), np.array(residuals)


def check_drops(path: Path, count: int, steps: tuple[float, ...] = (1e-3, 2e-3)) -> None:
    robot = sg.load(path, base="floating")
    contacts = few_contacts(robot)
    starts = random_starts(robot, contacts, count)
    for dt in steps:
        energies, residuals = drop(robot, contacts, dt, starts)
        gain = ((energies - energies[0]) / energies[0]).max()
        rise = ((energies - np.minimum.accumulate(energies)) / energies[0]).max()
        record(
            "dropped",
            robot=path.name,
            contacts=len(contacts),
            step_ms=f"{1e3 * dt:g}",
            gain=f"{gain:.0e}",
            rise=f"{rise:.0e}",
            residual=f"{residuals.max():.0e}",
            unsolved=f"{(residuals > SOLVED).mean():.1e}",
        )
        assert gain < GAIN or dt > 1e-3, gain
        assert (residuals > SOLVED).mean() < 0.01


@pytest.mark.parametrize("name", THIN)
def test_a_few_robots_fall_and_lose_energy(name):
    check_drops(robot_file(name), 4, (1e-3,))


@pytest.mark.suite
@pytest.mark.parametrize("path", strangers(), ids=lambda path: path.name)
def test_all_robots_fall_and_lose_energy(path):
    check_drops(path, int(os.environ.get("DROPS", "20")))
