"""Small changes of elimination orders: the neighbours that a local search tries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from random import Random

from screwgraph.elimination.group import Group
from screwgraph.graph import Key, Role

Plan = tuple[Group, ...]
"""A complete order: every unknown scalar in one group."""
Laws = Sequence[str]
"""Names of templates."""

REACH = 12
"""How far a group moves at most."""


def perturb_plan(plan: Plan, laws: Laws, random: Random) -> Plan:
    """Return a plan that differs in one place; `laws` are those whose equations a group may prefer."""
    move, groups, place = random.choice(MOVES), list(plan), random.randrange(len(plan))
    return _law(groups, place, laws, random) if move is None else move(groups, place, random)


def cross_plans(plan: Plan, other: Plan, owner: Mapping[Key, int], random: Random) -> Plan:
    """Return a plan in which the variables of some neighbouring links go as they do in another plan."""
    last = max(owner.values())
    start = random.randrange(last + 1)
    end = start + 1 + random.randrange(last + 1 - start)
    return mix_plans(plan, other, {key for key, index in owner.items() if start <= index < end})


def mix_plans(plan: Plan, other: Plan, chosen: Collection[Key]) -> Plan:
    """Return a plan in which the chosen variables go as they do in another plan."""
    kept = _places(plan, lambda key: key not in chosen)
    taken = _places(other, lambda key: key in chosen)
    return tuple(group for _, group in sorted([*kept, *taken], key=lambda item: item[0]))


def splice_plans(plans: Sequence[Plan], owner: Mapping[Key, int]) -> list[Plan]:
    """Return plans by which links near the base go as in one of the plans, those beyond as in another.

    Cuts are before links that joints of unknown acceleration move, those in the middle first.
    """
    cuts = sorted({index for key, index in owner.items() if key.role is Role.COORDINATE_ACCELERATION})[1:]
    middle = cuts[len(cuts) // 2] if cuts else 0
    cuts.sort(key=lambda cut: abs(cut - middle))
    pairs = [(a, b) for a in plans for b in plans if a != b]
    beyond = [{key for key, index in owner.items() if index >= cut} for cut in cuts]
    return [mix_plans(a, b, chosen) for chosen in beyond for a, b in pairs]


def _places(plan: Plan, wanted: Callable[[Key], bool]) -> list[tuple[float, Group]]:
    """Return what is left of each group, with its place between 0 and 1."""
    found = []
    for i, group in enumerate(plan):
        columns = tuple(c for c in group.columns if wanted(c[0]))
        if columns:
            found.append((i / len(plan), replace(group, columns=columns)))
    return found


def _shift(groups: list[Group], i: int, random: Random) -> Plan:
    group = groups.pop(i)
    place = max(0, min(len(groups), i + random.choice((-1, 1)) * random.randint(1, REACH)))
    return (*groups[:place], group, *groups[place:])


def _merge(groups: list[Group], i: int, random: Random) -> Plan:
    pair: Sequence[Group] = groups[i : i + 2]
    merged = replace(pair[0], columns=tuple(c for g in pair for c in g.columns), law=None)
    return (*groups[:i], merged, *groups[i + 2 :])


def _split(groups: list[Group], i: int, random: Random) -> Plan:
    """Take some scalars out of a group; they go just before it, or some places away."""
    group = groups[i]
    out = {c for c in group.columns if random.random() < 0.3} or {random.choice(group.columns)}
    rest = tuple(c for c in group.columns if c not in out)
    taken = replace(group, columns=tuple(c for c in group.columns if c in out))
    left = [*groups[:i], *([replace(group, columns=rest)] if rest else []), *groups[i + 1 :]]
    place = max(0, min(len(left), i + random.choice((0, 0, 1, random.randint(-REACH, REACH)))))
    return (*left[:place], taken, *left[place:])


def _rule(groups: list[Group], i: int, random: Random) -> Plan:
    """Let a group go by work, or not; or by other random numbers."""
    by_work = not groups[i].by_work or random.random() < 0.5
    groups[i] = replace(groups[i], by_work=by_work, jitter=0.3 if by_work else 0.0, seed=random.randrange(1 << 30))
    return tuple(groups)


def _law(groups: list[Group], i: int, laws: Laws, random: Random) -> Plan:
    """Let a group prefer the equations of another law, or of any."""
    groups[i] = replace(groups[i], law=random.choice([law for law in (*laws, None) if law != groups[i].law] or [None]))
    return tuple(groups)


MOVES: tuple[Callable[[list[Group], int, Random], Plan] | None, ...] = (
    _shift,
    _shift,
    _merge,
    _split,
    _split,
    _rule,
    None,
)
"""All moves, None is a change of law; those that help most often stand twice."""
