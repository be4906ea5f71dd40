"""A symmetric system whose pattern was looked at once: which method, and what is done with its factors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.optimize.linear.chain import ChainFactored
from screwgraph.optimize.linear.covariance import is_of_one_step, select_covariances
from screwgraph.optimize.linear.dense import DenseFactored, DenseMethod
from screwgraph.optimize.linear.method_choice import MethodChoice, choose_method
from screwgraph.optimize.linear.pattern import Pattern
from screwgraph.optimize.linear.refine import (
    ENOUGH,
    LITTLE,
    MUCH,
    ExactMatrix,
    refine_gmres,
    refine_solution,
)
from screwgraph.optimize.linear.regularise import LIGHT, MULTIPLIERS, Regulariser, make_regulariser
from screwgraph.optimize.linear.sparse import SparseFactored
from screwgraph.optimize.linear.symmetric_products import SymmetricEntries
from screwgraph.optimize.linear.tree import TreeFactored, TreeMethod
from screwgraph.optimize.singular_error import SingularError

FEW = 40
"""Up to so many columns of an inverse are made one by one."""


@dataclass(frozen=True, eq=False)
class System:
    """A pattern and how its matrices are factored; `str` says what was chosen and why."""

    __repr__ = one_line

    pattern: Pattern
    choice: MethodChoice
    regulariser: Regulariser

    def __deepcopy__(self, _: dict[int, Any]) -> System:
        """Return itself: kernels know the addresses of its arrays."""
        return self

    @property
    def method(self) -> str:
        """One of "dense", "chain", "arrow", "sparse"."""
        return self.choice.name

    def explain(self) -> str:
        """Return what was chosen and why."""
        return self.choice.why

    def __str__(self) -> str:
        return f"{self.choice.name}: {self.choice.why}"

    @cached_property
    def entries(self) -> SymmetricEntries:
        """All entries, to multiply with."""
        return SymmetricEntries.from_pattern(self.pattern)

    @cached_property
    def firm(self) -> System:
        """The same with multipliers regularised by `MULTIPLIERS`: pivots keep their signs, refinement is slower."""
        return replace(self, regulariser=replace(self.regulariser, multipliers=MULTIPLIERS))

    def factor(self, values: Float[np.ndarray, " E"], diagonal: Float[np.ndarray, " n"] | float = 0.0) -> Factored:
        """Factor the matrix of these values, `diagonal` added.

        Raises SingularError when it is singular or, without multipliers, not positive definite; InputError for wrong
        shapes.
        """
        values, added = self._validate_values(values, diagonal)
        exact = ExactMatrix(self, values, added)
        method = self.choice.method
        if isinstance(method, DenseMethod):
            return self._dense(method, exact)
        return Factored(self, exact, method.factor(values, added, self.regulariser))

    def _dense(self, method: DenseMethod, exact: ExactMatrix) -> Factored:
        """Factor exactly; where hard rows are redundant, with the multipliers' diagonal shifted, and refinement."""
        try:
            return Factored(self, exact, method.factor(exact.values, exact.diagonal), is_exact=True)
        except SingularError:
            if not self.pattern.multipliers:
                raise
        shifted, _ = self.regulariser(exact.values, exact.diagonal, True)
        return Factored(self, exact, method.factor(exact.values, shifted))

    def times(
        self,
        values: Float[np.ndarray, " E"],
        x: Float[np.ndarray, " n"],
        diagonal: Float[np.ndarray, " n"] | float = 0.0,
    ) -> Float[np.ndarray, " n"]:
        """Return the matrix of these values, `diagonal` added, times a vector."""
        values, added = self._validate_values(values, diagonal)
        return ExactMatrix(self, values, added).times(np.ascontiguousarray(x, dtype=float))

    def _validate_values(
        self, values: Float[np.ndarray, " E"], diagonal: Float[np.ndarray, " n"] | float
    ) -> tuple[Float[np.ndarray, " E"], Float[np.ndarray, " n"]]:
        values = np.ascontiguousarray(values, dtype=float)
        if values.shape != self.pattern.rows.shape:
            raise InputError("values", why=f"shape {values.shape}, but the pattern has {self.pattern.rows.size} places")
        added = np.asarray(diagonal, dtype=float)
        if added.shape != (self.pattern.count,):
            added = np.broadcast_to(added, self.pattern.count)
        return values, np.ascontiguousarray(added)


@dataclass(frozen=True, eq=False)
class Factored:
    """A factored matrix."""

    system: System
    exact: ExactMatrix
    factors: DenseFactored | ChainFactored | SparseFactored | TreeFactored
    is_exact: bool = False

    def __deepcopy__(self, _: dict[int, Any]) -> Factored:
        """Return itself: kernels know the addresses of its arrays."""
        return self

    @property
    def negative(self) -> int:
        """Number of negative pivots: that of the multipliers, at a minimum on the constraints."""
        return self.factors.negative

    def detach(self) -> None:
        """Copy the matrix's values, which somebody else may overwrite otherwise."""
        vars(self)["exact"] = ExactMatrix(self.system, self.exact.values.copy(), self.exact.diagonal)
        if isinstance(self.factors, TreeFactored):
            self.factors.replace_values(self.exact.values)

    def solve(self, b: Float[np.ndarray, "n ..."], accuracy: float = ENOUGH) -> Float[np.ndarray, "n ..."]:
        """Solve for one right side or for several, as columns; with multipliers the answer is refined to `accuracy`.

        That is the residual of each row, relative to its right side and its products; infinity asks for none.
        """
        right = np.ascontiguousarray(b, dtype=float)
        columns = right.reshape(right.shape[0], -1)
        x = self.factors.solve(columns)
        if self.system.pattern.multipliers and not self.is_exact and np.isfinite(accuracy):
            x = refine_solution(self.exact, self.factors.solve, columns, x, accuracy)
        return x.reshape(right.shape)

    def correction(self, residual: Float[np.ndarray, " n"], accuracy: float) -> Float[np.ndarray, " n"]:
        """Solve for a step that takes a residual away, as one of many: refined only where more than little is left.

        Then to `accuracy`, see `solve`; if that is infinite, not at all. Where much is left still, Krylov's subspaces
        are searched.
        """
        is_measured = bool(self.system.pattern.multipliers) and not self.is_exact and accuracy < np.inf
        x, left = self._solve_measured(residual, is_measured)
        if left <= LITTLE:
            return x
        x = refine_solution(self.exact, self.factors.solve, residual[:, None], x[:, None], accuracy)[:, 0]
        if self.exact.relative_residual(residual, x) <= MUCH:
            return x
        return refine_gmres(self.exact, self.factors.solve, residual, x)

    def _solve_measured(
        self, residual: Float[np.ndarray, " n"], is_measured: bool
    ) -> tuple[Float[np.ndarray, " n"], float]:
        """Return what a residual is solved to, and, if asked, how large what is left is beside it; else 0."""
        if isinstance(self.factors, TreeFactored):
            return self.factors.solve_measured(residual, self.exact, is_measured)
        x = self.factors.solve(residual[:, None])[:, 0]
        return x, self.exact.relative_residual(residual, x) if is_measured else 0.0

    def factor_again(
        self, changed: Int[np.ndarray, " d"], values: Float[np.ndarray, " d"], *, overwrite: bool = False
    ) -> Factored:
        """Factor with other values, but of hard rows; a tree eliminates only what differs and what is above.

        Args:
            changed: which values differ.
            values: what they are now.
            overwrite: whether this matrix may end, also by an error: nothing of it is copied then.

        Raises SingularError as `System.factor`; without the direction, where this matrix ended.
        """
        method, own = self.system.choice.method, self.exact.values if overwrite else self.exact.values.copy()
        own[changed] = values
        if not isinstance(method, TreeMethod) or not isinstance(self.factors, TreeFactored):
            return self.system.factor(own, self.exact.diagonal)
        factors = method.factor_again(self.factors, own, changed, overwrite)
        return Factored(self.system, ExactMatrix(self.system, own, self.exact.diagonal), factors)

    def covariance(self, unknowns: Int[np.ndarray, " k"] | Sequence[int]) -> Float[np.ndarray, "k k"]:
        """Return the part of the inverse that belongs to some unknowns: their joint covariance."""
        asked = np.asarray(unknowns, dtype=np.int64)
        unit = np.zeros((self.system.pattern.count, asked.size))
        unit[asked, np.arange(asked.size)] = 1.0
        part = self.solve(unit)[asked]
        return (part + part.T) / 2

    def marginal_covariances(self, groups: Sequence[Int[np.ndarray, " k"]]) -> list[Float[np.ndarray, "k k"]]:
        """Return for each group of unknowns their own part of the inverse.

        For many unknowns of a chain by selected inversion (`covariance.py`), which takes hard rows as if they were soft
        with 1e-7 of a typical variance; else exactly, by solving for unit columns. So do groups of several steps.
        """
        if not isinstance(self.factors, ChainFactored) or sum(u.size for u in groups) <= FEW:
            return [self.covariance(u) for u in groups]
        part, found = select_covariances(self.factors, self.solve), list[np.ndarray]()
        for u in groups:
            S = part(u) if is_of_one_step(self.factors, u) else self.covariance(u)
            found.append((S + S.T) / 2)
        return found


def analyse(pattern: Pattern, method: str = "auto", multipliers: float = MULTIPLIERS) -> System:
    """Look at a pattern once and choose how its matrices are factored.

    `method` is "auto", "dense", "chain", "arrow", "tree" or "sparse"; `multipliers` is put onto these' diagonal, see
    `regularise.py`: if `LIGHT`, systems are only solved. Raises InputError for another method.
    """
    return System(pattern, choose_method(pattern, method, multipliers == LIGHT), make_regulariser(pattern, multipliers))
