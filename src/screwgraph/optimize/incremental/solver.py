"""Problems that are edited while they are solved: what an edit does not touch is not eliminated again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.optimize.factors import Factors
from screwgraph.optimize.fronts.conditionals import Conditional
from screwgraph.optimize.incremental.linearisation import Linearisation
from screwgraph.optimize.incremental.named_factors import FactorRegistry
from screwgraph.optimize.linear import SingularError
from screwgraph.optimize.problem import Problem
from screwgraph.optimize.result import Status
from screwgraph.optimize.value_layout import ValueLayout
from screwgraph.optimize.variables import Selection, Variables, selection

NOT_FINITE = "a residual is not finite"


@dataclass(frozen=True)
class Updated:
    """How an update ended: eliminations, cliques that they made, unknowns whose factors were linearised again."""

    status: Status
    reason: str
    iterations: int
    cliques: int
    relinearised: int

    @property
    def success(self) -> bool:
        """Whether nothing is left to be done."""
        return self.status is Status.CONVERGED


class Incremental:
    """Keeps the Bayes tree of a problem: an edit eliminates again the cliques between what it touches and the root.

    Gauss-Newton's method on soft factors, squares or losses of these, and on hard ones, which are penalties with
    multipliers. Factors are linearised again where their unknowns have moved further than `relinearise`, or a hard one
    does not hold. With that small, results are those of `solve`. Kaess et al., iSAM2 (2012).

    `last` tells how the last update ended.

    Families are as large as they will ever be: unknowns that no factor touches stay at their start.
    """

    @check_arguments
    def __init__(
        self,
        problem: Problem | Iterable[Variables],
        start: Mapping[str, Any] | None = None,
        *,
        relinearise: float = 1e-10,
        violation: float = 1e-9,
        threshold: float = 1e-11,
        iterations: int = 50,
        every: int = 1,
    ) -> None:
        """Solve a problem, or begin with families alone.

        Args:
            problem: factors on families of unknowns, or families.
            start: values by family; those left out start at zero, or identity.
            relinearise: largest direction in which an unknown may be away from where its factors are linear.
            violation: largest residual of hard factors, in their own units.
            threshold: changes of unknowns, at most so large, that need not be passed on.
            iterations: eliminations of one update, at most. With one, what has to be linearised anew is so by the next.
            every: factors are linearised anew in every so many updates only; hard ones whenever they do not hold.

        Raises:
            InputError: a factor costs no square, values do not fit, or `every` is not positive.
        """
        given = problem if isinstance(problem, Problem) else None
        families = problem.families if isinstance(problem, Problem) else tuple(problem)
        self.layout = ValueLayout(families)
        self.relinearise, self.violation_limit, self.threshold = relinearise, violation, threshold
        if every < 1:
            raise InputError(f"linearised anew in every {every} updates", fix="give a positive number")
        self.iterations, self.every, self._turn = iterations, every, -1
        self._state = Linearisation(self.layout, start or {})
        self._tree = self._state.tree
        self._groups = FactorRegistry(self._state)
        self._due = np.zeros(0, dtype=np.int64)
        self._failed = False
        self.last = Updated(Status.CONVERGED, "there are no factors", 0, 0, 0)
        if given is not None:
            self.update(add=given.factors)

    def __getstate__(self) -> dict[str, Any]:
        """Return factors and values: the tree, whose code knows its addresses, is made anew."""
        options = self.relinearise, self.violation_limit, self.threshold, self.iterations, self.every
        return {
            "begin": (self.layout.families, self.values, options),
            "edit": (self._groups.factors, self._tree.late),
            "last": self.last,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Solve from the values."""
        families, values, (relinearise, violation, threshold, iterations, every) = state["begin"]
        limits = {"relinearise": relinearise, "violation": violation, "threshold": threshold}
        self.__init__(families, values, **limits, iterations=iterations, every=every)
        factors, late = state["edit"]
        self._tree.set_late(late)
        if factors:
            self.update(add=factors)
        self.last = state["last"]

    @check_arguments
    def update(
        self,
        add: Iterable[Factors] = (),
        remove: Iterable[str] | Mapping[str, Any] = (),
        changed: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        start: Mapping[Any, Any] | None = None,
        late: Iterable[Selection | Variables] | None = None,
        wanted: Selection | Variables | None = None,
    ) -> Updated:
        """Edit the problem, and solve it again.

        Args:
            add: factors; names that are taken get numbers.
            remove: names of factors, or by name which of them.
            changed: by name of the factors, new values of parameters; only factors whose own differ are touched.
            start: values by family, or by selection, of unknowns that no factor touches yet; others stay.
            late: unknowns that are eliminated last from now on, so that edits of them touch little.
            wanted: unknowns to solve for; others are solved for when they are asked for. Default: all. Where there are
                hard factors, too, as each of these has to hold.

        Raises:
            InputError: a name or a shape is wrong, or a factor costs no square. Failure to converge is no error.
        """
        self._state.keep()
        self._turn += 1
        with np.errstate(all="ignore"):  # what is not finite is told by `Updated`
            moved_first = len(self._due) if self._is_turn else 0
            touched = self._edit_factors(add, remove, changed or {}, start or {})
            if late is not None:
                self._tree.set_late(np.concatenate([self._state.unknowns(s) for s in late]))
            chosen = None if wanted is None or self._groups.has_hard else self._state.unknowns(wanted)
            self.last = self._solve_touched(touched, chosen, moved_first)
        return self.last

    def _edit_factors(
        self,
        add: Iterable[Factors],
        remove: Iterable[str] | Mapping[str, Any],
        changed: Mapping[str, Mapping[str, Any]],
        start: Mapping[Any, Any],
    ) -> Int[np.ndarray, " t"]:
        """Edit the problem; return all unknowns that this touches."""
        touched = []
        if self._is_turn and len(self._due):
            touched.append(self._groups.relinearise(self._due))
            self._due = self._due[:0]
        if self._failed:
            touched.append(np.flatnonzero(~self._tree.free))
        if start:
            self._state.begin(start)
        for name, which in remove.items() if isinstance(remove, Mapping) else ((n, None) for n in remove):
            touched.append(self._groups.remove(name, which))
        for name, parameters in changed.items():
            touched.append(self._groups.change(name, parameters))
        for f in sorted(add, key=_is_hard):
            touched.append(self._groups.add(f))
        return _together(touched)

    @property
    def _is_turn(self) -> bool:
        """Whether factors are linearised anew in this update."""
        return self._turn % self.every == 0 or self._groups.has_hard

    @property
    def values(self) -> dict[str, np.ndarray]:
        """Values by family, `(count, *shape)`; where the last update failed, those before it."""
        self._finish()
        return {name: view.copy() for name, view in self._state.moved_views().items()}

    @check_arguments
    def value(self, unknowns: Selection | Variables) -> np.ndarray:
        """Return the values (N, *shape) of some unknowns of one family; only what they depend on is solved for."""
        chosen = selection(unknowns)
        if not self._failed:
            self._tree.solve_for(self._state.unknowns(chosen), self.threshold, np.inf)
        return self._state.near(chosen.variables, chosen.indices)

    @property
    def problem(self) -> Problem:
        """The problem as it is now.

        Raises:
            InputError: there are no factors.
        """
        return Problem(self._groups.factors, self.layout.families)

    @property
    def cost(self) -> float:
        """Cost of soft factors."""
        self._finish()
        return self._groups.cost(self._state.moved_views())

    @property
    def violation(self) -> float:
        """Largest residual of a hard factor; 0 where there is none."""
        self._finish()
        return self._groups.violation(self._state.moved_views())

    @property
    def origin(self) -> dict[str, np.ndarray]:
        """Values by family about which factors are linear: those where the tree's directions begin."""
        return self.layout.unpack(self._state.x)

    @property
    def conditionals(self) -> list[Conditional]:
        """The Bayes tree: cliques, each before those that it stands on; unknowns are counted family by family.

        Raises:
            InputError: the last update found an unknown that is not determined.
        """
        self._check_tree()
        return list(self._tree.storage.all())

    @check_arguments
    def covariance(self, *unknowns: Selection | Variables) -> Float[np.ndarray, "n n"]:
        """Return the covariance of unknowns, given as selections or families, jointly, in their directions.

        It is read off the Bayes tree, between these unknowns and the roots, about where factors are linear. Hard
        factors are as stiff as the tree has them, which errs by 1e-7 of the covariance; inequalities count where they
        are active.

        Raises:
            InputError: nothing was asked for, or unknowns are not in the problem or not determined.
        """
        if not unknowns:
            raise InputError("the covariance of nothing", fix="name families or selections of unknowns")
        self._check_tree()
        chosen = _together([self._state.unknowns(s) for s in unknowns])
        loose = chosen[self._tree.are_free(chosen)]
        if len(loose):
            name = self.layout.name_direction(int(self.layout.sizes[: loose[0]].sum()))
            raise InputError(
                f"{name} is not determined", why="no factor touches it", fix="add a prior, or leave it out"
            )
        return self._tree.storage.covariance(chosen.tolist())

    def _check_tree(self) -> None:
        if self._failed:
            raise InputError("the problem is not solved", why=self.last.reason, fix="add what determines it")

    def _solve_touched(
        self, touched: Int[np.ndarray, " k"], wanted: Int[np.ndarray, " w"] | None, relinearised: int
    ) -> Updated:
        cliques = count = 0
        while True:
            count += 1
            self._failed = True
            if len(touched):
                try:
                    self._tree.eliminate(touched)
                except SingularError as error:
                    self._state.restore()
                    if not self._tree.is_finite:
                        return Updated(Status.NOT_FINITE, NOT_FINITE, count, cliques, relinearised)
                    reason = f"{self.layout.name_direction(error.unknown)} is not determined"
                    return Updated(Status.SINGULAR, reason, count, cliques, relinearised)
                cliques += self._tree.cliques
            if wanted is None:
                due = self._tree.solve(self.threshold, self.relinearise)
            else:
                due = self._tree.solve_for(wanted, self.threshold, self.relinearise)
            if self._tree.is_lost:
                self._state.restore()
                return Updated(Status.NOT_FINITE, NOT_FINITE, count, cliques, relinearised)
            self._failed = False
            if self._groups.has_hard:
                due = np.unique(np.concatenate([due, self._groups.broken(self.violation_limit)]))
            if len(self._due):
                due = np.union1d(self._due, due)
            if not len(due):
                return Updated(Status.CONVERGED, "no unknown moves", count, cliques, relinearised)
            if count >= self.iterations or not self._is_turn:
                self._due = due
                reason = f"{len(due)} unknowns are to be linearised anew"
                return Updated(Status.ITERATION_LIMIT, reason, count, cliques, relinearised)
            relinearised += len(due)
            touched = self._groups.relinearise(due)

    def _finish(self) -> None:
        """Solve for all that is not solved for yet; where the last update failed, values are those before it."""
        if not self._failed:
            self._tree.solve(self.threshold, np.inf)


def _together(parts: Iterable[np.ndarray]) -> Int[np.ndarray, " k"]:
    listed = [p for p in parts if len(p)]
    if len(listed) == 1:
        return listed[0]
    return np.concatenate(listed) if listed else np.zeros(0, dtype=np.int64)


def _is_hard(f: Factors) -> bool:
    """Whether factors are hard, which want to know how stiff the soft ones are."""
    return f.kind != "soft"
