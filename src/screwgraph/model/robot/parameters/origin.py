"""Where the frame of a joint stands in its parent's, or a frame in its link's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.parameters.base import perturb_numbers, with_joint
from screwgraph.model.robot.robot import Robot
from screwgraph.spatial import Array, from_rpy, rotation, to_rpy, transform, translation

LABELS = ("x", "y", "z", "roll", "pitch", "yaw")


class Origin:
    """URDF's origin of a joint or frame: x, y, z (m), roll, pitch, yaw (rad), in the frame of the link it is on."""

    of = "joint or frame"
    why = "only joints and frames stand somewhere"

    def parts(self, robot: Robot) -> Iterable[str]:
        return [*robot.joint_names, *(frame.name for frame in robot.frames)]

    def labels(self, robot: Robot, part: str) -> tuple[str, ...]:
        return LABELS

    def nominal(self, robot: Robot, part: str) -> Float[np.ndarray, "6"]:
        return origin_numbers(robot.joint(part).origin if part in robot.joint_names else robot.frame(part).T_lf)

    def near(self, robot: Robot, part: str, rng: np.random.Generator) -> Float[np.ndarray, "6"]:
        return perturb_numbers(self.nominal(robot, part), rng)

    def assign_values(self, robot: Robot, part: str, values: Float[Array, "6"]) -> Robot:
        T = origin_transform(values)
        if part in robot.joint_names:
            return with_joint(robot, replace(robot.joint(part), origin=T))
        frames = tuple(replace(frame, T_lf=T) if frame.name == part else frame for frame in robot.frames)
        return replace(robot, frames=frames)


def origin_numbers(T: Float[np.ndarray, "4 4"]) -> Float[np.ndarray, "6"]:
    """Return URDF's origin of a frame: x, y, z (m), roll, pitch, yaw (rad)."""
    return np.concatenate([translation(T), to_rpy(rotation(T))])


def origin_transform(values: Float[Array, "6"]) -> Float[Array, "4 4"]:
    """Return the pose of a frame from URDF's origin."""
    return transform(from_rpy(values[3:]), values[:3])
