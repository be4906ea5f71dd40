"""A problem of inverse kinematics: a model, targets, and the numbers that its code takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler import Argument, Function, make_numbered_argument
from screwgraph.mechanics.kinematics.inverse.models import InverseModel
from screwgraph.mechanics.kinematics.targets import Target, TargetResidual, TargetValue
from screwgraph.spatial import Array, maximum, minimum

LOOPS = "loops"
SETTINGS = ("tolerance", "attempts", "steps")
"""Error (rad, m) at which a target is met; starts; steps of each."""


@dataclass(frozen=True, eq=False)
class InverseProblem:
    """Targets of a model."""

    __repr__ = one_line

    model: InverseModel
    targets: tuple[Target, ...]

    @cached_property
    def question(self) -> object:
        """All that its code depends on."""
        kinds = [(type(t).__name__, t.label, t.shape(self.model.subject), t.weight is None) for t in self.targets]
        return "inverse kinematics", self.model.question, kinds

    @cached_property
    def groups(self) -> tuple[tuple[int, str], ...]:
        """Groups that are weighed as a whole: the angles and the lengths of each target, then `LOOPS`, of no target."""
        own = [(i, unit) for i, target in enumerate(self.targets) for unit in target.units]
        return (*own, *([(len(self.targets), LOOPS)] if self.model.loops else []))

    def group_of(self, target: int, is_length: bool) -> int:
        """Return the group of a row of a target; of `LOOPS`, whose number follows those of targets."""
        own = [k for k, (i, _) in enumerate(self.groups) if i == target]
        return own[int(is_length)] if len(own) > 1 else own[0]

    def is_hard(self, target: int) -> bool:
        """Tell whether a target, or `LOOPS`, must be met."""
        return target == len(self.targets) or self.targets[target].weight is None

    @property
    def has_soft(self) -> bool:
        """Whether there are targets with weights."""
        return any(t.weight is not None for t in self.targets)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The targets' labels, numbered where two are the same."""
        labels = [t.label for t in self.targets]
        return tuple(label if labels.count(label) == 1 else f"{label} ({i + 1})" for i, label in enumerate(labels))

    @cached_property
    def parameters(self) -> tuple[Argument, ...]:
        """The arguments: values of targets, start, bounds of limited coordinates, weights of groups, settings."""
        k = len(self.model.limited)
        values = [
            make_numbered_argument(n, *t.shape(self.model.subject))
            for n, t in zip(self.names, self.targets, strict=True)
        ]
        bounds = [make_numbered_argument("lower", k), make_numbered_argument("upper", k)] if self.model.limited else []
        others = make_numbered_argument("weight", len(self.groups)), make_numbered_argument("setting", len(SETTINGS))
        return (*values, self.model.start, *bounds, *others)

    def clip_positions(self, q: Array, start: Array, lower: Array, upper: Array) -> Array:
        """Return positions within limits, what is held where the start has it."""
        found = q.copy()
        found[list(self.model.fixed)] = start[list(self.model.fixed)]
        for own, low, high in zip(self.model.limited, lower, upper, strict=True):
            found[own.q] = minimum(maximum(q[own.q], low), high)
        return found

    @cached_property
    def _motion(self) -> Function:
        return self.model.motion(self.targets)

    def moving(self, q: Array) -> list[TargetValue]:
        """Return how what each target is about moves, on a tape."""
        numbers, found, nv = np.asarray(self._motion(q), dtype=object), [], self.model.manifold.dim
        start = np.asarray(self.model.first_start())
        for own in (t.moving(self.model.subject, start) for t in self.targets):
            at, numbers = numbers[: len(own.at)], numbers[len(own.at) :]
            jacobian, numbers = numbers[: own.jacobian.size], numbers[own.jacobian.size :]
            found.append(TargetValue(at, jacobian.reshape(-1, nv)))
        return found

    def rows(self, q: Array, values: Sequence[Array]) -> list[TargetResidual]:
        """Return the residuals of all groups on a tape."""
        subject = self.model.subject
        found = [t.rows(subject, m, v) for t, m, v in zip(self.targets, self.moving(q), values, strict=True)]
        return [*found, *([self.model.closure(q)] if self.model.loops else [])]
