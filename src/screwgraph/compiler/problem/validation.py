"""Whether code gives the answers of its equations: of closed chains, and where pivots are guarded.

Linear equations are solved with numbers: exact ones first, then those that hold only nearly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import EliminationError
from screwgraph.base.progress_report import report_progress
from screwgraph.compiler.problem.problem import Problem
from screwgraph.elimination import equations
from screwgraph.graph import Column, Key, Role, Row
from screwgraph.model.robot import (
    Robot,
    constraint_jacobian,
    independent_coordinates,
    link_twists,
    regular_states,
    symmetric_states,
)
from screwgraph.spatial import has_independent_rows, null_space
from screwgraph.tape import Program

REGULAR = 1e-3
"""Singular values of K, relative to the largest, above which a position is called regular."""

STATES = 3
"""Closed positions at which code is tried when it is made."""

SOLVED = 2
"""At how many of them it is compared with the equations, solved there by least squares."""

AGREEMENT = 1e-6
"""Relative difference of answers above which code is not believed."""

PRECISION = 1e-12
"""Part of the condition number of accelerations of closed chains that it may be instead: long chains, stretched out."""

WRONG = 1e-3
"""Relative difference above which no condition number counts."""

ROUNDING = 1e-12
"""What rounding may leave of the largest unknown in an answer."""

NUDGE = 1e-12
"""Change of a state that must not matter: rounding divided by rounding changes wildly."""

STABLE = 1e-6
"""Change of the answer by that, relative to the answer, above which code is not believed."""

CLEAR = 0.05
"""Part of its median, over many assembled positions, that a guarded pivot exceeds at all of them."""

Dense = tuple[Float[np.ndarray, "rows columns"], Float[np.ndarray, " rows"]]

RANK = 1e-12
"""Singular values, relative to the largest, below which equations leave a direction free."""


def validate_residual(problem: Problem, program: Program, label: str) -> Program:
    """Return code whose whole answer, at closed positions and velocities, solves the equations of the robot's graph.

    Code for a tree is tried only if it guards pivots (`guard`): where it gives a number, that must be the right one.

    Raises:
        EliminationError: it does not, or is not `validate_stability`: it divides by what vanishes there.
    """
    robot = problem.robot
    report_progress(f"trying the code of the ordering {label} at special positions")
    if robot is not None and robot.is_closed:
        states = select_test_states(robot, STATES)
        _check(robot, label, all(_is_stable(problem, robot, program, q) for q in states))
        _check(robot, label, all(_agrees(problem, robot, program, q) for q in states[:SOLVED]))
        _check(robot, label, all(_agrees_or_tells(problem, robot, program, q) for q in symmetric_states(robot)))
    elif robot is not None and program.guarded:
        tried = [robot.neutral(), *regular_states(robot, SOLVED)]
        if not all(_agrees(problem, robot, program, q, or_none=True) for q in tried):
            raise EliminationError(
                f"order {label!r} loses all digits of the answers for robot {robot.name!r}",
                why="it divides by what almost vanishes",
                fix="try another ordering",
            )
    return program


def validate_pivots(problem: Problem, program: Program, label: str) -> Program:
    """Return code for a model in natural coordinates whose guarded pivots stay away from zero where it is assembled.

    Raises:
        EliminationError: one does not, or answers do not solve the equations.
    """
    if program.guarded and not (_is_clear(problem, program) and _solves_where_assembled(problem, program)):
        raise EliminationError(
            f"order {label!r} divides by what vanishes where the model is assembled",
            fix="leave out ordering=, or try another one",
        )
    return program


def _is_clear(problem: Problem, program: Program) -> bool:
    """Whether guarded pivots stay away from zero over many assembled positions."""
    rng, columns = np.random.default_rng(0), {}
    for v in problem.plain.inputs:
        own = rng.standard_normal((1, v.dim)) if v.assembled is None else v.assembled.many
        columns |= {f"{v.key}[{i}]": own[:, i] for i in range(v.dim)}
    inputs = [columns.get(name, np.zeros(1)) for name in program.input_names]
    with np.errstate(all="ignore"):
        sizes = [np.abs(value) for value in replace(program, outputs=program.guarded).evaluate(inputs)]
        return all(bool(np.min(size) > CLEAR * np.median(size)) for size in sizes)


def _solves_where_assembled(problem: Problem, program: Program) -> bool:
    """Whether answers solve the equations at assembled positions, the last of which are special."""
    rng, given = np.random.default_rng(0), problem.plain.inputs
    for k in range(-SOLVED, SOLVED):
        values = {v.key: rng.standard_normal(v.dim) if v.assembled is None else v.assembled.many[k] for v in given}
        if not _solves(problem, program, values):
            return False
    return True


def validate_stability(problem: Problem, program: Program, label: str) -> Program:
    """Return code whose answer is finite, and changes little where the state does, at rest in closed positions.

    Raises:
        EliminationError: it divides by what vanishes there.
    """
    robot = problem.robot
    if robot is not None and robot.is_closed:
        _check(robot, label, all(_is_stable(problem, robot, program, q) for q in select_test_states(robot, STATES)))
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
    model = {f"{v.key}[{i}]": float(x) for v in given if v.assembled for i, x in enumerate(v.assembled.many[0])}
    inputs = [(known | rest | model).get(name, float(rng.standard_normal())) for name in program.input_names]
    # Velocities stay: viscous damping, which may be huge, makes a motion of each difference.
    nudges = [0.0 if name in rest else NUDGE * rng.standard_normal() for name in program.input_names]
    with np.errstate(all="ignore"):
        found = np.array(program.evaluate(inputs), dtype=float)
        beside = np.array(program.evaluate([x + nudge for x, nudge in zip(inputs, nudges, strict=True)]), dtype=float)
    change, largest = np.abs(beside - found).max(initial=0.0), np.abs(found).max(initial=0.0)
    return bool(np.isfinite(found).all() and change <= STABLE * max(largest, 1.0))


def _agrees_or_tells(problem: Problem, robot: Robot, program: Program, q: Float[np.ndarray, " nq"]) -> bool:
    """Whether the answer is right at a position; where the independent joints do not tell the motion, or no number."""
    return _agrees(problem, robot, program, q, or_none=not _is_regular(robot, q, _dependent(robot)))


def _agrees(
    problem: Problem, robot: Robot, program: Program, q: Float[np.ndarray, " nq"], *, or_none: bool = False
) -> bool:
    """Whether the answer solves the equations at a position; with `or_none`, it may be no number."""
    rng, graph = np.random.default_rng(0), problem.plain
    K, v = constraint_jacobian(robot, q), rng.standard_normal(robot.nv)
    allowed = v - np.linalg.pinv(K, rcond=1e-6) @ (K @ v)
    state = {Role.POSITION: (q, robot.q_slices), Role.VELOCITY: (allowed, robot.v_slices)}
    values: dict[Key, np.ndarray] = {}
    lengths = problem.lengths
    for variable in graph.inputs:
        whole, slices = state.get(variable.key.role, (None, {}))
        own = variable.random(rng) if whole is None else whole[slices[variable.key.name]]
        # Loops are closed at these positions for the file's lengths alone.
        values[variable.key] = variable.assembled.many[0] if variable.key in lengths and variable.assembled else own
    off = _difference(problem, program, values)
    if np.isnan(off):
        return or_none
    return off <= AGREEMENT or off <= min(WRONG, PRECISION * _condition(robot, q, K))


def _condition(robot: Robot, q: Float[np.ndarray, " nq"], K: Float[np.ndarray, "rows nv"]) -> float:
    """Return the condition number of M with unit diagonal (van der Sluis, 1969), times that of K squared."""
    columns = [link_twists(robot, q, unit) for unit in np.eye(robot.nv)]
    M = np.diag([joint.armature for joint in robot.joints for _ in range(joint.type.nv)])
    for link in robot.links[1:]:
        J = np.array([twists[link.name] for twists in columns]).T
        M = M + J.T @ link.inertia.matrix() @ J
    size = np.sqrt(np.maximum(np.diagonal(M), np.finfo(float).tiny))
    rows = K[list(robot.mobility.kept)]
    return float(np.linalg.cond(M / np.outer(size, size)) * (np.linalg.cond(rows) ** 2 if rows.size else 1.0))


def _solves(problem: Problem, program: Program, values: Mapping[Key, np.ndarray]) -> bool:
    """Whether the answer solves the equations at values of all knowns."""
    return _difference(problem, program, values) <= AGREEMENT


def _difference(problem: Problem, program: Program, values: Mapping[Key, np.ndarray]) -> float:
    """Return how far the answer is from what solves the equations, relative to that; NaN where it is no number."""
    graph = problem.plain
    numbers = {f"{key}[{i}]": np.float64(x) for key, own in values.items() for i, x in enumerate(own)}
    with np.errstate(all="ignore"):  # NumPy's numbers may be divided by zero
        found = np.array(program.evaluate([numbers.get(n, np.float64()) for n in program.input_names]), dtype=float)
    if not np.isfinite(found).all():
        return np.nan
    system = equations(graph, values)
    solved = solve_least_squares(system.rows, [(v.key, i) for v in graph.unknowns for i in range(v.dim)])
    expected = np.array(problem.outputs(graph, system, solved), dtype=float)
    # An answer may be zero while wrenches inside are not: what rounding leaves of these is no disagreement.
    scale = max(np.abs(expected).max(), ROUNDING / AGREEMENT * max(map(abs, solved.values())), 1e-300)
    return float(np.abs(found - expected).max() / scale)


def solve_least_squares(rows: Sequence[Row], columns: Sequence[Column]) -> dict[Column, float]:
    """Return the unknowns of equations whose coefficients are numbers; the smallest, where several values do."""
    A, b = _dense([row for row in rows if not row.factor.sigma], columns)
    x = np.linalg.lstsq(A, b, rcond=None)[0]
    soft = [row for row in rows if row.factor.sigma]
    if soft:
        C, d = _dense(soft, columns)
        weights = np.array([1.0 / row.factor.sigma[row.number] for row in soft])
        free = null_space(A, least=RANK)
        moved = np.linalg.lstsq(weights[:, None] * (C @ free), weights * (d - C @ x), rcond=None)[0]
        x = x + free @ moved
    return dict(zip(columns, x.tolist(), strict=True))


def _dense(rows: Sequence[Row], columns: Sequence[Column]) -> Dense:
    place = {column: i for i, column in enumerate(columns)}
    A, b = np.zeros((len(rows), len(columns))), np.zeros(len(rows))
    for i, row in enumerate(rows):
        b[i] = -float(row.constant)
        for column, coefficient in row.terms.items():
            A[i, place[column]] = float(coefficient)
    return A, b


def select_test_states(robot: Robot, count: int) -> list[Float[np.ndarray, " nq"]]:
    """Return closed positions at which code must hold: up to so many.

    They are far from singular, and the independent joints tell the motion of the others there, if there are such.
    """
    states = regular_states(robot, len(robot.mobility.states))
    regular = [q for q in states if _is_regular(robot, q)]
    return ([q for q in regular if _is_regular(robot, q, _dependent(robot))] or regular or states)[:count]


def _dependent(robot: Robot) -> np.ndarray:
    return np.setdiff1d(np.arange(robot.nv), independent_coordinates(robot))


def _is_regular(robot: Robot, q: Float[np.ndarray, " nq"], columns: Any = slice(None)) -> bool:
    K = constraint_jacobian(robot, q)[list(robot.mobility.kept)]
    return has_independent_rows(K[:, columns], REGULAR)
