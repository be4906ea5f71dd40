"""Mechanisms that are open where the file draws them: what stands elsewhere when they are assembled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from screwgraph.base.errors import one_line
from screwgraph.model.mechanism.closure import coordinate_units
from screwgraph.model.robot import FAR, moved_in_words

if TYPE_CHECKING:
    from screwgraph.model.mechanism.mechanism import Mechanism


def remarks_on_drawing(mechanism: Mechanism) -> tuple[str, ...]:
    """Say which angles and points the assembled mechanism has elsewhere than drawn; nothing where it is closed.

    Where angles have values to start at, these count, and points are drawn roughly.

    Raises:
        ModelError: it cannot be assembled.
    """
    drawn, home, moved = mechanism.guess(), mechanism.home, []
    pairs = zip(mechanism.angle_slots, mechanism.angles, strict=True)
    meant = {slot for slot, angle in pairs if angle.start is not None} or set(range(mechanism.n))
    columns, units = mechanism.columns["q"], coordinate_units(mechanism)
    for i, name in enumerate(mechanism.coordinates):
        if i not in meant:
            continue
        at = f"{home[i]:.4g} {columns[i].unit}".rstrip()
        way, where = float(home[i] - drawn[i]), f"{name} is at {at}, not {drawn[i]:.4g}"
        far = abs(way) / units[i]
        if i in mechanism.angle_slots:
            far = abs(np.remainder(way + np.pi, 2.0 * np.pi) - np.pi)
            where = f"angle {name!r} is at {np.degrees(home[i]):.4g} deg, not {np.degrees(drawn[i]):.4g}"
        if far > FAR:
            moved.append((float(far), where))
    if not moved:
        return ()
    file = None if mechanism.source is None else mechanism.source.file
    what = f"the mechanism is open as drawn; assembled, {moved_in_words(moved)}"
    return (
        one_line(
            what,
            at=file,
            why="motions begin there",
            fix="draw points where it closes, or give the angle a start:, from which it then begins",
        ),
    )
