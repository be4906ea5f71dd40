"""Methods that need nothing but accelerations at states that they name, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from screwgraph.simulation.methods.fixed import Step
from screwgraph.simulation.system import Space, System

Stages = Generator[tuple[float, Any, Any], Any, tuple[Any, Any]]
"""A step in the making.

It asks for accelerations: at which part of the step, position, velocity; is sent them; and returns position and
velocity at the end. Vectors hold numbers, or scalars on a tape, of which compiled code is made.
"""
Explicit = Callable[[Space, Any, Any, Any], Stages]
"""Takes a step of length dt (s) from q and qd."""


def by_stages(method: Explicit) -> Callable[[System, float], Step]:
    """Make what makes steps, in Python, of an explicit method."""

    def step_of(system: System, dt: float) -> Step:
        f, space = system.acceleration, system.manifold

        def step(t, q, qd):
            stages = method(space, dt, q, qd)
            part, at, velocity = next(stages)
            try:
                while True:
                    part, at, velocity = stages.send(f(t + part * dt, at, velocity))
            except StopIteration as end:
                return end.value

        return step

    return step_of
