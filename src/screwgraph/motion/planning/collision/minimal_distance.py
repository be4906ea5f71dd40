"""How near a robot is to obstacles and to itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.compiler import Function
from screwgraph.mechanics.kinematics import compile_kinematics, poses_in_world
from screwgraph.model.robot import Robot
from screwgraph.motion.planning.collision.capsules import CAPSULES, BodyCapsule, placed_capsules
from screwgraph.motion.planning.collision.collision_pairs import apart_pairs, pairs_of
from screwgraph.motion.planning.collision.shapes import SHAPES, Shape
from screwgraph.motion.planning.collision.shapes.base import TINY
from screwgraph.motion.planning.collision.shapes.segment_distance import squared_segment_distance
from screwgraph.motion.planning.collision.spheres import BodySphere
from screwgraph.spatial import Array, minimum, sqrt, vector


@check_arguments
def minimal_distance(
    robot: Robot,
    obstacles: Sequence[Shape] = (),
    *,
    shapes: Sequence[BodySphere | BodyCapsule] | str = CAPSULES,
    itself: bool = True,
    allowed: Sequence[tuple[str, str]] = (),
    each: bool = False,
    dtype: str = "float64",
) -> Function:
    """Return the smallest distance (m) between a robot's shapes and obstacles, or each other: (..., nq) -> (...).

    Distances are negative where shapes overlap. `shapes` stand for the robot: spheres and capsules on its links, or
    "capsules" for one about each collision shape of its file, meshes included, "spheres" for spheres that cover them:
    the distance is then no larger than that of the shapes, and equal for capsules and spheres. `obstacles` are shapes
    of `screwgraph.motion.planning.collision` in the base's frame. With `itself`, shapes on different links count, too,
    but for links that a joint connects, and pairs of links in `allowed`. With `each`, the result (..., n) are the
    distances of all pairs: first obstacle by obstacle those to all shapes, then those of pairs of shapes. Capsules that
    pass through each other's axes are minus the sum of their radii apart.

    Raises:
        InputError: no shapes, no pair that could touch, what is no obstacle, or no robot.
    """
    for shape in obstacles:
        if not isinstance(shape, Shape) or SHAPES.get(shape.kind) is not type(shape):
            raise InputError(f"expected an obstacle, got {shape!r}", fix=f"obstacles: {', '.join(SHAPES)}")
    body = placed_capsules(robot, shapes)
    if not itself and not obstacles:
        raise InputError("there is nothing that the robot could touch", fix="give obstacles, or itself=True")
    own = pairs_of if obstacles else apart_pairs
    pairs = own(robot, body, allowed) if itself else ()

    def expression(changed: Robot, q: np.ndarray) -> list[Any]:
        frames = {link: changed.frame(link) for link in body.links}
        poses = poses_in_world(changed, q, [frame.link for frame in frames.values()])
        parts = []
        for link, numbers in zip(body.links, body.numbers, strict=True):
            T, own = poses[frames[link].link], frames[link].T_lf
            start = T[:3, :3] @ (own[:3, :3] @ numbers[:3] + own[:3, 3]) + T[:3, 3]
            way = T[:3, :3] @ (own[:3, :3] @ numbers[3:6]) if numbers[3:6].any() else np.zeros(3)
            parts.append((start, way, float(numbers[6])))
        found = [_distance_to_obstacle(shape, *part) for shape in obstacles for part in parts]
        found += [_capsule_distance(parts[a], parts[b]) for a, b in pairs]
        return found if each else [reduce(minimum, found)]

    shape = (len(obstacles) * len(body) + len(pairs),) if each else ()
    asked = (body, tuple(obstacles), pairs, each)
    return compile_kinematics("minimal_distance", robot, ("q",), expression, shape, asked=asked).astype(dtype)


def _distance_to_obstacle(obstacle: Shape, start: Array, way: Array, radius: float) -> Any:
    """Return the distance of an obstacle from a capsule, or a sphere if it has no length."""
    kind, numbers = SHAPES[obstacle.kind], obstacle.numbers()
    is_sphere = isinstance(way[0], float) and not way.any()
    found = kind.distance(vector(list(start)), numbers) if is_sphere else kind.to_segment(start, way, numbers)
    return found - radius


def _capsule_distance(one: tuple[Array, Array, float], other: tuple[Array, Array, float]) -> Any:
    (a, u, r), (b, v, s) = one, other
    return sqrt(squared_segment_distance(a, u, b, v) + TINY) - (r + s)
