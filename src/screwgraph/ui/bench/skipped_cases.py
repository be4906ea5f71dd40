"""Why things were not measured: each reason once, with the places where it holds."""

from __future__ import annotations

from collections.abc import Iterable

SHOWN = 3
"""More places than these are counted, not named."""


def group_by_reason(found: Iterable[tuple[str, str]]) -> list[str]:
    """Return one line a reason, from (reason, place) pairs."""
    places: dict[str, list[str]] = {}
    for reason, place in found:
        places.setdefault(reason, []).append(place)
    return [f"{reason} ({_format_places(list(dict.fromkeys(here)))})" for reason, here in places.items()]


def _format_places(places: list[str]) -> str:
    more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
    return ", ".join(places[:SHOWN]) + more
