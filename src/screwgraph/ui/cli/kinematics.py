"""`screwgraph kinematics`: poses, velocities and Jacobians of frames at given or random states."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from screwgraph.ui.cli import options
from screwgraph.ui.cli.options import BaseKind
from screwgraph.ui.cli.solve import Count, Seed, StateFile
from screwgraph.ui.cli.usage_errors import make_usage_error

Frames = Annotated[
    list[str] | None,
    typer.Option("--frames", metavar="FRAME", help="Link or frame; repeatable, or separated by commas; default: last."),
]


class Reference(StrEnum):
    """In which axes, and of which point, velocities are."""

    local = "local"
    world = "world"
    local_world_aligned = "local_world_aligned"


Axes = Annotated[Reference, typer.Option("--reference", help="Axes and point of velocities and Jacobians.")]

Reach = Annotated[
    str | None,
    typer.Option(
        "--reach",
        metavar="X,Y,Z[,R,P,Y]",
        help="Inverse kinematics: the frame's position (m), or its pose (m, rad; roll, pitch, yaw).",
    ),
]

HELP = """Print poses, velocities and Jacobians of links and frames.

\b
Poses are in the base's frame. Velocities are (wx wy wz, vx vy vz): --reference local is the frame's origin in the
frame's axes, local_world_aligned the same in the base's axes, world the body's point at the base's origin.
--json adds pose matrices and Jacobians.
--reach prints joint positions, within their limits, at which the frame has this position or pose; the search begins at
--state.

\b
Example:
  screwgraph kinematics panda --frames panda_hand_tcp
  screwgraph kinematics a1 --base floating --frames FL_calf,FR_calf --random 3 --json
  screwgraph kinematics puma560 --frames tool --state state.json
  screwgraph kinematics panda --frames panda_hand_tcp --reach 0.4,0.1,0.5,3.14,0,0
with a state.json like {"q": [0, 0.1, 0.2, 0, 0, 0], "qd": {"joint1": 0.5}}; what is missing is zero.
"""


def kinematics(
    context: typer.Context,
    robot: options.RobotName,
    frames: Frames = None,
    reference: Axes = Reference.local,
    reach: Reach = None,
    state: StateFile = None,
    random: Count = None,
    seed: Seed = None,
    base: options.Base = BaseKind.fixed,
    lock: options.Lock = None,
    independent: options.Independent = None,
    strict: options.Strict = False,
    snap: options.Snap = 0.0,
    model_name: options.Model = None,
    xacro: options.XacroArgs = None,
    json: options.AsJson = False,
) -> None:
    """Print the motion of frames at each state, as tables or as JSON."""
    from screwgraph.model.load import is_mechanism
    from screwgraph.ui.cli.closed_states import check_closed
    from screwgraph.ui.cli.console import print_json, show_progress
    from screwgraph.ui.cli.frame_motion import compile_frame_motion, print_motion, to_json
    from screwgraph.ui.cli.inverse_kinematics import print_reach
    from screwgraph.ui.cli.mechanism_options import load_mechanism_with_values, refuse_robot_options
    from screwgraph.ui.cli.state import random_state
    from screwgraph.ui.cli.state_file import read_state

    if state is not None and (random is not None or seed is not None):
        raise make_usage_error(context, "--state cannot be used with --random and --seed", fix="give one of them")
    is_planar = is_mechanism(robot)
    if is_planar:
        refuse_robot_options(context, lock, independent, strict, snap, model_name, xacro, base is not BaseKind.fixed)
    model = (
        load_mechanism_with_values(robot)
        if is_planar
        else options.load_robot(robot, base, lock, None, False, strict, snap, model_name, xacro, independent)
    )
    if reach is not None:
        print_reach(context, model, reach, options.split_names(frames), state, random, json)
        return
    with show_progress(f"making the kinematics of {model.name}"):
        motion = compile_frame_motion(model, options.split_names(frames), reference.value)
    at = (
        random_state(motion.robot, (), random, seed or 0)
        if state is None
        else read_state(state, motion.robot, "qdd", ())
    )
    if state is not None:
        check_closed(motion.robot, at.q, at.qd, state)
    options.print_warnings(motion.robot)
    if json:
        print_json(to_json(motion, at))
    else:
        print_motion(motion, at)
