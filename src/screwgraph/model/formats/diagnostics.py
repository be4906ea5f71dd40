"""Where something stands in a file, warnings about it, and numbers read from text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import accumulate

from screwgraph.base.errors import InputError, ModelError, one_line

LARGEST = 1e100
"""No parameter of a robot exceeds it (SI units); products of such parameters do not overflow."""

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_LONGEST_NUMBER = 100
_LONGEST_SHOWN = 60
_LONGEST_LIST = 200


@dataclass(frozen=True)
class Place:
    """A line of a file, the file called as the user called it."""

    file: str
    line: int | None = None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Warnings:
    """Collects remarks about one file, each one line."""

    lines: list[str] = field(default_factory=list)

    def add(self, what: str, *, at: object = None, why: str = "", fix: str = "") -> None:
        """Add one remark, with the parts of an error message."""
        self.lines.append(one_line(what, at=at, why=why, fix=fix))


def parse_number(text: str, what: str, at: Place) -> float:
    """Read a finite decimal number of reasonable size.

    Raises:
        ModelError: the text is anything else, NaN and infinity included.
    """
    value = parse_decimal(text)
    if value is None:
        fix = "call xacro files .xacro, and they are expanded" if "${" in text else "write it like 1.5 or 2e-3"
        raise ModelError(f"{what} is {quote_text(text)}", at=at, why="it must be a finite decimal number", fix=fix)
    return validate_number(value, text, what, at)


def parse_numbers(text: str, count: int, what: str, at: Place) -> tuple[float, ...]:
    """Read so many numbers with spaces between them. Raises ModelError as `parse_number` does, and on another count."""
    words = text.split()
    if len(words) != count:
        raise ModelError(
            f"{what} is {quote_text(text)}",
            at=at,
            why=f"it must be {count} numbers, not {len(words)}",
            fix="write them with spaces between, like 0 0 1",
        )
    return tuple(parse_number(word, what, at) for word in words)


def parse_decimal(text: str) -> float | None:
    """Read a decimal number; None where the text is none (words, hexadecimals, NaN and infinity included)."""
    text = text.strip()
    return float(text) if len(text) <= _LONGEST_NUMBER and _NUMBER.fullmatch(text) else None


def validate_number(value: float, text: str, what: str, at: Place) -> float:
    """Return a number unless it is NaN or so large that computing with it would overflow; then raise ModelError."""
    if not abs(value) <= LARGEST:
        raise ModelError(
            f"{what} is {quote_text(text)}", at=at, why=f"no parameter of a robot exceeds {LARGEST:g} in SI units"
        )
    return value


def quote_text(text: object) -> str:
    """Quote a text of any length for a message."""
    quoted = repr(text)
    return quoted if len(quoted) <= _LONGEST_SHOWN else f"{quoted[: _LONGEST_SHOWN - 3]}..."


def suggest_name(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Suggest the nearest known name; where none is near, list the first after `otherwise`, or say nothing."""
    names = list(known)
    near = get_close_matches(name[:_LONGEST_SHOWN], names, n=1, cutoff=0.6)
    if near:
        return f"did you mean {quote_text(near[0])}?"
    if not otherwise:
        return ""
    ends = accumulate(len(one) + 2 for one in names)
    listed = [one for one, end in zip(names, ends, strict=True) if end <= _LONGEST_LIST]
    more = [f"{len(names) - len(listed)} more"] if len(listed) < len(names) else []
    return f"{otherwise} {', '.join([*listed, *more])}"


def as_model_error(error: InputError, who: str, at: Place) -> ModelError:
    """Turn a complaint about an argument into one about the file that it came from."""
    return ModelError(f"{who}: {error.what}", at=at, why=error.why, fix=error.fix)


@contextmanager
def complaints_at(who: str, at: Place) -> Iterator[None]:
    """Turn complaints about arguments into those about the place of a file that they came from."""
    try:
        yield
    except InputError as error:
        raise as_model_error(error, who, at) from None
