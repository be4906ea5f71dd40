"""A public function as its signature and docstring describe it: what the command line and exports read."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from screwgraph.base.argument_checks import evaluate_annotation, list_choices

REQUIRED = inspect.Parameter.empty
_SCALARS = (bool, int, float, str)
_ENTRY = re.compile(r"^    (\w+): (.+(?:\n     .*)*)", re.MULTILINE)


@dataclass(frozen=True)
class ParameterDescription:
    """A parameter: its type as plain values have it, its default or `REQUIRED`, and what `Args:` says about it.

    `kind` is bool, int, float or str, `list` where a list of texts is one choice and `tuple` where a sequence of names
    is; None for anything else.
    """

    kind: type | None
    default: Any
    about: str


def describe_parameters(function: Callable[..., Any]) -> dict[str, ParameterDescription]:
    """Return the parameters of a function by name."""
    text = inspect.cleandoc(function.__doc__ or "").partition("\nArgs:\n")[2].partition("\n\n")[0]
    about = {name: " ".join(words.split()) for name, words in _ENTRY.findall(text)}
    return {
        name: ParameterDescription(_kind(evaluate_annotation(function, name)), p.default, about.get(name, ""))
        for name, p in inspect.signature(function).parameters.items()
    }


def _kind(annotation: Any) -> type | None:
    for choice in list_choices(annotation):
        if choice in _SCALARS:
            return choice
        if get_args(choice) in ((str,), (str, ...)):
            return list if get_origin(choice) is list else tuple
    return None
