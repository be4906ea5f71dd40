"""Compiled code for what loops and couplings demand: gaps, and the rows of K, many times faster than by NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import Argument, Function, Made, Origin, make_function, robot_arguments, without_metadata
from screwgraph.errors import InputError
from screwgraph.graph import Key
from screwgraph.robot import JointType, Loop, Robot, joints_around, link_poses
from screwgraph.spatial import Ad, Array, inverse, rotation, translation
from screwgraph.spatial.manifolds import Manifold
from screwgraph.tape import SAMPLES, WIDE, Number, Tape, factor_out, program

SEED = 20260
"""The random states of the tape: fixed, so that the same robot gives the same code."""


def closure_code(robot: Robot, rows: Sequence[int]) -> Function:
    """Return the constraints of a robot as a function of q and, where there are loops, of their joints' positions x.

    Its result is flat: the gaps (rad, m) of all rows, in the order `rows`; how far each loop joint's velocity
    coordinates are from where x should be; then the entries `entries` of K. Gaps are exact to second order in
    themselves and in the error of x.
    """
    places = entries(robot, rows)

    def make(inputs: Sequence[str]) -> Made:
        tape = Tape()
        q, x = _inputs(tape, robot)
        gaps, along, K = _constraints(robot, q, x)
        outputs = [gaps[i] for i in rows] + along + [K[rows[i]][j] for i, j in zip(*places, strict=True)]
        return Made(factor_out(program(tape, outputs, inputs)), "none")

    question = ("closure_code", without_metadata(robot), tuple(rows))
    return make_function("closure_code", question, _arguments(robot), make, no_elimination)


def entries(robot: Robot, rows: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return where K may have entries that are not zero, in those first of `rows` that `robot.mobility` keeps.

    These are places in `rows`, and velocity coordinates.
    """
    moving = [_moving(robot, loop) for loop in robot.loops for _ in range(loop.rows)]
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


def _constraints(
    robot: Robot, q: np.ndarray, x: Sequence[np.ndarray]
) -> tuple[list[Number], list[Number], list[list[Number]]]:
    poses = link_poses(robot, q)
    gaps: list[Number] = []
    along: list[Number] = []
    K: list[list[Number]] = []
    for loop, position in zip(robot.loops, x, strict=True):
        W = loop.type.constraint_wrenches(position)
        error = _error(loop, position, poses)
        gaps += list(W.T @ error)
        along += list(_coordinates(loop.type, position) @ error)
        K += (W.T @ _relative_screws(robot, loop, q, poses)).tolist()
    for coupling in robot.couplings:
        at = np.array([q[robot.q_slices[joint]][0] for joint in coupling.joints], dtype=object)
        gaps.append(coupling(at))
        row: list[Number] = [0.0] * robot.nv
        for joint, slope in zip(coupling.joints, coupling.gradient(at), strict=True):
            row[robot.v_slices[joint].start] = slope
        K.append(row)
    return gaps, along, K


def _error(loop: Loop, x: Array, poses: dict[str, Array]) -> Float[Array, "6"]:
    """Return what moves the loop joint's frame at x to the successor's: a twist for a unit of time, nearly."""
    T = inverse(poses[loop.predecessor] @ loop.T_pf) @ poses[loop.successor] @ loop.T_sf
    error = inverse(loop.type.transform(x)) @ T
    R = rotation(error)
    turn = [0.5 * (R[2, 1] - R[1, 2]), 0.5 * (R[0, 2] - R[2, 0]), 0.5 * (R[1, 0] - R[0, 1])]
    return np.array([*turn, *translation(error)], dtype=object)


def _coordinates(joint: JointType, x: Array) -> Float[Array, "nv 6"]:
    """Return what finds velocities from twists of the joint; A' A is the same everywhere for the joints there are."""
    A = np.asarray(joint.screw_axes(joint.manifold.identity()), dtype=float)
    return np.linalg.inv(A.T @ A) @ joint.screw_axes(x).T


def _relative_screws(robot: Robot, loop: Loop, q: np.ndarray, poses: dict[str, Array]) -> Float[Array, "6 nv"]:
    """Return the twist of the successor relative to the predecessor, in the successor's loop frame, per velocity."""
    screws = np.zeros((6, robot.nv), dtype=object)
    to_loop_frame = inverse(poses[loop.successor] @ loop.T_sf)
    for joints, sign in zip(joints_around(robot, loop), (-1.0, 1.0), strict=True):
        for joint in joints:
            A = joint.type.screw_axes(q[robot.q_slices[joint.name]])
            screws[:, robot.v_slices[joint.name]] = sign * (Ad(to_loop_frame @ poses[joint.child]) @ A)
    return screws


def _moving(robot: Robot, loop: Loop) -> list[int]:
    """Return the velocity coordinates that move a loop's ends relative to each other."""
    slices = [robot.v_slices[joint.name] for joints in joints_around(robot, loop) for joint in joints]
    return [coordinate for place in slices for coordinate in range(place.start, place.stop)]
