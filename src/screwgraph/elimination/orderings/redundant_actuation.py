"""Where the variables of least torques stand in an order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from screwgraph.elimination.group import Group
from screwgraph.elimination.system import PAIR
from screwgraph.graph import (
    ADJOINT_VELOCITY,
    TEMPLATES,
    Column,
    FactorGraph,
    Key,
    adjoint_multiplier,
    joints_by_multiplier,
)

MINIMUM = TEMPLATES["minimum_torque"]


def group_virtual_motions(graph: FactorGraph) -> list[Group]:
    """Return a group for each set of loops: the virtual velocities that follow from those of the independent joints.

    They go first, by the laws of the loops; each driven joint's torque follows by its law, the multipliers by the
    torques of the joints that follow others, and last the virtual velocities of the independent joints: their pivots
    are those of G' S W^-1 S G, which is positive definite.
    """
    groups = []
    for multipliers, joints in connect_multipliers(joints_by_multiplier(graph)):
        if not any(Key(ADJOINT_VELOCITY, joint) in graph.variables for joint in joints):
            continue
        columns = tuple((Key(ADJOINT_VELOCITY, key.name), i) for key, i in list_dependent_rates(graph, joints))
        ties = tuple((adjoint_multiplier(key), i) for key in multipliers for i in range(graph.variables[key].dim))
        groups.append(Group(columns, PAIR, block=True, through=ties))
    return groups


def independent_motions(graph: FactorGraph) -> list[Group]:
    """Return what `group_virtual_motions` leaves."""
    named = {column for group in group_virtual_motions(graph) for column in group.columns}
    every = [(v.key, i) for v in graph.unknowns if v.key.kind == ADJOINT_VELOCITY for i in range(v.dim)]
    left = tuple(column for column in every if column not in named)
    return [Group(left, law="torque")] if left else []


def use_minimum_torque(items: Iterable[Key | Group], graph: FactorGraph) -> list[Key | Group]:
    """Let the torques that are the smallest go by that law."""
    smallest = {f.arguments["tau"] for f in graph.factors if f.template is MINIMUM}

    def make_group(key: Key) -> Group:
        return Group(tuple((key, i) for i in range(graph.variables[key].dim)), law=MINIMUM.name)

    return [make_group(item) if isinstance(item, Key) and item in smallest else item for item in items]


def list_dependent_rates(graph: FactorGraph, joints: Collection[str]) -> tuple[Column, ...]:
    """Return the rates that follow from others, in order, if the torques of these joints are to be the smallest."""
    if graph.dependence is None or not any(Key(ADJOINT_VELOCITY, joint) in graph.variables for joint in joints):
        return ()
    follows = graph.dependence.rates
    keys = [key for key in graph.variables if key.kind == "qdd" and key.name in joints]
    return tuple((key, i) for key in keys for i in range(graph.variables[key].dim) if (key, i) in follows)


def connect_multipliers(ties: Mapping[Key, Sequence[str]]) -> list[tuple[list[Key], set[str]]]:
    """Return sets of multipliers that share joints, and their joints."""
    sets: list[tuple[list[Key], set[str]]] = []
    for key, joints in ties.items():
        touching = [found for found in sets if found[1] & set(joints)]
        sets = [found for found in sets if found not in touching]
        sets.append(
            ([key for keys, _ in touching for key in keys] + [key], set(joints).union(*(j for _, j in touching)))
        )
    return sets
