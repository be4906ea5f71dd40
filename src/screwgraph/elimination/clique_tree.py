"""The clique (Bayes) tree of an elimination: which variables have to be handled together.

The Bayes net: each variable given all that share an equation with it when it is eliminated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from screwgraph.base.summary import one_line
from screwgraph.elimination.parallelism import Parallelism, parallelism
from screwgraph.graph import Key


@dataclass(frozen=True)
class Clique:
    """Variables that are handled together: `frontals` end here, `separator` is shared with the clique `parent`."""

    __repr__ = one_line

    frontals: tuple[Key, ...]
    separator: tuple[Key, ...]
    parent: int | None


@dataclass(frozen=True)
class CliqueTree:
    """Cliques, parents first; a clique's number is its place in `cliques`."""

    __repr__ = one_line

    cliques: tuple[Clique, ...]
    dims: Mapping[Key, int]

    @property
    def width(self) -> int:
        """Scalars in the largest clique."""
        return max((sum(self.dims[k] for k in (*c.frontals, *c.separator)) for c in self.cliques), default=0)

    @property
    def block_width(self) -> int:
        """Variables in the largest clique."""
        return max((len(c.frontals) + len(c.separator) for c in self.cliques), default=0)

    @property
    def parallelism(self) -> Parallelism:
        """Parallelism of the tree (Xie & Dellaert, 2019, VI-B): a clique waits for those below it.

        A clique costs what dense elimination of its frontals does: the squares of the scalars that are left, summed.
        """
        last = len(self.cliques) - 1
        below: list[list[int]] = [[] for _ in self.cliques]
        for number, clique in enumerate(self.cliques):
            if clique.parent is not None:
                below[last - clique.parent].append(last - number)
        return parallelism([self._cost(clique) for clique in reversed(self.cliques)], below)

    def _cost(self, clique: Clique) -> float:
        shared = sum(self.dims[key] for key in clique.separator)
        own = sum(self.dims[key] for key in clique.frontals)
        return float(sum((shared + left) ** 2 for left in range(1, own + 1)))


def make_clique_tree(parents: Mapping[Key, Sequence[Key]], dims: Mapping[Key, int]) -> CliqueTree:
    """Build the clique tree of a DAG whose keys stand in elimination order.

    The separator of a variable is its parents, and what its children in the elimination tree hand on;
    neighbours in the tree whose cliques are nested become one (Kaess et al., The Bayes Tree, 2010).
    """
    position = {key: i for i, key in enumerate(parents)}
    separators: dict[Key, set[Key]] = {key: set() for key in parents}
    for key, own in parents.items():
        for p in own:
            # A variable that waited with some scalars may express, in others, one that is gone before it.
            first, second = (key, p) if position[key] < position[p] else (p, key)
            separators[first].add(second)
    tree_parent: dict[Key, Key] = {}
    for key in parents:
        if separators[key]:
            first = min(separators[key], key=lambda k: position[k])
            tree_parent[key] = first
            separators[first] |= separators[key] - {first}
    frontals: list[list[Key]] = []
    clique_of: dict[Key, int] = {}
    up: list[int | None] = []
    for key in reversed(list(parents)):
        parent = tree_parent.get(key)
        above = None if parent is None else clique_of[parent]
        nested = parent is not None and separators[key] == {parent} | separators[parent]
        if above is not None and nested and frontals[above][-1] == parent:
            frontals[above].append(key)
            clique_of[key] = above
            continue
        clique_of[key] = len(frontals)
        frontals.append([key])
        up.append(above)
    cliques = [
        Clique(tuple(reversed(own)), tuple(sorted(separators[own[0]], key=lambda k: position[k])), parent)
        for own, parent in zip(frontals, up, strict=True)
    ]
    return CliqueTree(tuple(cliques), dims)


def make_bayes_net(factors: Iterable[Iterable[Key]], order: Sequence[Key]) -> Mapping[Key, tuple[Key, ...]]:
    """Return the parents of each variable: its separator in an elimination that knows nothing but which factors share.

    Eliminating a variable replaces its factors by one of their other variables, as QR does of any numbers. Elimination
    with equations may use fewer of them: see `Dag.edges`. Xie & Dellaert (2019), III-C.

    Args:
        factors: the unknowns of each factor.
        order: all unknowns, in the order of elimination; parents are listed in this order.
    """
    position = {key: i for i, key in enumerate(order)}
    left = [frozenset(keys) for keys in factors]
    parents: dict[Key, tuple[Key, ...]] = {}
    for key in order:
        separator = frozenset[Key]().union(*(keys for keys in left if key in keys)) - {key}
        left = [keys for keys in left if key not in keys] + [separator]
        parents[key] = tuple(sorted(separator, key=lambda k: position.get(k, len(position))))
    return parents
