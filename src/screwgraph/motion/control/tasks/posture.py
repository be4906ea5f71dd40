"""Joints that follow positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.formats.yaml_keys import Entry, Keys
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.robot import Joint, Robot
from screwgraph.motion.control.tasks.base import MotionTask, TaskRow, make_rows


@dataclass(frozen=True)
class PostureTask(MotionTask):
    """Positions of joints of one coordinate (rad, m), by default of all of them, in the robot's order."""

    joints: tuple[str, ...] = ()

    KEYS: ClassVar[Keys] = {"posture": Entry("joints that follow positions, all if it is empty", "[joint, ...]")}

    @classmethod
    def read_entry(cls, entries: Mapping[str, Value], gains: Mapping[str, Any]) -> Self:
        """Return the task of a file's entry. Raises ModelError, InputError."""
        return cls(tuple(item.text() for item in entries["posture"].items()), **gains)

    @property
    def name(self) -> str:
        """It is called by no joint: `posture`."""
        return "posture"

    def list_joints(self, robot: Robot) -> list[Joint]:
        """Return the joints."""
        if not self.joints:
            return [joint for joint in robot.joints if joint.type.nq == joint.type.nv == 1]
        found = [robot.joint(name) for name in self.joints]
        if len(set(self.joints)) < len(self.joints):
            raise InputError(f"the posture has joints {', '.join(self.joints)}", why="one is named twice")
        for joint in found:
            if joint.type.nq != 1:
                raise InputError(
                    f"the posture has joint {joint.name!r}, which has {joint.type.nq} position coordinates",
                    why="it is of joints of one coordinate",
                    fix="sg.control.FrameTask holds the pose of its link",
                )
        return found

    def references(self, robot: Robot) -> Mapping[str, tuple[int, ...]]:
        """Return the shapes of positions and of their rates (2, n)."""
        n = len(self.list_joints(robot))
        if not n:
            raise InputError(f"robot {robot.name!r} has no joints of one coordinate for a posture")
        return {"posture": (n,), "posture_rates": (2, n)}

    def hold(self, robot: Robot, q: Float[np.ndarray, " nq"]) -> Mapping[str, Any]:
        """Return references with which the robot stays at q."""
        return {"posture": np.array([q[robot.q_slices[joint.name].start] for joint in self.list_joints(robot)])}

    def rows(self, robot: Robot, q: Any, qd: Any, *references: Any) -> list[TaskRow]:
        """Return a row for each joint."""
        reference, rates = references
        joints = self.list_joints(robot)
        along = [robot.v_slices[joint.name].start for joint in joints]
        J, drift = np.zeros((len(joints), robot.nv)), [0.0] * len(joints)
        J[range(len(joints)), along] = 1.0
        error = [x - q[robot.q_slices[joint.name].start] for joint, x in zip(joints, reference, strict=True)]
        return make_rows(J, drift, error, [qd[i] for i in along], rates)
