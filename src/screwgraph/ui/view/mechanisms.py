"""A planar mechanism's motion as a scene, seen from the front."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.mechanics.mechanism import Body as PlanarBody
from screwgraph.mechanics.mechanism import Mechanism
from screwgraph.ui.view.primitive_parts import link_between
from screwgraph.ui.view.scene import Body, Line, Points, Scene
from screwgraph.ui.view.skeleton import JOINT, PALETTE
from screwgraph.ui.view.subsampling import select_states

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
    """Return a motion of a planar mechanism as a scene: times (s), coordinates (m, rad), about `rate` states a second.

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
        t, q = t[keep], q[keep]
    paths = [_in_space(mechanism.position(q, i)) for i in range(len(mechanism.points))]
    everything = np.concatenate(paths)
    radius = 0.012 * (float(np.linalg.norm(np.ptp(everything, axis=0))) or 1.0)
    fixed = [path[0] for point, path in zip(mechanism.points, paths, strict=True) if point.fixed]
    free = [path for point, path in zip(mechanism.points, paths, strict=True) if not point.fixed]
    marks = [Points("", np.stack(free, axis=1), 1.4 * radius, JOINT)] if free else []
    marks += [Points("fixed points", np.array(fixed), 1.8 * radius, "#c0392b")] if fixed else []
    return Scene(
        title or mechanism.name,
        t,
        tuple(_body(body, i, paths, radius) for i, body in enumerate(mechanism.bodies)),
        (*_guides(mechanism, paths), *lines),
        tuple(marks),
        up=(0.0, 1.0, 0.0),
        look=(0.1, 0.15, 1.0),
        ground=None,
    )


def _body(body: PlanarBody, number: int, paths: list[Float[np.ndarray, "N 3"]], radius: float) -> Body:
    """Lay a body's frame through its first two points, and rods between its points as they follow one another."""
    first, second = (paths[i] for i in body.base)
    x = (second - first) / np.linalg.norm(second - first, axis=1)[:, None]
    poses = np.tile(np.eye(4), (len(first), 1, 1))
    poses[:, :3, 0], poses[:, 0, 1], poses[:, 1, 1], poses[:, :3, 3] = x, -x[:, 1], x[:, 0], first
    corners = [np.array([float(a), float(b), DEPTH * radius * (number % 2)]) for a, b in body.shape]
    ends = corners[1:] + corners[:1] if len(corners) > 2 else corners[1:]
    rods = (link_between(p, r, radius, PALETTE[number % 2]) for p, r in zip(corners, ends, strict=False))
    return Body(body.name, poses, tuple(rods))


def _guides(mechanism: Mechanism, paths: list[Float[np.ndarray, "N 3"]]) -> list[Line]:
    """Return guides of sliders and springs as lines."""
    ends = [(slider.name, slider.guide) for slider in mechanism.sliders]
    ends += [(spring.name, spring.points) for spring in mechanism.springs if spring.points is not None]
    return [Line(name, np.stack([paths[a], paths[b]], axis=1), width=1.5) for name, (a, b) in ends]


def _in_space(path: Float[np.ndarray, "N 2"]) -> Float[np.ndarray, "N 3"]:
    return np.column_stack([path, np.zeros(len(path))])
