"""What an order is, and how it becomes groups of scalars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from screwgraph.errors import EliminationError, InputError
from screwgraph.graph import Column, FactorGraph, Key
from screwgraph.robot import Robot


@runtime_checkable
class Ordering(Protocol):
    """A policy that says in which order the unknowns of a graph are eliminated."""

    def order(self, graph: FactorGraph) -> Sequence[Key | Column]:
        """Return all unknowns of a graph, first to be eliminated first: variables, or single scalars of them."""
        ...


def as_groups(ordering: Ordering | Sequence[str | Key | Column], graph: FactorGraph) -> list[list[Column]]:
    """Return the order as groups of scalars: those of a variable together, single scalars alone.

    Raises:
        EliminationError: the order leaves out, repeats or invents an unknown.
        InputError: something in it is no variable.
    """
    items = ordering.order(graph) if isinstance(ordering, Ordering) else _named(ordering, graph)
    unknown = {v.key: v.dim for v in graph.unknowns}
    groups: list[list[Column]] = []
    for item in items:
        groups.append([(item, i) for i in range(unknown.get(item, 1))] if isinstance(item, Key) else [item])
    _check_complete([c for group in groups for c in group], unknown)
    return groups


def unknown_only(keys: Iterable[Key], graph: FactorGraph) -> list[Key]:
    """Keep the keys that are unknowns of a graph: an order for all problems names more than one needs."""
    known = graph.known
    return [key for key in keys if key in graph.variables and key not in known]


def joint_keys(robot: Robot, kind: str) -> list[Key]:
    """Return one variable a joint, base to tips; links' variables are named by the link that the joint moves."""
    by_link = kind in ("wrench", "acceleration", "twist", "gravity")
    return [Key(kind, joint.child if by_link else joint.name) for joint in robot.joints]


def _named(names: Sequence[str | Key | Column], graph: FactorGraph) -> list[Key | Column]:
    items: list[Key | Column] = []
    for name in names:
        if isinstance(name, str | Key):
            keys = graph.select([name])
            items += unknown_only(keys, graph) or keys  # a kind means its unknowns: the base's are known
        else:
            items.append(_scalar(name))
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
