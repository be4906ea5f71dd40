"""The protocol of models: what may be asked of a robot, a planar mechanism, or a kind that is yet to come."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, TypeVar

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.spatial.manifolds import Manifold

if TYPE_CHECKING:
    from screwgraph.model.functions_of_time import FunctionOfTime

P = ParamSpec("P")
R = TypeVar("R")
QUANTITIES = {"q": "position", "qd": "velocity", "qdd": "acceleration", "tau": "effort"}
"""Arrays of a motion that have a column a coordinate, and what they are called."""
STATES = tuple(QUANTITIES)


@dataclass(frozen=True)
class Column:
    """A coordinate: its `name` in tables and its shorter `label` in pictures, its unit, "" for parts of quaternions."""

    name: str
    label: str
    unit: str


class Model(ABC):
    """A mechanical system: positions q (nq,) on a manifold, velocities qd (nv,), efforts tau (m,) that drive it.

    `kind` is the key by which each layer above finds what it knows of such models: graphs, queries, motions, plans.
    With `has_frames`, joints carry links with frames and shapes, on which wrenches act. `driven` coordinates follow
    functions of time in simulations.
    """

    kind: ClassVar[str]
    has_frames: ClassVar[bool]
    name: str
    driven: Mapping[str, FunctionOfTime] = MappingProxyType({})

    @property
    @abstractmethod
    def warnings(self) -> tuple[str, ...]:
        """Remarks about the model's file, in one line each."""

    @property
    @abstractmethod
    def nq(self) -> int:
        """Number of position coordinates."""

    @property
    @abstractmethod
    def nv(self) -> int:
        """Number of velocity coordinates."""

    @property
    @abstractmethod
    def manifold(self) -> Manifold:
        """Manifold of q."""

    @property
    @abstractmethod
    def is_closed(self) -> bool:
        """Whether constraints tie the coordinates."""

    @property
    @abstractmethod
    def columns(self) -> Mapping[str, tuple[Column, ...]]:
        """The columns of q, qd, qdd and tau."""

    @property
    @abstractmethod
    def owners(self) -> tuple[str, ...]:
        """The part that each velocity coordinate belongs to, in words: "joint 'elbow'"."""

    @property
    @abstractmethod
    def drivers(self) -> tuple[str, ...]:
        """The part that exerts each effort, in words: "motor 'crank'"."""

    @property
    @abstractmethod
    def effort_limits(self) -> Float[np.ndarray, " m"]:
        """Largest efforts (N m, N), infinite where none is known."""

    @abstractmethod
    def neutral(self) -> Float[np.ndarray, " nq"]:
        """Return where the model stands unless a position is given."""

    @abstractmethod
    def locate(self, q: Float[np.ndarray, "N nq"], name: Any, at: Sequence[float] | None) -> Float[np.ndarray, "N d"]:
        """Return where a named place, or a place `at` (m) on a body of that name, is (m) at positions q.

        Raises:
            InputError: there is no such name, or `at` has another number of coordinates.
        """


def coordinate_names(model: Model) -> dict[str, list[str]]:
    """Return the names of all entries of q, qd, qdd and tau."""
    return {kind: [column.name for column in found] for kind, found in model.columns.items()}


def validate_place(name: object, at: Sequence[float] | None, count: int) -> Float[np.ndarray, " d"]:
    """Return the coordinates (m) of a place on a body, by default its origin. Raises InputError."""
    place = np.zeros(count) if at is None else validate_numbers(f"the place on {name!r}", at)
    if place.shape != (count,) or not np.isfinite(place).all():
        raise InputError(f"the place {at!r} on {name!r} is not {count} numbers (m)")
    return place


def answered_by(
    answers: Mapping[str, Mapping[str, Callable[..., R]]],
) -> Callable[[Callable[Concatenate[Any, P], R]], Callable[Concatenate[Model, P], R]]:
    """Let other kinds of models answer a query of robots: functions by kind, then by the name of the query."""

    def open_query(query: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Model, P], R]:
        signature = inspect.signature(query)
        first, *others = signature.parameters.values()

        @wraps(query)
        def ask(*args: Any, **options: Any) -> R:
            kind = getattr(args[0] if args else options.get(first.name), "kind", "")
            return (answers[kind][query.__name__] if kind in answers else query)(*args, **options)

        ask.__annotations__ = {**query.__annotations__, first.name: Model}
        ask.__dict__["__signature__"] = signature.replace(parameters=[first.replace(annotation="Model"), *others])
        return ask

    return open_query
