"""An identification: combinations with their standard deviations, torques that are not explained, and residuals."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from screwgraph.motion.identification import Identified
from screwgraph.ui.notebook.html_elements import embed_figure, fold_content, make_remark, make_table


def title(found: Identified) -> str:
    """Name the model and what was found."""
    return (
        f"identification of {found.model.name}: {found.base.rank} combinations of {len(found.base.labels)} parameters "
        f"from {found.samples} samples"
    )


def tables(found: Identified) -> Iterator[str]:
    """Yield combinations, torques, and what the motion does not show."""
    rows = [(text, value, sigma) for text, (value, sigma) in found.combinations.items()]
    yield make_table(("combination", "value (SI units)", "standard deviation"), rows)
    torques = [(name, found.torque[name], found.noise[name], found.validation[name]) for name in found.torque]
    names = ("torque (N m, N)", "root mean square", "noise", "unexplained of what was held out")
    yield fold_content("torques", make_table(names, torques))
    if found.unexcited:
        yield fold_content(
            "combinations that the motion does not show", make_table(("combination",), [(x,) for x in found.unexcited])
        )
    yield from (make_remark(doubt) for doubt in found.doubts)


def pictures(found: Identified) -> tuple[Callable[[], str], ...]:
    """Return the residuals."""
    return (lambda: _residuals(found),)


def _residuals(found: Identified) -> str:
    from screwgraph.ui.draw import Panel, draw_histories

    left = found.measured - found.predicted
    panel = Panel("residual (N m, N)", {name: left[:, i] for i, name in enumerate(found.noise)})
    return embed_figure(draw_histories(found.t, [panel]), "torques that are not explained")
