"""A plan as a scene: the robot, obstacles, goals, paths, contacts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from screwgraph.motion.planning import Plan
from screwgraph.motion.planning.obstacles import Avoid
from screwgraph.ui.view.obstacles import make_obstacle_bodies
from screwgraph.ui.view.plan_marks import clearance_lines, contact_marks, goal_marks, path_lines, tip_path_lines
from screwgraph.ui.view.scene import Scene
from screwgraph.ui.view.skeleton import robot_size
from screwgraph.ui.view.trajectories import trajectory_scene

RATE = 60.0
PLATES = 1.6
"""Half-spaces are so many times as wide as the robot is large."""


def plan_scene(plan: Plan, title: str = "", *, rate: float = RATE) -> Scene:
    """Return a planned motion as a scene, about `rate` states a second.

    Obstacles are bodies and surfaces. Goals in joint space are drawn as the lines from joint to joint, poses as axes,
    points as balls; contacts as lines along their forces, the robot's weight as long as 0.6 of its size. A line leads
    from the robot's spheres to the nearest obstacle, its name says the least clearance. A plan that is not feasible
    says so in the title.

    Raises:
        InputError: `rate` leaves no states.
    """
    robot = plan.task.robot
    named = f"{title or f'{plan.task.name}: {robot.name}'}{'' if plan.feasible else ' - NOT FEASIBLE'}"
    if not robot.has_frames:
        return trajectory_scene(plan.trajectory, named, rate=rate)
    avoided = [item for item in plan.task.obstacles if isinstance(item, Avoid)]
    shapes = [shape for item in avoided for shape in item.shapes]
    bodies, surfaces = make_obstacle_bodies(shapes, PLATES * robot_size(robot))
    moving = {f"obstacle {i}": m for i, m in enumerate([a.motion for a in avoided for _ in a.shapes], start=1) if m}
    bodies = [
        replace(b, poses=np.array([moving[b.name](t) for t in plan.t])) if b.name in moving else b for b in bodies
    ]
    goals, balls = goal_marks(plan)
    forces, feet = contact_marks(plan)
    lines = (*goals, *path_lines(plan), *tip_path_lines(plan), *clearance_lines(plan), *forces)
    points = (*balls, *feet)
    beside = {"bodies": bodies, "surfaces": surfaces, "lines": lines, "points": points}
    run = replace(plan.trajectory, external_wrenches={})  # forces of contacts stand on the ground
    return trajectory_scene(run, named, rate=rate, **beside)
