"""Whole motions as machine code: steps of explicit methods under constant torques, loops kept closed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import CompiledStepLoop, Function, compile_step_loop
from screwgraph.mechanics.mechanism.projection import STEPS, TOLERANCE, Projection
from screwgraph.motion.integration_rules import RULES
from screwgraph.motion.simulation.constraints import Constraints, make_step_loop
from screwgraph.motion.simulation.methods import MotionState
from screwgraph.motion.simulation.projection_code import make_correction_loop, make_projection
from screwgraph.motion.simulation.step_code import TapeVectors, TracedSteps, make_block, make_step_blocks
from screwgraph.spatial.manifolds import Manifold
from screwgraph.tape import Memory, Part

CHUNK = 100
"""Steps of one call."""


@dataclass(frozen=True, eq=False)
class Stepper:
    """Machine code of a model's steps by one method, and the memory that it works in."""

    memory: Memory
    loop: CompiledStepLoop
    gaps: int

    def states(
        self,
        start: MotionState,
        force: Float[np.ndarray, " nv"],
        steps: int,
        dt: float,
        x: Float[np.ndarray, " n"],
    ) -> Iterator[MotionState]:
        """Yield states as long as steps are sound: `steps` of them, or fewer; `x` are loop joints' positions."""
        numbers = self.memory.fill(q=start.q, qd=start.qd, force=force, dt=np.array([dt]), x=x)
        nq, nv = len(start.q), len(start.qd)
        done = 0
        while done < steps:
            rows = np.empty((min(CHUNK, steps - done), nq + nv + self.gaps))
            sound = self.loop(numbers, rows)
            largest = np.abs(rows[:sound, nq + nv :]).max(axis=1, initial=0.0)
            yield from map(MotionState, rows[:sound, :nq], rows[:sound, nq : nq + nv], largest.tolist())
            done += sound
            if sound < len(rows):
                return


def compile_stepper(
    manifold: Manifold, function: Function, constraints: Constraints | Projection | None, method: str
) -> Stepper | None:
    """Return code for an explicit method's steps; None for other methods.

    `function` gives accelerations (nv,) of q, qd and constant forces (nv,).
    """
    if method not in RULES or not RULES[method].is_explicit:
        return None
    memory = Memory()
    gaps = constraints.rows if constraints else 0
    loop_joints = constraints.robot.loops if isinstance(constraints, Constraints) else ()
    (nq,), nv = manifold.shape, manifold.dim
    for name, size in (("q", nq), ("qd", nv), ("gaps", gaps), ("force", nv), ("dt", 1)):
        memory.add(name, size)
    memory.add("x", sum(loop.type.nq for loop in loop_joints))
    space = TracedSteps(manifold)
    parts: list[Part] = list(make_step_blocks(RULES[method], function, space, memory))
    if isinstance(constraints, Constraints):
        parts += make_projection(constraints, space, memory)
    elif constraints:
        parts += _nearest(constraints, memory)
    return Stepper(memory, compile_step_loop(make_step_loop(parts, memory)), gaps)


def _nearest(projection: Projection, memory: Memory) -> Sequence[Part]:
    """Return what puts a step's end back onto a mechanism's constraints: `gaps` are the steps there."""
    memory.add("rate", len(memory.places("qd")))
    look = make_block(projection.function, memory, ("q", "qd"), ("gaps", "rate"))
    vectors = TapeVectors(memory)
    correct = vectors.block("correct", ("q", list(vectors.read_vector("q") + vectors.read_vector("gaps"))))
    onward = vectors.block("onward", ("qd", list(vectors.read_vector("rate"))))
    bounds = list(zip(memory.places("gaps"), (TOLERANCE * projection.units).tolist(), strict=True))
    return [*make_correction_loop(look, correct, bounds, STEPS, memory), onward]
