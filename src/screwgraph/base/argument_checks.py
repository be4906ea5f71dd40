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
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin

import numpy as np

from screwgraph.base.errors import InputError

P = ParamSpec("P")
R = TypeVar("R")
_LONGEST = 60
_IN_TURN = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_SEVERAL = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
_TRUTHS, _ROWS = (bool, np.bool_), (list, tuple)
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
    "Model": "load one with sg.load(path)",
    "FactorGraph": "make one with dynamics_graph",
    "Contact": "make one with sg.Contact(frame)",
    "ControlTask": "make one with sg.control.PostureTask(), for example",
    "Ground": "make one with sg.Plane(normal, height), sg.HeightMap(heights) or sg.Steps(at, heights)",
}


def check_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that raises InputError where an argument is not what the annotation says.

    Of numbers, NaN is none. Where names are expected, one text is one name; where lists are, iterators become tuples.
    Types that are imported for type checkers only, and those that are no classes, pass.
    """
    signature = inspect.signature(function)
    kinds = {n: p.kind for n, p in signature.parameters.items()}
    in_turn = tuple(n for n, k in kinds.items() if k in _IN_TURN)
    is_plain = not _SEVERAL & set(kinds.values())

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if is_plain and kwargs.keys() <= kinds.keys() and len(args) <= len(in_turn):
            given = [_one(function, name, value) for name, value in zip(in_turn, args, strict=False)]
            named = {name: _one(function, name, value) for name, value in kwargs.items()}
            return function(*given, **named)  # pyright: ignore[reportCallIssue]
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            if function.__annotations__.get("return") == "Function":
                called = f"{function.__name__}({in_turn[0] if in_turn else ''})"
                raise TypeError(
                    f"{function.__name__}: {error}; arrays go to the function that {called} returns"
                ) from None
            return function(*args, **kwargs)  # which says it in Python's words
        for name, value in bound.arguments.items():
            bound.arguments[name] = _check_value(function, signature.parameters[name], value)
        return function(*bound.args, **bound.kwargs)

    return call


def validate_numbers(what: str, value: object) -> np.ndarray:
    """Return an array of numbers, as `convert_numbers` does. Raises InputError."""
    try:
        return convert_numbers(value)
    except (TypeError, ValueError):
        raise InputError(f"{what}: {_shorten(value)}", why="they are not numbers") from None


def convert_numbers(value: Any) -> np.ndarray:
    """Return real numbers as an array of floats; an array of floats is returned as it is.

    NumPy would read None as NaN, True as 1, the text "2" as 2, a date as a count of days, the real part of a complex
    number, and numbers that are masked.

    Raises:
        TypeError: something is no real number, or is masked.
        ValueError: rows have different lengths, or a number is beyond those of double precision.
    """
    if type(value) is np.ndarray and value.dtype == np.float64:
        return value
    array = np.asanyarray(value)
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        raise TypeError("numbers are masked")
    if array is not value and _has_truth_values(value):
        raise TypeError("True and False are no numbers")
    if not (all(map(_is_real, array.flat)) if array.dtype.kind == "O" else array.dtype.kind in "iuf"):
        raise TypeError("something is no real number")
    try:
        return np.asarray(array, dtype=float)
    except OverflowError as error:
        raise ValueError(str(error)) from None


def _has_truth_values(value: Any) -> bool:
    """Return whether a nested list has True or False in it, which NumPy mixes with numbers."""
    if not isinstance(value, list | tuple):
        return isinstance(value, bool | np.bool_)
    kinds = set(map(type, value))
    return not kinds.isdisjoint(_TRUTHS) or (not kinds.isdisjoint(_ROWS) and any(map(_has_truth_values, value)))


def _is_real(value: Any) -> bool:
    if isinstance(value, numbers.Complex):  # real ones are complex, too
        return isinstance(value, numbers.Real) and not isinstance(value, bool)
    return isinstance(value, numbers.Number)  # decimal ones, which have no order among these classes


def check_fields(instance: Any) -> None:
    """Raise InputError where a field of a dataclass is not what its annotation says; for `__post_init__`.

    One name in the place of a list of names becomes a list, as of arguments of functions.
    """
    for field in dataclasses.fields(instance):
        given = getattr(instance, field.name)
        checked = _one(type(instance), field.name, given)
        if checked is not given:
            object.__setattr__(instance, field.name, checked)  # also of frozen ones


def _check_value(function: Callable[..., Any], parameter: inspect.Parameter, value: Any) -> Any:
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        return tuple(_one(function, parameter.name, item) for item in value)
    if parameter.kind is inspect.Parameter.VAR_KEYWORD:
        return {name: _one(function, parameter.name, item) for name, item in value.items()}
    return _one(function, parameter.name, value)


@dataclasses.dataclass(frozen=True)
class _Expected:
    """Requirement on an argument: what it may be, a test of each kind, whether lists, or lists of names, are some."""

    choices: tuple[Any, ...]
    tests: tuple[Callable[[Any], bool], ...]
    lists: bool
    names: bool


@lru_cache(maxsize=4096)
def _find_requirement(function: Callable[..., Any], name: str) -> _Expected:
    choices = (Any,) if name in ("self", "cls") else list_choices(evaluate_annotation(function, name))
    kinds = [c for c in choices if get_origin(c) in _LISTS and not _is_record(c)]
    names = any(get_args(c)[:1] == (str,) for c in kinds)
    streams = any(get_origin(c) is collections.abc.Iterable and get_args(c)[:1] != (str,) for c in kinds)
    return _Expected(choices, tuple(map(_test, choices)), bool(kinds) and not streams, names)


def _one(function: Callable[..., Any], name: str, value: Any) -> Any:
    expected = _find_requirement(function, name)
    choices = expected.choices
    if expected.names and isinstance(value, str) and str not in choices:
        value = (value,)
    elif expected.lists and isinstance(value, Iterator):
        value = tuple(value)
    for test in expected.tests:
        if test(value):
            if isinstance(value, float) and math.isnan(value):
                break
            return value
    words = [_words(choice) for choice in choices if choice is not type(None)]
    is_nan = isinstance(value, float) and math.isnan(value)
    fixes = [] if is_nan else _find_fixes(choices, value)
    place = f"{function.__qualname__.removesuffix('.__init__')}: {name}"
    expected = " or ".join(dict.fromkeys(words))
    model: Any = value
    if not getattr(model, "has_frames", True):
        given = f"the {model.kind} {model.name!r}"
        raise InputError(f"{place}: expected {expected}, got {given}", why=_NO_ROBOT, fix=" or ".join(fixes))
    why = "NaN is no number" if is_nan else ""
    raise InputError(f"{place}: expected {expected}, got {describe_value(value)}", why=why, fix=" or ".join(fixes))


def _find_fixes(choices: Sequence[Any], value: Any) -> list[str]:
    """Return calls that make what is expected; of lists and mappings, what their items should be in place of texts."""
    kinds, text = list(choices), value
    if not isinstance(value, str):
        items = value.values() if isinstance(value, Mapping) else value if isinstance(value, _ROWS) else ()
        text = next((item for item in items if isinstance(item, str)), None)
        inside = [i for c in choices if get_origin(c) in (collections.abc.Mapping, *_LISTS) for i in get_args(c)]
        kinds += [choice for kind in inside if text is not None for choice in list_choices(kind)]
    fixes = dict.fromkeys(_FIXES[name] for kind in kinds if (name := getattr(kind, "__name__", "")) in _FIXES)
    lists = [get_args(c)[0] for c in choices if get_origin(c) in _LISTS and not _is_record(c) and get_args(c)]
    if any(kind is not Any and _any_of(kind)(value) for kind in lists):
        return ["give a list, also of one"]
    if not isinstance(text, str) or len(text) > _LONGEST:
        return list(fixes)
    return [fix.replace("(path)", f"({text!r})").replace("(frame)", f"({text!r})") for fix in fixes]


def _test(kind: Any) -> Callable[[Any], bool]:
    """Return whether a value is of a kind, as a function that has looked at the kind already."""
    origin, inside = get_origin(kind), get_args(kind)
    if kind is Any:
        return lambda value: True
    if kind is bool:
        return lambda value: isinstance(value, bool | np.bool_)
    if kind is int:
        return lambda value: isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if kind is float:
        return lambda value: isinstance(value, numbers.Real) and not isinstance(value, bool)
    if hasattr(kind, "array_type"):  # jaxtyping's
        return _is_array
    if origin is collections.abc.Mapping:
        keys, values = (_any_of(k) for k in inside)
        return lambda value: (
            isinstance(value, Mapping) and all(keys(k) for k in value) and all(values(v) for v in value.values())
        )
    if _is_record(kind):
        return _record_of(inside)
    if origin in _LISTS:
        return _list_of(inside[0] if inside else Any)
    if origin is collections.abc.Callable:
        return callable
    found = origin or kind
    is_known = not getattr(found, "_is_protocol", False) or getattr(found, "_is_runtime_protocol", False)
    if not isinstance(found, type) or not is_known:
        return lambda value: True
    return lambda value: isinstance(value, found)


def _any_of(kind: Any) -> Callable[[Any], bool]:
    tests = tuple(map(_test, list_choices(kind)))
    return tests[0] if len(tests) == 1 else lambda value: any(test(value) for test in tests)


def _list_of(kind: Any) -> Callable[[Any], bool]:
    """Return whether something is a list of such items; streams, and lists of several types, are not looked into."""
    choices, several = list_choices(kind), len(list_choices(kind)) > 1
    test = _any_of(kind)

    def check(value: Any) -> bool:
        if isinstance(value, bytes) or (isinstance(value, str) and choices != (str,)):
            return False
        try:
            items = iter(value)
        except TypeError:
            return False
        return items is value or several or all(test(item) for item in items)

    return check


def _is_record(kind: Any) -> bool:
    """Return whether a type is a tuple whose items have types of their own, such as tuple[str, int]."""
    inside = get_args(kind)
    return get_origin(kind) is tuple and Ellipsis not in inside and len(set(inside)) > 1


def _record_of(kinds: Sequence[Any]) -> Callable[[Any], bool]:
    tests = tuple(map(_any_of, kinds))

    def check(value: Any) -> bool:
        if not isinstance(value, Sequence) or isinstance(value, str | bytes) or len(value) != len(tests):
            return False
        return all(test(item) for test, item in zip(tests, value, strict=True))

    return check


def _is_array(value: Any) -> bool:
    try:
        return np.asarray(value).dtype.kind in "biuf"
    except (TypeError, ValueError):
        return False


def list_choices(kind: Any) -> tuple[Any, ...]:
    """Return the types of a union, or the one that is none."""
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)


@lru_cache(maxsize=1024)
def evaluate_annotation(function: Callable[..., Any], name: str) -> Any:
    """Return the type that an annotation stands for; Any in the place of names that only type checkers know."""
    owners = inspect.getmro(function) if inspect.isclass(function) else (function,)
    owner = next((own for own in owners if name in inspect.get_annotations(own)), function)
    annotation = inspect.get_annotations(owner).get(name, Any)
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, {}, _Names(vars(sys.modules[owner.__module__])))
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
    if _is_record(kind):
        return f"a tuple of {' and '.join(' or '.join(map(_words, list_choices(one))) for one in inside)}"
    if origin in _LISTS:
        if not inside or inside[0] is Any:
            return "a list"
        items = " or ".join(_plural(_words(choice)) for choice in list_choices(inside[0]))
        return "names (a list of str)" if inside[0] is str else f"a list of {items}"
    if origin is collections.abc.Callable:
        return "a function"
    name = getattr(origin or kind, "__name__", str(kind))
    if origin is collections.abc.Mapping and inside[:1] == (str,):
        return f"a mapping, {{name: {' or '.join(_words(choice) for choice in list_choices(inside[1]))}}}"
    known = {"Mapping": "a mapping, {...: ...}", "PathLike": "a path", "Robot": "a robot", "Mechanism": "a mechanism"}
    known["Model"] = "a robot or a mechanism"
    return known.get(name, f"{'an' if name[0] in 'AEIOU' else 'a'} {name}")


def _plural(words: str) -> str:
    first, of, last = words.partition(" of ")
    if of:
        return _plural(first) + of + last
    head, comma, rest = words.removeprefix("a ").removeprefix("an ").partition(",")
    return f"{head}{'' if head.endswith('s') else 's'}{comma}{rest}"


def describe_value(value: Any) -> str:
    """Return the type of a value and what it looks like, in short."""
    return f"{type(value).__name__} {_shorten(value)}"


def _shorten(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def validate_count(name: str, value: Any) -> int:
    """Return a whole number. Raises InputError where it is none, or not positive."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise InputError(f"{name} = {value!r} is not a positive whole number")
    return int(value)


def check_signature(name: str, function: Callable[..., Any], arguments: Sequence[str]) -> None:
    """Check that a function of the user's can be called with these arguments, in their order.

    Raises:
        InputError: it takes fewer or more, or has them in another order, by their names.
    """
    try:
        taken = inspect.signature(function)
    except (TypeError, ValueError):  # of some functions written in C
        return
    try:
        taken.bind(*arguments)
        fits = True
    except TypeError:
        fits = False
    own = [p.name for p in taken.parameters.values() if p.kind is not p.VAR_KEYWORD][: len(arguments)]
    if not fits or (own != list(arguments) and set(own) == set(arguments)):
        call = f"{name}({', '.join(arguments)})"
        raise InputError(
            f"the function {name} takes {taken}", why=f"it is called as {call}", fix="take these arguments"
        )
