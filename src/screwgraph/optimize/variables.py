"""Families of unknowns of equal kind, and selections of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Int

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.spatial.manifolds import Manifold


@dataclass(frozen=True)
class Variables:
    """A family of `count` unknowns of one kind; their names distinguish families."""

    name: str
    manifold: Manifold
    count: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"expected the name of variables, got {self.name!r}", fix="give a text")
        if not isinstance(self.manifold, Manifold) or isinstance(self.manifold, type):
            raise InputError(
                f"{self.name}: expected a manifold, got {self.manifold!r}", fix="give Vector(n), SO3(), SE2() or SE3()"
            )
        if not isinstance(self.count, int | np.integer) or self.count < 1:
            raise InputError(f"{self.name}: a family of {self.count!r} unknowns", fix="give a positive count")

    def __getitem__(self, index: Any) -> Selection:
        """Select some: by a number, a slice, numbers or truth values, as NumPy does.

        Raises:
            InputError: there is no unknown of that number.
        """
        if type(index) is int and -self.count <= index < self.count:  # families are long
            return Selection(self, np.array([index % self.count]))
        try:
            if isinstance(index, slice):
                return Selection(self, np.arange(*index.indices(int(self.count))))
            chosen = np.atleast_1d(np.arange(self.count)[index])
        except (IndexError, TypeError, ValueError):
            raise InputError(f"{self.name} has no unknowns {index!r}", why=f"there are {self.count}") from None
        return Selection(self, chosen)

    def __len__(self) -> int:
        return int(self.count)


@dataclass(frozen=True, eq=False)
class Selection:
    """Unknowns of one family, by number; one are allowed there more than once."""

    __repr__ = one_line

    variables: Variables
    indices: Int[np.ndarray, " N"]

    def __len__(self) -> int:
        return len(self.indices)

    @cached_property
    def of_array(self) -> slice | Int[np.ndarray, " N"]:
        """Index of these in an array (count, ...): a slice where that will do."""
        if not len(self.indices):
            return self.indices
        first, last = int(self.indices[0]), int(self.indices[-1])
        step = int(self.indices[1]) - first if len(self.indices) > 1 else 1
        is_even = step > 0 and bool((np.diff(self.indices) == step).all())
        return slice(first, last + 1, step) if is_even else self.indices


def selection(given: Any) -> Selection:
    """Return a family as the selection of all of it."""
    if isinstance(given, Variables):
        return given[:]
    if isinstance(given, Selection):
        return given
    raise InputError(
        f"expected variables, got {given!r}", fix="pass families or selections first, parameters by keyword"
    )
