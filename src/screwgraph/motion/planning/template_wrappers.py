"""Templates that many factors share, and templates made of templates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from screwgraph.motion.planning.violation import Violation
from screwgraph.optimize.template_wrappers import Hinge, Split, Without, flatten_residual, split_template
from screwgraph.spatial import concatenate, sqrt


@dataclass(frozen=True)
class DurationScaled:
    """A template whose parameter `h` (s) is `scale` times a duration, its last unknown."""

    template: Callable[..., Any]

    def __call__(self, *unknowns: Any, scale: Any, **parameters: Any) -> Any:
        """Return the template's residual."""
        return self.template(*unknowns[:-1], h=scale * unknowns[-1][0], **parameters)


@dataclass(frozen=True)
class SqrtDtWeighted:
    """sqrt(h) times a residual: its square is an integrand times a stretch of time."""

    template: Callable[..., Any]

    def __call__(self, *unknowns: Any, h: Any, **parameters: Any) -> Any:
        """Return the template's residual times sqrt(h)."""
        return sqrt(h) * self.template(*unknowns, **parameters)


@dataclass(frozen=True)
class EntryError:
    """Chosen coordinates of an unknown, less the parameter `at`."""

    columns: tuple[int, ...]

    def __call__(self, x: Any, *, at: Any) -> Any:
        """Return the difference."""
        return x[list(self.columns)] - at

    def describe(self, violation: Violation) -> str:
        """Say which joint is off by most."""
        return violation.describe_joint(self.columns)


@dataclass(frozen=True)
class SelectedEntries:
    """Chosen coordinates of an unknown."""

    columns: tuple[int, ...]

    def __call__(self, x: Any) -> Any:
        """Return them."""
        return x[list(self.columns)]


@dataclass(frozen=True)
class BoundViolation:
    """How far chosen coordinates are above `upper`, and below `lower`."""

    above: tuple[int, ...]
    below: tuple[int, ...]

    def __call__(self, x: Any, *, upper: Any = None, lower: Any = None) -> Any:
        """Return what must not be positive."""
        parts = [] if upper is None else [x[list(self.above)] - upper]
        return concatenate(*parts, *([] if lower is None else [lower - x[list(self.below)]]))

    def describe(self, violation: Violation) -> str:
        """Say which coordinate exceeds its limit by most."""
        return violation.describe_limit(violation.family, [*self.above, *self.below])


@dataclass(frozen=True)
class Relaxed:
    """A residual less the parameter `slack`."""

    template: Callable[..., Any]

    def __call__(self, *unknowns: Any, slack: Any, **parameters: Any) -> Any:
        """Return it."""
        return flatten_residual(self.template(*unknowns, **parameters)) - slack

    def split(self) -> Split | None:
        """Return its template's parts, the second one relaxed."""
        found = split_template(self.template)
        return None if found is None else (Without(found[0], "slack"), Relaxed(found[1]))


def unwrap_template(template: Any) -> Any:
    """Return what a template hinges, relaxes or times."""
    while isinstance(template, Hinge | Relaxed | DurationScaled):
        template = template.template
    return template
