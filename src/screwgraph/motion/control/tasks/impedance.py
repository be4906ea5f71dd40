"""Frames that yield to forces as a body on springs and dampers does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.mechanics.kinematics import frame_jacobian
from screwgraph.mechanics.kinematics.reference_frames import ALIGNED
from screwgraph.model.formats.yaml_keys import Entry, Keys
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.model import Model
from screwgraph.motion.control.models import as_controlled
from screwgraph.motion.control.tasks.base import ControlTask, TaskRow
from screwgraph.motion.control.tasks.frame import PARTS, FrameTask
from screwgraph.tape import Number, factor_tree
from screwgraph.tape.sparse_rows import to_sparse_rows

EACH = "a number, or one of each direction, angular ones first"


@dataclass(frozen=True)
class ImpedanceTask(ControlTask):
    """Impedance of a link or frame: inertia (a - a*) + damping (v - v*) + stiffness e = wrench on it (Hogan, 1985).

    The goal is a pose (4, 4), a position (3,) (m) or an orientation (3, 3) in the base's axes, with the rates that
    `FrameTask` has; e is how far the frame is from it, of an orientation as there. Numbers are along the axes of the
    goal, of a position those of the base.

    With an inertia, `wrench` (6,) is an argument: the moment about the frame (N m) and the force (N) on it, such as a
    sensor measures them, in the base's axes; equations of motion have it, so that other joints do not give way. Without
    one, nothing is measured, and the frame keeps the inertia that the robot has there, (J M^-1 J')^-1.

    Args:
        frame: the link or frame.
        of: pose, position or orientation.
        stiffness: in each direction (N m/rad, N/m); one number for all, or one each, angular ones first.
        damping: alike (N m s/rad, N s/m); by default 2 sqrt(inertia stiffness), without an inertia it must be given.
        inertia: alike (kg m^2, kg); by default that of the robot.
        weight: of the squares of accelerations that are missed; 0 switches the task off.
        level: strict priority, 0 first.
        name: of its reference, and before `_rates`, `_impedance` (3 or 2, k) and `_wrench`.

    Raises:
        InputError: a number is negative, there are others than directions, or damping is not given and has no default.
    """

    frame: str
    of: str = "pose"
    _: KW_ONLY
    stiffness: float | Sequence[float]
    damping: float | Sequence[float] | None = None
    inertia: float | Sequence[float] | None = None

    KEYS: ClassVar[Keys] = {
        "impedance": Entry("link or frame that yields as a body on springs and dampers does"),
        "of": Entry("pose, position or orientation", default="pose"),
        "inertia": Entry("of an impedance, whose wrench is measured", EACH, "kg m^2, kg", "that of the robot"),
    }
    LISTS = ("stiffness", "damping", "inertia")
    follows = True

    def __post_init__(self) -> None:
        super().__post_init__()
        size = self._place.size
        if self.damping is None and self.inertia is None:
            raise InputError(
                f"the impedance of {self.frame!r} has neither damping nor inertia",
                why="damping that suits the robot's own inertia varies with its position",
                fix="give it a damping, such as 50, or an inertia, with which it is critical",
            )
        for name in ("stiffness", "damping", "inertia"):
            value = getattr(self, name)
            if value is not None and np.shape(value) not in ((), (size,)):
                raise InputError(f"{name} of the impedance of {self.frame!r}: {value!r}", fix=EACH)
        if self.inertia is not None and not all(0.0 < x < np.inf for x in np.ravel(self.inertia)):
            raise InputError(f"inertia of the impedance of {self.frame!r}: {self.inertia!r}", why="it must be positive")

    @property
    def _place(self) -> FrameTask:
        """The task of the same frame whose goal, error and rows this one has."""
        return FrameTask(self.frame, self.of, name=self.name)

    @property
    def structure(self) -> ControlTask:
        """The task without numbers: what code depends on."""
        return replace(super().structure, inertia=None if self.inertia is None else 1.0)

    @classmethod
    def read_entry(cls, entries: Mapping[str, Value], gains: Mapping[str, Any]) -> Self:
        """Return the task of a file's entry. Raises ModelError, InputError."""
        if "stiffness" not in gains:
            raise entries["impedance"].complaint("it has no stiffness")
        return cls(entries["impedance"].text(), entries["of"].text() if "of" in entries else "pose", **gains)

    @property
    def usual_name(self) -> str:
        """The frame, and which part of its pose."""
        return f"{self.frame}_{self.of}"

    @property
    def impedance(self) -> Float[np.ndarray, "rows k"]:
        """Stiffness, damping and, where there is one, inertia of each direction, as the controller takes them."""
        none = np.zeros(self._place.size)
        rows = [none + self.stiffness, *([] if self.inertia is None else [none + self.inertia])]
        damping = 2.0 * np.sqrt(rows[0] * rows[-1]) if self.damping is None else none + self.damping
        return np.stack([rows[0], damping, *rows[1:]])

    def references(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        """Return the shapes of the goal, its rates, the impedance, and the wrench where it is measured."""
        if self.inertia is None and as_controlled(model).floats:
            raise InputError(
                f"the impedance of {self.frame!r} has the inertia of {model.name!r}",
                why="that of a robot that floats depends on what it stands on",
                fix="give it an inertia, and the wrench that is measured",
            )
        found = {**self._place.references(model), f"{self.name}_impedance": self.impedance.shape}
        return found if self.inertia is None else {**found, f"{self.name}_wrench": (6,)}

    @property
    def constants(self) -> Mapping[str, Any]:
        """The impedance."""
        return {f"{self.name}_impedance": self.impedance}

    def hold(self, model: Model, q: Float[np.ndarray, " nq"]) -> Mapping[str, Any]:
        """Return references with which the robot stays at q, where nothing pushes it."""
        return {**self._place.hold(model, q), **self.constants}

    def list_identities(self, *references: Any) -> list[Number]:
        """Return what vanishes for an orientation."""
        return self._place.list_identities(*references)

    def rows(self, model: Model, q: Any, qd: Any, *references: Any) -> list[TaskRow]:
        """Return a row for each direction, angular ones first."""
        shape, part = PARTS[self.of]
        rows = self._place.rows(model, q, qd, *references[:2])
        stiffness, damping, *inertia = np.reshape(references[2], (-1, len(rows)))
        axes = np.reshape(references[0], shape)[:3, :3] if len(shape) == 2 else np.eye(3)
        errors, rates = (_turn(axes.T, [getattr(row, name) for row in rows]) for name in ("error", "error_rate"))
        pulls = [s * e + d * r for s, e, d, r in zip(stiffness, errors, damping, rates, strict=True)]
        if inertia:
            own = zip(pulls, _turn(axes.T, references[3][part]), inertia[0], strict=True)
            wanted = _turn(axes, [(pull + push) / m for pull, push, m in own])
        else:
            wanted = _accelerate(model, q, qd, [row.J for row in rows], _turn(axes, pulls))
        return [replace(row, feedforward=row.feedforward + a) for row, a in zip(rows, wanted, strict=True)]

    def push(self, model: Model, q: Any, *references: Any) -> Any:
        """Return the efforts (nv,) along all velocities of the wrench that is measured."""
        if self.inertia is None:
            return None
        return np.asarray(frame_jacobian(model, self.frame, reference=ALIGNED)(q)).T @ references[3]


def _turn(axes: Any, values: Sequence[Number]) -> list[Number]:
    """Return vectors of three numbers, one or two of them, in other axes."""
    return [x for i in range(0, len(values), 3) for x in axes @ np.array(values[i : i + 3])]


def _accelerate(model: Model, q: Any, qd: Any, J: Sequence[Mapping[int, Number]], wrench: Sequence[Number]) -> Any:
    """Return the accelerations J M^-1 J' f of a frame that a wrench on it causes."""
    motion = as_controlled(model).coordinates.solve(q, qd)
    dense = np.array([[row.get(i, 0.0) for i in range(model.nv)] for row in J], dtype=object)
    own = motion.restrict(dense)
    M = factor_tree([dict(row) for row in to_sparse_rows(np.tril(motion.M))])
    return own @ np.array(M.solve(list(own.T @ np.array(wrench, dtype=object))))
