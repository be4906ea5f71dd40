"""Factors: one law of physics each, written once as a pure function and bound to variables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.summary import one_line
from screwgraph.graph.variable import Key
from screwgraph.graph.variable_kinds import Role
from screwgraph.spatial import Array, vector
from screwgraph.tape import Program, map_nested

Argument = Key | tuple[Key, ...]
LIVE = "parameters"
"""The name of the argument that all variables of which a law's numbers are made are bound to."""
Law = tuple[str, Key]
"""Which law of a graph: its template's name, and its multiplier or first variable."""
Labels = Mapping[str, Any]
"""Texts of a factor's arguments for printing, and its numbers: `i`, its link; `p`, that link's parent; `children`."""


@dataclass(frozen=True)
class Template:
    """A law of physics: a residual that is zero where the law holds.

    `linear` names the arguments that elimination may solve for: the residual is jointly linear in them,
    the others must be known. `solved` prints the law solved for an argument, in the papers' notation;
    `cites` is its source. `conjugate` are the roles of the variables that its rows are conjugate to (a balance of
    wrenches to an acceleration): pivots of these keep their sign.
    """

    __repr__ = one_line

    function: Callable[..., Array]
    name: str
    linear: frozenset[str]
    cites: str
    solved: Mapping[str, Callable[[Labels], str]]
    conjugate: frozenset[Role] = frozenset()

    def __reduce__(self) -> Any:
        """Go between processes by name: the function's own name is the template's."""
        return _template_of, (self.function.__module__, self.function.__qualname__)


def _template_of(module: str, name: str) -> Template:
    return getattr(import_module(module), name)


@check_arguments
def factor(
    *,
    linear: Collection[str],
    cites: str,
    solved: Mapping[str, Callable[[Labels], str]] | None = None,
    conjugate: tuple[Role, ...] = (),
) -> Callable[[Callable[..., Array]], Template]:
    """Turn a residual function into a template."""

    def decorate(function: Callable[..., Array]) -> Template:
        return Template(function, function.__name__, frozenset(linear), cites, solved or {}, frozenset(conjugate))

    return decorate


@dataclass(frozen=True)
class Slot:
    """The place of a number that depends on variables: the output `place` of the `program` of a `Live`."""

    place: int


@dataclass(frozen=True, eq=False)
class Live:
    """Numbers of a law that depend on known variables: a program of these variables' numbers, one after the other."""

    __repr__ = one_line

    keys: tuple[Key, ...]
    program: Program

    def insert_numbers(self, parameters: Mapping[str, Any], values: Mapping[Key, Array]) -> Mapping[str, Any]:
        """Return the parameters of a law with numbers in the place of slots."""
        numbers = self.program.on([number for key in self.keys for number in values[key]])
        return map_nested(parameters, Slot, lambda slot: numbers[slot.place])


@dataclass(frozen=True, eq=False)
class Factor:
    """A template bound to variables and parameters; `rows` is the length of its residual.

    `multiplier` names the variable that enforces the law, one number a row, where it is a constraint. `sigma` has a
    standard deviation for each row of a law that holds only nearly; none where it holds exactly. `scale` is a known
    variable by whose numbers, one a row, the residual is divided: standard deviations that are arguments. `live` makes
    the numbers of parameters that are known variables' (slots among `parameters`).
    """

    template: Template
    arguments: Mapping[str, Argument]
    rows: int
    index: int
    parameters: Mapping[str, Any] = field(default_factory=dict)
    multiplier: Key | None = None
    sigma: tuple[float, ...] = ()
    live: Live | None = None
    scale: Key | None = None

    def __repr__(self) -> str:
        return f"<{self.name}: {', '.join(map(str, self.keys))}>"

    @property
    def name(self) -> str:
        """Name in figures and messages: the law and the number of its link."""
        return f"{self.template.name} {self.index}"

    @property
    def law(self) -> Law:
        """Which law it is, whatever numbers it is bound to."""
        return self.template.name, self.multiplier or self.keys[0]

    @property
    def keys(self) -> tuple[Key, ...]:
        """The variables that it touches, each once."""
        return tuple(dict.fromkeys(key for _, key in self.bindings()))

    @cached_property
    def defined(self) -> tuple[Key, ...]:
        """The variables that the law is commonly solved for."""
        bound = (self.arguments.get(name) for name in self.template.solved)
        return tuple(key for key in bound if isinstance(key, Key))

    def bindings(self) -> Iterator[tuple[str, Key]]:
        """Yield (argument name, key), for arguments that are lists once for each entry."""
        for name, argument in self.arguments.items():
            for key in (argument,) if isinstance(argument, Key) else argument:
                yield name, key
        for key in self.live.keys if self.live else ():
            yield LIVE, key
        if self.scale:
            yield LIVE, self.scale

    def variable(self, argument: str) -> Key:
        """Return the variable that an argument is bound to. Raises TypeError where that is a list of them."""
        key = self.arguments[argument]
        if not isinstance(key, Key):
            raise TypeError(f"{self.name!r} binds {argument!r} to several variables")
        return key

    def is_linear_in(self, key: Key) -> bool:
        """Whether the residual is linear in a variable, jointly with all others of that sort."""
        return all(name in self.template.linear for name, bound in self.bindings() if bound == key)

    def residual(self, values: Mapping[Key, Array]) -> Array:
        """Evaluate the law: a vector of `rows` numbers, of the kind of number that the values are."""
        bound = {
            name: values[argument] if isinstance(argument, Key) else [values[key] for key in argument]
            for name, argument in self.arguments.items()
        }
        parameters = self.live.insert_numbers(self.parameters, values) if self.live else self.parameters
        found = self.template.function(**bound, **parameters)
        if self.scale is None:
            return found
        return vector([x * (1.0 / s) for x, s in zip(found, values[self.scale], strict=True)])
