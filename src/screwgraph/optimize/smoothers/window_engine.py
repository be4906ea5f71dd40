"""What moves a window."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from jaxtyping import Float


class WindowEngine(Protocol):
    """Steps of a window; `prior` is empty, or its numbers alone, see `first_prior`."""

    def bind(self, parameters: Float[np.ndarray, " p"]) -> Any:
        """Return parameters as `newton` and `advance` take them."""
        ...

    def newton(
        self, x: np.ndarray, bound: Any, prior: list[np.ndarray], damping: np.ndarray
    ) -> tuple[Float[np.ndarray, " s"], float, float]:
        """Return the end of a Gauss-Newton step, the cost at its beginning, and its largest entry."""
        ...

    def advance(
        self, x: np.ndarray, bound: Any, prior: list[np.ndarray]
    ) -> tuple[Float[np.ndarray, " s"], list[np.ndarray]]:
        """Return values moved on by one step, and the prior on what is then the first."""
        ...
