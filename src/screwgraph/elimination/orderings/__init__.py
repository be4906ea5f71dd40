"""Elimination orders: one file each; a new one is a new file and a line in `ORDERINGS`."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from screwgraph.base.deprecated import old_names
from screwgraph.base.errors import InputError
from screwgraph.elimination.orderings.aba import LeavesFirst, aba
from screwgraph.elimination.orderings.ancestor import NearestAncestors, ancestor
from screwgraph.elimination.orderings.articulated import JointsFirst, articulated
from screwgraph.elimination.orderings.augmented import AugmentedMultipliers, augmented
from screwgraph.elimination.orderings.base import Ordering, is_assembled
from screwgraph.elimination.orderings.cluster_lambda import MultipliersInClusters, cluster_lambda
from screwgraph.elimination.orderings.colamd import Colamd, colamd
from screwgraph.elimination.orderings.composite import CompositeInertias, composite
from screwgraph.elimination.orderings.crba import WrenchesFirst, crba
from screwgraph.elimination.orderings.embedding import ClustersEmbedded, embedding, nested_embedding
from screwgraph.elimination.orderings.explicit import Explicit, explicit
from screwgraph.elimination.orderings.greedy import LeastWork, greedy
from screwgraph.elimination.orderings.kkt import MultipliersLast, kkt
from screwgraph.elimination.orderings.lynch_park import LynchPark, lynch_park
from screwgraph.elimination.orderings.min_degree import MinimumDegree, min_degree
from screwgraph.elimination.orderings.mixed import TREATMENTS, Mixed, mixed, mixed_articulated
from screwgraph.elimination.orderings.nested_dissection import NestedDissection, nested_dissection
from screwgraph.elimination.orderings.quasi_definite import QuasiDefinite, quasi_definite
from screwgraph.elimination.orderings.rnea import NewtonEuler, rnea
from screwgraph.elimination.orderings.symmetric import SymmetricPairs, symmetric
from screwgraph.graph import FactorGraph
from screwgraph.model.robot import make_unknown_name_error

ORDERINGS: dict[str, Callable[[], Ordering]] = {
    "rnea": rnea,
    "lynch_park": lynch_park,
    "crba": crba,
    "embedding": embedding,
    "nested_embedding": nested_embedding,
    "mixed": mixed,
    "mixed_articulated": mixed_articulated,
    "ancestor": ancestor,
    "aba": aba,
    "articulated": articulated,
    "cluster_lambda": cluster_lambda,
    "composite": composite,
    "kkt": kkt,
    "augmented": augmented,
    "symmetric": symmetric,
    "greedy": greedy,
    "min_degree": min_degree,
    "colamd": colamd,
    "nested_dissection": nested_dissection,
    "quasi_definite": quasi_definite,
}
"""Makers of the named orders; of equally cheap ones "auto" takes the first."""


def candidates(graph: FactorGraph) -> tuple[str, ...]:
    """Return the names of the orders from which "auto" chooses for a graph: those that do not say they do not suit.

    Of models in natural coordinates all are tried: which are possible and safe, and what they cost, tells.
    """
    if is_assembled(graph):
        return tuple(ORDERINGS)
    made = {name: make() for name, make in ORDERINGS.items()}
    found = tuple(name for name, order in made.items() if getattr(order, "suits", lambda graph: True)(graph))
    return found or ("min_degree",)


def list_fallbacks(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the orders that "auto" tries where code of the candidates divides by what vanishes."""
    return ("aba", "composite") if names == ("articulated",) else ()


def find_ordering(name: str) -> Ordering:
    """Return a named order. Raises InputError when there is none of that name."""
    if not isinstance(name, str):
        raise InputError(f"ordering {name!r} is neither a name nor an Ordering", fix=f"names: {', '.join(ORDERINGS)}")
    if name not in ORDERINGS:
        raise make_unknown_name_error("ordering", name, ORDERINGS)
    return ORDERINGS[name]()


__all__ = [
    "ORDERINGS",
    "TREATMENTS",
    "AugmentedMultipliers",
    "ClustersEmbedded",
    "Colamd",
    "CompositeInertias",
    "Explicit",
    "JointsFirst",
    "LeastWork",
    "LeavesFirst",
    "LynchPark",
    "MinimumDegree",
    "Mixed",
    "MultipliersInClusters",
    "MultipliersLast",
    "NearestAncestors",
    "NestedDissection",
    "NewtonEuler",
    "Ordering",
    "QuasiDefinite",
    "SymmetricPairs",
    "WrenchesFirst",
    "aba",
    "ancestor",
    "articulated",
    "augmented",
    "candidates",
    "cluster_lambda",
    "colamd",
    "composite",
    "crba",
    "embedding",
    "explicit",
    "find_ordering",
    "greedy",
    "is_assembled",
    "kkt",
    "list_fallbacks",
    "lynch_park",
    "min_degree",
    "mixed",
    "mixed_articulated",
    "nested_dissection",
    "nested_embedding",
    "quasi_definite",
    "rnea",
    "symmetric",
]

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
