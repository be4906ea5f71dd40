"""A small neural network learns to swing a cart-pole up and to balance it, by gradients through its motion.

    python examples/jax_policy_gradient.py [-o FOLDER]

The network sees the state and pushes the cart. Each iteration simulates a batch of motions that start near rest, the
pole down, and differentiates their mean cost by the weights: JAX differentiates the network, screwgraph has compiled
the derivatives of forward dynamics. Afterwards the policy is tried from starts that it has not seen.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import matplotlib as mpl
import numpy as np

import screwgraph as sg
from screwgraph.ui.draw import save

mpl.use("Agg")
import matplotlib.pyplot as plt

STEPS, STEP = 160, 0.025  # -, s
BATCH, ITERATIONS, RATE = 64, 1200, 1e-2
HIDDEN = 32
PUSH = 15.0  # N, the largest force
SPREAD = np.array([0.3, 0.3, 0.2, 0.2])  # m, rad, m/s, rad/s: standard deviation of the starts
UPRIGHT = np.pi

Params = list[tuple[Any, Any]]


def policy(params: Params, x: Any) -> Any:
    """Return the force on the cart (N) in the state x = (q, qd)."""
    y = jnp.array([x[0], jnp.sin(x[1]), jnp.cos(x[1]), 0.5 * x[2], 0.2 * x[3]])
    for weights, bias in params[:-1]:
        y = jnp.tanh(weights @ y + bias)
    weights, bias = params[-1]
    return PUSH * jnp.tanh(weights @ y + bias)[0]


def motion(forward: Callable[..., Any], params: Params, start: Any) -> tuple[Any, Any]:
    """Return states (STEPS + 1, 4) and forces (STEPS,), by the semi-implicit Euler method."""

    def move(x: Any, _: None) -> tuple[Any, tuple[Any, Any]]:
        q, qd = x[:2], x[2:]
        push = policy(params, x)
        qd = qd + STEP * forward(q, qd, jnp.array([push, 0.0]))
        x = jnp.concatenate([q + STEP * qd, qd])
        return x, (x, push)

    _, (states, forces) = jax.lax.scan(move, start, None, length=STEPS)
    return jnp.concatenate([start[None], states]), forces


def cost(forward: Callable[..., Any], params: Params, starts: Any) -> Any:
    """Return the mean cost of motions: away from upright and from the middle, velocities, whole turns, forces."""
    states, forces = jax.vmap(lambda start: motion(forward, params, start))(starts)
    x, angle, xd, rate = jnp.moveaxis(states, -1, 0)
    late = jnp.linspace(0.0, 1.0, STEPS + 1) ** 2
    height = (1.0 + jnp.cos(angle)) * (0.2 + late) + 0.1 * jnp.maximum(jnp.abs(angle) - 4.0, 0.0) ** 2
    speed = 0.1 * late * xd**2 + (0.003 + 0.02 * late) * rate**2
    return (height + speed + 0.1 * x**2).mean() + 1e-4 * (forces**2).mean()


def network(rng: np.random.Generator) -> Params:
    """Return random weights of two hidden layers."""
    sizes = (5, HIDDEN, HIDDEN, 1)
    return [(jnp.asarray(rng.standard_normal((m, n)) / np.sqrt(n)), jnp.zeros(m)) for n, m in pairwise(sizes)]


def starts(rng: np.random.Generator, count: int) -> Any:
    """Return random states (count, 4) near rest, the pole down."""
    return jnp.asarray(SPREAD * rng.standard_normal((count, 4)))


def trained(forward: Callable[..., Any], iterations: int, rng: np.random.Generator) -> tuple[Params, list[float]]:
    """Return the weights after Adam's method (Kingma & Ba, 2015), and the cost of each iteration."""
    params = network(rng)
    moments = jax.tree.map(jnp.zeros_like, (params, params))

    @jax.jit
    def improved(params: Params, moments: Any, i: Any, starts: Any) -> tuple[Params, Any, Any]:
        value, slope = jax.value_and_grad(lambda p: cost(forward, p, starts))(params)
        size = jnp.sqrt(sum(jnp.sum(s**2) for s in jax.tree.leaves(slope)))
        slope = jax.tree.map(lambda s: s * jnp.minimum(1.0, 1.0 / size), slope)
        first = jax.tree.map(lambda m, s: 0.9 * m + 0.1 * s, moments[0], slope)
        second = jax.tree.map(lambda m, s: 0.999 * m + 0.001 * s**2, moments[1], slope)
        rate = RATE * 0.5 * (1.0 + jnp.cos(jnp.pi * i / iterations))
        scale = rate * jnp.sqrt(1.0 - 0.999 ** (i + 1)) / (1.0 - 0.9 ** (i + 1))
        params = jax.tree.map(lambda p, m, v: p - scale * m / (jnp.sqrt(v) + 1e-8), params, first, second)
        return params, (first, second), value

    costs = []
    for i in range(iterations):
        params, moments, value = improved(params, moments, float(i), starts(rng, BATCH))
        costs.append(float(value))
        if i % 100 == 0 or i == iterations - 1:
            print(f"iteration {i:3d}: cost {costs[-1]:.3f}")
    return params, costs


def main() -> None:
    """Train, try, draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", type=Path, default=Path("out"))
    parser.add_argument("--iterations", type=int, default=ITERATIONS)
    asked = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    forward, rng = sg.forward_dynamics(sg.load("cart_pole")).jax(), np.random.default_rng(0)
    began = time.perf_counter()
    params, costs = trained(forward, asked.iterations, rng)
    print(f"{asked.iterations} iterations of {BATCH} motions with {STEPS} steps: {time.perf_counter() - began:.1f} s")
    unseen = starts(rng, 100)
    states, forces = jax.jit(jax.vmap(lambda start: motion(forward, params, start)))(unseen)
    off = np.abs((np.asarray(states[:, -20:, 1]) % (2.0 * np.pi)) - UPRIGHT).max(axis=1)
    print(f"balanced at the end, within 0.2 rad: {(off < 0.2).sum()} of {len(off)} unseen starts")
    asked.o.mkdir(exist_ok=True)
    draw(costs, np.asarray(states), np.asarray(forces), asked.o / "jax-policy-gradient.svg")


def draw(costs: list[float], states: np.ndarray, forces: np.ndarray, file: Path) -> None:
    """Draw the cost over iterations, and 20 motions of the policy: angle, position, force."""
    figure, axes = plt.subplots(2, 2, figsize=(8.5, 5.2), layout="constrained")
    t = STEP * np.arange(STEPS + 1)
    axes[0, 0].semilogy(costs, color="C0")
    axes[0, 0].set(xlabel="iteration", ylabel="mean cost")
    panels = ((axes[0, 1], "angle (rad)", states[..., 1]), (axes[1, 0], "position (m)", states[..., 0]))
    for panel, label, values in (*panels, (axes[1, 1], "force (N)", forces)):
        panel.plot(t[: values.shape[1]], values[:20].T, color="C0", linewidth=0.8, alpha=0.6)
        panel.set(xlabel="time (s)", ylabel=label)
    for turn in (-1, 1):
        axes[0, 1].axhline(turn * UPRIGHT, color="0.6", linestyle="--", linewidth=0.8)
    for panel in axes.flat:
        panel.grid(visible=True, linewidth=0.3)
    save(figure, file)
    print(f"drawn: {file}")


if __name__ == "__main__":
    main()
