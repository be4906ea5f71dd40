"""Places of feet as independent coordinates of a robot move them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler import Function, Result, compile_expression
from screwgraph.mechanics.kinematics import forward_kinematics, frame_jacobian
from screwgraph.mechanics.kinematics.manifold_functions import position_argument
from screwgraph.mechanics.kinematics.reference_frames import ALIGNED
from screwgraph.motion.control.models import as_controlled
from screwgraph.motion.control.predictive.state_coordinates import RobotStates, complete_position
from screwgraph.motion.simulation.contacts import Contact
from screwgraph.tape import Number


@dataclass(frozen=True, eq=False)
class FootPlaces:
    """The points of contacts, centres of balls, of a tree or a closed chain."""

    __repr__ = one_line

    states: RobotStates
    contacts: Sequence[Contact]

    @cached_property
    def code(self) -> Function:
        """Code of q of independent joints to the points (feet, 3) and their Jacobians (feet, 3, n)."""
        joints, model, count = self.states.joints, self.states.model, len(self.contacts)
        given = tuple((contact.frame, tuple(map(float, contact.at))) for contact in self.contacts)
        poses = forward_kinematics(model, [name for name, _ in given])
        jacobians = [frame_jacobian(model, name, reference=ALIGNED) for name, _ in given]
        coordinates = as_controlled(model).coordinates

        def compute(q: Any) -> list[Number]:
            full = complete_position(self.states, q)
            columns = [coordinates.complete_velocity(full, unit) for unit in np.eye(joints.nv)]
            places, slopes = list[Number](), list[Number]()
            for T, jacobian, (_, at) in zip(np.asarray(poses(full)), jacobians, given, strict=True):
                arm, J = T[:3, :3] @ at, np.asarray(jacobian(full))
                rows = J[3:] + np.cross(J[:3].T, arm).T
                places += list(T[:3, 3] + arm)
                slopes += [x for row in rows for x in (row @ np.array(columns, dtype=object).T)]
            return [*places, *slopes]

        results = Result("places", (count, 3)), Result("slopes", (count, 3, joints.nv))
        question = self.states.question, given
        return compile_expression("foot_places", question, (position_argument("q", joints),), compute, results=results)

    def find_places(self, q: Any) -> np.ndarray:
        """Return the points (*N, feet, 3)."""
        return np.asarray(self.code(q)[0])

    def find_slopes(self, q: Any) -> np.ndarray:
        """Return their Jacobians (*N, feet, 3, n)."""
        return np.asarray(self.code(q)[1])
