"""Motions of closed chains by those of their independent coordinates, many samples at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.mechanics.kinematics import integrate
from screwgraph.model.robot import Robot, independent_coordinates
from screwgraph.motion.simulation.closure_code import jacobian_code, residual_code

STEP = 1e-5
"""Of the way along a motion, relative to its largest velocity, over which K is differenced: errors are some 1e-10."""
ITERATIONS = 12
CLOSED = 1e-9
"""Loop-closure errors (rad, m) that are left of closed positions."""


@dataclass(frozen=True, eq=False)
class ClosedChainMotion:
    """Velocities that loops, couplings or constraints leave, K qd = 0: code for K, for what is open, and for steps."""

    jacobian: Callable[[Float[np.ndarray, "N nq"]], np.ndarray]
    residual: Callable[[Float[np.ndarray, "N nq"]], Float[np.ndarray, "N rows"]]
    step: Callable[..., Float[np.ndarray, "N nq"]]
    free: tuple[int, ...]
    follow: tuple[int, ...]

    @classmethod
    def from_robot(cls, robot: Robot) -> ClosedChainMotion:
        """Return the closure of a robot with loops or couplings."""
        free = independent_coordinates(robot)
        follow = np.setdiff1d(np.arange(robot.nv), free).tolist()
        return cls(jacobian_code(robot), residual_code(robot), integrate(robot), tuple(free), tuple(follow))

    def close(self, q: Float[np.ndarray, "N nq"]) -> tuple[Float[np.ndarray, "N nq"], Bool[np.ndarray, " N"]]:
        """Return positions whose dependent coordinates close loops and couplings, and which do, by Newton's steps."""
        gaps = self.residual(q)
        for _ in range(ITERATIONS):
            is_open = ~(np.abs(gaps).max(axis=1, initial=0.0) <= CLOSED)
            if not is_open.any():
                break
            d = np.zeros((int(is_open.sum()), len(self.free) + len(self.follow)))
            d[:, list(self.follow)] = -self._solve_followers(self._K(q[is_open]), gaps[is_open][:, :, None])[:, :, 0]
            q = q.copy()
            q[is_open] = self.step(q[is_open], np.nan_to_num(d))
            gaps = self.residual(q)
        return q, np.abs(gaps).max(axis=1, initial=0.0) <= CLOSED

    def velocities(self, q: Float[np.ndarray, "N nq"]) -> Float[np.ndarray, "N nv n"]:
        """Return G with qd = G qd_free at closed positions; G spans the null space of K. Lynch & Park, section 7.2."""
        K, n = self._K(q), len(self.free)
        G = np.zeros((len(q), n + len(self.follow), n))
        G[:, list(self.free)] = np.eye(n)
        G[:, list(self.follow)] = -self._solve_followers(K, K[:, :, list(self.free)])
        return G

    def complete_motion(
        self,
        q: Float[np.ndarray, "N nq"],
        qd: Float[np.ndarray, "N nv"],
        qdd: Float[np.ndarray, "N nv"],
        G: Float[np.ndarray, "N nv n"],
    ) -> tuple[Float[np.ndarray, "N nv"], Float[np.ndarray, "N nv"]]:
        """Return velocities and accelerations that loops allow, with those of the free coordinates: K qdd = -Kd qd."""
        free = list(self.free)
        qd = np.einsum("Nij,Nj->Ni", G, qd[:, free])
        qdd = np.einsum("Nij,Nj->Ni", G, qdd[:, free])
        h = STEP / np.maximum(np.abs(qd).max(axis=1, initial=0.0), STEP)[:, None]
        Kd = (self._K(self.step(q, h * qd)) - self._K(self.step(q, -h * qd))) / (2.0 * h[:, :, None])
        bias = np.einsum("Nri,Ni->Nr", Kd, qd)
        qdd[:, list(self.follow)] -= self._solve_followers(self._K(q), bias[:, :, None])[:, :, 0]
        return qd, qdd

    def _K(self, q: Float[np.ndarray, "N nq"]) -> Float[np.ndarray, "N rows nv"]:
        return self.jacobian(q).reshape(len(q), len(self.follow), -1)

    def _solve_followers(
        self, K: Float[np.ndarray, "N rows nv"], right: Float[np.ndarray, "N rows k"]
    ) -> Float[np.ndarray, "N rows k"]:
        """Return K_follow^-1 right; NaN at positions where the free coordinates do not determine the others."""
        K_follow = K[:, :, list(self.follow)]
        with np.errstate(all="ignore"):
            try:
                return np.linalg.solve(K_follow, right)
            except np.linalg.LinAlgError:
                sound = np.linalg.cond(K_follow) < 1e12
                found = np.full_like(right, np.nan)
                found[sound] = np.linalg.solve(K_follow[sound], right[sound])
                return found
