"""Clusters: joints that loops and couplings tie, so that seen from outside they move as one joint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from screwgraph.base.summary import one_line
from screwgraph.graph.constraints import CouplingLaw
from screwgraph.graph.factor_graph import FactorGraph
from screwgraph.graph.loop_ends import End
from screwgraph.graph.variable import Key
from screwgraph.model.robot import Chain, Joint


class TreeJoint(Protocol):
    """A joint of a spanning tree."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def parent(self) -> str:
        """The link that carries it."""
        ...

    @property
    def child(self) -> str:
        """The link that it moves."""
        ...


J = TypeVar("J", bound=TreeJoint)


@dataclass(frozen=True, eq=False)
class Cluster(Generic[J]):
    """Joints that move together, in order, and their multipliers; `outputs` are the links that support them.

    A joint that nothing ties is a cluster of its own.
    """

    __repr__ = one_line

    joints: tuple[J, ...]
    multipliers: tuple[Key, ...]

    @property
    def outputs(self) -> tuple[str, ...]:
        """The links outside that its joints touch towards the base: one, unless the cluster is nested."""
        moved = {joint.child for joint in self.joints}
        return tuple(dict.fromkeys(joint.parent for joint in self.joints if joint.parent not in moved))


def clusters(graph: FactorGraph) -> tuple[Cluster[Joint], ...]:
    """Return the clusters of a graph's joints, base to tips: a link of one before it, or the base, supports each.

    Loops tie the joints on the way between their ends, couplings the joints that they name and those between. Sets that
    share a joint are one cluster. Chignoli et al. (2023), section II-D; Jain (2012).
    """
    return cluster_joints(graph.joints, joints_by_multiplier(graph))


def joints_by_multiplier(graph: FactorGraph) -> dict[Key, list[str]]:
    """Return the names of the joints that each multiplier of a graph ties."""
    return {key: [joint.name for joint in law.joints] for key, law in laws_by_multiplier(graph).items()}


def links_by_multiplier(graph: FactorGraph) -> dict[Key, tuple[str, ...]]:
    """Return, for each multiplier, the links at the ends of its loop, or those whose joints its coupling names."""
    return {
        key: (law.loop.predecessor, law.loop.successor)
        if isinstance(law, Chain)
        else tuple(joint.child for joint in law.joints)
        for key, law in laws_by_multiplier(graph).items()
    }


def laws_by_multiplier(graph: FactorGraph) -> dict[Key, Chain | CouplingLaw]:
    """Return the loop, as a chain of joints, or the coupling of each multiplier of a graph."""
    ties: dict[Key, Chain | CouplingLaw] = {}
    for factor in (*graph.factors, *(derived.factor for derived in graph.derived)):
        bound = factor.parameters
        for law in (bound.get("chain"), bound.get("coupling"), *bound.get("couplings", ()), *bound.get("ends", ())):
            match law:
                case End(chain) | (Chain() as chain):
                    ties[Key("lambda", chain.loop.name)] = chain
                case CouplingLaw(coupling):
                    ties[Key("lambda", coupling.name)] = law
                case _:
                    pass
    return {key: ties[key] for key in graph.variables if key in ties}


def cluster_joints(joints: Sequence[J], ties: Mapping[Key, Iterable[str]]) -> tuple[Cluster[J], ...]:
    """Return the clusters of joints (parents first) that ties hold together; each tie is a multiplier's joints."""
    above = _joints_above(joints)
    leader = {joint.name: joint.name for joint in joints}

    def find(name: str) -> str:
        while leader[name] != name:
            name = leader[name]
        return name

    for names in ties.values():
        whole = sorted(_with_those_between(list(names), above))
        for name in whole[1:]:
            leader[find(name)] = find(whole[0])
    members: dict[str, list[J]] = {}
    for joint in joints:
        members.setdefault(find(joint.name), []).append(joint)
    of: dict[str, list[Key]] = {name: [] for name in members}
    for key, names in ties.items():
        of[find(next(iter(names)))].append(key)
    return tuple(Cluster(tuple(found), tuple(of[name])) for name, found in members.items())


def loop_spans(graph: FactorGraph) -> dict[Key, frozenset[str]]:
    """Return, for each multiplier, the joints that it ties and those that the tree puts between them."""
    above, ties = _joints_above(graph.joints), joints_by_multiplier(graph)
    return {key: frozenset(_with_those_between(list(names), above)) for key, names in ties.items()}


def _joints_above(joints: Sequence[TreeJoint]) -> dict[str, tuple[str, ...]]:
    """Return the names of the joints from each joint, itself first, to the base."""
    by_child = {joint.child: joint for joint in joints}
    above: dict[str, tuple[str, ...]] = {}
    for joint in joints:
        parent = by_child.get(joint.parent)
        above[joint.name] = (joint.name, *(above[parent.name] if parent else ()))
    return above


def _with_those_between(names: Sequence[str], above: Mapping[str, tuple[str, ...]]) -> set[str]:
    """Return joints and all that the tree puts between them."""
    common = set.intersection(*(set(above[name]) for name in names))
    return set(names) | {joint for name in names for joint in above[name]} - common
