"""Angles in files that are far outside of their joints' ranges: in most cases they are in degrees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.base.errors import one_line
from screwgraph.model.formats.model_checks import TURNS
from screwgraph.model.model import Model
from screwgraph.motion.control.models import as_controlled

FAR = 1.0
"""rad beyond a range; references a little beyond an end, which press a joint against it, are meant so."""

DEGREES = "of degrees, write deg2rad({value})"
"""The advice of YAML files, whose numbers may be arithmetic."""


def doubt_angles(
    model: Model, what: str, places: Sequence[int], values: Sequence[float], at: Sequence[object], fix: str
) -> tuple[str, ...]:
    """Return a warning where angles (rad) at places in q are more than a radian outside of their range, else nothing.

    Angles without a range are doubted beyond five turns. `at` says where each stands; the warning is at the first.
    """
    columns, own = model.columns["q"], as_controlled(model)
    ranges, names = {bounds.at: bounds for bounds in own.ranges}, {x.at: own.owners[x.along] for x in own.ranges}
    found = list[tuple[int, str]]()
    for i, (place, value) in enumerate(zip(places, values, strict=True)):
        low, high = (ranges[place].lower, ranges[place].upper) if place in ranges else (-np.inf, np.inf)
        low, high = (end + sign * FAR if np.isfinite(end) else sign * TURNS for sign, end in ((-1.0, low), (1.0, high)))
        if columns[place].unit == "rad" and not low <= value <= high:
            found.append((i, names.get(place, columns[place].name)))
    if not found:
        return ()
    (first, name), *others = found
    bounds = ranges.get(places[first])
    has_ends = bounds is not None and np.isfinite([bounds.lower, bounds.upper]).any()
    said = f"its range is {bounds.lower:.4g} to {bounds.upper:.4g} rad" if bounds and has_ends else "it has no range"
    more = f", {', '.join(repr(other) for _, other in others)} are outside of theirs, too" if others else ""
    return (
        one_line(
            f"{what} of {name!r} is {values[first]:g}",
            at=at[first],
            why=f"{said}{more}; angles are in radians",
            fix=fix.format(value=f"{values[first]:g}"),
        ),
    )
