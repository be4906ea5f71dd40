"""Known accelerations: what the joints' accelerations determine is computed before elimination."""

from __future__ import annotations

from dataclasses import replace

from screwgraph.graph import Derived, Factor, FactorGraph, Key, Role
from screwgraph.lowering.frame_laws import conventional_frame_acceleration


def known_accelerations(graph: FactorGraph) -> FactorGraph:
    """Make every link acceleration that follows from knowns a derived variable, parents first.

    Laws then see its value, as they see a twist's, and share products of velocities and accelerations between them.
    """
    known, derived = set(graph.known), list(graph.derived)
    factors = list(graph.factors)
    for factor in graph.factors:
        unknown = [k for k in factor.keys if k not in known]
        if len(unknown) == 1 and _determines(factor, unknown[0]):
            derived.append(Derived(unknown[0], factor))
            known.add(unknown[0])
            factors.remove(factor)
    return replace(graph, factors=tuple(factors), known=frozenset(known), derived=tuple(derived))


def _determines(factor: Factor, key: Key) -> bool:
    """Whether a law gives an acceleration: of a link from its parent's, or of a link or frame from each other's."""
    if factor.template.name == "acceleration":
        return key == factor.variable("Vdot")
    return factor.template is conventional_frame_acceleration and key.role is Role.ACCELERATION
