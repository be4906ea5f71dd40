"""Energy of every robot with loops or couplings over ten seconds, and how far its loops open meanwhile."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

import screwgraph as sg
from benchmarks.bench import Entry, Tools
from benchmarks.closed_subjects import FILES
from benchmarks.tables import Sheet
from screwgraph.model.robot import Robot, constraint_jacobian, constraint_residual, regular_states, with_gravity
from screwgraph.motion.simulation import Trajectory

LENGTH, STEP, METHOD = 10.0, 1e-3, "rk4"
SPEED, SLOW = 0.5, 0.1
"""Of the start (rad/s, m/s): standard deviation of random velocities before what loops forbid is taken away."""
NEARLY_PARALLELOGRAMS = ("four_bar.urdf", "cassie")
"""Beginnings of names of robots that begin slowly: their linkages fold flat, where the motion is not determined, or
nearly so."""
HELD_BY_NOTHING = ("cassie.sdf", "cassie_v2.sdf")
"""Files of whole robots that say nothing of what their base stands on: they are let float."""
STARTS = 6
FORBIDDEN = 1e-9
"""Singular values of the independent rows below this part of the largest forbid nothing."""
EVERY = 20
"""Steps between looks at the gaps of single rows."""
COLUMNS = (
    "robot (velocities)",
    "order",
    "mobility",
    "gravity",
    "method, step",
    "kinetic energy, J",
    "fastest, rad/s",
    "drift",
    "at half the step",
    "gap",
    "redundant rows",
    "made, s",
    "10 s in, s",
)
NOTES = (
    "Ten seconds without input or damping, from the most regular one of some closed positions, at random velocities of "
    f"{SPEED:g} rad/s; of {SLOW:g} rad/s where linkages are parallelograms or nearly so (four_bar.urdf, Cassie): "
    "faster, they come to positions where these fold flat, and their motion is not determined, or turns within a step. "
    "A robot that is free to fall moves without gravity, which would only hide its drift behind the energy of 500 m. "
    "Drift: largest change of kinetic plus potential energy, relative to the largest kinetic energy; the method's own "
    "is some 16 times less with half the step, and what rounding leaves is not. Gap: largest violation (rad, m) of "
    "independent rows; and of redundant rows, which follow from them but for a file's digits. CPU time: to make code "
    "of dynamics and step, and of the motion.",
)


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Simulate; `entries` are of no use here: these robots have loops of their own."""
    rows = []
    for name, robot in closed_robots():
        tools.say(f"energy: {name}")
        rows.append(row(name, robot))
    return Sheet("Energy of closed chains over ten seconds", COLUMNS, rows, NOTES)


def closed_robots() -> Iterator[tuple[str, Robot]]:
    """Yield what is closed of built-in robots and of files that are here, without damping and with its name."""
    files = [path for path in sorted(FILES.glob("*/*")) if path.suffix in (".urdf", ".sdf", ".xml")]
    for source in (*sg.zoo_names(), *files):
        name = source.name if isinstance(source, Path) else source
        robot = sg.load(source, damping=False, base="floating" if name in HELD_BY_NOTHING else "fixed")
        if robot.is_closed:
            yield name, with_gravity(robot, (0.0, 0.0, 0.0)) if falls(robot) else robot


def falls(robot: Robot) -> bool:
    """Tell whether the joint that the whole robot hangs on lets it move along gravity."""
    first = robot.joints[0]
    slides = np.asarray(first.type.screw_axes(first.type.manifold.identity()), dtype=float)[3:]
    hang_on_base = [joint for joint in robot.joints if joint.parent == robot.links[0].name]
    return len(hang_on_base) == 1 and bool(np.abs(np.array(robot.gravity) @ first.origin[:3, :3] @ slides).max() > 0.0)


def row(name: str, robot: Robot) -> list[str]:
    """Simulate a robot, and return its line of the table."""
    q, qd = start(robot, SLOW if name.startswith(NEARLY_PARALLELOGRAMS) else SPEED)
    made, _ = _timed(robot, q, qd, 10 * STEP, STEP)
    seconds, run = _timed(robot, q, qd, LENGTH, STEP)
    _, finer = _timed(robot, q, qd, LENGTH, STEP / 2.0)
    kinetic = kinetic_energy(robot, run)
    gaps = np.array([np.abs(constraint_residual(robot, at)) for at in run.q[::EVERY]])
    kept = list(robot.mobility.kept)
    redundant = np.delete(gaps, kept, axis=1)
    ordering = sg.forward_dynamics(robot).ordering
    return [
        f"{name} ({robot.nv})",
        ordering,
        str(robot.mobility.freedom),
        "yes" if any(robot.gravity) else "no",
        f"{METHOD}, {STEP * 1e3:g} ms",
        f"{kinetic:.3g}",
        f"{np.abs(run.qd).max():.1f}",
        f"{run.energy_drift / kinetic:.0e}",
        f"{finer.energy_drift / kinetic_energy(robot, finer):.0e}",
        f"{gaps[:, kept].max():.0e}",
        f"{redundant.max():.0e}" if redundant.size else "",
        f"{made:.1f}",
        f"{seconds:.2f}",
    ]


def start(robot: Robot, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the most regular one of some closed positions, and a velocity that the loops allow there."""

    def regularity(q: np.ndarray) -> float:
        s = np.linalg.svd(constraint_jacobian(robot, q)[kept], compute_uv=False)
        return float(s.min() / s.max())

    kept = list(robot.mobility.kept)
    q = max(regular_states(robot, STARTS), key=regularity)
    K, v = constraint_jacobian(robot, q)[kept], speed * np.random.default_rng(0).normal(size=robot.nv)
    return q, v - np.linalg.pinv(K, rcond=FORBIDDEN) @ (K @ v)


def kinetic_energy(robot: Robot, run: Trajectory) -> float:
    """Return the largest kinetic energy (J) of a motion."""
    return float((run.energy - sg.potential_energy(robot)(run.q)).max())


def _timed(robot: Robot, q: np.ndarray, qd: np.ndarray, length: float, step: float) -> tuple[float, Trajectory]:
    begin = time.process_time()
    run = sg.simulate(robot, q, qd, length, step, METHOD)
    return time.process_time() - begin, run
