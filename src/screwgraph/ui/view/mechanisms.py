"""A mechanism's motion as a scene; one in the plane is seen from the front."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TypeAlias

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.mechanics.kinematics import forward_kinematics
from screwgraph.mechanics.mechanism import Body as MechanismBody
from screwgraph.mechanics.mechanism import Mechanism
from screwgraph.ui.view.primitive_parts import link_between
from screwgraph.ui.view.scene import Body, Line, Points, Scene
from screwgraph.ui.view.skeleton import JOINT, PALETTE
from screwgraph.ui.view.subsampling import select_states, thin_trail

Path: TypeAlias = Float[np.ndarray, "N 3"]
DEPTH = 2.2
"""By how many radii bodies lie before one another, so that crossing ones can be told apart."""


def mechanism_scene(
    mechanism: Mechanism,
    t: Float[np.ndarray, " N"],
    q: Float[np.ndarray, "N n"],
    title: str = "",
    *,
    lines: Sequence[Line] = (),
    rate: float | None = None,
) -> Scene:
    """Return a motion of a mechanism as a scene: times (s), coordinates (m, rad), about `rate` states a second.

    `lines` stand beside it, such as coupler curves.

    Raises:
        InputError: arrays of the wrong shape or not finite, times that do not increase.
    """
    t, q = np.asarray(t, dtype=float), np.asarray(q, dtype=float)
    if t.ndim != 1 or q.shape != (len(t), mechanism.n) or not np.isfinite(q).all():
        raise InputError(
            f"t has the shape {t.shape} and q {q.shape}", fix=f"give (N,) and finite numbers (N, {mechanism.n})"
        )
    if rate is not None:
        keep = select_states(t, rate)
        lines = [thin_trail(line, len(t), keep) for line in lines]
        t, q = t[keep], q[keep]
    paths = [_in_space(mechanism.position(q, i)) for i in range(len(mechanism.points))]
    everything = np.concatenate(paths)
    radius = 0.012 * (float(np.linalg.norm(np.ptp(everything, axis=0))) or 1.0)
    fixed = [path[0] for point, path in zip(mechanism.points, paths, strict=True) if point.fixed]
    free = [path for point, path in zip(mechanism.points, paths, strict=True) if not point.fixed]
    marks = [Points("", np.stack(free, axis=1), 1.4 * radius, JOINT)] if free else []
    marks += [Points("fixed points", np.array(fixed), 1.8 * radius, "#c0392b")] if fixed else []
    is_planar = mechanism.dimension == 2
    draw = _planar_body if is_planar else partial(_spatial_body, mechanism, q)
    return Scene(
        title or mechanism.name,
        t,
        tuple(draw(body, i, paths, radius) for i, body in enumerate(mechanism.bodies)),
        (*_guides(mechanism, q, paths), *lines),
        tuple(marks),
        up=(0.0, 1.0, 0.0) if is_planar else (0.0, 0.0, 1.0),
        look=(0.1, 0.15, 1.0) if is_planar else (0.6, -1.0, 0.5),
        ground=None,
    )


def mechanism_extent(mechanism: Mechanism) -> tuple[float, float]:
    """Return the size (m), the diagonal of the box of its points, and the weight (N) of a mechanism."""
    points = np.asarray(forward_kinematics(mechanism, [point.name for point in mechanism.points])(mechanism.home))
    mass = sum(float(body.mass) for body in mechanism.bodies)
    return float(np.linalg.norm(np.ptp(points[:, :3, 3], axis=0))) or 1.0, mass * float(
        np.linalg.norm(mechanism.gravity)
    )


def _planar_body(body: MechanismBody, number: int, paths: list[Path], radius: float) -> Body:
    """Lay a body's frame through its first two points, and rods between its points as they follow one another."""
    first, second = (paths[i] for i in body.base)
    x = (second - first) / np.linalg.norm(second[0] - first[0])  # of constant length: poses are affine in coordinates
    poses = np.tile(np.eye(4), (len(first), 1, 1))
    poses[:, :3, 0], poses[:, 0, 1], poses[:, 1, 1], poses[:, :3, 3] = x, -x[:, 1], x[:, 0], first
    corners = [np.array([float(a), float(b), DEPTH * radius * (number % 2)]) for a, b in body.shape]
    ends = corners[1:] + corners[:1] if len(corners) > 2 else corners[1:]
    rods = (link_between(p, r, radius, PALETTE[number % 2]) for p, r in zip(corners, ends, strict=False))
    return Body(body.name, poses, tuple(rods), float(body.mass), (float(body.com[0]), float(body.com[1]), 0.0))


def _spatial_body(
    mechanism: Mechanism,
    q: Float[np.ndarray, "N n"],
    body: MechanismBody,
    number: int,
    paths: list[Path],
    radius: float,
) -> Body:
    """Lay a body's frame, rods from its first point to the others, and short rods along its vectors there."""
    origin = paths[body.points[0]]
    ways = np.stack([mechanism.way(q, line) for line in body.lines])
    if body.is_rod:
        R = np.stack([_complete_axes(x) for x in ways[0]])
    else:
        R = np.stack(
            [np.tensordot(np.array(body.coefficients(axis), dtype=float), ways, 1) for axis in np.eye(3).tolist()],
            axis=-1,
        )
    poses = np.tile(np.eye(4), (len(q), 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = R, origin
    places, com = np.array(body.shape, dtype=float), np.array(body.com, dtype=float)
    colour = PALETTE[number % 2]
    if body.is_rod:  # its frame is that of its line
        first = places[body.basis[0]] / np.linalg.norm(places[body.basis[0]])
        places, com = np.outer(places @ first, np.eye(3)[0]), np.array([com @ first, 0.0, 0.0])
    count = len(body.points)
    rods = [link_between(places[0], place, radius, colour) for place in places[1:count]]
    axes = [link_between(-4 * radius * u, 4 * radius * u, 0.6 * radius, JOINT) for u in places[count:]]
    return Body(body.name, poses, (*rods, *axes), float(body.mass), (com[0], com[1], com[2]))


def _complete_axes(x: Float[np.ndarray, "3"]) -> Float[np.ndarray, "3 3"]:
    """Return axes of which the first is along a line."""
    x = x / np.linalg.norm(x)
    y = np.cross(x, np.eye(3)[np.argmin(np.abs(x))])
    y = y / np.linalg.norm(y)
    return np.stack([x, y, np.cross(x, y)], axis=1)


def _guides(mechanism: Mechanism, q: Float[np.ndarray, "N n"], paths: list[Path]) -> list[Line]:
    """Return guides of sliders and springs as lines; guides along vectors reach as far as their points slide."""
    ends = [(s.name, s.points) for s in mechanism.springs if s.points is not None]
    found = [Line(name, np.stack([paths[a], paths[b]], axis=1), width=1.5) for name, (a, b) in ends]
    for i, slider in enumerate(mechanism.sliders):
        first = paths[slider.guide[0]]
        way, reach = _in_space(mechanism.way(q, mechanism.guide_line(slider))), 1.0
        if slider.guide[1] >= len(paths):
            distances = q[:, mechanism.distance_slots[i]]
            reach = float(distances[np.argmax(np.abs(distances))])
        found.append(Line(slider.name, np.stack([first, first + reach * way], axis=1), width=1.5))
    return found


def _in_space(path: Float[np.ndarray, "N d"]) -> Float[np.ndarray, "N 3"]:
    return np.concatenate([path, np.zeros((len(path), 3 - path.shape[1]))], axis=1)
