"""Known accelerations and inputs: what knowns determine by one factor is computed before elimination."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from screwgraph.graph import TEMPLATES, Derived, Factor, FactorGraph, Key, Role
from screwgraph.graph.factors import transmission
from screwgraph.graph.passes.frame_laws import conventional_frame_acceleration


def derive_known_accelerations(graph: FactorGraph) -> FactorGraph:
    """Make every link acceleration that follows from knowns a derived variable, parents first; so what added laws give.

    Laws then see its value, as they see a twist's, and share products of velocities and accelerations between them.
    """
    known, derived = set(graph.known), list(graph.derived)
    factors = list(graph.factors)
    added = {id(f) for f in graph.model.added} if graph.model else set()
    for factor in [*(f for f in graph.factors if id(f) in added), *graph.factors]:
        unknown = tuple(k for k in factor.keys if k not in known)
        if unknown and factor in factors and _determines(graph, factor, unknown, added):
            derived.append(Derived(unknown[0], factor, unknown[1:]))
            known.update(unknown)
            factors.remove(factor)
    return replace(graph, factors=tuple(factors), known=frozenset(known), derived=tuple(derived))


def _determines(graph: FactorGraph, factor: Factor, unknown: tuple[Key, ...], added: Collection[int]) -> bool:
    """Whether a law gives an acceleration, of a link from its parent's or of a frame, or an added one what it is of."""
    if factor.sigma:
        return False
    if factor.template is transmission:
        return unknown == (factor.variable("tau"),)
    if factor.template.name == "acceleration":
        return unknown == (factor.variable("Vdot"),)
    if factor.template is conventional_frame_acceleration:
        return len(unknown) == 1 and unknown[0].role is Role.ACCELERATION
    whole = sum(graph.variables[key].dim for key in unknown) == factor.rows
    return id(factor) in added and TEMPLATES.get(factor.template.name) is not factor.template and whole
