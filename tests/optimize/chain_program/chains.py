"""Random chains of stages, and the same as dense quadratic programs of inputs and slacks, states eliminated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screwgraph.optimize.chain_program import Bound


@dataclass(frozen=True)
class Chain:
    """Matrices of a chain: x' = T (J z + c), T = I + h E, cost z'Hz / 2 + g'z, and its end."""

    J: np.ndarray
    c: np.ndarray
    h: np.ndarray
    H: np.ndarray
    g: np.ndarray
    Q: np.ndarray
    q: np.ndarray
    x0: np.ndarray
    integrated: Sequence[tuple[int, int]] = ()

    @property
    def nx(self) -> int:
        return self.J.shape[1]

    @property
    def nu(self) -> int:
        return self.J.shape[2] - self.nx

    @cached_property
    def maps(self) -> tuple[np.ndarray, np.ndarray]:
        """States x_0..x_N = M u + m of all inputs u."""
        N, nx, nu = len(self.J), self.nx, self.nu
        M, m = np.zeros((N + 1, nx, N * nu)), np.zeros((N + 1, nx))
        m[0] = self.x0
        for k in range(N):
            T = np.eye(nx)
            for i, j in self.integrated:
                T[i, j] += self.h[k]
            A, B = np.split(T @ self.J[k], [nx], axis=1)
            M[k + 1], m[k + 1] = A @ M[k], A @ m[k] + T @ self.c[k]
            M[k + 1][:, nu * k : nu * k + nu] += B
        return M, m

    @cached_property
    def condensed(self) -> tuple[np.ndarray, np.ndarray]:
        """Hessian and gradient of the cost with the inputs."""
        (M, m), nu = self.maps, self.nu
        H, g = M[-1].T @ self.Q @ M[-1], M[-1].T @ (self.Q @ m[-1] + self.q)
        for k, (own, slope) in enumerate(zip(self.H, self.g, strict=True)):
            chosen = np.eye(len(H))[nu * k : nu * k + nu]
            Z, z = np.vstack([M[k], chosen]), np.concatenate([m[k], np.zeros(nu)])
            H, g = H + Z.T @ own @ Z, g + Z.T @ (own @ z + slope)
        return H, g

    def cost(self, u: np.ndarray) -> float:
        """The cost of inputs."""
        H, g = self.condensed
        return float(0.5 * u.ravel() @ H @ u.ravel() + g @ u.ravel())

    def states(self, u: np.ndarray) -> np.ndarray:
        """The states 1..N of inputs."""
        M, m = self.maps
        return (M @ u.ravel() + m)[1:]


@dataclass(frozen=True)
class Rows:
    """Matrices C of stages, whose products with z have bounds, and equalities F z = f."""

    C: np.ndarray
    F: np.ndarray
    f: np.ndarray

    @property
    def entries(self) -> list[np.ndarray]:
        """Those that are not constants, of C and of F."""
        return [matrices[:, live_entries(matrices)] for matrices in (self.C, self.F)]


def random_chain(rng: np.random.Generator, N: int, nx: int, nu: int, positions: int = 0) -> Chain:
    """A chain near the identity; the first states are integrated from those behind them."""
    n = nx + nu
    J = np.concatenate([np.eye(nx) + 0.1 * rng.normal(size=(N, nx, nx)), 0.5 * rng.normal(size=(N, nx, nu))], axis=2)
    J[:, :positions] = np.eye(n)[:positions]
    X, Y = rng.normal(size=(N, n, n)), rng.normal(size=(nx, nx))
    H, Q = X @ X.transpose(0, 2, 1) / n + 0.1 * np.eye(n), Y @ Y.T / nx + 0.1 * np.eye(nx)
    vectors = [rng.normal(size=shape) for shape in ((N, nx), (N, n), nx, nx)]
    h = rng.uniform(0.02, 0.2, N)
    pairs = [(i, positions + i) for i in range(positions)]
    return Chain(J, 0.1 * vectors[0], h, H, vectors[1], Q, vectors[2], vectors[3], pairs)


def pattern(matrices: np.ndarray) -> list[list[float | None]]:
    """Entries that are the same number at all stages, None for others."""
    first, same = matrices[0].tolist(), np.ptp(matrices, axis=0) == 0.0
    return [[x if s else None for x, s in zip(*rows, strict=True)] for rows in zip(first, same, strict=True)]


def live_entries(matrices: np.ndarray) -> np.ndarray:
    """Whether entries of a pattern are live."""
    return np.array([[x is None for x in row] for row in pattern(matrices)], bool).reshape(matrices.shape[1:])


def solve(
    f: Any,
    chain: Chain,
    bounds: ArrayLike,
    penalty: ArrayLike = (),
    last: Any = None,
    rows: Rows | None = None,
    scale: Any = None,
) -> Any:
    """Call a function for a chain, with bounds that are the same at all stages; `last` are its results before."""
    N, nx, nu = len(chain.J), chain.nx, chain.nu
    live = live_entries(chain.J)
    lower = np.tril_indices(nx + nu)
    shapes = {a.name: a.shape for a in f.arguments}
    names = ("x", "u", "c", "multipliers", "numbers", "barrier", "x0")
    x, u, _, multipliers, numbers, barrier, _ = last or [np.zeros(shapes[n]) for n in names]
    given = Rows(np.zeros((N, 0, nx + nu)), np.zeros((N, 0, nx + nu)), np.zeros((N, 0))) if rows is None else rows
    return f(
        chain.J[:, live],
        chain.c,
        chain.h[:, None],
        chain.H[:, lower[0], lower[1]],
        chain.g,
        *given.entries,
        given.f,
        np.broadcast_to(np.asarray(bounds, float), (N, np.shape(bounds)[-1])),
        *([] if scale is None else [scale[:, None]]),
        x,
        u,
        multipliers,
        numbers,
        chain.x0,
        chain.Q[np.tril_indices(nx)],
        chain.q,
        np.asarray(penalty, float),
        np.array([0.0 if last is None else 1.0]),
        barrier,
    )


def both(count: int, *, soft: bool = False) -> list[Bound]:
    """Lower and upper bounds of some unknowns, one after the other."""
    return [Bound(i, lower, soft) for i in range(count) for lower in (True, False)]
