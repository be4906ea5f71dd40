"""Steps of explicit rules, from the accelerations at states that they name one after the other."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from screwgraph.motion.integration_rules.rule import Positions, Rule, Space, combine_rates
from screwgraph.spatial import concatenate

Stages = Generator[tuple[float, Any, Any], Any, tuple[Any, Any]]
"""A step in the making.

It asks for accelerations: at which part of the step, position, velocity; is sent them; and returns position and
velocity at the end. Vectors hold numbers of any kind: of scalars on a tape, code is made.
"""


def explicit_stages(rule: Rule, positions: Space, h: Any, q: Any, v: Any) -> Stages:
    """Take a step of length h (s) of an explicit rule. Hairer, Lubich & Wanner (2006), section IV.8.2."""
    accelerations, rates, last = [(yield 0.0, q, v)], [v], len(rule.velocity)
    for i, (row, along) in enumerate(zip(rule.velocity, rule.position, strict=True), 1):
        velocity = v + combine_rates(row, accelerations, h)
        if len(along) > i and along[i]:
            rates.append(velocity)
        step = combine_rates(along, rates, h)
        position = positions.retract(q, step)
        if i == last:
            return position, velocity
        accelerations.append((yield rule.nodes[i], position, velocity))
        rates.append(positions.step_rate(step, velocity))
    raise AssertionError("a rule has a point after the first")


def take_step(
    rule: Rule, positions: Space, acceleration: Callable[[float, Any, Any], Any], h: Any, q: Any, v: Any
) -> tuple[Any, Any]:
    """Return position and velocity after a step, of accelerations at a part of the step, a position and a velocity."""
    step = explicit_stages(rule, positions, h, q, v)
    asked = next(step)
    try:
        while True:
            asked = step.send(acceleration(*asked))
    except StopIteration as end:
        return end.value


@dataclass(frozen=True)
class ExplicitDefect:
    """A state less where an explicit rule leads from the one before, by accelerations a(q, v, force)."""

    rule: Rule
    positions: Positions
    acceleration: Callable[[Any, Any, Any], Any]

    def __call__(self, q: Any, q1: Any, v: Any, v1: Any, *, dt: Any, force: Any = 0.0) -> Any:
        """Positions, then velocities (2 nv,); `force` is constant over the step."""
        position, velocity = take_step(
            self.rule, self.positions, lambda part, at, rate: self.acceleration(at, rate, force), dt, q, v
        )
        return concatenate(self.positions.defect(position, q1), v1 - velocity)
