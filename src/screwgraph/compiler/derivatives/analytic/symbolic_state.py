"""What is known of a robot on a tape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from screwgraph.compiler.derivatives.analytic.link_motion import LinkMotion, compute_link_motions
from screwgraph.compiler.derivatives.analytic.sparse_vectors import Pair
from screwgraph.graph import Key
from screwgraph.model.robot import Robot
from screwgraph.tape import Number, Tape


@dataclass(frozen=True, eq=False)
class SymbolicState:
    """A robot, whose numbers may be scalars of a tape, and the variables that are known there.

    `inputs` are all numbers that the tape begins with, by name.
    """

    tape: Tape
    inputs: Mapping[str, Number]
    robot: Robot
    known: Mapping[Key, Sequence[Number]]

    def vector(self, kind: str) -> np.ndarray:
        """Return the numbers of all joints of a kind of variable."""
        return np.array([x for name in self.robot.joint_names for x in self.known[Key(kind, name)]], dtype=object)

    def motions(self) -> Mapping[str, LinkMotion]:
        """Return how each link but the base moves, by its name."""
        return compute_link_motions(self.robot, self.vector("q"), self.vector("qd"), self.vector("qdd"))

    @property
    def wrenches(self) -> Mapping[str, Pair]:
        """External wrenches by frame."""
        found = {key.name: value for key, value in self.known.items() if key.kind == "external_wrenches"}
        return {name: (value[:3], value[3:]) for name, value in found.items()}
