"""Whole motions as machine code: steps of explicit methods under constant torques, loops kept closed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import Function, March, Marching, Settle, Stage, marching
from screwgraph.robot import Robot
from screwgraph.simulation.constraints import ITERATIONS, TOLERANCE, Constraints
from screwgraph.simulation.memory import Memory
from screwgraph.simulation.methods import State
from screwgraph.simulation.projection_code import projection
from screwgraph.simulation.step_code import SmallSteps, step_stages
from screwgraph.time import RULES

CHUNK = 100
"""Steps of one call."""
FINITE = 1e300


@dataclass(frozen=True, eq=False)
class Stepper:
    """Machine code of a robot's steps by one method, and the memory that it works in."""

    memory: Memory
    march: Marching
    gaps: int

    def states(
        self,
        start: State,
        tau: Float[np.ndarray, " nv"],
        steps: int,
        dt: float,
        x: Float[np.ndarray, " n"],
    ) -> Iterator[State]:
        """Yield states as long as steps are sound: `steps` of them, or fewer; `x` are loop joints' positions."""
        numbers = self.memory.filled(q=start.q, qd=start.qd, tau=tau, dt=np.array([dt]), x=x)
        nq, nv = len(start.q), len(start.qd)
        done = 0
        while done < steps:
            rows = np.empty((min(CHUNK, steps - done), nq + nv + self.gaps))
            sound = self.march(numbers, rows)
            largest = np.abs(rows[:sound, nq + nv :]).max(axis=1, initial=0.0)
            yield from map(State, rows[:sound, :nq], rows[:sound, nq : nq + nv], largest.tolist())
            done += sound
            if sound < len(rows):
                return


def stepper(robot: Robot, function: Function, constraints: Constraints | None, method: str) -> Stepper | None:
    """Return code for an explicit method's steps; None for other methods.

    `function` is the robot's forward dynamics.
    """
    if method not in RULES or not RULES[method].is_explicit:
        return None
    gaps = constraints.rows if constraints else 0
    memory = Memory()
    for name, size in (("q", robot.nq), ("qd", robot.nv), ("gaps", gaps), ("tau", robot.nv), ("dt", 1)):
        memory.add(name, size)
    memory.add("x", sum(loop.type.nq for loop in robot.loops))
    space = SmallSteps(robot.manifold)
    parts: list[Stage | Settle] = list(step_stages(RULES[method], function, space, memory))
    if constraints:
        parts += _closing(robot, constraints, space, memory)
    sound = [(place, FINITE) for name in ("q", "qd", "gaps") for place in memory.places(name)]
    sound += [(place, 1.0) for name in memory.names if name.startswith("turns") for place in memory.places(name)]
    kept = range(memory.places("gaps").stop)
    return Stepper(memory, marching(March(tuple(parts), tuple(sound), kept)), gaps)


def _closing(robot: Robot, constraints: Constraints, space: SmallSteps, memory: Memory) -> Sequence[Stage | Settle]:
    """Return what puts a step's end back onto the constraints."""
    look, correct, onward = projection(robot, constraints, space, memory)
    bounds = [(place, TOLERANCE) for place in memory.places("gaps")[: constraints.kept]]
    bounds += zip(memory.places("along"), constraints.bound.tolist(), strict=True)
    return [Settle(look, correct, tuple(bounds), ITERATIONS), onward]
