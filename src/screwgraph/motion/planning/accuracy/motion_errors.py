"""How far a plan is from a motion: in each step, over windows of steps, and in its momenta."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.motion.planning.accuracy.momentum_errors import MomentumErrors, find_momentum_errors
from screwgraph.motion.planning.accuracy.open_loop import Defects, OpenLoopErrors, find_defects, find_open_loop_errors
from screwgraph.motion.planning.accuracy.step_errors import StepErrors, compute_step_errors
from screwgraph.motion.planning.accuracy.step_flow import StepFlow
from screwgraph.motion.planning.collocation import UNTIED
from screwgraph.motion.planning.items import Wrench
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns


@dataclass(frozen=True, eq=False)
class MotionErrors:
    """The errors of a plan against its motion by forward dynamics; integrators are accurate to a part of `accuracy`."""

    __repr__ = one_line

    flow: StepFlow
    accuracy: float

    @cached_property
    def _defects(self) -> Defects:
        return find_defects(self.flow, self.accuracy)

    @cached_property
    def _first(self) -> Float[np.ndarray, "S 2nv"]:
        return self._defects(np.zeros((len(self.flow.lengths), 2 * self.flow.steps.mechanics.robot.nv)))

    @cached_property
    def steps(self) -> StepErrors:
        """Errors of single steps."""
        return compute_step_errors(self.flow, self._first)

    @cached_property
    def windows(self) -> OpenLoopErrors:
        """Errors of many steps one after the other."""
        return find_open_loop_errors(self.flow, self._defects, self._first, self.accuracy)

    @cached_property
    def momenta(self) -> MomentumErrors | None:
        """Errors of conserved momenta; None where there are none."""
        return find_momentum_errors(self.flow)

    def list_drifts(self) -> Iterator[str]:
        """Return in words which errors of many steps exceed the accuracy, though those of single ones do not."""
        if (self.steps.position <= self.accuracy).all() and not (self.windows.position <= self.accuracy).all():
            yield f"planned torques lead elsewhere: {self.windows.worst}"
        if self.momenta is not None and not self.momenta.relative <= self.accuracy:
            yield f"momentum changes without a force: {self.momenta.worst}"

    def find_shares(self) -> Float[np.ndarray, " S"]:
        """Return for each step its relative error in a motion of many steps, times their number; 0 where these fit."""
        found = np.zeros(len(self.flow.lengths))
        counts = np.diff([*self.windows.begins, len(found)])
        far = np.repeat(~(self.windows.position <= self.accuracy), counts)
        found[far] = (self.windows.shares * np.repeat(counts, counts))[far]
        if self.momenta is not None and not self.momenta.relative <= self.accuracy:
            found = np.maximum(found, self.momenta.shares * len(found))
        return found


def find_motion_errors(
    steps: TrajectoryUnknowns,
    t: Float[np.ndarray, " K"],
    values: Mapping[str, np.ndarray],
    wrenches: Sequence[Wrench],
    accuracy: float,
) -> MotionErrors | None:
    """Return the errors of a plan under its torques and contact forces, which are polynomials through their samples.

    None where a plan has no dynamics, or no rule joins its points.
    """
    if not steps.has_dynamics or steps.collocation == UNTIED:
        return None
    return MotionErrors(StepFlow(steps, t, values, wrenches), accuracy)
