"""What an order is, and how it becomes groups of scalars."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from screwgraph.base.errors import EliminationError, InputError
from screwgraph.elimination.group import Group
from screwgraph.elimination.orderings.redundant_actuation import (
    connect_multipliers,
    group_virtual_motions,
    independent_motions,
    list_dependent_rates,
    use_minimum_torque,
)
from screwgraph.graph import Column, FactorGraph, Key, Role, joints_by_multiplier
from screwgraph.model.robot import Joint

LARGE = 1000
"""Unknown scalars of a graph beyond which one order is tried: 19 joints of a general chain, which have 54 each.

The articulated order takes 2 to 7 % less than `aba` of humanoids (1200 to 1400), and 6 to 20 % less than `composite`,
whose work grows faster than the joints.
"""


@runtime_checkable
class Ordering(Protocol):
    """A policy that says in which order the unknowns of a graph are eliminated."""

    def order(self, graph: FactorGraph) -> Sequence[Key | Column | Group]:
        """Return all unknowns of a graph, first to be eliminated first: variables, scalars of them, or groups."""
        ...


def is_closed(graph: FactorGraph) -> bool:
    """Whether loops or couplings tie joints of a graph."""
    return bool(joints_by_multiplier(graph))


def is_open(graph: FactorGraph) -> bool:
    """Whether a graph has joints, and no loops or couplings tie them."""
    return bool(graph.joints) and not is_closed(graph)


def is_assembled(graph: FactorGraph) -> bool:
    """Whether pivots are judged where a model is assembled: elsewhere, they may keep a sign that they lose there."""
    return any(v.assembled is not None and v.key.role is Role.POSITION for v in graph.variables.values())


def is_other(graph: FactorGraph) -> bool:
    """Whether a graph is no robot's, or has unknowns of people's own."""
    if is_assembled(graph):
        return False
    return not graph.joints or any(v.key.role is Role.OTHER for v in graph.unknowns)


def is_large(graph: FactorGraph) -> bool:
    """Whether a graph has so many unknowns that "auto" looks at one order only: of trees, `articulated`."""
    return sum(v.dim for v in graph.unknowns) > LARGE


def moves_freely(graph: FactorGraph) -> bool:
    """Whether accelerations of coordinates are to be found."""
    return any(v.key.role is Role.COORDINATE_ACCELERATION for v in graph.unknowns)


def as_groups(ordering: Ordering | Sequence[str | Key | Column], graph: FactorGraph) -> list[Group]:
    """Return the order as groups of scalars: those of a variable together, single scalars alone.

    Raises:
        EliminationError: the order leaves out, repeats or invents an unknown.
        InputError: something in it is no variable.
    """
    unknown = {v.key: v.dim for v in graph.unknowns}
    is_ordering = isinstance(ordering, Ordering)
    items = (ordering.order(graph) if unknown else []) if is_ordering else _resolve_names(ordering, graph)
    groups = [_group(item, unknown) for item in items]
    _check_complete([c for group in groups for c in group.columns], unknown)
    return groups


def _group(item: Key | Column | Group, unknown: Mapping[Key, int]) -> Group:
    if isinstance(item, Group):
        return item
    return Group(tuple((item, i) for i in range(unknown.get(item, 1))) if isinstance(item, Key) else (item,))


def filter_unknowns(keys: Iterable[Key], graph: FactorGraph) -> list[Key]:
    """Keep the keys that are unknowns of a graph: an order for all problems names more than one needs."""
    known = graph.known
    return [key for key in keys if key in graph.variables and key not in known]


def list_columns(graph: FactorGraph, keys: Iterable[Key]) -> tuple[Column, ...]:
    """Return the scalars of those keys that are unknowns of a graph."""
    return tuple((key, i) for key in filter_unknowns(keys, graph) for i in range(graph.variables[key].dim))


def joint_keys(graph: FactorGraph, kind: str) -> list[Key]:
    """Return one variable a joint, base to tips; links' variables are named by the link that the joint moves."""
    by_link = kind in ("wrench", "acceleration", "propagated_acceleration", "twist", "gravity")
    return [Key(kind, joint.child if by_link else joint.name) for joint in graph.joints]


def add_multipliers(order: Iterable[Key | Group], graph: FactorGraph) -> list[Key | Group]:
    """Complete an order by the multipliers that it does not name, and pair rates with inertias where chains are closed.

    A tied joint's acceleration goes by its torque's equation, and a multiplier by its own law, where that is possible:
    so every pivot is a generalised inertia or an inverse one, which cannot vanish, and never a slope of a constraint.
    """
    items = list(order)
    law = {Key("qdd", joint): "torque" for joints in joints_by_multiplier(graph).values() for joint in joints}
    law |= {f.multiplier: f.template.name for f in graph.factors if f.multiplier}
    named = {key for item in items for key in ([c[0] for c in item.columns] if isinstance(item, Group) else [item])}
    items += [v.key for v in graph.unknowns if v.key.role is Role.MULTIPLIER and v.key not in named]
    blocks = _blocks(graph, {key for key in law if key.kind == "lambda"})
    items = [item for item in items if not isinstance(item, Key) or item.kind != "lambda" or item in law]
    items = [_by_law(item, law[item], graph) if isinstance(item, Key) and item in law else item for item in items]
    found = [*group_virtual_motions(graph), *use_minimum_torque(items, graph), *blocks, *independent_motions(graph)]
    placed = {key for item in found for key in ([c[0] for c in item.columns] if isinstance(item, Group) else [item])}
    return [*found, *(v.key for v in graph.unknowns if v.key not in placed)]  # people's own variables go last


def _blocks(graph: FactorGraph, by_law: Collection[Key]) -> list[Group]:
    """Return multipliers whose own laws are no equations: the joints of known torques give them, cluster by cluster."""
    ties = {
        key: joints
        for key, joints in joints_by_multiplier(graph).items()
        if key not in by_law and key not in graph.known
    }
    groups = []
    for keys, joints in connect_multipliers(ties):
        columns = tuple((key, i) for key in keys for i in range(graph.variables[key].dim))
        given = [Key("qdd", joint) for joint in sorted(joints) if Key("tau", joint) in graph.known]
        through = tuple((key, i) for key in given for i in range(graph.variables[key].dim))
        groups.append(Group(columns, block=True, through=list_dependent_rates(graph, joints) or through))
    return groups


def _by_law(key: Key, law: str, graph: FactorGraph) -> Group:
    return Group(tuple((key, i) for i in range(graph.variables[key].dim)), law=law)


def list_inward_accelerations(graph: FactorGraph) -> list[Key]:
    """Return the links' accelerations, tips to base, each followed by what is carried into it."""
    by_joint = zip(joint_keys(graph, "acceleration"), joint_keys(graph, "propagated_acceleration"), strict=True)
    return [key for pair in reversed(list(by_joint)) for key in pair]


def link_keys(graph: FactorGraph, joint: Joint) -> list[Key]:
    """Return the variables of the link that a joint moves, in the order in which they go on the way to the base.

    A wrench goes before its link's acceleration; where propagated accelerations are variables, between the two.
    """
    has_carried = any(key.kind == "propagated_acceleration" for key in graph.variables)
    kinds = ("acceleration", "wrench", "propagated_acceleration") if has_carried else ("wrench", "acceleration")
    return [Key(kind, joint.child) for kind in kinds]


def order_tips_to_base(graph: FactorGraph, *joint_kinds: str) -> list[Key]:
    """Return the variables of links, tips to base, each followed by variables of its joint."""
    order = []
    for joint in reversed(graph.joints):
        order += [*link_keys(graph, joint), *(Key(kind, joint.name) for kind in joint_kinds)]
    return order


def _resolve_names(names: Sequence[str | Key | Column | Group], graph: FactorGraph) -> list[Key | Column | Group]:
    items: list[Key | Column | Group] = []
    for name in names:
        if isinstance(name, str | Key):
            keys = graph.select([name])
            items += filter_unknowns(keys, graph) or keys  # a kind means its unknowns: the base's are known
        else:
            items.append(name if isinstance(name, Group) else _scalar(name))
    return items


def _scalar(item: object) -> Column:
    match item:
        case (Key() as key, int() as number):
            return key, number
    raise InputError(f"an order names {item!r}, which is no variable", fix='name variables such as "qdd:joint1"')


def _check_complete(columns: Sequence[Column], unknown: dict[Key, int]) -> None:
    seen: set[Column] = set()
    for column in columns:
        key, i = column
        if key not in unknown or not 0 <= i < unknown[key]:
            raise EliminationError(
                f"the order names {key}, which is no unknown of the graph",
                fix="name unknowns only, `print(graph)` lists them",
            )
        if column in seen:
            raise EliminationError(f"the order names {key} twice", fix="name each unknown once")
        seen.add(column)
    missing = [key for key, dim in unknown.items() if not all((key, i) in seen for i in range(dim))]
    if missing:
        raise EliminationError(
            f"the order leaves out {', '.join(map(str, missing[:6]))}",
            fix="name all unknowns, `print(graph)` lists them",
        )
