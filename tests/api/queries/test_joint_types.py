"""Every joint type, new ones included, by every query: the right answer, or a refusal of one line.

The oracle differentiates poses of links along the joints' manifolds; it asks joint types for nothing but poses.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import screwgraph as sg
from screwgraph.model.robot import JOINT_TYPES, Joint, Link, tree
from screwgraph.model.robot.joints import Revolute
from screwgraph.motion.planning import Task, horizon
from screwgraph.motion.planning.goals import Position
from screwgraph.spatial import SpatialInertia, from_xyz_rpy
from screwgraph.ui.draw import FIGURES
from tests.api.queries.models import coordinates_of
from tests.api.queries.test_every_query import run_in_c
from tests.model.robot.new_joint_types import NEW

mpl.use("Agg")
TYPES = {kind.__name__.lower(): kind() for kind in JOINT_TYPES.values()} | NEW
GRAVITY = np.array([1.5, -2.0, -9.0])
H = 1e-4
"""Displacement of differences of order 4: errors are some 1e-11 of lengths of 1 m, and 1e-7 of slopes of slopes."""


@cache
def robot_of(name: str) -> sg.Robot:
    """Return a body on a joint of the type, and a hand that turns on it."""
    first = SpatialInertia.of_body(1.2, np.array([0.1, -0.05, 0.2]), np.diag([0.03, 0.04, 0.02]))
    second = SpatialInertia.of_body(0.7, np.array([0.0, 0.1, 0.15]), np.diag([0.01, 0.02, 0.015]))
    joints = [
        Joint("joint", TYPES[name], "base", "body", from_xyz_rpy([0.2, 0.1, 0.3], [0.3, -0.2, 0.5])),
        Joint("wrist", Revolute((0.6, 0.0, 0.8)), "body", "hand", from_xyz_rpy([0.1, 0.3, 0.2], [0.1, 0.4, -0.3])),
    ]
    return tree(name, [Link("base"), Link("body", first), Link("hand", second)], joints, gravity=tuple(GRAVITY))


@cache
def state_of(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    robot, rng = robot_of(name), np.random.default_rng(4)
    q = robot.manifold.retract(robot.neutral(), 0.4 * rng.standard_normal(robot.nv))
    return np.asarray(q, dtype=float), rng.standard_normal(robot.nv), rng.standard_normal(robot.nv)


def poses(robot: sg.Robot, q: np.ndarray) -> dict[str, np.ndarray]:
    found = {robot.links[0].name: np.eye(4)}
    for joint in robot.joints:
        T = np.asarray(joint.type.transform(q[robot.q_slices[joint.name]]), dtype=float)
        found[joint.child] = found[joint.parent] @ joint.origin @ T
    return found


def moved(robot: sg.Robot, q: np.ndarray, d: np.ndarray) -> np.ndarray:
    return np.asarray(robot.manifold.retract(q, d), dtype=float)


def slope(f: Callable[[float], Any]) -> Any:
    """Return df/dx at 0, by differences of order 4."""
    return (8.0 * (f(H) - f(-H)) - (f(2.0 * H) - f(-2.0 * H))) / (12.0 * H)


def twists(robot: sg.Robot, q: np.ndarray) -> dict[str, np.ndarray]:
    """Return of each link its twists (6, nv) in its own frame."""
    at, found = poses(robot, q), {link.name: np.zeros((6, robot.nv)) for link in robot.links}
    for i, e in enumerate(np.eye(robot.nv)):
        for link in robot.links:
            rate = slope(lambda h, e=e, link=link: poses(robot, moved(robot, q, h * e))[link.name])
            V = np.linalg.inv(at[link.name]) @ rate
            found[link.name][:, i] = [V[2, 1], V[0, 2], V[1, 0], *V[:3, 3]]
    return found


def mass_of(robot: sg.Robot, q: np.ndarray) -> Any:
    J = twists(robot, q)
    return sum(J[link.name].T @ link.inertia.matrix() @ J[link.name] for link in robot.links)


def potential(robot: sg.Robot, q: np.ndarray) -> float:
    at, found = poses(robot, q), 0.0
    for link in robot.links[1:]:
        found -= GRAVITY @ (
            at[link.name][:3, :3] @ link.inertia.first_moment + link.inertia.mass * at[link.name][:3, 3]
        )
    return float(found)


def near(found: Any, expected: Any, tolerance: float = 1e-7) -> None:
    size = max(1.0, float(np.abs(np.asarray(expected)).max(initial=0.0)))
    np.testing.assert_allclose(found, expected, atol=tolerance * size)


def dynamics(name: str) -> None:
    """At rest, M qdd + dU/dq; in motion, the power of the torques is what energy gains."""
    robot, (q, qd, qdd) = robot_of(name), state_of(name)
    f, M = sg.inverse_dynamics(robot), mass_of(robot, q)
    gravity = np.array([slope(lambda h, e=e: potential(robot, moved(robot, q, h * e))) for e in np.eye(robot.nv)])
    near(f(q, 0 * qd, qdd), M @ qdd + gravity)
    near(sg.mass_matrix(robot)(q), M)

    def energy(h: float) -> float:
        there = moved(robot, q, h * qd)
        return float(0.5 * qd @ mass_of(robot, there) @ qd + potential(robot, there))

    bias = sg.bias_forces(robot)(q, qd)
    near(f(q, qd, 0 * qdd), bias, 1e-12)
    near(qd @ bias, slope(energy), 1e-6)
    near(f(q, qd, qdd) - bias, M @ qdd)
    effects = sg.coriolis_matrix(robot)(q, qd) @ qd
    near(effects + gravity, bias)


def forward(name: str) -> None:
    robot, (q, qd, qdd) = robot_of(name), state_of(name)
    tau = sg.inverse_dynamics(robot)(q, qd, qdd)
    near(sg.forward_dynamics(robot)(q, qd, tau), qdd, 1e-9)
    mixed = sg.hybrid_dynamics(robot, ["wrist"])(q, qd, np.append(tau[:-1], qdd[-1]))
    near(mixed, np.append(qdd[:-1], tau[-1]), 1e-9)


def kinematics(name: str) -> None:
    robot, (q, qd, qdd) = robot_of(name), state_of(name)
    J = twists(robot, q)["hand"]
    near(sg.forward_kinematics(robot, "hand")(q), poses(robot, q)["hand"], 1e-12)
    near(sg.frame_jacobian(robot, "hand")(q), J)
    near(sg.frame_velocity(robot, "hand")(q, qd), J @ qd)
    moving = np.array(slope(lambda h: twists(robot, moved(robot, q, h * qd))["hand"] @ qd))
    near(sg.frame_acceleration(robot, "hand")(q, qd, 0 * qdd), moving, 1e-5)


def energies(name: str) -> None:
    robot, (q, qd, _) = robot_of(name), state_of(name)
    other = moved(robot, q, qd)
    U = sg.potential_energy(robot)
    near(sg.kinetic_energy(robot)(q, qd), 0.5 * qd @ mass_of(robot, q) @ qd)
    near(U(other) - U(q), potential(robot, other) - potential(robot, q), 1e-10)
    at, J = poses(robot, q), twists(robot, q)
    momentum = sum(at[link.name][:3, :3] @ (link.inertia.matrix() @ J[link.name] @ qd)[3:] for link in robot.links[1:])
    near(sg.centroidal_momentum(robot)(q, qd)[3:], momentum)


def parameters(name: str) -> None:
    """Torques are Y pi; combinations are as many as singular values, and give Y back."""
    robot, rng = robot_of(name), np.random.default_rng(0)
    q = np.array([moved(robot, robot.neutral(), rng.standard_normal(robot.nv)) for _ in range(60)])
    qd, qdd = rng.standard_normal((2, 60, robot.nv))
    Y, base = sg.regressor(robot)(q, qd, qdd), sg.base_parameters(robot)
    pi = np.concatenate([link.inertia.parameters for link in robot.links[1:]])
    near(Y @ pi, sg.inverse_dynamics(robot)(q, qd, qdd), 1e-9)
    rows = np.concatenate(Y)
    values = np.linalg.svd(rows / np.linalg.norm(rows), compute_uv=False)
    assert base.rank == (values > 1e-9).sum()
    near(rows[:, list(base.independent)] @ base.map, rows, 1e-8)
    log = {"q": q, "qd": qd, "qdd": qdd, "tau": Y @ pi}
    found = sg.identify(robot, log, held_out=0)
    near(found.base_values, base.map @ pi, 1e-7)
    t = np.arange(400) * 0.005
    rates = rng.uniform(1.0, 6.0, (3, robot.nv))
    way = 0.3 * np.sin(t[:, None, None] * rates + rng.uniform(0.0, 6.0, (3, robot.nv))).sum(axis=1)
    smooth = np.array([moved(robot, state_of(name)[0], d) for d in way])
    log = {"t": t, "q": smooth, "tau": torques_along(name, way, t)}
    found = sg.identify(
        robot, log, ["hand"], cutoff=90.0, held_out=0
    )  # no filter; (6 * 0.005)^4 / 30 of accelerations are lost
    assert max(found.validation.values()) < 1e-5 * max(found.torque.values())
    truth = found.base.map @ robot.link("hand").inertia.parameters
    assert (np.abs(found.base_values - truth) < 1e-3 + 5.0 * found.base_sigma).all()


def torques_along(name: str, way: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Return the torques along positions that retract by a path, by differences of positions on the manifold."""
    robot, q0, step = robot_of(name), state_of(name)[0], t[1] - t[0]
    q = [moved(robot, q0, d) for d in way]
    apart = [
        {k: np.asarray(robot.manifold.difference(q[i], q[i + k]), dtype=float) for k in (-2, -1, 1, 2)}
        for i in range(2, len(q) - 2)
    ]
    qd = np.array([(8.0 * (d[1] - d[-1]) - (d[2] - d[-2])) / (12.0 * step) for d in apart])
    qdd = np.array([(16.0 * (d[1] + d[-1]) - (d[2] + d[-2])) / (12.0 * step**2) for d in apart])
    tau = sg.inverse_dynamics(robot)(np.array(q[2:-2]), qd, qdd)
    return np.concatenate([tau[:1], tau[:1], tau, tau[-1:], tau[-1:]])


def simulations(name: str) -> None:
    """Energy stays; the simulator and rollouts go the same way as the adaptive method, to their order."""
    robot, (q, qd, _) = robot_of(name), state_of(name)
    run = sg.simulate(robot, q, qd, time=0.1, dt=1e-2)
    assert run.energy_drift < 1e-6
    there = run.q[-1]
    simulator = sg.Simulator(robot, dt=1e-3, q0=q, qd0=qd, method="rk4")
    for _ in range(100):
        simulator.step(np.zeros(robot.nv))
    near(robot.manifold.difference(there, simulator.q), np.zeros(robot.nv), 1e-5)
    many = sg.rollout(robot, q[None], qd[None], time=0.1, dt=1e-3, method="rk4")
    near(robot.manifold.difference(there, np.asarray(many.q)[0, -1]), np.zeros(robot.nv), 1e-5)


def inverse_kinematics(name: str) -> None:
    robot, (q, _, _) = robot_of(name), state_of(name)
    where = sg.forward_kinematics(robot, "hand")
    found = sg.inverse_kinematics(robot, "hand")(where(q), start=moved(robot, q, 0.05 * np.ones(robot.nv)))
    assert found.reached
    near(where(found.q), where(q), 1e-6)


def plan(name: str) -> None:
    """The wrist reaches its goal along a motion whose torques are those of inverse dynamics."""
    robot = robot_of(name)
    found = sg.plan(Task(robot, horizon(6, dt=0.05), goals=(Position({"wrist": 0.2}),)))
    assert found.converged
    assert found.q[-1][-1] == pytest.approx(0.2, abs=1e-5)


def estimate(name: str) -> None:
    """Exact sensors of a motion give it back."""
    robot, (q, qd, _) = robot_of(name), state_of(name)
    run = sg.simulate(robot, q, 0.3 * qd, time=0.1, dt=0.01)
    sensors = [
        {"sensor": "marker", "pose": "body", "sigma": 1e-4},
        {"sensor": "w", "joint_position": "wrist", "sigma": 1e-4},
    ]
    T = sg.forward_kinematics(robot, "body")(run.q)
    quaternion = Rotation.from_matrix(T[:, :3, :3]).as_quat()
    table = {f"marker_{x}": c for x, c in zip(("x", "y", "z"), T[:, :3, 3].T, strict=True)}
    table |= {f"marker_{x}": c for x, c in zip(("qx", "qy", "qz", "qw"), quaternion.T, strict=True)}
    table["tau:wrist"] = np.zeros(len(run.t))
    found = sg.estimate(robot, {"t": run.t, **table, "w": run.q[:, -1]}, sensors=sensors, q0=q)
    off = np.array([robot.manifold.difference(a, b) for a, b in zip(found.q, run.q, strict=True)], dtype=float)
    assert (np.abs(off) < 5.0 * found.q_sigma + 1e-3).all()


def trajectory(name: str) -> None:
    """Torques along a simulated motion are none."""
    robot, (q, qd, _) = robot_of(name), state_of(name)
    run = sg.simulate(robot, q, 0.3 * qd, time=0.5, dt=0.01)
    names = [column for joint in robot.joints for column, _ in coordinates_of(robot, joint, q)]
    found = sg.inverse_trajectory(robot, {"t": run.t, **dict(zip(names, run.q.T, strict=True))})
    tau = np.asarray(found.run.tau)[5:-5]
    assert np.abs(tau).max() < 1e-2 * float(np.abs(sg.bias_forces(robot)(q, 0.3 * qd)).max())


def saved(name: str, folder: Path) -> None:
    """A file gives the same torques."""
    robot, (q, qd, qdd) = robot_of(name), state_of(name)
    sg.save(robot, folder / "robot.yaml")
    again = sg.load(folder / "robot.yaml")
    near(sg.inverse_dynamics(again)(q, qd, qdd), sg.inverse_dynamics(robot)(q, qd, qdd), 1e-9)


def pictures(name: str) -> None:
    from screwgraph.ui.view import robot_scene

    robot = robot_of(name)
    for what in ("graph", "dag"):
        assert FIGURES[what](sg.forward_dynamics(robot).dag).axes
    assert robot_scene(robot, np.zeros(1), state_of(name)[0][None]).bodies


def code(name: str, folder: Path) -> None:
    robot, (q, qd, qdd) = robot_of(name), state_of(name)
    f = sg.inverse_dynamics(robot)
    compiler = next((c for c in ("cc", "gcc", "clang") if shutil.which(c)), None)
    if compiler is not None:
        near(run_in_c(compiler, f, (q, qd, qdd), folder), f(q, qd, qdd), 1e-12)


QUERIES = {
    check.__name__: check
    for check in (
        dynamics,
        forward,
        kinematics,
        energies,
        parameters,
        simulations,
        inverse_kinematics,
        plan,
        estimate,
        trajectory,
        saved,
        pictures,
        code,
    )
}
REFUSED = {("saved", name): "is not registered" for name in NEW}
"""What queries say of types that they do not answer."""
QUICK = [("dynamics", name) for name in NEW] + [("parameters", name) for name in NEW]
ALL = [(query, name) for name in TYPES for query in QUERIES]


def check(query: str, name: str, folder: Path) -> None:
    options = (folder,) if QUERIES[query] in (saved, code) else ()
    if (query, name) not in REFUSED:
        QUERIES[query](name, *options)
        return
    with pytest.raises(sg.ScrewgraphError, match=REFUSED[query, name]) as caught:
        QUERIES[query](name, *options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("query", "name"), QUICK)
def test_new_joint_types_are_answered(query, name, tmp_path):
    check(query, name, tmp_path)


@pytest.mark.suite
@pytest.mark.parametrize(("query", "name"), [pair for pair in ALL if pair not in QUICK])
def test_every_joint_type_is_answered_or_refused(query, name, tmp_path):
    check(query, name, tmp_path)
