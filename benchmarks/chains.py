"""Robots of random revolute joints: serial chains, and a tree with branches."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from screwgraph.model.robot import Joint, Limits, Link, Robot, tree
from screwgraph.model.robot.joints import Revolute
from screwgraph.spatial import SpatialInertia, from_xyz_rpy

SIZES = (5, 10, 20, 50, 100, 200)
LIMB = 10
"""Joints of a limb of the tree."""
SPREAD = 0.1
"""Metres between a body's points, and between joints, in each direction."""


def _robot(parents: Sequence[int]) -> Robot:
    """Return a robot whose joint i has a parent link; each turns about its frame's z, which points anywhere."""
    rng = np.random.default_rng(len(parents))
    links, joints = [Link("link0")], []
    for i, parent in enumerate(parents, start=1):
        points = SPREAD * rng.normal(size=(6, 3))
        about_com = np.sum([p @ p * np.eye(3) - np.outer(p, p) for p in points], axis=0)
        links.append(Link(f"link{i}", SpatialInertia.of_body(1.0, SPREAD * rng.normal(size=3), about_com)))
        place = from_xyz_rpy(SPREAD * rng.normal(size=3), rng.uniform(-math.pi, math.pi, 3))
        limits = Limits(-math.pi, math.pi)
        joints.append(Joint(f"joint{i}", Revolute((0.0, 0.0, 1.0)), f"link{parent}", f"link{i}", place, limits))
    return tree(f"{len(parents)} joints", links, joints)


def serial(count: int) -> Robot:
    """Return a serial chain."""
    return _robot(range(count))


def branched(count: int) -> Robot:
    """Return limbs of ten joints, each on a random link of those before it."""
    rng = np.random.default_rng(0)
    return _robot([int(rng.integers(i + 1)) if i % LIMB == 0 else i for i in range(count)])


SERIAL: Mapping[str, Callable[[], Robot]] = {f"chain {n}": partial(serial, n) for n in SIZES}
CHAINS: Mapping[str, Callable[[], Robot]] = {**SERIAL, "tree 100": partial(branched, 100)}
