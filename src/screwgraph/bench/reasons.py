"""Why things were not measured: each reason once, with the places where it holds."""

from __future__ import annotations

from collections.abc import Iterable

SHOWN = 3
"""More places than these are counted, not named."""


def gathered(found: Iterable[tuple[str, str]]) -> list[str]:
    """Return one line a reason, from (reason, place) pairs."""
    places: dict[str, list[str]] = {}
    for reason, place in found:
        places.setdefault(reason, []).append(place)
    return [f"{reason} ({_listed(list(dict.fromkeys(here)))})" for reason, here in places.items()]


def _listed(places: list[str]) -> str:
    more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
    return ", ".join(places[:SHOWN]) + more
