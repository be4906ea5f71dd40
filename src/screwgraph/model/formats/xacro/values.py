"""What expressions of xacro files compute with: numbers, texts, lists and maps of bounded size, and their methods.

Files are written by others: no value leads to Python's own objects, and none grows without bound. Nothing but the
standard library is imported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from string import Formatter
from typing import Any

LARGEST = 1_000_000
"""Characters of a text, or numbers of a list with all lists in it."""
BITS = 10_000
"""Bits of a whole number."""

_DIGITS = re.compile(r"\d+")
_PERCENT = re.compile(r"%(?:\([^)]*\))?([^a-zA-Z%]*)[a-zA-Z%]")


class ExpressionError(ValueError):
    """An expression asks for what expressions may not do, or for too much."""


@dataclass(frozen=True)
class Function:
    """A function that expressions may call; `type` is what it makes, where it is a type of Python's."""

    name: str
    call: Callable[..., Any]
    type: type | None = None

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Return a value of bounded size."""
        return validate_size(self.call(*values, **named))

    def __repr__(self) -> str:
        return f"<function {self.name}>"


@dataclass(frozen=True)
class Space:
    """Names behind a dot: `math.pi`."""

    name: str
    names: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"<names of {self.name}>"


def validate_size(value: Any) -> Any:
    """Return a value unless it is too large to be printed. Raises ExpressionError."""
    left, waiting = LARGEST, [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str | bytes):
            left -= len(one)
        elif isinstance(one, bool):
            left -= 1
        elif isinstance(one, int):
            _check(one.bit_length() <= BITS, "a whole number is too large")
            left -= 1
        elif isinstance(one, range):
            left -= len(one)
        elif isinstance(one, Mapping):
            left -= len(one)
            waiting += [*one.keys(), *one.values()] if left >= 0 else []
        elif isinstance(one, list | tuple | set | frozenset):
            left -= len(one) + 1
            waiting += list(one) if left >= 0 else []
        else:
            left -= 1
        _check(left >= 0, "a value is too large")
    return value


def power(base: Any, exponent: Any) -> Any:
    """Return a power. Raises ExpressionError for whole numbers that are too large."""
    if isinstance(base, int) and isinstance(exponent, int):
        _check(base.bit_length() * max(exponent, 1) <= 2 * BITS, "a power is too large")
    return base**exponent


def shift_left(value: Any, by: Any) -> Any:
    """Return value << by. Raises ExpressionError for what is too large."""
    _check(not isinstance(by, int) or by <= BITS, "a shift is too large")
    return value << by


def multiply_bounded(a: Any, b: Any) -> Any:
    """Return a product, or a text or list several times. Raises ExpressionError for what is too large."""
    for many, times in ((a, b), (b, a)):
        if isinstance(many, str | bytes | list | tuple) and isinstance(times, int):
            _check(len(many) * times <= LARGEST, "a value is too large")
    return a * b


def remainder(a: Any, b: Any) -> Any:
    """Return a remainder, or a text with values in place of %d, %s, ... Raises ExpressionError for endless widths."""
    if isinstance(a, str):
        for match in _PERCENT.finditer(a):
            _check_widths(match[1])
        validate_size(b)
    return a % b


def format_bounded(value: Any, spec: str, conversion: str = "") -> str:
    """Return the text of a value as f-strings and `format` print it. Raises ExpressionError for endless widths."""
    _check_widths(spec)
    validate_size(value)
    if conversion:
        value = {"r": repr, "s": str, "a": ascii}[conversion](value)
    return format(value if isinstance(value, str | int | float | complex) else str(value), spec)


def fill_format(text: str, *values: Any, **named: Any) -> str:
    """Return a text with values in place of {}: fields lead into lists and maps only. Raises ExpressionError."""
    return _Filling().vformat(text, values, named)


class _Filling(Formatter):
    """`str.format` without attributes of objects."""

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        first, *others = re.findall(r"\[[^\]]*\]|\.[^.\[]*|[^.\[]+", field_name) or [""]
        value = self.get_value(int(first) if first.isdecimal() else first, args, kwargs)
        for part in others:
            key = part[1:-1] if part.startswith("[") else part[1:]
            _check(isinstance(value, Mapping | list | tuple | str), f"{{{field_name}}} is not allowed")
            value = value[int(key) if not isinstance(value, Mapping) else key]
        return value, first

    def format_field(self, value: Any, format_spec: str) -> str:
        return format_bounded(value, format_spec)

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        return value if conversion is None else format_bounded(value, "", conversion)


def method(value: Any, name: str) -> Function:
    """Return a method of a value. Raises ExpressionError for those that expressions may not call."""
    kind = next((kind for kind, names in _METHODS.items() if isinstance(value, kind) and name in names), None)
    if kind is None:
        what = "a map" if isinstance(value, Mapping) else f"a {type(value).__name__}"
        raise ExpressionError(f"{what} has no {name!r} that expressions may use")
    guarded = _GUARDED.get((kind, name))
    return Function(name, getattr(value, name) if guarded is None else partial(guarded, value))


def _make_padding(name: str) -> Callable[..., str]:
    def pad(text: str, width: int = 8, *fill: str) -> str:
        _check(isinstance(width, int) and width <= LARGEST, "a width is too large")
        return getattr(text, name)(width, *fill)

    return pad


def _replace_bounded(text: str, old: str, new: str, *count: int) -> str:
    _check(len(text) + (text.count(old) + 1) * len(new) <= LARGEST, "a text is too large")
    return text.replace(old, new, *count)


def _join_bounded(text: str, parts: Any) -> str:
    parts = list(parts)
    validate_size([*parts, text * min(len(parts), LARGEST // max(len(text), 1) + 1)])
    return text.join(parts)


def _extend_bounded(values: list[Any], more: Any) -> None:
    more = list(more)
    _check(len(values) + len(more) <= LARGEST, "a list is too large")
    values.extend(more)


_OF_SETS = ("difference", "intersection", "isdisjoint", "issubset", "issuperset", "symmetric_difference", "union")
_METHODS: Mapping[type, tuple[str, ...]] = {
    str: (
        *("capitalize", "casefold", "center", "count", "endswith", "expandtabs", "find", "format", "index", "isalnum"),
        *("isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isspace", "istitle"),
        *("isupper", "join", "ljust", "lower", "lstrip", "partition", "removeprefix", "removesuffix", "replace"),
        *("rfind", "rindex", "rjust", "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip"),
        *("swapcase", "title", "upper", "zfill"),
    ),
    dict: ("copy", "get", "items", "keys", "pop", "setdefault", "update", "values"),
    list: ("append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse", "sort"),
    tuple: ("count", "index"),
    set: ("add", "discard", *_OF_SETS),
    frozenset: _OF_SETS,
    float: ("is_integer",),
    int: ("bit_length",),
    complex: ("conjugate",),
}
"""Methods of each type that expressions may call."""
_GUARDED: Mapping[tuple[type, str], Callable[..., Any]] = {
    **{(str, name): _make_padding(name) for name in ("center", "expandtabs", "ljust", "rjust", "zfill")},
    (str, "format"): fill_format,
    (str, "join"): _join_bounded,
    (str, "replace"): _replace_bounded,
    (list, "extend"): _extend_bounded,
    (dict, "keys"): lambda values: list(values.keys()),
    (dict, "values"): lambda values: list(values.values()),
    (dict, "items"): lambda values: list(values.items()),
}


def _check_widths(spec: str) -> None:
    _check("*" not in spec, "widths that are values are not allowed")
    _check(all(len(digits) <= 4 for digits in _DIGITS.findall(spec)), "a width is too large")


def _check(holds: bool, what: str) -> None:
    if not holds:
        raise ExpressionError(what)
