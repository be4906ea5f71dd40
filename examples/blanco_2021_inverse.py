"""Inverse dynamics of the four-bar and the parallel robot: Table 3, Figs 9, 11 and 12 of Blanco-Claraco et al. (2021).

Run: python examples/blanco_2021_inverse.py; pictures go to `out/`. The crank follows theta = 1.2 (1 - cos 2t); the
paper's curve, published with its program, is followed in `blanco_2021_published.py`. Its robot's point #6 goes along an
"L"; ours rests at the ends of each leg.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from time import process_time

import numpy as np
from blanco_2021_common import BLUE, GREEN, RED, console, figure, reference, save, table

import screwgraph as sg
from screwgraph.mechanics.mechanism import Mechanism
from screwgraph.motion.estimation import InverseSolution

Trajectory = Mapping[str, np.ndarray]
PUBLISHED = {"four_bar_angle": 5.3, "parallel_robot": 15.9}
"""Table 3: CPU time (s), on a Core i7-8700."""
CORNER = 2.5
"""Time (s) at which the robot's reference turns: its acceleration jumps."""


@dataclass(frozen=True, eq=False)
class Solved:
    """A trajectory that was followed: torques from the factor graph, and by linear algebra from the same motion."""

    mechanism: Mechanism
    trajectory: Trajectory
    solution: InverseSolution
    first: float
    again: float

    @property
    def algebra(self) -> np.ndarray:
        """Torques (N, motors) of the motion that was found, state by state."""
        run = self.solution.run
        return sg.inverse_dynamics(self.mechanism)(run.q, run.qd, run.qdd)


def main() -> None:
    """Compute, print, draw."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="the four-bar alone, 200 points")
    quick = parser.parse_args().quick
    bar = solved("four_bar_angle", crank(200 if quick else 2000))
    found = [bar] if quick else [bar, solved("parallel_robot", corner(1000))]
    table_3(found)
    compare(found)
    from_rounded(found)
    draw_four_bar(bar)
    for robot in found[1:]:
        draw_robot(robot)


def crank(count: int) -> Trajectory:
    """Return the angle of the four-bar's crank over 4 s."""
    t = 4.0 / count * np.arange(count)
    return {"t": t, "theta": 1.2 * (1.0 - np.cos(2.0 * t))}


def corner(count: int) -> Trajectory:
    """Return the path of the robot's point 6: 1 m up, then 1 m to the right, 2.5 s each."""
    t = 2.0 * CORNER / count * np.arange(count)
    up, right = (np.clip(t / CORNER - leg, 0.0, 1.0) for leg in (0, 1))
    return {"t": t, "x:6": -0.5 + right**2 * (3 - 2 * right), "y:6": -5.0 + up**2 * (3 - 2 * up)}


def solved(name: str, trajectory: Trajectory, rounds: int = 3) -> Solved:
    """Follow a trajectory once, and again: then code is made, and the graph was looked at."""
    mechanism = sg.load_mechanism(name)
    times = []
    for _ in range(rounds):
        began = process_time()
        solution = sg.inverse_trajectory(mechanism, trajectory)
        times.append(process_time() - began)
    return Solved(mechanism, trajectory, solution, times[0], min(times))


def table_3(found: list[Solved]) -> None:
    """Print sizes, times and how well trajectories are followed."""
    rows = []
    for s in found:
        off = max(s.solution.errors.values())
        steps = ", ".join(str(stage.iterations) for stage in s.solution.stages)
        violation = f"{s.solution.run.violation.max():.1g}"
        sizes = [s.mechanism.name, s.mechanism.n, len(s.solution.t)]
        rows.append(
            [*sizes, f"{s.again:.3f}", PUBLISHED[s.mechanism.name], f"{s.first:.1f}", steps, f"{off:.1g}", violation]
        )
    heads = [
        "mechanism",
        "coordinates",
        "points",
        "CPU, s",
        "paper",
        "first, s",
        "iterations by stage",
        "error",
        "violation",
    ]
    table("Table 3: inverse dynamics; error: largest distance from the trajectory (m, rad)", heads, rows)


def compare(found: list[Solved]) -> None:
    """Print torques beside independent reference values, where they are at hand, and beside linear algebra."""
    rows = []
    for s in found:
        name = {"four_bar_angle": "four_bar"}.get(s.mechanism.name, s.mechanism.name)
        apart = np.abs(s.solution.tau - s.algebra).max()
        largest = np.abs(s.algebra).max()
        off = [
            abs(np.interp(t, s.solution.t, s.solution.tau[:, i]) - torque)
            for t, *torques in reference(f"{name}_inverse_dynamics")
            for i, torque in enumerate(torques)
            if t in np.round(s.solution.t, 12)
        ]
        rows.append([s.mechanism.name, f"{largest:.2f}", f"{apart:.1g}", f"{max(off):.1g}" if off else "not here"])
    heads = ["mechanism", "largest torque, N m", "less linear algebra's", "less the reference values"]
    table("Torques of the factor graph", heads, rows)
    console.print(
        "The reference of the robot turns at t = 2.5 s, where its acceleration jumps: the paper's torques are smoothed "
        "there,\nand its point 6 is 0.02 mm off; ours stays on the way, and the torques jump as the reference does.\n"
    )


def from_rounded(found: list[Solved]) -> None:
    """Print how far torques are off where the trajectory was rounded, as published files are."""
    rows = []
    for s in found:
        for digits in (8, 6):
            path = {name: x if name == "t" else np.round(x, digits) for name, x in s.trajectory.items()}
            solution = sg.inverse_trajectory(s.mechanism, path)
            off = np.abs(solution.tau - s.solution.tau).max(axis=1) / np.abs(s.solution.tau).max()
            beside = np.abs(s.trajectory["t"] - CORNER) < 0.1 if len(s.trajectory) > 2 else np.zeros(len(off), bool)
            inside = np.flatnonzero(~beside)[20:-20]
            parts = [off[:20].max(), off[inside].max(), off[-20:].max()]
            noise = max(solution.noise.values())
            rows.append([s.mechanism.name, f"1e-{digits}", f"{noise:.1g}", *(f"{part:.1g}" for part in parts)])
    heads = ["mechanism", "rounded to", "noise found", "first 20 samples", "between", "last 20"]
    table("Torques of rounded trajectories less those of exact ones, relative to the largest", heads, rows)


def draw_four_bar(s: Solved) -> None:
    """Draw Fig. 9."""
    t, run = s.solution.t, s.solution.run
    picture, axes = figure(3, 1, (8.0, 7.5), sharex=True)
    (a,), (b,), (c,) = axes
    wanted, theta = s.trajectory["theta"], run.coordinate("theta")
    a.plot(t, np.degrees(wanted), color=RED, linewidth=4, alpha=0.4, label="reference")
    a.plot(t, np.degrees(theta), color=BLUE, linewidth=1.2, label="factor graph")
    a.set(ylabel="crank (deg)", title="Fig. 9: inverse dynamics of the four-bar")
    b.plot(t, s.algebra, color=RED, linewidth=4, alpha=0.4, label="linear algebra")
    b.plot(t, s.solution.tau, color=BLUE, linewidth=1.2, label="factor graph")
    rows = np.array(reference("four_bar_inverse_dynamics"))
    if len(rows):
        b.plot(rows[:, 0], rows[:, 1], "o", color=GREEN, markersize=6, label="reference values")
    b.set_ylabel("torque (N m)")
    c.plot(t, np.degrees(theta - wanted), color=BLUE, linewidth=0.8)
    c.set(ylabel="following error (deg)", xlabel="time (s)")
    for axis in (a, b):
        axis.legend(loc="best", framealpha=1.0)
    save(picture, "blanco-2021-fig9-four-bar-inverse")


def draw_robot(s: Solved) -> None:
    """Draw Figs 11 and 12."""
    t, run = s.solution.t, s.solution.run
    x, y = run.path(6).T
    picture, ((a, b), (c, d)) = figure(2, 2, (11.0, 8.0))
    near = "of point 6 from the corner (µm)"
    for axis, at, scale, name in ((a, (0.0, 0.0), 1.0, "of point 6 (m)"), (b, (-0.5, -4.0), 1e6, near)):
        wanted = [scale * (s.trajectory[f"{along}:6"] - place) for along, place in zip("xy", at, strict=True)]
        axis.plot(*wanted, color="black", linestyle=":", linewidth=2, label="reference")
        axis.plot(scale * (x - at[0]), scale * (y - at[1]), color=BLUE, linewidth=1.2, label="factor graph")
        axis.set(xlabel=f"x {name}", ylabel=f"y {name}", aspect="equal")
    a.set_title("Fig. 11: end-effector path", loc="left")
    a.legend(loc="best")
    b.set(xlim=(-20.0, 60.0), ylim=(-60.0, 20.0), title="at the corner")
    for name, colour in zip(s.mechanism.motors, (BLUE, RED), strict=True):
        c.plot(t, np.degrees(run.coordinate(name)), color=colour, label=name)
    c.set(xlabel="time (s)", ylabel="motor (deg)", title="angles of the motors")
    for i, colour in enumerate((BLUE, RED)):
        d.plot(t, s.algebra[:, i], color=colour, linewidth=4, alpha=0.35)
        d.plot(t, s.solution.tau[:, i], color=colour, linewidth=1.2)
    rows = np.array(reference("parallel_robot_inverse_dynamics"))
    if len(rows):
        d.plot(rows[:, 0], rows[:, 1:], "o", color=GREEN, markersize=5)
    d.set(xlabel="time (s)", ylabel="torque (N m)", title="Fig. 12: torques; thick: linear algebra, dots: reference")
    c.legend(loc="best")
    save(picture, "blanco-2021-fig11-12-parallel-robot")


if __name__ == "__main__":
    main()
