"""Factors by name, in pools by kind: they are added, removed, changed, and tell which unknowns that touches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from jaxtyping import Int

from screwgraph.base.errors import InputError
from screwgraph.optimize.factors import Factors, select_factors
from screwgraph.optimize.incremental.factor_pool import FactorPool, pool_key
from screwgraph.optimize.incremental.linearisation import Linearisation

STIFFNESS = 1e7
"""How much stiffer than soft factors hard ones are; what that leaves is the multipliers' part."""


@dataclass(eq=False)
class NamedFactors:
    """Factors under one name, their pool, their rows there, and parameters that were changed since."""

    name: str
    given: Factors
    pool: FactorPool
    rows: Int[np.ndarray, " N"]
    touched: Int[np.ndarray, " t"]
    """Their unknowns, factor by factor."""
    changes: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def named_factors(self) -> Factors:
        """The factors with old parameters; what is not asked for by name keeps the name that it was given."""
        if self.given.name != self.name:
            self.given = replace(self.given, name=self.name)
        return self.given

    @property
    def factors(self) -> Factors:
        """The factors as they are now."""
        f, new = self.named_factors, self.changes
        if new:
            shared = {n: new.get(n, a) for n, a in f.shared.items()}
            self.given = replace(f, shared=shared, each={n: new.get(n, a) for n, a in f.each.items()})
            self.changes = {}
        return self.given


class FactorRegistry:
    """All factors of a problem that is edited."""

    def __init__(self, state: Linearisation) -> None:
        self._state = state
        self._pools: dict[Any, FactorPool] = {}
        self._groups: dict[str, NamedFactors] = {}
        self._taken: dict[str, int] = {}
        self._pool_of, self._row_of = np.zeros((2, 0), dtype=np.int64)
        self._listed: list[FactorPool] = []
        self._scale = 0.0

    @property
    def factors(self) -> list[Factors]:
        """All factors, as they are now."""
        return [g.factors for g in self._groups.values()]

    @property
    def has_hard(self) -> bool:
        """Whether some factors are hard, or were."""
        return any(p.kind != "soft" for p in self._listed)

    def add(self, f: Any) -> Int[np.ndarray, " t"]:
        """Add factors; return their unknowns. Raises InputError where they do not fit the problem."""
        if not isinstance(f, Factors):
            raise InputError(f"expected factors, got {f!r}", fix="make them with soft, equality, inequality or hinge")
        for a in f.arguments:
            if a.variables not in self._state.layout.families:
                raise InputError(f"{f.name}: {a.variables.name} is no family of this problem")
        name = self._free_name(f.name)
        pool = self._pool(f)
        rows, unknowns = pool.add(f)
        self._groups[name] = NamedFactors(name, f, pool, rows, unknowns.ravel())
        self._note(pool.factors[rows], self._listed.index(pool), rows)
        self._linearise_first(pool, rows)
        return unknowns.ravel()

    def remove(self, name: str, which: Any) -> Int[np.ndarray, " t"]:
        """Remove factors of a name, all or some; return their unknowns. Raises InputError where there are none."""
        group = self._group(name)
        count = len(group.rows)
        try:
            chosen = np.arange(count) if which is None else np.atleast_1d(np.arange(count)[which])
        except (IndexError, TypeError, ValueError):
            raise InputError(f"{name} has no factors {which!r}", why=f"there are {count}") from None
        rows = group.rows[chosen]
        unknowns = group.pool.unknowns(rows).ravel()
        self._pool_of[group.pool.factors[rows]] = -1
        group.pool.remove(rows)
        kept = np.setdiff1d(np.arange(count), chosen)
        if len(kept):
            left = group.rows[kept]
            unknowns_left = group.pool.unknowns(left).ravel()
            self._groups[name] = NamedFactors(
                name, select_factors(group.factors, kept), group.pool, left, unknowns_left
            )
        else:
            del self._groups[name]
        return unknowns

    def change(self, name: str, parameters: Mapping[str, Any]) -> Int[np.ndarray, " t"]:
        """Change parameters; return the unknowns of factors that differ. Raises InputError where they do not fit."""
        group = self._group(name)
        pool, rows, new = group.pool, group.rows, group.named_factors.new_values(parameters)
        if pool.has_large(new):
            f = replace(group.factors.with_parameters(**parameters), name=name)
            return np.concatenate([self.remove(name, None), self.add(f)])
        shared = group.given.shared
        different = pool.change(rows, {n: a[None] if n in shared else a for n, a in new.items()})
        group.changes.update(new)
        if different is None:
            return rows[:0]
        touched = group.touched if len(different) == len(rows) else pool.unknowns(rows[different]).ravel()
        pool.linearise(rows[different], self._state.views, self._scale or 1.0)
        return touched

    def relinearise(self, unknowns: Int[np.ndarray, " k"]) -> Int[np.ndarray, " t"]:
        """Linearise factors where some unknowns are now; return all unknowns that these touch."""
        state = self._state
        factors = state.tree.touching(unknowns)
        parts = self._by_pool(factors)
        for pool, rows in parts:
            pool.step_multipliers(rows, state.tree.delta)
        state.advance(unknowns)
        for pool, rows in parts:
            pool.linearise(rows, state.views, self._scale)
        return state.tree.find_touched(factors)

    def broken(self, limit: float) -> Int[np.ndarray, " k"]:
        """Return the unknowns of hard factors that do not hold."""
        views, delta = self._state.moved_views(), self._state.tree.delta
        found = [np.zeros(0, dtype=np.int64)]
        for pool, rows in self._hard():
            found.append(pool.unknowns(rows[pool.broken(rows, views, delta) > limit]).ravel())
        return np.concatenate(found)

    def cost(self, views: Mapping[str, np.ndarray]) -> float:
        """Return what soft factors cost."""
        return sum(p.costs(self._rows(k), views) for k, p in enumerate(self._listed))

    def violation(self, views: Mapping[str, np.ndarray]) -> float:
        """Return the largest residual of a hard factor."""
        return max((float(pool.violations(rows, views).max()) for pool, rows in self._hard()), default=0.0)

    def _hard(self) -> Iterator[tuple[FactorPool, Int[np.ndarray, " n"]]]:
        for k, pool in enumerate(self._listed):
            rows = self._rows(k)
            if pool.kind != "soft" and len(rows):
                yield pool, rows

    def _pool(self, f: Factors) -> FactorPool:
        key = pool_key(f)
        if key not in self._pools:
            if f.kernels.derivation.is_cost:
                raise InputError(f"{f.name} is no square", fix="use `solve` for costs that are no squares")
            self._pools[key] = FactorPool(f, self._state.layout, self._state.tree, STIFFNESS)
            self._listed.append(self._pools[key])
        return self._pools[key]

    def _by_pool(self, factors: Int[np.ndarray, " N"]) -> list[tuple[FactorPool, Int[np.ndarray, " n"]]]:
        of, rows = self._pool_of[factors], self._row_of[factors]
        if len(self._listed) == 1:
            return [(self._listed[0], rows)] if len(rows) else []
        return [(self._listed[k], rows[of == k]) for k in np.unique(of).tolist()]

    def _rows(self, k: int) -> Int[np.ndarray, " n"]:
        """Return the rows of a pool that are in use."""
        return self._row_of[: len(self._pool_of)][self._pool_of == k]

    def _free_name(self, name: str) -> str:
        """Return a name, with a number where it is taken."""
        free = name
        while free in self._groups:
            self._taken[name] = self._taken.get(name, 1) + 1
            free = f"{name} {self._taken[name]}"
        return free

    def _linearise_first(self, pool: FactorPool, rows: Int[np.ndarray, " N"]) -> None:
        """Linearise new factors; the soft ones, which come first, tell how stiff hard ones have to be."""
        if pool.kind != "soft" and not self._scale:
            soft = ((p, self._rows(k)) for k, p in enumerate(self._listed) if p.kind == "soft")
            sizes = [p.sizes(own) for p, own in soft if len(own)]
            self._scale = float(np.median(np.concatenate(sizes))) if sizes else 1.0
        pool.linearise(rows, self._state.views, self._scale or 1.0)

    def _note(self, factors: Int[np.ndarray, " N"], pool: int, rows: Int[np.ndarray, " N"]) -> None:
        most = int(factors.max()) + 1
        if most > len(self._pool_of):
            more = 2 * most - len(self._pool_of)
            self._pool_of = np.concatenate([self._pool_of, np.full(more, -1)])
            self._row_of = np.concatenate([self._row_of, np.zeros(more, dtype=np.int64)])
        self._pool_of[factors], self._row_of[factors] = pool, rows

    def _group(self, name: str) -> NamedFactors:
        if name not in self._groups:
            known = ", ".join(list(self._groups)[:8])
            raise InputError(f"there are no factors {name!r}", fix=f"there are {known or 'none'}")
        return self._groups[name]
