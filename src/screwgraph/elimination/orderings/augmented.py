"""The order for least torques of a motion that is given whole."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.elimination.group import Group
from screwgraph.elimination.orderings.base import filter_unknowns, joint_keys, order_tips_to_base
from screwgraph.elimination.orderings.kkt import kkt
from screwgraph.elimination.orderings.redundant_actuation import use_minimum_torque
from screwgraph.graph import ADJOINT_VELOCITY, TEMPLATES, FactorGraph, Key

LAW = TEMPLATES["augmented_multiplier"]
LAST = ((LAW.name, "lambda"), ("torque", ADJOINT_VELOCITY), ("tied_velocities", "adjoint_multiplier"))
"""The laws by which the last kinds of variables go."""


@dataclass(frozen=True)
class AugmentedMultipliers:
    """Wrenches tips to base, efforts and torques by their laws, then multipliers, virtual motions, and their shifts.

    Pivots are those of W^-1 + K' K and of K (W^-1 + K' K)^-1 K', both positive definite where K has full rank and the
    driven joints share in every motion that loops allow: none vanishes where other orders divide by the determinant of
    a choice of joints. Of other graphs it is the order `kkt`.
    """

    def suits(self, graph: FactorGraph) -> bool:
        """Whether "auto" tries it."""
        return any(f.template is LAW for f in graph.factors)

    def order(self, graph: FactorGraph) -> list[Key | Group]:
        if not self.suits(graph):
            return kkt().order(graph)
        efforts = [v.key for v in graph.unknowns if v.key.kind == "effort"]
        bodies = [*order_tips_to_base(graph), *efforts, *joint_keys(graph, "tau")]
        order = use_minimum_torque(filter_unknowns(bodies, graph), graph)
        for law, kind in LAST:
            columns = tuple((v.key, i) for v in graph.unknowns if v.key.kind == kind for i in range(v.dim))
            order += [Group(columns, law=law)] if columns else []
        groups = (item.columns if isinstance(item, Group) else ((item, 0),) for item in order)
        placed = {key for columns in groups for key, _ in columns}
        return [*order, *(v.key for v in graph.unknowns if v.key not in placed)]


def augmented() -> AugmentedMultipliers:
    """Return this order."""
    return AugmentedMultipliers()
