"""The functions of a small window: each one piece of machine code without loops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import CompiledProgram
from screwgraph.optimize.smoothers.window import Window


@dataclass(frozen=True, eq=False)
class UnrolledEngine:
    """Steps of a window by `Window.newton` and `Window.advance`."""

    window: Window

    def bind(self, parameters: Float[np.ndarray, " p"]) -> list[np.ndarray]:
        """Return parameters as `newton` and `advance` take them; they follow the array."""
        return [parameters] if len(parameters) else []

    def newton(
        self, x: np.ndarray, bound: list[np.ndarray], prior: list[np.ndarray], damping: np.ndarray
    ) -> tuple[Float[np.ndarray, " s"], float, float]:
        """Return the end of a Gauss-Newton step, the cost at its beginning, and its largest entry."""
        found = make_single_call(self.window.newton, x, *bound, *prior, damping)
        return found[: len(x)], found[-2], found[-1]

    def advance(
        self, x: np.ndarray, bound: list[np.ndarray], prior: list[np.ndarray]
    ) -> tuple[Float[np.ndarray, " s"], list[np.ndarray], Float[np.ndarray, " f"]]:
        """Return values moved on by one step, the prior on what is then the first, and costs of what left."""
        found, size = make_single_call(self.window.advance, x, *bound, *prior), len(x)
        end = size + self.window.prior_size
        return found[:size], [found[size:end]] if prior else [], found[end:]


def make_single_call(call: CompiledProgram, *arrays: np.ndarray) -> np.ndarray:
    """Call compiled code of one state."""
    found = call.quick(*arrays)
    if found is None:
        with np.errstate(all="ignore"):
            found = call.ufunc(*arrays)
    return found
