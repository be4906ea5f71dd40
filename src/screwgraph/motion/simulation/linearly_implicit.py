"""Forces of any kind at the end of a step, to first order: Euler's linearly implicit method."""

from __future__ import annotations

from typing import Any

import numpy as np

from screwgraph.compiler import Function
from screwgraph.compiler.cache import pack_program
from screwgraph.motion.simulation.linear_solve import solve_linear
from screwgraph.motion.simulation.step_law import StepLaw, as_arguments
from screwgraph.tape import Number


def make_linearly_implicit(code: Function) -> StepLaw:
    """Return a = (v' - v) / dt with v' the velocity at the end of a step, at which `code`, a(q, qd, force), is taken.

    (1 - dt A_v - dt^2 A_q) a = a(q, v) + dt A_q v, with the derivatives A of accelerations by positions and velocities.
    Hairer & Wanner (1996), section IV.7, for q' = q + dt v'.
    """
    slopes = code.jacobian("q", "qd")

    def accelerations(q: Any, qd: Any, force: Any, dt: Number, values: Any) -> np.ndarray:
        given = (q, qd, force, *as_arguments(values))
        A_q, A_v = (dt * A for A in slopes(*given))
        matrix = np.eye(len(qd)) - A_v - dt * A_q
        return solve_linear(matrix, code(*given) + A_q @ qd)

    return StepLaw(("linearly implicit", pack_program(code.program), pack_program(slopes.program)), accelerations)
