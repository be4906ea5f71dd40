"""Clusters on several links of another one (Chignoli et al., 2023, footnote 2): loops solved one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from screwgraph.graph.clusters import (
    Cluster,
    clusters,
    laws_by_multiplier,
    links_by_multiplier,
    loop_spans,
)
from screwgraph.graph.constraints import CouplingLaw
from screwgraph.graph.factor_graph import FactorGraph
from screwgraph.graph.variable import Key
from screwgraph.model.robot import Chain, Joint

Owners = Mapping[str, int]
"""The number of the cluster that each joint of a larger one is in."""


def nested_clusters(graph: FactorGraph) -> tuple[Cluster[Joint], ...]:
    """Return the clusters of a graph's joints, base to tips, as small as their dependent rates allow.

    A loop whose rows determine as many dependent rates as no loop before it does is a cluster of its own, where the
    links that it touches besides its own are those of one other cluster. There may be several such links: where the
    rates of their joints are known, so is what the loop's own joints do. Loops that do not follow each other in such a
    way stay together as in `clusters`.
    """
    found: list[Cluster[Joint]] = []
    for cluster in clusters(graph):
        found += _divide(graph, cluster) if len(cluster.multipliers) > 1 and graph.dependence else [cluster]
    place = {joint.name: i for i, joint in enumerate(graph.joints)}
    return tuple(sorted(found, key=lambda cluster: place[cluster.joints[0].name]))


def _divide(graph: FactorGraph, cluster: Cluster[Joint]) -> list[Cluster[Joint]]:
    spans = {key: span for key, span in loop_spans(graph).items() if key in cluster.multipliers}
    steps, laws, links = _follow(graph, spans), laws_by_multiplier(graph), links_by_multiplier(graph)
    while True:
        owner = _owners(steps, spans)
        pair = next(
            (p for i in range(len(steps)) if (p := _find_entangled_pair(laws, links, cluster, steps, owner, i))), None
        )
        if pair is None:
            break
        first, second = sorted(pair)
        steps[first] = steps[first] | steps.pop(second)
    return [
        Cluster(
            tuple(joint for joint in cluster.joints if owner[joint.name] == i),
            tuple(key for key in cluster.multipliers if key in step),
        )
        for i, step in enumerate(steps)
    ]


def _follow(graph: FactorGraph, spans: Mapping[Key, frozenset[str]]) -> list[frozenset[Key]]:
    """Return multipliers in steps: the rows of each determine the dependent rates that those before it leave open."""
    dependence = graph.dependence
    assert dependence is not None, "the graph is a closed chain's"
    rates = {
        key: [rate for rate in sorted(dependence.rates, key=str) if rate[0].name in span] for key, span in spans.items()
    }
    done, steps, waiting = set[tuple[Key, int]](), list[frozenset[Key]](), list(spans)
    while waiting:
        for key in waiting:
            left = [rate for rate in rates[key] if rate not in done]
            if len(left) == graph.variables[key].dim and dependence.follow(frozenset({key}), left):
                steps.append(frozenset({key}))
                waiting.remove(key)
                done.update(left)
                break
        else:
            return [*steps, frozenset(waiting)]
    return steps


def _owners(steps: Iterable[frozenset[Key]], spans: Mapping[Key, frozenset[str]]) -> dict[str, int]:
    owner: dict[str, int] = {}
    for i, step in enumerate(steps):
        for name in {name for key in step for name in spans[key]}:
            owner.setdefault(name, i)
    return owner


def _find_entangled_pair(
    laws: Mapping[Key, Chain | CouplingLaw],
    links: Mapping[Key, tuple[str, ...]],
    cluster: Cluster[Joint],
    steps: list[frozenset[Key]],
    owner: Owners,
    i: int,
) -> tuple[int, int] | None:
    """Return this step and another one, where it touches other links than those of one step before it."""
    moved_by = {joint.child: joint.name for joint in cluster.joints}
    own = {joint.child: joint for joint in cluster.joints if owner[joint.name] == i}
    touched = {joint.parent for joint in own.values()}
    touched |= {link for key in steps[i] for link in links[key]}
    outside = {owner[moved_by[link]] if link in moved_by else -1 for link in touched if link not in own}
    # A loop is closed between links, a coupling between rates: what carries these has to be in one cluster with it.
    coupled = {joint.name for key in steps[i] if not isinstance(laws[key], Chain) for joint in laws[key].joints}
    foreign = next((owner[name] for name in sorted(coupled) if owner[name] != i), None)
    if foreign is not None:
        return i, foreign
    others = sorted(outside - {-1})
    if len(outside) < 2 and all(other < i for other in others):
        return None
    return (i, others[-1]) if others else None
