"""What a task of a controller is: accelerations that are wanted of some quantities, and how much they count."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_fields
from screwgraph.base.errors import InputError
from screwgraph.model.formats.yaml_keys import Keys
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.model import Model
from screwgraph.tape import Number, Row
from screwgraph.tape.sparse_rows import to_sparse_rows

ACCELERATIONS, EFFORTS = "qdd", "tau"
"""What rows of tasks are of: accelerations (nv,), or efforts of motors."""


@dataclass(frozen=True)
class TaskRow:
    """A quantity y with d2y/dt2 = J qdd + drift: its error y* - y, the rate of that, and the d2y/dt2 that is wanted.

    J may multiply efforts or a contact's wrench in the place of qdd, as `of` says: `EFFORTS`, or a contact's name.
    """

    J: Row
    drift: Number
    error: Number
    error_rate: Number
    feedforward: Number
    of: str = ACCELERATIONS


@dataclass(frozen=True)
class ControlTask(ABC):
    """A quantity that is wanted, and how much it counts.

    Args:
        weight: of the squares of what is missed (rad/s^2, m/s^2; N, N m); 0 switches the task off.
        level: strict priority, 0 first: tasks change nothing of what those of lower levels reach. Weights count among
            tasks of one level.
        name: of its reference; by default `usual_name`, which says its kind and frame.
    """

    _: KW_ONLY
    weight: float = 1.0
    level: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        if self.name == "":
            object.__setattr__(self, "name", self.usual_name)
        check_fields(self)
        for name in GAINS:
            value = getattr(self, name, None)
            if value is not None and not all(0.0 <= x < np.inf for x in np.ravel(value)):
                raise InputError(f"the {name} of task {self.name!r} is {value!r}", why="it must be finite, from 0 on")
        if self.level < 0:
            raise InputError(f"the level of task {self.name!r} is {self.level}", why="it is 0, or larger")

    @property
    def gains(self) -> tuple[float, float, float]:
        """Stiffness (1/s^2), damping (1/s) and weight."""
        return 0.0, 0.0, self.weight

    @property
    def structure(self) -> ControlTask:
        """The task without gains, which are arguments: what code depends on."""
        return replace(self, **{name: 0.0 for name in GAINS if hasattr(self, name)})

    KEYS: ClassVar[Keys] = {}
    """Keys of its entry in a file beside its gains; none where files have none."""
    LISTS: ClassVar[tuple[str, ...]] = ()
    """Of its gains, those that files may give as lists."""
    follows: ClassVar[bool] = False
    """Whether its rows have errors of positions."""

    @classmethod
    def read_entry(cls, entries: Mapping[str, Value], gains: Mapping[str, Any]) -> Self:
        """Return the task of a file's entry. Raises ModelError, InputError."""
        raise next(iter(entries.values())).complaint("files have no such task")

    @property
    @abstractmethod
    def usual_name(self) -> str:
        """The name of its reference where it is given none."""

    @abstractmethod
    def references(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        """Return the shapes of what it takes, by name: such as y*, its first and second rates.

        Raises:
            InputError: the robot cannot have the task.
        """

    def check_contacts(self, frames: Sequence[str]) -> None:
        """Raise InputError where the task is of a contact that is not among those in these frames."""
        del frames

    @property
    def constants(self) -> Mapping[str, Any]:
        """References that are the task's own numbers, whatever it follows."""
        return {}

    def hold(self, model: Model, q: Float[np.ndarray, " nq"]) -> Mapping[str, Any]:
        """Return references with which the robot stays at q; others are rates, zero, or have no such value."""
        del model, q
        return {}

    def list_positions(self, model: Model) -> Sequence[int]:
        """Return the places in q of what its reference has, where that is positions of coordinates."""
        del model
        return ()

    def list_identities(self, *references: Any) -> list[Number]:
        """Return numbers that vanish where references are what they must be, such as R'R - 1; references are flat."""
        del references
        return []

    def push(self, model: Model, q: Any, *references: Any) -> Any:
        """Return the efforts (nv,) along all velocities of a wrench on the model that it knows, if it knows one."""
        del model, q, references

    @abstractmethod
    def rows(self, model: Model, q: Any, qd: Any, *references: Any) -> list[TaskRow]:
        """Return its rows at a state; references are flat."""


@dataclass(frozen=True)
class MotionTask(ControlTask):
    """A quantity y that follows y*: d2y/dt2 = d2y*/dt2 + stiffness (y* - y) + damping (dy*/dt - dy/dt).

    Args:
        stiffness: of the error (1/s^2).
        damping: of its rate (1/s); by default 2 sqrt(stiffness), so that errors do not overshoot.
        weight: of the squares of accelerations that are missed (rad/s^2, m/s^2); 0 switches the task off.
        level: strict priority, 0 first.
        name: of its reference, and before `_rates` of its rates.
    """

    _: KW_ONLY
    stiffness: float = 100.0
    damping: float | None = None
    follows = True

    @property
    def gains(self) -> tuple[float, float, float]:
        """Stiffness (1/s^2), damping (1/s) and weight."""
        damping = 2.0 * float(np.sqrt(self.stiffness)) if self.damping is None else self.damping
        return self.stiffness, damping, self.weight


GAINS = ("stiffness", "damping", "weight")
"""What tasks have of numbers that are arguments."""


def confirm(value: Value, gains: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the gains of a task whose entry says yes. Raises ModelError."""
    if not value.switch():
        raise value.complaint("leave the task out, or say yes")
    return gains


def make_rows(J: Any, drift: Any, error: Any, rate: Any, rates: Sequence[Number]) -> list[TaskRow]:
    """Return rows of quantities whose rate is `rate` and that follow `rates`: first rates, then second ones."""
    n = len(drift)
    columns = zip(to_sparse_rows(J), drift, error, rate, rates[:n], rates[n:], strict=True)
    return [TaskRow(row, d, e, wanted - v, a) for row, d, e, v, wanted, a in columns]
