"""Assembled positions of a mechanism, all over."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from jaxtyping import Float

from screwgraph.model.mechanism.closure import ROUGH, closure_errors, coordinate_units
from screwgraph.model.mechanism.mechanism import Mechanism

TRIES = 3
"""Guesses for each position that is wanted."""
STEPS = 40
CLOSED = 1e-12
"""Newton step, in units of the closure, below which a position is assembled."""
DAMPING = 1e-12
REACH = 0.5
"""Longest Newton step, relative to the size of the mechanism."""


SPECIAL = 24
"""How many of the states are special positions, at most."""
REGULAR = 1e-3
"""Singular values of the constraints, relative to the largest, above which a special position is taken."""
QUARTERS = (0.0, 0.5 * np.pi, np.pi, -0.5 * np.pi)
"""Angles (rad) that are special."""

Conditions = tuple[Float[np.ndarray, "N n"], Float[np.ndarray, " N"]]
"""Rows a and numbers b: a q = b."""


@lru_cache(maxsize=64)
def find_assembled_states(mechanism: Mechanism, count: int) -> Float[np.ndarray, "count n"]:
    """Return assembled positions (m, rad), in any assembly mode, found from random guesses; repeated where few are.

    The last ones are special: the position at the beginning, and such as have rods along x or y, or angles that are
    multiples of pi/2, where entries of the constraints' Jacobian vanish. Those that are singular are left out.

    Raises:
        ModelError: the mechanism cannot be assembled.
    """
    rng, conditions = np.random.default_rng(0), _conditions(mechanism)
    found = draw_assembled_positions(mechanism, count, rng)
    held, rank = _assemble_random(mechanism, conditions, len(conditions[1]), rng)
    special = np.array([mechanism.home, *held[np.argsort(rank, kind="stable")]])
    special = special[_is_regular(mechanism, special)][: min(SPECIAL, count // 2)]
    return np.concatenate([np.resize(found, (count - len(special), mechanism.n)), special])


def draw_assembled_positions(
    mechanism: Mechanism, count: int, rng: np.random.Generator
) -> Float[np.ndarray, "count n"]:
    """Return assembled positions (m, rad), in any assembly mode, from random guesses; repeated where few are found.

    Raises:
        ModelError: the mechanism cannot be assembled.
    """
    free = np.zeros((TRIES * count, mechanism.n)), np.zeros(TRIES * count)
    random, _ = _assemble_random(mechanism, free, 2 * count, rng)
    return np.resize(random if len(random) else mechanism.home[None], (count, mechanism.n))


def _conditions(mechanism: Mechanism) -> Conditions:
    """Return what makes positions special, once for each of `TRIES`."""
    rows, numbers = [], []
    for body in mechanism.bodies:
        for slots in zip(*(mechanism.point_slots[end] for end in body.base), strict=True):
            row, number = np.zeros(mechanism.n), 0.0
            for slot, sign in zip(slots, (1.0, -1.0), strict=True):
                if isinstance(slot, int):
                    row[slot] = sign
                else:
                    number -= sign * slot
            if row.any():
                rows, numbers = [*rows, row], [*numbers, number]
    for slot in mechanism.angle_slots:
        for angle in QUARTERS:
            rows, numbers = [*rows, np.eye(mechanism.n)[slot]], [*numbers, angle]
    return np.resize(rows, (TRIES * len(rows), mechanism.n)), np.resize(numbers, TRIES * len(rows))


def _is_regular(mechanism: Mechanism, q: Float[np.ndarray, "N n"]) -> np.ndarray:
    J = mechanism.closing_program.interpreter.in_units(q)[1][:, list(mechanism.freedom.kept)]
    s = np.linalg.svd(J / np.maximum(np.linalg.norm(J, axis=2, keepdims=True), 1e-300), compute_uv=False)
    return s.min(axis=1, initial=np.inf) > REGULAR * s.max(axis=1, initial=0.0)


def _assemble_random(
    mechanism: Mechanism, conditions: Conditions, wanted: int, rng: np.random.Generator
) -> tuple[Float[np.ndarray, "N n"], np.ndarray]:
    """Return assembled positions that fulfil a condition each, and which try each is; about so many are wanted."""
    (a, b), units = conditions, coordinate_units(mechanism)
    spread = units.copy()
    spread[list(mechanism.angle_slots)] = np.pi
    a = a * units
    unit = np.where(a.any(axis=1), np.abs(a).max(axis=1), 1.0)
    a, b = a / unit[:, None], b / unit
    reach = rng.uniform(0.0, 1.0, (len(b), 1))  # guesses near home, too: few of those far off may close
    q = mechanism.home + reach * spread * rng.standard_normal((len(b), mechanism.n))
    closing, kept = mechanism.closing_program.interpreter, list(mechanism.freedom.kept)
    _turn_angles(mechanism, q)
    left = np.arange(len(q))
    for _ in range(STEPS):
        residual, J = closing.in_units(q[left])
        off = (a[left] * q[left] / units).sum(axis=1) - b[left]
        residual = np.concatenate([residual[:, kept], off[:, None]], axis=1)
        step = units * _newton_step(residual, np.concatenate([J[:, kept], a[left][:, None]], axis=1))
        longest = np.abs(step / spread).max(axis=1, keepdims=True)
        q[left] -= step * np.minimum(1.0, REACH / np.maximum(longest, 1e-300))
        left = left[longest[:, 0] > CLOSED]
        if len(q) - len(left) >= wanted or not len(left):
            break
    residual, J = closing.in_units(q)
    closed = np.nan_to_num(closure_errors(residual, J).max(axis=1, initial=0.0), nan=np.inf) <= 1e-3 * ROUGH
    closed &= np.abs((a * q / units).sum(axis=1) - b) <= 1e-3 * ROUGH
    for slot, row in mechanism.defining_rows:  # an angle half a turn off closes its row, too
        closed &= J[:, row, slot] < 0.0
    closed &= _is_no_mirror_image(mechanism, q)
    return q[closed], np.arange(len(q))[closed] * TRIES // max(1, len(q))


def _is_no_mirror_image(mechanism: Mechanism, q: Float[np.ndarray, "N n"]) -> np.ndarray:
    """Return where bodies in space are no mirror images: scalar products of three lines do not tell these apart."""
    found = np.ones(len(q), dtype=bool)
    for body in mechanism.bodies:
        if len(body.basis) == 3:
            shape = np.array([[float(x) for x in body.shape[place]] for place in body.basis])
            lines = np.stack([mechanism.way(q, line) for line in body.lines], axis=1)
            found &= np.linalg.det(lines) * np.linalg.det(shape) > 0.0
    return found


def _newton_step(residual: Float[np.ndarray, "N m"], J: Float[np.ndarray, "N m n"]) -> Float[np.ndarray, "N n"]:
    """Return the smallest steps onto constraints, damped where these depend on each other."""
    JJ = J @ J.swapaxes(1, 2)
    size = np.trace(JJ, axis1=1, axis2=2)[:, None, None]
    return (J.swapaxes(1, 2) @ np.linalg.solve(JJ + DAMPING * size * np.eye(J.shape[1]), residual[..., None]))[..., 0]


def _turn_angles(mechanism: Mechanism, q: Float[np.ndarray, "N n"]) -> None:
    """Let each angle be that of its lines: its row is a cos(angle) - b sin(angle)."""
    closing = mechanism.closing_program.interpreter
    for slot, row in mechanism.defining_rows:
        q[:, slot] = 0.0
        a = closing(q)[0][:, row]
        q[:, slot] = 0.5 * np.pi
        q[:, slot] = np.arctan2(a, -closing(q)[0][:, row])
