"""A five-bar linkage draws an eight with its end effector: planning with loops needs nothing special.

    python examples/five_bar_path.py [-o FOLDER]

Positions are those of all joints; where loops close, and what forces close them, is part of the problem. Two joints
are driven. The closed chain's equations are then integrated under the planned torques, with weak servos.
"""

from __future__ import annotations

import argparse
from pathlib import Path as File

import matplotlib as mpl
import numpy as np

import screwgraph as sg
from screwgraph.model.robot import link_poses
from screwgraph.motion.planning import Plan, Planner, Task, horizon
from screwgraph.motion.planning.costs import Acceleration, Effort, Path
from screwgraph.motion.planning.goals import Point, Velocity
from screwgraph.motion.planning.limits import EffortLimit
from screwgraph.ui.draw import save
from screwgraph.ui.view import plan_scene, save_html

mpl.use("Agg")
import matplotlib.pyplot as plt

STEPS, DURATION = 120, 2.4  # -, s
WIDTH, HEIGHT = 0.16, 0.09  # m
WEIGHT = 1e7  # 1/m^2, of the distance from the path, beside (N m)^2
STIFFNESS, DAMPING = 100.0, 10.0  # N m/rad, N m s/rad


def eight(centre: np.ndarray) -> np.ndarray:
    """Return points (STEPS + 1, 2) of an eight that begins and ends at rest in its centre."""
    part = np.linspace(0.0, 1.0, STEPS + 1)
    angle = 2.0 * np.pi * part**3 * (10.0 - 15.0 * part + 6.0 * part**2)
    return centre + np.stack([WIDTH * np.sin(angle), HEIGHT * np.sin(2.0 * angle)], axis=1)


def end_effector(robot: sg.Robot, q: np.ndarray) -> np.ndarray:
    """Return where the end effector is (2,)."""
    frame = robot.frame("end_effector")
    return (link_poses(robot, q)[frame.link] @ frame.T_lf)[:2, 3]


def task() -> tuple[Task, np.ndarray]:
    """Return the problem, and the path."""
    robot = sg.load("five_bar")
    q0 = robot.close_loops(robot.neutral())
    path = eight(end_effector(robot, q0))
    times = DURATION / STEPS * np.arange(STEPS + 1)
    drawn = Path(times, np.pad(path, ((0, 0), (0, 1))), "end_effector", weight=WEIGHT)
    found = Task(
        robot,
        horizon(STEPS, duration=DURATION),
        start=q0,
        goals=(Point("end_effector", path[-1], axes="xy"), Velocity({"joint1": 0.0, "joint2": 0.0})),
        costs=(drawn, Effort(), Acceleration(1e-4)),
        limits=(EffortLimit(40.0),),
        actuated=("joint1", "joint2"),
        collocation="trapezoidal",
        name="an eight",
    )
    return found, path


def main() -> None:
    """Plan, follow, draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", type=File, default=File("out"))
    folder = parser.parse_args().o
    problem, path = task()
    plan = Planner(problem).solve()
    print(plan)
    if not plan.feasible:
        raise SystemExit(1)
    reached = np.array([end_effector(problem.robot, q) for q in plan.q])
    followed = followed_by(plan)
    drift = np.array([end_effector(problem.robot, q) for q in followed.q])
    off = np.abs(drift[:: len(drift) // STEPS] - reached).max()
    print(f"from the path: {np.abs(reached - path).max():.2g} m planned")
    print(f"integrated with planned torques and weak servos: {off:.2g} m from the plan")
    folder.mkdir(exist_ok=True)
    save_html(plan_scene(plan), folder / "five_bar_path.html")
    draw(plan, path, drift, folder / "five_bar_path.svg")


def followed_by(plan: Plan) -> sg.Trajectory:
    """Return the motion of the closed chain under planned torques and weak servos, by a Runge-Kutta method.

    Above its base the linkage falls over: torques alone would let errors of the plan's time steps grow without bound.
    """
    robot = plan.transcription.task.robot
    driven = np.zeros(robot.nv)
    for joint in ("joint1", "joint2"):
        driven[robot.v_slices[joint]] = 1.0

    def torques(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        wanted = plan.at(min(t, DURATION))
        return wanted.tau + driven * (STIFFNESS * (wanted.q - q) + DAMPING * (wanted.qd - qd))

    return sg.simulate(robot, plan.q[0], plan.qd[0], DURATION, DURATION / STEPS / 4, tau=torques)


def draw(plan: Plan, path: np.ndarray, drift: np.ndarray, file: File) -> None:
    """Draw the linkage at some times with its path, and torques."""
    robot = plan.transcription.task.robot
    figure, (plane, torques) = plt.subplots(1, 2, figsize=(8.5, 3.8), layout="constrained")
    for q in plan.q[:: STEPS // 6]:
        poses = link_poses(robot, q)
        hand = end_effector(robot, q)
        for proximal, distal in (("link1", "link2"), ("link3", "link4")):
            bar = np.stack([poses[proximal][:2, 3], poses[distal][:2, 3], hand])
            plane.plot(*bar.T, "o-", color="0.75", markersize=3, linewidth=1)
    plane.plot(*path.T, color="C0", linewidth=3, alpha=0.4, label="path")
    plane.plot(*drift.T, "--", color="C1", label="integrated, with weak servos")
    plane.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")
    plane.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, fontsize=8)
    for joint in ("joint1", "joint2"):
        torques.plot(plan.t, plan.tau[:, robot.v_slices[joint]], label=joint)
    torques.set(xlabel="time (s)", ylabel="torque (N m)")
    torques.grid(visible=True, linewidth=0.3)
    torques.legend(frameon=False)
    save(figure, file)
    print(f"drawn: {file}")


if __name__ == "__main__":
    main()
