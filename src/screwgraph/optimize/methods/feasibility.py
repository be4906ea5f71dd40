"""Values at which hard factors hold, or come as near to it as can be."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.methods.base import Tolerances
from screwgraph.optimize.methods.levenberg_marquardt import LevenbergMarquardt
from screwgraph.optimize.methods.penalties import penalised

ITERATIONS = 100


def nearest_feasible(assembly: Assembly, x: Float[np.ndarray, " s"]) -> tuple[Float[np.ndarray, " s"], bool]:
    """Return values near x at which the sum of squares of broken hard factors is least, and whether it is.

    By Levenberg-Marquardt; where its iterations do not suffice, the least is not known.
    """
    hard = penalised(assembly, keep_costs=False)
    for count, iterate in enumerate(LevenbergMarquardt(damping=1e-4)(hard, x, Tolerances(), {})):
        x = iterate.x
        if count >= ITERATIONS:
            return x, False
    return x, True


def worst(assembly: Assembly, x: Float[np.ndarray, " s"]) -> tuple[str, float]:
    """Return the hard factor that is broken most, and how much."""
    found, most = "", 0.0
    for name, sizes in assembly.broken(x).items():
        if sizes.max() > most:
            most, found = float(sizes.max()), f"{name}[{int(sizes.argmax())}]"
    return found, most
