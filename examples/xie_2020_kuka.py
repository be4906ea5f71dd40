"""A KUKA iiwa lifts a block overhead, with and without minimum torque: Xie et al. (2020), VII-B, Figs 7 and 8.

Run: python examples/xie_2020_kuka.py; pictures and an animation go to out/.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import screwgraph as sg
from screwgraph.model.robot import link_poses
from screwgraph.motion.planning import horizon
from screwgraph.motion.planning.costs import Effort, Smoothness
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.limits import EffortLimit, PositionLimit, VelocityLimit
from screwgraph.spatial import SpatialInertia, translation
from screwgraph.ui.draw import save
from screwgraph.ui.view import plan_scene, save_html

OUT = Path("out")
BLOCK, EDGE = 4.0, 0.1
"""Mass (kg) and edge (m) of the block; the paper prints neither, nor start, goal and duration: these are ours."""
FLOOR = np.array([0.0, 0.923, 0.0, -1.651, 0.0, 0.567, 0.0])
"""The gripper points down, the block just above the floor that the base stands on, 0.55 m away from it."""
UPRIGHT = np.zeros(7)
DURATION = 3.0
DRAWN = (1, 3)
"""Joints 2 and 4."""


def with_block(robot: sg.Robot) -> sg.Robot:
    """Return the arm with a block in its gripper."""
    frame = robot.frame("tool")
    cube = SpatialInertia.of_body(
        BLOCK, translation(frame.T_lf) + np.array([0.0, 0.0, EDGE / 2]), BLOCK * EDGE**2 / 6 * np.eye(3)
    )
    links = [replace(k, inertia=k.inertia + cube) if k.name == frame.link else k for k in robot.links]
    return replace(robot, links=tuple(links))


def task(robot: sg.Robot, torque: float) -> sg.Task:
    """Return the task: smooth, and with little torque where that has a weight."""
    costs = (Smoothness(100.0), *([Effort(torque)] if torque else []))
    return sg.Task(
        robot,
        horizon(60, duration=DURATION),
        start=FLOOR,
        goals=(Position(UPRIGHT), Velocity(0.0)),
        costs=costs,
        limits=(PositionLimit(), VelocityLimit(), EffortLimit()),
        collocation="trapezoidal",
        name="lift",
    )


def work(plan: sg.Plan) -> np.ndarray:
    """Return the integral of the squares of each joint's torque (N^2 m^2 s)."""
    return np.trapezoid(plan.tau**2, plan.t, axis=0)


def draw(plain: sg.Plan, least: sg.Plan) -> Figure:
    """Draw the torques of joints 2 and 4, as Fig. 8 does: solid with minimum torque, dashed without."""
    figure = Figure(figsize=(6.5, 3.2), layout="constrained")
    axes = figure.subplots()
    for j, colour in zip(DRAWN, ("C0", "C1"), strict=True):
        axes.plot(least.t, least.tau[:, j], color=colour, label=f"joint {j + 1}, minimum torque")
        axes.plot(plain.t, plain.tau[:, j], color=colour, linestyle="--", label=f"joint {j + 1}, without")
    axes.set_xlabel("time (s)")
    axes.set_ylabel("torque (N m)")
    axes.grid(visible=True, linewidth=0.3)
    axes.legend(fontsize=8)
    return figure


def snapshots(plain: sg.Plan, least: sg.Plan) -> Figure:
    """Draw the arm from the side at some times, as Fig. 7 does: from dark to light."""
    from matplotlib import colormaps

    figure = Figure(figsize=(6.5, 3.4), layout="constrained")
    both: Any = figure.subplots(1, 2, sharex=True, sharey=True)
    for axes, plan, title in zip(both, (plain, least), ("without minimum torque", "with minimum torque"), strict=True):
        robot, frame = plan.task.robot, plan.task.robot.frame("tool")
        for k in np.linspace(0, len(plan.t) - 1, 9).astype(int):
            poses = link_poses(robot, plan.q[k])
            points = [T[:3, 3] for T in poses.values()] + [(poses[frame.link] @ frame.T_lf)[:3, 3]]
            x, _, z = np.array(points).T
            axes.plot(x, z, color=colormaps["viridis"](0.9 * plan.t[k] / plan.t[-1]), linewidth=1.2)
            axes.plot(x[-1], z[-1], "s", color="0.4", markersize=7, markerfacecolor="none")
        axes.axhline(0.0, color="black", linewidth=0.6)
        axes.set(title=title, xlabel="x (m)", aspect="equal")
    both[0].set_ylabel("z (m)")
    return figure


def main() -> None:
    OUT.mkdir(exist_ok=True)
    robot = with_block(sg.load("iiwa14"))
    plain, least = (sg.plan(task(robot, torque)) for torque in (0.0, 1.0))
    for name, plan in (("without minimum torque", plain), ("with minimum torque", least)):
        total = work(plan)
        drawn = ", ".join(f"joint {j + 1}: {total[j]:.0f}" for j in DRAWN)
        print(f"{name}: {plan.status}, {plan.iterations} iterations; integral of torque^2 {total.sum():.0f} ({drawn})")
    save(draw(plain, least), OUT / "xie-2020-kuka-torques.svg")
    save(snapshots(plain, least), OUT / "xie-2020-kuka-motion.svg")
    save_html(plan_scene(least), OUT / "xie-2020-kuka.html")
    print(f"minimum torque uses {100 * (1 - work(least).sum() / work(plain).sum()):.0f} % less")


if __name__ == "__main__":
    main()
