"""How near a robot is to obstacles and to itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from screwgraph.arguments import checked
from screwgraph.compiler import Function
from screwgraph.errors import InputError
from screwgraph.kinematics import compiled, poses_in_world
from screwgraph.plan.collision import AUTO, SHAPES, BodySphere, Shape, apart_pairs, placed_spheres
from screwgraph.robot import Robot
from screwgraph.spatial import minimum, vector


@checked
def minimal_distance(
    robot: Robot,
    obstacles: Sequence[Shape] = (),
    *,
    spheres: Sequence[BodySphere] | str = AUTO,
    itself: bool = True,
    allowed: Sequence[tuple[str, str]] = (),
    each: bool = False,
    dtype: str = "float64",
) -> Function:
    """Return the smallest distance (m) between a robot's spheres and obstacles, or each other: (..., nq) -> (...).

    Distances are negative where shapes overlap. `spheres` stand for the robot, "auto" for those that cover the
    primitive shapes in its file: the distance is then no larger than that of the shapes. `obstacles` are shapes of
    `screwgraph.plan.collision` in the base's frame. With `itself`, spheres on different links count, too, but for links
    that a joint connects, and pairs of links in `allowed`. With `each`, the result (..., n) are the distances of all
    pairs: first obstacle by obstacle those to all spheres, then those of pairs of spheres.

    Raises:
        InputError: no spheres, no pair that could touch, what is no obstacle, or no robot.
    """
    for shape in obstacles:
        if not isinstance(shape, Shape) or SHAPES.get(shape.kind) is not type(shape):
            raise InputError(f"expected an obstacle, got {shape!r}", fix=f"obstacles: {', '.join(SHAPES)}")
    body = placed_spheres(robot, spheres)
    pairs = apart_pairs(robot, body, allowed) if itself else ()
    if not pairs and not obstacles:
        raise InputError("there is nothing that the robot could touch", fix="give obstacles, or itself=True")

    def expression(changed: Robot, q: np.ndarray) -> list[Any]:
        frames = {link: changed.frame(link) for link in body.links}
        poses = poses_in_world(changed, q, [frame.link for frame in frames.values()])
        centres = []
        for link, (*centre, _) in zip(body.links, body.numbers, strict=True):
            T, own = poses[frames[link].link], frames[link].T_lf
            centres.append(T[:3, :3] @ (own[:3, :3] @ np.array(centre) + own[:3, 3]) + T[:3, 3])
        radii = body.numbers[:, 3].tolist()
        found = [
            SHAPES[shape.kind].distance(vector(list(p)), shape.numbers()) - r
            for shape in obstacles
            for p, r in zip(centres, radii, strict=True)
        ]
        for a, b in pairs:
            numbers = vector([*centres[b], radii[b]])
            found.append(SHAPES["sphere"].distance(centres[a], numbers) - radii[a])
        return found if each else [reduce(minimum, found)]

    shape = (len(obstacles) * len(body) + len(pairs),) if each else ()
    asked = (body, tuple(obstacles), pairs, each)
    return compiled("minimal_distance", robot, ("q",), expression, shape, asked=asked).astype(dtype)
