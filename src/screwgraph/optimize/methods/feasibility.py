"""Values at which hard factors hold, or come as near to it as can be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.methods.base import Tolerances
from screwgraph.optimize.methods.levenberg_marquardt import LevenbergMarquardt
from screwgraph.optimize.methods.penalties import penalise_hard

ITERATIONS = 100


@dataclass(frozen=True, eq=False)
class FeasiblePoint:
    """Values at which hard factors hold, or nearly; `left` is by how much the worst of them, `name`, does not.

    `settled`: whether the sum of squares of broken hard factors is least there.
    """

    x: Float[np.ndarray, " s"]
    settled: bool
    name: str
    left: float


def find_feasible(assembly: Assembly, *starts: Float[np.ndarray, " s"], within: float) -> FeasiblePoint:
    """Return what is found near the first of these starts from which hard factors are met `within`, else the best."""
    hard, found = penalise_hard(assembly, keep_costs=False), []
    for start in starts:
        x, settled = _least_squares(hard, start)
        found.append(FeasiblePoint(x, settled, *find_worst_factor(assembly, x)))
        if found[-1].left <= within or not settled:
            return found[-1]
    return min(found, key=lambda near: near.left)


def _least_squares(hard: Assembly, x: Float[np.ndarray, " s"]) -> tuple[Float[np.ndarray, " s"], bool]:
    """Descend by Levenberg-Marquardt; where its iterations do not suffice, the least is not known."""
    for count, iterate in enumerate(LevenbergMarquardt(damping=1e-4)(hard, x, Tolerances(), {})):
        x = iterate.x
        if count >= ITERATIONS:
            return x, False
    return x, True


def find_worst_factor(assembly: Assembly, x: Float[np.ndarray, " s"]) -> tuple[str, float]:
    """Return the hard factor that is broken most, and how much."""
    found, most = "", 0.0
    for name, sizes in assembly.broken(x).items():
        if sizes.max() > most:
            most, found = float(sizes.max()), f"{name}[{int(sizes.argmax())}]"
    return found, most
