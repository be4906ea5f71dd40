"""Mechanisms whose parameters are inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from screwgraph.errors import InputError
from screwgraph.models.mechanism.balance import Balance, Rows
from screwgraph.models.mechanism.kinetic import mass_entries
from screwgraph.models.mechanism.mechanism import Bound, Mechanism, without_metadata
from screwgraph.models.mechanism.read import read_mechanism
from screwgraph.models.mechanism.symbolic_numbers import Traced
from screwgraph.robot import unknown
from screwgraph.summary import one_line
from screwgraph.tape import Program, Tape, mapped, program

SECTIONS = ("points", "bodies", "gears", "springs", "dampers", "forces", "torques", "gravity")
"""What of a mechanism has numbers that may be parameters."""


@dataclass(frozen=True)
class Formula:
    """A number of a mechanism as a function of its live parameters."""

    program: Program

    def at(self, values: Sequence[Any]) -> Any:
        """Return the number at values of the parameters, numbers of any kind."""
        return self.program.on(values)[0]


@dataclass(frozen=True, eq=False)
class LiveMechanism:
    """A mechanism whose parameters `names` are inputs (SI units); `values` are those of the file.

    `parts` are sections of the mechanism, with formulas in the place of numbers that depend on parameters.
    """

    __repr__ = one_line

    nominal: Mechanism
    names: tuple[str, ...]
    values: tuple[float, ...]
    parts: Mapping[str, Any]

    def at(self, values: Sequence[Any]) -> Mechanism:
        """Return the mechanism at values of its parameters, numbers of any kind.

        Its rank, and where it is assembled, are those of the nominal mechanism.
        """
        return _at(self, tuple(values))

    def without_metadata(self) -> LiveMechanism:
        """Return the same without what equations do not depend on."""
        return replace(self, nominal=without_metadata(self.nominal))

    def given(self, names: Sequence[str], values: Sequence[Any]) -> Mechanism:
        """Return the mechanism at values of some parameters, and the file's values of the others."""
        known = dict(zip(names, values, strict=True))
        return self.at([known.get(name, value) for name, value in zip(self.names, self.values, strict=True)])


@lru_cache(maxsize=4)
def _at(live: LiveMechanism, values: tuple[Any, ...]) -> Mechanism:
    parts = {section: mapped(part, Formula, lambda f: f.at(values)) for section, part in live.parts.items()}
    return replace(live.nominal, **parts, bound=Bound(live, values))


@lru_cache(maxsize=64)
def live_mechanism(mechanism: Mechanism, names: tuple[str, ...]) -> LiveMechanism:
    """Return a mechanism with some of its file's parameters and values, such as "mass:coupler", as inputs.

    Raises:
        InputError: the mechanism was not read from a file, or has nothing of a name; one is named twice.
    """
    source = mechanism.source
    if source is None:
        raise InputError(
            f"mechanism {mechanism.name!r} was not read from a file",
            why="parameters are those of its file",
            fix="write it to a YAML file",
        )
    known = dict(source.values)
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"parameter {name!r} is named twice")
        if name not in known:
            raise unknown("parameter", name, known)
    tape = Tape(merge="form")
    symbols = [tape.input(name) for name in names]
    traced = {name: Traced(known[name], symbol) for name, symbol in zip(names, symbols, strict=True)}
    read = read_mechanism(source.data, source.file, {**dict(source.given), **traced})

    def formula(number: Traced) -> Any:
        expression = number.expression
        return Formula(program(tape, [expression])) if hasattr(expression, "tape") else expression

    parts = {section: mapped(getattr(read, section), Traced, formula) for section in SECTIONS}
    return LiveMechanism(mechanism, names, tuple(float(known[name]) for name in names), parts)


@dataclass(frozen=True, eq=False)
class LiveRows:
    """The rows of the constraint number `place` of a live mechanism that count, which depend on parameters `names`."""

    __repr__ = one_line

    live: LiveMechanism
    names: tuple[str, ...]
    place: int
    kept: tuple[int, ...]
    weight: tuple[float, ...]

    def at(self, values: Sequence[Any]) -> Rows:
        """Return them at values of the parameters."""
        return Rows(self.live.given(self.names, values).constraints[self.place], self.kept, self.weight)


@dataclass(frozen=True, eq=False)
class LiveBalance:
    """The forces on coordinate `slot` of a live mechanism, which depend on parameters `names`."""

    __repr__ = one_line

    live: LiveMechanism
    names: tuple[str, ...]
    slot: int
    constraints: tuple[LiveRows, ...]

    def at(self, values: Sequence[Any]) -> Balance:
        """Return them at values of the parameters."""
        mechanism = self.live.given(self.names, values)
        masses = {j: mass for (i, j), mass in mass_entries(mechanism).items() if i == self.slot}
        rows = (Rows(mechanism.constraints[own.place], own.kept, own.weight) for own in self.constraints)
        return Balance(mechanism, self.slot, masses, tuple(rows))
