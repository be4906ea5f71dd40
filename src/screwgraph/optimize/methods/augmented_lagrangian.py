"""The method of multipliers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.methods.base import Run, Tolerances
from screwgraph.optimize.methods.levenberg_marquardt import LevenbergMarquardt
from screwgraph.optimize.methods.penalties import penalise_hard, update_penalties
from screwgraph.optimize.result import Iterate, Status

LARGEST_WEIGHT = 1e12
ROUND = 30
"""Iterations with the same multipliers, at most."""


@dataclass(frozen=True)
class AugmentedLagrangian:
    """Levenberg-Marquardt on costs and penalties, whose shifts become multipliers. Hestenes, Powell (1969).

    Needs no independent constraints, and never an indefinite matrix. `weight` is that of the first penalties, `growth`
    what it is multiplied by where the violation has not come down to a quarter.
    """

    weight: float = 1e4
    growth: float = 10.0

    def __call__(
        self, assembly: Assembly, x: Float[np.ndarray, " s"], tolerances: Tolerances, memory: Mapping[str, Any]
    ) -> Run:
        """Solve a sequence of problems without hard factors."""
        soft = penalise_hard(assembly, keep_costs=True)
        hard = [b for b in assembly.batches if b.factors.kind != "soft"]
        shapes = [(len(b), b.factors.rows) for b in hard]
        weight, shifts = self.weight, [np.zeros(shape) for shape in shapes]
        if "weight" in memory and [np.shape(s) for s in memory.get("shifts", ())] == shapes:
            weight, shifts = float(memory["weight"]), list(memory["shifts"])
        before, end, last = np.inf, (Status.CONVERGED, ""), None
        while True:
            relaxed = update_penalties(soft, np.sqrt(weight), shifts)
            run = LevenbergMarquardt()(relaxed, x, replace(tolerances, decrease=max(tolerances.decrease, 1e-10)), {})
            for _ in range(ROUND):
                try:
                    inner = next(run)
                except StopIteration as stop:
                    end = stop.value
                    break
                if last is not None and np.array_equal(inner.x, last):
                    continue  # the start of a round is the end of the one before
                x = last = inner.x
                yield replace(
                    inner,
                    cost=_cost(assembly, x),
                    violation=_violation(assembly, x),
                    memory={"weight": weight, "shifts": shifts},
                )
            if end[0] in (Status.NOT_FINITE, Status.SINGULAR):
                return end
            residuals, violation = _residuals(assembly, hard, x), _violation(assembly, x)
            kinds = [b.factors.kind for b in hard]
            new = [
                s + r if kind == "equality" else np.maximum(0.0, s + r)
                for kind, s, r in zip(kinds, shifts, residuals, strict=True)
            ]
            changed = max((float(np.abs(a - b).max()) for a, b in zip(new, shifts, strict=True)), default=0.0)
            if violation <= tolerances.violation and changed <= 10.0 * tolerances.violation:
                yield Iterate(x, _cost(assembly, x), violation, 0.0, {"weight": weight, "shifts": new})
                return Status.CONVERGED, "the hard factors hold and their multipliers have converged"
            if max(violation, changed) > 0.25 * before:
                if weight >= LARGEST_WEIGHT:
                    return Status.INFEASIBLE, "no weight makes the hard factors hold"
                new, weight = [s / self.growth for s in new], weight * self.growth
            before, shifts = max(violation, changed), new


def _cost(assembly: Assembly, x: np.ndarray) -> float:
    return assembly.cost(x)


def _violation(assembly: Assembly, x: np.ndarray) -> float:
    views = assembly.layout.views(x)
    c, g = assembly.equalities.residuals(views), assembly.inequalities.residuals(views)
    return float(max(np.abs(c).max(initial=0.0), g.max(initial=0.0)))


def _residuals(assembly: Assembly, hard: list[Any], x: np.ndarray) -> list[np.ndarray]:
    views = assembly.layout.views(x)
    return [np.broadcast_to(b.factors.kernels.residual(*b.inputs(views)), (len(b), b.factors.rows)) for b in hard]
