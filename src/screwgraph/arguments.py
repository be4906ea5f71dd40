"""Arguments of public functions, checked against the annotations of their own signatures."""

from __future__ import annotations

import builtins
import collections.abc
import dataclasses
import inspect
import math
import numbers
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin

import numpy as np

from screwgraph.errors import InputError

P = ParamSpec("P")
R = TypeVar("R")
_LONGEST = 60
_LISTS = (collections.abc.Iterable, collections.abc.Sequence, collections.abc.Collection, tuple, list)
_WORDS: dict[Any, str] = {
    Any: "...",
    bool: "True or False",
    int: "an integer",
    float: "a number",
    str: "a text (str)",
    type(None): "None",
}
_NO_ROBOT = "its coordinates are positions of points and angles, no joint carries links and frames"
_FIXES = {
    "Robot": "load one with sg.load(path)",
    "Mechanism": "load one with sg.load(path)",
    "FactorGraph": "make one with dynamics_graph",
}


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that raises InputError where an argument is not what the annotation says.

    Of numbers, NaN is none. Where names are expected, one text is one name, and iterators become tuples. Types that are
    imported for type checkers only, and those that are no classes, pass.
    """
    signature = inspect.signature(function)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            return function(*args, **kwargs)  # which says it in Python's words
        for name, value in bound.arguments.items():
            if name not in ("self", "cls"):
                bound.arguments[name] = _checked(function, signature.parameters[name], value)
        return function(*bound.args, **bound.kwargs)

    return call


def check_fields(instance: Any) -> None:
    """Raise InputError where a field of a dataclass is not what its annotation says; for `__post_init__`."""
    for field in dataclasses.fields(instance):
        _one(type(instance), field.name, _kind(type(instance), field.name), getattr(instance, field.name))


def _checked(function: Callable[..., Any], parameter: inspect.Parameter, value: Any) -> Any:
    kind = _kind(function, parameter.name)
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        return tuple(_one(function, parameter.name, kind, item) for item in value)
    if parameter.kind is inspect.Parameter.VAR_KEYWORD:
        return {name: _one(function, name, kind, item) for name, item in value.items()}
    return _one(function, parameter.name, kind, value)


def _one(function: Callable[..., Any], name: str, kind: Any, value: Any) -> Any:
    choices = _choices(kind)
    names = any(get_origin(c) in _LISTS and get_args(c)[:1] == (str,) for c in choices)
    if names and isinstance(value, str) and str not in choices:
        value = (value,)
    elif names and isinstance(value, Iterator):
        value = tuple(value)
    if any(_is(value, choice) for choice in choices) and not (isinstance(value, float) and math.isnan(value)):
        return value
    words = [_words(choice) for choice in choices if choice is not type(None)]
    fixes = list(dict.fromkeys(_FIXES[n] for c in choices if (n := getattr(c, "__name__", "")) in _FIXES))
    if isinstance(value, str) and len(value) <= _LONGEST:
        fixes = [fix.replace("(path)", f"({value!r})") for fix in fixes]
    place = f"{function.__qualname__.removesuffix('.__init__')}: {name}"
    expected = " or ".join(dict.fromkeys(words))
    if type(value).__name__ == "Mechanism":
        given = f"the mechanism {getattr(value, 'name', '')!r}"
        raise InputError(f"{place}: expected {expected}, got {given}", why=_NO_ROBOT, fix=" or ".join(fixes))
    raise InputError(f"{place}: expected {expected}, got {shown(value)}", fix=" or ".join(fixes))


def _is(value: Any, kind: Any) -> bool:
    origin, inside = get_origin(kind), get_args(kind)
    if kind is Any:
        return True
    if kind is bool:
        return isinstance(value, bool | np.bool_)
    if kind is int:
        return isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if kind is float:
        return isinstance(value, numbers.Real) and not isinstance(value, bool)
    if hasattr(kind, "array_type"):  # jaxtyping's
        return _is_array(value)
    if origin is collections.abc.Mapping:
        return isinstance(value, Mapping) and all(
            any(_is(v, c) for c in _choices(k)) for pair in value.items() for v, k in zip(pair, inside, strict=True)
        )
    if origin in _LISTS:
        return _is_list(value, inside[:1] if inside else (Any,))
    if origin is collections.abc.Callable:
        return callable(value)
    found = origin or kind
    is_known = not getattr(found, "_is_protocol", False) or getattr(found, "_is_runtime_protocol", False)
    return not isinstance(found, type) or not is_known or isinstance(value, found)


def _is_list(value: Any, inside: tuple[Any, ...]) -> bool:
    """Whether something is a list of such items; iterators, and lists of several types, are looked at no further."""
    if isinstance(value, bytes) or (isinstance(value, str) and inside != (str,)):
        return False
    try:
        items = iter(value)
    except TypeError:
        return False
    return items is value or len(_choices(inside[0])) > 1 or all(_is(item, inside[0]) for item in items)


def _is_array(value: Any) -> bool:
    try:
        return np.asarray(value).dtype.kind in "biuf"
    except (TypeError, ValueError):
        return False


def _choices(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)


@lru_cache(maxsize=1024)
def _kind(function: Callable[..., Any], name: str) -> Any:
    """Return the type that an annotation stands for; Any in the place of names that only type checkers know."""
    annotation = function.__annotations__.get(name, Any)
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, {}, _Names(vars(sys.modules[function.__module__])))
    except TypeError:  # a union with what is no type
        return Any


class _Names(dict[str, Any]):
    """Names of a module; those that it does not have are Any."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, Any)


def _words(kind: Any) -> str:
    origin, inside = get_origin(kind), get_args(kind)
    if kind in _WORDS:
        return _WORDS[kind]
    if hasattr(kind, "array_type"):
        return "an array of numbers"
    if origin in _LISTS:
        if not inside or inside[0] is Any:
            return "a list"
        items = " or ".join(_plural(_words(choice)) for choice in _choices(inside[0]))
        return "names (a list of str)" if inside[0] is str else f"a list of {items}"
    if origin is collections.abc.Callable:
        return "a function"
    name = getattr(origin or kind, "__name__", str(kind))
    if origin is collections.abc.Mapping and inside[:1] == (str,):
        return f"a mapping, {{name: {' or '.join(_words(choice) for choice in _choices(inside[1]))}}}"
    known = {"Mapping": "a mapping, {...: ...}", "PathLike": "a path", "Robot": "a robot", "Mechanism": "a mechanism"}
    return known.get(name, f"{'an' if name[0] in 'AEIOU' else 'a'} {name}")


def _plural(words: str) -> str:
    head, comma, rest = words.removeprefix("a ").removeprefix("an ").partition(",")
    return f"{head}s{comma}{rest}"


def shown(value: Any) -> str:
    """Return the type of a value and what it looks like, in short."""
    text = " ".join(repr(value).split())
    return f"{type(value).__name__} {text if len(text) <= _LONGEST else text[: _LONGEST - 3] + '...'}"


def positive_count(name: str, value: Any) -> int:
    """Return a whole number. Raises InputError where it is none, or not positive."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise InputError(f"{name} = {value!r} is not a positive whole number")
    return int(value)
