"""Proofs that an obstacle bars a joint's way: what one joint alone moves has to pass through all positions between."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from screwgraph.base.protocols import keeps
from screwgraph.model.robot import Joint, Robot, units
from screwgraph.motion.planning.collision.spheres import Spheres
from screwgraph.motion.planning.goals.position import complete_position
from screwgraph.motion.planning.items import PositionGoal
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.obstacles.avoid import Avoid, compute_centres
from screwgraph.motion.planning.task import Task

BETWEEN = 65
"""Positions of a joint that are looked at."""
DEEP = 1e-6
"""Depth (m) beyond which a position is barred, and not by rounding."""


def find_blocked_joints(task: Task, mechanics: Mechanics) -> Iterator[str]:
    """Say which hard obstacles stand where a joint must pass, on its way between positions that the task gives."""
    robot = task.robot
    if not robot.has_frames:
        return
    for name, item in task.items():
        if not isinstance(item, Avoid) or item.sigma is not None or item.motion is not None:
            continue
        spheres = item.placed(mechanics)
        alone = _alone(robot, mechanics, spheres)
        for joint in {j.name: j for j in alone if j is not None}.values():
            own = np.array([j is not None and j.name == joint.name for j in alone])
            q, place, ends = robot.neutral(), robot.q_slices[joint.name].start, _list_visited_values(task, joint)
            for value in np.linspace(min(ends), max(ends), BETWEEN) if ends else ():
                q[place] = value
                centres = compute_centres(mechanics, spheres, q)[own]
                clearance, number, what = min(item.clearances_at(centres, spheres.numbers[own, 3]))
                if clearance < -DEEP:
                    link, unit = spheres.links[np.flatnonzero(own)[number]], units(joint.type).position[0]
                    yield (
                        f"{name}: between {min(ends):.3g} and {max(ends):.3g} {unit} of joint {joint.name!r}, "
                        f"at {value:.3g} {unit}, a sphere on {link!r} is {-clearance:.3g} m too near to {what}, "
                        "and no other joint moves it"
                    )
                    break


def _alone(robot: Robot, mechanics: Mechanics, spheres: Spheres) -> list[Joint | None]:
    """Return the joint of one coordinate that alone moves each sphere; None where several do.

    A joint that turns a sphere about its own centre does not move it.
    """
    movers: list[list[Joint]] = [[] for _ in spheres.links]
    q = robot.random(np.random.default_rng(0))
    here = compute_centres(mechanics, spheres, q)
    for joint in robot.joints:
        aside = np.zeros(robot.nv)
        aside[robot.v_slices[joint.name]] = 1.0
        moved = compute_centres(mechanics, spheres, robot.manifold.retract(q, aside)) - here
        for i in np.flatnonzero(np.abs(moved).max(axis=1) > DEEP).tolist():
            movers[i].append(joint)
    scalar = [found[0] if len(found) == 1 and found[0].type.nq == found[0].type.nv == 1 else None for found in movers]
    return scalar if not robot.is_closed else [None] * len(scalar)


def _list_visited_values(task: Task, joint: Joint) -> list[float]:
    """Return the values of a joint that the start and hard goals give."""
    robot, found = task.robot, list[float]()
    given = [] if task.start is None else [(complete_position(robot, task.start)[0], robot.joint_names)]
    given += [goal.position(robot) for goal in task.goals if keeps(goal, PositionGoal) and goal.sigma is None]
    for q, joints in given:
        if joint.name in joints:
            found += np.atleast_1d(q[..., robot.q_slices[joint.name].start]).tolist()
    return found
