"""Where the frame of a joint stands in its parent's, or a frame in its link's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.robot.parameters.base import near_numbers, with_joint
from screwgraph.robot.robot import Robot
from screwgraph.spatial import Array, from_rpy, rotation, to_rpy, transform, translation


class Origin:
    """URDF's origin of a joint or frame: x, y, z (m), roll, pitch, yaw (rad), in the frame of the link it is on."""

    of = "joint or frame"
    why = "only joints and frames stand somewhere"

    def parts(self, robot: Robot) -> Iterable[str]:
        return [*robot.joint_names, *(frame.name for frame in robot.frames)]

    def labels(self, robot: Robot, part: str) -> tuple[str, ...]:
        return ("x", "y", "z", "roll", "pitch", "yaw")

    def nominal(self, robot: Robot, part: str) -> Float[np.ndarray, "6"]:
        T = robot.joint(part).origin if part in robot.joint_names else robot.frame(part).T_lf
        return np.concatenate([translation(T), to_rpy(rotation(T))])

    def near(self, robot: Robot, part: str, rng: np.random.Generator) -> Float[np.ndarray, "6"]:
        return near_numbers(self.nominal(robot, part), rng)

    def bound(self, robot: Robot, part: str, values: Float[Array, "6"]) -> Robot:
        T = transform(from_rpy(values[3:]), values[:3])
        if part in robot.joint_names:
            return with_joint(robot, replace(robot.joint(part), origin=T))
        frames = tuple(replace(frame, T_lf=T) if frame.name == part else frame for frame in robot.frames)
        return replace(robot, frames=frames)
