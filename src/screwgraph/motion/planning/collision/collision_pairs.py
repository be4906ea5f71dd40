"""Which of a robot's own spheres must not touch each other."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.base.errors import InputError
from screwgraph.model.robot import Robot
from screwgraph.motion.planning.collision.capsules import Capsules
from screwgraph.motion.planning.collision.spheres import Spheres


def apart_pairs(
    robot: Robot, spheres: Spheres | Capsules, allowed: Sequence[tuple[str, str]]
) -> tuple[tuple[int, int], ...]:
    """Return the pairs that `pairs_of` finds. Raises InputError where there is none, and as `pairs_of` does."""
    pairs = pairs_of(robot, spheres, allowed)
    if not pairs:
        raise InputError(
            "no two of the robot's shapes could touch", why="all are on one link, on neighbours, or on allowed pairs"
        )
    return pairs


def pairs_of(
    robot: Robot, spheres: Spheres | Capsules, allowed: Sequence[tuple[str, str]]
) -> tuple[tuple[int, int], ...]:
    """Return pairs of spheres or capsules on different links that no joint connects, and that may not touch.

    Raises:
        InputError: `allowed` names what is no link or frame.
    """
    for link in {link for pair in allowed for link in pair}:
        robot.frame(link)
    free = {frozenset(robot.frame(link).link for link in pair) for pair in allowed}
    free |= {frozenset((j.parent, j.child)) for j in robot.joints}
    count, links = len(spheres), spheres.links
    return tuple(
        (a, b)
        for a in range(count)
        for b in range(a + 1, count)
        if links[a] != links[b] and frozenset((links[a], links[b])) not in free
    )
