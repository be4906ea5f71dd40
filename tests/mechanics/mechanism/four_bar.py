"""The four-bar of Blanco-Claraco et al. (2021), Fig. 6, as an ordinary differential equation of its crank's angle."""

import numpy as np
from scipy.integrate import solve_ivp

L1, L2, L3, XB, G = 1.0, 2.0, np.sqrt(13.0), 4.0, 9.81
M1, M2, M3 = 1.0, 2.0, 4.0


def positions(theta):
    """P1, P2 and their derivatives by the angle, by intersecting two circles; the angle may be complex."""
    p1, d1 = np.array([np.cos(theta), np.sin(theta)]), np.array([-np.sin(theta), np.cos(theta)])
    way = np.array([XB, 0.0]) - p1
    d = np.sqrt(way @ way)
    along = (L2**2 - L3**2 + d**2) / (2 * d)
    height = np.sqrt(L2**2 - along**2)
    p2 = p1 + (along * way + height * np.array([-way[1], way[0]])) / d
    # The coupler's and the rocker's lengths stay: two linear equations for dP2/dtheta.
    A = np.array([p2 - p1, p2 - np.array([XB, 0.0])])
    return p1, p2, d1, np.linalg.solve(A, np.array([(p2 - p1) @ d1, 0.0]))


def exact_four_bar(t):
    """(theta, theta_dot, x1, y1, x2, y2) at times t to 1e-12 m; starts at rest with the crank horizontal."""

    def inertia(theta):
        _, _, d1, d2 = positions(theta)
        rods = ((M1, 0 * d1, d1), (M2, d1, d2), (M3, d2, 0 * d2))
        return sum(m / 3.0 * (a @ a + a @ b + b @ b) for m, a, b in rods)

    def rate(_, y):
        theta, omega = y
        slope = inertia(theta + 1e-30j).imag / 1e-30  # exact: differences would cost 1e-9 m in 5 s
        _, _, d1, d2 = positions(theta)
        weight = G * (M1 * d1[1] / 2 + M2 * (d1[1] + d2[1]) / 2 + M3 * d2[1] / 2)
        return [omega, (-weight - 0.5 * slope * omega**2) / inertia(theta)]

    y = solve_ivp(rate, (0.0, float(t[-1])), [0.0, 0.0], "DOP853", t, rtol=1e-13, atol=1e-13).y.T
    return np.array([[*state, *np.concatenate(positions(state[0])[:2])] for state in y])
