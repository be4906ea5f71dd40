"""Errors that a user can act on: where, what, why, how to fix."""

from __future__ import annotations

import re

_LONG = re.compile(r"\S{250,}")


class ScrewgraphError(Exception):
    """A problem that the user can mend; its text is one line: `where: what: why (fix)`."""

    def __init__(self, what: str, *, at: object = None, why: str = "", fix: str = "") -> None:
        self.what, self.at, self.why, self.fix = what, at, why, fix
        super().__init__(one_line(what, at=at, why=why, fix=fix))


class ModelError(ScrewgraphError):
    """A robot file, or a robot made in Python, does not describe a robot."""


class EliminationError(ScrewgraphError):
    """A graph cannot be eliminated: wrong order, or too few or too many equations."""


class InputError(ScrewgraphError, ValueError):
    """An argument has a wrong value, name or shape."""


def one_line(what: str, *, at: object = None, why: str = "", fix: str = "") -> str:
    """Join the parts of a message; the parts that are empty leave no trace."""
    text = _short(what) if at is None else f"{at}: {_short(what)}"
    if why:
        text += f": {_short(why)}"
    if fix:
        text += f" ({_short(fix)})"
    return printable(" ".join(text.split()))


def printable(text: str) -> str:
    """Return a text whose control characters, which terminals obey, are escapes."""
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _short(text: str) -> str:
    """Return a text whose longest words are cut: names in files may have any length."""
    return _LONG.sub(lambda word: f"{word[0][:40]}...{word[0][-20:]}", text)
