"""Steps of mechanisms some of whose coordinates are functions of time."""

from __future__ import annotations

from typing import Any

import numpy as np

from screwgraph.compiler import PARAMETERS, Function, compile_expression, make_numbered_argument
from screwgraph.compiler.cache import pack_program
from screwgraph.mechanics.dynamics import hybrid_dynamics
from screwgraph.mechanics.mechanism import compile_mechanism
from screwgraph.model.mechanism import Mechanism
from screwgraph.motion.simulation.closure_parameters import STEPS, Closing, State
from screwgraph.motion.simulation.step_code import TracedSteps

QUANTITIES = 3
"""Numbers of a driven coordinate that a step takes: its value and rate at the end, its acceleration in the middle."""


def compile_driven_acceleration(mechanism: Mechanism) -> Function:
    """Return accelerations: (q, qd, force, parameters) -> (n,), parameters being values, rates, accelerations (3 k,).

    Forces along driven coordinates are not read: they are what these accelerations take.
    """
    efforts = hybrid_dynamics(mechanism, list(mechanism.driven))
    motion, motors = compile_mechanism(mechanism).acceleration, list(mechanism.motor_slots)
    places, k = [mechanism.motors.index(name) for name in mechanism.driven], len(mechanism.driven)

    def expression(q: Any, qd: Any, force: Any, numbers: Any) -> list[Any]:
        given = force[motors]
        given[places] = numbers[2 * k :]
        pushed = force.copy()
        pushed[[motors[i] for i in places]] = efforts(q, qd, given)[places]
        return list(motion(q, qd, pushed))

    arguments = (*motion.arguments[:3], make_numbered_argument(PARAMETERS, QUANTITIES * k))
    question = pack_program(efforts.program), pack_program(motion.program), places
    return compile_expression("driven_acceleration", question, arguments, expression)


def make_driven_closing(mechanism: Mechanism) -> Closing:
    """Return what puts states onto the constraints, driven coordinates at their values and rates."""
    function = compile_mechanism(mechanism).projection_holding(tuple(mechanism.driven))
    held, k = [mechanism.index(name) for name in mechanism.driven], len(mechanism.driven)
    free = [i for i in range(mechanism.n) if i not in held]

    def close(space: TracedSteps, q: np.ndarray, qd: np.ndarray, numbers: np.ndarray) -> State:
        still, (values, rates) = np.zeros(k), (numbers[:k], numbers[k : 2 * k])
        q, qd = q.copy(), qd.copy()
        q[held], qd[held] = values, rates
        for _ in range(STEPS + 1):  # where driven coordinates were led to their values, one more
            q[free] = q[free] + function(q, qd, still, rates)[0]
        step, others = function(q, qd, still, rates)
        qd[free] = others
        return q, qd, list(step)

    return close
