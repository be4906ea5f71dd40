"""Masses that differ by 1e12 from a link to its neighbour: dynamics beside Newton and Euler in 60 digits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mpmath
import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Robot
from screwgraph.spatial import SpatialInertia
from tests.agreement import interpreted
from tests.random_trees import random_tree

mp = mpmath.mp.clone()
mp.dps = 60
"""Digits of the oracle."""
ROUNDING = 1e-12
"""Of torques, relative to the sum of what they are made of; of accelerations, divided by the condition number."""
PATTERNS = {
    "light tips": (12, 0, -12),
    "heavy tips": (-12, 0, 12),
    "light between heavy": (0, -12, 0),
    "heavy between light": (-12, 0, -12),
    "all light": (-12, -12, -12),
    "all heavy": (12, 12, 12),
}
"""Powers of ten by which the links' inertias are multiplied, from the base outwards."""

matrices = np.vectorize(mp.mpf, otypes=[object])


def scaled(robot: Robot, powers: tuple[int, ...]) -> Robot:
    """Return a robot whose moving links are heavier by powers of ten."""
    links = [
        link if power is None else replace(link, inertia=heavier(link.inertia, 10.0**power))
        for link, power in zip(robot.links, (None, *powers), strict=True)
    ]
    return replace(robot, links=tuple(links))


def heavier(inertia: SpatialInertia, factor: float) -> SpatialInertia:
    return SpatialInertia(factor * inertia.mass, factor * inertia.first_moment, factor * inertia.about_origin)


def cross(w: Any) -> Any:
    zero = mp.mpf(0)
    return np.array([[zero, -w[2], w[1]], [w[2], zero, -w[0]], [-w[1], w[0], zero]], dtype=object)


def turned(axis: Any, q: Any) -> Any:
    """Rodrigues' formula."""
    W = cross(axis)
    return matrices(np.eye(3)) + mp.sin(q) * W + (1 - mp.cos(q)) * (W @ W)


def torques(robot: Robot, q: Any, qd: Any, qdd: Any, gravity: Any) -> list[Any]:
    """Return the torques of a tree of revolute joints: recursive Newton-Euler, in each link's own frame."""
    zero = matrices(np.zeros(3))
    motions, loads = {robot.links[0].name: (zero, zero, -matrices(gravity))}, {}
    frames = {}
    for i, joint in enumerate(robot.joints):
        axis = matrices(joint.type.axis)
        axis = axis / mp.sqrt(axis @ axis)
        R, p = matrices(joint.origin[:3, :3]) @ turned(axis, mp.mpf(q[i])), matrices(joint.origin[:3, 3])
        w, alpha, a = motions[joint.parent]
        point = a + cross(alpha) @ p + cross(w) @ (cross(w) @ p)
        w, alpha, a = R.T @ w, R.T @ alpha, R.T @ point
        alpha = alpha + axis * mp.mpf(qdd[i]) + cross(w) @ axis * mp.mpf(qd[i])
        w = w + axis * mp.mpf(qd[i])
        motions[joint.child], frames[joint.child] = (w, alpha, a), (R, p, axis)
        body = robot.link(joint.child).inertia
        m, h, J = mp.mpf(body.mass), matrices(body.first_moment), matrices(body.about_origin)
        force = m * a + cross(alpha) @ h + cross(w) @ (cross(w) @ h)
        loads[joint.child] = (J @ alpha + cross(w) @ (J @ w) + cross(h) @ a, force)
    found = []
    for joint in reversed(robot.joints):
        moment, force = loads[joint.child]
        R, p, axis = frames[joint.child]
        found.append(axis @ moment)
        if joint.parent in loads:
            above, along = loads[joint.parent]
            loads[joint.parent] = (above + R @ moment + cross(p) @ (R @ force), along + R @ force)
    return found[::-1]


def equations(robot: Robot, q: Any, qd: Any) -> tuple[Any, Any]:
    """Return the mass matrix and the bias forces."""
    n, still = robot.nv, np.zeros(3)
    columns = [torques(robot, q, np.zeros(n), unit, still) for unit in np.eye(n)]
    bias = torques(robot, q, qd, np.zeros(n), np.array(robot.gravity))
    return np.array(columns, dtype=object).T, np.array(bias, dtype=object)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_dynamics_are_right_to_their_conditioning(pattern):
    """Coordinates are scaled so that the mass matrix has the diagonal 1 (van der Sluis, 1969)."""
    robot = scaled(sg.load(random_tree(3, seed=3)), PATTERNS[pattern])
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, robot.nv))
    M, h = equations(robot, q, qd)
    roots = np.array([mp.sqrt(x) for x in np.diagonal(M)])
    size = roots.astype(float)

    found = interpreted(sg.mass_matrix(robot), q[None])[0]
    unit = M / np.outer(roots, roots)
    np.testing.assert_allclose(found / np.outer(size, size), unit.astype(float), atol=ROUNDING)

    tau = M @ matrices(qdd) + h
    found = interpreted(sg.inverse_dynamics(robot), q[None], qd[None], qdd[None])[0]
    added = np.array(abs(M) @ abs(matrices(qdd)) + abs(h), dtype=float)
    np.testing.assert_array_less(np.abs(found - tau.astype(float)), ROUNDING * added)

    given = size * np.random.default_rng(1).normal(size=robot.nv)
    loads = (matrices(given) - h) / roots
    expected = np.array(list(mp.lu_solve(mp.matrix(unit.tolist()), mp.matrix(loads.tolist()))), dtype=float)
    condition = float(np.linalg.cond(unit.astype(float)))
    found = interpreted(sg.forward_dynamics(robot), q[None], qd[None], given[None])[0]
    largest = max(np.abs(expected).max(), float(max(abs(h / roots))))
    assert np.abs(found * size - expected).max() <= ROUNDING * condition * largest
