"""The Bayes net of an elimination: each variable given all that share an equation with it when it is eliminated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from screwgraph.graph import Key


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
