"""A solved problem with hard factors whose numbers are edited, and its solution, which follows.

Parameters change in place, where they stand in the arrays of an assembly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.batch import Batch
from screwgraph.optimize.incremental.solver import Updated
from screwgraph.optimize.methods.active_set import (
    ActiveEquations,
    ActiveMatrix,
    ActivePoint,
    ActiveSolution,
    find_active_solution,
)
from screwgraph.optimize.methods.kkt import KktSystem
from screwgraph.optimize.methods.row_scales import restore_multipliers, save_scales
from screwgraph.optimize.problem import Problem
from screwgraph.optimize.result import Iterate, Result, Status
from screwgraph.optimize.solve import SCALE, solve
from screwgraph.optimize.value_layout import ValueLayout
from screwgraph.optimize.variables import Selection, Variables, selection
from screwgraph.optimize.whitening import INVERSE_SIGMA, WHITENING

BARRIER = 1e-9
"""What multipliers of a solution without barrier are said to belong to, where it is a warm start."""

SOLVED = "the KKT equations of the active inequalities hold"
"""Reason of an update that ended without a search."""

Slot = tuple[np.ndarray, slice]
"""Rows of an array, and columns."""


class EditedProblem:
    """The solution of a problem with hard factors, which follows where numbers of factors change.

    Newton's steps with the active inequalities begin at the last solution, with the matrix that was factored last:
    where only right sides change, they mostly need no other one. Where they lead nowhere, the problem is solved as a
    whole. `last` tells how the last update ended; its reason is not `SOLVED` after a search as a whole.
    """

    @check_arguments
    def __init__(
        self,
        problem: Problem,
        start: Mapping[str, Any] | Result | None = None,
        *,
        accuracy: float = 2e-9,
        curvature: bool = True,
        **options: Any,
    ) -> None:
        """Solve a problem.

        Args:
            problem: has hard factors.
            start: values by family, or a result, which is taken as the solution where it is one.
            accuracy: changes of unknowns that no further step is taken for; relative, where a family is beyond 1.
            curvature: whether second derivatives of hard factors are taken, which long expressions take long to make.
            options: as for `solve`, where the problem is solved as a whole.

        Raises:
            InputError: values or options do not fit.
        """
        self._accuracy, self._curvature, self._options = accuracy, curvature, options
        if not isinstance(start, Result) or not start.success or (problem.has_hard and "z" not in start.iterate.memory):
            start = solve(problem, start, **options)
        self._bind(problem, start)

    @check_arguments
    def update(self, changed: Mapping[str, Mapping[str, Any]]) -> Updated:
        """Give factors other numbers, by name, and solve again; where that fails, values stay as they were.

        Raises:
            InputError: factors or parameters are unknown, or a shape differs.
        """
        new = {name: self._problem[name].new_values(parameters) for name, parameters in changed.items()}
        for name, parameters in new.items():
            self._changes.setdefault(name, {}).update(changed[name])
            for parameter, value in parameters.items():
                if not self._slots.write(name, parameter, value):
                    self._rebind()
        is_known = self._is_known and all(self._problem[name].kind == "soft" for name in new)
        is_noise = any(n in (INVERSE_SIGMA, WHITENING) for parameters in new.values() for n in parameters)
        matrix, equations = self._matrix, self._equations
        if is_noise and matrix is not None:
            matrix = equations.reweight(self._point.x, matrix, new) if is_known else None
        found = find_active_solution(equations, self._point, matrix, self._accuracy, is_known=is_known)
        if not found.is_solved and matrix is not None:
            is_noise = False
            found = find_active_solution(equations, self._point, None, self._accuracy)
        if found.is_solved:
            self._take(found, int(is_noise and matrix is not None))
            return self.last
        self._matrix = None  # another one may have been made in its place
        return self._search()

    def __getstate__(self) -> dict[str, Any]:
        """Return the problem and its solution: matrices and bound code, which know addresses, are made anew."""
        kept = {name: getattr(self, name) for name in ("_accuracy", "_curvature", "_options", "last")}
        return {**kept, "solved": (self.problem, self.result)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Begin at the solution."""
        vars(self).update(state)
        self._bind(*vars(self).pop("solved"))
        self.last = state["last"]

    @property
    def problem(self) -> Problem:
        """The problem with its present numbers."""
        if self._changes:
            self._problem, self._changes = self._problem.with_parameters(self._changes), {}
        return self._problem

    @property
    def layout(self) -> ValueLayout:
        """Layout of the unknowns in one vector."""
        return self._assembly.layout

    @property
    def result(self) -> Result:
        """The solution, from which `solve` can go on."""
        now = self._point
        memory = save_scales(self._kkt.scales, {"y": now.y, "z": now.z, "barrier": BARRIER})
        iterate = Iterate(now.x.copy(), self.cost, self.violation, memory={**memory, SCALE: self._scale})
        last = self.last
        return Result(self.problem, iterate, last.iterations, 0.0, last.status, last.reason, "interior_point")

    @property
    def values(self) -> dict[str, np.ndarray]:
        """Values by family, `(count, *shape)`."""
        return self.layout.unpack(self._point.x)

    @check_arguments
    def value(self, unknowns: Selection | Variables) -> np.ndarray:
        """Return the values (N, *shape) of some unknowns of one family."""
        chosen = selection(unknowns)
        family = chosen.variables
        there = self._point.x[self.layout.places[family.name]]
        return there.reshape(family.count, *family.manifold.shape)[chosen.indices]

    @property
    def cost(self) -> float:
        """Cost of soft factors."""
        return self._assembly.cost(self._point.x) * self._scale[0]

    @property
    def violation(self) -> float:
        """Largest residual of a hard factor, in its own units."""
        return float(max((sizes.max() for sizes in self._assembly.broken(self._point.x).values()), default=0.0))

    def _bind(self, problem: Problem, result: Result) -> None:
        """Begin at a result of interior-point methods."""
        memory = result.iterate.memory
        self._problem, self._changes, self._scale = problem, dict[str, dict[str, Any]](), memory.get(SCALE, (1.0, {}))
        self._assembly = problem.assembly.with_own_parameters().with_scales(*self._scale)
        self._slots = ParameterSlots.of(self._assembly)
        kkt = KktSystem(self._assembly, self._curvature)
        self._kkt = kkt.with_row_scales(result.iterate.x, memory)
        self._equations = ActiveEquations(self._kkt)
        self._matrix: ActiveMatrix | None = None
        self._is_known = False
        self._point = self._make_point(result)
        self.last = Updated(result.status, result.reason, result.iterations, 0, 0)
        if result.success:
            found = find_active_solution(self._equations, self._point, None, self._accuracy)
            if found.is_solved:
                self._take(found)

    def _rebind(self) -> None:
        """Look up all parameters anew, where one that factors shared has become each one's own."""
        problem = self.problem
        self._assembly = problem.assembly.with_own_parameters().with_scales(*self._scale)
        self._slots = ParameterSlots.of(self._assembly)
        self._kkt, self._matrix, self._is_known = replace(self._kkt, assembly=self._assembly), None, False
        self._equations = ActiveEquations(self._kkt)

    def _make_point(self, result: Result) -> ActivePoint:
        """Return the point of a result; multipliers are zero where it has none."""
        x = result.iterate.x
        model = self._equations.bound.evaluate(x)
        memory = restore_multipliers(self._kkt.scales, result.iterate.memory)
        if np.shape(memory.get("z", 0.0)) != model.g.shape or np.shape(memory.get("y", 0.0)) != model.c.shape:
            return ActivePoint(x, np.zeros(len(model.c)), np.zeros(len(model.g)), (model.g > 0.0).astype(np.int64))
        active = memory["z"] > -model.g
        y, z = np.ascontiguousarray(memory["y"], dtype=float), np.where(active, memory["z"], 0.0)
        return ActivePoint(x, y, z, active.astype(np.int64))

    def _take(self, found: ActiveSolution, reweighted: int = 0) -> None:
        """Keep a solution, for which so many matrices got other costs before."""
        self._point, self._matrix, self._is_known = found.point, found.matrix, True
        matrices = found.matrices + reweighted
        self.last = Updated(Status.CONVERGED, SOLVED, found.steps, matrices, matrices * len(self.layout.sizes))

    def _search(self) -> Updated:
        """Solve as a whole; where that fails, stay."""
        before, last = self._point, self.result
        found = solve(self.problem, last, **self._options)
        self._bind(self.problem, found)
        self.last = Updated(found.status, found.reason, found.iterations, 0, 0)
        if not found.success:
            self._point, self._is_known = before, False
        return self.last


@dataclass(frozen=True, eq=False)
class ParameterSlots:
    """Slots of parameters, by factors and parameter: an array of the assembly, and where in its rows."""

    slots: Mapping[tuple[str, str], Slot]

    @classmethod
    def of(cls, assembly: Assembly) -> ParameterSlots:
        """Return the slots of an assembly whose parameters belong to nobody else."""
        found: dict[tuple[str, str], Slot] = {}
        for batch in assembly.batches:
            if batch.factors.refresh is None:
                found |= _find_slots(batch)
        return cls(found)

    def write(self, name: str, parameter: str, value: np.ndarray) -> bool:
        """Write a parameter of some factors; return whether it has a slot."""
        if (name, parameter) not in self.slots:
            return False
        rows, columns = self.slots[name, parameter]
        count = rows[:, columns].size
        rows[:, columns] = value.reshape(len(rows), -1) if value.size == count else value.reshape(1, -1)
        return True


def _find_slots(batch: Batch) -> dict[tuple[str, str], Slot]:
    """Return the slots of a batch; what several groups of factors share has none."""
    found: dict[tuple[str, str], Slot] = {}
    signature, groups = batch.factors.signature, batch.members
    parts = [p for p in (signature.shared, signature.each) if p]
    for names, array in zip(parts, batch.parameters, strict=True):
        if names is signature.shared and len(groups) > 1:
            continue
        first = 0
        ends = np.cumsum([int(np.prod(shape)) for _, shape in names]).tolist()
        for group, count in groups:
            rows = array.reshape(1, -1) if array.ndim == 1 or len(array) == 1 else array[first : first + count]
            for (name, shape), end in zip(names, ends, strict=True):
                found[group, name] = rows, slice(end - int(np.prod(shape)), end)
            first += count
    return found
