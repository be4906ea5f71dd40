"""Goals of frames along a horizon: how far poses of links and frames are from where they shall be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler import Function, compile_expression, make_numbered_argument
from screwgraph.mechanics.kinematics import forward_kinematics
from screwgraph.mechanics.kinematics.manifold_functions import position_argument
from screwgraph.motion.control.predictive.state_coordinates import StateCoordinates, complete_position
from screwgraph.spatial import log3
from screwgraph.tape import Number

POSE, ERROR = 16, 6
"""Numbers of a pose (4, 4), and of its error: rotation vector (rad) in the goal's axes, way (m) in the base's."""


@dataclass(frozen=True, eq=False)
class FrameGoals:
    """Poses that some links or frames of a robot shall have."""

    __repr__ = one_line

    coordinates: StateCoordinates
    frames: tuple[str, ...]

    @cached_property
    def errors(self) -> Function:
        """Code of q and goals to the errors of all frames."""
        given = (
            position_argument("q", self.coordinates.joints),
            make_numbered_argument("goals", POSE * len(self.frames)),
        )

        def compute(q: Any, goals: Any) -> list[Number]:
            found, every = list[Number](), complete_position(self.coordinates, q)
            for k, frame in enumerate(self.frames):
                T, goal = (
                    np.asarray(forward_kinematics(self.coordinates.model, frame)(every)),
                    goals[POSE * k :][:POSE].reshape(4, 4),
                )
                found += [*log3(goal[:3, :3].T @ T[:3, :3]), *(T[:3, 3] - goal[:3, 3])]
            return found

        question = self.coordinates.question, self.frames
        return compile_expression("frame_errors", question, given, compute, branches=True)

    def compare(self, goals: Any, q: Any) -> tuple[list[Number], np.ndarray]:
        """Return errors, and their derivatives by displacements of positions (errors, nv)."""
        return list(self.errors(q, goals)), np.asarray(self.errors.jacobian("q")(q, goals))
