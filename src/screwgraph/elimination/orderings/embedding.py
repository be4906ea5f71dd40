"""Constraint embedding as an elimination order."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.elimination.group import Group
from screwgraph.elimination.orderings.base import (
    add_multipliers,
    filter_unknowns,
    is_closed,
    joint_keys,
    link_keys,
    list_columns,
)
from screwgraph.elimination.system import PAIR
from screwgraph.graph import Cluster, FactorGraph, Key, clusters, nested_clusters
from screwgraph.model.robot import Joint


@dataclass(frozen=True)
class ClustersEmbedded:
    """Clusters tips to base: F_i and Vdot_i, then dependent rates and multipliers by each other's laws, then the rest.

    The constraints express the rates that depend on others, qdd = G ydd + g, and the torques there give the
    multipliers; the remainder is the cluster's inertia and bias in its independent rates, and the recursion goes on as
    `aba`, which this order is on a tree. Jain (2012); Chignoli et al. (2023). With `nested`, loops on several links of
    a cluster are clusters of their own, and what these links hand on is their joint inertia (their footnote 2).
    """

    nested: bool = False

    def suits(self, graph: FactorGraph) -> bool:
        """Whether "auto" tries it."""
        return is_closed(graph) and (not self.nested or len(nested_clusters(graph)) > len(clusters(graph)))

    def order(self, graph: FactorGraph) -> list[Key | Group]:
        order: list[Key | Group] = list(filter_unknowns(joint_keys(graph, "tau"), graph))
        for cluster in reversed(self._clusters(graph)):
            inward = cluster.joints[::-1]
            order += filter_unknowns([key for joint in inward for key in link_keys(graph, joint)], graph)
            order += _embed_cluster(graph, cluster) or filter_unknowns(
                [*(Key("qdd", joint.name) for joint in inward), *cluster.multipliers], graph
            )
        return add_multipliers(order, graph)

    def closing(self, graph: FactorGraph) -> list[Group]:
        """Return what of this order takes dependent rates and multipliers out, tips to base; other rates stay."""
        by_cluster = (_embed_cluster(graph, cluster)[:2] for cluster in reversed(self._clusters(graph)))
        return [group for groups in by_cluster for group in groups]

    def _clusters(self, graph: FactorGraph) -> tuple[Cluster[Joint], ...]:
        return nested_clusters(graph) if self.nested else clusters(graph)


def _embed_cluster(graph: FactorGraph, cluster: Cluster[Joint]) -> list[Group]:
    """Return the groups of a cluster's rates and multipliers; none where other rates than the independent are free."""
    multipliers = list_columns(graph, cluster.multipliers)
    rates = list_columns(graph, [Key("qdd", joint.name) for joint in cluster.joints])
    follows = graph.dependence.rates if graph.dependence and multipliers else frozenset()
    dependent = tuple(rate for rate in rates if rate in follows)
    if not dependent or len(dependent) != len(multipliers):
        return []
    independent = tuple(rate for rate in rates if rate not in follows)
    groups = [
        Group(dependent, PAIR, block=True, through=multipliers),
        Group(multipliers, PAIR, block=True, through=dependent),
    ]
    return [*groups, *([Group(independent, law="torque")] if independent else [])]


def embedding() -> ClustersEmbedded:
    """Return this order."""
    return ClustersEmbedded()


def nested_embedding() -> ClustersEmbedded:
    """Return the variant of this order whose clusters may stand on several links of another one."""
    return ClustersEmbedded(nested=True)
