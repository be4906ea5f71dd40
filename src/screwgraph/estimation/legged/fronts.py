"""Elimination along a chain of contact events, front by front; see `tables` and `compiler.kernels`.

Front k has the footholds that are left after event k, base k, base k + 1, the biases, and the footholds that stay. It
is [[H], [g']] as in `incremental.dense`; what stands above the diagonal is not read. What stays of it is added to front
k + 1; the last front goes as a whole.
"""

from __future__ import annotations

from screwgraph.compiler.kernels import Ints, Reals, tail
from screwgraph.estimation.legged.tables import (
    AWAY,
    B_AWAY,
    BIAS,
    COLUMNS,
    COUNT,
    END_SIGHT,
    EVENT,
    EVENT_INTS,
    EVENTS,
    EXPECTED,
    FIRST_SIGHT,
    FRONT,
    FRONT_INTS,
    GOING,
    HEAD,
    HEIGHT,
    HEIGHT_WEIGHT,
    INFORMATION,
    LEFT,
    LIFTED,
    MOST,
    MOVE_AT,
    MOVED,
    NEW,
    NEW_STANDS,
    OF,
    OWN,
    PLACE,
    SEEN,
    SIGHT,
    SIGHT_AT,
    SIGHT_INTS,
    SIGHTS,
    STAND,
    STAND_INTS,
    STANDS,
    START_AT,
    STAYING,
    D,
    P,
)
from screwgraph.optimize.incremental.dense import DENSE, factored_front

TINY = 1e-15
"""Pivots that are left of their diagonal, relative: less is rounding."""


def put_block(front: Reals, M: int, entries: Reals, places: Ints, n: int) -> None:
    """Add a lower triangle of n columns, each with its entry of g, at places of a front."""
    ld = M + 1
    e = 0
    for j in range(n):
        c = places[j]
        for i in range(j, n):
            r = places[i]
            if r >= c:
                front[c * ld + r] = front[c * ld + r] + entries[e + i - j]
            else:
                front[r * ld + c] = front[r * ld + c] + entries[e + i - j]
        e = e + n - j
        front[c * ld + M] = front[c * ld + M] + entries[e]
        e = e + 1


def listed(k: int, numbers: Ints, events: Ints, stands: Ints, front_ints: Ints) -> None:
    """Find which footholds front k has, and their places."""
    most = numbers[MOST]
    ring = numbers[EVENTS]
    own = tail(front_ints, k % ring * numbers[FRONT_INTS])
    lifted = 0
    staying = 0
    if k > 0:
        before = tail(front_ints, (k - 1) % ring * numbers[FRONT_INTS])
        for i in range(before[STAYING]):
            s = before[STANDS + most + i]
            if stands[s * STAND_INTS + LEFT] == k:
                own[STANDS + lifted] = s
                lifted = lifted + 1
            else:
                own[STANDS + most + staying] = s
                staying = staying + 1
    event = tail(events, k % ring * numbers[EVENT_INTS])
    for i in range(event[NEW]):
        s = event[NEW_STANDS + i]
        if stands[s * STAND_INTS + LEFT] == k:
            own[STANDS + lifted] = s
            lifted = lifted + 1
        else:
            own[STANDS + most + staying] = s
            staying = staying + 1
    behind_bases = 3 * lifted + 2 * OWN
    own[GOING] = 3 * lifted + OWN
    if k == numbers[COUNT] - 1:
        behind_bases = 3 * lifted + OWN
        own[GOING] = behind_bases + BIAS + 3 * staying
    own[COLUMNS] = behind_bases + BIAS + 3 * staying
    own[LIFTED] = lifted
    own[STAYING] = staying
    for i in range(lifted):
        stands[own[STANDS + i] * STAND_INTS + PLACE] = 3 * i
    for i in range(staying):
        place = behind_bases + BIAS + 3 * i
        stands[own[STANDS + most + i] * STAND_INTS + PLACE] = place


def add_carry(front: Reals, M: int, base: int, bias: int, before: Reals, ints: Ints, numbers: Ints, stands: Ints,
              places: Ints) -> None:  # fmt: skip
    """Add what stays of the front before."""
    ld = M + 1
    going = ints[GOING]
    old = ints[COLUMNS] + 1
    n = ints[COLUMNS] - going
    feet = OWN + BIAS
    for s in range(ints[STAYING]):
        place = stands[ints[STANDS + numbers[MOST] + s] * STAND_INTS + PLACE]
        for i in range(3):
            places[feet + 3 * s + i] = place + i
    for j in range(n):
        column = tail(before, (going + j) * old + going)
        c = places[j]
        if j < feet:
            c = bias + j - OWN
            if j < OWN:
                c = base + j
                target = tail(front, c * ld + base)
                for i in range(OWN):
                    target[i] = target[i] + column[i]
            target = tail(front, c * ld + bias)
            more = tail(column, OWN)
            for i in range(BIAS):
                target[i] = target[i] + more[i]
        first = feet
        if j > feet:
            first = j
        for i in range(first, n):
            r = places[i]
            if r >= c:
                front[c * ld + r] = front[c * ld + r] + column[i]
            else:
                front[r * ld + c] = front[r * ld + c] + column[i]
        front[c * ld + M] = front[c * ld + M] + column[n]


def add_footholds(k: int, front: Reals, M: int, numbers: Ints, events: Ints, stand: Reals, stands: Ints) -> None:
    """Add what the touchdowns at event k say of footholds."""
    ld = M + 1
    event = tail(events, k % numbers[EVENTS] * numbers[EVENT_INTS])
    for n in range(event[NEW]):
        s = event[NEW_STANDS + n]
        own = tail(stand, s * STAND)
        place = stands[s * STAND_INTS + PLACE]
        for j in range(3):
            column = tail(front, (place + j) * ld)
            for i in range(j, 3):
                column[place + i] = column[place + i] + own[INFORMATION + 3 * i + j]
            for i in range(3):
                away = own[P + i] - own[EXPECTED + i]
                column[M] = column[M] + own[INFORMATION + 3 * j + i] * away


def add_sights(k: int, front: Reals, M: int, base: int, numbers: Ints, events: Ints, stand: Reals, stands: Ints,
               sight: Reals, sights: Ints, places: Ints) -> None:  # fmt: skip
    """Add what is seen of feet at event k."""
    ld = M + 1
    own = tail(events, k % numbers[EVENTS] * numbers[EVENT_INTS])
    for i in range(3):
        places[i] = base + i
        places[3 + i] = base + 6 + i
    for o in range(own[FIRST_SIGHT], own[END_SIGHT]):
        row = tail(sight, o % numbers[SIGHTS] * SIGHT)
        s = sights[o % numbers[SIGHTS] * SIGHT_INTS + OF]
        z = stands[s * STAND_INTS + PLACE]
        for i in range(3):
            places[6 + i] = z + i
        put_block(front, M, tail(row, SIGHT_AT), places, SEEN)
        z = z + 2
        front[z * ld + z] = front[z * ld + z] + row[HEIGHT_WEIGHT]
        off = stand[s * STAND + P + 2] - row[HEIGHT]
        front[z * ld + M] = front[z * ld + M] + row[HEIGHT_WEIGHT] * off


def eliminated(k: int, header: Reals, numbers: Ints, event: Reals, events: Ints, stand: Reals, stands: Ints,
               sight: Reals, sights: Ints, fronts: Reals, front_ints: Ints, places: Ints) -> int:  # fmt: skip
    """Write front k and eliminate what goes; return the first column without a positive pivot, or -1."""
    slot = k % numbers[EVENTS]
    own = tail(front_ints, slot * numbers[FRONT_INTS])
    front = tail(fronts, slot * numbers[FRONT])
    listed(k, numbers, events, stands, front_ints)
    M = own[COLUMNS]
    ld = M + 1
    base = 3 * own[LIFTED]
    bias = base + 2 * OWN
    if k == numbers[COUNT] - 1:
        bias = base + OWN
    for i in range(M * ld):
        front[i] = 0.0
    if k == 0:
        for i in range(OWN):
            places[i] = base + i
        for i in range(BIAS):
            places[OWN + i] = bias + i
        put_block(front, M, tail(header, START_AT), places, OWN + BIAS)
    else:
        back = (k - 1) % numbers[EVENTS]
        before = tail(fronts, back * numbers[FRONT])
        ints = tail(front_ints, back * numbers[FRONT_INTS])
        add_carry(front, M, base, bias, before, ints, numbers, stands, places)
    add_footholds(k, front, M, numbers, events, stand, stands)
    add_sights(k, front, M, base, numbers, events, stand, stands, sight, sights, places)
    if k < numbers[COUNT] - 1:
        entries = tail(event, (k + 1) % numbers[EVENTS] * EVENT + MOVE_AT)
        for j in range(MOVED):
            column = tail(front, (base + j) * ld + base)
            more = tail(entries, j * MOVED)
            for i in range(MOVED):
                column[i] = column[i] + more[i]
            front[(base + j) * ld + M] = front[(base + j) * ld + M] + entries[MOVED * MOVED + j]
    return factored_front(front, own[GOING], M, TINY)


def substituted(header: Reals, numbers: Ints, event: Reals, stand: Reals, fronts: Reals, front_ints: Ints,
                work: Reals) -> None:  # fmt: skip
    """Write all displacements, from the last event to the first."""
    last = numbers[COUNT] - 1
    most = numbers[MOST]
    for step in range(last - numbers[HEAD] + 1):
        k = last - step
        own = tail(front_ints, k % numbers[EVENTS] * numbers[FRONT_INTS])
        front = tail(fronts, k % numbers[EVENTS] * numbers[FRONT])
        base = 3 * own[LIFTED]
        bias = base + OWN
        if k < last:
            bias = base + 2 * OWN
            after = tail(event, (k + 1) % numbers[EVENTS] * EVENT + D)
            for i in range(OWN):
                work[base + OWN + i] = after[i]
            for i in range(BIAS):
                work[bias + i] = header[B_AWAY + i]
            for s in range(own[STAYING]):
                foot = own[STANDS + most + s] * STAND + AWAY
                for i in range(3):
                    work[bias + BIAS + 3 * s + i] = stand[foot + i]
        M = own[COLUMNS]
        ld = M + 1
        for back in range(own[GOING]):
            j = own[GOING] - 1 - back
            column = tail(front, j * ld)
            x = -column[M]
            for i in range(j + 1, M):
                x = x - column[i] * work[i]
            work[j] = x / column[j]
        for s in range(own[LIFTED]):
            for i in range(3):
                stand[own[STANDS + s] * STAND + AWAY + i] = work[3 * s + i]
        for i in range(OWN):
            event[k % numbers[EVENTS] * EVENT + D + i] = work[base + i]
        if k == last:
            for i in range(BIAS):
                header[B_AWAY + i] = work[bias + i]
            for s in range(own[STAYING]):
                for i in range(3):
                    place = own[STANDS + most + s] * STAND + AWAY
                    stand[place + i] = work[bias + BIAS + 3 * s + i]


FRONTS = (*DENSE, put_block, listed, add_carry, add_footholds, add_sights, eliminated, substituted)
