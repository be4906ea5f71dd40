"""Known accelerations: what the joints' accelerations determine is computed before elimination."""

from __future__ import annotations

from dataclasses import replace

from screwgraph.graph import Derived, FactorGraph


def known_accelerations(graph: FactorGraph) -> FactorGraph:
    """Make every link acceleration that follows from knowns a derived variable, parents first.

    Laws then see its value, as they see a twist's, and share products of velocities and accelerations between them.
    """
    known, derived = set(graph.known), list(graph.derived)
    factors = list(graph.factors)
    for factor in graph.factors:
        if factor.template.name == "acceleration":
            key = factor.variable("Vdot")
            if [k for k in factor.keys if k not in known] == [key]:
                derived.append(Derived(key, factor))
                known.add(key)
                factors.remove(factor)
    return replace(graph, factors=tuple(factors), known=frozenset(known), derived=tuple(derived))
