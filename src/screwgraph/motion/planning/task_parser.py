"""Helpers that items of task files are read with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.formats.diagnostics import as_model_error
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.robot import Robot
from screwgraph.motion.planning.models.coordinates import find_coordinates
from screwgraph.spatial import quaternions, so3, transform

WORDS = ("start", "end", "always")


@dataclass(frozen=True, eq=False)
class TaskParser:
    """A task file being read: its robot, the names that expressions may use, and the folder that it lies in."""

    robot: Robot
    names: Mapping[str, float]
    folder: Path | None = None

    def number(self, value: Value) -> float:
        """Return a number. Raises ModelError."""
        return value.number(self.names)

    def vector(self, value: Value, *counts: int) -> Float[np.ndarray, " n"]:
        """Return a list of so many numbers. Raises ModelError."""
        return np.array(value.numbers(self.names, *counts))

    def word(self, value: Value, known: tuple[str, ...]) -> str:
        """Return one of some words. Raises ModelError."""
        text = value.text()
        if text not in known:
            raise ModelError(f"{value.what} is {text!r}", at=value.at, fix=f"one of {', '.join(known)}")
        return text

    def frame(self, value: Value) -> str:
        """Return the name of a link or frame. Raises ModelError where there is none."""
        try:
            return self.robot.frame(value.text()).name
        except InputError as error:
            raise as_model_error(error, value.what, value.at) from None

    def time(self, value: Value) -> float | str | tuple[float, float]:
        """Return a time (s), one of `WORDS`, or an interval [a, b]. Raises ModelError."""
        if isinstance(value.content, tuple):
            first, last = value.numbers(self.names, 2)
            return first, last
        if value.content in WORDS:
            return str(value.content)
        return self.number(value)

    def joints(self, value: Value, count: int | None = None) -> Any:
        """Return a number, a list of `count` numbers, or {joint: number or list}. Raises ModelError.

        Names may be of joints, or of one coordinate, `joint[2]`.
        """
        if isinstance(value.content, dict):
            return {name: self._entry(name, entry) for name, entry in value.mapping().items()}
        if isinstance(value.content, tuple):
            return self.vector(value, len(value.content) if count is None else count)
        return self.number(value)

    def sigma(self, value: Value | None) -> float | None:
        """Return a standard deviation, None where none is given. Raises ModelError."""
        if value is None:
            return None
        number = self.number(value)
        if number <= 0.0:
            raise ModelError(f"{value.what} is {number:g}", at=value.at, why="it must be positive")
        return number

    def pose(self, entries: Mapping[str, Value]) -> Float[np.ndarray, "4 4"]:
        """Return the pose of entries `xyz` and `rpy` or `quaternion` (x, y, z, w), each left out at will.

        Raises ModelError.
        """
        p = self.vector(entries["xyz"], 3) if "xyz" in entries else np.zeros(3)
        if "quaternion" in entries:
            quaternion = self.vector(entries["quaternion"], 4)
            length = float(np.linalg.norm(quaternion))
            if abs(length - 1.0) > 1e-3:
                raise ModelError(
                    f"{entries['quaternion'].what} has the length {length:g}",
                    at=entries["quaternion"].at,
                    why="it must be 1",
                )
            return transform(quaternions.to_rotation(quaternion / length), p)
        rpy = self.vector(entries["rpy"], 3) if "rpy" in entries else np.zeros(3)
        return transform(so3.from_rpy(rpy), p)

    def joint(self, name: str, value: Value) -> str:
        """Return the name of a joint, of one of its coordinates, or of an actuator.

        Raises:
            ModelError: there is none.
        """
        if name in [actuator.name for actuator in self.robot.actuators]:
            return name
        try:
            find_coordinates(self.robot, name)
        except InputError as error:
            raise as_model_error(error, value.what, value.at) from None
        return name

    def _entry(self, name: str, value: Value) -> float | Float[np.ndarray, " n"]:
        self.joint(name, value)
        if isinstance(value.content, tuple):
            return self.vector(value, len(value.content))
        return self.number(value)
