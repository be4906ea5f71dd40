"""Nonlinear least squares of More, Garbow & Hillstrom (1981), Testing unconstrained optimization software."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb, pi

import numpy as np

Residuals = Callable[..., list]


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """Residuals of a list of scalars of any kind; `optima` are known minima of their sum of squares."""

    name: str
    start: np.ndarray
    optima: tuple[float, ...]
    residuals: Residuals


def _rosenbrock(x):
    return [r for a, b in zip(x[::2], x[1::2], strict=True) for r in (10 * (b - a**2), 1 - a)]


def _powell_singular(x):
    found = []
    for a, b, c, d in zip(x[::4], x[1::4], x[2::4], x[3::4], strict=True):
        found += [a + 10 * b, 5**0.5 * (c - d), (b - 2 * c) ** 2, 10**0.5 * (a - d) ** 2]
    return found


def _helical_valley(x):
    turned = 0.25 - np.arctan2(x[0], x[1]) / (2 * pi)
    return [10 * (x[2] - 10 * turned), 10 * ((x[0] ** 2 + x[1] ** 2) ** 0.5 - 1), x[2]]


BARD = (0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39)
GAUSSIAN = (0.0009, 0.0044, 0.0175, 0.0540, 0.1295, 0.2420, 0.3521, 0.3989)
MEYER = (
    34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427, 3820, 3307, 2872,
)  # fmt: skip
KOWALIK_Y = (0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246)
KOWALIK_U = (4.0, 2.0, 1.0, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625)
OSBORNE_1 = (
    0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.850, 0.818, 0.784, 0.751, 0.718, 0.685, 0.658, 0.628, 0.603,
    0.580,
    0.558, 0.538, 0.522, 0.506, 0.490, 0.478, 0.467, 0.457, 0.448, 0.438, 0.431, 0.424, 0.420, 0.414, 0.411, 0.406,
)  # fmt: skip
OSBORNE_2 = (
    1.366, 1.191, 1.112, 1.013, 0.991, 0.885, 0.831, 0.847, 0.786, 0.725, 0.746, 0.679, 0.608, 0.655, 0.616, 0.606,
    0.602,
    0.626, 0.651, 0.724, 0.649, 0.649, 0.694, 0.644, 0.624, 0.661, 0.612, 0.558, 0.533, 0.495, 0.500, 0.423, 0.395,
    0.375,
    0.372, 0.391, 0.396, 0.405, 0.428, 0.429, 0.523, 0.562, 0.607, 0.653, 0.672, 0.708, 0.633, 0.668, 0.645, 0.632,
    0.591,
    0.559, 0.597, 0.625, 0.739, 0.710, 0.729, 0.720, 0.636, 0.581, 0.428, 0.292, 0.162, 0.098, 0.054,
)  # fmt: skip


def _bard(x):
    return [y - (x[0] + u / ((16 - u) * x[1] + min(u, 16 - u) * x[2])) for u, y in enumerate(BARD, start=1)]


def _gaussian(x):
    data = (*GAUSSIAN, *GAUSSIAN[-2::-1])
    return [x[0] * np.exp(-x[1] * ((8 - i) / 2 - x[2]) ** 2 / 2) - y for i, y in enumerate(data, start=1)]


def _gulf(x):
    found = []
    for i in range(1, 100):
        y = 25 + (-50 * np.log(i / 100)) ** (2 / 3)
        power = np.exp(x[2] * np.log((y - x[1]) ** 2) / 2)
        found.append(np.exp(-power / x[0]) - i / 100)
    return found


def _brown_dennis(x):
    t = [i / 5 for i in range(1, 21)]
    return [(x[0] + s * x[1] - np.exp(s)) ** 2 + (x[2] + x[3] * np.sin(s) - np.cos(s)) ** 2 for s in t]


def _osborne_1(x):
    return [y - (x[0] + x[1] * np.exp(-10 * i * x[3]) + x[2] * np.exp(-10 * i * x[4])) for i, y in enumerate(OSBORNE_1)]


def _osborne_2(x):
    found = []
    for i, y in enumerate(OSBORNE_2):
        t = i / 10
        bells = sum(x[k] * np.exp(-((t - x[7 + k]) ** 2) * x[4 + k]) for k in (1, 2, 3))
        found.append(y - x[0] * np.exp(-t * x[4]) - bells)
    return found


def _biggs(x):
    found = []
    for i in range(1, 14):
        t = i / 10
        y = np.exp(-t) - 5 * np.exp(-10 * t) + 3 * np.exp(-4 * t)
        found.append(x[2] * np.exp(-t * x[0]) - x[3] * np.exp(-t * x[1]) + x[5] * np.exp(-t * x[4]) - y)
    return found


def _watson(x):
    found = []
    for i in range(1, 30):
        t = i / 29
        slope = sum(j * x[j] * t ** (j - 1) for j in range(1, len(x)))
        found.append(slope - sum(a * t**j for j, a in enumerate(x)) ** 2 - 1)
    return [*found, x[0], x[1] - x[0] ** 2 - 1]


def _penalty_1(x):
    return [*(1e-5**0.5 * (a - 1) for a in x), sum(a**2 for a in x) - 0.25]


def _penalty_2(x):
    n, small = len(x), 1e-5**0.5
    e = [np.exp(a / 10) for a in x]
    pairs = [small * (e[i] + e[i - 1] - np.exp((i + 1) / 10) - np.exp(i / 10)) for i in range(1, n)]
    return [
        x[0] - 0.2, *pairs, *(small * (a - np.exp(-0.1)) for a in e[1:]),
        sum((n - j) * a**2 for j, a in enumerate(x)) - 1,
    ]  # fmt: skip


def _variably_dimensioned(x):
    total = sum(j * (a - 1) for j, a in enumerate(x, start=1))
    return [*(a - 1 for a in x), total, total**2]


def _trigonometric(x):
    rest = len(x) - sum(np.cos(a) for a in x)
    return [rest + i * (1 - np.cos(a)) - np.sin(a) for i, a in enumerate(x, start=1)]


def _brown_almost_linear(x):
    product = 1.0
    for a in x:
        product = product * a
    return [*(a + sum(x) - (len(x) + 1) for a in x[:-1]), product - 1]


def _boundary_value(x):
    n = len(x)
    h, padded = 1 / (n + 1), [0.0, *x, 0.0]
    return [
        2 * padded[i] - padded[i - 1] - padded[i + 1] + h**2 * (padded[i] + i * h + 1) ** 3 / 2 for i in range(1, n + 1)
    ]


def _integral_equation(x):
    n = len(x)
    h = 1 / (n + 1)
    t = [h * i for i in range(1, n + 1)]
    cubes = [(a + s + 1) ** 3 for a, s in zip(x, t, strict=True)]
    found = []
    for i in range(n):
        before = (1 - t[i]) * sum(t[j] * cubes[j] for j in range(i + 1))
        after = t[i] * sum((1 - t[j]) * cubes[j] for j in range(i + 1, n))
        found.append(x[i] + h * (before + after) / 2)
    return found


def _broyden_tridiagonal(x):
    padded = [0.0, *x, 0.0]
    return [(3 - 2 * b) * b - a - 2 * c + 1 for a, b, c in zip(padded[:-2], padded[1:-1], padded[2:], strict=True)]


def _broyden_banded(x):
    n, found = len(x), []
    for i, a in enumerate(x):
        near = (x[j] * (1 + x[j]) for j in range(max(0, i - 5), min(n, i + 2)) if j != i)
        found.append(a * (2 + 5 * a**2) + 1 - sum(near))
    return found


def _linear(x):
    mean = 2 / (2 * len(x)) * sum(x)
    return [*(a - mean - 1 for a in x), *(-mean - 1 for _ in x)]


def _rank_1(x):
    total = sum(j * a for j, a in enumerate(x, start=1))
    return [i * total - 1 for i in range(1, 2 * len(x) + 1)]


def _rank_1_with_zeros(x):
    total = sum(j * a for j, a in enumerate(x[1:-1], start=2))
    return [-1 + 0 * total, *(i * total - 1 for i in range(1, 2 * len(x) - 1)), -1 + 0 * total]


def _chebyquad(x):
    found = []
    for i in range(1, len(x) + 1):
        # T_i(2 x - 1) as a sum of powers of x
        powers = [(-1) ** (i - k) * 4**k * i / (i + k) * comb(i + k, i - k) for k in range(i + 1)]
        mean = sum(sum(p * a**k for k, p in enumerate(powers) if k) for a in x) / len(x) + powers[0]
        found.append(mean - (-1 / (i**2 - 1) if i % 2 == 0 else 0))
    return found


def _named(name: str, start: Sequence[float], optima: tuple[float, ...], residuals: Residuals) -> LeastSquares:
    return LeastSquares(name, np.array(start, dtype=float), optima, residuals)


TEN = np.arange(1, 11)
LEAST_SQUARES = (
    _named("Rosenbrock", (-1.2, 1), (0,), _rosenbrock),
    _named(
        "Freudenstein & Roth", (0.5, -2), (0, 48.98425),
        lambda x: [-13 + x[0] + ((5 - x[1]) * x[1] - 2) * x[1], -29 + x[0] + ((x[1] + 1) * x[1] - 14) * x[1]],
    ),
    _named("Powell badly scaled", (0, 1), (0,), lambda x: [1e4 * x[0] * x[1] - 1,
    np.exp(-x[0]) + np.exp(-x[1]) - 1.0001]),
    _named("Brown badly scaled", (1, 1), (0,), lambda x: [x[0] - 1e6, x[1] - 2e-6, x[0] * x[1] - 2]),
    _named("Beale", (1, 1), (0,), lambda x: [y - x[0] * (1 - x[1] ** i) for i, y in ((1, 1.5), (2, 2.25), (3,
    2.625))]),
    _named(
        "Jennrich & Sampson", (0.3, 0.4), (124.36218,),
        lambda x: [2 + 2 * i - np.exp(i * x[0]) - np.exp(i * x[1]) for i in range(1, 11)],
    ),
    _named("helical valley", (-1, 0, 0), (0,), _helical_valley),
    _named("Bard", (1, 1, 1), (8.2148773e-3, 17.428693), _bard),
    _named("Gaussian", (0.4, 1, 0), (1.1279328e-8,), _gaussian),
    _named(
        "Meyer", (0.02, 4000, 250), (87.945855,),
        lambda x: [x[0] * np.exp(x[1] / (45 + 5 * i + x[2])) - y for i, y in enumerate(MEYER, start=1)],
    ),
    _named("Gulf research", (5, 2.5, 0.15), (0,), _gulf),
    _named(
        "Box", (0, 10, 20), (0,),
        lambda x: [
            np.exp(-i / 10 * x[0]) - np.exp(-i / 10 * x[1]) - x[2] * (np.exp(-i / 10) - np.exp(-i))
            for i in range(1, 11)
        ],
    ),
    _named("Powell singular", (3, -1, 0, 1), (0,), _powell_singular),
    _named(
        "Wood", (-3, -1, -3, -1), (0,),
        lambda x: [
            10 * (x[1] - x[0] ** 2), 1 - x[0], 90**0.5 * (x[3] - x[2] ** 2), 1 - x[2], 10**0.5 * (x[1] + x[3] - 2),
            10**-0.5 * (x[1] - x[3]),
        ],
    ),
    _named(
        "Kowalik & Osborne", (0.25, 0.39, 0.415, 0.39), (3.0750561e-4, 1.0273e-3),
        lambda x: [
            y - x[0] * (u**2 + u * x[1]) / (u**2 + u * x[2] + x[3]) for y, u in zip(KOWALIK_Y, KOWALIK_U, strict=True)
        ],
    ),
    _named("Brown & Dennis", (25, 5, -5, -1), (85822.202,), _brown_dennis),
    _named("Osborne 1", (0.5, 1.5, -1, 0.01, 0.02), (5.4648947e-5,), _osborne_1),
    _named("Biggs EXP6", (1, 2, 1, 1, 1, 1), (0, 5.6556499e-3), _biggs),
    _named("Osborne 2", (1.3, 0.65, 0.65, 0.7, 0.6, 3, 5, 7, 2, 4.5, 5.5), (0.040137736,), _osborne_2),
    _named("Watson 6", np.zeros(6), (2.2876701e-3,), _watson),
    _named("Watson 9", np.zeros(9), (1.3997601e-6,), _watson),
    _named("extended Rosenbrock", np.tile([-1.2, 1], 5), (0,), _rosenbrock),
    _named("extended Powell singular", np.tile([3, -1, 0, 1], 3), (0,), _powell_singular),
    _named("penalty I", TEN, (7.0876515e-5,), _penalty_1),
    _named("penalty II", np.full(10, 0.5), (2.9366054e-4,), _penalty_2),
    _named("variably dimensioned", 1 - TEN / 10, (0,), _variably_dimensioned),
    _named("trigonometric", np.full(10, 0.1), (0, 2.7950615e-5), _trigonometric),
    _named("Brown almost linear", np.full(10, 0.5), (0, 1), _brown_almost_linear),
    _named("discrete boundary value", TEN / 11 * (TEN / 11 - 1), (0,), _boundary_value),
    _named("discrete integral equation", TEN / 11 * (TEN / 11 - 1), (0,), _integral_equation),
    _named("Broyden tridiagonal", -np.ones(10), (0,), _broyden_tridiagonal),
    _named("Broyden banded", -np.ones(10), (0,), _broyden_banded),
    _named("linear, full rank", np.ones(10), (10,), _linear),
    _named("linear, rank 1", np.ones(10), (190 / 41,), _rank_1),
    _named("linear, rank 1 with zeros", np.ones(10), (454 / 74,), _rank_1_with_zeros),
    _named("Chebyquad 7", np.arange(1, 8) / 8, (0,), _chebyquad),
    _named("Chebyquad 8", np.arange(1, 9) / 9, (3.5168737e-3,), _chebyquad),
)  # fmt: skip
