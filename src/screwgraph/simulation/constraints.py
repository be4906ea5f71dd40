"""Keeping closed chains closed: projections of positions and velocities."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.robot import JointType, Robot, constraint_rows, loop_pose
from screwgraph.simulation.closure_code import closure_code, entries
from screwgraph.spatial.manifolds import product

TOLERANCE = 1e-10
"""Loop-closure error (rad, m) that a step may leave."""
ITERATIONS = 20
NEAR = 1e-8
"""Error (rad, m) of a loop joint's own position with which closure errors may be computed: it enters them squared."""
FAR = 0.05
"""The same for joints that only turn, or only slide, about axes that stay: their own motion opens no loop."""


class Constraints:
    """The loops and couplings of a robot; remembers where the loop joints stood last: they are not far from there.

    `function` is their compiled code, whose entries of K have `places`; the first `kept` of its `rows` gaps are those
    of independent rows. `x` are the loop joints' positions, which may be off by `bound`.
    """

    def __init__(self, robot: Robot, q: Float[np.ndarray, " nq"]) -> None:
        from scipy.linalg import get_lapack_funcs

        self.robot = robot
        self._posv = get_lapack_funcs(("posv",))[0]
        kept = robot.mobility.kept
        every = range(len(constraint_rows(robot)))
        rows = [*kept, *(i for i in every if i not in kept)]
        self.function, self.places = closure_code(robot, rows), tuple(map(np.array, entries(robot, rows)))
        self.kept, self.rows, self._nv = len(kept), len(every), robot.nv
        self._manifold, self._loops = robot.manifold, product(loop.type.manifold for loop in robot.loops)
        self.x = _loop_positions(robot, q)
        self.bound = np.array([_bound(loop.type) for loop in robot.loops for _ in range(loop.type.nv)])

    def projected(
        self, t: float, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]
    ) -> tuple[Float[np.ndarray, " nq"], Float[np.ndarray, " nv"], float]:
        """Return the nearest position and velocity that constraints allow, and the loop-closure error (rad, m).

        Raises:
            InputError: the position is too far from one at which the loops close.
        """
        q, K, gap = self._closed(t, q)
        if not np.isfinite(gap):
            return q, np.full_like(qd, np.nan), gap
        return q, qd - K.T @ self._solved(K, K @ qd), gap

    def _closed(self, t: float, q: Float[np.ndarray, " nq"]) -> tuple[np.ndarray, Float[np.ndarray, "kept nv"], float]:
        gap = np.inf
        for _ in range(ITERATIONS):
            gaps, K = self._at(q)
            gap = float(np.abs(gaps).max())
            if not np.isfinite(gap) or np.abs(gaps[: self.kept]).max(initial=0.0) <= TOLERANCE:
                return q, K, gap
            q = self._manifold.retract(q, -(K.T @ self._solved(K, gaps[: self.kept])))
        raise InputError(
            f"at t = {t:g} s the loop-closure error is {gap:.3g}, and Newton's method does not reduce it",
            why="a step led too far, or to a singular position",
            fix="take a smaller dt",
        )

    def _at(self, q: Float[np.ndarray, " nq"]) -> tuple[Float[np.ndarray, " rows"], Float[np.ndarray, "kept nv"]]:
        """Return closure errors and K, computed with loop joints near where they are."""
        rows, loops = self.rows, len(self.bound)
        for _ in range(ITERATIONS):
            values = self.function(q, self.x) if loops or len(self.x) else self.function(q)
            along = values[rows : rows + loops]
            if not (np.abs(along) > self.bound).any():
                break
            self.x = self._loops.retract(self.x, along)
        K = np.zeros((self.kept, self._nv))
        K[self.places] = values[rows + loops :]
        return values[:rows], K

    def _solved(self, K: Float[np.ndarray, "kept nv"], b: Float[np.ndarray, " kept"]) -> Float[np.ndarray, " kept"]:
        """Solve K K' y = b; near singular positions, as well as can be."""
        if not len(b):
            return b
        _, y, failed = self._posv(K @ K.T, b)
        return np.linalg.lstsq(K @ K.T, b, rcond=None)[0] if failed else y


def _bound(joint: JointType) -> float:
    A = np.asarray(joint.screw_axes(joint.manifold.identity()), dtype=float)
    is_screw = (A[:3].any(axis=0) & A[3:].any(axis=0)).any()
    # A ball joint that is taken some way off has its error in turned axes.
    return FAR if joint.constant_axes and joint.nv == 1 and not is_screw else NEAR


def _loop_positions(robot: Robot, q: Float[np.ndarray, " nq"]) -> Float[np.ndarray, " n"]:
    return np.concatenate([np.zeros(0), *(loop.type.nearest(loop_pose(robot, loop, q)) for loop in robot.loops)])
