"""The factors of a graph of one instant at many instants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from screwgraph.graph import Factor, FactorGraph, Key
from screwgraph.graph.factors import prior, tied_velocities
from screwgraph.optimize import Factors, Selection, equality
from screwgraph.optimize.substitution import SubstitutedTemplate
from screwgraph.spatial import vector


@dataclass(frozen=True, eq=False)
class VariableBinding:
    """A variable of the graph as a function of unknowns, one of each selection an instant."""

    selections: tuple[Selection, ...]
    value: Callable[..., Any]


@dataclass(frozen=True)
class SelectedEntries:
    """Some entries of an unknown; None stands for zero."""

    places: tuple[int | None, ...]

    def __call__(self, *unknowns: Any) -> Any:
        """Return them; without an unknown, all are zero."""
        return vector([0.0 if i is None else unknowns[0][i] for i in self.places])


@dataclass(frozen=True)
class Constant:
    """A known vector."""

    values: tuple[float, ...]

    def __call__(self) -> Any:
        """Return it."""
        return vector(self.values)


@dataclass(frozen=True)
class GraphResidual:
    """The residual of a graph's factor as a template of its variables."""

    factor: Factor

    def __call__(self, *values: Any) -> Any:
        """Return it; values stand in the order of the factor's keys."""
        return self.factor.residual(dict(zip(self.factor.keys, values, strict=True)))


def list_constants(graph: FactorGraph) -> dict[Key, VariableBinding]:
    """Return the variables that the graph knows beforehand, as those of the base."""
    known = [f for f in graph.factors if f.template is prior]
    return {f.variable("x"): VariableBinding((), Constant(tuple(f.parameters["value"].tolist()))) for f in known}


def select_balances(graph: FactorGraph) -> list[Factor]:
    """Return the factors of a graph but its constants, and the laws of closed loops.

    These hold accelerations, and velocities, at one instant; over time they are replaced by one that also closes
    positions (`plan.loops.StabilisedClosure`).
    """
    return [f for f in graph.factors if f.template not in (prior, tied_velocities) and f.multiplier is None]


def replicate_factors(factors: Iterable[Factor], bindings: Mapping[Key, VariableBinding]) -> list[Factors]:
    """Return hard factors of a graph at as many instants as bindings have unknowns; what is constant is left out."""
    found = []
    for factor in factors:
        unknowns: dict[Any, Selection] = {}
        places = []
        for key in factor.keys:
            for selection in bindings[key].selections:
                unknowns.setdefault(_name(selection), selection)
            places.append(tuple(list(unknowns).index(_name(s)) for s in bindings[key].selections))
        if unknowns:
            values = tuple(bindings[key].value for key in factor.keys)
            template = SubstitutedTemplate(GraphResidual(factor), values, tuple(places))
            found.append(equality(template, *unknowns.values(), name=f"dynamics: {factor.name}"))
    return found


def _name(selection: Selection) -> tuple[str, bytes]:
    return selection.variables.name, selection.indices.tobytes()
