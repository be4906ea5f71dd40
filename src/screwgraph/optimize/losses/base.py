"""What a robust loss must offer."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Loss(Protocol):
    """A factor costs rho(s) / 2, where s is the square of its whitened residual. Frozen dataclasses."""

    def rho(self, s: Any) -> Any:
        """Return the loss of a squared residual, which grows with s and at most as s. On scalars of any kind."""
        ...

    def weight(self, s: Any) -> Any:
        """Return the derivative of rho."""
        ...
