"""Compiled code for loops and couplings: closure errors, and the rows of K, many times faster than by NumPy.

Lengths on which constraints depend are inputs, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.compiler import (
    Argument,
    Function,
    compile_expression,
    parameter_arguments,
    robot_arguments,
    without_metadata,
)
from screwgraph.graph import Key
from screwgraph.model.robot import (
    JointType,
    Robot,
    chain_of,
    constraint_jacobian,
    constraint_residual,
    coordinates_around,
    loop_error,
    loop_pose,
)
from screwgraph.model.robot.parameters import Parameter, with_numbers
from screwgraph.spatial import Array, vanishing
from screwgraph.tape import Number, Row

STEPS = 2
"""Steps of Newton's method with one matrix, which leave the third power of what a step opens."""

State = tuple[np.ndarray, np.ndarray, list[Number]]
"""A position, a velocity, and what is left of closure errors (rad, m)."""

Closing = Callable[..., State]
"""From a position, a velocity and parameters on a tape to the nearest state that constraints allow."""


class Opening(NamedTuple):
    """How constraints are open at a position: gaps (rad, m) and rows of K, and the last of the rates K v asked for.

    All other rates are zero.
    """

    gaps: list[Number]
    K: list[Row]
    rates: Sequence[Number] = ()


def closure_code(robot: Robot, rows: Sequence[int], lengths: Sequence[Parameter] = ()) -> Function:
    """Return the constraints of a robot as a function of q and, where there are loops, of their joints' positions x.

    Its result is flat: the closure errors (rad, m) of all rows, in the order `rows`; how far each loop joint's velocity
    coordinates are from where x should be; then the entries `entries` of K. Errors are exact to second order in
    themselves and in the error of x. Parameters `lengths` of the robot are the last argument, where there are some.
    """
    places, ends = entries(robot, rows), np.cumsum([0, *(loop.type.nq for loop in robot.loops)])

    def expression(q: np.ndarray, *others: np.ndarray) -> list[Number]:
        own = others[0] if ends[-1] else np.zeros(0)
        x = np.split(own, ends[1:-1]) if robot.loops else []
        made = with_numbers(robot, lengths, others[-1]) if lengths else robot
        errors, K = constraint_residual(made, q, x, vanishing), constraint_jacobian(made, q, x)
        return (
            [errors[i] for i in rows]
            + _loop_joint_errors(made, q, x)
            + [K[rows[i], j] for i, j in zip(*places, strict=True)]
        )

    question = (without_metadata(robot), tuple(rows), *lengths)
    arguments = (*_arguments(robot), *parameter_arguments(robot, lengths))
    return compile_expression("closure_code", question, arguments, expression)


def jacobian_code(robot: Robot) -> Function:
    """Return K (..., rows, nv) as a function of closed positions q: the rows that `robot.mobility` keeps."""
    rows = list(robot.mobility.kept)

    def expression(q: np.ndarray) -> list[Number]:
        return list(constraint_jacobian(robot, q)[rows].ravel())

    arguments = (position_argument(robot),)
    return compile_expression("jacobian_code", (without_metadata(robot), tuple(rows)), arguments, expression)


def residual_code(robot: Robot) -> Function:
    """Return closure errors (..., rows) as a function of q, those rows that `robot.mobility` keeps; exact near zero."""
    rows = list(robot.mobility.kept)

    def expression(q: np.ndarray) -> list[Number]:
        return list(constraint_residual(robot, q, None, vanishing)[rows])

    arguments = (position_argument(robot),)
    return compile_expression("residual_code", (without_metadata(robot), tuple(rows)), arguments, expression)


def entries(robot: Robot, rows: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return where K may have entries that are not zero, in those first of `rows` that `robot.mobility` keeps.

    These are places in `rows`, and velocity coordinates.
    """
    moving = [coordinates_around(robot, chain_of(robot, loop)) for loop in robot.loops for _ in range(loop.rows)]
    moving += [[robot.v_slices[joint].start for joint in coupling.joints] for coupling in robot.couplings]
    pairs = [(i, j) for i, row in enumerate(rows[: robot.mobility.rank]) for j in moving[row]]
    return [i for i, _ in pairs], [j for _, j in pairs]


def position_argument(robot: Robot) -> Argument:
    """Return the argument q of functions of a robot."""
    return robot_arguments(robot, [("q", [Key("q", name) for name in robot.joint_names])])[0]


def _arguments(robot: Robot) -> tuple[Argument, ...]:
    names = tuple(f"x:{loop.name}[{i}]" for loop in robot.loops for i in range(loop.type.nq))
    spaces = tuple(loop.type.manifold for loop in robot.loops)
    return (position_argument(robot), *([Argument("x", (len(names),), names, spaces)] if names else []))


def _loop_joint_errors(robot: Robot, q: np.ndarray, x: Sequence[np.ndarray]) -> list[Number]:
    """Return how far each loop joint's velocity coordinates are from where x should be."""
    found: list[Number] = []
    for loop, position in zip(robot.loops, x, strict=True):
        error = vanishing(loop_error(loop, loop_pose(robot, loop, q), position))
        found += list(_coordinates(loop.type, position) @ error)
    return found


def _coordinates(joint: JointType, x: Array) -> Float[Array, "nv 6"]:
    """Return what finds velocities from twists of the joint; A' A is the same everywhere for the joints there are."""
    A = np.asarray(joint.screw_axes(joint.manifold.identity()), dtype=float)
    return np.linalg.inv(A.T @ A) @ joint.screw_axes(x).T


@dataclass(frozen=True, eq=False)
class ClosureParameters:
    """Parameters on which constraints depend: of a robot, or `names` of a mechanism's; `places` in the whole vector."""

    __repr__ = one_line

    parameters: tuple[Parameter, ...] = ()
    names: tuple[str, ...] = ()
    places: tuple[int, ...] = ()

    def numbers(self, values: np.ndarray) -> np.ndarray:
        """Return their numbers among those of all parameters."""
        return values[list(self.places)]


@dataclass(frozen=True, eq=False)
class StateClosure:
    """How states are closed for some lengths: positions near a guess, velocities that are checked, or the nearest."""

    position: Callable[[Any], np.ndarray]
    velocity: Callable[[np.ndarray, Any], np.ndarray]
    nearest: Callable[[np.ndarray, np.ndarray], np.ndarray]
