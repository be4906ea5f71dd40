"""Forces on contacts that follow given ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from screwgraph.base.errors import InputError
from screwgraph.model.formats.yaml_keys import Entry, Keys
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.model import Model
from screwgraph.motion.control.models import as_controlled
from screwgraph.motion.control.tasks.base import ControlTask, TaskRow


@dataclass(frozen=True)
class ContactForceTask(ControlTask):
    """The wrench (6,) on the robot at a contact: moment about its point (N m), force (N), in the base's axes.

    It takes the place of the small weight that forces have otherwise. A contact that is off has none.

    Args:
        contact: the frame of the contact.
        weight: of the squares of what is missed (N, N m).
    """

    contact: str

    KEYS: ClassVar[Keys] = {"force": Entry("contact whose moment and force follow given ones")}

    @classmethod
    def read_entry(cls, entries: Mapping[str, Value], gains: Mapping[str, Any]) -> Self:
        """Return the task of a file's entry. Raises ModelError, InputError."""
        return cls(entries["force"].text(), **gains)

    @property
    def usual_name(self) -> str:
        """The contact's."""
        return f"{self.contact}_wrench"

    def references(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        """Return the shape of the wrench."""
        as_controlled(model).find_link(self.contact)
        return {self.name: (6,)}

    def check_contacts(self, frames: Sequence[str]) -> None:
        """Raise InputError where the force is of no contact, or of several in one frame."""
        if frames.count(self.contact) != 1:
            raise InputError(
                f"the force on {self.contact!r}: {frames.count(self.contact)} contacts have this frame",
                why="it is of one",
                fix=f"one of {', '.join(frames)}" if frames else "list the contact among contacts",
            )

    def rows(self, model: Model, q: Any, qd: Any, *references: Any) -> list[TaskRow]:
        """Return a row for each component."""
        return [TaskRow({i: 1.0}, 0.0, 0.0, 0.0, x, self.contact) for i, x in enumerate(references[0])]
