"""Loops of one robot treated unlike: some embedded, others with multipliers in clusters, at ancestors, or last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from screwgraph.base.summary import one_line
from screwgraph.elimination.group import Group
from screwgraph.elimination.orderings.articulated import order_joint_first
from screwgraph.elimination.orderings.base import (
    add_multipliers,
    filter_unknowns,
    is_closed,
    joint_keys,
    link_keys,
    list_columns,
)
from screwgraph.elimination.system import PAIR
from screwgraph.graph import Column, FactorGraph, Key, joints_by_multiplier, loop_spans
from screwgraph.model.robot import Joint

EMBEDDING, CLUSTER, ANCESTOR, LAST = TREATMENTS = ("embedding", "cluster_lambda", "ancestor", "kkt")
"""What may be done to a loop or coupling, by the name of the order that does it to all."""
HOLDS = (EMBEDDING, CLUSTER)
"""Treatments for which the joints that a constraint ties wait for it."""
CARRIED = 2
"""A multiplier handed from link to link, and eliminated in the end, counts as so many rates that are handed on."""


@dataclass(frozen=True)
class Mixed:
    """Tips to base as `aba`, each loop and coupling where its treatment says; nested loops from the inside out.

    `treatments` are pairs of a treatment, one of `TREATMENTS`, and the name of a constraint, as keys; others are
    treated by a prediction of what embedding costs: the rates that wait for the constraint are propagated through all
    links of the loop, as multipliers are else. With `joints_first`, joints that wait for nothing go as `articulated`.
    """

    __repr__ = one_line

    treatments: tuple[Key, ...] = ()
    joints_first: bool = False

    def suits(self, graph: FactorGraph) -> bool:
        """Whether "auto" tries it."""
        return is_closed(graph)

    def order(self, graph: FactorGraph) -> list[Key | Group]:
        blocks = _blocks(graph, self._choose_treatments(graph), loop_spans(graph))
        after: dict[str, list[_Block]] = {}
        number = {joint.name: i for i, joint in enumerate(graph.joints)}
        for block in blocks:
            after.setdefault(min(block.span, key=lambda name: number[name]), []).append(block)
        held = {
            joint.name: {i for i, b in enumerate(blocks) if b.holds and joint.name in b.joints}
            for joint in graph.joints
        }
        order: list[Key | Group] = list(filter_unknowns(joint_keys(graph, "tau"), graph))
        gone: set[Column] = set()
        for joint in reversed(graph.joints):
            order += self._link(joint, graph, waits=bool(held[joint.name]))
            for block in sorted(after.get(joint.name, ()), key=lambda b: len(b.joints)):
                order += block.items
                gone |= block.dependent
                here = blocks.index(block)
                freed = [other for other in reversed(graph.joints) if here in held[other.name]]
                for other in freed:
                    held[other.name].remove(here)
                rates = [_rate(graph, other, gone) for other in freed if not held[other.name]]
                order += [Group(columns, law="torque") for columns in rates if columns]
                order += block.multipliers
        return add_multipliers(order, graph)

    def _choose_treatments(self, graph: FactorGraph) -> dict[Key, str]:
        """Return what is done to each multiplier of a graph."""
        chosen = {Key("lambda", key.name): key.kind for key in self.treatments}
        predicted = predict_embedding(graph)
        return {key: chosen.get(key, predicted[key]) for key in joints_by_multiplier(graph) if key not in graph.known}

    def _link(self, joint: Joint, graph: FactorGraph, waits: bool) -> list[Key | Group]:
        if self.joints_first and not waits:
            return order_joint_first(joint, graph)
        keys = link_keys(graph, joint)
        return list(filter_unknowns(keys if waits else [*keys, Key("qdd", joint.name)], graph))


@dataclass(frozen=True, eq=False)
class _Block:
    """Constraints that are met together: the joints that they tie, whether these wait, which rates they express.

    `items` are the groups of an embedding, `multipliers` those that go after the joints that wait for this block.
    """

    keys: tuple[Key, ...]
    joints: frozenset[str]
    span: frozenset[str]
    treatment: str
    dependent: frozenset[Column] = frozenset()
    items: tuple[Group, ...] = ()
    multipliers: tuple[Key, ...] = ()

    @property
    def holds(self) -> bool:
        return self.treatment in HOLDS


def predict_embedding(graph: FactorGraph) -> dict[Key, str]:
    """Return for each multiplier of a graph whether its constraint is better embedded.

    A loop of n joints whose constraint has r rows: embedded, up to n - r rates wait, half of them at a typical link;
    else r multipliers are handed on.
    """
    found = {}
    for key, joints in joints_by_multiplier(graph).items():
        rows = graph.variables[key].dim
        found[key] = EMBEDDING if len(joints) - rows <= 2 * CARRIED * rows else ANCESTOR
    return found


def _blocks(graph: FactorGraph, treated: Mapping[Key, str], spans: Mapping[Key, frozenset[str]]) -> list[_Block]:
    """Return the constraints in blocks, so that the rates that one block expresses appear in no other that waits."""
    ties = joints_by_multiplier(graph)
    free = [
        _Block((key,), frozenset(ties[key]), frozenset(ties[key]), ANCESTOR, multipliers=(key,))
        for key, treatment in treated.items()
        if treatment == ANCESTOR
    ]
    held = [_Block((key,), frozenset(ties[key]), spans[key], treated[key]) for key in treated if treated[key] in HOLDS]
    while True:
        held = [_solve_block(block, graph, held) for block in held]
        pair = next(((a, b) for a in held for b in held if a is not b and _are_entangled(a, b)), None)
        if pair is None:
            return [*held, *free]
        held = [block for block in held if block not in pair] + [_together(*pair)]


def _are_entangled(a: _Block, b: _Block) -> bool:
    """Whether a block expresses rates that another one ties, or both overlap without one being inside the other."""
    if not a.joints & b.joints:
        return False
    nested = a.joints <= b.joints or b.joints <= a.joints
    return a.joints == b.joints or not nested or any(key.name in b.joints for key, _ in a.dependent)


def _together(a: _Block, b: _Block) -> _Block:
    treatment = a.treatment if a.treatment == b.treatment else CLUSTER
    return _Block((*a.keys, *b.keys), a.joints | b.joints, a.span | b.span, treatment)


def _solve_block(block: _Block, graph: FactorGraph, others: Iterable[_Block]) -> _Block:
    """Return a block with what it eliminates: by embedding if its constraints determine as many rates as they take."""
    if block.items or block.multipliers:
        return block
    shared = {name for other in others if other is not block for name in other.joints}
    follows = graph.dependence.rates if graph.dependence else frozenset()
    rates = [rate for name in sorted(block.joints) for rate in list_columns(graph, [Key("qdd", name)])]
    wanted = sorted(rates, key=lambda rate: (rate[0].name in shared, rate not in follows))
    dependent: Sequence[Column] = ()
    if block.treatment == EMBEDDING and graph.dependence:
        dependent = graph.dependence.follow(frozenset(block.keys), wanted)
    multipliers = list_columns(graph, block.keys)
    if len(dependent) != len(multipliers):
        return replace(block, treatment=CLUSTER, multipliers=block.keys)
    items = (
        Group(tuple(dependent), PAIR, block=True, through=multipliers),
        Group(multipliers, PAIR, block=True, through=tuple(dependent)),
    )
    return replace(block, dependent=frozenset(dependent), items=items)


def _rate(graph: FactorGraph, joint: Joint, gone: set[Column]) -> tuple[Column, ...]:
    return tuple(column for column in list_columns(graph, [Key("qdd", joint.name)]) if column not in gone)


def mixed() -> Mixed:
    """Return this order, each loop treated as predicted."""
    return Mixed()


def mixed_articulated() -> Mixed:
    """Return the variant of this order that solves joints outside of loops first."""
    return Mixed(joints_first=True)
