"""Variables that hardly change from one step to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


def soft_equality(x: Any, ahead: Any) -> Any:
    """A variable one step later less the variable; weak, it keeps to a branch.

    Blanco-Claraco et al. (2021), section 5.2, f_eq.
    """
    return ahead - x


@dataclass(frozen=True)
class SomeEqual:
    """Some entries of variables that hardly change from one step to the next."""

    places: tuple[int, ...]

    def __call__(self, x: Any, ahead: Any) -> Any:
        """Return these one step later less these."""
        return soft_equality(x[list(self.places)], ahead[list(self.places)])
