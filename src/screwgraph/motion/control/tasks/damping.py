"""Joints that come to rest where no other task moves them: damping in the null space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from screwgraph.model.formats.yaml_keys import Entry, Keys
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.model import Model
from screwgraph.motion.control.models import as_controlled
from screwgraph.motion.control.tasks.base import ControlTask, TaskRow


@dataclass(frozen=True)
class DampingTask(ControlTask):
    """Velocities of joints fall: dv/dt = -damping v. With a small weight it settles what other tasks leave free.

    Args:
        joints: or coordinates of a mechanism; by default all but a floating base, or independent ones.
        damping: 1/s.
        weight: of the squares of accelerations that are missed (rad/s^2, m/s^2).
    """

    joints: tuple[str, ...] = ()
    damping: float = 10.0

    KEYS: ClassVar[Keys] = {"damped": Entry("joints that come to rest, all if it is empty", "[joint, ...]")}

    @classmethod
    def read_entry(cls, entries: Mapping[str, Value], gains: Mapping[str, Any]) -> Self:
        """Return the task of a file's entry. Raises ModelError, InputError."""
        return cls(tuple(item.text() for item in entries["damped"].items()), **gains)

    @property
    def gains(self) -> tuple[float, float, float]:
        """No stiffness."""
        return 0.0, self.damping, self.weight

    @property
    def usual_name(self) -> str:
        """It has no reference."""
        return "damping"

    def references(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        """Return none."""
        as_controlled(model).list_velocities(self.joints)
        return {}

    def rows(self, model: Model, q: Any, qd: Any, *references: Any) -> list[TaskRow]:
        """Return a row for each velocity coordinate."""
        places = as_controlled(model).list_velocities(self.joints)
        return [TaskRow({i: 1.0}, 0.0, 0.0, -qd[i], 0.0) for i in places]
