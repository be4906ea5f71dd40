"""SDF files in few words."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from screwgraph.model.robot import Robot, link_poses
from tests.model.formats.helpers import complaint, loaded

INERTIAL = "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"


def sdf(*parts: str, version: str = "1.9") -> str:
    """An SDF file; part i stands on line i + 2."""
    return "\n".join([f'<sdf version="{version}">', *parts, "</sdf>"])


def model(*parts: str, name: str = "m", version: str = "1.9", attributes: str = "") -> str:
    """A file of one model; part i stands on line i + 3."""
    return sdf(f'<model name="{name}" {attributes}>', *parts, "</model>", version=version)


def link(name: str, pose: str = "", relative_to: str = "", more: str = INERTIAL) -> str:
    relative = f' relative_to="{relative_to}"' if relative_to else ""
    return f'<link name="{name}">{f"<pose{relative}>{pose}</pose>" if pose or relative else ""}{more}</link>'


def joint(name: str, parent: str, child: str, kind: str = "revolute", axis: str = "0 0 1", more: str = "") -> str:
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="{kind}">{ends}<axis><xyz>{axis}</xyz></axis>{more}</joint>'


def sdf_loaded(text: str, folder: Path, name: str = "m.sdf", **options) -> Robot:
    return loaded(text, folder, name, **options)


def sdf_complaint(text: str, folder: Path, name: str = "m.sdf", **options) -> str:
    return complaint(text, folder, name, **options)


def file_poses(robot: Robot, q=None) -> dict[str, np.ndarray]:
    """Pose of each of the file's links and frames in the base's frame, under their own names."""
    at = link_poses(robot, robot.neutral() if q is None else q)
    poses = at | {frame.name: at[frame.link] @ frame.T_lf for frame in robot.frames}
    return {name: poses.get(f"{name}_origin", T) for name, T in poses.items() if not name.endswith("_origin")}
