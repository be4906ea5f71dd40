"""Compiled code for loops and couplings: closure errors, and the rows of K, many times faster than by NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import Argument, Function, Made, Origin, make_function, robot_arguments, without_metadata
from screwgraph.errors import InputError
from screwgraph.graph import Key
from screwgraph.robot import (
    JointType,
    Robot,
    chain_of,
    constraint_jacobian,
    constraint_residual,
    coordinates_around,
    loop_error,
    loop_pose,
)
from screwgraph.spatial import Array, vanishing
from screwgraph.spatial.manifolds import Manifold
from screwgraph.tape import SAMPLES, WIDE, Number, Tape, factor_out, program

SEED = 20260
"""The random states of the tape: fixed, so that the same robot gives the same code."""


def closure_code(robot: Robot, rows: Sequence[int]) -> Function:
    """Return the constraints of a robot as a function of q and, where there are loops, of their joints' positions x.

    Its result is flat: the closure errors (rad, m) of all rows, in the order `rows`; how far each loop joint's velocity
    coordinates are from where x should be; then the entries `entries` of K. Errors are exact to second order in
    themselves and in the error of x.
    """
    places = entries(robot, rows)

    def make(inputs: Sequence[str]) -> Made:
        tape = Tape()
        q, x = _inputs(tape, robot)
        errors, K = constraint_residual(robot, q, x, vanishing), constraint_jacobian(robot, q, x)
        outputs = (
            [errors[i] for i in rows] + _along(robot, q, x) + [K[rows[i], j] for i, j in zip(*places, strict=True)]
        )
        return Made(factor_out(program(tape, outputs, inputs)), "none")

    question = ("closure_code", without_metadata(robot), tuple(rows))
    return make_function("closure_code", question, _arguments(robot), make, no_elimination)


def entries(robot: Robot, rows: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return where K may have entries that are not zero, in those first of `rows` that `robot.mobility` keeps.

    These are places in `rows`, and velocity coordinates.
    """
    moving = [coordinates_around(robot, chain_of(robot, loop)) for loop in robot.loops for _ in range(loop.rows)]
    moving += [[robot.v_slices[joint].start for joint in coupling.joints] for coupling in robot.couplings]
    pairs = [(i, j) for i, row in enumerate(rows[: robot.mobility.rank]) for j in moving[row]]
    return [i for i, _ in pairs], [j for _, j in pairs]


def no_elimination(_: Made) -> Origin:
    """Say of code that no elimination made that it has no DAG."""

    def refuse() -> NoReturn:
        raise InputError("this function was not made by elimination", why="it is plain kinematics")

    return Origin(refuse, dict)


def tape_positions(tape: Tape, names: Sequence[str], spaces: Sequence[Manifold], seed: int) -> np.ndarray:
    """Add positions of joints to the inputs of a tape."""
    rng = np.random.default_rng(seed)
    samples = [np.concatenate([np.zeros(0), *(s.random(rng) for s in spaces)]) for _ in range(SAMPLES + WIDE)]
    entries = np.empty(len(names), dtype=object)
    for i, name in enumerate(names):
        entries[i] = tape.input(name, [sample[i] for sample in samples])
    return entries


def position_argument(robot: Robot) -> Argument:
    """Return the argument q of functions of a robot."""
    return robot_arguments(robot, [("q", [Key("q", name) for name in robot.joint_names])])[0]


def _arguments(robot: Robot) -> tuple[Argument, ...]:
    names = tuple(f"x:{loop.name}[{i}]" for loop in robot.loops for i in range(loop.type.nq))
    spaces = tuple(loop.type.manifold for loop in robot.loops)
    return (position_argument(robot), *([Argument("x", (len(names),), names, spaces)] if names else []))


def _inputs(tape: Tape, robot: Robot) -> tuple[np.ndarray, list[np.ndarray]]:
    q, *rest = (tape_positions(tape, a.names, a.spaces, SEED + i) for i, a in enumerate(_arguments(robot)))
    ends = np.cumsum([loop.type.nq for loop in robot.loops])
    return q, np.split(rest[0] if rest else q[:0], ends[:-1]) if robot.loops else []


def _along(robot: Robot, q: np.ndarray, x: Sequence[np.ndarray]) -> list[Number]:
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
