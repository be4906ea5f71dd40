"""Derivatives of what dynamics leave unknown: accelerations, torques, or some of each.

tau(x, qdd) = 0 differentiated: d qdd/dx = -M^-1 d tau/dx at the accelerations that solve it, and M^-1 by the torques.
So forward dynamics' derivatives are inverse dynamics' and one factorisation (Carpentier & Mansard, 2018, section IV).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from screwgraph.compiler.derivatives.analytic.tree_derivatives import Entries, TreeDerivatives
from screwgraph.compiler.derivatives.analytic.tree_factorisation import Column, TreeFactors, factor_tree_matrix
from screwgraph.model.robot import Robot
from screwgraph.tape import Number


@dataclass(frozen=True, eq=False)
class Unknowns:
    """Of each coordinate either the acceleration is unknown (`free` lists these) or the torque."""

    robot: Robot
    inverse: TreeDerivatives
    free: Sequence[int]

    def by_state(self, name: str) -> Entries:
        """Return the derivatives of all unknowns by "q" or "qd"."""
        entries = self.inverse.by_q if name == "q" else self.inverse.by_qd
        found: dict[tuple[int, int], Number] = {}
        for j in range(self.robot.nv):
            column = {i: entries[i, j] for i in range(self.robot.nv) if (i, j) in entries}
            found |= {(i, j): value for i, value in self._answer(column).items()}
        return found

    def by_given(self) -> Entries:
        """Return the derivatives of all unknowns by what is given instead of each: its torque, or its acceleration."""
        M, place = self.inverse.by_qdd, {k: n for n, k in enumerate(self.free)}
        if len(place) == self.robot.nv:
            return self._factors.inverse()
        found: dict[tuple[int, int], Number] = {}
        for j in range(self.robot.nv):
            if j in place:
                moved = {self.free[n]: x for n, x in self._factors.solve({place[j]: 1.0}).items()}
                column = {**self._efforts({}, moved), **moved}
            else:
                column = self._answer({i: M[i, j] for i in range(self.robot.nv) if (i, j) in M})
            found |= {(i, j): value for i, value in column.items()}
        return found

    def _answer(self, column: Column) -> Column:
        """Return what happens to the unknowns where torques would have to change by `column`."""
        place = {k: n for n, k in enumerate(self.free)}
        right = {place[i]: -value for i, value in column.items() if i in place}
        moved = {self.free[n]: x for n, x in self._factors.solve(right).items()} if right else {}
        return {**self._efforts(column, moved), **moved}

    def _efforts(self, column: Column, moved: Column) -> Column:
        """Return the changes of the unknown torques."""
        M, free = self.inverse.by_qdd, set(self.free)
        found: dict[int, Number] = {}
        for i in range(self.robot.nv):
            if i not in free:
                total: Number = column.get(i, 0.0)
                for k, x in moved.items():
                    total = total + M.get((i, k), 0.0) * x
                found[i] = total
        return found

    @cached_property
    def _factors(self) -> TreeFactors:
        carriers = list_coordinate_carriers(self.robot)
        place = {k: n for n, k in enumerate(self.free)}
        M = {(place[i], place[j]): x for (i, j), x in self.inverse.by_qdd.items() if i in place and j in place}
        return factor_tree_matrix(M, [[place[i] for i in carriers[k] if i in place] for k in self.free])


def list_coordinate_carriers(robot: Robot) -> Sequence[Sequence[int]]:
    """Return, for each velocity coordinate, those between it and the base, the base's first."""
    found: list[list[int]] = []
    reaching: dict[str, list[int]] = {}
    for joint in robot.joints:
        v = robot.v_slices[joint.name]
        inner = reaching.get(joint.parent, [])
        found += [[*inner, *range(v.start, k)] for k in range(v.start, v.stop)]
        reaching[joint.child] = [*inner, *range(v.start, v.stop)]
    return found
