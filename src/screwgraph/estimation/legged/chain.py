"""Elimination along a chain of contact events: each step one piece of machine code."""

from __future__ import annotations

from functools import cache, reduce

import numpy as np

from screwgraph.compiler.backends.llvm import Compiled
from screwgraph.estimation.legged.imu import CHANGE, SLOPES, code, inertial
from screwgraph.optimize.manifold_code import tangents
from screwgraph.optimize.smoothers.elimination import factored
from screwgraph.spatial import maximum, sqrt
from screwgraph.spatial.manifolds import SO3
from screwgraph.tape import Row, jacobian
from screwgraph.tape.rows import add_entry, lower_product, transposed_times

OWN = 9
"""Directions of a base: rotation in its own axes, velocity and position in the world's."""
BIAS = 6


def size(feet: int) -> int:
    """Return how many directions a carry is about: base, biases, feet."""
    return OWN + BIAS + 3 * feet


def packed(information: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Return information and vector as one carry: the lower triangle row by row, then the vector."""
    return np.concatenate([information[np.tril_indices(len(vector))], vector])


def unpacked(carry: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return information (n, n) and vector (n,) of a carry: d' information d / 2 + vector'd."""
    information, half = np.zeros((n, n)), n * (n + 1) // 2
    information[np.tril_indices(n)] = carry[:half]
    return information + np.tril(information, -1).T, carry[half:]


def contact(R: np.ndarray, p: np.ndarray, foot: np.ndarray, measured: np.ndarray) -> np.ndarray:
    """Residual (3,) of a foot (m): where it stands, in the axes of the base, less where kinematics has it."""
    return R.T @ (foot - p) - measured


@cache
def observing(feet: int, huber: float) -> Compiled:
    """(carry, base, feet, points, seen, whitening, height) -> carry with what an event's contacts add.

    `seen` (feet, 2) are 1 where a foot is in contact, and where its height is known; `height` is (height, 1 / sigma).
    `huber` is the threshold of a robust loss in standard deviations, 0 for none.
    """
    n = size(feet)

    def write(carry, R, p, stand, points, seen, white, height):
        H, g = _rows(carry, n)
        for i in range(feet):
            r = white @ contact(R, p, stand[i], points[i])
            seeds = [*tangents(SO3(), R), *({3 + j: 1.0} for j in range(3)), *({6 + j: 1.0} for j in range(3))]
            J = jacobian(r.tolist(), [*R.ravel().tolist(), *p.tolist(), *stand[i].tolist()], seeds)
            columns = [0, 1, 2, 6, 7, 8, *range(OWN + BIAS + 3 * i, OWN + BIAS + 3 * i + 3)]
            weight = seen[i, 0] if not huber else seen[i, 0] * huber / maximum(sqrt(r @ r), huber)
            _add(H, g, [{columns[j]: x for j, x in row.items()} for row in J], r, weight, n)
            z = OWN + BIAS + 3 * i + 2
            w = seen[i, 1] * height[1] * height[1]
            add_entry(H[z], z, w)
            g[z] = g[z] + w * (stand[i, 2] - height[0])
        return [_flat(H, g)]

    sizes = {"carry": (n * (n + 3) // 2,), "R": (3, 3), "p": (3,), "stand": (feet, 3), "points": (feet, 3)}
    return code("legged_contacts", {**sizes, "seen": (feet, 2), "white": (3, 3), "height": (2,)}, write)


@cache
def moving(feet: int) -> Compiled:
    """(carry, base i, base j, bias, change, whitening, gravity) -> gains (9, n + 1) of base i; carry of base j.

    The base i is gains[:, n] - gains[:, :n] (base j, biases, feet), all as displacements from their values.
    """
    n = size(feet)

    def write(carry, Ri, vi, pi, Rj, vj, pj, bias, change, white, gravity):
        r = white @ inertial(Ri, vi, pi, Rj, vj, pj, bias, change=change, gravity=gravity)
        numbers, seeds, start = [], [], 0
        for R, *others in ((Ri, vi, pi), (Rj, vj, pj)):
            numbers += R.ravel().tolist()
            seeds += [{start + j: x for j, x in row.items()} for row in tangents(SO3(), R)]
            numbers += [x for other in others for x in other.tolist()]
            seeds += [{start + 3 + j: 1.0} for j in range(6)]
            start += OWN
        J = jacobian(r.tolist(), [*numbers, *bias.tolist()], [*seeds, *({start + j: 1.0} for j in range(BIAS))])
        old, v = _rows(carry, n)
        # The base that goes stands first; what the carry holds besides keeps its place behind the new base.
        place = [*range(OWN), *range(2 * OWN, OWN + n)]
        H: list[Row] = [{} for _ in range(OWN + n)]
        g = [0.0] * (OWN + n)
        for i, row in enumerate(old):
            g[place[i]] = v[i]
            for j, x in row.items():
                H[place[i]][place[j]] = x
        _add(H, g, J, r, 1.0, OWN + n)
        return _eliminated(H, g, OWN)

    sizes = {"carry": (n * (n + 3) // 2,), "Ri": (3, 3), "vi": (3,), "pi": (3,), "Rj": (3, 3), "vj": (3,), "pj": (3,)}
    sizes |= {"bias": (6,), "change": (CHANGE + SLOPES + 6,), "white": (9, 9), "gravity": (3,)}
    return code("legged_motion", sizes, write)


@cache
def lifting(feet: int, foot: int) -> Compiled:
    """(carry) -> gains (3, n + 1) of a foothold that is left, and the carry without it; see `moving`."""
    n, first = size(feet), OWN + BIAS + 3 * foot
    order = [first, first + 1, first + 2, *(i for i in range(n) if not first <= i < first + 3)]

    def write(carry):
        old, v = _rows(carry, n)
        where = {i: k for k, i in enumerate(order)}
        H: list[Row] = [{} for _ in range(n)]
        for i, row in enumerate(old):
            for j, x in row.items():
                a, b = where[i], where[j]
                H[max(a, b)][min(a, b)] = x
        gains, rest = _eliminated(H, [v[i] for i in order], 3)
        wide = np.zeros((3, n + 1), dtype=object)
        wide[:, [*order[3:], n]] = gains
        left, vector = _rows(rest, n - 3)
        whole: list[Row] = [{} for _ in range(n)]
        g = [0.0] * n
        for i, row in enumerate(left):
            g[order[3 + i]] = vector[i]
            for j, x in row.items():
                whole[order[3 + i]][order[3 + j]] = x
        return [wide, _flat(whole, g)]

    return code("legged_lift", {"carry": (n * (n + 3) // 2,)}, write)


@cache
def newest(feet: int) -> Compiled:
    """(carry, standing) -> displacements (n,) of what it is about; `standing` is 0 for feet in the air."""
    n = size(feet)

    def write(carry, standing):
        H, g = _rows(carry, n)
        for i in range(OWN + BIAS, n):
            H[i][i] = H[i][i] + (1.0 - standing[(i - OWN - BIAS) // 3])
        return [factored(H).solve([-x for x in g])]

    return code("legged_newest", {"carry": (n * (n + 3) // 2,), "standing": (feet,)}, write)


@cache
def earlier(feet: int, first: int, rows: int) -> Compiled:
    """(gains, d) -> displacements (n,) before rows from `first` on went, and the largest of these."""
    n = size(feet)

    def write(gains, d):
        found = gains[:, n] - gains[:, :n] @ d
        return [d[:first], found, d[first + rows :], [reduce(maximum, [abs(x) for x in found])]]

    return code("legged_earlier", {"gains": (rows, n + 1), "d": (n,)}, write)


def _rows(carry, n):
    places = iter(range(n * (n + 1) // 2))
    return [{j: carry[next(places)] for j in range(i + 1)} for i in range(n)], list(carry[n * (n + 1) // 2 :])


def _flat(H, g):
    return np.array([*(row.get(j, 0.0) for i, row in enumerate(H) for j in range(i + 1)), *g], dtype=object)


def _add(H, g, J, r, weight, n) -> None:
    weighted = [{j: weight * x for j, x in row.items()} for row in J]
    for i, row in enumerate(lower_product(J, weighted, n)):
        for j, entry in row.items():
            add_entry(H[i], j, entry)
    g[:] = [a + b for a, b in zip(g, transposed_times(weighted, r, n), strict=True)]


def _eliminated(H, g, k):
    """Return gains (k, n - k + 1) of the first k unknowns, and the carry of the others."""
    n = len(g)
    top = factored(H[:k])
    coupling = [[H[i].get(j, 0.0) for j in range(k)] for i in range(k, n)]
    solved = [top.solve(row) for row in coupling]
    constant = top.solve([-x for x in g[:k]])
    rest: list[Row] = [{} for _ in range(n - k)]
    for i in range(n - k):
        for j in range(i + 1):
            rest[i][j] = H[k + i].get(k + j, 0.0) - sum(coupling[i][a] * solved[j][a] for a in range(k))
    vector = [g[k + i] + sum(coupling[i][a] * constant[a] for a in range(k)) for i in range(n - k)]
    return [np.array([*solved, constant], dtype=object).T, _flat(rest, vector)]
