"""A robot's motion as a scene."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.robot import Link, Robot, check_unit, link_poses
from screwgraph.ui.view.page import save_html
from screwgraph.ui.view.scene import Body, Line, Points, Scene, Surface, Vector, normalise
from screwgraph.ui.view.scene_bounds import compute_bounds
from screwgraph.ui.view.skeleton import collect_visuals, list_attachments, robot_size
from screwgraph.ui.view.subsampling import select_states, thin_trail

_FLAT = 0.02
"""Share of its size by which a motion may leave a plane and still be shown as a planar one."""


def robot_scene(
    robot: Robot,
    t: Float[np.ndarray, " N"],
    q: Float[np.ndarray, "N nq"],
    title: str = "",
    *,
    bodies: Sequence[Body] = (),
    lines: Sequence[Line] = (),
    points: Sequence[Points] = (),
    surfaces: Sequence[Surface] = (),
    rate: float | None = None,
) -> Scene:
    """Return a motion of a robot as a scene.

    Args:
        robot: whose links are drawn, under their names.
        t: times (N,), increasing (s).
        q: positions (N, nq).
        title: what stands above; by default the robot's name.
        bodies: other things, such as obstacles: with a pose, or one for each state.
        lines: such as a path to follow; constant, or (N, k, 3) over time.
        points: constant ones, or (N, k, 3) over time.
        surfaces: such as uneven ground.
        rate: keep only about so many states a second (1/s).

    Raises:
        InputError: arrays of the wrong shape or not finite, times that do not increase.
    """
    t, q = _validate_motion(robot, t, q)
    if rate is not None:
        keep = select_states(t, rate)
        lines = [thin_trail(line, len(t), keep) for line in lines]
        points = [thin_trail(some, len(t), keep) for some in points]
        bodies = [replace(b, poses=b.poses[keep]) if np.ndim(b.poses) == 3 else b for b in bodies]
        t, q = t[keep], q[keep]
    poses = [link_poses(robot, state) for state in q]
    visuals = collect_visuals(robot)
    masses = [0.0, *(link.inertia.mass for link in robot.links[1:])]  # the base is part of the world
    links = [
        _body(link, mass, [pose[link.name] for pose in poses], visuals[link.name])
        for link, mass in zip(robot.links, masses, strict=True)
    ]
    up = upward_direction(robot)
    everything = (*links, *bodies)
    deepest = min(
        [lowest_height(everything, up), *(float((s.triangles @ up).min()) for s in surfaces if len(s.triangles))]
    )
    ground = min(0.0, deepest) if surfaces or robot.links[0].visuals or not _is_floating(robot) else 0.0
    return Scene(
        title or robot.name,
        t,
        everything,
        tuple(lines),
        tuple(points),
        up=_vector(up),
        look=_planar_look(robot, q, up),
        ground=ground,
        surfaces=tuple(surfaces),
    )


def export(
    robot: Robot,
    t: Float[np.ndarray, " N"],
    q: Float[np.ndarray, "N nq"],
    path: str | os.PathLike[str],
    title: str = "",
) -> None:
    """Write a motion (N,), (N, nq) of a robot as an HTML page that plays it and needs nothing else.

    Raises:
        InputError: as `robot_scene` and `save_html`.
    """
    save_html(robot_scene(robot, t, q, title, rate=30.0), path)


def upward_direction(robot: Robot) -> Float[np.ndarray, "3"]:
    """Return the unit vector against gravity, z where there is none."""
    g = np.array(robot.gravity)
    return -g / np.linalg.norm(g) if g.any() else np.array([0.0, 0.0, 1.0])


def lowest_height(bodies: Sequence[Body], up: Float[np.ndarray, "3"]) -> float:
    """Return the smallest height that a shape reaches along `up`, over time (m)."""
    return min((float(compute_bounds(body, up)[0]) for body in bodies if body.visuals), default=0.0)


def _validate_motion(robot: Robot, t: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    times, positions = np.asarray(t, dtype=float), np.asarray(q, dtype=float)
    if times.ndim != 1 or positions.shape != (len(times), robot.nq):
        raise InputError(f"t has the shape {times.shape} and q {positions.shape}", fix=f"give (N,) and (N, {robot.nq})")
    if not (np.isfinite(times).all() and np.isfinite(positions).all()):
        raise InputError("the motion is not finite")
    check_unit(robot, positions)
    return times, positions


def _body(link: Link, mass: float, poses: list[np.ndarray], visuals: tuple) -> Body:
    stacked = np.array(poses)
    still = len(stacked) > 1 and bool((stacked == stacked[0]).all())
    return Body(link.name, stacked[0] if still else stacked, visuals, mass, _vector(link.inertia.com))


def _is_floating(robot: Robot) -> bool:
    return bool(robot.joints) and robot.joints[0].type.nv == 6


def _planar_look(robot: Robot, q: Float[np.ndarray, "N nq"], up: Float[np.ndarray, "3"]) -> Vector | None:
    """Return the direction from which a planar motion is seen best: across its plane, a little from above and aside."""
    rng = np.random.default_rng(0)
    states = [robot.random(rng) for _ in range(3)] if not robot.is_closed else list(q[:: max(1, len(q) // 3)])
    points = np.concatenate([_joints(robot, state) for state in states])
    spread = np.linalg.svd(points - points.mean(axis=0))
    if len(points) < 3 or spread.S[2] > _FLAT * max(spread.S[0], 1e-9) or spread.S[1] < _FLAT * robot_size(robot):
        return None
    across = spread.Vh[2]
    if abs(across @ up) > 0.5:
        return None
    across = across if across @ np.array([0.3, -1.0, 0.2]) + (across @ np.array([0.0, 0.0, 4.0])) > 0.0 else -across
    return _vector(normalise(across + 0.25 * up + 0.2 * np.cross(up, across)))


def _joints(robot: Robot, q: Float[np.ndarray, " nq"]) -> Float[np.ndarray, "n 3"]:
    """Return where links begin and end."""
    poses = link_poses(robot, q)
    ends = [
        (poses[k.name] @ [*p, 1.0])[:3]
        for k in robot.links
        if robot.joint_of(k.name)
        for p in list_attachments(robot, k)
    ]
    return np.array([T[:3, 3] for T in poses.values()] + ends)


def _vector(v: Float[np.ndarray, "3"]) -> Vector:
    return (float(v[0]), float(v[1]), float(v[2]))
