"""Nonlinear problems: what is unknown, and the factors that tie it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.factors import Factors
from screwgraph.optimize.value_layout import ValueLayout
from screwgraph.optimize.variables import Variables


@dataclass(frozen=True, eq=False, init=False)
class Problem:
    """Factors on families of unknowns; code is made when it is first solved."""

    __repr__ = one_line

    factors: tuple[Factors, ...]
    families: tuple[Variables, ...]

    def __init__(self, factors: Iterable[Factors], families: Sequence[Variables] = ()) -> None:
        """Gather factors; families come in the order given, then in that in which factors name them.

        Raises:
            InputError: there are no factors, or two families have the same name.
        """
        listed = tuple(factors)
        if not listed:
            raise InputError("a problem without factors")
        for f in listed:
            if not isinstance(f, Factors):
                raise InputError(
                    f"expected factors, got {f!r}", fix="make them with soft, equality, inequality or hinge"
                )
        found = dict.fromkeys((*families, *(a.variables for f in listed for a in f.arguments)))
        for name, count in Counter(v.name for v in found).items():
            if count > 1:
                raise InputError(f"two families of unknowns are called {name!r}")
        object.__setattr__(self, "factors", _make_names_unique(listed))
        object.__setattr__(self, "families", tuple(found))

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the assembly, which knows addresses of arrays: a copy makes its own."""
        return {name: value for name, value in vars(self).items() if name != "assembly"}

    def __getitem__(self, name: str) -> Factors:
        """Return the factors of a name.

        Raises:
            InputError: there are none.
        """
        for f in self.factors:
            if f.name == name:
                return f
        known = ", ".join(f.name for f in self.factors)
        raise InputError(f"there are no factors {name!r}", fix=f"there are {known}")

    @cached_property
    def layout(self) -> ValueLayout:
        """Layout of the unknowns in one vector."""
        return ValueLayout(self.families)

    @cached_property
    def assembly(self) -> Assembly:
        """Compiled code of all factors, and where their results go."""
        return Assembly(self.layout, self.factors)

    @cached_property
    def has_hard(self) -> bool:
        """Whether some factors are hard."""
        return any(f.kind != "soft" for f in self.factors)

    @cached_property
    def is_least_squares(self) -> bool:
        """Whether all soft factors cost squares, or losses of these."""
        return not any(f.kernels.derivation.is_cost for f in self.factors)

    def name_direction(self, direction: int) -> str:
        """Write what one direction is of; those beyond all unknowns are rows of hard factors."""
        if direction < self.layout.size:
            return self.layout.name_direction(direction)
        return f"a multiplier: row {direction - self.layout.size} of the hard equalities,"

    def replaced(self, name: str, **parameters: Any) -> Problem:
        """Return the problem with other parameters of some factors; compiled code is kept.

        Raises:
            InputError: factors or parameters are unknown, or a shape differs.
        """
        return self.with_parameters({name: parameters})

    def with_parameters(self, changes: Mapping[str, Mapping[str, Any]]) -> Problem:
        """Return the problem with other parameters, by name of the factors; compiled code is kept.

        Raises:
            InputError: factors or parameters are unknown, or a shape differs.
        """
        changed = {name: self[name].with_parameters(**parameters) for name, parameters in changes.items()}
        factors = tuple(changed.get(f.name, f) for f in self.factors)
        problem = Problem(factors, self.families)
        if "assembly" in self.__dict__:
            problem.__dict__["layout"] = self.layout
            problem.__dict__["assembly"] = self.assembly.with_factors(factors)
        return problem

    def like(self, other: Problem) -> Problem:
        """Return this problem with the code of another one, where their factors differ in nothing but parameters."""
        if self.families != other.families or list(map(factor_structure, self.factors)) != list(
            map(factor_structure, other.factors)
        ):
            return self
        problem = Problem(self.factors, self.families)
        problem.__dict__["layout"] = other.layout
        problem.__dict__["assembly"] = other.assembly.with_factors(problem.factors)
        return problem

    def start(self, values: Mapping[str, Any]) -> np.ndarray:
        """Return values by family as the vector that methods work on; families left out start at zero, or identity.

        Raises:
            InputError: a name is unknown, a shape is wrong, or a value is no number or off its manifold.
        """
        return self.layout.pack(values)


def factor_structure(f: Factors) -> Any:
    """Return all of factors but their parameters' values, to be compared."""
    unknowns = tuple((a.variables, a.indices.tobytes()) for a in f.arguments)
    return f.kind, f.name, f.signature, unknowns, len(f)


def _make_names_unique(factors: Sequence[Factors]) -> tuple[Factors, ...]:
    """Make names differ."""
    used: set[str] = set()
    named = []
    for f in factors:
        name = next(n for n in _iterate_names(f.name) if n not in used)
        used.add(name)
        named.append(f if name == f.name else replace(f, name=name))
    return tuple(named)


def _iterate_names(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name} {i}" for i in itertools.count(2))
