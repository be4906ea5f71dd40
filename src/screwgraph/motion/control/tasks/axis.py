"""Axes of frames that follow directions; the turn about them is free."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.mechanics.kinematics import forward_kinematics, frame_acceleration, frame_jacobian
from screwgraph.mechanics.kinematics.reference_frames import ALIGNED
from screwgraph.model.formats.yaml_keys import VECTOR, Entry, Keys
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.model import Model
from screwgraph.motion.control.models import as_controlled
from screwgraph.motion.control.tasks.base import MotionTask, TaskRow
from screwgraph.motion.control.tasks.frame import HALF_TURN
from screwgraph.spatial import cross, maximum, rotation, sqrt
from screwgraph.tape import Number, dot
from screwgraph.tape.sparse_rows import to_sparse_rows


@dataclass(frozen=True)
class AxisTask(MotionTask):
    """An axis of a link or frame follows a direction (3,), of length 1, in the base's axes.

    Rates are the angular velocity (rad/s) and acceleration with which the direction turns, in the base's axes. The
    error is 2 sin(angle / 2), about the axis of the turn that is left.

    Args:
        frame: the link or frame.
        axis: in the frame's axes.
    """

    frame: str
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < np.linalg.norm(self.axis) < np.inf:
            raise InputError(f"the axis of task {self.name!r} is {self.axis!r}", why="it must have a direction")

    KEYS: ClassVar[Keys] = {
        "axis_of": Entry("link or frame of which an axis follows a direction"),
        "axis": Entry("the axis, in the frame's axes", VECTOR, default="[0, 0, 1]"),
    }

    @classmethod
    def read_entry(cls, entries: Mapping[str, Value], gains: Mapping[str, Any]) -> Self:
        """Return the task of a file's entry. Raises ModelError, InputError."""
        x, y, z = entries["axis"].numbers({}, 3) if "axis" in entries else (0.0, 0.0, 1.0)
        return cls(entries["axis_of"].text(), (x, y, z), **gains)

    @property
    def usual_name(self) -> str:
        """The frame's axis."""
        return f"{self.frame}_axis"

    def references(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        """Return the shapes of the direction and of its rates (2, 3)."""
        as_controlled(model).check_moved(self.frame)
        return {self.name: (3,), f"{self.name}_rates": (2, 3)}

    def hold(self, model: Model, q: Float[np.ndarray, " nq"]) -> Mapping[str, Any]:
        """Return references with which the robot stays at q."""
        R = rotation(np.asarray(forward_kinematics(model, self.frame)(q)))
        return {self.name: R @ np.array(self.axis) / np.linalg.norm(self.axis)}

    def list_identities(self, *references: Any) -> list[Number]:
        """Return what vanishes for a direction: it has length 1."""
        return [dot(references[0], references[0]) - 1.0]

    def rows(self, model: Model, q: Any, qd: Any, *references: Any) -> list[TaskRow]:
        """Return a row for each of two directions across the axis, along which the body turns."""
        wanted, rates = references
        own = np.array(self.axis) / np.linalg.norm(self.axis)
        across = np.linalg.svd(own[None])[2][1:]
        R = rotation(np.asarray(forward_kinematics(model, self.frame)(q)))
        J = np.asarray(frame_jacobian(model, self.frame, reference=ALIGNED)(q))[:3]
        drift = frame_acceleration(model, self.frame, reference=ALIGNED)(q, qd, np.zeros(model.nv))[:3]
        axis, spin = R @ own, J @ qd
        half = maximum(sqrt(maximum(0.5 * (1.0 + dot(axis, wanted)), 0.0)), HALF_TURN)
        turn, found = [x * (1.0 / half) for x in cross(axis, wanted)], list[TaskRow]()
        for t in (R @ across[0], R @ across[1]):
            # The rate of t . spin is t . d(spin)/dt, since dt/dt = spin x t is at right angles to spin.
            (row,) = to_sparse_rows([t @ J])
            rate = dot(t, rates[:3]) - dot(t, spin)
            found.append(TaskRow(row, dot(t, drift), dot(t, turn), rate, dot(t, rates[3:])))
        return found
