"""Random robots with random sensors, for statistics of estimates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np
from scipy.spatial.transform import Rotation

import screwgraph as sg
from screwgraph.model.robot import (
    Joint,
    Link,
    Loop,
    closed_states,
    constraint_jacobian,
    constraint_residual,
    independent_coordinates,
    link_poses,
    tree,
)
from screwgraph.model.robot.joints import Floating, Prismatic, Revolute, Spherical
from screwgraph.spatial import SpatialInertia, from_xyz_rpy, transform
from tests.motion.estimation.robots import imu
from tests.motion.estimation.subjects import Readings, Run, Subject
from tests.oracle import Oracle, oracle
from tests.pinocchio_loops import ConstrainedOracle

ENCODER, CAMERA, ANGLE, GYROSCOPE, ACCELEROMETER = 2e-4, 6e-4, 6e-4, 2e-3, 1e-2
"""Standard deviations of sensors (SI units)."""


def _body(rng: np.random.Generator) -> SpatialInertia:
    """A body of some 1 kg, some 0.2 m long."""
    about = np.diag(rng.uniform(0.01, 0.02, 3))
    return SpatialInertia.of_body(rng.uniform(0.5, 2.0), rng.uniform(-0.1, 0.1, 3), about)


def _axis(rng: np.random.Generator) -> tuple[float, ...]:
    axis = rng.standard_normal(3)
    return tuple((axis / np.linalg.norm(axis)).tolist())


def random_tree(rng: np.random.Generator, floating: bool) -> sg.Robot:
    """Two to four bodies on random joints, branched or not; damped, so that motions are no chaos."""
    count = int(rng.integers(2, 4 if floating else 5))
    links, joints = [Link("world")], []
    if floating:
        links.append(Link("body", _body(rng)))
        joints.append(Joint("fly", Floating(), "world", "body"))
    for i in range(count):
        parent = links[int(rng.integers(1 if floating and i == 0 else max(0, len(links) - 2), len(links)))].name
        kinds = (Revolute(_axis(rng)), Revolute(_axis(rng)), Prismatic(_axis(rng)))
        kind = kinds[int(rng.integers(3))] if i else Revolute(_axis(rng))
        place = from_xyz_rpy(rng.uniform(-0.2, 0.2, 3), rng.uniform(-1.0, 1.0, 3))
        links.append(Link(f"link{i}", _body(rng)))
        joints.append(Joint(f"joint{i}", kind, parent, f"link{i}", place, damping=rng.uniform(0.05, 0.3)))
    return tree("random", links, joints)


def random_loop(rng: np.random.Generator) -> sg.Robot:
    """A four-bar linkage of random lengths in space, or one with ball joints (RSSR): one degree of freedom, or two."""
    crank, coupler, rocker, ground = rng.uniform(0.2, 0.3), *rng.uniform(0.5, 0.7, 2), rng.uniform(0.5, 0.6)
    bodies = [Link("world"), *(Link(name, _body(rng)) for name in ("crank", "coupler", "rocker"))]
    tilt = from_xyz_rpy([0, 0, 0], rng.uniform(-0.5, 0.5, 3))
    along = [from_xyz_rpy([x, 0, 0], [0, 0, 0]) for x in (crank, ground)]
    spherical = rng.random() < 0.3
    joints = [
        Joint("joint1", Revolute(), "world", "crank", tilt, damping=0.1),
        Joint("joint2", Spherical() if spherical else Revolute(), "crank", "coupler", along[0], damping=0.1),
        Joint("joint3", Revolute(), "world", "rocker", tilt @ along[1], damping=0.1),
    ]
    ends = [transform(np.eye(3), np.array([x, 0.0, 0.0])) for x in (coupler, rocker)]
    loop = Loop("pin", Spherical() if spherical else Revolute(), "coupler", "rocker", *ends)
    return tree("random", bodies, joints, loops=[loop])


def random_robot(rng: np.random.Generator, kind: str) -> Subject:
    """A robot of kind "tree", "floating" or "loop", of which a mass and a damping, and maybe a torque, are unknown.

    Sensors are encoders, cameras, and on the last link an IMU; on closed chains a marker of the coupler's pose, since
    that of an RSSR linkage spins where no encoder sees it.
    """
    robot = random_loop(rng) if kind == "loop" else random_tree(rng, kind == "floating")
    if robot.is_closed:
        (q,) = closed_states(robot, 1, seed=int(rng.integers(1000)))
        qd = robot.complete_velocity(q, rng.normal(size=robot.mobility.freedom))
    else:
        q, qd = robot.random(rng), rng.normal(size=robot.nv)
    single = [j.name for j in robot.joints if j.type.nv == 1]
    driven = single[:1] if robot.is_closed else single
    link = robot.links[-1].name
    sensors = [{"sensor": f"at {j}", "joint_position": j, "sigma": ENCODER} for j in single]
    seen = ["body", link] if kind == "floating" else [link]
    sensors += [{"sensor": f"camera {on}", "position": on, "sigma": CAMERA} for on in seen]
    if robot.is_closed:
        sensors.append({"sensor": "marker", "pose": "coupler", "sigma": [ANGLE] * 3 + [CAMERA] * 3})
    else:
        sensors.append({"sensor": "gyro", "gyroscope": link, "sigma": GYROSCOPE})
        sensors.append({"sensor": "acc", "accelerometer": link, "sigma": ACCELEROMETER})
    return Subject(
        robot,
        (q, qd),
        sensors,
        partial(_readings, robot, single=single, seen=seen, link=link),
        {f"{link}.mass": robot.link(link).inertia.mass, f"{single[0]}.damping": robot.joint(single[0]).damping},
        lambda values: _oracle(_changed(robot, values)).forward_dynamics,
        [j.name for j in robot.joints for _ in range(j.type.nv)],
        dict(zip(driven, rng.uniform(-1.0, 1.0, len(driven)), strict=True)),
        driven[:1] if rng.random() < 0.5 else [],
        partial(_tangent, robot),
        partial(_closed, robot),
        list(independent_coordinates(robot) if robot.is_closed else range(robot.nv)),
    )


def _changed(robot: sg.Robot, values: Mapping[str, float]) -> sg.Robot:
    """Return a robot with another mass and damping; centre of mass and inertia about it stay."""
    links, joints = {x.name: x for x in robot.links}, {x.name: x for x in robot.joints}
    for key, value in values.items():
        name, _, kind = key.rpartition(".")
        if kind == "mass":
            body = links[name].inertia
            links[name] = replace(links[name], inertia=SpatialInertia.of_body(value, body.com, body.about_com))
        else:
            joints[name] = replace(joints[name], damping=value)
    return replace(robot, links=tuple(links.values()), joints=tuple(joints.values()))


def _oracle(robot: sg.Robot) -> ConstrainedOracle | Oracle:
    return ConstrainedOracle(robot) if robot.is_closed else oracle(robot)


def _tangent(robot: sg.Robot, q: np.ndarray) -> np.ndarray:
    if not robot.is_closed:
        return np.eye(robot.nv)
    return np.linalg.svd(constraint_jacobian(robot, q))[2][robot.nv - robot.mobility.freedom :].T


def _closed(robot: sg.Robot, q: np.ndarray) -> np.ndarray:
    """Newton's method: the smallest step that closes the linearised loops."""
    while robot.is_closed and np.abs(constraint_residual(robot, q)).max() > 1e-12:
        step = np.linalg.pinv(constraint_jacobian(robot, q), rcond=1e-8) @ constraint_residual(robot, q)
        q = robot.manifold.retract(q, -step)
    return q


def _readings(robot: sg.Robot, run: Run, single: list[str], seen: list[str], link: str) -> Readings:
    found = {f"at {j}": {f"at {j}": (run.q[:, robot.q_slices[j].start], ENCODER)} for j in single}
    poses = [link_poses(robot, q) for q in run.q]
    for on in seen:
        found[f"camera {on}"] = _axes(f"camera {on}", np.array([T[on][:3, 3] for T in poses]), CAMERA)
    if robot.is_closed:
        turns = np.array([Rotation.from_matrix(T["coupler"][:3, :3]).as_quat() for T in poses])
        marker = _axes("marker", np.array([T["coupler"][:3, 3] for T in poses]), CAMERA)
        half = {f"marker_q{x}": (turns[:, i], ANGLE / 2.0) for i, x in enumerate("xyzw")}
        return found | {"marker": marker | half}
    turning, force = imu(robot, run, link)
    return found | {"gyro": _axes("gyro", turning, GYROSCOPE), "acc": _axes("acc", force, ACCELEROMETER)}


def _axes(name: str, values: np.ndarray, sigma: float) -> dict[str, tuple[np.ndarray, float]]:
    return {f"{name}_{x}": (values[:, i], sigma) for i, x in enumerate("xyz")}
