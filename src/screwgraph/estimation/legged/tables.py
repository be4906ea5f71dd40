"""Where a legged smoother's numbers stand in its tables; machine code reads the same constants.

Events and sightings of feet are in rings: row i of a table belongs to the item i modulo its length.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

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
# ... and integers: whether its base keeps its linearisation, whether what led there must be linearised anew, first
# sighting, last, how many footholds begin there; then these.
KEPT, STALE, FIRST_SIGHT, END_SIGHT, NEW, NEW_STANDS = 0, 1, 2, 3, 4, 5
# A foothold: where it is linearised, where it is expected, displacement, information.
P, EXPECTED, AWAY, INFORMATION, STAND = 0, 3, 6, 9, 18
# ... and integers: the event after which it is left (-1: it stands), whether it keeps its linearisation, place.
LEFT, HELD, PLACE, STAND_INTS = 0, 1, 2, 3
# A sighting: where kinematics has the foot, height and 1 / sigma^2 of it, normal equations.
POINT, HEIGHT, HEIGHT_WEIGHT, SIGHT_AT, SIGHT = 0, 3, 4, 5, 5 + SEEN_SIZE
# ... and integers: foothold, whether it must be linearised anew.
OF, OLD, SIGHT_INTS = 0, 1, 2
# A front: columns, columns that go, footholds that go, footholds that stay; then these.
COLUMNS, GOING, LIFTED, STAYING, STANDS = 0, 1, 2, 3, 4
# All: first event, events so far, whether the biases keep their linearisation, first front to eliminate anew; lengths
# of rings, footholds at once, lengths of rows.
HEAD, COUNT, BIAS_KEPT, PENDING, EVENTS, SIGHTS, MOST, EVENT_INTS, FRONT, FRONT_INTS = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
# Biases, their displacement, threshold of displacements, gravity, whitening of contacts, threshold of the robust loss;
# the start: base, root of its information (81), information of biases, normal equations; the last base and biases now,
# which are behind its other numbers where each event has its own.
B, B_AWAY, LIMIT, GRAVITY, CONTACT, HUBER = 0, 6, 12, 13, 16, 25
START_X, START_ROOT, START_BIAS, START_AT, NOW, NOW_BIAS, HEADER = 26, 41, 122, 128, 263, 278, 284


@dataclass(eq=False)
class Tables:
    """All numbers of a smoother with space for so many events, sightings and footholds at once."""

    events: int
    sights: int
    most: int
    """Footholds at one event, those that are left then with them."""
    sizes: Sizes

    def __post_init__(self) -> None:
        sizes = self.sizes.constants
        width = sizes["MOVED"] + 3 * self.most
        front, event, ints = width * (width + 1), NEW_STANDS + self.most, STANDS + 2 * self.most
        self.header = np.zeros(HEADER)
        self.numbers = np.array([0, 0, 0, 0, self.events, self.sights, self.most, event, front, ints])
        self.event, self.events_of = np.zeros((self.events, sizes["EVENT"])), _ints(self.events, event)
        self.stand, self.stands_of = np.zeros((self.sights, STAND)), _ints(self.sights, STAND_INTS)
        self.sight, self.sights_of = np.zeros((self.sights, SIGHT)), _ints(self.sights, SIGHT_INTS)
        self.front, self.fronts_of = np.zeros((self.events, front)), _ints(self.events, ints)
        self.work, self.places = (
            np.zeros(max(width + 1, sizes["ROWS"] * ROW_LENGTH)),
            np.zeros(width + 1, dtype=np.int64),
        )

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """All of them, as machine code takes them."""
        pairs = (self.event, self.events_of, self.stand, self.stands_of, self.sight, self.sights_of)
        return (self.header, self.numbers, *pairs, self.front, self.fronts_of, self.work, self.places)

    def grown(self) -> Tables:
        """Return the same with twice the space."""
        more = Tables(2 * self.events, 2 * self.sights, self.most, self.sizes)
        more.header[:], more.numbers[:EVENTS] = self.header, self.numbers[:EVENTS]
        head, count = int(self.numbers[HEAD]), int(self.numbers[COUNT])
        for k in range(max(head - 1, 0), count):
            for name in ("event", "events_of", "front", "fronts_of"):
                getattr(more, name)[k % more.events] = getattr(self, name)[k % self.events]
        end = int(self.events_of[(count - 1) % self.events, END_SIGHT]) if count else 0
        for k in range(max(end - self.sights, 0), end):
            for name in ("sight", "sights_of"):
                getattr(more, name)[k % more.sights] = getattr(self, name)[k % self.sights]
        more.stand[: self.sights], more.stands_of[: self.sights] = self.stand, self.stands_of
        return more


def _ints(rows: int, columns: int) -> np.ndarray:
    return np.zeros((rows, columns), dtype=np.int64)
