"""Problems 46 to 81 of Hock & Schittkowski (1981), without 67 to 69,
which need an iteration or the error function."""

from __future__ import annotations

import numpy as np

from .nlp import hs

INF, ROOT = np.inf, 2**0.5

AGES = (
    *[8] * 2, *[10] * 4, *[12] * 4, *[14] * 3, *[16] * 3, *[18] * 2, *[20] * 3, *[22] * 3, *[24] * 3, *[26] * 3,
    *[28] * 2,
    *[30] * 3, *[32] * 2, 34, *[36] * 2, *[38] * 2, 40, 42,
)  # fmt: skip
CHLORINE = (
    0.49, 0.49, 0.48, 0.47, 0.48, 0.47, 0.46, 0.46, 0.45, 0.43, 0.45, 0.43, 0.43, 0.44, 0.43, 0.43, 0.46, 0.45,
    0.42, 0.42,
    0.43, 0.41, 0.41, 0.40, 0.42, 0.40, 0.40, 0.41, 0.40, 0.41, 0.41, 0.40, 0.40, 0.40, 0.38, 0.41, 0.40, 0.40,
    0.41, 0.38,
    0.40, 0.40, 0.39, 0.39,
)  # fmt: skip
CONCENTRATIONS = (
    0.00189, 0.1038, 0.268, 0.506, 0.577, 0.604, 0.725, 0.898, 0.947, 0.845, 0.702, 0.528, 0.385, 0.257, 0.159,
    0.0869,
    0.0453, 0.01509, 0.00189,
)  # fmt: skip


def _hs54(a, b, c, d, e, f):
    h = ((a - 1e4) ** 2 / 6.4e7 + (a - 1e4) * (b - 1) / 2e4 + (b - 1) ** 2) / 0.96 + (c - 2e6) ** 2 / 4.9e13
    h = h + (d - 10) ** 2 / 2.5e3 + (e - 1e-3) ** 2 / 2.5e-3 + (f - 1e8) ** 2 / 2.5e17
    return -np.exp(-h / 2), [a + 4e3 * b - 1.76e4], []


def _hs57(x, y):
    pairs = zip(AGES, CHLORINE, strict=True)
    return sum((b - x - (0.49 - x) * np.exp(-y * (a - 8))) ** 2 for a, b in pairs), [], [0.49 * y - x * y - 0.09]


def _hs59(x, y):
    cost = -75.196 + 3.8112 * x + 0.0020567 * x**3 - 1.0345e-5 * x**4 + 6.8306 * y - 0.030234 * x * y
    cost = cost + 1.28134e-3 * y * x**2 + 2.266e-7 * x**4 * y - 0.25645 * y**2 + 0.0034604 * y**3 - 1.3514e-5 * y**4
    cost = cost + 28.106 / (y + 1) + 5.2375e-6 * x**2 * y**2 + 6.3e-8 * x**3 * y**2 - 7e-10 * x**3 * y**3
    cost = cost - 3.405e-4 * x * y**2 + 1.6638e-6 * x * y**3 + 2.8673 * np.exp(0.0005 * x * y) - 3.5256e-5 * x**3 * y
    return cost, [], [x * y - 700, y - x**2 / 125, (y - 50) ** 2 - 5 * (x - 55)]


def _hs62(x, y, z):
    first = 255 * np.log((x + y + z + 0.03) / (0.09 * x + y + z + 0.03))
    second = 280 * np.log((y + z + 0.03) / (0.07 * y + z + 0.03))
    return -32.174 * (first + second + 290 * np.log((z + 0.03) / (0.13 * z + 0.03))), [x + y + z - 1], []


def _hs70(a, b, c, d):
    mixed, cost = c + (1 - c) * d, 0.0
    for i, y in enumerate(CONCENTRATIONS):
        t = 0.1 if i == 0 else float(i)
        # power laws as exponentials: (1 + 1 / 12 n) (n / 6.2832)^0.5 r^n (t / 7.658)^(n - 1) exp(n - r t n / 7.658)
        first = _gamma(b, mixed, t) * c
        second = _gamma(a, mixed / d, t) * (1 - c)
        cost = cost + (first + second - y) ** 2
    return cost, [], [mixed]


def _gamma(n, r, t):
    power = n * np.log(r) + (n - 1) * np.log(t / 7.658) + n - r * t * n / 7.658
    return (1 + 1 / (12 * n)) * (n / 6.2832) ** 0.5 * np.exp(power)


def _hs72(a, b, c, d):
    return 1 + a + b + c + d, [], [
        0.0401 - 4 / a - 2.25 / b - 1 / c - 0.25 / d, 0.010085 - 0.16 / a - 0.36 / b - 0.64 / c - 0.64 / d,
    ]  # fmt: skip


def _hs73(a, b, c, d):
    spread = (0.28 * a**2 + 0.19 * b**2 + 20.5 * c**2 + 0.62 * d**2) ** 0.5
    return 24.55 * a + 26.75 * b + 39 * c + 40.5 * d, [a + b + c + d - 1], [
        2.3 * a + 5.6 * b + 11.1 * c + 1.3 * d - 5, 12 * a + 11.9 * b + 41.8 * c + 52.1 * d - 21 - 1.645 * spread,
    ]  # fmt: skip


def _hs74(angle):
    def law(a, b, c, d):
        cost = 3 * a + 1e-6 * a**3 + 2 * b + 2e-6 / 3 * b**3
        return cost, [
            1000 * (np.sin(-c - 0.25) + np.sin(-d - 0.25)) + 894.8 - a,
            1000 * (np.sin(c - 0.25) + np.sin(c - d - 0.25)) + 894.8 - b,
            1000 * (np.sin(d - 0.25) + np.sin(d - c - 0.25)) + 1294.8,
        ], [d - c + angle, c - d + angle]  # fmt: skip

    return law


def _hs76(a, b, c, d):
    cost = a**2 + 0.5 * b**2 + c**2 + 0.5 * d**2 - a * c + c * d - a - 3 * b + c - d
    return cost, [], [5 - a - 2 * b - c - d, 4 - 3 * a - b - 2 * c + d, b + 4 * c - 1.5]


def _hs78(a, b, c, d, e):
    """Of 78, 80, 81. Where a > 0, a b c d e = 5 a (d e)^2 is nowhere negative: 80 and 81 have minima of 1, too."""
    return [a**2 + b**2 + c**2 + d**2 + e**2 - 10, b * c - 5 * d * e, a**3 + b**3 + 1]


def _hs79(a, b, c, d, e):
    cost = (a - 1) ** 2 + (a - b) ** 2 + (b - c) ** 2 + (c - d) ** 4 + (d - e) ** 4
    return cost, [a + b**2 + c**3 - 2 - 3 * ROOT, b - c**2 + d + 2 - 2 * ROOT, a * e - 2], []


def _higher(a, b, c, d, e):
    return (a - b) ** 2 + (c - 1) ** 2 + (d - 1) ** 4 + (e - 1) ** 6


def _fifth(a, b, c, d, e):
    return (b + c - 2) ** 2 + (d - 1) ** 2 + (e - 1) ** 2, [a + 3 * b, c + d - 2 * e, b - e]


def _hs51(a, b, c, d, e):
    rest, (first, *others) = _fifth(a, b, c, d, e)
    return (a - b) ** 2 + rest, [first - 4, *others], []


def _hs52(a, b, c, d, e):
    rest, equal = _fifth(a, b, c, d, e)
    return (4 * a - b) ** 2 + rest, equal, []


def _hs53(a, b, c, d, e):
    rest, equal = _fifth(a, b, c, d, e)
    return (a - b) ** 2 + rest, equal, []


LEAST, EVEN = np.arcsin((1 / 4.2) ** 0.5), np.arcsin((5 / 7.2) ** 0.5)
# The minimum of 70 that the book states, 0.0074985, is not that of its formula and data.
PROBLEMS = (
    hs(
        46, (ROOT / 2, 1.75, 0.5, 2, 2), 0,
        lambda a, b, c, d, e: (
            _higher(a, b, c, d, e), [a**2 * d + np.sin(d - e) - 1, b + c**4 * d**2 - 2], []
        ),
    ),
    hs(
        47, (2, ROOT, -1, 2 - ROOT, 0.5), (0, -0.026714180),
        lambda a, b, c, d, e: (
            (a - b) ** 2 + (b - c) ** 3 + (c - d) ** 4 + (d - e) ** 4,
            [a + b**2 + c**3 - 3, b - c**2 + d - 1, a * e - 1], [],
        ),
    ),
    hs(
        48, (3, 5, -3, 2, -2), 0,
        lambda a, b, c, d, e: (
            (a - 1) ** 2 + (b - c) ** 2 + (d - e) ** 2, [a + b + c + d + e - 5, c - 2 * (d + e) + 3], []
        ),
    ),
    hs(
        49, (10, 7, 2, -3, 0.8), 0,
        lambda a, b, c, d, e: (_higher(a, b, c, d, e), [a + b + c + 4 * d - 7, c + 5 * e - 6], []),
    ),
    hs(
        50, (35, -31, 11, 5, -5), 0,
        lambda a, b, c, d, e: (
            (a - b) ** 2 + (b - c) ** 2 + (c - d) ** 4 + (d - e) ** 2,
            [a + 2 * b + 3 * c - 6, b + 2 * c + 3 * d - 6, c + 2 * d + 3 * e - 6], [],
        ),
    ),
    hs(51, (2.5, 0.5, 2, -1, 0.5), 0, _hs51),
    hs(52, (2, 2, 2, 2, 2), 1859 / 349, _hs52),
    hs(53, (2, 2, 2, 2, 2), 176 / 43, _hs53, -10, 10),
    hs(
        54, (6e3, 1.5, 4e6, 2, 3e-3, 5e7), -np.exp(-27 / 280), _hs54,
        (0, -10, 0, 0, -1, 0), (2e4, 10, 1e7, 20, 1, 2e8),
    ),
    hs(
        55, (1, 2, 0, 0, 0, 2), (19 / 3, 20 / 3),
        lambda a, b, c, d, e, f: (
            a + 2 * b + 4 * e + np.exp(a * d),
            [a + 2 * b + 5 * e - 6, a + b + c - 3, d + e + f - 2, a + d - 1, b + e - 2, c + f - 2], [],
        ),
        0, (1, INF, INF, 1, INF, INF),
    ),
    hs(
        56, (1, 1, 1, LEAST, LEAST, LEAST, EVEN), -3.456,
        lambda a, b, c, d, e, f, g: (
            -a * b * c,
            [
                a - 4.2 * np.sin(d) ** 2, b - 4.2 * np.sin(e) ** 2, c - 4.2 * np.sin(f) ** 2,
                a + 2 * b + 2 * c - 7.2 * np.sin(g) ** 2,
            ],
            [],
        ),
    ),
    hs(57, (0.42, 5), (0.02845966972, 0.030646306), _hs57, (0.4, -4)),
    hs(
        58, (-2, 1), 3.19033354957,
        lambda x, y: (100 * (y - x**2) ** 2 + (1 - x) ** 2, [], [y**2 - x, x**2 - y, x**2 + y**2 - 1]),
        (-2, -INF), (0.5, INF),
    ),
    hs(59, (90, 10), (-7.804226324, -6.7495053, 13.3567082), _hs59, 0, (75, 65)),
    hs(
        60, (2, 2, 2), 0.03256820025,
        lambda x, y, z: ((x - 1) ** 2 + (x - y) ** 2 + (y - z) ** 4, [x * (1 + y**2) + z**4 - 4 - 3 * ROOT], []),
        -10, 10,
    ),
    hs(
        61, (0, 0, 0), (-143.6461422, -81.918967),
        lambda x, y, z: (
            4 * x**2 + 2 * y**2 + 2 * z**2 - 33 * x + 16 * y - 24 * z, [3 * x - 2 * y**2 - 7, 4 * x - z**2 - 11], []
        ),
    ),
    hs(62, (0.7, 0.2, 0.1), -26272.51448, _hs62, 0, 1),
    hs(
        63, (2, 2, 2), 961.7151721,
        lambda x, y, z: (
            1000 - x**2 - 2 * y**2 - z**2 - x * y - x * z, [8 * x + 14 * y + 7 * z - 56, x**2 + y**2 + z**2 - 25], []
        ),
        0,
    ),
    hs(
        64, (1, 1, 1), 6299.842428,
        lambda x, y, z: (
            5 * x + 50000 / x + 20 * y + 72000 / y + 10 * z + 144000 / z, [], [1 - 4 / x - 32 / y - 120 / z]
        ),
        1e-5,
    ),
    hs(
        65, (-5, 5, 0), 0.9535288567,
        lambda x, y, z: ((x - y) ** 2 + (x + y - 10) ** 2 / 9 + (z - 5) ** 2, [], [48 - x**2 - y**2 - z**2]),
        (-4.5, -4.5, -5), (4.5, 4.5, 5),
    ),
    hs(
        66, (0, 1.05, 2.9), 0.5181632741,
        lambda x, y, z: (0.2 * z - 0.8 * x, [], [y - np.exp(x), z - np.exp(y)]), 0, (100, 100, 10),
    ),
    hs(70, (2, 4, 0.04, 2), 0.0105735495, _hs70, 1e-5, (100, 100, 1, 100)),
    hs(
        71, (1, 5, 5, 1), 17.0140173,
        lambda a, b, c, d: (a * d * (a + b + c) + c, [a**2 + b**2 + c**2 + d**2 - 40], [a * b * c * d - 25]), 1, 5,
    ),
    hs(72, (1, 1, 1, 1), 727.67937, _hs72, 1e-3, (4e5, 3e5, 2e5, 1e5)),
    hs(73, (1, 1, 1, 1), 29.894378, _hs73, 0),
    hs(74, (0, 0, 0, 0), 5126.4981, _hs74(0.55), (0, 0, -0.55, -0.55), (1200, 1200, 0.55, 0.55)),
    hs(75, (0, 0, 0, 0), 5174.4129, _hs74(0.48), (0, 0, -0.48, -0.48), (1200, 1200, 0.48, 0.48)),
    hs(76, (0.5, 0.5, 0.5, 0.5), -4.681818182, _hs76, 0),
    hs(
        77, (2, 2, 2, 2, 2), 0.24150513,
        lambda a, b, c, d, e: (
            (a - 1) ** 2 + _higher(a, b, c, d, e),
            [a**2 * d + np.sin(d - e) - 2 * ROOT, b + c**4 * d**2 - 8 - ROOT], [],
        ),
    ),
    hs(78, (-2, 1.5, 2, -1, -1), -2.91970041, lambda *x: (np.prod(x), _hs78(*x), [])),
    hs(79, (2, 2, 2, 2, 2), 0.0787768209, _hs79),
    hs(
        80, (-2, 2, 2, -1, -1), (0.0539498478, 1.0), lambda *x: (np.exp(np.prod(x)), _hs78(*x), []),
        (-2.3, -2.3, -3.2, -3.2, -3.2), (2.3, 2.3, 3.2, 3.2, 3.2),
    ),
    hs(
        81, (-2, 2, 2, -1, -1), (0.0539498478, 0.43885122, 1.0),
        lambda *x: (np.exp(np.prod(x)) - 0.5 * (x[0] ** 3 + x[1] ** 3 + 1) ** 2, _hs78(*x), []),
        (-2.3, -2.3, -3.2, -3.2, -3.2), (2.3, 2.3, 3.2, 3.2, 3.2),
    ),
)  # fmt: skip
