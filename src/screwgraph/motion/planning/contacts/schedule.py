"""Contact schedules as tables: which foot stands in which phase."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from screwgraph.base.errors import InputError
from screwgraph.motion.planning.contacts.point_contact import PointContact
from screwgraph.motion.planning.phases import Phase

MARKS = {"x": True, "1": True, "-": False, ".": False, "0": False}


def schedule(
    phases: Sequence[Phase], feet: Mapping[str, str | Sequence[bool]], **fields: Any
) -> tuple[PointContact, ...]:
    """Return contacts of feet by a table: {"left_foot": "xx-x", ...}, one mark for each phase, x where it stands.

    Args:
        phases: the horizon.
        feet: marks x or 1, - or . or 0; or truth values.
        fields: of all contacts, see `PointContact`; a mapping {foot: value} gives each its own.

    Raises:
        InputError: the marks do not fill the horizon, or are none, or a foot never stands.
    """
    found = []
    for foot, marks in feet.items():
        unknown = [m for m in marks if not isinstance(m, bool) and m not in MARKS]
        if unknown:
            raise InputError(
                f"schedule of {foot!r}: {unknown[0]!r} is not a mark", fix="x where it stands, - where not"
            )
        if len(marks) != len(phases):
            raise InputError(
                f"the schedule of {foot!r} does not fill the horizon",
                why=f"it has {len(marks)} marks for {len(phases)} phases",
            )
        stands = tuple(i for i, m in enumerate(marks) if (m if isinstance(m, bool) else MARKS[m]))
        own = {name: value[foot] if isinstance(value, Mapping) else value for name, value in fields.items()}
        found.append(PointContact(foot, stands, **own))
    return tuple(found)
