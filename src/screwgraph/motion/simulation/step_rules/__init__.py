"""Rules by which a step function goes on: one file each; a new one is a new file and a line in `STEP_RULES`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from screwgraph.base.errors import InputError
from screwgraph.motion.integration_rules import RULES
from screwgraph.motion.simulation.step_rules.base import Solve, StepRule
from screwgraph.motion.simulation.step_rules.drift_kick_drift import drift_kick_drift
from screwgraph.motion.simulation.step_rules.explicit import make_explicit_rule

IMPLICIT = "semi_implicit"
"""The rule whose steps treat all forces of joints implicitly: they need velocities at the end of a step only."""
SECOND_ORDER = "rosenbrock"
"""The rule of order 2 whose steps treat damping implicitly."""

STEP_RULES: Mapping[str, StepRule] = {
    **{name: make_explicit_rule(rule) for name, rule in RULES.items() if rule.is_explicit},
    SECOND_ORDER: drift_kick_drift,
}
"""The rules by name: of `time.RULES` those whose steps are code without loops, and others."""


def only_implicit(forces: Sequence[str], method: str) -> InputError:
    """Return the error for forces that a method does not treat."""
    return InputError(
        f"{' and '.join(forces)} by method {method!r}",
        why="these forces are only treated implicitly, to order 1",
        fix=f"method={IMPLICIT!r}",
    )


__all__ = ["IMPLICIT", "SECOND_ORDER", "STEP_RULES", "Solve", "StepRule", "only_implicit"]
