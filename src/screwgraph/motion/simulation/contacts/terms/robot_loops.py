"""Loops of a robot by the velocities that its linear couplings leave free: rows K, gaps, and which share velocities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.model.robot import Robot, loop_pose
from screwgraph.motion.simulation.closure_code import Opening, closure_code, entries, jacobian_code
from screwgraph.motion.simulation.contacts.laws.independent_velocities import LoopBlock, find_loop_blocks
from screwgraph.motion.simulation.contacts.terms.coupled_velocities import CoupledVelocities
from screwgraph.tape import Row
from screwgraph.tape.sparse_rows import to_sparse_rows


@dataclass(frozen=True, eq=False)
class RobotLoops:
    """The independent rows of K: free velocities y that loops and couplings that are not linear allow obey K y = 0."""

    __repr__ = one_line

    robot: Robot
    coupled: CoupledVelocities

    def make_rows(self, q: Any) -> list[Row]:
        """Return K at closed positions q."""
        if not self.coupled.loops:
            return []
        rows = np.reshape(jacobian_code(self.robot)(q), (-1, self.robot.nv))[list(self.coupled.loops)]
        return self.coupled.gather_rows(to_sparse_rows(rows))

    def make_example(self) -> Float[np.ndarray, "r n"]:
        """Return K at some state."""
        coupled, robot = self.coupled, self.robot
        if not coupled.loops:
            return np.zeros((0, len(coupled.free)))
        K = np.asarray(jacobian_code(robot)(robot.mobility.states[0])).reshape(-1, robot.nv)
        return K[list(coupled.loops)] @ coupled.matrix

    def open(self, q: Any) -> Opening:
        """Return how loops are open at q."""
        robot, kept, own = self.robot, list(self.robot.mobility.kept), self.coupled.loops
        x = [loop.type.nearest(loop_pose(robot, loop, q)) for loop in robot.loops if loop.type.nq]
        found = closure_code(robot, kept)(q, *([np.concatenate(x)] if x else []))
        rows: list[Row] = [{} for _ in kept]
        places = list(zip(*entries(robot, kept), strict=True))
        for (i, j), entry in zip(places, found[len(found) - len(places) :], strict=True):
            rows[i][j] = entry
        return Opening([found[i] for i in own], self.coupled.gather_rows([rows[i] for i in own]))

    def find_blocks(self, root: int) -> tuple[LoopBlock, ...]:
        """Return the rows that share few velocities, none of them of the root."""
        if not self.coupled.loops:
            return ()
        rows = list(self.robot.mobility.kept)
        around: list[set[int]] = [set() for _ in rows]
        for i, j in zip(*entries(self.robot, rows), strict=True):
            around[i] |= set(self.coupled.rows[j])
        return find_loop_blocks([around[i] for i in self.coupled.loops], root)
