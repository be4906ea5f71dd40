"""The models of the conformance test, and states at which their queries are compared."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import screwgraph as sg
from screwgraph.mechanics.mechanism import acceleration_problem, position_problem, velocity_problem
from tests.robots import robot_file

MODELS = ("puma560", "a1", "five_bar", "cassie_leg", "four_bar", "slider_crank", "parallel_robot", "damped_crank")
MECHANISMS = ("four_bar", "slider_crank", "parallel_robot", "damped_crank")
ROBOTS = tuple(name for name in MODELS if name not in MECHANISMS)
LARGE = ("cassie_leg", "parallel_robot", "damped_crank")
"""Models that the long suites alone try: each answer takes seconds."""
OWN = ("cassie_leg", "damped_crank")
"""Models that are not built in: commands read them from a file."""
DAMPED_CRANK = """
name: damped_crank
points:
  - {name: O, x: 0, y: 0, fixed: true}
  - {name: A, x: 0.16, y: 0.12}
  - {name: B, x: 0.85, y: 0.05}
  - {name: G, x: 0.3, y: 0.05, fixed: true}
  - {name: H, x: 1.5, y: 0.15, fixed: true}
bodies:
  - {name: crank, points: [O, A], length: 0.2, mass: 0.8, I0: mass*length^2/3, cog: [length/2, 0]}
  - {name: rod, points: [A, B], length: 0.7, mass: 1.0, I0: mass*length^2/3, cog: [length/2, 0]}
sliders: [{slider: piston, point: B, along: [G, H]}]
angles: [{angle: crank, of: [O, A]}]
springs: [{spring: return, between: [B, H], stiffness: 60, rest: 0.6}]
dampers:
  - {damper: ring, between: [B, H], damping: 4, friction: 0.1}
  - {damper: bearing, angle: crank, damping: 0.05, friction: 0.005}
motors: [crank]
independent: [crank]
"""
TREES = ("puma560", "a1")


@cache
def model_of(name: str) -> Any:
    """Return a model; the leg is Cassie's left one, undamped, its pelvis and the spring of its heel locked."""
    if name in MECHANISMS:
        return sg.load_mechanism(DAMPED_CRANK if name == "damped_crank" else name)
    if name == "cassie_leg":
        file = robot_file("cassie_simple.sdf")
        right = [joint for joint in sg.load(file).joint_names if joint.startswith("right")]
        return sg.load(file, lock=[*right, "static", "left-tarsus-spring-joint"], damping=False)
    return sg.load(name, base="floating" if name == "a1" else "fixed")


@dataclass(frozen=True)
class State:
    """An allowed state, torques and forces of what drives the model, and the accelerations that these cause."""

    q: np.ndarray
    qd: np.ndarray
    tau: np.ndarray
    qdd: np.ndarray

    @property
    def torques(self) -> tuple[np.ndarray, ...]:
        """The argument tau of functions: none where nothing drives the model."""
        return (self.tau,) if self.tau.size else ()


@cache
def state_of(name: str) -> State:
    """Return a state beside the one at which a model is drawn; a closed robot's independent joints drive it."""
    model, rng = model_of(name), np.random.default_rng(3)
    if name in MECHANISMS:
        z = model.independent_coordinates
        q = position_problem(model, {c: model.home[model.index(c)] + 0.1 * rng.standard_normal() for c in z})
        qd = velocity_problem(model, q, {c: float(rng.standard_normal()) for c in z})
        tau = rng.standard_normal(len(model.motors))
    else:
        q = (
            model.neutral()
            if name == "a1"
            else model.close_loops(model.neutral() + 0.2 * rng.standard_normal(model.nq))
        )
        independent = np.concatenate([np.r_[model.v_slices[j]] for j in model.independent_joints])
        qd, tau = np.zeros(model.nv), np.zeros(model.nv)
        qd[independent] = 0.3 * rng.standard_normal(len(independent))
        qd = model.complete_velocity(q, qd[independent]) if model.is_closed else qd
        tau[independent] = rng.standard_normal(len(independent))
    return State(q, qd, tau, sg.forward_dynamics(model)(q, qd, *((tau,) if tau.size else ())))


def independent_of(name: str) -> np.ndarray:
    """Return the places in qd of the independent coordinates."""
    model = model_of(name)
    if name in MECHANISMS:
        return np.array(model.freedom.independent)
    return np.concatenate([np.r_[model.v_slices[joint]] for joint in model.independent_joints])


def driven_of(name: str) -> np.ndarray:
    """Return the places in qd of what torques act on."""
    model = model_of(name)
    if name in MECHANISMS:
        return np.array(list(model.motor_slots), dtype=int)
    return np.arange(model.nv)


def allowed_acceleration(name: str) -> np.ndarray:
    """Return accelerations that a mechanism's constraints allow, and forward dynamics did not make."""
    model, state = model_of(name), state_of(name)
    wanted = dict.fromkeys(model.independent_coordinates, 0.7)
    return acceleration_problem(model, state.q, state.qd, wanted)


def coordinates_of(robot: sg.Robot, joint: Any, q: np.ndarray) -> list[tuple[str, float]]:
    """Return the names of a joint's coordinates in tables, and their values."""
    own = q[robot.q_slices[joint.name]]
    return [(joint.name if len(own) == 1 else f"{joint.name}[{i}]", float(x)) for i, x in enumerate(own)]


def held_joint(name: str) -> tuple[str, int]:
    """Return a driven joint whose acceleration may be given in the place of its torque, and its place among these."""
    model = model_of(name)
    if name in MECHANISMS:
        return next(iter(model.motors), "none"), 0
    joint = model.independent_joints[-1]
    return joint, model.v_slices[joint].start


def damping_forces(name: str) -> np.ndarray:
    """Return what dampers and friction add to the nonlinear effects at a model's state (N, N m), by their laws."""
    model, s = model_of(name), state_of(name)
    if name in ROBOTS:
        return np.concatenate([np.full(joint.type.nv, joint.damping) for joint in model.joints]) * s.qd
    found = np.zeros(model.n)
    for damper in model.dampers:
        row = np.zeros(model.n)  # the rate is row @ qd
        if damper.points is None:
            row[model.angle_slots[damper.angle]] = 1.0
        else:
            ends = [model.points[i].name for i in damper.points]
            way = model.position(s.q, ends[1]) - model.position(s.q, ends[0])
            for i, sign in zip(damper.points, (-1.0, 1.0), strict=True):
                for slot, part in zip(model.point_slots[i], way / np.linalg.norm(way), strict=True):
                    if isinstance(slot, int):
                        row[slot] += sign * part
        rate = row @ s.qd
        found += row * (damper.damping * rate + damper.friction * np.tanh(rate / 0.01))
    return found
