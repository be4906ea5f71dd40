"""One update of a legged smoother as machine code: linearise, eliminate, substitute, until estimates stay; marginalise.

What stays in the window beside an event that leaves keeps its linearisation from then on, biases included: its
displacements are estimated, the Jacobians are those of the first estimates (Huang, Mourikis & Roumeliotis, 2008).
"""

from __future__ import annotations

from functools import cache

from screwgraph.compiler.kernels import Ints, Kernels, Reals, call_loop, compile_kernels, tail
from screwgraph.estimation.legged.fronts import FRONTS, eliminated, substituted
from screwgraph.estimation.legged.tables import (
    AWAY,
    B_AWAY,
    BASE_NUMBERS,
    BIAS,
    BIAS_KEPT,
    CHANGE_AT,
    CONTACT,
    COUNT,
    END_SIGHT,
    EVENT,
    EVENT_INTS,
    EVENTS,
    FIRST_SIGHT,
    GRAVITY,
    HEAD,
    HELD,
    HUBER,
    KEPT,
    LIMIT,
    MOVE_AT,
    MOVED,
    NEW,
    NEW_STANDS,
    NOW,
    NOW_BIAS,
    OF,
    OLD,
    OWN,
    PENDING,
    POINT,
    ROW_LENGTH,
    ROWS,
    SIGHT,
    SIGHT_AT,
    SIGHT_INTS,
    SIGHTS,
    STALE,
    STAND,
    STAND_INTS,
    START_AT,
    START_BIAS,
    START_ROOT,
    START_X,
    TIME,
    TOGETHER,
    WHITE,
    B,
    D,
    P,
    Sizes,
    X,
)

ROW = 8
"""Bytes of a number."""
ARGUMENTS = 16
"""Zeros that `steps` begins with, one for each argument of a loop; then strides."""
OF_HEADER, OF_EVENTS, OF_STANDS, OF_SIGHTS, OF_ROOM = 0, 1, 2, 3, 4
"""Where tables are, in `at`."""


def squared_rows(entries: Reals, rows: Reals, white: Reals) -> None:
    """Write J'J and J'r of rows that are whitened by a lower triangular matrix."""
    for back in range(OWN):
        a = OWN - 1 - back
        row = tail(rows, a * ROW_LENGTH)
        x = white[a * OWN + a]
        for i in range(ROW_LENGTH):
            row[i] = row[i] * x
        for b in range(a):
            other = tail(rows, b * ROW_LENGTH)
            x = white[a * OWN + b]
            for i in range(ROW_LENGTH):
                row[i] = row[i] + x * other[i]
    for j in range(MOVED + 1):
        column = tail(entries, j * MOVED)
        first = rows[j]
        for i in range(MOVED):
            column[i] = first * rows[i]
        for c in range((ROWS - 1) // TOGETHER):
            row = tail(rows, (1 + TOGETHER * c) * ROW_LENGTH)
            at = tail(row, j)
            for i in range(MOVED):
                one = at[0] * row[i] + at[ROW_LENGTH] * row[ROW_LENGTH + i]
                two = at[2 * ROW_LENGTH] * row[2 * ROW_LENGTH + i] + at[3 * ROW_LENGTH] * row[3 * ROW_LENGTH + i]
                three = at[4 * ROW_LENGTH] * row[4 * ROW_LENGTH + i] + at[5 * ROW_LENGTH] * row[5 * ROW_LENGTH + i]
                four = at[6 * ROW_LENGTH] * row[6 * ROW_LENGTH + i] + at[7 * ROW_LENGTH] * row[7 * ROW_LENGTH + i]
                column[i] = column[i] + ((one + two) + (three + four))


def linearised(numbers: Ints, event: Reals, events: Ints, sights: Ints, work: Reals, start: Ints, motion: Ints,
               contact: Ints, at: Ints, operands: Ints, counts: Ints, steps: Ints) -> None:  # fmt: skip
    """Write the normal equations of all factors whose variables are linearised elsewhere now."""
    for k in range(numbers[HEAD], numbers[COUNT]):
        own = tail(events, k % numbers[EVENTS] * numbers[EVENT_INTS])
        here = at[OF_EVENTS] + ROW * EVENT * (k % numbers[EVENTS])
        if own[STALE] != 0 and k == 0:
            operands[0] = here + ROW * X
            operands[1] = at[OF_HEADER] + ROW * B
            operands[2] = at[OF_HEADER] + ROW * START_X
            operands[3] = at[OF_HEADER] + ROW * START_ROOT
            operands[4] = at[OF_HEADER] + ROW * START_BIAS
            operands[5] = at[OF_HEADER] + ROW * START_AT
            call_loop(start, operands, counts, tail(steps, ARGUMENTS - 6))
        elif own[STALE] != 0 and k > numbers[HEAD]:
            operands[0] = at[OF_EVENTS] + ROW * (EVENT * ((k - 1) % numbers[EVENTS]) + X)
            operands[1] = here + ROW * X
            operands[2] = at[OF_HEADER] + ROW * B
            operands[3] = here + ROW * CHANGE_AT
            operands[4] = at[OF_HEADER] + ROW * GRAVITY
            operands[5] = at[OF_ROOM]
            call_loop(motion, operands, counts, tail(steps, ARGUMENTS - 6))
            row = tail(event, k % numbers[EVENTS] * EVENT)
            squared_rows(tail(row, MOVE_AT), work, tail(row, WHITE))
        own[STALE] = 0
        for o in range(own[FIRST_SIGHT], own[END_SIGHT]):
            place = o % numbers[SIGHTS]
            if sights[place * SIGHT_INTS + OLD] != 0:
                sights[place * SIGHT_INTS + OLD] = 0
                operands[0] = here + ROW * X
                stand = sights[place * SIGHT_INTS + OF]
                operands[1] = at[OF_STANDS] + ROW * (STAND * stand + P)
                operands[2] = at[OF_SIGHTS] + ROW * (SIGHT * place + POINT)
                operands[3] = at[OF_HEADER] + ROW * CONTACT
                operands[4] = at[OF_HEADER] + ROW * HUBER
                operands[5] = at[OF_SIGHTS] + ROW * (SIGHT * place + SIGHT_AT)
                call_loop(contact, operands, counts, tail(steps, ARGUMENTS - 6))


def largest(x: Reals, n: int) -> float:
    """Return the largest of some sizes."""
    found = 0.0
    for i in range(n):
        size = abs(x[i])
        if not size <= found:
            found = size
    return found


def settled(header: Reals, numbers: Ints, event: Reals, events: Ints, stand: Reals, stands: Ints, sights: Ints,
            work: Reals, turn: Ints, at: Ints, operands: Ints, counts: Ints, steps: Ints) -> int:  # fmt: skip
    """Linearise anew what is displaced by more than the threshold; return the first front that changes."""
    head = numbers[HEAD]
    count = numbers[COUNT]
    first = count
    limit = header[LIMIT]
    if numbers[BIAS_KEPT] == 0 and largest(tail(header, B_AWAY), BIAS) > limit:
        for i in range(BIAS):
            header[B + i] = header[B + i] + header[B_AWAY + i]
            header[B_AWAY + i] = 0.0
        for k in range(head, count):
            events[k % numbers[EVENTS] * numbers[EVENT_INTS] + STALE] = 1
        first = head
    for step in range(count - head):
        k = count - 1 - step
        slot = k % numbers[EVENTS]
        row = tail(event, slot * EVENT)
        own = tail(events, slot * numbers[EVENT_INTS])
        if own[KEPT] == 0 and largest(tail(row, D), OWN) > limit:
            operands[0] = at[OF_EVENTS] + ROW * (EVENT * slot + X)
            operands[1] = at[OF_EVENTS] + ROW * (EVENT * slot + D)
            operands[2] = at[OF_ROOM]
            call_loop(turn, operands, counts, tail(steps, ARGUMENTS - 3))
            for i in range(BASE_NUMBERS):
                row[X + i] = work[i]
            for i in range(OWN):
                row[D + i] = 0.0
            own[STALE] = 1
            if k + 1 < count:
                events[(k + 1) % numbers[EVENTS] * numbers[EVENT_INTS] + STALE] = 1
            for o in range(own[FIRST_SIGHT], own[END_SIGHT]):
                sights[o % numbers[SIGHTS] * SIGHT_INTS + OLD] = 1
            if first >= k:
                first = k
                if k > head:
                    first = k - 1
        for n in range(own[NEW]):
            s = own[NEW_STANDS + n]
            foot = tail(stand, s * STAND)
            if stands[s * STAND_INTS + HELD] == 0 and largest(tail(foot, AWAY), 3) > limit:
                for i in range(3):
                    foot[P + i] = foot[P + i] + foot[AWAY + i]
                    foot[AWAY + i] = 0.0
                for o in range(
                    own[FIRST_SIGHT], events[(count - 1) % numbers[EVENTS] * numbers[EVENT_INTS] + END_SIGHT]
                ):
                    if sights[o % numbers[SIGHTS] * SIGHT_INTS + OF] == s:
                        sights[o % numbers[SIGHTS] * SIGHT_INTS + OLD] = 1
                if first > k:
                    first = k
    return first


def dropped(before: float, numbers: Ints, event: Reals, events: Ints, stands: Ints, sights: Ints) -> None:
    """Let the events go that are older; what they leave keeps its linearisation."""
    while numbers[HEAD] < numbers[COUNT] - 1 and event[numbers[HEAD] % numbers[EVENTS] * EVENT + TIME] < before:
        own = tail(events, numbers[HEAD] % numbers[EVENTS] * numbers[EVENT_INTS])
        for o in range(own[FIRST_SIGHT], own[END_SIGHT]):
            stands[sights[o % numbers[SIGHTS] * SIGHT_INTS + OF] * STAND_INTS + HELD] = 1
        numbers[HEAD] = numbers[HEAD] + 1
        events[numbers[HEAD] % numbers[EVENTS] * numbers[EVENT_INTS] + KEPT] = 1
        numbers[BIAS_KEPT] = 1


def updated(header: Reals, numbers: Ints, event: Reals, events: Ints, stand: Reals, stands: Ints, sight: Reals,
            sights: Ints, fronts: Reals, front_ints: Ints, work: Reals, places: Ints, at: Ints, operands: Ints,
            counts: Ints, steps: Ints, start: Ints, motion: Ints, contact: Ints, turn: Ints, times: int,
            before: float) -> int:  # fmt: skip
    """Estimate, and let events older than `before` go; return how often it was linearised, or 0 without a solution."""
    done = 0
    while done < times:
        done = done + 1
        linearised(numbers, event, events, sights, work, start, motion, contact, at, operands, counts, steps)
        for k in range(numbers[PENDING], numbers[COUNT]):
            if eliminated(k, header, numbers, event, events, stand, stands, sight, sights, fronts, front_ints,
                          places) >= 0:  # fmt: skip
                numbers[PENDING] = numbers[HEAD]
                return 0
        substituted(header, numbers, event, stand, fronts, front_ints, work)
        numbers[PENDING] = settled(header, numbers, event, events, stand, stands, sights, work, turn, at, operands,
                                   counts, steps)  # fmt: skip
        if numbers[PENDING] == numbers[COUNT]:
            break
    operands[0] = at[OF_EVENTS] + ROW * (EVENT * ((numbers[COUNT] - 1) % numbers[EVENTS]) + X)
    operands[1] = operands[0] + ROW * (D - X)
    operands[2] = at[OF_HEADER] + ROW * NOW
    call_loop(turn, operands, counts, tail(steps, ARGUMENTS - 3))
    for i in range(BIAS):
        header[NOW_BIAS + i] = header[B + i] + header[B_AWAY + i]
    dropped(before, numbers, event, events, stands, sights)
    if numbers[PENDING] < numbers[HEAD]:
        numbers[PENDING] = numbers[HEAD]
    return done


@cache
def updates(sizes: Sizes) -> Kernels:
    """Return these functions as machine code."""
    functions = (*FRONTS, squared_rows, linearised, largest, settled, dropped, updated)
    return compile_kernels(functions, sizes.constants)
