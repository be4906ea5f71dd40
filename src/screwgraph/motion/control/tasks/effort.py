"""Efforts that follow given ones: those of another controller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from screwgraph.model.formats.yaml_keys import Entry, Keys
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.model import Model
from screwgraph.motion.control.models import as_controlled
from screwgraph.motion.control.tasks.base import EFFORTS, ControlTask, TaskRow, confirm


@dataclass(frozen=True)
class EffortTask(ControlTask):
    """Efforts (N m, N) of motors, such as another controller wants them.

    With limits and barriers and no other task it is a filter: the nearest efforts that keep them.
    """

    KEYS: ClassVar[Keys] = {"effort": Entry("efforts follow given ones", "yes")}

    @classmethod
    def read_entry(cls, entries: Mapping[str, Value], gains: Mapping[str, Any]) -> Self:
        """Return the task of a file's entry. Raises ModelError, InputError."""
        return cls(**confirm(entries["effort"], gains))

    @property
    def usual_name(self) -> str:
        """It is of all efforts."""
        return "effort"

    def references(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        """Return the shape of the efforts."""
        return {self.name: (len(as_controlled(model).motors.names),)}

    def rows(self, model: Model, q: Any, qd: Any, *references: Any) -> list[TaskRow]:
        """Return a row for each effort."""
        return [TaskRow({i: 1.0}, 0.0, 0.0, 0.0, x, EFFORTS) for i, x in enumerate(references[0])]
