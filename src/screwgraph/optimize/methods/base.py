"""What a method is: a generator of iterates. Limits, callbacks and interruption are not its business."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.result import Iterate, Status

End = tuple[Status, str]
"""How it ended, and why."""
Run = Generator[Iterate, None, End]
ROUNDING = 1e-14
"""Of a sum of squares, relative."""


@dataclass(frozen=True)
class Tolerances:
    """When a method is done: any of the first three.

    `gradient`: largest entry of the gradient; `decrease`: predicted decrease, relative to the cost; `step`: largest
    entry of a step, relative to the unknowns. Where there are hard factors: `violation`, their largest residual;
    `dual`, the largest entry of the Lagrangian's gradient, relative to that of the cost.
    """

    gradient: float = 1e-10
    decrease: float = 1e-15
    step: float = 1e-12
    violation: float = 1e-8
    dual: float = 1e-8


class Method(Protocol):
    """A way to solve problems; implementations are frozen dataclasses."""

    def __call__(
        self, assembly: Assembly, x: Float[np.ndarray, " s"], tolerances: Tolerances, memory: Mapping[str, Any]
    ) -> Run:
        """Yield the start, then each accepted iterate; return how it ended. `memory` is that of an earlier solution."""
        ...


def max_magnitude(vector: np.ndarray) -> float:
    """Return the largest magnitude of a vector's entries; NaN if there is one."""
    return float(np.abs(vector).max(initial=0.0))


def dot(a: np.ndarray, b: np.ndarray) -> float:
    """Return a'b, without the threads that BLAS would start for it."""
    return float(np.einsum("i,i", a, b))


def finish_step(assembly: Assembly, x: np.ndarray, step: np.ndarray, cost: float) -> Generator[Iterate, None, None]:
    """Yield the end of a step that changes the cost by less than rounding does: the unknowns gain half their digits."""
    moved = assembly.layout.retract(x, step)
    if assembly.cost(moved) <= cost * (1.0 + ROUNDING):
        now, gradient, _ = assembly.linearise(moved)
        yield Iterate(moved, now, gradient=max_magnitude(gradient))


def is_small_step(size: float, x: np.ndarray, tolerances: Tolerances) -> bool:
    """Whether a step, whose largest entry is given, changes nothing."""
    return size <= tolerances.step * (max_magnitude(x) + tolerances.step)
