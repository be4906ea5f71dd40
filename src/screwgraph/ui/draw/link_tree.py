"""The tree of links that a graph's variables tell of: depths and bands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from screwgraph.graph import Variable


@dataclass(frozen=True)
class LinkTree:
    """Per link number: `depth` counts joints from the base, `band` numbers branches from top to bottom.

    A link with several children lies in the middle of their bands. `spread` gives, for each depth, how many
    bands up or down the children there lie from their parents, at most.
    """

    depth: Mapping[int, int]
    band: Mapping[int, float]
    spread: Mapping[int, float]


def make_link_tree(variables: Iterable[Variable]) -> LinkTree:
    """Build the tree of the links that variables belong to."""
    parents: dict[int, int | None] = {}
    for variable in variables:
        if parents.get(variable.index) is None:
            parents[variable.index] = variable.parent
    parents |= {p: None for p in parents.values() if p is not None and p not in parents}
    children: dict[int, list[int]] = {link: [] for link in sorted(parents)}
    for link in sorted(parents):
        parent = parents[link]
        if parent is not None:
            children[parent].append(link)
    depth = _depths([link for link in children if parents[link] is None], children)
    band = _bands(list(depth), children)
    spread = dict.fromkeys(depth.values(), 0.0)
    for link, parent in parents.items():
        if parent is not None:
            spread[depth[link]] = max(spread[depth[link]], abs(band[link] - band[parent]))
    return LinkTree(depth, band, spread)


def _depths(roots: list[int], children: Mapping[int, list[int]]) -> dict[int, int]:
    """Depth-first: parents before children, branches in order."""
    depth: dict[int, int] = {}
    stack = [(root, 0) for root in reversed(roots)]
    while stack:
        link, d = stack.pop()
        depth[link] = d
        stack += [(child, d + 1) for child in reversed(children[link])]
    return depth


def _bands(depth_first: list[int], children: Mapping[int, list[int]]) -> dict[int, float]:
    leaves = [link for link in depth_first if not children[link]]
    band = {link: float(n) for n, link in enumerate(leaves)}
    for link in reversed(depth_first):
        if children[link]:
            band[link] = (band[children[link][0]] + band[children[link][-1]]) / 2
    return band
