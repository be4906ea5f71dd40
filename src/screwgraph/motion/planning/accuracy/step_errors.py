"""How far a plan is from the motion under its torques, step by step: each is integrated anew by another method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.motion.planning.accuracy.motion_scales import SHORT, MotionScales, spread_by_unit
from screwgraph.motion.planning.accuracy.step_flow import StepFlow
from screwgraph.optimize.manifold_code import difference_values

PART = 0.01
"""Tolerance of the integrator, as a part of that of plans."""


@dataclass(frozen=True, eq=False)
class StepErrors:
    """The error of each step: how far the motion under the planned torques ends from the next point.

    `position` (S,) is relative to the whole way, `velocity` (S,) to the largest velocity, of turning and of sliding
    coordinates by themselves; infinite where the motion has no end. `of_step` (S,) is the error of position relative to
    the net displacement in the step itself. `distance` (S, nv) is the error of each coordinate `of` a name in its
    `units`, rad or m.
    """

    __repr__ = one_line

    position: Float[np.ndarray, " S"]
    velocity: Float[np.ndarray, " S"]
    of_step: Float[np.ndarray, " S"]
    distance: Float[np.ndarray, "S nv"]
    of: tuple[str, ...]
    units: tuple[str, ...]

    @property
    def worst(self) -> str:
        """The largest relative error in words: which coordinate, by how much, which part of the step's displacement."""
        step = int(self.position.argmax())
        c = int(np.nan_to_num(self.distance[step], nan=np.inf).argmax())
        return f"{self.of[c]} by {self.distance[step, c]:.2g} {self.units[c]}, {self.of_step[step]:.2g} of step {step}"


def compute_step_errors(flow: StepFlow, defects: Float[np.ndarray, "S 2nv"]) -> StepErrors:
    """Return the errors of steps from what the motion from their first points differs by from the next ones."""
    steps, values, nv = flow.steps, flow.values, flow.steps.mechanics.robot.nv
    scales, mechanics = flow.scales, steps.mechanics
    planned = difference_values(
        mechanics.positions, values["q"][steps.first], values["q"][steps.first + steps.per_step]
    )
    d, v = np.abs(defects[:, :nv]), np.abs(defects[:, nv:])
    net = spread_by_unit(np.abs(planned), scales.turns)
    position, velocity = _largest(d / scales.way), _largest(v / scales.top)
    of_step = _largest(d / np.maximum(net, SHORT / len(d)))
    return StepErrors(position, velocity, of_step, d, mechanics.labels, mechanics.units("position"))


def _largest(errors: Float[np.ndarray, "S nv"]) -> Float[np.ndarray, " S"]:
    return np.where(np.isfinite(errors), errors, np.inf).max(axis=1)


def integration_tolerance(scales: MotionScales, accuracy: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the tolerances of integrators for positions and velocities, far below what a plan may err."""
    return PART * accuracy * scales.way, PART * accuracy * scales.top
