"""Names that expressions of xacro files find: those that the package xacro offers, without what reaches Python itself.

Nothing but the standard library is imported.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from screwgraph.model.formats.xacro.values import LARGEST, ExpressionError, Function, Space, validate_size

MOST = 1000
"""Largest argument of `factorial`, `comb` and `perm`."""


def python_names() -> dict[str, Any]:
    """Return Python's own functions, by name."""
    types = {t.__name__: Function(t.__name__, _type(t), t) for t in (bool, int, float, complex, str, dict, set, tuple)}
    types |= {t.__name__: Function(t.__name__, t, t) for t in (list, frozenset)}
    functions: dict[str, Callable[..., Any]] = {
        f.__name__: f for f in (abs, all, any, divmod, len, max, min, ord, chr, round, sorted, sum, slice, hash)
    }
    functions |= {
        "range": _range,
        "repr": lambda value: repr(validate_size(value)),
        "map": lambda f, *values: list(map(f, *values)),
        "filter": lambda f, values: list(filter(f, values)),
        "zip": lambda *values: list(zip(*values, strict=False)),
        "enumerate": lambda values, start=0: list(enumerate(values, start)),
        "reversed": lambda values: list(reversed(values)),
        "type": lambda value: _type_of(value, types),
        "isinstance": lambda value, kinds: isinstance(value, _kinds(kinds)),
        "issubclass": lambda kind, kinds: issubclass(_kinds(kind)[0], _kinds(kinds)),
    }
    found = {name: Function(name, call) for name, call in functions.items()}
    return types | found | {"True": True, "False": False}


def math_names() -> dict[str, Any]:
    """Return functions and constants of the module `math`, by name."""
    found = {
        name: Function(name, value) if callable(value) else value
        for name, value in vars(math).items()
        if not name.startswith("_")
    }
    return found | {name: Function(name, _small(name)) for name in ("factorial", "comb", "perm") if name in found}


SHORT = ("list", "dict", "map", "len", "str", "float", "int", "bool", "True", "False", "min", "max", "round")
"""Python's functions that stand without `python.` before them."""
DEPRECATED = ("sorted", "range")
"""Those that may stand so, with a warning."""


def global_names(own: Mapping[str, Callable[..., Any]], warn: Callable[[str], None]) -> dict[str, Any]:
    """Return all names: `math`, `python` and `xacro` with theirs, and what may stand without these.

    `own` are functions of xacro that read files and arguments, or say something.
    """

    def warn_deprecated(function: Function, space: str) -> Function:
        def call_deprecated(*values: Any, **named: Any) -> Any:
            name = function.name
            warn(f"Using {name}() directly is deprecated. Use {space}.{name}() instead.")
            return function(*values, **named)

        return Function(function.name, call_deprecated, function.type)

    python, of_math = python_names(), math_names()
    xacro = {name: Function(name, call) for name, call in own.items()}
    return {
        **of_math,
        **{name: python[name] for name in SHORT},
        **{name: warn_deprecated(python[name], "python") for name in DEPRECATED},
        **{name: warn_deprecated(xacro[name], "xacro") for name in ("load_yaml", "abs_filename", "dotify")},
        "math": Space("math", of_math),
        "python": Space("python", python),
        "xacro": Space("xacro", xacro),
    }


def old_names(own: Mapping[str, Callable[..., Any]]) -> dict[str, Any]:
    """Return the names that `$(eval ...)` finds, which are others."""
    python = python_names()
    return {
        **math_names(),
        **{name: python[name] for name in ("list", "dict", "map", "str", "float", "int", "True", "False")},
        "true": True,
        "false": False,
        **{name: Function(name, call) for name, call in own.items()},
    }


def _type(kind: type) -> Callable[..., Any]:
    def make_value(*values: Any, **named: Any) -> Any:
        validate_size(list(values))
        return kind(*values, **named)

    return make_value


def _range(*values: int) -> range:
    found = range(*values)
    if len(found) > LARGEST:
        raise ExpressionError("a range is too large")
    return found


def _small(name: str) -> Callable[..., Any]:
    def call_small(*values: int) -> Any:
        if any(value > MOST for value in values):
            raise ExpressionError(f"{name} of a number above {MOST} is too large")
        return getattr(math, name)(*values)

    return call_small


def _type_of(value: Any, types: Mapping[str, Function]) -> Function:
    if type(value).__name__ not in types:
        raise ExpressionError("the type of this value has no name here")
    return types[type(value).__name__]


def _kinds(kinds: Any) -> tuple[type, ...]:
    found = [
        one.type if isinstance(one, Function) else None for one in (kinds if isinstance(kinds, tuple) else (kinds,))
    ]
    if None in found:
        raise ExpressionError("types are bool, int, float, complex, str, list, tuple, dict, set and frozenset")
    return tuple(kind for kind in found if kind is not None)
