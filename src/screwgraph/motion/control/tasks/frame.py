"""Frames that follow poses, positions or orientations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from jaxtyping import Float

from screwgraph.mechanics.kinematics import forward_kinematics, frame_acceleration, frame_jacobian
from screwgraph.mechanics.kinematics.reference_frames import ALIGNED
from screwgraph.model.formats.yaml_keys import Entry, Keys
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.model import Model
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.control.live_numbers import list_rotation_identities
from screwgraph.motion.control.models import as_controlled
from screwgraph.motion.control.tasks.base import MotionTask, TaskRow, make_rows
from screwgraph.spatial import Array, cross, maximum, rotation, sqrt, translation
from screwgraph.tape import Number

PARTS: Mapping[str, tuple[tuple[int, ...], slice]] = {
    "pose": ((4, 4), slice(0, 6)),
    "position": ((3,), slice(3, 6)),
    "orientation": ((3, 3), slice(0, 3)),
}
"""What may be followed: the shape of its reference, and its part of a twist."""
HALF_TURN = 1e-3
"""Cosine of half the angle between two orientations below which the error (rad) grows no further."""


@dataclass(frozen=True)
class FrameTask(MotionTask):
    """The pose (4, 4) of a link or frame, its position (3,) (m) or orientation (3, 3), in the base's axes.

    Rates are those of `frame_velocity` and `frame_acceleration` with the reference "local_world_aligned". The error of
    an orientation is 2 sin(angle / 2) about the axis of the turn that is left.
    """

    frame: str
    of: str = "pose"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.of not in PARTS:
            raise make_unknown_name_error("part of a frame's pose", self.of, PARTS)

    KEYS: ClassVar[Keys] = {
        "frame": Entry("link or frame that follows a pose"),
        "of": Entry("pose, position or orientation", default="pose"),
    }

    @classmethod
    def read_entry(cls, entries: Mapping[str, Value], gains: Mapping[str, Any]) -> Self:
        """Return the task of a file's entry. Raises ModelError, InputError."""
        return cls(entries["frame"].text(), entries["of"].text() if "of" in entries else "pose", **gains)

    @property
    def size(self) -> int:
        """How many directions there are."""
        part = PARTS[self.of][1]
        return part.stop - part.start

    @property
    def usual_name(self) -> str:
        """The frame, and which part of its pose."""
        return f"{self.frame}_{self.of}"

    def references(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        """Return the shapes of the pose, or the part of it, and of its rates (2, 6 or 3)."""
        as_controlled(model).check_moved(self.frame)
        return {self.name: PARTS[self.of][0], f"{self.name}_rates": (2, self.size)}

    def hold(self, model: Model, q: Float[np.ndarray, " nq"]) -> Mapping[str, Any]:
        """Return references with which the robot stays at q."""
        T, (_, part) = np.asarray(forward_kinematics(model, self.frame)(q)), PARTS[self.of]
        return {self.name: T if part == slice(0, 6) else T[:3, 3] if part.start else T[:3, :3]}

    def list_identities(self, *references: Any) -> list[Number]:
        """Return what vanishes for an orientation."""
        shape, part = PARTS[self.of]
        return [] if part.start else list_rotation_identities(np.reshape(references[0], shape)[:3, :3])

    def rows(self, model: Model, q: Any, qd: Any, *references: Any) -> list[TaskRow]:
        """Return a row for each direction, angular ones first."""
        reference, rates = references
        shape, part = PARTS[self.of]
        T = forward_kinematics(model, self.frame)(q)
        J = frame_jacobian(model, self.frame, reference=ALIGNED)(q)
        drift = frame_acceleration(model, self.frame, reference=ALIGNED)(q, qd, np.zeros(model.nv))
        wanted, error = np.reshape(reference, shape), list[Any]()
        if part.start == 0:
            error += list(turn_between(rotation(T), wanted[:3, :3]))
        if part.stop == 6:
            error += list((wanted[:3, 3] if len(shape) == 2 else wanted) - translation(T))
        return make_rows(J[part], drift[part], error, (J @ qd)[part], rates)


def turn_between(R: Float[Array, "3 3"], wanted: Float[Array, "3 3"]) -> Array:
    """Return 2 sin(angle / 2) times the axis of the turn from one orientation to another, in the base's axes."""
    axis = sum(np.array(cross(R[:, i], wanted[:, i])) for i in range(3)) * 0.5  # sin(angle)
    trace = sum(R[:, i] @ wanted[:, i] for i in range(3))
    return axis * (1.0 / maximum(0.5 * sqrt(maximum(1.0 + trace, 0.0)), HALF_TURN))
