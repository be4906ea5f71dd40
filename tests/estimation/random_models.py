"""Random robots and mechanisms in motion, with random sensors, for statistics of estimates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import screwgraph as sg
from screwgraph.mechanism import observed
from screwgraph.models.mechanism.read_sensors import told_sensors
from screwgraph.robot import Joint, Link, Loop, closed_states, independent_coordinates, link_poses, tree
from screwgraph.robot.joints import Floating, Prismatic, Revolute, Spherical
from screwgraph.spatial import SpatialInertia, from_xyz_rpy, transform
from tests.estimation.robots import imu

DT = 0.01
LOST = 0.3
"""Share of the samples of a sensor that drop out, where any do."""
BELIEVED = 0.2
"""Standard deviation of parameters beforehand, relative to what a file says."""


@dataclass(frozen=True)
class Subject:
    """A model as its file tells it, its true motion, known torques, sensors, and what they would read without noise.

    `independent` are positions and velocities that determine all others; `sigma` of each sensor's columns.
    """

    model: Any
    run: sg.Trajectory
    known: Mapping[str, np.ndarray]
    sensors: Sequence[Mapping[str, Any]]
    readings: Mapping[str, np.ndarray]
    sigma: Mapping[str, float]
    truth: Mapping[str, float]
    independent: Sequence[int]

    def table(self, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """Return noisy readings, of which some drop out, and some come at a lower rate."""
        found = {"t": self.run.t, **self.known}
        every, lossy = int(rng.integers(1, 4)), rng.random() < 0.5
        for k, sensor in enumerate(self.sensors):
            names = [name for name in self.readings if _of(name, sensor["sensor"])]
            gone = rng.random(len(self.run.t)) < (LOST if lossy else 0.0)
            gone |= (np.arange(len(self.run.t)) % every != 0) if k else False
            for name in names:
                noisy = self.readings[name] + self.sigma[name] * rng.standard_normal(len(self.run.t))
                found[name] = np.where(gone, np.nan, noisy)
        return found


def _of(column: str, sensor: str) -> bool:
    return column == sensor or column.startswith(f"{sensor}_")


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


def subject_of_robot(rng: np.random.Generator, kind: str, off: np.ndarray, steps: int = 30) -> Subject:
    """A random robot, whose file says a mass and a damping wrongly; encoders, and on links a camera or an IMU.

    True parameters are `off` (2,) standard deviations from what the file says.
    """
    robot = random_loop(rng) if kind == "loop" else random_tree(rng, kind == "floating")
    if robot.is_closed:
        (q0,) = closed_states(robot, 1, seed=int(rng.integers(1000)))
        qd0 = robot.complete_velocity(q0, rng.normal(size=robot.mobility.freedom))
    else:
        q0, qd0 = robot.random(rng), rng.normal(size=robot.nv)
    single = [j for j in robot.joints if j.type.nv == 1]
    driven = single if not robot.is_closed else single[:1]
    drive, slots = rng.uniform(-1.0, 1.0, len(driven)), [robot.v_slices[j.name].start for j in driven]

    def tau(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        force = np.zeros(robot.nv)
        force[slots] = drive * np.cos(6.0 * t)
        return force

    run = sg.simulate(robot, q0, qd0, time=steps * DT, dt=DT, method="dop853", tau=tau)
    sensors, readings, sigma = [], {}, {}

    def add(name: str, kind: str, on: str, columns: Mapping[str, np.ndarray], spread: float) -> None:
        sensors.append({"sensor": name, kind: on, "sigma": spread})
        for suffix, values in columns.items():
            readings[name + suffix], sigma[name + suffix] = values, spread

    for j in single:
        add(f"at {j.name}", "joint_position", j.name, {"": run.q[:, robot.q_slices[j.name].start]}, 1e-3)
    link = robot.links[-1].name
    where = ["body", link] if kind == "floating" else [link]
    for k, on in enumerate(where):
        place = np.array([link_poses(robot, q)[on][:3, 3] for q in run.q])
        add(f"camera{k}", "position", on, {f"_{x}": place[:, i] for i, x in enumerate("xyz")}, 3e-3)
    if robot.is_closed:  # the coupler of an RSSR linkage spins where no encoder sees it
        poses = [link_poses(robot, q)["coupler"] for q in run.q]
        turns = np.array([Rotation.from_matrix(T[:3, :3]).as_quat() for T in poses])
        place = np.array([T[:3, 3] for T in poses])
        add("marker", "pose", "coupler", {f"_{x}": place[:, i] for i, x in enumerate("xyz")}, 3e-3)
        readings |= {f"marker_q{x}": turns[:, i] for i, x in enumerate("xyzw")}
        sigma |= {f"marker_q{x}": 1.5e-3 for x in "xyzw"}  # half the angle's
    else:
        turning, force = imu(robot, run, link)
        add("gyro", "gyroscope", link, {f"_{x}": turning[:, i] for i, x in enumerate("xyz")}, 1e-2)
        add("acc", "accelerometer", link, {f"_{x}": force[:, i] for i, x in enumerate("xyz")}, 5e-2)
    known = {f"tau:{j.name}": run.tau[:, robot.v_slices[j.name].start] for j in driven}
    joint = single[0].name
    truth = {f"mass:{link}": robot.link(link).inertia.mass, f"damping:{joint}": robot.joint(joint).damping}
    mass, damping = (value / (1.0 + BELIEVED * z) for value, z in zip(truth.values(), off, strict=True))
    told = replace(robot, joints=tuple(replace(j, damping=damping) if j.name == joint else j for j in robot.joints))
    body = robot.link(link).inertia
    wrong = Link(link, SpatialInertia.of_body(mass, body.com, body.about_com))
    told = replace(told, links=tuple(wrong if x.name == link else x for x in told.links))
    independent = independent_coordinates(robot) if robot.is_closed else range(robot.nv)
    return Subject(told, run, known, sensors, readings, sigma, truth, list(independent))


FOUR_BAR = """
points:
  - {{x: 0, y: 0, fixed: true}}
  - {{name: A, x: {x0}, y: {y0}}}
  - {{name: B, x: {x1}, y: {y1}}}
  - {{name: D, x: {g}, y: 0, fixed: true}}
bodies:
  - {{name: crank, points: [0, A], mass: {m0}, I0: mass*length^2/3, cog: [length/2, 0]}}
  - {{name: coupler, points: [A, B], mass: {m1}, I0: mass*length^2/3, cog: [length/2, 0]}}
  - {{name: rocker, points: [B, D], mass: {m2}, I0: mass*length^2/3, cog: [length/2, 0]}}
angles: [{{angle: theta, of: [0, A]}}]
dampers: [{{damper: d, angle: theta, damping: 0.2}}]
motors: [theta]
independent: [theta]
velocities: {{theta: {w}}}
"""
PENDULUM = """
points:
  - {{x: 0, y: 0, fixed: true}}
  - {{name: A, x: {x0}, y: {y0}}}
  - {{name: B, x: {x1}, y: {y1}}}
  - {{name: wall, x: {g}, y: 1, fixed: true}}
bodies:
  - {{name: upper, points: [0, A], mass: {m0}, I0: mass*length^2/3, cog: [length/2, 0]}}
  - {{name: lower, points: [A, B], mass: {m1}, I0: mass*length^2/3, cog: [length/2, 0]}}
angles: [{{angle: theta, of: [0, A]}}, {{angle: phi, of: [A, B], from: [0, A]}}]
springs: [{{spring: s, between: [B, wall], stiffness: {m2}, rest: 0.5}}]
dampers: [{{damper: d, angle: phi, damping: 0.1}}]
motors: [theta]
independent: [theta, phi]
velocities: {{theta: {w}, phi: 0.5}}
"""


def subject_of_mechanism(rng: np.random.Generator, folder: Any, off: np.ndarray, steps: int = 30) -> Subject:
    """A random four-bar linkage, or a double pendulum on a spring; its true mass is `off` from what the file says."""
    text = (FOUR_BAR, PENDULUM)[int(rng.integers(2))]
    a, b, c = rng.uniform(0.2, 0.4), rng.uniform(-0.5, 0.5), rng.uniform(0.5, 0.9)
    places = {"x0": a * np.cos(b), "y0": a * np.sin(b), "x1": 0.6 + 0.2 * rng.random(), "y1": c, "g": 1.0}
    masses = {f"m{i}": rng.uniform(0.5, 2.0) for i in range(3)}
    path = folder / f"random{int(rng.integers(10**9))}.yaml"
    path.write_text(text.format(**places, **masses, w=rng.uniform(-2.0, 2.0)))
    mechanism = sg.load_mechanism(path)
    body = mechanism.bodies[-1].name
    drive = rng.uniform(-2.0, 2.0)

    def tau(t: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
        return [drive * np.cos(6.0 * t)]

    run = sg.simulate(mechanism, time=steps * DT, dt=DT, method="dop853", tau=tau)
    bodies = [b.name for b in mechanism.bodies]
    sensors = [{"sensor": "encoder", "angle": "theta", "sigma": 1e-3}]
    sensors += [{"sensor": f"gyro {name}", "gyroscope": name, "sigma": 1e-2} for name in bodies]
    sensors += [{"sensor": "camera", "position": "B", "sigma": 3e-3}]
    sensors += [{"sensor": "acc", "accelerometer": body, "at": [0.1, 0.05], "sigma": 5e-2}]
    told = told_sensors(mechanism, sensors)
    readings = observed(mechanism, {"q": run.q, "v": run.qd, "a": run.qdd}, told)
    sigma = {name: s.sigma for s in told for name in readings if _of(name, s.name)}
    value = float(mechanism.bodies[-1].mass)
    nominal = sg.load_mechanism(path, {f"mass:{body}": value / (1.0 + BELIEVED * off[0])})
    independent = [mechanism.index(name) for name in mechanism.independent_coordinates]
    known = {"tau:theta": run.tau[:, 0]}
    return Subject(nominal, run, known, sensors, readings, sigma, {f"mass:{body}": value}, independent)
