"""The motion of a mechanism as a scene."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from screwgraph import Mechanism

if TYPE_CHECKING:
    from screwgraph.mechanism import Body as MechanismBody
    from screwgraph.robot import Visual
    from screwgraph.view import Body, Line, Scene

RATE = 30.0
THICK = 0.02
"""Radius of rods, relative to the size of a mechanism."""
GROUND, JOINT, SPRING = "#333333", "#888888", "#2a7f62"


def mechanism_scene(mechanism: Mechanism, t: Float[np.ndarray, " N"], q: Float[np.ndarray, "N n"]) -> Scene:
    """Return rods between the points of each body, joints, springs and guides, in the x-y plane."""
    from screwgraph.view import Points, Scene, thinned

    t, q = thinned(t, q, rate=RATE)
    places = np.stack([_in_space(mechanism.position(q, i)) for i in range(len(mechanism.points))], axis=1)
    size = float(np.ptp(places[..., :2].reshape(-1, 2), axis=0).max()) or 1.0
    fixed = np.array([point.fixed for point in mechanism.points])
    joints = [Points("joints", places[:, ~fixed], radius=1.3 * THICK * size, colour=JOINT)]
    if fixed.any():
        joints.append(Points("ground", places[0, fixed], radius=1.8 * THICK * size, colour=GROUND))
    return Scene(
        f"Motion of {mechanism.name}",
        t,
        bodies=tuple(_body(body, places, THICK * size) for body in mechanism.bodies),
        lines=tuple(_lines(mechanism, places)),
        points=tuple(joints),
        up=(0, 1, 0),
        look=(0, 0, 1),
        ground=None,
    )


def _in_space(path: Float[np.ndarray, "N 2"]) -> Float[np.ndarray, "N 3"]:
    return np.concatenate([path, np.zeros((len(path), 1))], axis=1)


def _body(body: MechanismBody, places: Float[np.ndarray, "N points 3"], radius: float) -> Body:
    from screwgraph.view import Body

    first, second = (places[:, i] for i in body.base)
    along = (second - first) / np.linalg.norm(second - first, axis=1, keepdims=True)
    poses = np.tile(np.eye(4), (len(places), 1, 1))
    poses[:, 0, 0], poses[:, 1, 0] = along[:, 0], along[:, 1]
    poses[:, 0, 1], poses[:, 1, 1] = -along[:, 1], along[:, 0]
    poses[:, :3, 3] = first
    return Body(body.name, poses, tuple(_rods(body, radius)))


def _rods(body: MechanismBody, radius: float) -> list[Visual]:
    from screwgraph.view import link_between

    corners = [np.array([float(x), float(y), 0.0]) for x, y in body.shape]
    return [link_between(p, q, radius) for p, q in combinations(corners, 2)]


def _lines(mechanism: Mechanism, places: Float[np.ndarray, "N points 3"]) -> list[Line]:
    from screwgraph.view import Line

    springs = [Line(s.name, places[:, list(s.points)], SPRING, 3.0) for s in mechanism.springs if s.points is not None]
    return springs + [Line(s.name, places[:, list(s.guide)], GROUND, 1.0) for s in mechanism.sliders]
