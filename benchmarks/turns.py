"""How often calls are repeated whose least time counts."""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time


def take_turns(rounds: int) -> Iterator[int]:
    """Count turns: so many at least, and until they have taken a second of CPU time."""
    began, turn = process_time(), 0
    while turn < rounds or process_time() - began < 1.0:
        yield turn
        turn += 1
