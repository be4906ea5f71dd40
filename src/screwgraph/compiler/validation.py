"""Whether code for a closed chain gives the answers of its equations where the chain is closed, whatever its pivots."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.compiler.problem import Problem
from screwgraph.elimination import equations
from screwgraph.errors import EliminationError
from screwgraph.graph import Key, Role
from screwgraph.robot import Robot, constraint_jacobian, regular_states
from screwgraph.tape import Program

REGULAR = 1e-3
"""Singular values of K, relative to the largest, above which a position is called regular."""
STATES = 3
"""Closed positions at which code is tried when it is made."""
SOLVED = 2
"""At how many of them it is compared with the equations, solved there by least squares."""
AGREEMENT = 1e-6
"""Relative difference of answers above which code is not believed."""
ROUNDING = 1e-12
"""What rounding may leave of the largest unknown in an answer."""
NUDGE = 1e-12
"""Change of a state that must not matter: rounding divided by rounding changes wildly."""
STABLE = 1e-6
"""Change of the answer by that, relative to the answer, above which code is not believed."""


def validated(problem: Problem, program: Program, label: str) -> Program:
    """Return code whose whole answer, at closed positions and velocities, solves the equations of the robot's graph.

    Raises:
        EliminationError: it does not, or is not `stable`: it divides by what vanishes there.
    """
    robot = problem.robot
    if robot is not None and robot.is_closed:
        states = tried_states(robot, STATES)
        _check(robot, label, all(_is_stable(problem, robot, program, q) for q in states))
        _check(robot, label, all(_agrees(problem, robot, program, q) for q in states[:SOLVED]))
    return program


def stable(problem: Problem, program: Program, label: str) -> Program:
    """Return code whose answer is finite, and changes little where the state does, at rest in closed positions.

    Raises:
        EliminationError: it divides by what vanishes there.
    """
    robot = problem.robot
    if robot is not None and robot.is_closed:
        _check(robot, label, all(_is_stable(problem, robot, program, q) for q in tried_states(robot, STATES)))
    return program


def _check(robot: Robot, label: str, holds: bool) -> None:
    if not holds:
        raise EliminationError(
            f"order {label!r} divides by what vanishes where robot {robot.name!r} is closed",
            why="the mechanism is singular, or a pivot was chosen at open positions",
            fix="try another ordering",
        )


def _is_stable(problem: Problem, robot: Robot, program: Program, q: Float[np.ndarray, " nq"]) -> bool:
    rng, given = np.random.default_rng(0), problem.plain.inputs
    positions = [v for v in given if v.key.role is Role.POSITION and v.key.name in robot.q_slices]
    known = {f"{v.key}[{i}]": float(x) for v in positions for i, x in enumerate(q[robot.q_slices[v.key.name]])}
    rest = {f"{v.key}[{i}]": 0.0 for v in given if v.key.role is Role.VELOCITY for i in range(v.dim)}
    inputs = [(known | rest).get(name, float(rng.standard_normal())) for name in program.input_names]
    # Velocities stay: viscous damping, which may be huge, makes a motion of each difference.
    nudges = [0.0 if name in rest else NUDGE * rng.standard_normal() for name in program.input_names]
    with np.errstate(all="ignore"):
        found = np.array(program.evaluate(inputs), dtype=float)
        beside = np.array(program.evaluate([x + nudge for x, nudge in zip(inputs, nudges, strict=True)]), dtype=float)
    change, largest = np.abs(beside - found).max(initial=0.0), np.abs(found).max(initial=0.0)
    return bool(np.isfinite(found).all() and change <= STABLE * max(largest, 1.0))


def _agrees(problem: Problem, robot: Robot, program: Program, q: Float[np.ndarray, " nq"]) -> bool:
    rng, graph = np.random.default_rng(0), problem.plain
    K, v = constraint_jacobian(robot, q), rng.standard_normal(robot.nv)
    allowed = v - np.linalg.pinv(K, rcond=1e-6) @ (K @ v)
    state = {Role.POSITION: (q, robot.q_slices), Role.VELOCITY: (allowed, robot.v_slices)}
    values: dict[Key, np.ndarray] = {}
    for variable in graph.inputs:
        whole, slices = state.get(variable.key.role, (None, {}))
        own = rng.standard_normal(variable.dim) if whole is None else whole[slices[variable.key.name]]
        values[variable.key] = own
    numbers = {f"{key}[{i}]": float(x) for key, own in values.items() for i, x in enumerate(own)}
    with np.errstate(all="ignore"):
        found = np.array(program.evaluate([numbers.get(n, 0.0) for n in program.input_names]), dtype=float)
    if not np.isfinite(found).all():
        return False
    system = equations(graph, values)
    place = {column: i for i, column in enumerate((v.key, i) for v in graph.unknowns for i in range(v.dim))}
    A, b = np.zeros((len(system.rows), len(place))), np.zeros(len(system.rows))
    for i, row in enumerate(system.rows):
        b[i] = -float(row.constant)
        for column, coefficient in row.terms.items():
            A[i, place[column]] = float(coefficient)
    solved = dict(zip(place, np.linalg.lstsq(A, b, rcond=None)[0].tolist(), strict=True))
    expected = np.array(problem.outputs(graph, system, solved), dtype=float)
    # An answer may be zero while wrenches inside are not: what rounding leaves of these is no disagreement.
    scale = max(AGREEMENT * np.abs(expected).max(), ROUNDING * max(map(abs, solved.values())), 1e-300)
    return bool(np.abs(found - expected).max() <= scale)


def tried_states(robot: Robot, count: int) -> list[Float[np.ndarray, " nq"]]:
    """Return closed positions at which code must hold: up to so many, that are far from singular if there are such."""
    states = regular_states(robot, count)
    return [q for q in states if _is_regular(robot, q)] or states


def _is_regular(robot: Robot, q: Float[np.ndarray, " nq"]) -> bool:
    s = np.linalg.svd(constraint_jacobian(robot, q)[list(robot.mobility.kept)], compute_uv=False)
    return bool(s.min(initial=np.inf) > REGULAR * s.max(initial=0.0))
