"""What was given: a model, a table, and options that it has no use for."""

from __future__ import annotations

import os
from typing import Any

from screwgraph.base.argument_checks import describe_value
from screwgraph.base.errors import InputError
from screwgraph.model.formats import read_table
from screwgraph.model.mechanism import Mechanism
from screwgraph.model.robot import Robot, check_moves


def check_model(model: Any) -> None:
    """Raise InputError where a model is neither a robot nor a mechanism."""
    if not isinstance(model, Robot | Mechanism):
        raise InputError(
            f"expected a robot or a mechanism, got {describe_value(model)}",
            fix="load one with sg.load(path)",
        )


def check_can_move(model: Any) -> None:
    """Raise InputError where a model is neither a robot nor a mechanism, or a robot without joints."""
    check_model(model)
    if isinstance(model, Robot):
        check_moves(model)


def check_noise(noise: Any, kind: type) -> None:
    """Raise InputError where standard deviations are given and are none of this kind."""
    if noise is not None and not isinstance(noise, kind):
        fix = f"give a {kind.__module__.rsplit('.', 1)[0]}.{kind.__name__}(...), or leave it out"
        raise InputError(f"noise: expected a {kind.__name__}, got {describe_value(noise)}", fix=fix)


def load_table(given: Any, *, missing: bool = False) -> Any:
    """Return a table of columns; where a file is named, what it holds, as `read_table` does. Raises InputError."""
    return read_table(given, missing=missing) if isinstance(given, (str, os.PathLike)) else given


def refuse_option(given: dict[str, Any], why: str, fix: str) -> None:
    """Raise InputError where an option is given (not None) that the model or method does not have."""
    names = [name for name, value in given.items() if value is not None]
    if names:
        raise InputError(f"{', '.join(f'{name}=' for name in names)} cannot be used here", why=why, fix=fix)
