"""Figure 9 of Xie et al. (2020): a quadruped trots through six waypoints on a hexagon; the plan is executed in MuJoCo.

    python examples/xie_2020_quadruped.py [--no-simulation] [-o FOLDER]

The plan knows the whole body, the contacts of its rolling ball feet, their friction, and the joints' limits. MuJoCo
gets the same robot as a URDF, with balls and a floor, and executes the plan in open loop: joint servos follow planned
angles with planned torques; where the trunk is, nothing measures. Before, it looks at the plan at ten times finer time.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib as mpl
import numpy as np
from quadruped_check import checked
from quadruped_simulation import Motion, executed

import screwgraph as sg
from screwgraph.motion.planning import Phase, Plan, Planner, Task
from screwgraph.motion.planning.contacts import PointContact, schedule
from screwgraph.motion.planning.costs import Effort, Posture, Speed
from screwgraph.motion.planning.costs import Path as Along
from screwgraph.motion.planning.goals import Point, Velocity
from screwgraph.motion.planning.limits import EffortLimit, PositionLimit
from screwgraph.ui.draw import save
from screwgraph.ui.view import plan_scene, save_html

mpl.use("Agg")
import matplotlib.pyplot as plt

SIDE = 0.3  # m, of the hexagon
DT, SWING, STAND = 0.02, 10, 3  # s, steps
PER_SIDE = 3  # swings
LIFT, RADIUS, FRICTION = 0.05, 0.02, 0.6  # m, m, -
PAIRS = (("FR_foot", "RL_foot"), ("FL_foot", "RR_foot"))
HIPS = {"FR": (1, -1), "FL": (1, 1), "RR": (-1, -1), "RL": (-1, 1)}


def corners() -> np.ndarray:
    """Return the hexagon's corners (7, 2), the first one twice, at the origin."""
    turns = np.cumsum(np.full(6, np.pi / 3)) - np.pi / 3
    return np.concatenate([[[0.0, 0.0]], np.cumsum(SIDE * np.stack([np.cos(turns), np.sin(turns)], axis=1), axis=0)])


def along(swings: float) -> np.ndarray:
    """Return where the trunk should be (2,) after so many swings."""
    ways = corners()
    return np.array([np.interp(swings / PER_SIDE, np.arange(7), column) for column in ways.T])


def standing(robot: sg.Robot) -> np.ndarray:
    """Return the position in which it stands with its trunk above the origin."""
    q = robot.neutral()
    q[7:] = np.tile([0.0, 0.8, -1.6], 4)
    q[2] = 0.4 * np.cos(0.8) + RADIUS
    return q


def task() -> Task:
    """Return the problem."""
    robot = sg.load("a1", base="floating")
    q0, swings = standing(robot), 6 * PER_SIDE + 1
    phases = []
    for k in range(swings):
        phases += [Phase(STAND, STAND * DT, f"stand {k}"), Phase(SWING, SWING * DT, f"swing {k}")]
    phases.append(Phase(4, 4 * DT, "end"))
    starts = np.cumsum([0.0, *(p.duration for p in phases)])
    home = {f"{leg}_foot": np.array([0.1805 * x, 0.1308 * y]) for leg, (x, y) in HIPS.items()}
    feet, footholds, paths = {}, {}, []
    for number, pair in enumerate(PAIRS):
        mine = range(number, swings, 2)  # the swings of this pair
        marks = "".join("-" if i % 2 and i // 2 in mine else "x" for i in range(len(phases)))
        for foot in pair:
            places = [home[foot], *(home[foot] + along(min(k + 1.5, swings - 1.0)) for k in mine)]
            feet[foot] = marks
            footholds[foot] = np.array([[x, y, 0.0] for x, y in places])
            for a, b, k in zip(places, places[1:], mine, strict=False):
                paths.append(swing_path(foot, a, b, float(starts[2 * k + 1])))
    waypoints = [(along(PER_SIDE * (i + 1)), float(starts[2 * PER_SIDE * (i + 1)])) for i in range(6)]
    goals = [Point("trunk", at, time=t, axes="xy") for at, t in waypoints]
    weights = {f"floating_base[{i}]": 200.0 for i in range(3)} | dict.fromkeys(robot.joint_names[1:], 0.05)
    return Task(
        robot,
        tuple(phases),
        start=q0,
        goals=(*goals, Velocity(0.0)),
        costs=(
            Effort(1e-3),
            Posture(weights, q0),
            Speed({"floating_base": 3.0} | dict.fromkeys(robot.joint_names[1:], 0.01)),
            *paths,
        ),
        limits=(PositionLimit(), EffortLimit()),
        contacts=schedule(phases, feet, friction=FRICTION, radius=RADIUS, at=footholds),
        collocation="euler",
        guess={"q": guess(robot, q0, phases)},
        dynamics="condensed",
        name="Xie et al. (2020), figure 9",
    )


def swing_path(foot: str, start: np.ndarray, end: np.ndarray, t: float) -> Along:
    """Return a path through the air from one foothold to the next."""
    part = np.linspace(0.0, 1.0, SWING + 1)
    ease = part * part * (3.0 - 2.0 * part)
    way = [
        [*(start + e * (end - start)), RADIUS + LIFT * np.sin(np.pi * s) ** 2] for s, e in zip(part, ease, strict=True)
    ]
    return Along(tuple(np.round(t + DT * np.arange(SWING + 1), 9)), way, foot, weight=2e3)


def guess(robot: sg.Robot, q0: np.ndarray, phases: list[Phase]) -> np.ndarray:
    """Return positions to begin with: the robot slides along the hexagon."""
    count = sum(p.steps for p in phases)
    q = np.tile(q0, (count + 1, 1))
    q[:, :2] = [along(min(k / (SWING + STAND), 6 * PER_SIDE)) for k in range(count + 1)]
    return q


def main() -> None:
    """Plan, simulate, draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", type=Path, default=Path("out"))
    parser.add_argument("--no-simulation", action="store_true")
    options = parser.parse_args()
    plan = Planner(task()).solve()
    print(plan)
    if not plan.feasible:
        raise SystemExit(1)
    if not options.no_simulation:
        print(checked(plan, RADIUS, FRICTION))
    motion = (
        None if options.no_simulation else executed(plan, tuple(f for pair in PAIRS for f in pair), RADIUS, FRICTION)
    )
    if motion is not None:
        off = np.linalg.norm(motion.q[:, :2] - motion.planned[:, :2], axis=1)
        print(f"MuJoCo, open loop: the trunk is off by {off.max():.4f} m at most, {off[-1]:.4f} m at the end")
    options.o.mkdir(exist_ok=True)
    save_html(plan_scene(plan), options.o / "xie-2020-quadruped.html")
    draw(plan, motion, options.o / "xie-2020-quadruped.svg")


def draw(plan: Plan, motion: Motion | None, path: Path) -> None:
    """Draw the hexagon from above with footholds, errors of tracking, and the normal forces of two feet."""
    contacts = [c for c in plan.transcription.task.contacts if isinstance(c, PointContact)]
    figure, axes = plt.subplots(2, 2, figsize=(9, 6), layout="constrained", width_ratios=(1.1, 1))
    above, errors, forces = figure.add_subplot(axes[0, 0].get_gridspec()[:, 0]), axes[0, 1], axes[1, 1]
    for covered in axes[:, 0]:
        covered.remove()
    above.plot(*corners().T, "o", color="black", label="waypoints")
    above.plot(*plan.q[:, :2].T, label="planned")
    for contact, colour in zip(contacts, ("C2", "C3", "C4", "C5"), strict=True):
        above.plot(*contact.at[:, :2].T, ".", color=colour, alpha=0.5, label=contact.frame)
    above.set(xlabel="x (m)", ylabel="y (m)", aspect="equal", title="The trunk and footholds from above")
    for number in (0, 1):
        normal = np.full(len(plan.t), np.nan)
        (wrench,) = contacts[number].wrenches(plan.transcription.steps, f"contact {number + 1}")
        normal[plan.transcription.steps.points[wrench.samples]] = plan.values[wrench.unknowns.name][:, 2]
        forces.plot(plan.t, normal, label=contacts[number].frame)
    forces.set(xlabel="time (s)", ylabel="force (N)", xlim=(0.0, 1.5), title="Planned normal forces of two feet")
    forces.legend(frameon=False, fontsize=8)
    if motion is not None:
        above.plot(*motion.q[::4, :2].T, "--", label="MuJoCo, open loop")
        off = 1000.0 * (motion.q[:, :3] - motion.planned[:, :3])
        for column, name in zip(off.T, "xyz", strict=True):
            errors.plot(motion.t[::4], column[::4], label=name)
        errors.legend(frameon=False, fontsize=8)
    errors.set(xlabel="time (s)", ylabel="difference (mm)", title="The trunk in MuJoCo, less the plan")
    above.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3, frameon=False)
    for one in (above, errors, forces):
        one.grid(visible=True, linewidth=0.3)
    save(figure, path)
    print(f"drawn: {path}")


if __name__ == "__main__":
    main()
