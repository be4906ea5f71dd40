"""Names of the velocity coordinates of a model."""

from __future__ import annotations

from typing import Any

from screwgraph.robot import unknown


def labels_of(robot: Any) -> tuple[str, ...]:
    """Return the names of the velocity coordinates: a joint's, with a number where it has several."""
    sizes = [(j.name, j.type.nv) for j in robot.joints]
    return tuple(name if n == 1 else f"{name}[{i}]" for name, n in sizes for i in range(n))


def coordinates_of(robot: Any, name: str, what: str = "joint") -> tuple[int, ...]:
    """Return which velocity coordinates a joint has; `joint[2]` is the third of a joint.

    Raises:
        InputError: there is none of that name.
    """
    if name in robot.v_slices:
        part = robot.v_slices[name]
        return tuple(range(part.start, part.stop))
    labels = labels_of(robot)
    if name in labels:
        return (labels.index(name),)
    raise unknown(what, name, robot.joint_names)
