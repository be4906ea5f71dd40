"""A Panda moves its hand past a ball to a point, with little torque, by gradients through 200 time steps.

    python examples/jax_trajectory.py [-o FOLDER]

The unknowns are the torques of all time steps, nothing else (single shooting). Their cost comes from a simulation, and
its gradient from JAX, which goes through 200 steps of compiled forward dynamics and the hand's compiled position.
SciPy's L-BFGS minimises it; what must hold at the end is a term of the cost whose weight grows.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import matplotlib as mpl
import numpy as np
from matplotlib.patches import Circle
from scipy.optimize import minimize

import screwgraph as sg
from screwgraph.ui.draw import save

mpl.use("Agg")
import matplotlib.pyplot as plt

STEPS, STEP = 200, 0.005  # -, s
HAND = "panda_hand_tcp"
START = np.array([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785])  # rad
GOAL = np.array([0.3, 0.5, 0.4])  # m
CENTRE, RADIUS = np.array([0.2, 0.25, 0.45]), 0.12  # m
UNIT = 10.0  # N m, of torques in the cost
WEIGHTS = (1e1, 1e2, 1e3, 1e4)  # of the squares of distances (m), velocities (rad/s) and depths (m)


@dataclass(frozen=True)
class Problem:
    """The robot's compiled functions; torques are hold (7,) + scale (7, 7) u, where u are accelerations at the start.

    Without that scale the same torque moves the wrist a hundred times more than the shoulder, and L-BFGS is slow.
    """

    forward: Callable[..., Any]
    hand: Callable[..., Any]
    hold: np.ndarray
    scale: np.ndarray

    def torques(self, u: Any) -> Any:
        """Return the torques (STEPS, 7)."""
        return self.hold + u @ self.scale

    def motion(self, u: Any) -> tuple[Any, Any, Any]:
        """Return positions, velocities and hand positions (STEPS, ...), by the semi-implicit Euler method."""

        def move(x: Any, tau: Any) -> tuple[Any, Any]:
            q, qd = x
            qd = qd + STEP * self.forward(q, qd, tau)
            q = q + STEP * qd
            return (q, qd), (q, qd)

        _, (q, qd) = jax.lax.scan(move, (jnp.asarray(START), jnp.zeros(7)), self.torques(u))
        return q, qd, self.hand(q)[:, :3, 3]

    def cost(self, u: Any, weight: float) -> Any:
        """Return the mean square of torques beyond holding, and what must hold, weighted."""
        _, qd, hand = self.motion(u)
        depth = jnp.maximum(RADIUS - jnp.linalg.norm(hand - CENTRE, axis=1), 0.0)
        must = jnp.sum((hand[-1] - GOAL) ** 2) + 0.1 * jnp.sum(qd[-1] ** 2) + jnp.sum(depth**2)
        effort = (self.torques(u) - self.hold) / UNIT
        return jnp.mean(jnp.sum(effort**2, axis=1)) + weight * must


def main() -> None:
    """Optimise, report, draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", type=Path, default=Path("out"))
    parser.add_argument("--iterations", type=int, default=300, help="at most, for each weight")
    asked = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    robot = sg.load("panda")
    print(robot)
    hold = sg.inverse_dynamics(robot)(START, np.zeros(7), np.zeros(7))
    scale = sg.mass_matrix(robot)(START)
    problem = Problem(sg.forward_dynamics(robot).jax(), sg.forward_kinematics(robot, HAND).jax(), hold, scale)
    u = optimised(problem, asked.iterations)
    q, qd, hand = (np.asarray(x) for x in problem.motion(u))
    clearance = np.linalg.norm(hand - CENTRE, axis=1).min() - RADIUS
    print(f"at the end {1e3 * np.linalg.norm(hand[-1] - GOAL):.2f} mm from the goal, {np.abs(qd[-1]).max():.1e} rad/s")
    print(f"clearance of the hand from the ball: {1e3 * clearance:.1f} mm")
    asked.o.mkdir(exist_ok=True)
    draw(q, np.asarray(problem.torques(u)), hand, asked.o / "jax-trajectory.svg")


def optimised(problem: Problem, iterations: int) -> np.ndarray:
    """Return the unknowns (STEPS, 7), one weight after the other."""
    slope = jax.jit(jax.value_and_grad(problem.cost))
    began = time.perf_counter()
    u = np.zeros((STEPS, 7))
    jax.block_until_ready(slope(u, 1.0))
    print(f"first gradient, with compilation: {time.perf_counter() - began:.2f} s")
    for weight in WEIGHTS:
        began = time.perf_counter()

        def both(x: np.ndarray, weight: float = weight) -> tuple[float, np.ndarray]:
            value, gradient = slope(x.reshape(STEPS, 7), weight)
            return float(value), np.asarray(gradient).ravel()

        found = minimize(both, u.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": iterations, "maxcor": 30})
        u = found.x.reshape(STEPS, 7)
        each = 1e3 * (time.perf_counter() - began) / found.nfev
        print(f"weight {weight:g}: cost {found.fun:.4f}, {found.nfev} gradients, {each:.2f} ms each")
    return u


def draw(q: np.ndarray, tau: np.ndarray, hand: np.ndarray, file: Path) -> None:
    """Draw the hand's path beside the ball, its clearance, positions and torques."""
    figure, ((side, near), (positions, torques)) = plt.subplots(2, 2, figsize=(8.5, 5.6), layout="constrained")
    t = STEP * np.arange(1, STEPS + 1)
    side.add_patch(Circle(tuple(CENTRE[1:]), RADIUS, color="0.85", label="ball"))
    side.plot(hand[:, 1], hand[:, 2], color="C0", label="hand")
    side.plot(*GOAL[1:], "o", markerfacecolor="none", color="C1", label="goal")
    side.set(xlabel="y (m)", ylabel="z (m)", aspect="equal", ylim=(0.28, 0.68))
    side.legend(frameon=False, fontsize=8, ncols=3, loc="upper right")
    near.plot(t, np.linalg.norm(hand - CENTRE, axis=1) - RADIUS)
    near.axhline(0.0, color="0.6", linestyle="--", linewidth=0.8)
    near.set(xlabel="time (s)", ylabel="clearance (m)")
    for panel, label, values in ((positions, "position (rad)", q), (torques, "torque (N m)", tau)):
        panel.plot(t, values, linewidth=1)
        panel.set(xlabel="time (s)", ylabel=label)
    positions.set_ylim(top=5.0)
    positions.legend([f"joint {k}" for k in range(1, 8)], ncols=4, fontsize=7, frameon=False, loc="upper left")
    for panel in (side, near, positions, torques):
        panel.grid(visible=True, linewidth=0.3)
    save(figure, file)
    print(f"drawn: {file}")


if __name__ == "__main__":
    main()
