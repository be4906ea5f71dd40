"""What inverse kinematics found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int


@dataclass(frozen=True, eq=False)
class Solution:
    """Positions `q` (*B, nq), and whether all targets that must be met are `reached` there (*B,).

    Where they are not, q is the best position that was found. `errors` (*B, k) says how far targets are from being
    met, in the units and order of `labels`: angles (rad) and distances (m). `attempts` and `steps` (*B,) were made.
    """

    q: Float[np.ndarray, "*B nq"]
    reached: bool | Bool[np.ndarray, "*B"]
    errors: Float[np.ndarray, "*B k"]
    attempts: int | Int[np.ndarray, "*B"]
    steps: int | Int[np.ndarray, "*B"]
    labels: tuple[str, ...]
    explain: Callable[[tuple[int, ...]], tuple[str, ...]]

    def __repr__(self) -> str:
        if self.q.ndim > 1:
            return f"<{int(np.sum(self.reached))} of {np.size(self.reached)} inverse kinematics problems reached>"
        state = "reached" if self.reached else "not reached"
        worst = ", ".join(f"{label} {x:.2g}" for label, x in zip(self.labels, self.errors, strict=True))
        return f"<inverse kinematics {state} after {self.attempts} attempt{'s' * (self.attempts != 1)}: errors {worst}>"

    @cached_property
    def reasons(self) -> Any:
        """Which targets are not met and why, one sentence each; of batches an array (*B,) of tuples.

        Nothing where all are reached. Looked into when asked: it takes many more attempts than the search.
        """
        reached = np.asarray(self.reached)
        found = np.empty(reached.shape, dtype=object)
        for index in np.ndindex(*reached.shape):
            found[index] = () if reached[index] else self.explain(index)
        return found[()]
