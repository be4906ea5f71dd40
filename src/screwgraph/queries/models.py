"""Which kind of model was given, and which options it has no use for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeGuard

from screwgraph.errors import InputError
from screwgraph.formats import read_table
from screwgraph.robot import Robot

if TYPE_CHECKING:
    from screwgraph.mechanism import Mechanism


def is_mechanism(model: Any) -> TypeGuard[Mechanism]:
    """Tell mechanisms from robots; their package is imported when something else than a robot is given.

    Raises:
        InputError: the model is neither.
    """
    if isinstance(model, Robot):
        return False
    from screwgraph.mechanism import Mechanism

    if not isinstance(model, Mechanism):
        raise InputError(
            f"expected a robot or a mechanism, got {type(model).__name__} {str(model)[:60]!r}",
            fix="load one with sg.load(path) or sg.load_mechanism(path)",
        )
    return True


def table_of(given: Any) -> Any:
    """Return a table of columns; where a file is named, what it holds. Raises InputError."""
    return read_table(given) if isinstance(given, (str, os.PathLike)) else given


def refuse(given: dict[str, Any], why: str, fix: str) -> None:
    """Raise InputError where an option is given (not None) that the model or method does not have."""
    names = [name for name, value in given.items() if value is not None]
    if names:
        raise InputError(f"{', '.join(f'{name}=' for name in names)} cannot be used here", why=why, fix=fix)
