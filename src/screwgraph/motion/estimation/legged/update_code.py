"""One update of a legged smoother as machine code: linearise, eliminate, substitute, until estimates stay; marginalise.

What stays in the window beside an event that leaves keeps its linearisation from then on, biases included: its
displacements are estimated, the Jacobians are those of the first estimates (Huang, Mourikis & Roumeliotis, 2008).
"""

from __future__ import annotations

from functools import cache

from screwgraph.compiler.kernels import Bundle, Ints, Kernels, Reals, call_loop, compile_kernels, offset_of, tail
from screwgraph.motion.estimation.legged.fronts import FRONTS, eliminate_front, substitute_fronts
from screwgraph.motion.estimation.legged.smoother_tables import (
    BASE_NUMBERS,
    BIAS,
    CHANGE_AT,
    EVENT,
    MOVE_AT,
    MOVED,
    OWN,
    ROW_LENGTH,
    ROWS,
    TIME,
    TOGETHER,
    WHITE,
    D,
    Foothold,
    Header,
    Sighting,
    Sizes,
    Tables,
    X,
)

ROW = 8
"""Bytes of a number."""
ARGUMENTS = 16
"""Zeros that `steps` begins with, one for each argument of a loop; then strides."""
OF_HEADER, OF_EVENTS, OF_FOOTHOLDS, OF_SIGHTINGS, OF_WORK = 0, 1, 2, 3, 4
"""Where addresses of tables are, in `Calls.addresses_of`."""
HEADER_BIAS, GRAVITY, CONTACT, HUBER, START_BASE, START_ROOT, START_BIAS, START_EQUATIONS, NOW = (
    offset_of(Header, name)
    for name in (
        "bias", "gravity", "contact_whitening", "huber", "start_base", "start_root", "start_bias_information",
        "start_equations", "now",
    )
)  # fmt: skip
FOOTHOLD, P = Foothold.dtype.itemsize // ROW, offset_of(Foothold, "p")
SIGHTING, POINT, EQUATIONS = (
    Sighting.dtype.itemsize // ROW,
    offset_of(Sighting, "point"),
    offset_of(Sighting, "equations"),
)


class Calls(Bundle):
    """Arguments of calls of compiled factors: their addresses, those of tables, and operands of one call."""

    start: Ints
    motion: Ints
    contact: Ints
    turn: Ints
    addresses_of: Ints
    operands: Ints
    counts: Ints
    steps: Ints


def square_rows(entries: Reals, rows: Reals, white: Reals) -> None:
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


def linearise_factors(tables: Tables, calls: Calls) -> None:
    """Write the normal equations of all factors whose variables are linearised elsewhere now."""
    window = tables.window
    at = calls.addresses_of
    operands = calls.operands
    for k in range(window.head, window.count):
        slot = k % window.events
        own = tables.events[slot]
        here = at[OF_EVENTS] + ROW * EVENT * slot
        if own.stale != 0 and k == 0:
            operands[0] = here + ROW * X
            operands[1] = at[OF_HEADER] + ROW * HEADER_BIAS
            operands[2] = at[OF_HEADER] + ROW * START_BASE
            operands[3] = at[OF_HEADER] + ROW * START_ROOT
            operands[4] = at[OF_HEADER] + ROW * START_BIAS
            operands[5] = at[OF_HEADER] + ROW * START_EQUATIONS
            call_loop(calls.start, operands, calls.counts, tail(calls.steps, ARGUMENTS - 6))
        elif own.stale != 0 and k > window.head:
            operands[0] = at[OF_EVENTS] + ROW * (EVENT * ((k - 1) % window.events) + X)
            operands[1] = here + ROW * X
            operands[2] = at[OF_HEADER] + ROW * HEADER_BIAS
            operands[3] = here + ROW * CHANGE_AT
            operands[4] = at[OF_HEADER] + ROW * GRAVITY
            operands[5] = at[OF_WORK]
            call_loop(calls.motion, operands, calls.counts, tail(calls.steps, ARGUMENTS - 6))
            row = tail(tables.event, slot * EVENT)
            square_rows(tail(row, MOVE_AT), tables.work, tail(row, WHITE))
        own.stale = 0
        for o in range(own.first_sighting, own.end_sighting):
            place = o % window.sightings
            seen = tables.sighting_states[place]
            if seen.stale != 0:
                seen.stale = 0
                operands[0] = here + ROW * X
                operands[1] = at[OF_FOOTHOLDS] + ROW * (FOOTHOLD * seen.foothold + P)
                operands[2] = at[OF_SIGHTINGS] + ROW * (SIGHTING * place + POINT)
                operands[3] = at[OF_HEADER] + ROW * CONTACT
                operands[4] = at[OF_HEADER] + ROW * HUBER
                operands[5] = at[OF_SIGHTINGS] + ROW * (SIGHTING * place + EQUATIONS)
                call_loop(calls.contact, operands, calls.counts, tail(calls.steps, ARGUMENTS - 6))


def max_magnitude(x: Reals, n: int) -> float:
    """Return the largest of some sizes."""
    found = 0.0
    for i in range(n):
        size = abs(x[i])
        if not size <= found:
            found = size
    return found


def relinearise_displaced(tables: Tables, calls: Calls) -> int:
    """Linearise anew what is displaced by more than the threshold; return the first front that changes."""
    window = tables.window
    header = tables.header
    operands = calls.operands
    head = window.head
    count = window.count
    first = count
    limit = header.threshold
    if window.bias_held == 0 and max_magnitude(header.bias_displacement, BIAS) > limit:
        for i in range(BIAS):
            header.bias[i] = header.bias[i] + header.bias_displacement[i]
            header.bias_displacement[i] = 0.0
        for k in range(head, count):
            tables.events[k % window.events].stale = 1
        first = head
    for step in range(count - head):
        k = count - 1 - step
        slot = k % window.events
        row = tail(tables.event, slot * EVENT)
        own = tables.events[slot]
        if own.held == 0 and max_magnitude(tail(row, D), OWN) > limit:
            operands[0] = calls.addresses_of[OF_EVENTS] + ROW * (EVENT * slot + X)
            operands[1] = calls.addresses_of[OF_EVENTS] + ROW * (EVENT * slot + D)
            operands[2] = calls.addresses_of[OF_WORK]
            call_loop(calls.turn, operands, calls.counts, tail(calls.steps, ARGUMENTS - 3))
            for i in range(BASE_NUMBERS):
                row[X + i] = tables.work[i]
            for i in range(OWN):
                row[D + i] = 0.0
            own.stale = 1
            if k + 1 < count:
                tables.events[(k + 1) % window.events].stale = 1
            for o in range(own.first_sighting, own.end_sighting):
                tables.sighting_states[o % window.sightings].stale = 1
            if first >= k:
                first = k
                if k > head:
                    first = k - 1
        for n in range(own.touchdowns):
            s = tables.touchdowns[slot * window.most + n]
            foot = tables.footholds[s]
            if tables.foothold_states[s].held == 0 and max_magnitude(foot.displacement, 3) > limit:
                for i in range(3):
                    foot.p[i] = foot.p[i] + foot.displacement[i]
                    foot.displacement[i] = 0.0
                for o in range(own.first_sighting, tables.events[(count - 1) % window.events].end_sighting):
                    if tables.sighting_states[o % window.sightings].foothold == s:
                        tables.sighting_states[o % window.sightings].stale = 1
                if first > k:
                    first = k
    return first


def drop_events(tables: Tables, before: float) -> None:
    """Let the events go that are older; what they leave keeps its linearisation."""
    window = tables.window
    while window.head < window.count - 1 and tables.event[window.head % window.events * EVENT + TIME] < before:
        own = tables.events[window.head % window.events]
        for o in range(own.first_sighting, own.end_sighting):
            tables.foothold_states[tables.sighting_states[o % window.sightings].foothold].held = 1
        window.head = window.head + 1
        tables.events[window.head % window.events].held = 1
        window.bias_held = 1


def update_window(tables: Tables, calls: Calls, times: int, before: float) -> int:
    """Estimate, and let events older than `before` go; return how often it was linearised, or 0 without a solution."""
    window = tables.window
    header = tables.header
    operands = calls.operands
    done = 0
    while done < times:
        done = done + 1
        linearise_factors(tables, calls)
        for k in range(window.pending, window.count):
            if eliminate_front(tables, k) >= 0:
                window.pending = window.head
                return 0
        substitute_fronts(tables)
        window.pending = relinearise_displaced(tables, calls)
        if window.pending == window.count:
            break
    last = EVENT * ((window.count - 1) % window.events)
    operands[0] = calls.addresses_of[OF_EVENTS] + ROW * (last + X)
    operands[1] = operands[0] + ROW * (D - X)
    operands[2] = calls.addresses_of[OF_HEADER] + ROW * NOW
    call_loop(calls.turn, operands, calls.counts, tail(calls.steps, ARGUMENTS - 3))
    for i in range(BIAS):
        header.now_bias[i] = header.bias[i] + header.bias_displacement[i]
    drop_events(tables, before)
    if window.pending < window.head:
        window.pending = window.head
    return done


@cache
def compile_updates(sizes: Sizes) -> Kernels:
    """Return these functions as machine code."""
    functions = (
        *FRONTS,
        square_rows,
        linearise_factors,
        max_magnitude,
        relinearise_displaced,
        drop_events,
        update_window,
    )
    return compile_kernels(functions, sizes.constants)
