"""Which operations of equal limbs stand side by side: one of each limb, of one kind, whose operands do, too."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from screwgraph.compiler.passes.slp.limbs import Family
from screwgraph.compiler.passes.slp.sign_normal_form import COMMUTING, PACKED, SignNormalForm

Pack = tuple[int, ...]
"""Values of equal limbs, one each."""
TRUNK = -1
"""Stands for the limb of what depends on none, or on several."""
SHALLOW = (2, 1)
"""How deep operations must be alike that are paired last, as they are different further down."""


def select_packs(
    normal: SignNormalForm, places: Sequence[int | None], families: Sequence[Family]
) -> Mapping[Pack, Sequence[Pack]]:
    """Return packs with their operands, which are packs, or values of any kind, one for each lane.

    `places` says which input a value is. Pairs are found from the outputs down. What remains is paired by its form,
    that of all it is made of, and at last of few levels. Values that limbs share may be in packs, too: computed once
    more in each lane, they need not be moved there.
    """
    pairing = _Pairing(normal, places, families)
    pairing.by_outputs()
    pairing.by_ends()
    for depth in (None, *SHALLOW):
        pairing.by_form(depth)
    return pairing.packs


class _Pairing:
    """Packs under construction; `limb` numbers limbs, `lane` says which one of its family it is."""

    def __init__(self, normal: SignNormalForm, places: Sequence[int | None], families: Sequence[Family]) -> None:
        self.packs: dict[Pack, Sequence[Pack]] = {}
        self._kinds = normal.kinds
        self._operands = [tuple(value for value, _ in terms) for terms in normal.operands]
        self._outputs = [output[0] for output in normal.outputs if isinstance(output, tuple)]
        self._homes: defaultdict[int, list[tuple[Pack, int]]] = defaultdict(list)
        self._families = [tuple(range(n, n + len(f))) for n, f in _number_families(families)]
        self._lane = [lane for family in families for lane in range(len(family))]
        self._family = [k for k, family in enumerate(families) for _ in family]
        self._known: dict[tuple[object, ...], int] = {}
        self._limb, self._form = list[int](), list[int]()
        self._read_forms(places, families)
        self._users: list[list[int]] = [[] for _ in self._kinds]
        for i, operands in enumerate(self._operands):
            for o in operands:
                self._users[o].append(i)
        self._use = self._uses()

    def _read_forms(self, places: Sequence[int | None], families: Sequence[Family]) -> None:
        """Find the limb of each value, and its form: equal forms are the same but for constants and signs."""
        limb_of = {}
        for n, family in _number_families(families):
            limb_of |= {place: (n + k, j) for k, limb in enumerate(family) for j, place in enumerate(limb)}
        below = list[frozenset[int]]()
        none = frozenset[int]()
        for kind, operands, place in zip(self._kinds, self._operands, places, strict=True):
            if place in limb_of:
                n, j = limb_of[place]
                below.append(frozenset((n,)))
                self._limb.append(n)
                self._form.append(self._number("input", self._family[n], j))
                continue
            found = none
            for o in operands:
                found |= below[o]
            below.append(found)
            self._limb.append(next(iter(found)) if len(found) == 1 else TRUNK)
            if kind == "constant":
                self._form.append(self._number("constant"))
            elif self._limb[-1] == TRUNK:
                self._form.append(self._number("trunk"))
            else:
                self._form.append(self._number(kind, *self._order_forms(kind, [self._form[o] for o in operands])))

    def _number(self, *key: object) -> int:
        return self._known.setdefault(key, len(self._known))

    @staticmethod
    def _order_forms(kind: str, forms: Sequence[int]) -> Iterable[int]:
        count = COMMUTING.get(kind, 0)
        return (*sorted(forms[:count]), *forms[count:])

    def _uses(self) -> list[int]:
        """Return numbers that are equal where limbs use values in the same way."""
        outputs, use = Counter(self._outputs), [0] * len(self._kinds)
        for i in reversed(range(len(use))):
            users = sorted((self._kinds[u], use[u] if self._limb[u] != TRUNK else 0) for u in self._users[i])
            use[i] = self._number("use", outputs[i], *users)
        return use

    def _can(self, i: int) -> bool:
        return self._kinds[i] in PACKED

    def by_outputs(self) -> None:
        """Pair outputs that depend on one limb each, in their order, where equal limbs have equally many."""
        own: defaultdict[int, list[int]] = defaultdict(list)
        for i in self._outputs:
            if self._limb[i] != TRUNK:
                own[self._limb[i]].append(i)
        for limbs in self._families:
            if len({len(own[n]) for n in limbs}) == 1:
                for pack in zip(*(own[n] for n in limbs), strict=True):
                    self._add(pack)

    def by_ends(self) -> None:
        """Pair what the trunk needs of limbs: values of one form, those that are used in the same way first."""
        outputs = set(self._outputs)
        ends: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        for i, n in enumerate(self._limb):
            if n == TRUNK or not self._can(i) or i in self._homes:
                continue
            if i in outputs or any(self._limb[u] == TRUNK for u in self._users[i]):
                ends[n, self._form[i]].append(i)
        found = list[Pack]()
        for limbs in self._families:
            for form in {form: None for n, form in ends if n == limbs[0]}:
                columns = [ends.get((n, form), []) for n in limbs]
                common = Counter(self._use[i] for i in columns[0])
                for column in columns[1:]:
                    common &= Counter(self._use[i] for i in column)
                kept = [self._first(column, common) for column in columns]
                found += zip(*kept, strict=True)
        for pack in sorted(found, key=lambda pack: (-max(pack), pack)):
            self._add(pack)

    def _first(self, column: Sequence[int], common: Counter[int]) -> list[int]:
        """Return so many values of each use, by use."""
        left, kept = Counter(common), list[int]()
        for i in sorted(column, key=lambda i: (self._use[i], i)):
            if left[self._use[i]] > 0:
                left[self._use[i]] -= 1
                kept.append(i)
        return kept

    def by_form(self, depth: int | None) -> None:
        """Pair what is in no pack, the last first, with what is alike so deep, preferring users that stand in packs."""
        forms = self._form if depth is None else self._shallow(depth)
        free: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        for i, n in enumerate(self._limb):
            if n != TRUNK and self._can(i) and i not in self._homes:
                free[n, forms[i]].append(i)
        leaders = [i for (n, _), column in free.items() if not self._lane[n] for i in column]
        for i in sorted(leaders, reverse=True):
            if i in self._homes:
                continue
            limbs = self._families[self._family[self._limb[i]]]
            pack = [i]
            for lane, n in enumerate(limbs[1:], 1):
                candidates = [j for j in free.get((n, forms[i]), ()) if j not in self._homes]
                if not candidates:
                    break
                pack.append(max(candidates, key=lambda j: self._likeness(i, j, lane)))
            else:
                self._add(tuple(pack))

    def _shallow(self, depth: int) -> list[int]:
        """Return the forms of values but for what is deeper."""
        whole = [self._limb[i] == TRUNK or not self._can(i) for i in range(len(self._kinds))]
        level = [self._form[i] if whole[i] else self._number(kind) for i, kind in enumerate(self._kinds)]
        for _ in range(depth):
            level = [
                level[i]
                if whole[i]
                else self._number(kind, *self._order_forms(kind, [level[o] for o in self._operands[i]]))
                for i, kind in enumerate(self._kinds)
            ]
        return level

    def _likeness(self, i: int, j: int, lane: int) -> tuple[float, ...]:
        used = sum(other in self._users[j] for u in self._users[i] for other in self._find_neighbours(u, lane))
        made = sum(max(self._fit(a, b, lane) for b in self._operands[j]) for a in self._operands[i])
        return used, self._use[i] == self._use[j], made, -abs(j - i)

    def _find_neighbours(self, i: int, lane: int) -> list[int]:
        """Return what stands in a lane of packs that a value leads: those of fewer limbs have fewer lanes."""
        return [pack[lane] for pack, k in self._homes.get(i, ()) if k == 0 and lane < len(pack)]

    def _add(self, pack: Pack) -> None:
        """Add a pack, and of its operands those that can be packs."""
        stack = [pack]
        while stack:
            pack = stack.pop()
            kinds = {self._kinds[i] for i in pack}
            if pack in self.packs or len(set(pack)) == 1 or len(kinds) > 1 or not self._can(pack[0]):
                continue
            if any(self._limb[i] != TRUNK and i in self._homes for i in pack):
                continue  # one home is enough: values of limbs are moved there, not computed twice
            terms = [self._operands[i] for i in pack]
            if kinds.pop() in COMMUTING:
                terms = [terms[0], *(self._order_operands(terms[0], own, k) for k, own in enumerate(terms[1:], 1))]
            operands = list(zip(*terms, strict=True))
            self.packs[pack] = operands
            for lane, i in enumerate(pack):
                self._homes[i].append((pack, lane))
            stack += operands

    def _order_operands(self, first: Sequence[int], own: Sequence[int], lane: int) -> Sequence[int]:
        """Return operands of another lane, the first two in the order that fits those of the first one better."""
        (a, b), (c, d, *more) = first[:2], own
        kept = self._fit(a, c, lane) + self._fit(b, d, lane)
        return own if kept >= self._fit(a, d, lane) + self._fit(b, c, lane) else (d, c, *more)

    def _fit(self, a: int, b: int, lane: int) -> float:
        """Return how well two values go side by side, in the first and in another lane."""
        if a == b:
            return 3.0
        if b in self._find_neighbours(a, lane):
            return 5.0
        if self._limb[b] != TRUNK and b in self._homes:
            return -1.0
        same = 0.5 * ((self._kinds[a] == "constant") == (self._kinds[b] == "constant"))
        if (self._limb[a] == TRUNK) != (self._limb[b] == TRUNK):
            return same - 2.0
        return same + (self._kinds[a] == self._kinds[b]) + 2.0 * (self._form[a] == self._form[b])


def _number_families(families: Sequence[Family]) -> list[tuple[int, Family]]:
    """Return families with the number of their first limb."""
    starts, found = 0, list[tuple[int, Family]]()
    for family in families:
        found.append((starts, family))
        starts += len(family)
    return found
