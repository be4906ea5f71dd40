"""`screwgraph kinematics`: poses, velocities and Jacobians of frames, and positions of joints at which they are met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.mechanics.kinematics import Solution
from screwgraph.mechanics.kinematics.mechanism_motion import BODY
from screwgraph.mechanics.kinematics.targets import Point, Pose
from screwgraph.model.robot import units
from screwgraph.spatial import from_xyz_rpy
from screwgraph.spatial.so3 import to_rpy
from screwgraph.ui.cli.command import Command
from screwgraph.ui.cli.console import (
    as_usage_error,
    make_output_console,
    make_table,
    make_usage_error,
    print_json,
    show_progress,
)
from screwgraph.ui.cli.model_source import ModelSource, print_warnings
from screwgraph.ui.cli.options import Flag
from screwgraph.ui.cli.solve_mechanism import complete_state, draw_states
from screwgraph.ui.cli.solve_result import SHOWN_STATES
from screwgraph.ui.cli.state import State, check_closed, make_state, random_state
from screwgraph.ui.cli.state_file import errors_in, read_entries, read_state

FLAGS = {
    "frames": Flag("Link or frame; of mechanisms body or point; default: last.", "FRAME"),
    "reference": Flag("Axes and point of velocities and Jacobians.", choices=("local", "world", "local_world_aligned")),
    "reach": Flag(
        "Inverse kinematics: the frame's position (m), or its pose (m, rad; roll, pitch, yaw); of mechanisms: a point.",
        "X,Y,Z[,R,P,Y]",
    ),
}

HELP = """\b
Poses are in the base's frame. Velocities are (wx wy wz, vx vy vz): --reference local is the frame's origin in the
frame's axes, local_world_aligned the same in the base's axes, world the body's point at the base's origin.
--json adds pose matrices and Jacobians.
--reach prints joint positions, within their limits, at which the frame has this position or pose; the search begins at
--state. Of a planar mechanism it is X,Y of a point, by default the last one that moves.

\b
Example:
  screwgraph kinematics panda --frames panda_hand_tcp
  screwgraph kinematics a1 --base floating --frames FL_calf,FR_calf --random 3 --json
  screwgraph kinematics puma560 --frames tool --state state.json
  screwgraph kinematics slider_crank --frames rod,piston
  screwgraph kinematics four_bar --frames P1 --reach 0.6,0.8
  screwgraph kinematics panda --frames panda_hand_tcp --reach 0.4,0.1,0.5,3.14,0,0
with a state.json like {"q": [0, 0.1, 0.2, 0, 0, 0], "qd": {"joint1": 0.5}}; what is missing is zero.
"""
POSE_COLUMNS = ("x (m)", "y (m)", "z (m)", "roll (rad)", "pitch (rad)", "yaw (rad)")
VELOCITY_COLUMNS = ("wx (rad/s)", "wy (rad/s)", "wz (rad/s)", "vx (m/s)", "vy (m/s)", "vz (m/s)")
POINT, POSE = 3, 6
"""Numbers of a point (x, y, z), and of a pose (roll, pitch, yaw, too)."""
FORMS = {2: "X,Y (m)", POINT: "X,Y,Z (m)", POSE: "X,Y,Z,ROLL,PITCH,YAW (m, rad)"}


def kinematics(
    source: ModelSource,
    frames: tuple[str, ...] = (),
    reference: str = "local",
    reach: str | None = None,
    state: str | None = None,
    random: int | None = None,
    seed: int | None = None,
    json: bool = False,
) -> None:
    """Print the motion of frames at each state, as tables or as JSON."""
    if state is not None and (random is not None or seed is not None):
        raise make_usage_error("--state cannot be used with --random and --seed", fix="give one of them")
    model: Any = source.load()
    if reach is not None:
        return print_reach(model, reach, frames, state, random, json)
    with show_progress(f"making the kinematics of {model.name}"):
        motion = compile_frame_motion(model, frames, reference)
    find = _mechanism_state if source.is_mechanism else _robot_state
    at = find(model, state, random, seed or 0)
    print_warnings(model)
    return print_json(to_json(motion, at)) if json else print_motion(motion, at)


def _robot_state(robot: sg.Robot, file: str | None, count: int | None, seed: int) -> State:
    if file is None:
        return random_state(robot, (), count, seed)
    at = read_state(file, robot, "qdd", ())
    check_closed(robot, at.q, at.qd, file)
    return at


def _mechanism_state(mechanism: sg.Mechanism, file: str | None, count: int | None, seed: int) -> State:
    if file is not None:
        entries = read_entries(file)
        with errors_in(file):
            return make_state(*complete_state(mechanism, entries), file)
    q, qd = draw_states(mechanism, count or 1, np.random.default_rng(seed))
    drawn = "a random state" if count in (None, 1) else f"{count} random states"
    return make_state(*((q[0], qd[0]) if count is None else (q, qd)), f"{drawn}, seed {seed}")


COMMAND = Command(kinematics, HELP, FLAGS, model="base lock independent strict snap model xacro packages")


@dataclass(frozen=True, eq=False)
class Motion:
    """Functions of a model: poses of frames, a velocity and a Jacobian each."""

    model: Any
    frames: tuple[str, ...]
    reference: str
    poses: sg.Function
    velocities: tuple[sg.Function, ...]
    jacobians: tuple[sg.Function, ...]


def compile_frame_motion(model: Any, names: tuple[str, ...], reference: str) -> Motion:
    """Return the functions; of the last link where no frame is named. Raises InputError."""
    frames = names or (default_frame(model),)
    poses = sg.forward_kinematics(model, frames)
    velocities = tuple(sg.frame_velocity(model, frame, reference=reference) for frame in frames)
    jacobians = tuple(sg.frame_jacobian(model, frame, reference=reference) for frame in frames)
    return Motion(model, frames, reference, poses, velocities, jacobians)


def default_frame(model: Any) -> str:
    """Return the last link of a robot, or the last body of a mechanism."""
    return model.links[-1].name if model.has_frames else BODY + model.bodies[-1].name


def to_json(motion: Motion, state: State) -> dict[str, Any]:
    """Return poses (..., frames, 4, 4), velocities (..., frames, 6) and Jacobians (..., frames, 6, nv)."""
    q, qd, model = np.asarray(state.q), np.asarray(state.qd), motion.model
    return {
        model.kind: model.name,
        "state": state.origin,
        **_name_coordinates(model),
        "q": q,
        "qd": qd,
        "frames": list(motion.frames),
        "reference": motion.reference,
        "poses": motion.poses(q),
        "velocities": np.stack([f(q, qd) for f in motion.velocities], axis=-2),
        "jacobians": np.stack([f(q) for f in motion.jacobians], axis=-3),
    }


def _name_coordinates(model: Any) -> dict[str, list[str]]:
    return {"joints": list(model.joint_names)} if model.has_frames else {"coordinates": list(model.coordinates)}


def print_motion(motion: Motion, state: State) -> None:
    """Print a table of poses and one of velocities for each state."""
    found, console = to_json(motion, state), make_output_console()
    console.print(f"{motion.model.name}: frames in the base, velocities {motion.reference}", style="bold")
    console.print(f"at {state.origin}\n")
    states = list(np.ndindex(*state.batch))
    for number, at in enumerate(states[:SHOWN_STATES], start=1):
        title = f"state {number} of {len(states)}" if state.batch else ""
        poses, velocities = make_table(title, "frame", *POSE_COLUMNS), make_table("", "frame", *VELOCITY_COLUMNS)
        for name, T, V in zip(motion.frames, found["poses"][at], found["velocities"][at], strict=True):
            poses.add_row(name, *_cells([*T[:3, 3], *to_rpy(T[:3, :3])]))
            velocities.add_row(name, *_cells(V))
        console.print(poses)
        console.print(velocities)
        console.print()
    if len(states) > SHOWN_STATES:
        console.print(f"... and {len(states) - SHOWN_STATES} more states (--json prints all)")


def _cells(values: Any) -> list[str]:
    return [f"{value:.5g}" for value in values]


def parse_target(text: str, counts: tuple[int, ...]) -> Float[np.ndarray, " n"]:
    """Return the numbers of a point or pose. Raises InputError where they are not as many as one of these has."""
    try:
        numbers = np.array([float(part) for part in text.split(",")])
    except ValueError:
        numbers = np.empty(0)
    if len(numbers) not in counts or not np.isfinite(numbers).all():
        wanted = " or ".join(FORMS[count] for count in counts)
        raise InputError(
            f"--reach {text!r} is no point{' and no pose' if POSE in counts else ''}", fix=f"give {wanted}"
        )
    return numbers


def solve_reach(model: Any, frames: tuple[str, ...], numbers: Float[np.ndarray, " n"], start: Any) -> Solution:
    """Return positions at which a frame, or a mechanism's point, by default the last one, is there.

    Raises InputError where none was found.
    """
    if len(frames) > 1:
        raise InputError("--reach takes one frame", fix="name it with --frames")
    last = model.links[-1].name if model.has_frames else [p.name for p in model.points if not p.fixed][-1]
    frame = frames[0] if frames else last
    is_pose = len(numbers) == POSE
    with show_progress(f"looking for positions of {model.name}"):
        search = sg.inverse_kinematics(model, Pose(frame) if is_pose else Point(frame))
        found = search(from_xyz_rpy(numbers[:3], numbers[3:]) if is_pose else numbers, start=start)
    if not found.reached:
        raise InputError("; ".join(found.reasons))
    return found


def print_reach(
    model: Any, reach: str, frames: tuple[str, ...], state: str | None, random: int | None, as_json: bool
) -> None:
    """Find the positions that are asked for and print them; from those of a file of a state, if there is one."""
    if random is not None:
        raise make_usage_error("--reach cannot be used with --random", fix="leave out one of them")
    with as_usage_error():
        numbers = parse_target(reach, (POINT, POSE) if model.has_frames else (model.dimension,))
    start = None if state is None else _start_of(model, state)
    print_reached(model, solve_reach(model, frames, numbers, start), as_json)


def _start_of(model: Any, file: str) -> Float[np.ndarray, " nq"]:
    if model.has_frames:
        return read_state(file, model, "qdd", ()).q
    with errors_in(file):
        return complete_state(model, read_entries(file))[0]


def print_reached(model: Any, found: Solution, as_json: bool) -> None:
    """Print positions of joints or coordinates, and errors."""
    if as_json:
        errors = dict(zip(found.labels, found.errors, strict=True))
        print_json({model.kind: model.name, **_name_coordinates(model), "q": found.q, "errors": errors})
        return
    table = make_table("", "joint" if model.has_frames else "coordinate", "position")
    rows = (
        [(j.name, found.q[model.q_slices[j.name]], units(j.type).position) for j in model.joints]
        if model.has_frames
        else [(c.name, [x], [c.unit]) for c, x in zip(model.columns["q"], found.q, strict=True)]
    )
    for name, own, unit in rows:
        table.add_row(name, ", ".join(f"{x:.6g} {u}".strip() for x, u in zip(own, unit, strict=True)))
    console = make_output_console()
    console.print(table)
    console.print(", ".join(f"{label} {error:.1g}" for label, error in zip(found.labels, found.errors, strict=True)))
