"""Variables of a factor graph, and the names that the field gives them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, cast

import numpy as np

from screwgraph.base.argument_checks import describe_value
from screwgraph.base.errors import InputError
from screwgraph.graph.variable_kinds import KINDS, Role
from screwgraph.spatial.manifolds import Manifold, Product, Vector
from screwgraph.tape import SAMPLES


class Key(NamedTuple):
    """Names a variable: its kind (for dynamics one of `KINDS`) and the link, joint or frame that it belongs to."""

    kind: str
    name: str

    @property
    def role(self) -> Role:
        """Role in mechanics."""
        return KINDS[self.kind].role if self.kind in KINDS else Role.OTHER

    @property
    def dual(self) -> Key | None:
        """The variable with which its product is power; None where there is none."""
        dual = KINDS[self.kind].dual if self.kind in KINDS else ""
        return Key(dual, self.name) if dual else None

    @property
    def argument(self) -> str:
        """Name of the argument of functions that holds it."""
        return (KINDS[self.kind].argument if self.kind in KINDS else "") or self.kind

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


class Assembled(Protocol):
    """Values at which constraints hold: there, signs of pivots are judged."""

    @property
    def states(self) -> np.ndarray:
        """Values (states, dim), at the same positions for all variables of a graph; before these, any others."""
        ...

    @property
    def many(self) -> np.ndarray:
        """More of these values (states, dim): at them, code that guards pivots is tried."""
        ...


@dataclass(frozen=True)
class Variable:
    """A variable of `dim` numbers: vectors, unless `manifold` says where its values lie.

    `index` numbers the link that it belongs to (the joint's child; 0 is the base), `parent` is the
    number of the link that supports this one, None for the base. `assembled` knows values at which constraints hold.
    """

    key: Key
    dim: int
    index: int = 0
    parent: int | None = None
    manifold: Manifold = field(default=cast(Manifold, None), compare=False)
    assembled: Assembled | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.key, Key) or not isinstance(self.dim, int | np.integer) or self.dim < 0:
            raise InputError(
                f"a variable called {describe_value(self.key)} of dimension {describe_value(self.dim)}",
                fix='sg.Variable(sg.Key("force", "tip"), 3)',
            )
        if self.manifold is None:
            object.__setattr__(self, "manifold", Vector(self.dim) if self.dim else Product())

    @property
    def dual(self) -> Key | None:
        """The variable with which its product is power; None where there is none."""
        return self.key.dual

    def random(self, rng: np.random.Generator) -> np.ndarray:
        """Return a random value; one that the model may have where it is a parameter."""
        if self.key.role is Role.PARAMETER and self.assembled is not None:
            return self.assembled.states[int(rng.integers(SAMPLES))]
        return self.manifold.random(rng)

    @property
    def label(self) -> str:
        """The variable in the papers' notation, `V̇3` for instance."""
        return f"{KINDS[self.key.kind].symbol if self.key.kind in KINDS else self.key.kind}{self.index}"


def vector_variable(kind: str, name: str, dim: int, index: int, parent: int | None) -> Variable:
    """Make a variable whose values are plain vectors."""
    return Variable(Key(kind, name), dim, index, parent)
