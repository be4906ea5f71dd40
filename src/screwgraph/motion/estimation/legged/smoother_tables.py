"""Tables of a legged smoother: records that its kernels and NumPy share, and where numbers of events stand.

Events and sightings of feet are in rings: row i of a table belongs to the item i modulo its length.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.compiler.kernels import Bundle, Ints, Reals, Record, Table, entries, new_table

NAVIGATION = 9
"""Directions of rotation in the base's own axes, velocity and position in the world's."""
NAVIGATION_NUMBERS = 15
"""Rotation row by row, velocity, position."""
BIASES = 6
"""Of gyroscope and accelerometer."""
SEEN = 9
"""Directions of what a sighting ties: rotation, position, foothold."""
CHANGE_SIZE = 67
"""What was preintegrated, its derivatives by biases, and the biases at which it was."""
ROW_LENGTH = 32
"""Numbers of a row of a motion's Jacobian: derivatives by all directions, residual, zeros."""
TOGETHER = 8
"""Rows of a motion's Jacobian that are squared together; one more is squared first."""
SEEN_SIZE = SEEN * (SEEN + 3) // 2


@dataclass(frozen=True)
class Sizes:
    """Sizes of what depends on where biases are: one for all events, or of each event with its base, `are_walking`."""

    are_walking: bool

    @cached_property
    def constants(self) -> dict[str, int]:
        """By the names that machine code has for them.

        OWN directions and BASE_NUMBERS of a base, BIAS directions of what all events share, MOVED of what an inertial
        measurement ties, ROWS of that with rows of zeros. An event has its base, displacement D, TIME, what led there,
        the whitening of that, and its normal equations: J'J column by column, then J'r.
        """
        own, bias = (NAVIGATION + BIASES, 0) if self.are_walking else (NAVIGATION, BIASES)
        base, moved = NAVIGATION_NUMBERS + own - NAVIGATION, 2 * own + bias
        rows = 1 + TOGETHER * -(-(own - 1) // TOGETHER)
        found = {"OWN": own, "BIAS": bias, "BASE_NUMBERS": base, "MOVED": moved, "ROWS": rows}
        at, stretches = 0, {"D": base, "TIME": own, "CHANGE_AT": 1, "WHITE": CHANGE_SIZE, "MOVE_AT": own * own}
        for name, length in (*stretches.items(), ("EVENT", moved * (moved + 1))):
            found[name] = at = at + length
        return found


_SHARED = Sizes(are_walking=False).constants
OWN, BIAS, BASE_NUMBERS, MOVED, ROWS = (_SHARED[n] for n in ("OWN", "BIAS", "BASE_NUMBERS", "MOVED", "ROWS"))
X, D, TIME, CHANGE_AT = 0, _SHARED["D"], _SHARED["TIME"], _SHARED["CHANGE_AT"]
WHITE, MOVE_AT, EVENT = _SHARED["WHITE"], _SHARED["MOVE_AT"], _SHARED["EVENT"]


class Header(Record):
    """Numbers that are one for all events."""

    bias: Reals = entries(6)
    """Where biases of gyroscope (rad/s) and accelerometer (m/s^2) are linearised."""
    bias_displacement: Reals = entries(6)
    threshold: float
    """Displacements beyond which is linearised anew."""
    gravity: Reals = entries(3)
    contact_whitening: Reals = entries(9)
    huber: float
    """Threshold of the robust loss."""
    start_base: Reals = entries(NAVIGATION_NUMBERS)
    start_root: Reals = entries(NAVIGATION * NAVIGATION)
    """Root of the information of the first base."""
    start_bias_information: Reals = entries(BIASES)
    start_equations: Reals = entries(135)
    """Normal equations of the start: 15 columns of J'J from the diagonal on, each with its entry of J'r."""
    now: Reals = entries(NAVIGATION_NUMBERS)
    now_bias: Reals = entries(BIASES)
    """The last base and biases as estimated; biases follow the base, as where events have their own."""


class Window(Record):
    """Counts of the window, and lengths of rows."""

    head: int
    """The first event."""
    count: int
    """Events so far."""
    bias_held: int
    """Whether the biases keep their linearisation."""
    pending: int
    """The first front to eliminate anew."""
    events: int
    sightings: int
    most: int
    """Lengths of rings; footholds at once."""
    front: int
    """Numbers of a front."""


class EventState(Record):
    """An event."""

    held: int
    """Whether its base keeps its linearisation."""
    stale: int
    """Whether what led there must be linearised anew."""
    first_sighting: int
    end_sighting: int
    touchdowns: int
    """How many footholds begin there; `Tables.touchdowns` lists them."""


class Foothold(Record):
    """A foothold (m): where it is linearised, where it is expected, displacement, information (3, 3) of that."""

    p: Reals = entries(3)
    expected: Reals = entries(3)
    displacement: Reals = entries(3)
    information: Reals = entries(9)


class FootholdState(Record):
    """A foothold."""

    left: int
    """The event after which it is left; -1: it stands."""
    held: int
    """Whether it keeps its linearisation."""
    place: int
    """Its first column in the front at hand."""


class Sighting(Record):
    """A foot on its foothold: where kinematics has it (m), height of the ground and 1 / sigma^2 of that."""

    point: Reals = entries(3)
    height: float
    height_weight: float
    equations: Reals = entries(SEEN_SIZE)
    """Normal equations: columns of J'J from the diagonal on, each with its entry of J'r."""


class SightingState(Record):
    """A sighting."""

    foothold: int
    stale: int
    """Whether it must be linearised anew."""


class FrontState(Record):
    """A front."""

    columns: int
    eliminated: int
    """How many of them are eliminated."""
    lifted: int
    staying: int
    """How many footholds are eliminated, and how many stay; `Tables.lifted` and `Tables.staying` list them."""


class Tables(Bundle):
    """All numbers of a window; rows of lists of footholds have `most` entries."""

    header: Header
    window: Window
    event: Reals
    events: Table[EventState]
    touchdowns: Ints
    footholds: Table[Foothold]
    foothold_states: Table[FootholdState]
    sightings: Table[Sighting]
    sighting_states: Table[SightingState]
    front: Reals
    fronts: Table[FrontState]
    lifted: Ints
    staying: Ints
    work: Reals
    places: Ints


def new_tables(events: int, sightings: int, most: int, sizes: Sizes) -> Any:
    """Return tables with space for so many events and sightings, and footholds at one event.

    Footholds at an event are those that stand, with those that are left then.
    """
    numbers = sizes.constants
    width = numbers["MOVED"] + 3 * most
    window = new_table(Window, 1)
    window["events"], window["sightings"], window["most"] = events, sightings, most
    window["front"] = width * (width + 1)
    lists = (np.zeros((events, most), dtype=np.int64) for _ in range(3))
    touchdowns, lifted, staying = lists
    return Tables(
        header=new_table(Header, 1),
        window=window,
        event=np.zeros((events, numbers["EVENT"])),
        events=new_table(EventState, events),
        touchdowns=touchdowns,
        footholds=new_table(Foothold, sightings),
        foothold_states=new_table(FootholdState, sightings),
        sightings=new_table(Sighting, sightings),
        sighting_states=new_table(SightingState, sightings),
        front=np.zeros((events, width * (width + 1))),
        fronts=new_table(FrontState, events),
        lifted=lifted,
        staying=staying,
        work=np.zeros(max(width + 1, numbers["ROWS"] * ROW_LENGTH)),
        places=np.zeros(width + 1, dtype=np.int64),
    )


def grown(tables: Any, sizes: Sizes) -> Any:
    """Return the same tables with twice the space."""
    window = tables.window
    events, sightings = len(tables.events), len(tables.sightings)
    more = new_tables(2 * events, 2 * sightings, int(window["most"][0]), sizes)
    more.header[:] = tables.header
    for name in ("head", "count", "bias_held", "pending"):
        more.window[name] = window[name]
    head, count = int(window["head"][0]), int(window["count"][0])
    for k in range(max(head - 1, 0), count):
        for name in ("event", "events", "touchdowns", "front", "fronts", "lifted", "staying"):
            getattr(more, name)[k % (2 * events)] = getattr(tables, name)[k % events]
    end = int(tables.events["end_sighting"][(count - 1) % events]) if count else 0
    for k in range(max(end - sightings, 0), end):
        for name in ("sightings", "sighting_states"):
            getattr(more, name)[k % (2 * sightings)] = getattr(tables, name)[k % sightings]
    more.footholds[:sightings], more.foothold_states[:sightings] = tables.footholds, tables.foothold_states
    return more
