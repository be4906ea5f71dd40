"""Errors that a user can act on: where, what, why, how to fix."""

from __future__ import annotations


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
    text = what if at is None else f"{at}: {what}"
    if why:
        text += f": {why}"
    if fix:
        text += f" ({fix})"
    return " ".join(text.split())
