"""A mechanism: its bodies and what ties them, and where it stands at the beginning."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from screwgraph.mechanics.mechanism import Mechanism
from screwgraph.model.mechanism.mechanism import AXES
from screwgraph.ui.notebook.html_elements import embed_scene, fold_content, make_table


def title(mechanism: Mechanism) -> str:
    """Name it, with its size."""
    return repr(mechanism).strip("<>")


def tables(mechanism: Mechanism) -> Iterator[str]:
    """Yield bodies, points and coordinates."""
    names = [point.name for point in mechanism.points]
    bodies = [
        (b.name, ", ".join(names[i] for i in b.points), b.length, b.mass, _inertia(b.inertia)) for b in mechanism.bodies
    ]
    yield make_table(("body", "points", "length (m)", "mass (kg)", "inertia about its first point (kg m²)"), bodies)
    axes = AXES[: mechanism.dimension]
    for what, ends in (("point", mechanism.points), ("vector", mechanism.vectors)):
        rows = [(end.name, *end.place[: len(axes)], "fixed" if end.fixed else "") for end in ends]
        if rows:
            unit = " (m)" if what == "point" else ""
            yield fold_content(f"{what}s", make_table((what, *(axis + unit for axis in axes), ""), rows))
    yield fold_content("coordinates", make_table(("coordinate",), [(name,) for name in mechanism.coordinates]))


def _inertia(values: Any) -> Any:
    return ", ".join(f"{x:g}" for x in values) if isinstance(values, tuple) else values


def pictures(mechanism: Mechanism) -> tuple[Callable[[], str], ...]:
    """Return the mechanism as it is assembled."""
    return (lambda: _at_home(mechanism),)


def _at_home(mechanism: Mechanism) -> str:
    from screwgraph.ui.view import mechanism_scene

    return embed_scene(mechanism_scene(mechanism, np.zeros(1), mechanism.home[None, :]))
