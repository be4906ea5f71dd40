"""Steps of explicit rules in Python."""

from __future__ import annotations

from collections.abc import Callable

from screwgraph.motion.integration_rules import Rule, take_step
from screwgraph.motion.simulation.methods.fixed_step import Step
from screwgraph.motion.simulation.system import System


def make_explicit(rule: Rule) -> Callable[[System, float], Step]:
    """Make what makes steps of an explicit rule."""

    def step_of(system: System, dt: float) -> Step:
        f, space = system.acceleration, system.manifold

        def step(t, q, qd):
            return take_step(rule, space, lambda part, at, velocity: f(t + part * dt, at, velocity), dt, q, qd)

        return step

    return step_of
