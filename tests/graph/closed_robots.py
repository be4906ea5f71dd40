"""Closed robots with mass, and how tests evaluate what a graph says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from screwgraph.elimination import Dag
from screwgraph.graph import Column, Key
from screwgraph.model.formats import load
from screwgraph.model.robot import Coupling, JointType, Link, Operation, Position, Robot
from screwgraph.model.robot.joints import Fixed, Helical, Planar, Prismatic, Revolute, Spherical, Universal
from screwgraph.tape import program
from tests.agreement import random_inertia
from tests.closed_oracle import Motion
from tests.model.robot.closed_instances import geared_pair, two_arms

LOOP_TYPES: dict[str, JointType] = {
    "revolute": Revolute((1.0, 2.0, -0.5)),
    "prismatic": Prismatic((0.3, 1.0, 0.0)),
    "helical": Helical((0.0, 1.0, 1.0), 0.2),
    "universal": Universal(axis2=(0.3, 1.0, 0.2)),
    "spherical": Spherical(),
    "planar": Planar((1.0, 1.0, 0.2)),
    "fixed": Fixed(),
}
SLIDER = Coupling(
    "slider",
    {"other_joint": 1.0},
    0.0,
    Operation("*", (Operation("sin", (Position("upper_joint"),)), Operation("cos", (Position("other_joint"),)))),
)
"""An equation whose coefficients depend on the position."""


def heavy(robot: Robot, seed: int = 0) -> Robot:
    """Give every link an inertia of no symmetry."""
    rng = np.random.default_rng(seed)
    return replace(robot, links=tuple(Link(link.name, random_inertia(rng)) for link in robot.links))


def closed_robots() -> dict[str, Robot]:
    """Return closed chains of all sorts."""
    zoo = {name: load(name) for name in ("five_bar", "four_bar_linkage", "belt_leg", "differential")}
    loops = {f"{name} loop": heavy(two_arms(kind)) for name, kind in LOOP_TYPES.items()}
    coupled = {"gears": heavy(geared_pair()), "equation": heavy(replace(two_arms(Revolute()), couplings=(SLIDER,)))}
    return zoo | loops | coupled


def values(dag: Dag, robot: Robot, wanted: Sequence[Column], motion: Motion) -> np.ndarray:
    """Evaluate unknowns, one row a state."""
    known = {}
    for joint in robot.joints:
        for kind, slices in (("q", robot.q_slices), ("qd", robot.v_slices), ("qdd", robot.v_slices)):
            known |= _named(Key(kind, joint.name), getattr(motion, kind)[:, slices[joint.name]])
        known |= _named(Key("tau", joint.name), motion.tau[:, robot.v_slices[joint.name]])
    code = program(dag.equations.tape, [dag.solution[column] for column in wanted])
    found = code.evaluate([known[name] for name in code.input_names])
    return np.stack(np.broadcast_arrays(*found, np.zeros(len(motion.q)))[:-1], axis=1)


def scalars(robot: Robot, kind: str, joints: Sequence[str] | None = None) -> list[Column]:
    """Return the numbers of all joints' variables, or those of some."""
    names = robot.joint_names if joints is None else joints
    return [(Key(kind, name), i) for name in names for i in range(robot.joint(name).type.nv)]


def _named(key: Key, columns: np.ndarray) -> dict[str, np.ndarray]:
    return {f"{key}[{i}]": columns[:, i] for i in range(columns.shape[1])}
