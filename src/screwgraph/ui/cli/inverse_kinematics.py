"""Positions of joints at which a frame is where it is wanted: inverse kinematics on the command line."""

from __future__ import annotations

from typing import Any

import numpy as np
import typer
from jaxtyping import Float

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.mechanics.kinematics import Solution
from screwgraph.mechanics.kinematics.targets import Point, Pose
from screwgraph.model.robot import units
from screwgraph.spatial import from_xyz_rpy
from screwgraph.ui.cli.console import make_output_console, print_json, show_progress
from screwgraph.ui.cli.state_file import read_state
from screwgraph.ui.cli.table_style import make_table
from screwgraph.ui.cli.usage_errors import as_usage_error, make_usage_error

POINT, POSE = 3, 6
"""Numbers of a point (x, y, z), and of a pose (roll, pitch, yaw, too)."""


def parse_target(text: str) -> Float[np.ndarray, " n"]:
    """Return the numbers of a point or pose. Raises InputError where they are not three or six."""
    try:
        numbers = np.array([float(part) for part in text.split(",")])
    except ValueError:
        numbers = np.empty(0)
    if len(numbers) not in (POINT, POSE) or not np.isfinite(numbers).all():
        raise InputError(
            f"--reach {text!r} is no point and no pose", fix="give X,Y,Z (m) or X,Y,Z,ROLL,PITCH,YAW (m, rad)"
        )
    return numbers


def solve_reach(robot: sg.Robot, frames: tuple[str, ...], numbers: Float[np.ndarray, " n"], start: Any) -> Solution:
    """Return positions at which a frame, by default the last link, is there. Raises InputError where none was found."""
    if len(frames) > 1:
        raise InputError("--reach takes one frame", fix="name it with --frames")
    frame = frames[0] if frames else robot.links[-1].name
    is_pose = len(numbers) == POSE
    with show_progress(f"looking for positions of {robot.name}"):
        search = sg.inverse_kinematics(robot, Pose(frame) if is_pose else Point(frame))
        found = search(from_xyz_rpy(numbers[:3], numbers[3:]) if is_pose else numbers, start=start)
    if not found.reached:
        raise InputError("; ".join(found.reasons))
    return found


def print_reach(
    context: typer.Context,
    model: Any,
    reach: str,
    frames: tuple[str, ...],
    state: str | None,
    random: int | None,
    as_json: bool,
) -> None:
    """Find the positions that are asked for and print them; from those of a file of a state, if there is one."""
    if random is not None:
        raise make_usage_error(context, "--reach cannot be used with --random", fix="leave out one of them")
    with as_usage_error(context):
        numbers = parse_target(reach)
    if not isinstance(model, sg.Robot):
        raise InputError(
            f"--reach: expected a robot, got the mechanism {model.name!r}", fix="use sg.inverse_kinematics from Python"
        )
    start = None if state is None else read_state(state, model, "qdd", ()).q
    print_reached(model, solve_reach(model, frames, numbers, start), as_json)


def print_reached(robot: sg.Robot, found: Solution, as_json: bool) -> None:
    """Print positions of joints, and errors."""
    if as_json:
        errors = dict(zip(found.labels, found.errors, strict=True))
        print_json({"robot": robot.name, "joints": list(robot.joint_names), "q": found.q, "errors": errors})
        return
    table = make_table("", "joint", "position")
    for joint in robot.joints:
        own, unit = found.q[robot.q_slices[joint.name]], units(joint.type).position
        table.add_row(joint.name, ", ".join(f"{x:.6g} {u}".strip() for x, u in zip(own, unit, strict=True)))
    console = make_output_console()
    console.print(table)
    console.print(", ".join(f"{label} {error:.1g}" for label, error in zip(found.labels, found.errors, strict=True)))
