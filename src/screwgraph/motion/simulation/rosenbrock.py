"""Rates of velocities over a step, positions held: a Rosenbrock method of order 2, damping implicit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from screwgraph.compiler import Function
from screwgraph.compiler.cache import pack_program
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import Parameter
from screwgraph.motion.simulation.joint_forces import Forces
from screwgraph.motion.simulation.step_law import StepLaw, as_arguments
from screwgraph.tape import Number

GAMMA = 1.0 - 0.5**0.5
"""The rule's coefficient, by which it is L-stable: what decays within a step is gone at its end."""


def rosenbrock_with_dampers(
    law: StepLaw, robot: Robot, forces_at: Callable[[Mapping[Parameter, Any]], Forces], live: tuple[Parameter, ...]
) -> StepLaw:
    """Return (v' - v) / dt of a robot whose joints have dampers D; `law` solves (M + dt D) a = force - h - D v.

    (1 - g dt A) k1 = a(v), (1 - g dt A) k2 = a(v + dt k1) - 2 k1, v' = v + dt (3 k1 + k2) / 2 are of order 2 for any
    matrix A: Verwer, Spee, Blom & Hundsdorfer (1999), (2.4). Here A is -D / M, and y = k2 + 2 k1 has the equation of k1
    at another velocity, under a force 2 g dt D k1 more. M is that of one position in both, so that it is factored once.
    """
    ends = np.cumsum([len(p.nominal(robot)) for p in live])

    def accelerations(q: Any, qd: Any, force: Any, dt: Number, values: Any) -> Any:
        given = dict(zip(live, np.split(values, ends[:-1]), strict=True)) if live else {}
        own = [[part.tangent(0.0, 0.0, 0.0, dt)[1] for part in one] for one in forces_at(given)]
        D = np.array([sum(one, start=0.0) for one in own], dtype=object)
        h = GAMMA * dt
        first = law.accelerations(q, qd, force, h, values)
        more = force + (2.0 * h) * (D * first)
        return 0.5 * (first + law.accelerations(q, qd + dt * first, more, h, values))

    return StepLaw(("rosenbrock of dampers", law.question), accelerations)


def rosenbrock_of_accelerations(code: Function) -> StepLaw:
    """Return (v' - v) / dt of any model, whose accelerations are `code`, a(q, qd, force); A is their derivative by qd.

    Verwer, Spee, Blom & Hundsdorfer (1999), (2.4), as for dampers along joints.
    """
    slopes = code.jacobian("qd")

    def accelerations(q: Any, qd: Any, force: Any, dt: Number, values: Any) -> np.ndarray:
        given = (force, *as_arguments(values))
        A = np.eye(len(qd)) - (GAMMA * dt) * slopes(q, qd, *given)
        first = solve_linear(A, code(q, qd, *given))
        second = solve_linear(A, code(q, qd + dt * first, *given) - 2.0 * first)
        return 1.5 * first + 0.5 * second

    return StepLaw(("rosenbrock", pack_program(code.program), pack_program(slopes.program)), accelerations)


def solve_linear(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Solve A x = b by elimination without pivoting: A is near 1, or has a positive definite symmetric part."""
    A, x, n = A.copy(), b.copy(), len(b)
    for i in range(n):
        for j in range(i + 1, n):
            factor = A[j, i] / A[i, i]
            A[j, i + 1 :] = A[j, i + 1 :] - factor * A[i, i + 1 :]
            x[j] = x[j] - factor * x[i]
    for i in reversed(range(n)):
        x[i] = (x[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return x
