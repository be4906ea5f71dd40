"""Variables of a factor graph, and the names that the field gives them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

SYMBOLS = {
    "twist": "V",
    "acceleration": "V̇",
    "wrench": "F",
    "q": "θ",
    "qd": "θ̇",
    "qdd": "θ̈",
    "tau": "τ",
    "gravity": "g",
    "external": "W",
    "lambda": "λ",
    "adjoint_velocity": "δθ",
}
"""How the papers write each kind of variable."""


class Key(NamedTuple):
    """Names a variable: its kind (one of `SYMBOLS`, for dynamics) and the link or joint that it belongs to."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


class Space(Protocol):
    """Where the values of a variable lie, as far as random values are concerned."""

    def random(self, rng: np.random.Generator) -> np.ndarray:
        """Return a random valid value."""
        ...


@dataclass(frozen=True)
class Vectors:
    """Real vectors."""

    dim: int

    def random(self, rng: np.random.Generator) -> np.ndarray:
        """Return a vector of standard normal numbers."""
        return rng.standard_normal(self.dim)


@dataclass(frozen=True)
class Variable:
    """A vector variable.

    `index` numbers the link that it belongs to (the joint's child; 0 is the base), `parent` is the
    number of the link that this one hangs on, None for the base.
    """

    key: Key
    dim: int
    index: int
    parent: int | None = None
    space: Space = field(default_factory=lambda: Vectors(1), compare=False)

    @property
    def label(self) -> str:
        """The variable in the papers' notation, `V̇3` for instance."""
        return f"{SYMBOLS.get(self.key.kind, self.key.kind)}{self.index}"


def vector_variable(kind: str, name: str, dim: int, index: int, parent: int | None) -> Variable:
    """Make a variable whose values are plain vectors."""
    return Variable(Key(kind, name), dim, index, parent, Vectors(dim))
