"""Samples of which a sensor lost a part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.optimize.template_wrappers import flatten_residual


@dataclass(frozen=True)
class PartialReading:
    """A sensor's template, without the rows that were not measured."""

    template: Any

    def __call__(self, *unknowns: Any, seen: Any, **parameters: Any) -> Any:
        """Residual of the template where `seen` is 1, zero where it is 0."""
        return seen * flatten_residual(self.template(*unknowns, **parameters))
