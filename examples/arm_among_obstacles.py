"""An arm finds its way among obstacles: the built-in task plan7, before and after, with its clearance over time.

Run `python examples/arm_among_obstacles.py`; the picture and the animation go to `out/`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from PIL import Image
from rich.console import Console

from screwgraph.model.robot import link_poses
from screwgraph.motion.planning import Plan, Planner
from screwgraph.motion.planning.collision import Sphere
from screwgraph.motion.planning.collision.automatic_spheres import placed_spheres
from screwgraph.motion.planning.factors.priors import GpInterpolation, interpolation_weights
from screwgraph.motion.planning.obstacles import Avoid
from screwgraph.motion.planning.task_files import read_task
from screwgraph.optimize import LevenbergMarquardt, Tolerances
from screwgraph.ui.view import plan_scene, save_html

OUT = Path("out")
FINER = 10
METHOD = {"method": LevenbergMarquardt(damping=1e-2), "tolerances": Tolerances(decrease=1e-6)}

console = Console(highlight=False, markup=False)


def main() -> None:
    planner = Planner(read_task("plan7"))
    avoid = next(o for o in planner.task.obstacles if isinstance(o, Avoid))
    planner.solve(**METHOD)  # code is made here
    began = perf_counter()
    plan = planner.solve(**METHOD)
    seconds = perf_counter() - began
    part = np.linspace(0.0, 1.0, len(plan.t))[:, None]
    straight = (1.0 - part) * plan.q[0] + part * plan.q[-1]
    before, after = clearances(planner, avoid, straight), clearances(planner, avoid, finer(planner, plan))
    console.print(f"{plan.status}: {plan.iterations} iterations, {1e3 * seconds:.1f} ms with compiled code")
    console.print(
        f"clearance of the straight path {before.min():.3f} m, of the plan {after.min():.3f} m at {FINER}x finer time"
    )
    OUT.mkdir(exist_ok=True)
    draw(planner, avoid, plan, straight, (before, after))
    save_html(plan_scene(plan), OUT / "arm_among_obstacles.html")
    console.print(f"  {OUT / 'arm_among_obstacles.png'}")
    if not after.min() > 0.0:
        sys.exit("the plan collides")


def finer(planner: Planner, plan: Plan) -> np.ndarray:
    """Return positions at finer time: the posterior mean of the prior."""
    between = GpInterpolation(planner.mechanics.positions, 2)
    states = list(zip(plan.q, plan.qd, strict=True))
    found = []
    for i in range(len(plan.t) - 1):
        h = plan.t[i + 1] - plan.t[i]
        found += [between([*states[i], *states[i + 1]], interpolation_weights(2, k / FINER), h) for k in range(FINER)]
    return np.array([*found, plan.q[-1]])


def clearances(planner: Planner, avoid: Avoid, path: np.ndarray) -> np.ndarray:
    """Return the least distance between spheres and obstacles at each position."""
    return np.array([min(avoid.clearances(planner.mechanics, q, 0.0))[0] for q in path])


def draw(
    planner: Planner, avoid: Avoid, plan: Plan, straight: np.ndarray, found: tuple[np.ndarray, np.ndarray]
) -> None:
    """Draw the arm on the straight path and as planned, and its clearance."""
    figure = plt.figure(figsize=(13, 4.6), layout="constrained")
    for k, (title, path) in enumerate((("straight path in joint space", straight), ("planned", plan.q)), start=1):
        axes = figure.add_subplot(1, 3, k, projection="3d")
        for shape in avoid.shapes:
            if isinstance(shape, Sphere):
                ball(axes, np.asarray(shape.centre, dtype=float), shape.radius, "#c0392b", 0.5)
        for i in np.linspace(0, len(path) - 1, 7).astype(int):
            arm(axes, planner, path[i], plt.get_cmap("viridis")(i / (len(path) - 1)))
        middle = path[len(path) // 2]
        spheres = placed_spheres(planner.task.robot, avoid.spheres)
        poses = link_poses(planner.task.robot, middle)
        for link, (*centre, radius) in zip(spheres.links, spheres.numbers, strict=True):
            ball(axes, (poses[link] @ [*centre, 1.0])[:3], radius, "#2c7fb8", 0.25)
        axes.set(title=title, xlim=(-0.3, 0.8), ylim=(-0.6, 0.7), zlim=(0.0, 1.1), xlabel="x (m)", ylabel="y (m)")
        axes.set(xticks=(-0.2, 0.2, 0.6), yticks=(-0.4, 0.0, 0.4), zticks=(0.0, 0.5, 1.0))
        axes.set_box_aspect((1.1, 1.3, 1.1))
        axes.view_init(28, -35)
    axes = figure.add_subplot(1, 3, 3)
    for label, c, colour in zip(("straight", "planned"), found, ("#c0392b", "#2c7fb8"), strict=True):
        axes.plot(np.linspace(plan.t[0], plan.t[-1], len(c)), c, label=label, color=colour)
    axes.axhline(0.0, color="black", linewidth=0.8)
    axes.set(xlabel="time (s)", ylabel="clearance (m)", title="distance to the nearest obstacle")
    axes.legend()
    figure.savefig(OUT / "arm_among_obstacles.png", dpi=80)
    with Image.open(OUT / "arm_among_obstacles.png") as picture:
        small = picture.convert("RGB").quantize(200)
    small.save(OUT / "arm_among_obstacles.png", optimize=True)


def ball(axes: Axes, centre: np.ndarray, radius: float, colour: str, alpha: float) -> None:
    """Draw a sphere."""
    u, v = np.mgrid[0 : 2 * np.pi : 24j, 0 : np.pi : 12j]
    x, y, z = np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)
    surface = (centre[i] + radius * e for i, e in enumerate((x, y, z)))
    axes.plot_surface(*surface, color=colour, alpha=alpha, linewidth=0)  # pyright: ignore[reportAttributeAccessIssue]


def arm(axes: Axes, planner: Planner, q: np.ndarray, colour: tuple[float, ...]) -> None:
    """Draw a line through the origins of the links."""
    poses = link_poses(planner.task.robot, q)
    tool = planner.task.robot.frame("panda_hand_tcp")
    points = [T[:3, 3] for T in poses.values()] + [(poses[tool.link] @ tool.T_lf)[:3, 3]]
    axes.plot(*np.array(points).T, color=colour, marker="o", markersize=2, linewidth=1.5)


if __name__ == "__main__":
    main()
