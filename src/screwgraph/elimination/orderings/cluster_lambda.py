"""Cluster by cluster, the multipliers after the joints."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.elimination.group import Group
from screwgraph.elimination.orderings.base import add_multipliers, filter_unknowns, is_closed, joint_keys, link_keys
from screwgraph.graph import FactorGraph, Key, clusters


@dataclass(frozen=True)
class MultipliersInClusters:
    """Clusters tips to base: F_i and Vdot_i of all links, the joints' unknowns, then the multipliers.

    Every pivot is a generalised inertia, or of K M^-1 K' (Schur complement of the cluster). On a tree, order `aba`.
    """

    def suits(self, graph: FactorGraph) -> bool:
        """Whether "auto" tries it."""
        return is_closed(graph)

    def order(self, graph: FactorGraph) -> list[Key | Group]:
        order = joint_keys(graph, "tau")
        for cluster in reversed(clusters(graph)):
            inward = cluster.joints[::-1]
            order += [key for joint in inward for key in link_keys(graph, joint)]
            order += [*(Key("qdd", joint.name) for joint in inward), *cluster.multipliers]
        return add_multipliers(filter_unknowns(order, graph), graph)


def cluster_lambda() -> MultipliersInClusters:
    """Return this order."""
    return MultipliersInClusters()
