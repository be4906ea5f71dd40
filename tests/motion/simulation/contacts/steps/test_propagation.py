"""Impulses by propagation: motions of the Delassus matrix, weights of cables and towers, the same code elsewhere."""

import shutil
import subprocess
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.simulation.contacts.terms import contact_terms
from tests.motion.simulation.contacts.bodies import feet, quadruped, standing

G, LENGTH, MASS = 9.81, 0.05, 0.02
"""Gravity (m/s^2); length (m) and mass (kg) of a link of a cable."""


def cable(links: int, base: str = "fixed", axes: tuple[str, str] = ("0 1 0", "0 0 1")) -> sg.Robot:
    """Return links that are hinged about two axes in turn; with a floating base one more at the front."""
    inertia = '<inertia ixx="2e-6" iyy="7e-6" izz="7e-6" ixy="0" ixz="0" iyz="0"/>'
    text, before, at = "", "base", 0.0
    own = f'<inertial><mass value="{MASS}"/>{inertia}</inertial>' if base == "floating" else ""
    for i in range(links):
        text += (
            f'<link name="l{i}"><inertial><origin xyz="{LENGTH / 2} 0 0"/><mass value="{MASS}"/>{inertia}</inertial>'
            f'</link><joint name="j{i}" type="continuous"><parent link="{before}"/><child link="l{i}"/>'
            f'<axis xyz="{axes[i % 2]}"/><origin xyz="{at} 0 0"/></joint>'
        )
        before, at = f"l{i}", LENGTH
    return sg.load(f'<robot name="cable"><link name="base">{own}</link>{text}</robot>', base=base)


def ends(links: int, **numbers: Any) -> list[sg.Contact]:
    return [sg.Contact(f"l{i}", at=(LENGTH, 0.0, 0.0), **{"friction": 0.5, **numbers}) for i in range(links)]


def drop_legs(restitution: float, **options: bool) -> sg.Simulator:
    """Return a simulator of a quadruped that falls, slides and comes to rest."""
    robot = quadruped(0.2)
    qd = np.zeros(robot.nv)
    qd[3:6] = (0.8, 0.3, 0.0)
    contacts = feet("abcd", friction=0.4, restitution=restitution)
    return sg.Simulator(robot, 1e-3, standing(robot, 0.36), qd, contacts=contacts, **options)


@pytest.mark.parametrize(("restitution", "options"), [(0.5, {}), (0.0, {"stops": True, "friction": True})])
def test_motions_are_those_of_the_delassus_matrix(monkeypatch, restitution, options):
    found = list[np.ndarray]()
    for long in (np.inf, 0.0):
        monkeypatch.setattr(contact_terms, "LONG", long)
        simulator = drop_legs(restitution, **options)
        simulator.step(steps=250)
        assert simulator.residual < 1e-8
        found.append(np.concatenate([simulator.q, simulator.qd]))
    assert simulator.forces[:, 2].sum() > 1.0
    np.testing.assert_allclose(found[1], found[0], atol=1e-7)


def test_a_cable_that_lies_presses_with_its_weight():
    links = 24
    robot = cable(links, axes=("0 1 0", "0 1 0"))
    simulator = sg.Simulator(robot, 1e-3, contacts=ends(links), ground=sg.Plane())
    simulator.step(steps=600)
    assert simulator.residual < 1e-8
    assert np.abs(simulator.qd).max() < 1e-6
    # Joints hold no moment: each end carries half of the links beside it, but for the first, which the hinge holds.
    exact = MASS * G * np.array([*[1.0] * (links - 1), 0.5])
    np.testing.assert_allclose(simulator.forces[4:, 2], exact[4:], rtol=1e-3)


def test_cones_of_a_cable_that_slides_and_loses_energy():
    links = 16
    robot = cable(links, "floating")
    contacts, energy = ends(links, radius=0.01), sg.kinetic_energy(robot)
    q0, qd0, touched = robot.neutral(), np.zeros(robot.nv), 0
    q0[2], qd0[3:6] = 0.012, (0.5, 0.3, -0.2)
    qd0[6:] = 0.1 * np.random.default_rng(1).normal(size=links)
    simulator = sg.Simulator(robot, 1e-3, q0, qd0, contacts=contacts)
    for _ in range(100):
        simulator.step()
        forces = simulator.forces
        assert simulator.residual < 1e-5  # of a step in some hundreds; it is said
        assert forces[:, 2].min() >= -1e-6
        assert (np.linalg.norm(forces[:, :2], axis=1) <= 0.5 * forces[:, 2] + 1e-2).all()
        touched += int((forces[:, 2] > 0.0).sum())
    assert touched > 100
    assert float(energy(simulator.q, simulator.qd)) < float(energy(q0, qd0))


def test_batches_are_single_steps(monkeypatch):
    monkeypatch.setattr(contact_terms, "LONG", 0.0)
    robot = quadruped(names="ad")
    rng = np.random.default_rng(0)
    simulator = sg.Simulator(robot, 1e-3, standing(robot, 0.33), contacts=feet("ad"))
    q = np.repeat(simulator.q[None], 11, axis=0)
    q[:, 7:] += 0.05 * rng.normal(size=(11, robot.nq - 7))
    qd, n = rng.normal(size=(11, robot.nv)), np.zeros(robot.nv)
    numbers = np.concatenate([contact.values for contact in feet("ad")])
    step = simulator.function
    together = step(q, qd, np.broadcast_to(n, qd.shape), [1e-3], numbers, np.zeros((11, 2, 3)))
    for k in range(11):
        alone = step(q[k], qd[k], n, [1e-3], numbers, np.zeros((2, 3)))
        for a, b in zip(together, alone, strict=True):
            np.testing.assert_allclose(a[k], b, atol=1e-9)


def exported_step(monkeypatch):
    monkeypatch.setattr(contact_terms, "LONG", 0.0)
    robot = cable(3)
    return sg.Simulator(robot, 1e-3, contacts=ends(3), ground=sg.Plane(height=-0.001)).function, robot


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_c_has_the_same_numbers(tmp_path, monkeypatch):
    function, _ = exported_step(monkeypatch)
    sg.export_library({"step": function}, tmp_path, prefix="cable")
    files = ["cable.c", *map(str, (tmp_path / "test").glob("*.c"))]
    subprocess.run(["gcc", "-O0", "-std=c99", "-I.", *files, "-lm", "-o", "check"], cwd=tmp_path, check=True)
    said = subprocess.run(["./check"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert "0 numbers differ" in said


def test_jax_has_the_same_bits(monkeypatch):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    function, robot = exported_step(monkeypatch)
    numbers = np.concatenate([contact.values for contact in ends(3)])
    state = (0.02 * np.ones(robot.nq), np.ones(robot.nv), np.zeros(robot.nv), [1e-3], numbers, np.zeros((3, 3)))
    for found, expected in zip(function.jax()(*map(np.asarray, state)), function(*state), strict=True):
        np.testing.assert_array_equal(np.asarray(found), expected)


def test_derivatives_are_those_of_the_delassus_matrix(monkeypatch):
    robot, found = cable(3), list[np.ndarray]()
    numbers = np.concatenate([contact.values for contact in ends(3)])
    q = np.array([0.03, 0.01, 0.02])
    for long in (np.inf, 0.0):
        monkeypatch.setattr(contact_terms, "LONG", long)
        step = sg.Simulator(robot, 1e-3, contacts=ends(3), ground=sg.Plane(height=-0.001)).function
        state = (q, np.ones(3), np.zeros(3), [1e-3], numbers, np.zeros((3, 3)))
        found.append(np.asarray(step.jacobian("qd")(*state)[1]))
    assert np.abs(found[0]).max() > 0.01
    np.testing.assert_allclose(found[1], found[0], atol=1e-7)
