"""Base parameters in numbers: which combinations of the tree's loops tie, and what joints of new types show.

Loops only take motions away, so that torques show combinations of those that the tree's show. Kinetic energy at closed
positions is a quadratic form of what velocities loops leave, potential energy has a slope along each: both, at some
random positions, are rows of numbers whose dependent columns are looked for, from the base to the tips.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.mechanics.dynamics.tree_base_parameters import Row, index_parameters
from screwgraph.model.robot import Frame, Robot, closed_states, constraint_jacobian
from screwgraph.model.robot.parameters import BODIES, MASSES, Parameter, particle
from screwgraph.model.robot.parameters.friction import SLOW
from screwgraph.spatial import Ad, SpatialInertia, inverse

POSITIONS = 12
"""Closed positions at once: as many again are looked at until they show no more."""
LONGEST = 20
REGULAR = 1e-5
"""Smallest singular value of K, relative to the largest, at positions that count: elsewhere velocities are not those
that loops usually leave."""
SHOWN = 1e-8
"""Part of the largest column below which a column is zero."""
DEPENDENT = 1e-10
"""Singular values, columns of unit length, below which columns depend on others: positions close loops to 1e-12."""
ROUNDING = 1e-8
"""Coefficients of combinations below this are zero, and as near to 1 are 1: positions close loops to 1e-12."""


def find_closed_combinations(robot: Robot, parameters: Sequence[Parameter], tree: Mapping[int, Row]) -> dict[int, Row]:
    """Return the combinations that torques show, as `tree_combinations` returns those of a tree of known joints.

    Raises:
        InputError: no position closes the loops with the velocities that they usually leave.
    """
    leading, seed = list(tree), 0
    R: Any = np.zeros((0, len(tree)))
    kept, B = list[int](), np.zeros((0, len(tree)))
    while seed < LONGEST and len(kept) < len(leading):
        R = np.linalg.qr(np.concatenate([R, *energy_rows(robot, parameters, leading, seed)]), mode="r")
        before, seed = len(kept), seed + 1
        kept, B = find_independent_columns(R)
        if len(kept) == before:
            break
    found: dict[int, Row] = {}
    for i, row in zip(kept, B, strict=True):
        whole: Row = {}
        for j in np.flatnonzero(row).tolist():
            for c, x in tree[leading[j]].items():
                whole[c] = x * row[j] + whole[c] if c in whole else x * row[j]
        found[leading[i]] = {c: x for c, x in sorted(whole.items()) if abs(float(x)) > ROUNDING}
    return found


def energy_rows(
    robot: Robot, parameters: Sequence[Parameter], leading: Sequence[int], seed: int
) -> list[Float[np.ndarray, "rows k"]]:
    """Return rows of numbers by leading parameters, a block for each of some random closed positions.

    Raises:
        InputError: loops leave more velocities than usual at all of them.
    """
    rng, blocks = np.random.default_rng(seed), list[np.ndarray]()
    if not robot.is_closed:
        return [
            _rows(robot, parameters, leading, q, np.eye(robot.nv), rng) for q in closed_states(robot, POSITIONS, seed)
        ]
    kept = list(robot.mobility.kept)
    for q in closed_states(robot, POSITIONS, seed):
        _, S, Vt = np.linalg.svd(constraint_jacobian(robot, q)[kept])
        if len(S) == 0 or S[-1] > REGULAR * S[0]:
            blocks.append(_rows(robot, parameters, leading, q, Vt[len(S) :].T, rng))
    if not blocks:
        raise InputError(
            f"robot {robot.name!r} has no base parameters",
            why="loops leave more velocities than usual at all closed positions that were found",
            fix="check the lengths of its loops",
        )
    return blocks


def _rows(
    robot: Robot,
    parameters: Sequence[Parameter],
    leading: Sequence[int],
    q: Float[np.ndarray, " nq"],
    G: Float[np.ndarray, "nv n"],
    rng: np.random.Generator,
) -> Float[np.ndarray, "rows k"]:
    """Return energies, losses by damping, and torques of friction at a position, of velocities G y, by parameters."""
    n, J = G.shape[1], _twists(robot, q, G)
    pairs = list(combinations_with_replacement(range(n), 2))
    qd = SLOW * G @ rng.standard_normal((n, n))
    energy, loss, rubbing = (np.zeros((len(pairs) + n, len(leading))) for _ in range(3))
    places = index_parameters(robot, parameters)
    where = {c: k for k, c in enumerate(leading)}
    for p in parameters:
        for number, c in enumerate(places[p.kind, p.part]):
            if c not in where:
                continue
            k = where[c]
            if p.kind in MASSES:
                frame = robot.frame(p.part) if p.kind == "payload" else Frame(p.part, p.part, np.eye(4))
                V = Ad(inverse(frame.T_lf)) @ J[frame.link]
                Q = V.T @ _slope(robot, p, number) @ V  # of n velocities, then of gravity
                energy[:, k] = [*(Q[a, b] for a, b in pairs), *Q[:n, n]]
                continue
            own = robot.v_slices[p.part]
            g = G[own] if p.kind != "armature" else G[own.start + number][None]
            if p.kind == "friction":
                rubbing[:n, k] = np.einsum("ja,ja->a", np.tanh(qd[own] / SLOW), g)
            else:
                (energy if p.kind == "armature" else loss)[: len(pairs), k] = [
                    (g[:, a] * g[:, b]).sum() for a, b in pairs
                ]
    return np.concatenate([energy, loss, rubbing])


def _twists(
    robot: Robot, q: Float[np.ndarray, " nq"], G: Float[np.ndarray, "nv n"]
) -> dict[str, Float[np.ndarray, "6 n1"]]:
    """Return of each link its twists by velocities G y, and gravity last, in its own frame."""
    gravity = np.array([0.0, 0.0, 0.0, *robot.gravity], dtype=float)[:, None]
    found = {robot.links[0].name: np.hstack([np.zeros((6, G.shape[1])), gravity])}
    for joint in robot.joints:
        own = q[robot.q_slices[joint.name]]
        V = Ad(joint.T_child_parent(own)) @ found[joint.parent]
        V[:, :-1] += joint.type.screw_axes(own) @ G[robot.v_slices[joint.name]]
        found[joint.child] = V
    return found


def _slope(robot: Robot, parameter: Parameter, number: int) -> Float[np.ndarray, "6 6"]:
    """Return the derivative of a body's inertia by a number of a parameter."""
    if parameter.kind in BODIES:
        return _units()[number]
    return SpatialInertia.of_parameters(particle(robot.link(parameter.part).inertia.com).tolist()).matrix()


@cache
def _units() -> Float[np.ndarray, "10 6 6"]:
    return np.array([SpatialInertia.of_parameters(row).matrix() for row in np.eye(10).tolist()])


def find_independent_columns(
    Y: Float[np.ndarray, "rows k"], dependent: float = DEPENDENT
) -> tuple[list[int], Float[np.ndarray, "rank k"]]:
    """Return columns that depend on none before them, each with what it stands for: coefficients of all columns.

    Singular values below `dependent`, columns of unit length, are zero.
    """
    size = np.linalg.norm(Y, axis=0)
    unit = Y / np.where(size > 0.0, size, 1.0)
    seen = np.flatnonzero(size > SHOWN * size.max(initial=0.0))
    values = np.linalg.svd(unit[:, seen], compute_uv=False)
    rank = int((values > dependent * values.max(initial=0.0)).sum())
    basis, beyond = np.zeros((len(Y), 0)), np.zeros(len(size))
    for i in seen.tolist():
        rest = unit[:, i] - basis @ (basis.T @ unit[:, i])
        rest = rest - basis @ (basis.T @ rest)  # twice is enough: Kahan & Parlett
        beyond[i] = np.linalg.norm(rest)
        if beyond[i] > dependent:
            basis = np.column_stack([basis, rest / beyond[i]])
    found = sorted(np.argsort(-beyond, kind="stable")[:rank].tolist())
    B = np.linalg.lstsq(unit[:, found], unit, rcond=None)[0] * size / size[found][:, None]
    B[:, found] = np.eye(len(found))
    whole = np.round(B)
    B = np.where(np.abs(B - whole) < ROUNDING, whole, B)
    return found, B
