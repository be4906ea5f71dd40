"""The docstring of a function that elimination produced: its arguments and results with shapes, units and names."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from typing import Any, TypeVar

from screwgraph.base.quantities import QUANTITIES
from screwgraph.compiler.signature import Argument, Result, format_arguments

Class = TypeVar("Class")
MOST = 16
"""Names that are listed."""


class FunctionHelp:
    """The docstring of a class, and of each of its functions one that is written when it is asked for."""

    def __init__(self, of_class: str) -> None:
        self.of_class = of_class

    def __get__(self, function: Any, owner: object = None) -> str:
        return self.of_class if function is None else describe_function(function, self.of_class)


def describe_functions(of: type[Class]) -> type[Class]:
    """Let each function of a class have a docstring of its own."""
    of.__doc__ = FunctionHelp(of.__doc__ or "")  # pyright: ignore[reportAttributeAccessIssue]
    return of


def describe_function(function: Any, rules: str) -> str:
    """Return the docstring: the question, arguments, results, and the rules of all calls."""
    asked = inspect.getdoc(getattr(sys.modules.get("screwgraph"), function.name, None)) or ""
    about = asked.partition("\nRaises:")[0].partition("\nArgs:")[0].strip()
    lines = [
        f"{function.name}({format_arguments(function.arguments)}), arrays (..., *shape) of SI units.",
        *(["", about] if about else []),
        "",
        "Args:",
        *map(_describe, function.arguments),
        "",
        "Returns:",
        *map(_describe, function.results),
        "",
        inspect.cleandoc(rules),
    ]
    return "\n".join(lines)


def _describe(array: Argument | Result) -> str:
    kinds = {name.partition(":")[0] for name in array.names}
    only = kinds.pop() if len(kinds) == 1 else ""
    quantity = QUANTITIES.get(array.name) or QUANTITIES.get(only, "")
    parts = [f"    {array.name} {array.shape}", quantity, _list_names(array.names, only)]
    return ": ".join(part for part in parts if part)


def _list_names(names: Sequence[str], kind: str) -> str:
    short = [name.removeprefix(f"{kind}:") for name in names]
    owners = [name.removesuffix("[0]") for name in short if f"{name.removesuffix('[0]')}[1]" not in short]
    several = dict.fromkeys(name.rpartition("[")[0] if name.endswith("]") else name for name in owners)
    return ", ".join([*list(several)[:MOST], *(["..."] if len(several) > MOST else [])])
