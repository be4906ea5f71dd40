"""Elimination along a chain of contact events, front by front; see `tables` and `compiler.kernels`.

Front k has the footholds that are left after event k, base k, base k + 1, the biases, and the footholds that stay. It
is [[H], [g']] as in `optimize.fronts`; what stands above the diagonal is not read. What stays of it is added
to front k + 1; the last front goes as a whole.

Factorisation and substitution are those of Bayes trees; order and assembly are not. As factors of a `BayesTree`, in the
same order, whose cliques lose the oldest event, an update took 1.25 times as long, and 1.3 times where all is
linearised anew: cliques are planned in each update (3 us of 70), and matrices are added unknown by unknown, with the
velocities that sightings do not tie; with runs of unknowns as one it was no faster.
"""

from __future__ import annotations

from screwgraph.compiler.kernels import Ints, Reals, tail
from screwgraph.motion.estimation.legged.smoother_tables import BIAS, EVENT, MOVE_AT, MOVED, OWN, SEEN, D, Tables
from screwgraph.optimize.fronts.front_cholesky import DENSE, factor_front, substitute_front

TINY = 1e-15
"""Pivots that are left of their diagonal, relative: less is rounding."""


def add_block(front: Reals, M: int, entries: Reals, places: Ints, n: int) -> None:
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


def list_footholds(tables: Tables, k: int) -> None:
    """Find which footholds front k has, and their places."""
    window = tables.window
    most = window.most
    slot = k % window.events
    lifted = 0
    staying = 0
    if k > 0:
        before = (k - 1) % window.events
        for i in range(tables.fronts[before].staying):
            s = tables.staying[before * most + i]
            if tables.foothold_states[s].left == k:
                tables.lifted[slot * most + lifted] = s
                lifted = lifted + 1
            else:
                tables.staying[slot * most + staying] = s
                staying = staying + 1
    for i in range(tables.events[slot].touchdowns):
        s = tables.touchdowns[slot * most + i]
        if tables.foothold_states[s].left == k:
            tables.lifted[slot * most + lifted] = s
            lifted = lifted + 1
        else:
            tables.staying[slot * most + staying] = s
            staying = staying + 1
    own = tables.fronts[slot]
    after_bases = 3 * lifted + 2 * OWN
    own.eliminated = 3 * lifted + OWN
    if k == window.count - 1:
        after_bases = 3 * lifted + OWN
        own.eliminated = after_bases + BIAS + 3 * staying
    own.columns = after_bases + BIAS + 3 * staying
    own.lifted = lifted
    own.staying = staying
    for i in range(lifted):
        tables.foothold_states[tables.lifted[slot * most + i]].place = 3 * i
    for i in range(staying):
        tables.foothold_states[tables.staying[slot * most + i]].place = after_bases + BIAS + 3 * i


def add_carry(tables: Tables, front: Reals, M: int, base: int, bias: int, back: int) -> None:
    """Add what stays of the front before, whose row is `back`."""
    ld = M + 1
    before = tail(tables.front, back * tables.window.front)
    going = tables.fronts[back].eliminated
    old = tables.fronts[back].columns + 1
    n = tables.fronts[back].columns - going
    feet = OWN + BIAS
    places = tables.places
    for s in range(tables.fronts[back].staying):
        place = tables.foothold_states[tables.staying[back * tables.window.most + s]].place
        for i in range(3):
            places[feet + 3 * s + i] = place + i
    for j in range(n):
        column = tail(before, (going + j) * old + going)
        c = places[j]
        # Columns of the base stand first, those of the biases after the next base: two runs of rows in this front.
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
        # Footholds go where this front has them: at its begin where they are lifted, else at its end.
        for i in range(first, n):
            r = places[i]
            if r >= c:
                front[c * ld + r] = front[c * ld + r] + column[i]
            else:
                front[r * ld + c] = front[r * ld + c] + column[i]
        front[c * ld + M] = front[c * ld + M] + column[n]


def add_footholds(tables: Tables, k: int, front: Reals, M: int) -> None:
    """Add what the touchdowns at event k say of footholds."""
    ld = M + 1
    slot = k % tables.window.events
    for n in range(tables.events[slot].touchdowns):
        s = tables.touchdowns[slot * tables.window.most + n]
        own = tables.footholds[s]
        place = tables.foothold_states[s].place
        for j in range(3):
            column = tail(front, (place + j) * ld)
            for i in range(j, 3):
                column[place + i] = column[place + i] + own.information[3 * i + j]
            for i in range(3):
                # g = Lambda (p - expected), of a prior |p - expected|^2 in the norm of Lambda.
                away = own.p[i] - own.expected[i]
                column[M] = column[M] + own.information[3 * j + i] * away


def add_sightings(tables: Tables, k: int, front: Reals, M: int, base: int) -> None:
    """Add what is seen of feet at event k."""
    ld = M + 1
    own = tables.events[k % tables.window.events]
    places = tables.places
    for i in range(3):
        places[i] = base + i
        places[3 + i] = base + 6 + i
    for o in range(own.first_sighting, own.end_sighting):
        row = tables.sightings[o % tables.window.sightings]
        s = tables.sighting_states[o % tables.window.sightings].foothold
        z = tables.foothold_states[s].place
        for i in range(3):
            places[6 + i] = z + i
        add_block(front, M, row.equations, places, SEEN)
        z = z + 2
        # The height of a foothold, where the ground's is known: one more row on its third coordinate.
        front[z * ld + z] = front[z * ld + z] + row.height_weight
        off = tables.footholds[s].p[2] - row.height
        front[z * ld + M] = front[z * ld + M] + row.height_weight * off


def eliminate_front(tables: Tables, k: int) -> int:
    """Write front k and eliminate what goes; return the first column without a positive pivot, or -1."""
    window = tables.window
    slot = k % window.events
    front = tail(tables.front, slot * window.front)
    list_footholds(tables, k)
    own = tables.fronts[slot]
    M = own.columns
    ld = M + 1
    base = 3 * own.lifted
    bias = base + 2 * OWN
    if k == window.count - 1:
        bias = base + OWN
    for i in range(M * ld):
        front[i] = 0.0
    if k == 0:
        for i in range(OWN):
            tables.places[i] = base + i
        for i in range(BIAS):
            tables.places[OWN + i] = bias + i
        add_block(front, M, tables.header.start_equations, tables.places, OWN + BIAS)
    else:
        add_carry(tables, front, M, base, bias, (k - 1) % window.events)
    add_footholds(tables, k, front, M)
    add_sightings(tables, k, front, M, base)
    if k < window.count - 1:
        # Inertial readings from event k to k + 1: J'J of (base k, base k + 1, biases), MOVED columns, then J'r.
        entries = tail(tables.event, (k + 1) % window.events * EVENT + MOVE_AT)
        for j in range(MOVED):
            column = tail(front, (base + j) * ld + base)
            more = tail(entries, j * MOVED)
            for i in range(MOVED):
                column[i] = column[i] + more[i]
            front[(base + j) * ld + M] = front[(base + j) * ld + M] + entries[MOVED * MOVED + j]
    return factor_front(front, own.eliminated, M, TINY)


def substitute_fronts(tables: Tables) -> None:
    """Write all displacements, from the last event to the first."""
    window = tables.window
    last = window.count - 1
    most = window.most
    work = tables.work
    for step in range(last - window.head + 1):
        k = last - step
        slot = k % window.events
        own = tables.fronts[slot]
        front = tail(tables.front, slot * window.front)
        base = 3 * own.lifted
        bias = base + OWN
        if k < last:
            bias = base + 2 * OWN
            after = tail(tables.event, (k + 1) % window.events * EVENT + D)
            for i in range(OWN):
                work[base + OWN + i] = after[i]
            for i in range(BIAS):
                work[bias + i] = tables.header.bias_displacement[i]
            for s in range(own.staying):
                foot = tables.footholds[tables.staying[slot * most + s]]
                for i in range(3):
                    work[bias + BIAS + 3 * s + i] = foot.displacement[i]
        substitute_front(front, work, own.eliminated, own.columns)
        for s in range(own.lifted):
            foot = tables.footholds[tables.lifted[slot * most + s]]
            for i in range(3):
                foot.displacement[i] = work[3 * s + i]
        for i in range(OWN):
            tables.event[slot * EVENT + D + i] = work[base + i]
        if k == last:
            for i in range(BIAS):
                tables.header.bias_displacement[i] = work[bias + i]
            for s in range(own.staying):
                foot = tables.footholds[tables.staying[slot * most + s]]
                for i in range(3):
                    foot.displacement[i] = work[bias + BIAS + 3 * s + i]


FRONTS = (
    *DENSE,
    add_block,
    list_footholds,
    add_carry,
    add_footholds,
    add_sightings,
    eliminate_front,
    substitute_fronts,
)
