"""How frames of a robot move: functions, and their results as tables or as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import screwgraph as sg
from screwgraph.spatial.so3 import to_rpy
from screwgraph.ui.cli.console import make_output_console
from screwgraph.ui.cli.solve_tables import SHOWN_STATES
from screwgraph.ui.cli.state import State
from screwgraph.ui.cli.table_style import make_table

POSE = ("x (m)", "y (m)", "z (m)", "roll (rad)", "pitch (rad)", "yaw (rad)")
VELOCITY = ("wx (rad/s)", "wy (rad/s)", "wz (rad/s)", "vx (m/s)", "vy (m/s)", "vz (m/s)")


@dataclass(frozen=True, eq=False)
class Motion:
    """Functions of a robot: poses of frames, a velocity and a Jacobian each."""

    robot: sg.Robot
    frames: tuple[str, ...]
    reference: str
    poses: sg.Function
    velocities: tuple[sg.Function, ...]
    jacobians: tuple[sg.Function, ...]


def compile_frame_motion(model: Any, names: tuple[str, ...], reference: str) -> Motion:
    """Return the functions; of the last link where no frame is named. Raises InputError."""
    frames = names or tuple(link.name for link in getattr(model, "links", ())[-1:])
    poses = sg.forward_kinematics(model, frames)  # refuses mechanisms
    velocities = tuple(sg.frame_velocity(model, frame, reference=reference) for frame in frames)
    jacobians = tuple(sg.frame_jacobian(model, frame, reference=reference) for frame in frames)
    return Motion(model, frames, reference, poses, velocities, jacobians)


def to_json(motion: Motion, state: State) -> dict[str, Any]:
    """Return poses (..., frames, 4, 4), velocities (..., frames, 6) and Jacobians (..., frames, 6, nv)."""
    q, qd = np.asarray(state.q), np.asarray(state.qd)
    return {
        "robot": motion.robot.name,
        "state": state.origin,
        "joints": list(motion.robot.joint_names),
        "q": q,
        "qd": qd,
        "frames": list(motion.frames),
        "reference": motion.reference,
        "poses": motion.poses(q),
        "velocities": np.stack([f(q, qd) for f in motion.velocities], axis=-2),
        "jacobians": np.stack([f(q) for f in motion.jacobians], axis=-3),
    }


def print_motion(motion: Motion, state: State) -> None:
    """Print a table of poses and one of velocities for each state."""
    found, console = to_json(motion, state), make_output_console()
    console.print(f"{motion.robot.name}: frames in the base, velocities {motion.reference}", style="bold")
    console.print(f"at {state.origin}\n")
    states = list(np.ndindex(*state.batch))
    for number, at in enumerate(states[:SHOWN_STATES], start=1):
        title = f"state {number} of {len(states)}" if state.batch else ""
        poses, velocities = make_table(title, "frame", *POSE), make_table("", "frame", *VELOCITY)
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
