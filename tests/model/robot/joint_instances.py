"""Instances of every joint type of the registry, and small robots that they move."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from screwgraph.model.robot import JOINT_TYPES, Joint, JointType, Link, Robot, tree
from screwgraph.model.robot.joints import Prismatic, Revolute
from screwgraph.spatial import from_xyz_rpy
from tests.agreement import random_inertia

RANDOM_INSTANCES = 2
GRAVITY = (1.5, -2.0, -9.0)


def instances() -> dict[str, JointType]:
    """Return, for each type, the one with default parameters and some with random ones, by a readable name."""
    rng = np.random.default_rng(11)
    found: dict[str, JointType] = {}
    for kind in dict.fromkeys(JOINT_TYPES.values()):
        found[f"{kind.__name__.lower()}-default"] = kind()
        for number in range(RANDOM_INSTANCES if fields(kind) else 0):
            found[f"{kind.__name__.lower()}-{number}"] = _random_instance(kind, rng)
    return found


def alone(joint_type: JointType) -> Robot:
    """Return a robot of one joint and one body."""
    rng = np.random.default_rng(12)
    return tree("alone", [Link("base"), _link("body", rng)], [_joint("joint", joint_type, "base", "body", rng)], **_G)


def in_a_tree(joint_type: JointType, losses: float = 0.0) -> Robot:
    """Return a robot whose base swings, and carries a slider and the joint; a hand hangs on the joint's body.

    `losses` scales random damping and rotor inertia of all joints.
    """
    rng = np.random.default_rng(13)
    joints = [
        _joint("swing", Revolute(_axis(rng)), "base", "arm", rng, losses),
        _joint("slider", Prismatic(_axis(rng)), "arm", "sledge", rng, losses),
        _joint("joint", joint_type, "arm", "body", rng, losses if joint_type.nv else 0.0),
        _joint("wrist", Revolute(_axis(rng)), "body", "hand", rng, losses),
    ]
    return tree("in_a_tree", [Link("base"), *(_link(joint.child, rng) for joint in joints)], joints, **_G)


_G: dict[str, Any] = {"gravity": GRAVITY}


def _random_instance(kind: type, rng: np.random.Generator) -> JointType:
    """Give every axis and every number of a joint type a random value."""
    assert all(field.default is not MISSING for field in fields(kind)), "parameters of joint types have defaults"
    values = {field.name: _axis(rng) if isinstance(field.default, tuple) else rng.normal() for field in fields(kind)}
    return kind(**values)


def _axis(rng: np.random.Generator) -> tuple[float, float, float]:
    x, y, z = rng.normal(size=3)
    return (float(x), float(y), float(z))


def _link(name: str, rng: np.random.Generator) -> Link:
    return Link(name, random_inertia(rng))


def _joint(
    name: str, type_: JointType, parent: str, child: str, rng: np.random.Generator, losses: float = 0.0
) -> Joint:
    origin = from_xyz_rpy(rng.normal(size=3), rng.normal(size=3))
    damping, armature = losses * rng.uniform(0.1, 1.0, 2)
    return Joint(name, type_, parent, child, origin, damping=damping, armature=armature)
