"""A plan as a scene: the robot, obstacles, goals, paths, contacts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.base.protocols import keeps
from screwgraph.model.robot import Robot, link_poses
from screwgraph.motion.planning import Plan
from screwgraph.motion.planning.costs import Path
from screwgraph.motion.planning.items import ActingItem, FrameGoal, PositionGoal, Wrench
from screwgraph.motion.planning.models import copy_coordinates
from screwgraph.motion.planning.obstacles import Avoid
from screwgraph.ui.view.arrows import COLOUR, make_arrows
from screwgraph.ui.view.obstacles import make_obstacle_bodies
from screwgraph.ui.view.scene import Line, Points, Scene
from screwgraph.ui.view.skeleton import list_attachments, robot_size
from screwgraph.ui.view.trajectories import FORCE_LENGTH, trajectory_scene

RATE = 60.0

PLATES = 1.6
"""Half-spaces are so many times as wide as the robot is large."""

GOAL, PATH, WAY, CLEARANCE = "#2e8b57", "#8e44ad", "#7d8794", "#b8860b"

TIPS = 6
"""The ways of more tips would hide the robot."""

LIGHTEST = 1e-3
"""Forces below so large a share of the weight are not drawn: they push along no line."""

Polyline = Float[np.ndarray, "k 3"]

BREAK = np.full((1, 3), np.nan)


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


def goal_marks(plan: Plan) -> tuple[list[Line], list[Points]]:
    """Return goals: the robot's joints in lines where positions are wanted, axes of poses, points."""
    size, lines, points = robot_size(plan.task.robot), [], []
    for goal in plan.task.goals:
        if not keeps(goal, PositionGoal, FrameGoal):
            continue
        every = plan.transcription.steps.points_near(goal.time)
        for k, i in {int(every[0]): 0, int(every[-1]): -1}.items():
            if keeps(goal, PositionGoal):
                lines.append(draw_skeleton(plan.task.robot, _wanted_position(plan, goal, k, i)))
                continue
            p, R, is_placed = _wanted_place(plan, goal, k, i)
            if R is not None:
                lines.append(_axes(R, p, 0.08 * size))
            elif is_placed:
                points.append(p)
    marks = [Line("goals", join_lines(lines), GOAL, 2.5)] if lines else []
    return marks, [Points("" if marks else "goals", np.array(points), 0.02 * size, GOAL)] if points else []


def path_lines(plan: Plan) -> list[Line]:
    """Return paths that frames should follow, as one broken line."""
    found = [np.asarray(cost.points, dtype=float) for cost in plan.task.costs if isinstance(cost, Path)]
    return [Line("paths", join_lines(found), PATH)] if found else []


def tip_path_lines(plan: Plan) -> list[Line]:
    """Return the ways of a robot's tips, of few only."""
    robot = plan.task.robot
    inner = {joint.parent for joint in robot.joints}
    tips = [(link.name, list_attachments(robot, link)) for link in robot.links if link.name not in inner]
    if not 0 < len(tips) <= TIPS:
        return []
    poses = [link_poses(robot, q) for q in plan.q]
    ways = [np.array([_transform_point(T[name], (p or [np.zeros(3)])[0]) for T in poses]) for name, p in tips]
    return [Line("end-effector path" if len(ways) == 1 else "end-effector paths", join_lines(ways), WAY, 1.5)]


def clearance_lines(plan: Plan) -> list[Line]:
    """Return the line from the robot to the nearest obstacle over time; its name says where it is shortest."""
    mechanics = plan.transcription.steps.mechanics
    found = [item.nearest(mechanics, plan.q, plan.t) for item in plan.task.obstacles if isinstance(item, Avoid)]
    if not found:
        return []
    distances, ends = (np.array(part) for part in zip(*found, strict=True))
    nearest, points = distances.argmin(axis=0), np.arange(len(plan.t))
    least, ways = distances[nearest, points], ends[nearest, points]
    k = int(least.argmin())
    return [Line(f"clearance, {least[k]:.3g} m at {plan.t[k]:.3g} s", ways, CLEARANCE, 3.0)]


def contact_marks(plan: Plan) -> tuple[list[Line], list[Points]]:
    """Return forces of contacts as arrows from where they act, and these points, over time."""
    robot = plan.task.robot
    weight = sum(link.inertia.mass for link in robot.links) * float(np.linalg.norm(robot.gravity)) or 1.0
    size, acting = robot_size(robot), [*_acting(plan, weight)]
    if not acting:
        return [], []
    feet, forces = (np.stack(some, axis=1) for some in zip(*acting, strict=True))
    arrows = make_arrows("forces of contacts", feet, feet + FORCE_LENGTH * size * forces / weight)
    return arrows, [Points("", feet, 0.012 * size, COLOUR)]


def draw_skeleton(robot: Robot, q: Float[np.ndarray, " nq"]) -> Polyline:
    """Return a broken line from joint to joint at a position."""
    poses = link_poses(robot, q)
    ways = []
    for link in robot.links:
        for p in list_attachments(robot, link) if robot.joint_of(link.name) or link.visuals else []:
            ways.append(np.array([poses[link.name][:3, 3], _transform_point(poses[link.name], p)]))
    return join_lines(ways)


def join_lines(polylines: Iterable[Polyline]) -> Polyline:
    """Return lines as one, with breaks between them."""
    parts = [part for line in polylines for part in (line, BREAK)]
    return np.concatenate(parts[:-1]) if parts else BREAK


def _wanted_position(plan: Plan, goal: PositionGoal, k: int, i: int) -> Float[np.ndarray, " nq"]:
    """Return the planned position at a point with the joints of a goal where it wants them at its instant i."""
    at, joints = goal.position(plan.task.robot)
    return copy_coordinates(plan.task.robot, plan.q[k], at if at.ndim == 1 else at[i], joints)


def _wanted_place(
    plan: Plan, goal: FrameGoal, k: int, i: int
) -> tuple[Float[np.ndarray, "3"], Float[np.ndarray, "3 3"] | None, bool]:
    """Return where a goal wants a frame's origin, where it is free as planned; its axes; whether it is given."""
    mechanics = plan.transcription.steps.mechanics
    place, R = goal.place(mechanics), goal.rotation(mechanics)
    place, R = place if place.ndim == 1 else place[i], R if R is None or R.ndim == 2 else R[i]
    planned = np.array(mechanics.pose_of(goal.frame)(plan.q[k]))[:3, 3]
    return np.where(np.isnan(place), planned, place), R, not np.isnan(place).all()


def _axes(R: Float[np.ndarray, "3 3"], p: Float[np.ndarray, "3"], length: float) -> Polyline:
    return join_lines([np.array([p, p + length * R[:, i]]) for i in range(3)])


def _transform_point(T: Float[np.ndarray, "4 4"], p: Float[np.ndarray, "3"]) -> Float[np.ndarray, "3"]:
    return T[:3, :3] @ p + T[:3, 3]


def _acting(plan: Plan, weight: float) -> Iterator[tuple[Float[np.ndarray, "K 3"], Float[np.ndarray, "K 3"]]]:
    """Yield where the force of each contact acts (m) and that force (N), in the base; NaN where it has none."""
    steps = plan.transcription.steps
    for name, item in plan.task.items():
        for wrench in item.wrenches(steps, name) if keeps(item, ActingItem) else ():
            at, force = (np.full((len(plan.t), 3), np.nan) for _ in range(2))
            frame, values = steps.mechanics.pose_of(wrench.frame), plan.values[wrench.unknowns.name]
            for m, unknowns in zip(wrench.samples, values, strict=True):
                k = steps.points[m]
                T, own = np.array(frame(plan.q[k])), _wrench(plan, wrench, plan.q[k], unknowns)
                moment, f = T[:3, :3] @ own[:3], T[:3, :3] @ own[3:]
                if np.linalg.norm(f) > LIGHTEST * weight:
                    at[k], force[k] = _on_ground(T[:3, 3], moment, f, item), f
            if steps.lead:  # where the contact closes there is no sample yet
                k = steps.points[wrench.samples[0]]
                at[k - 1], force[k - 1] = at[k], force[k]
            yield at, force


def _wrench(plan: Plan, wrench: Wrench, q: np.ndarray, unknowns: np.ndarray) -> Float[np.ndarray, "6"]:
    """Return the wrench in the axes of its frame."""
    T = plan.transcription.steps.mechanics.pose_of(wrench.frame)(q)
    return np.asarray(wrench.template(q, T, unknowns), dtype=float)


def _on_ground(p: np.ndarray, moment: np.ndarray, f: np.ndarray, item: object) -> Float[np.ndarray, "3"]:
    """Return the point of a wrench's line of action in the contact's plane, or nearest to p where it has none."""
    nearest = p + np.cross(f, moment) / (f @ f)
    normal, ground = getattr(item, "normal", None), getattr(item, "ground", None)
    if normal is None or ground is None:
        return nearest
    n = np.asarray(normal, dtype=float) / np.linalg.norm(normal)
    return nearest + (float(ground) - n @ nearest) / (n @ f) * f if n @ f > 0.0 else nearest
