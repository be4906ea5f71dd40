"""Problems that tests share: templates made once, so that their code is made once."""

import numpy as np

from screwgraph.optimize import SE3, Problem, Variables, Vector, each, equality, inequality, soft
from screwgraph.spatial import concatenate, exp6, inverse, log6, vector


def anchor(x, *, at):
    return x - at


def bend(a, b, *, k, m):
    """A relation of two vectors of 3 that is not linear."""
    return concatenate(b - a - k * vector([a[1].sin(), a[0] * b[2], b[0].cos()]) - m, a[0:1] * b[1:2])


def shared_gain(x, gain, *, y):
    return gain * x[0:2] - y


def relative(T_wa, T_wb, *, T_ab):
    return log6(inverse(T_ab) @ inverse(T_wa) @ T_wb)


def pose(T, *, at):
    return log6(inverse(at) @ T)


def random_graph(seed, *, loss=None):
    """A random tree with some more edges, and unary factors of random strength."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 12))
    x, gain = Variables("x", Vector(3), n), Variables("gain", Vector(1))
    parents = np.array([rng.integers(i) for i in range(1, n)])
    more = np.array([sorted(rng.choice(n, 2, replace=False)) for _ in range(3)])
    first, second = np.concatenate([parents, more[:, 0]]), np.concatenate([np.arange(1, n), more[:, 1]])
    edges = len(first)
    some = rng.choice(n, max(2, n // 2), replace=False)
    factors = [
        soft(
            anchor, x[some], at=each(rng.normal(size=(len(some), 3))), sigma=each(rng.uniform(0.2, 2.0, (len(some), 3)))
        ),
        soft(
            bend,
            x[first],
            x[second],
            k=each(rng.uniform(0, 0.3, edges)),
            m=rng.normal(size=3),
            covariance=_spd(rng, 4),
            loss=loss,
        ),
        soft(shared_gain, x, gain, y=each(rng.normal(size=(n, 2))), sigma=0.5),
        soft(anchor, gain, at=[1.0], sigma=0.1),
    ]
    return Problem(factors, [x, gain]), {"x": rng.normal(size=(n, 3)), "gain": np.ones((1, 1))}


def pose_ring(count, noise, seed=0):
    """Poses on a ring, each measured from the one before, the first from the last; and where they are."""
    rng = np.random.default_rng(seed)
    truth = np.array(
        [exp6(np.array([0.1 * i, 0.2, 2 * np.pi * i / count, np.cos(i), np.sin(i), 0.1 * i])) for i in range(count)]
    )
    T = Variables("T", SE3(), count)
    after = np.roll(np.arange(count), -1)
    measured = np.array(
        [np.linalg.inv(truth[i]) @ truth[j] @ exp6(noise * rng.normal(size=6)) for i, j in enumerate(after)]
    )
    factors = [
        soft(relative, T, T[after], T_ab=each(measured), sigma=[0.1, 0.1, 0.1, 0.3, 0.3, 0.3]),
        soft(pose, T[0], at=truth[0], sigma=0.01),
    ]
    start = np.array([P @ exp6(0.2 * rng.normal(size=6)) for P in truth])
    return Problem(factors), {"T": start}, truth


def swing_up(steps=26, seconds=2.0):
    """A cart-pole that swings up; trapezoidal collocation, as in Kelly (2017)."""
    h = seconds / (steps - 1)
    q, v, u = Variables("q", Vector(2), steps), Variables("v", Vector(2), steps), Variables("u", Vector(1), steps)
    factors = [
        soft(effort, u, sigma=1 / np.sqrt(h)),
        equality(collocated, q[:-1], v[:-1], u[:-1], q[1:], v[1:], u[1:], h=h),
        equality(anchor, q[0], at=np.zeros(2), name="start"),
        equality(anchor, v[0], at=np.zeros(2), name="at rest"),
        equality(anchor, q[-1], at=[1.0, np.pi], name="goal"),
        equality(anchor, v[-1], at=np.zeros(2), name="at rest again"),
        inequality(between, u, lower=-12.0, upper=12.0, name="force"),
        inequality(between, q, lower=[-2.0, -9.0], upper=[2.0, 9.0], name="track"),
    ]
    t = np.linspace(0, 1, steps)[:, None]
    guess = {"q": t * [1.0, np.pi], "v": np.tile([0.5, np.pi / 2], (steps, 1)), "u": np.zeros((steps, 1))}
    return Problem(factors), guess


def effort(u):
    return u


def between(x, *, lower, upper):
    return concatenate(x - upper, lower - x)


def collocated(q, v, u, q_next, v_next, u_next, *, h):
    return concatenate(q_next - q, v_next - v) - h / 2 * (cart_pole(q, v, u) + cart_pole(q_next, v_next, u_next))


def cart_pole(q, v, u, cart=1.0, pole=0.3, length=0.5, g=9.81):
    s, c = q[1].sin(), q[1].cos()
    swing = length * pole * s * v[1] ** 2
    a = (swing + u[0] + pole * g * c * s) / (cart + pole * (1 - c**2))
    b = -(swing * c + u[0] * c + (cart + pole) * g * s) / (length * (cart + pole * (1 - c**2)))
    return vector([v[0], v[1], a, b])


def _spd(rng, n):
    root = rng.normal(size=(n, n))
    return root @ root.T / n + 0.1 * np.eye(n)
