"""Problems 83 to 119 of Hock & Schittkowski (1981), without 85 to 92 but 86: tables, jumps and integrals.

82, 94 and 115 are not in the book.
"""

from __future__ import annotations

import numpy as np

from .nlp import hs

INF = np.inf

COLVILLE_A = np.array(
    [
        [-16, 2, 0, 1, 0], [0, -2, 0, 4, 2], [-3.5, 0, 2, 0, 0], [0, -2, 0, -4, -1], [0, -9, -2, 1, -2.8],
        [2, 0, -4, 0, 0], [-1, -1, -1, -1, -1], [-1, -2, -3, -2, -1], [1, 2, 3, 4, 5], [1, 1, 1, 1, 1],
    ]
)  # fmt: skip
COLVILLE_B = np.array([-40, -2, -0.25, -4, -4, -1, -40, -60, 5, 1])
COLVILLE_C = np.array(
    [[30, -20, -10, 32, -10], [-20, 39, -6, -31, 32], [-10, -6, 10, -6, -10], [32, -31, -6, 39, -20], [-10, 32, -10,
    -20, 30]]
)  # fmt: skip
COLVILLE_D = np.array([4, 8, 10, 6, 2])
COLVILLE_E = np.array([-15, -27, -36, -18, -12])


def _dot(a, b):
    return sum(float(p) * q for p, q in zip(a, b, strict=True) if p)


def _hs83(a, b, c, d, e):
    first = 85.334407 + 0.0056858 * b * e + 0.0006262 * a * d - 0.0022053 * c * e
    second = 80.51249 + 0.0071317 * b * e + 0.0029955 * a * b + 0.0021813 * c**2 - 90
    third = 9.300961 + 0.0047026 * c * e + 0.0012547 * a * c + 0.0019085 * c * d - 20
    cost = 5.3578547 * c**2 + 0.8356891 * a * e + 37.293239 * a - 40792.141
    return cost, [], [first, 92 - first, second, 20 - second, third, 5 - third]


def _hs84(a, *x):
    def row(k, *rest):
        return a * (k + _dot(rest, x))

    cost = 24345 - row(-8720288.849, 150512.5253, -156.6950325, 476470.3222, 729482.8271)
    first = row(-145421.402, 2931.1506, -40.427932, 5106.192, 15711.36)
    second = row(-155011.1084, 4360.53352, 12.9492344, 10236.884, 13176.786)
    third = row(-326669.5104, 7390.68412, -27.8986976, 16643.076, 30988.146)
    return cost, [], [first, second, third, 294000 - first, 294000 - second, 277200 - third]


def _quadratic(x):
    return sum(x[j] * _dot(COLVILLE_C[:, j], x) for j in range(5))


def _hs86(*x):
    cost = _dot(COLVILLE_E, x) + _quadratic(x) + _dot(COLVILLE_D, [a**3 for a in x])
    return cost, [], [_dot(row, x) - b for row, b in zip(COLVILLE_A, COLVILLE_B, strict=True)]


def _hs117(*x):
    x, y = x[:10], x[10:]
    cost = _quadratic(y) + 2 * _dot(COLVILLE_D, [a**3 for a in y]) - _dot(COLVILLE_B, x)
    return cost, [], [
        2 * _dot(COLVILLE_C[:, j], y) + 3 * COLVILLE_D[j] * y[j] ** 2 + COLVILLE_E[j] - _dot(COLVILLE_A[:, j], x)
        for j in range(5)
    ]  # fmt: skip


def _hs93(a, b, c, d, e, f):
    first, second = a * d * (a + b + c), b * c * (a + 1.57 * b + d)
    cost = 0.0204 * first + 0.0187 * second + 0.0607 * first * e**2 + 0.0437 * second * f**2
    return cost, [], [0.001 * a * b * c * d * e * f - 2.07, 1 - 0.00062 * first * e**2 - 0.00058 * second * f**2]


def _hs95(*right):
    def law(a, b, c, d, e, f):
        cost = 4.3 * a + 31.8 * b + 63.3 * c + 15.8 * d + 68.5 * e + 4.7 * f
        left = (
            17.1 * a + 38.2 * b + 204.2 * c + 212.3 * d + 623.4 * e + 1495.5 * f - 169 * a * c - 3580 * c * e
            - 3810 * d * e - 18500 * d * f - 24300 * e * f,
            17.9 * a + 36.8 * b + 113.9 * c + 169.7 * d + 337.8 * e + 1385.2 * f - 139 * a * c - 2450 * d * e
            - 16600 * d * f - 17200 * e * f,
            -273 * b - 70 * d - 819 * e + 26000 * d * e,
            159.9 * a - 311 * b + 587 * d + 391 * e + 2198 * f - 14000 * a * f,
        )  # fmt: skip
        return cost, [], [p - q for p, q in zip(left, right, strict=True)]

    return law


def _hs99(*x):
    thrust, t = (0, 50, 50, 75, 75, 75, 100, 100), (0, 25, 50, 100, 150, 200, 290, 380)
    r = q = s = 0.0
    for i in range(1, 8):
        h, up = t[i] - t[i - 1], thrust[i] * np.sin(x[i - 1]) - 32
        r = r + thrust[i] * h * np.cos(x[i - 1])
        q = q + 0.5 * h**2 * up + h * s
        s = s + h * up
    return -(r**2), [q - 1e5, s - 1e3], []


def _hs100(a, b, c, d, e, f, g):
    cost = (a - 10) ** 2 + 5 * (b - 12) ** 2 + c**4 + 3 * (d - 11) ** 2 + 10 * e**6 + 7 * f**2 + g**4
    return cost - 4 * f * g - 10 * f - 8 * g, [], [
        127 - 2 * a**2 - 3 * b**4 - c - 4 * d**2 - 5 * e, 282 - 7 * a - 3 * b - 10 * c**2 - d + e,
        196 - 23 * a - b**2 - 6 * f**2 + 8 * g, -4 * a**2 - b**2 + 3 * a * b - 2 * c**2 - 5 * f + 11 * g,
    ]  # fmt: skip


def _hs101(power):
    cost = ((10, 1, -1, 0, 2, 0, -3, power), (15, -1, -2, 1, 1, -1, 0, -0.5), (20, -2, 1, 0, -1, -2, 1, 0),
            (25, 2, 2, -1, 0, 0.5, -2, 1))  # fmt: skip
    rows = (
        ((0.5, 0.5, 0, -1, 0, 0, -2, 1), (0.7, 3, 1, -2, 0, 0, 1, 0.5), (0.2, 0, -1, 1, -0.5, 0, 2 / 3, 0.25)),
        ((1.3, -0.5, 1, -1, 0, -1, 1, 0), (0.8, 0, 0, 1, -1, -1, 2, 0), (3.1, -1, 0.5, 0, -2, -1, 1 / 3, 0)),
        ((2, 1, 0, -1.5, 0, 1, -1, 1 / 3), (0.1, 0, 1, -0.5, 0, 1, -1, -0.5), (1, -1, 1, 0.5, 0, 1, 0, 0),
         (0.65, 0, -2, 1, 0, 1, -1, 1)),
        ((0.2, -2, 1, 0, -1, 0.5, 0, 1 / 3), (0.3, 0.5, 2, 1, 1 / 3, -2 / 3, 0, 0.25), (0.4, -3, -2, 1, 0, 1, 0,
        0.75),
         (0.5, 0, 0, -2, 1, 0, 0, 0.5)),
    )  # fmt: skip

    def law(*x):
        logs = [np.log(a) for a in x]

        def posynomial(terms):
            return sum(factor * np.exp(_dot(powers, logs)) for factor, *powers in terms)

        f = posynomial(cost)
        return f, [], [*(1 - posynomial(row) for row in rows), f - 100, 3000 - f]

    return law


def _hs104(a, b, c, d, e, f, g, h):
    def power(x, p):
        return np.exp(p * np.log(x))

    cost = 0.4 * power(a / g, 0.67) + 0.4 * power(b / h, 0.67) + 10 - a - b
    return cost, [], [
        1 - 0.0588 * e * g - 0.1 * a,
        1 - 0.0588 * f * h - 0.1 * a - 0.1 * b,
        1 - 4 * c / e - 2 * power(c, -0.71) / e - 0.0588 * power(c, -1.3) * g,
        1 - 4 * d / f - 2 * power(d, -0.71) / f - 0.0588 * power(d, -1.3) * h,
        cost - 1, 4.2 - cost,
    ]  # fmt: skip


HEIGHTS = {
    95: 1, 105: 1, 110: 4, 115: 4, 120: 15, 125: 15, 130: 15, 135: 13, 140: 21, 145: 12, 150: 17, 155: 4, 160: 20,
    165: 8,
    170: 17, 175: 8, 180: 6, 185: 6, 190: 7, 195: 4, 200: 3, 205: 3, 210: 8, 215: 1, 220: 6, 230: 5, 235: 1, 240: 7,
    245: 1,
    250: 2,
}  # fmt: skip


def _hs105(a, b, *x):
    weights, cost = (a, b, 1 - a - b), 0.0
    for y, count in HEIGHTS.items():
        bells = (w / s * np.exp(-((y - m) ** 2) / (2 * s**2)) for w, m, s in zip(weights, x[:3], x[3:], strict=True))
        cost = cost - count * np.log(sum(bells) / (2 * np.pi) ** 0.5)
    return cost, [], [1 - a - b]


def _hs106(a, b, c, d, e, f, g, h):
    return a + b + c, [], [
        1 - 0.0025 * (d + f), 1 - 0.0025 * (e + g - d), 1 - 0.01 * (h - e),
        a * f - 833.33252 * d - 100 * a + 83333.333, b * g - 1250 * e - b * d + 1250 * d,
        c * h - 1250000 - c * e + 2500 * e,
    ]  # fmt: skip


def _hs107(*x):
    a, b, p, q, u, v, w, g, h = x
    c, d = 48.4 / 50.176 * np.sin(0.25), 48.4 / 50.176 * np.cos(0.25)
    y1, y2, y3, y4, y5, y6 = np.sin(g), np.cos(g), np.sin(h), np.cos(h), np.sin(g - h), np.cos(g - h)
    cost = 3000 * a + 1000 * a**3 + 2000 * b + 666.667 * b**3
    return cost, [
        0.4 - a + 2 * c * u**2 - u * v * (d * y1 + c * y2) - u * w * (d * y3 + c * y4),
        0.4 - b + 2 * c * v**2 + u * v * (d * y1 - c * y2) + v * w * (d * y5 - c * y6),
        0.8 + 2 * c * w**2 + u * w * (d * y3 - c * y4) - v * w * (d * y5 + c * y6),
        0.2 - p + 2 * d * u**2 + u * v * (c * y1 - d * y2) + u * w * (c * y3 - d * y4),
        0.2 - q + 2 * d * v**2 - u * v * (c * y1 + d * y2) - v * w * (c * y5 + d * y6),
        -0.337 + 2 * d * w**2 - u * w * (c * y3 + d * y4) + v * w * (c * y5 - d * y6),
    ], []  # fmt: skip


def _hs108(a, b, c, d, e, f, g, h, i):
    cost = -0.5 * (a * d - b * c + c * i - e * i + e * h - f * g)
    return cost, [], [
        1 - c**2 - d**2, 1 - i**2, 1 - e**2 - f**2, 1 - a**2 - (b - i) ** 2, 1 - (a - e) ** 2 - (b - f) ** 2,
        1 - (a - g) ** 2 - (b - h) ** 2, 1 - (c - e) ** 2 - (d - f) ** 2, 1 - (c - g) ** 2 - (d - h) ** 2,
        1 - g**2 - (h - i) ** 2, a * d - b * c, c * i, -e * i, e * h - f * g,
    ]  # fmt: skip


def _hs109(a, b, c, d, u, v, w, p, q):
    k, s, t = 50.176, np.sin(0.25), np.cos(0.25)
    cost = 3 * a + 1e-6 * a**3 + 2 * b + 0.522074e-6 * b**3
    self_term = 2 * t - 0.7533e-3 * k
    return cost, [
        u * v * np.sin(-c - 0.25) + u * w * np.sin(-d - 0.25) + 2 * s * u**2 - k * a + 400 * k,
        u * v * np.sin(c - 0.25) + v * w * np.sin(c - d - 0.25) + 2 * s * v**2 - k * b + 400 * k,
        u * w * np.sin(d - 0.25) + v * w * np.sin(d - c - 0.25) + 2 * s * w**2 + 881.779 * k,
        k * p + u * v * np.cos(-c - 0.25) + u * w * np.cos(-d - 0.25) - 200 * k - self_term * u**2,
        k * q + u * v * np.cos(c - 0.25) + v * w * np.cos(c - d - 0.25) - 200 * k - self_term * v**2,
        u * w * np.cos(d - 0.25) + v * w * np.cos(d - c - 0.25) + 22.938 * k - self_term * w**2,
    ], [d - c + 0.55, c - d + 0.55, 2250000 - a**2 - p**2, 2250000 - b**2 - q**2]  # fmt: skip


def _hs110(*x):
    return sum(np.log(a - 2) ** 2 + np.log(10 - a) ** 2 for a in x) - np.prod(x) ** 0.2, [], []


GIBBS = (-6.089, -17.164, -34.054, -5.914, -24.721, -14.986, -24.100, -10.708, -26.662, -22.179)


def _moles(x):
    return [
        x[0] + 2 * x[1] + 2 * x[2] + x[5] + x[9] - 2,
        x[3] + 2 * x[4] + x[5] + x[6] - 1,
        x[2] + x[6] + x[7] + 2 * x[8] + x[9] - 1,
    ]  # fmt: skip


def _hs111(*x):
    e = [np.exp(a) for a in x]
    total = np.log(sum(e))
    return sum(b * (c + a - total) for a, b, c in zip(x, e, GIBBS, strict=True)), _moles(e), []


def _hs112(*x):
    total = np.log(sum(x))
    return sum(a * (c + np.log(a) - total) for a, c in zip(x, GIBBS, strict=True)), _moles(x), []


def _hs113(a, b, c, d, e, f, g, h, i, j):
    cost = a**2 + b**2 + a * b - 14 * a - 16 * b + (c - 10) ** 2 + 4 * (d - 5) ** 2 + (e - 3) ** 2 + 2 * (f - 1) ** 2
    cost = cost + 5 * g**2 + 7 * (h - 11) ** 2 + 2 * (i - 10) ** 2 + (j - 7) ** 2 + 45
    return cost, [], [
        105 - 4 * a - 5 * b + 3 * g - 9 * h, -10 * a + 8 * b + 17 * g - 2 * h, 8 * a - 2 * b - 5 * i + 2 * j + 12,
        -3 * (a - 2) ** 2 - 4 * (b - 3) ** 2 - 2 * c**2 + 7 * d + 120, -5 * a**2 - 8 * b - (c - 6) ** 2 + 2 * d + 40,
        -0.5 * (a - 8) ** 2 - 2 * (b - 4) ** 2 - 3 * e**2 + f + 30,
        -(a**2) - 2 * (b - 2) ** 2 + 2 * a * b - 14 * e + 6 * f,
        3 * a - 6 * b - 12 * (i - 8) ** 2 + 7 * j,
    ]  # fmt: skip


def _hs114(a, b, c, d, e, f, g, h, i, j):
    one, two = 35.82 - 0.222 * j - 0.9 * i, -133 + 3 * g - 0.99 * j
    five = 1.12 * a + 0.13167 * a * h - 0.00667 * a * h**2 - 0.99 * d
    six = 57.425 + 1.098 * h - 0.038 * h**2 + 0.325 * f - 0.99 * g
    cost, wide = 5.04 * a + 0.035 * b + 10 * c + 3.36 * e - 0.063 * d * g, 1 / 0.99 - 0.99
    equal = [1.22 * d - a - e, 98000 * c / (d * i + 1000 * c) - f, (b + e) / a - h]
    return (
        cost,
        equal,
        [one, two, five, six, -one + i * (1 / 0.9 - 0.9), -two + wide * j, -five + wide * d, -six + wide * g],
    )


def _hs116(*x):
    x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13 = x
    cost, a, b, c, d, e, f = x11 + x12 + x13, 0.002, 1.262626, 1.231059, 0.03475, 0.975, 0.00975
    return cost, [], [
        x3 - x2, x2 - x1, 1 - a * x7 + a * x8, cost - 50, 250 - cost, x13 - b * x10 + c * x3 * x10,
        x5 - d * x2 - e * x2 * x5 + f * x2**2, x6 - d * x3 - e * x3 * x6 + f * x3**2,
        x4 - d * x1 - e * x1 * x4 + f * x1**2, x12 - b * x9 + c * x2 * x9, x11 - b * x8 + c * x1 * x8,
        x5 * x7 - x1 * x8 - x4 * x7 + x4 * x8, 1 - a * (x2 * x9 + x5 * x8 - x1 * x8 - x6 * x9) - x5 - x6,
        x2 * x9 - x3 * x10 - x6 * x9 - 500 * x2 + 500 * x6 + x2 * x10, x2 - 0.9 - a * (x2 * x10 - x3 * x10),
    ]  # fmt: skip


def _hs118(*x):
    rates = ((2.3, 1e-4), (1.7, 1e-4), (2.2, 1.5e-4))
    cost = sum(rates[i % 3][0] * a + rates[i % 3][1] * a**2 for i, a in enumerate(x))
    steps = [x[i + 3] - x[i] + 7 for i in range(12)]
    sums = [sum(x[3 * k : 3 * k + 3]) - need for k, need in enumerate((60, 50, 70, 85, 100))]
    return cost, [], [*steps, *((14 if i % 3 == 1 else 13) - s for i, s in enumerate(steps)), *sums]


PAIRS = (
    (1, (1, 4, 7, 8, 16)), (2, (2, 3, 7, 10)), (3, (3, 7, 9, 10, 14)), (4, (4, 7, 11, 15)), (5, (5, 6, 10, 12, 16)),
    (6, (6, 8, 15)), (7, (7, 11, 13)), (8, (8, 10, 15)), (9, (9, 12, 16)), (10, (10, 14)), (11, (11, 13)), (12, (12,
    14)),
    (13, (13, 14)), (14, (14,)), (15, (15,)), (16, (16,)),
)  # fmt: skip
MIXTURE = np.hstack(
    [
        np.array(
            [
                [0.22, 0.20, 0.19, 0.25, 0.15, 0.11, 0.12, 0.13], [-1.46, 0, -1.30, 1.82, -1.15, 0, 0.80, 0],
                [1.29, -0.89, 0, 0, -1.16, -0.96, 0, -0.49], [-1.10, -1.06, 0.95, -0.54, 0, -1.78, -0.41, 0],
                [0, 0, 0, -1.43, 1.51, 0.59, -0.33, -0.43], [0, -1.72, -0.33, 0, 1.62, 1.24, 0.21, -0.26],
                [1.12, 0, 0, 0.31, 0, 0, 1.12, 0], [0, 0.45, 0.26, -1.10, 0.58, 0, -1.03, 0.10],
            ]
        ),
        np.eye(8),
    ]
)  # fmt: skip
MIXTURE[6, 8] = -0.36


def _hs119(*x):
    p = [a**2 + a + 1 for a in x]
    cost = sum(p[i - 1] * p[j - 1] for i, others in PAIRS for j in others)
    right = (2.5, 1.1, -3.1, -3.5, 1.3, 2.1, 2.3, -1.5)
    return cost, [_dot(row, x) - c for row, c in zip(MIXTURE, right, strict=True)], []


MIXED = (0.31, 0.046, 0.068, 0.042, 0.028, 0.0134)
POWERS = ((0.1,) * 6 + (0.01,), 10)
PROBLEMS = (
    hs(83, (78, 33, 27, 27, 27), -30665.53867, _hs83, (78, 33, 27, 27, 27), (102, 45, 45, 45, 45)),
    hs(84, (2.52, 2, 37.5, 9.25, 6.8), -5280335.133, _hs84, (0, 1.2, 20, 9, 6.5), (1000, 2.4, 60, 9.3, 7)),
    hs(86, (0, 0, 0, 0, 1), -32.34867897, _hs86, 0),
    hs(93, (5.54, 4.4, 12.02, 11.82, 0.702, 0.852), 135.075961, _hs93, 0),
    hs(95, np.zeros(6), 0.015619514, _hs95(4.97, -1.88, -29.08, -78.02), 0, MIXED),
    hs(96, np.zeros(6), 0.015619514, _hs95(4.97, -1.88, -69.08, -118.02), 0, MIXED),
    hs(97, np.zeros(6), (3.1358091, 4.0712464), _hs95(32.97, 25.12, -29.08, -78.02), 0, MIXED),
    hs(98, np.zeros(6), (3.1358091, 4.0712464), _hs95(32.97, 25.12, -124.08, -173.02), 0, MIXED),
    hs(99, np.full(7, 0.5), -0.831079892e9, _hs99, 0, 1.58),
    hs(100, (1, 2, 0, 4, 0, 1, 1), 680.6300573, _hs100),
    hs(101, np.full(7, 6.0), 1809.76476, _hs101(-0.25), *POWERS),
    hs(102, np.full(7, 6.0), 911.880571, _hs101(0.125), *POWERS),
    hs(103, np.full(7, 6.0), 543.667958, _hs101(0.5), *POWERS),
    hs(104, (6, 3, 0.4, 0.2, 6, 6, 1, 0.5), 3.9511634396, _hs104, 0.1, 10),
    hs(
        105, (0.1, 0.2, 100, 125, 175, 11.2, 13.2, 15.8), (1138.416240, 1136.3073, 1149.3456), _hs105,
        (0.001, 0.001, 100, 130, 170, 5, 5, 5), (0.499, 0.499, 180, 210, 240, 25, 25, 25),
    ),
    hs(
        106, (5000, 5000, 5000, 200, 350, 150, 225, 425), 7049.2480,
        _hs106, (100, 1000, 1000, *[10] * 5), (*[10000] * 3, *[1000] * 5),
    ),
    hs(
        107, (0.8, 0.8, 0.2, 0.2, 1.0454, 1.0454, 1.0454, 0, 0), 5055.011803, _hs107,
        (0, 0, -INF, -INF, *[0.90909] * 3, -INF, -INF), (*[INF] * 4, *[1.0909] * 3, INF, INF),
    ),
    hs(108, np.ones(9), (-0.8660254038, -0.6749814, -0.5), _hs108, (*[-INF] * 8, 0)),
    hs(
        109, np.zeros(9), (5326.85131, 5362.06928), _hs109,
        (0, 0, -0.55, -0.55, 196, 196, 196, -400, -400), (INF, INF, 0.55, 0.55, 252, 252, 252, 800, 800),
    ),
    hs(110, np.full(10, 9.0), -45.77846971, _hs110, 2.001, 9.999),
    hs(111, np.full(10, -2.3), -47.76109026, _hs111, -100, 100),
    hs(112, np.full(10, 0.1), -47.76109026, _hs112, 1e-6),
    hs(113, (2, 3, 5, 5, 1, 2, 7, 3, 6, 10), 24.3062091, _hs113),
    hs(
        114, (1745, 12000, 110, 3048, 1974, 89.2, 92.8, 8, 3.6, 145), -1768.80696, _hs114,
        (*[1e-5] * 5, 85, 90, 3, 1.2, 145), (2000, 16000, 120, 5000, 2000, 93, 95, 12, 4, 162),
    ),
    hs(
        116, (0.5, 0.8, 0.9, 0.1, 0.14, 0.5, 489, 80, 650, 450, 150, 150, 150), 97.588409, _hs116,
        (0.1, 0.1, 0.1, 1e-4, 0.1, 0.1, 0.1, 0.1, 500, 0.1, 1, 1e-4, 1e-4),
        (1, 1, 1, 0.1, 0.9, 0.9, 1000, 1000, 1000, 500, 150, 150, 150),
    ),
    hs(117, 0.001 * np.array([1, 1, 1, 1, 1, 1, 60000, *[1] * 8]), 32.34867897, _hs117, 0),
    hs(
        118, (20, 55, 15, *[20, 60, 20] * 4), 664.8204500, _hs118, (8, 43, 3, *[0] * 12), (21, 57, 16, *[90, 120,
        60] * 4),
    ),
    hs(119, np.full(16, 10.0), 244.899698, _hs119, 0, 5),
)  # fmt: skip
