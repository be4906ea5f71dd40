"""Crocoddyl, which wants a Pinocchio of its own: asked through the Python that has it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import screwgraph as sg
from benchmarks.peers.casadi_solvers import Solved
from benchmarks.peers.trajectories import Trajectory
from benchmarks.standing_horizons import BLOW, StandingHorizon
from screwgraph.motion.control import Sole
from screwgraph.motion.planning import Planner
from screwgraph.motion.planning.goals import Pose
from screwgraph.ui.bench import NotMeasuredError

SCRIPT = Path(__file__).resolve().parent / "crocoddyl_solver.py"
VARIABLE = "SCREWGRAPH_CROCODDYL_PYTHON"
"""The interpreter may be named here; `make bench` makes one."""
MADE = SCRIPT.parents[2] / ".venv-crocoddyl" / "bin" / "python"
PATIENCE = 120.0
FAR = 100.0


def version() -> str:
    """Return names and versions. Raises NotMeasuredError where it is not installed."""
    return ask({"kind": "version"})["version"]


def shot(trajectory: Trajectory, rounds: int) -> Solved:
    """Solve a task of a fixed robot by shooting. Raises NotMeasuredError where Crocoddyl is not installed."""
    t, size = trajectory, 2 * trajectory.n
    goals = []
    for knot, values in t.fixed.items():
        whole = [values.get(i, float("nan")) for i in range(size)]
        goals += [(knot, whole)] if knot else []
    low, high = (b[:size].tolist() for b in t.bounds)
    poses = [g for g in t.planner.task.goals if isinstance(g, Pose)]
    return _solved(
        {
            "kind": "shooting",
            "urdf": write_urdf(t.robot),
            "h": t.h,
            "knots": t.knots,
            "start": t.start[0, :size].tolist(),
            "guess": t.start[:, :size].tolist(),
            "stays": t.planner.task.guess == "stay",
            "goals": goals,
            "actuated": t.actuated,
            "efforts": None if t.largest_effort is None else t.largest_effort.tolist(),
            "weight": t.weight,
            "pose": [poses[0].frame, list(np.asarray(poses[0].of))] if poses else None,
            "box": [low, high] if np.isfinite(high).any() else None,
            "rounds": rounds,
        }
    )


def trot(planner: Planner, file: Path, rounds: int) -> Solved:
    """Solve Crocoddyl's own gait problem, which is what our task describes. Raises NotMeasuredError likewise."""
    if not file.exists():
        raise NotMeasuredError(f"{file.name} is not here")
    return _solved({"kind": "trot", "urdf": file.read_text(), "standing": list(planner.task.start), "rounds": rounds})


def stand(horizon: StandingHorizon, rounds: int) -> dict[str, Any]:
    """Solve the horizon of a robot that stands; joints that follow others are locked. Raises NotMeasuredError."""
    robot, q, own = horizon.robot, horizon.q, set(horizon.robot.independent_joints)
    if horizon.urdf is None:
        raise NotMeasuredError("it has no URDF file")
    joints = [name for name in robot.joint_names[1:] if name in own]
    sizes = [[foot.length, foot.width] if isinstance(foot, Sole) else None for foot in horizon.feet]
    feet = [
        {"frame": foot.frame, "at": list(foot.at), "size": size, "friction": foot.friction}
        for foot, size in zip(horizon.feet, sizes, strict=True)
    ]
    return ask(
        {
            "kind": "standing",
            "urdf": horizon.urdf.read_text(),
            "h": horizon.h,
            "knots": horizon.knots,
            "base": q[robot.q_slices[robot.joint_names[0]]].tolist(),
            "joints": {name: float(q[robot.q_slices[name]][0]) for name in joints},
            "blow": [BLOW, BLOW],
            "feet": feet,
            "weights": [[500.0, 40.0, 2.0], [100.0, 10.0, 0.4]],
            "effort": 1e-4,
            "rounds": rounds,
        }
    )


def write_urdf(robot: sg.Robot) -> str:
    """Return a URDF file: joints without limits get wide ones, or else their positions would be cosines and sines."""
    joints = [
        replace(j, limits=replace(j.limits, lower=-FAR, upper=FAR, velocity=FAR, effort=FAR))
        if j.limits.lower is None and j.type.nv
        else j
        for j in robot.joints
    ]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        sg.save(replace(robot, joints=tuple(joints)), path)
        return path.read_text()


def _solved(question: Mapping[str, Any]) -> Solved:
    return Solved(**ask(question))


def ask(question: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of the Python that has Crocoddyl. Raises NotMeasuredError."""
    python = os.environ.get(VARIABLE) or (str(MADE) if MADE.exists() else sys.executable)
    try:
        done = subprocess.run(
            [python, "-I", str(SCRIPT)], input=json.dumps(question), capture_output=True, text=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        raise NotMeasuredError(f"Crocoddyl takes more than {PATIENCE:.0f} s") from None
    except OSError as error:
        raise NotMeasuredError(f"{VARIABLE}: {error.strerror}") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["?"])[-1]
        missing = "ModuleNotFoundError" in last
        raise NotMeasuredError(
            f"Crocoddyl is not installed; {VARIABLE} may name a Python that has it" if missing else last
        )
    return json.loads(done.stdout)
