"""What plans are checked with; nothing of it comes from the planner."""

import numpy as np
from scipy.integrate import solve_ivp


def cart_pole(q, v, u, cart=1.0, pole=0.3, length=0.5, g=9.81):
    """Accelerations of a cart with a hanging point mass. Kelly (2017), appendix E."""
    s, c = np.sin(q[1]), np.cos(q[1])
    swing = pole * length * s * v[1] ** 2
    a = (swing + u + pole * g * c * s) / (cart + pole * (1 - c**2))
    b = -(swing * c + u * c + (cart + pole) * g * s) / (length * (cart + pole * (1 - c**2)))
    return np.array([a, b])


def acrobot(q, v, u, g=9.81, m=1.0, l1=1.0, c1=0.5, c2=1.0, I1=0.083, I2=0.33):
    """Accelerations of Spong's acrobot, its angles counted from hanging."""
    d = m * l1 * c2
    M = np.array(
        [
            [m * c1**2 + I1 + m * (l1**2 + c2**2) + I2 + 2 * d * np.cos(q[1]), m * c2**2 + I2 + d * np.cos(q[1])],
            [m * c2**2 + I2 + d * np.cos(q[1]), m * c2**2 + I2],
        ]
    )
    s = d * np.sin(q[1])
    h = np.array([-s * (2 * v[0] * v[1] + v[1] ** 2), s * v[0] ** 2])
    gravity = g * np.array(
        [(m * c1 + m * l1) * np.sin(q[0]) + m * c2 * np.sin(q[0] + q[1]), m * c2 * np.sin(q[0] + q[1])]
    )
    return np.linalg.solve(M, np.array([0.0, u]) - h - gravity)


def drift(acceleration, plan, control=None, pieces=8):
    """Return how far an independent integration ends from the plan, the worst of some pieces from state to state.

    Pieces, because unstable motions magnify any error a thousandfold until their end. `control` tells efforts at a
    time; by default they are linear between the plan's.
    """
    n, size = plan.q.shape[1], (len(plan.t) - 1) // pieces
    control = control or (lambda t: np.array([np.interp(t, plan.t, column) for column in plan.tau.T]))

    def rate(t, x):
        return np.concatenate([x[n:], acceleration(x[:n], x[n:], control(t))])

    worst = 0.0
    for a in range(0, pieces * size, size):
        start, end = (np.concatenate([plan.q[k], plan.qd[k]]) for k in (a, a + size))
        span = (plan.t[a], plan.t[a + size])
        found = solve_ivp(rate, span, start, rtol=1e-8, atol=1e-8, max_step=plan.t[1])
        worst = max(worst, float(np.abs(found.y[:, -1] - end).max()))
    return worst
