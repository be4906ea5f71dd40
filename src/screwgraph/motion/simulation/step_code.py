"""An explicit method's step as code: what comes before each evaluation of the accelerations, and after the last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from screwgraph.compiler import Argument, Function
from screwgraph.motion.integration_rules import Rule, explicit_stages
from screwgraph.spatial.manifolds import Manifold, product
from screwgraph.tape import SAMPLES, WIDE, Block, Memory, Number, Scalar, Tape, program

SEED = 20261
SIZES = {"dt": 1e-2, "gaps": 1e-3, "along": 1e-3}
"""Usual sizes of vectors of steps (s, rad, m), where they are not of order one: a step turns by parts of a rad."""


def make_plain_argument(argument: Argument) -> Argument:
    """Return an argument of any numbers, of which nothing is believed, as that quaternions are unit."""
    units = (*argument.units, *product(argument.spaces).quaternions)
    return replace(argument, size=SIZES.get(argument.name, 1.0), spaces=(), units=units)


class TapeVectors:
    """Vectors of inputs of one tape that stand in a memory."""

    def __init__(self, memory: Memory) -> None:
        self.tape, self._memory = Tape(), memory
        self._rng = np.random.default_rng(SEED)
        self._place: dict[str, int] = {}

    def read_vector(self, name: str) -> np.ndarray:
        """Return a vector as inputs: any numbers, so that nothing is believed of them, as that they are unit."""
        places = {f"{name}[{i}]": place for i, place in enumerate(self._memory.places(name))}
        self._place |= places
        samples = SIZES.get(name, 1.0) * self._rng.normal(size=(SAMPLES + WIDE, len(places)))
        return self.tape.vector(list(places), samples)

    def block(self, name: str, *written: tuple[str, Sequence[Number]]) -> Block:
        """Return a program that writes vectors into the memory."""
        values = [value for _, vector in written for value in vector]
        writes = [place for vector, _ in written for place in self._memory.places(vector)]
        code = program(self.tape, [v if isinstance(v, Scalar) else float(v) for v in values])
        return Block(name, code, tuple(self._place[n] for n in code.input_names), tuple(writes))


@dataclass(frozen=True, eq=False)
class TracedSteps:
    """Steps on a manifold on a tape; `turns` collects the squares of the angles (rad) that must stay below 1."""

    manifold: Manifold
    turns: list[Number] = field(default_factory=list)

    def retract(self, x: Any, d: Any) -> Any:
        """Return where a unit of time at the velocity d leads from x."""
        self.turns.extend(self.manifold.turns(d))
        return self.manifold.retract(x, d)

    def step_rate(self, d: Any, v: Any) -> Any:
        """Return the rate of d where retract(x, d) has the velocity v."""
        return self.manifold.step_rate(d, v)


def make_step_blocks(rule: Rule, function: Function, space: TracedSteps, memory: Memory) -> Iterator[Block]:
    """Yield the code of a step; they read q, qd, force and dt, and write q and qd."""
    memory.add("at q", len(memory.places("q")))
    memory.add("at qd", len(memory.places("qd")))
    vectors = TapeVectors(memory)
    q, qd, (dt,) = (vectors.read_vector(name) for name in ("q", "qd", "dt"))
    step = explicit_stages(rule, space, dt, q, qd)
    _, at, velocity = next(step)
    try:
        for number in range(1, 100):
            yield vectors.block("before", ("at q", at), ("at qd", velocity), *_turns(space, memory))
            result = f"qdd {number}"
            memory.add(result, len(qd))
            yield make_block(function, memory, ("at q", "at qd", "force"), (result,))
            _, at, velocity = step.send(vectors.read_vector(result))
    except StopIteration as end:
        at, velocity = end.value
        yield vectors.block("after", ("q", at), ("qd", velocity), *_turns(space, memory))


def _turns(space: TracedSteps, memory: Memory) -> list[tuple[str, list[Number]]]:
    """Allocate the angles that motions since the last call turn by."""
    turns = list(space.turns)
    space.turns.clear()
    if not turns:
        return []
    name = f"turns {sum(name.startswith('turns') for name in memory.names)}"
    memory.add(name, len(turns))
    return [(name, turns)]


def make_block(function: Function, memory: Memory, reads: Sequence[str], writes: Sequence[str]) -> Block:
    """Return a function of vectors in the memory, its results written into others."""
    vectors = zip(function.arguments, reads, strict=True)
    place = {n: p for a, vector in vectors for n, p in zip(a.names, memory.places(vector), strict=True)}
    results = tuple(place for name in writes for place in memory.places(name))
    return Block(function.name, function.program, tuple(place[n] for n in function.program.input_names), results)
