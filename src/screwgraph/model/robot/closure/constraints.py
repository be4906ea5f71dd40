"""The constraints of loops and couplings: residuals, and the rows of K, with K(q) qd = 0, on every kind of number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.closure.loop_chain import Chain, chain_of
from screwgraph.model.robot.coupling import Coupling
from screwgraph.model.robot.parts import Loop
from screwgraph.model.robot.quaternion_checks import check_joint_positions
from screwgraph.model.robot.robot import Robot
from screwgraph.spatial import Array, concatenate, inverse, turn_and_shift, vector

EDGE = 1e-4
"""Distance (rad, m) from where the functions of couplings end, within which second derivatives are no measure."""


@dataclass(frozen=True)
class Row:
    """One scalar constraint: its loop or coupling, and which motion it takes away ("rotation x", "equation")."""

    of: str
    component: str

    def __str__(self) -> str:
        return f"{self.of}: {self.component}"


def constraint_rows(robot: Robot) -> tuple[Row, ...]:
    """Return the names of the rows of `constraint_residual` and `constraint_jacobian`: loops first, as listed."""
    rows = [Row(loop.name, component) for loop in robot.loops for component in _components(loop)]
    return (*rows, *(Row(coupling.name, "equation") for coupling in robot.couplings))


def constraint_residual(
    robot: Robot,
    q: Float[Array, " nq"],
    x: Sequence[Array] | None = None,
    size: Callable[[Array], Array] = turn_and_shift,
) -> Float[Array, " rows"]:
    """Return the loop-closure errors (rad, m) and the residuals of couplings, row by row; zero where all are closed.

    Loop joints stand at the positions `x`, else as near as they come to the poses around them. `size` makes a twist
    of the motion that is left: `vanishing` is cheaper, and agrees with the default one near zero.
    """
    parts = [np.zeros(0)]
    for i, loop in enumerate(robot.loops):
        parts.append(loop_residual(loop, loop_pose(robot, loop, q), None if x is None else x[i], size))
    with np.errstate(all="ignore"):  # an equation may divide by a position that vanishes; its residual is then infinite
        parts += [vector([coupling(_positions(robot, coupling, q))]) for coupling in robot.couplings]
    return concatenate(*parts)


def constraint_jacobian(
    robot: Robot, q: Float[np.ndarray, " nq"], x: Sequence[np.ndarray] | None = None
) -> Float[np.ndarray, "rows nv"]:
    """Return K, NumPy arrays of any kind: with loops closed, the velocities that they allow obey K qd = 0.

    A loop's rows are W' V, with V the twist of its successor relative to its predecessor in the successor's loop
    frame, and W the wrenches that its type transmits. Where loops are open, K is the residual's derivative only nearly.
    """
    K, row = np.zeros((_count(robot), robot.nv), dtype=np.result_type(q, float)), 0
    for i, loop in enumerate(robot.loops):
        chain = chain_of(robot, loop)
        around = positions_around(robot, chain, q)
        poses = chain.poses(around)
        at = loop.type.nearest(chain.T_loop(poses)) if x is None else x[i]
        block = loop.type.constraint_wrenches(at).T @ chain.screws(around, poses)
        K[row : row + loop.rows, coordinates_around(robot, chain)] = block
        row += loop.rows
    for coupling in robot.couplings:
        with np.errstate(all="ignore"):  # as in the residual
            slopes = coupling.gradient(_positions(robot, coupling, q))
        for joint, slope in zip(coupling.joints, slopes, strict=True):
            K[row, robot.v_slices[joint]] = slope
        row += 1
    return K


def is_inside(robot: Robot, q: Float[np.ndarray, " nq"]) -> bool:
    """Whether all couplings have values and slopes at a position and EDGE to each side: roots and logarithms end."""
    for coupling in (c for c in robot.couplings if not c.is_linear):
        at = np.asarray(_positions(robot, coupling, q), dtype=float)
        around = [at, *(at + EDGE * e for e in np.eye(at.size)), *(at - EDGE * e for e in np.eye(at.size))]
        with np.errstate(all="ignore"):
            for x in around:  # most guesses fail at the first
                if not (np.isfinite(coupling(x)) and np.isfinite(coupling.gradient(x)).all()):
                    return False
    return True


def loop_residual(
    loop: Loop, T: Float[Array, "4 4"], x: Array | None = None, size: Callable[[Array], Array] = turn_and_shift
) -> Float[Array, " rows"]:
    """Return the closure error (rad, m) of a loop whose joint's frames stand at T; see `constraint_residual`."""
    at = loop.type.nearest(T) if x is None else x
    return loop.type.constraint_wrenches(at).T @ size(loop_error(loop, T, at))


def loop_error(loop: Loop, T: Float[Array, "4 4"], x: Array) -> Float[Array, "4 4"]:
    """Return the motion that is left from the loop joint's frame at x to the successor's at T."""
    return inverse(loop.type.transform(x)) @ T


def loop_pose(robot: Robot, loop: Loop, q: Float[Array, " nq"]) -> Float[Array, "4 4"]:
    """Return the pose of a loop's frame on its successor in the one on its predecessor."""
    chain = chain_of(robot, loop)
    return chain.T_loop(chain.poses(positions_around(robot, chain, q)))


def positions_around(robot: Robot, chain: Chain, q: Float[Array, " nq"]) -> list[Array]:
    """Return the positions of the joints around a loop. Raises InputError where a quaternion is not unit."""
    positions = [q[robot.q_slices[joint.name]] for joint in chain.joints]
    check_joint_positions(chain.joints, positions)
    return positions


def coordinates_around(robot: Robot, chain: Chain) -> list[int]:
    """Return the velocity coordinates of the joints around a loop."""
    places = [robot.v_slices[joint.name] for joint in chain.joints]
    return [i for place in places for i in range(place.start, place.stop)]


def _count(robot: Robot) -> int:
    return sum(loop.rows for loop in robot.loops) + len(robot.couplings)


def _positions(robot: Robot, coupling: Coupling, q: Float[Array, " nq"]) -> Array:
    """Return the positions that a coupling ties; a joint that is welded stands at zero."""
    places = [robot.q_slices[joint] for joint in coupling.joints]
    at: list[Any] = [q[place.start] if place.stop > place.start else 0.0 for place in places]
    return vector(at)


def _components(loop: Loop) -> list[str]:
    """Name the columns of W: after a coordinate axis where they lie along one, else by number."""
    names = []
    zero = loop.type.manifold.identity()
    for number, column in enumerate(np.asarray(loop.type.constraint_wrenches(zero)).T, start=1):
        kind = "rotation" if column[:3].any() else "translation"
        part = column[:3] if column[:3].any() else column[3:]
        along = np.flatnonzero(np.abs(part) > 1e-9)
        single = len(along) == 1 and not (column[:3].any() and column[3:].any())
        names.append(f"{kind} {'xyz'[along[0]] if single else number}")
    return names
