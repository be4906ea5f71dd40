"""Articulated-body order that solves each joint before it leaves the link's own frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from screwgraph.elimination.group import Group
from screwgraph.elimination.orderings.base import (
    add_multipliers,
    filter_unknowns,
    is_closed,
    is_open,
    joint_keys,
    moves_freely,
)
from screwgraph.graph import FactorGraph, Key
from screwgraph.model.robot import Joint


@dataclass(frozen=True)
class JointsFirst:
    """Tips to base: the wrench along a joint's axis by its torque, the joint's acceleration, the link's along the axis.

    The remaining inertia of the link has nothing along the axis, so that carrying it to the parent costs less; the
    articulated-body algorithm as Featherstone (2008), table 7.1, computes it. Joints whose axes are not coordinate
    axes of their link's frame are solved as in `aba`.
    """

    def suits(self, graph: FactorGraph) -> bool:
        """Whether "auto" tries it."""
        return is_closed(graph) or (is_open(graph) and moves_freely(graph))

    def order(self, graph: FactorGraph) -> list[Key | Group]:
        torques = filter_unknowns(joint_keys(graph, "tau"), graph)
        bodies = (item for joint in reversed(graph.joints) for item in order_joint_first(joint, graph))
        return add_multipliers([*torques, *bodies], graph)


def order_joint_first(joint: Joint, graph: FactorGraph) -> list[Key | Group]:
    """Return the unknowns of a link and of the joint that moves it, in the order of `JointsFirst`."""
    F, Vdot, carried = (Key(kind, joint.child) for kind in ("wrench", "acceleration", "propagated_acceleration"))
    joint_rate = filter_unknowns([Key("qdd", joint.name)], graph)
    along = _coordinate_axes(joint)
    if along is None or not joint_rate or F not in graph.variables or F in graph.known or Vdot in graph.known:
        return list(filter_unknowns([Vdot, F, carried, *joint_rate], graph))
    across = [i for i in range(6) if i not in along]
    items = [
        Group(tuple((F, i) for i in along), law="torque"),
        Group(tuple((joint_rate[0], i) for i in range(len(along))), law="acceleration"),
        Group(tuple((Vdot, i) for i in along), law="wrench"),
        Group(tuple((Vdot, i) for i in across)),
        Group(tuple((F, i) for i in across)),
    ]
    return [*(item for item in items if item.columns), *filter_unknowns([carried], graph)]


def _coordinate_axes(joint: Joint) -> list[int] | None:
    """Return the components of a twist that a joint moves, if each of its coordinates is one of them; else None."""
    if not joint.type.constant_axes or not joint.type.nv:
        return None
    A = np.asarray(joint.type.screw_axes(joint.type.manifold.identity()), dtype=float)
    alone = (np.count_nonzero(A, axis=0) == 1).all() and (np.abs(A).sum(axis=0) == 1.0).all()
    return np.abs(A).argmax(axis=0).tolist() if alone else None


def articulated() -> JointsFirst:
    """Return this order."""
    return JointsFirst()
