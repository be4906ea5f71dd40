"""Mechanisms whose parameters are inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model.mechanism.build_constraints import constraints_of
from screwgraph.model.mechanism.force_balance import ConstraintRows, ForceBalance
from screwgraph.model.mechanism.mass_matrix import compute_mass_entries
from screwgraph.model.mechanism.mechanism import BoundParameters, Mechanism, MechanismSource, without_metadata
from screwgraph.model.mechanism.read import read_mechanism
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.model.traced_numbers import TracedNumber
from screwgraph.tape import Program, Tape, depends_on, map_nested, program

SECTIONS = (
    "points",
    "vectors",
    "bodies",
    "constant_angles",
    "gears",
    "springs",
    "dampers",
    "forces",
    "torques",
    "gravity",
)
"""What of a mechanism has numbers that may be parameters."""


@dataclass(frozen=True)
class LiveNumber:
    """A number of a mechanism as a function of its live parameters."""

    program: Program

    def with_values(self, values: Sequence[Any]) -> Any:
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

    def with_values(self, values: Sequence[Any]) -> Mechanism:
        """Return the mechanism at values of its parameters, numbers of any kind.

        Its rank, and where it is assembled, are those of the nominal mechanism.
        """
        return _evaluate_mechanism(self, tuple(values))

    def without_metadata(self) -> LiveMechanism:
        """Return the same without what equations do not depend on."""
        return replace(self, nominal=without_metadata(self.nominal))

    def given(self, names: Sequence[str], values: Sequence[Any]) -> Mechanism:
        """Return the mechanism at values of some parameters, and the file's values of the others."""
        known = dict(zip(names, values, strict=True))
        return self.with_values([known.get(name, value) for name, value in zip(self.names, self.values, strict=True)])


@lru_cache(maxsize=4)
def _evaluate_mechanism(live: LiveMechanism, values: tuple[Any, ...]) -> Mechanism:
    parts = {
        section: map_nested(part, LiveNumber, lambda f: f.with_values(values)) for section, part in live.parts.items()
    }
    return replace(live.nominal, **parts, bound=BoundParameters(live, values))


def check_source(mechanism: Mechanism) -> MechanismSource:
    """Return the file of a mechanism. Raises InputError where there is none: parameters are those of a file."""
    if mechanism.source is None:
        raise InputError(
            f"mechanism {mechanism.name!r} was not read from a file",
            why="parameters are those of its file",
            fix="write it to a YAML file",
        )
    return mechanism.source


def with_values(mechanism: Mechanism, values: Mapping[str, float]) -> Mechanism:
    """Return a mechanism with values of its file's parameters, by name: "mass:coupler".

    Raises:
        InputError: the mechanism was not read from a file, or has nothing of a name.
        ModelError: bodies with these values cannot be.
    """
    source = check_source(mechanism)
    read = read_mechanism(source.data, source.file, {**dict(source.given), **values})
    parts = ("bodies", "springs", "dampers", "forces", "torques", "source")
    return replace(mechanism, **{part: getattr(read, part) for part in parts})


@lru_cache(maxsize=64)
def live_mechanism(mechanism: Mechanism, names: tuple[str, ...]) -> LiveMechanism:
    """Return a mechanism with some of its file's parameters and values, such as "mass:coupler", as inputs.

    Raises:
        InputError: the mechanism was not read from a file, or has nothing of a name; one is named twice.
    """
    source = check_source(mechanism)
    known = dict(source.values)
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"parameter {name!r} is named twice")
        if name not in known:
            raise make_unknown_name_error("parameter", name, known)
    tape = Tape(merge="form")
    symbols = [tape.input(name) for name in names]
    traced = {name: TracedNumber(known[name], symbol) for name, symbol in zip(names, symbols, strict=True)}
    read = read_mechanism(source.data, source.file, {**dict(source.given), **traced})

    def formula(number: TracedNumber) -> Any:
        expression = number.expression
        return LiveNumber(program(tape, [expression])) if hasattr(expression, "tape") else expression

    parts = {section: map_nested(getattr(read, section), TracedNumber, formula) for section in SECTIONS}
    return LiveMechanism(mechanism, names, tuple(float(known[name]) for name in names), parts)


def find_moving_parameters(mechanism: Mechanism, names: Sequence[str]) -> tuple[int, ...]:
    """Return the places of the parameters on which constraints depend. Raises InputError as `live_mechanism`."""
    tape = Tape(merge="form")
    symbols = tape.inputs("parameter", (len(names),))
    q, made = tape.inputs("q", (mechanism.n,)), live_mechanism(mechanism, tuple(names)).with_values(list(symbols))
    rows = [value for c in constraints_of(made) for value in c(q if c.coordinates else ())]
    return tuple(i for i, symbol in enumerate(symbols) if depends_on(rows, [symbol]))


@dataclass(frozen=True, eq=False)
class LiveRows:
    """The rows of the constraint number `place` of a live mechanism that count, which depend on parameters `names`."""

    __repr__ = one_line

    live: LiveMechanism
    names: tuple[str, ...]
    place: int
    kept: tuple[int, ...]
    weight: tuple[float, ...]

    def with_values(self, values: Sequence[Any]) -> ConstraintRows:
        """Return them at values of the parameters."""
        return ConstraintRows(self.live.given(self.names, values).constraints[self.place], self.kept, self.weight)


@dataclass(frozen=True, eq=False)
class LiveBalance:
    """The forces on coordinate `slot` of a live mechanism, which depend on parameters `names`.

    `masses` are the coordinates whose accelerations take part for some values of the parameters: all have a mass, 0
    for values at which they have none.
    """

    __repr__ = one_line

    live: LiveMechanism
    names: tuple[str, ...]
    slot: int
    masses: tuple[int, ...]
    constraints: tuple[LiveRows, ...]

    def with_values(self, values: Sequence[Any]) -> ForceBalance:
        """Return them at values of the parameters."""
        mechanism = self.live.given(self.names, values)
        entries = compute_mass_entries(mechanism)
        masses = {j: entries.get((self.slot, j), 0.0) for j in self.masses}
        rows = (ConstraintRows(mechanism.constraints[own.place], own.kept, own.weight) for own in self.constraints)
        return ForceBalance(mechanism, self.slot, masses, tuple(rows))
