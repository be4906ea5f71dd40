"""An estimate: parameters with their standard deviations, doubts, and the motion."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from screwgraph.motion.estimation import Estimate
from screwgraph.ui.notebook.html_elements import make_remark, make_table
from screwgraph.ui.notebook.trajectories import animate_motion, draw_curves


def title(estimate: Estimate) -> str:
    """Name the model and how the search ended."""
    return f"estimate of {estimate.model.name}: {estimate.status.value}"


def tables(estimate: Estimate) -> Iterator[str]:
    """Yield the parameters that were found."""
    rows = [(name, value, estimate.sigma[name]) for name, value in estimate.parameters.items()]
    yield make_table(("parameter", "estimate (SI units)", "standard deviation"), rows)
    yield from (make_remark(str(doubt)) for doubt in estimate.doubts)


def pictures(estimate: Estimate) -> tuple[Callable[[], str], ...]:
    """Return the animation and the curves."""
    return (lambda: animate_motion(estimate.run), lambda: draw_curves(estimate.run))
