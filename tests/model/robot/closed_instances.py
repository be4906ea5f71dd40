"""Small closed chains: one loop of every joint type, and linkages with known answers."""

from __future__ import annotations

import numpy as np

from screwgraph.model.robot import Coupling, Joint, JointType, Link, Loop, Robot, tree
from screwgraph.model.robot.joints import Floating, Prismatic, Revolute, Spherical, Universal
from screwgraph.spatial import SpatialInertia, from_xyz_rpy, inverse, transform


def random_pose(rng: np.random.Generator) -> np.ndarray:
    return from_xyz_rpy(rng.normal(size=3), rng.normal(size=3))


def two_arms(loop_type: JointType, seed: int = 0) -> Robot:
    """Two floating hands on short arms, joined by a loop of the given type, closed at zero, offset frames all over."""
    rng = np.random.default_rng(seed)
    names = ["upper", "fore", "left", "other", "right"]
    kinds = [Revolute((1.0, 2.0, 0.5)), Universal(), Floating(), Prismatic((0.0, 1.0, 1.0)), Spherical()]
    parents = ["base", "upper", "fore", "base", "other"]
    joints = [
        Joint(f"{name}_joint", kind, parent, name, random_pose(rng))
        for name, kind, parent in zip(names, kinds, parents, strict=True)
    ]
    T_pf = random_pose(rng)
    at = {"base": np.eye(4)}
    for joint in joints:
        at[joint.child] = at[joint.parent] @ joint.origin
    T_sf = inverse(at["right"]) @ at["left"] @ T_pf
    return tree(
        "two_arms",
        [Link("base"), *(Link(name) for name in names)],
        joints,
        loops=[Loop("grip", loop_type, "left", "right", T_pf, T_sf)],
    )


def planar_four_bar(
    lengths=(0.5, 1.1, 0.7, 1.0), tilt: np.ndarray | None = None, loop: JointType | None = None
) -> Robot:
    """Crank, coupler and rocker along x at zero, where the loop gapes; turned out of the x-y plane by `tilt`."""
    crank, coupler, rocker, ground = lengths
    T = np.eye(4) if tilt is None else tilt
    body = SpatialInertia.of_body(3.3, np.array([0.3, 0.0, 0.0]), np.diag([0.01, 0.04, 0.042673]))
    joints = [
        Joint("joint1", Revolute(), "ground", "crank", T),
        Joint("joint2", Revolute(), "crank", "coupler", from_xyz_rpy([crank, 0, 0], [0, 0, 0])),
        Joint("joint3", Revolute(), "ground", "rocker", T @ from_xyz_rpy([ground, 0, 0], [0, 0, 0])),
    ]
    ends = [transform(np.eye(3), np.array([length, 0.0, 0.0])) for length in (coupler, rocker)]
    links = [Link("ground"), *(Link(name, body) for name in ("crank", "coupler", "rocker"))]
    return tree("four_bar", links, joints, loops=[Loop("pin", loop or Revolute(), "coupler", "rocker", *ends)])


def geared_pair(ratio: float = 6.0) -> Robot:
    joints = [Joint("joint", Revolute(), "base", "link"), Joint("motor", Revolute(), "base", "rotor")]
    links = [Link("base"), Link("link"), Link("rotor")]
    return tree("geared", links, joints, couplings=[Coupling("gear", {"motor": 1.0, "joint": -ratio})])
