"""Why targets cannot be met: the same search without limits, loops or other targets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, dropwhile

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.mechanics.kinematics.inverse.problem import LOOPS, InverseProblem
from screwgraph.mechanics.kinematics.targets import Point, Pose
from screwgraph.model.robot import link_poses
from screwgraph.spatial import translation

Search = Callable[[Float[np.ndarray, " groups"], bool], "Attempt"]
"""From weights of groups, and whether joints have limits, to what was found."""
LISTED = 6
"""Joints at limits that are named."""
STANDS = 1e-9
"""Distance (rad, m) from a limit at which a joint stands there."""


@dataclass(frozen=True, eq=False)
class Attempt:
    """A position, whether it meets what has a weight, and the errors of all targets there (rad, m), unit by unit."""

    __repr__ = one_line

    q: Float[np.ndarray, " nq"]
    is_met: bool
    errors: Float[np.ndarray, " k"]


@dataclass(frozen=True, eq=False)
class InfeasibilityReport:
    """Reasons why a problem has no solution; `best` is what was found for all targets, within limits if `limits`."""

    __repr__ = one_line

    problem: InverseProblem
    search: Search
    best: Attempt
    values: Sequence[np.ndarray]
    limits: bool

    def list_reasons(self) -> tuple[str, ...]:
        """Return a sentence for each target that cannot be met alone; where there is none, for those that contradict.

        A search that finds nothing is no proof, but for targets farther away than the robot's joints are long.
        """
        alone = [i for i in self._hard if not self._is_met([i])]
        if alone:
            return tuple(self._of_one(i) for i in alone)
        if self.problem.model.loops and not self._is_met([]):
            return (f"loops do not close{self._within}: nothing can be reached",)
        if self._is_met(self._hard):
            return ("all targets can be met, but were not found from this start: more attempts may find them",)
        return (self._of_several(self._contradicting()),)

    @property
    def _hard(self) -> list[int]:
        return [i for i in range(len(self.problem.targets)) if self.problem.is_hard(i)]

    @property
    def _within(self) -> str:
        return " within the joint limits" if self.limits and self.problem.model.limited else ""

    def _search_targets(self, targets: Iterable[int], limits: bool, loops: bool = True) -> Attempt:
        """Search for a position that meets some targets alone."""
        chosen = {*targets, *([len(self.problem.targets)] if loops else [])}
        weights = np.array([float(i in chosen) for i, _ in self.problem.groups])
        return self.search(weights, limits)

    def _is_met(self, targets: Iterable[int]) -> bool:
        return self._search_targets(targets, self.limits).is_met

    def _of_one(self, i: int) -> str:
        target, found = self.problem.targets[i], self._search_targets([i], self.limits)
        away = f"{target.label} is not reached: the nearest position found{self._within} is {self._off(i, found)} off"
        distance = self._distance(i)
        if distance is not None and distance[0] > distance[1]:
            far, reach, origin = distance
            return f"{away}; it is {far:.4g} m from {origin}, and the chain from there is {reach:.4g} m long (reach)"
        if self._can_drop_target(i):
            return f"{away}; it can be reached without joint limits ({self._at_limits(found.q)})"
        if self._can_open_loops([i]):
            return f"{away}; it can be reached with loops open ({self._loops})"
        if len(target.units) > 1 and self._at_position(i):
            return f"{away}; its position can be reached, but not in this orientation"
        return f"{away}; it is out of reach{'' if self.limits else ', without joint limits'}"

    def _of_several(self, targets: Sequence[int]) -> str:
        found, labels = self._search_targets(targets, self.limits), [self.problem.targets[i].label for i in targets]
        names = f"{', '.join(labels[:-1])} and {labels[-1]}"
        missed = ", ".join(f"{self.problem.targets[i].label} {self._off(i, found)}" for i in targets)
        count = "both" if len(labels) == 2 else "all"
        what = f"{names} contradict each other: each can be reached{self._within}, not {count}"
        what = f"{what}; the nearest position found is off by {missed}"
        if self.limits and self.problem.model.limited and self._search_targets(targets, False).is_met:
            return f"{what}; together they can be reached without joint limits ({self._at_limits(found.q)})"
        if self._can_open_loops(targets):
            return f"{what}; together they can be reached with loops open ({self._loops})"
        return what

    def _contradicting(self) -> list[int]:
        """Return a pair of targets that cannot be met together; else as few as can be told by leaving them out."""
        for pair in combinations(self._hard, 2):
            if not self._is_met(pair):
                return list(pair)
        kept = self._hard
        for i in self._hard:
            fewer = [j for j in kept if j != i]
            if not self._is_met(fewer):
                kept = fewer
        return kept

    def _at_position(self, i: int) -> bool:
        """Tell whether the position of a pose can be reached."""
        wanted = ((i, "m"), (len(self.problem.targets), LOOPS))
        return self.search(np.array([float(group in wanted) for group in self.problem.groups]), self.limits).is_met

    def _can_open_loops(self, targets: Sequence[int]) -> bool:
        """Tell whether a robot's targets can be met with loops open; of a mechanism, all is constraints."""
        return self.problem.model.can_open and self._search_targets(targets, self.limits, loops=False).is_met

    def _can_drop_target(self, i: int) -> bool:
        return self.limits and bool(self.problem.model.limited) and self._search_targets([i], False).is_met

    @property
    def _loops(self) -> str:
        names = self.problem.model.loops
        return ", ".join(names[:LISTED]) + (", ..." if len(names) > LISTED else "")

    def _off(self, i: int, found: Attempt) -> str:
        """Write the errors of a target with their units."""
        first = sum(len(t.units) for t in self.problem.targets[:i])
        units = self.problem.targets[i].units
        return " and ".join(f"{e:.3g} {u}" for e, u in zip(found.errors[first:], units, strict=False))

    def _at_limits(self, q: Float[np.ndarray, " nq"]) -> str:
        """Name the joints that stand at a limit."""
        found = []
        for own in self.problem.model.limited:
            for bound, side in ((own.lower, "lower"), (own.upper, "upper")):
                if abs(q[own.q] - bound) < STANDS:
                    found.append(f"{own.joint!r} at its {side} limit of {bound:.4g} {own.unit}")
        shown = found[:LISTED] + ([f"{len(found) - LISTED} more"] if len(found) > LISTED else [])
        return ", ".join(shown) if shown else "no joint stands at a limit at the nearest position"

    def _distance(self, i: int) -> tuple[float, float, str] | None:
        """Return how far (m) a target is from the first joint that moves its frame, how far that reaches, and its name.

        None where that is no bound: joints slide without limits, or loops, or the target is no point.
        """
        target, robot = self.problem.targets[i], self.problem.model.subject
        if not isinstance(target, Pose | Point):
            return None
        value = np.asarray(self.values[i], dtype=float)
        point = value[:3, 3] if isinstance(target, Pose) else value
        offset = np.zeros(3) if isinstance(target, Pose) else np.array(target.offset, dtype=float)
        if len(point) != 3:
            return None
        frame = robot.frame(target.frame)
        held = self.problem.model.held
        joints = list(dropwhile(lambda j: j.name in held, reversed(robot.joints_to_base(frame.link))))
        if not joints or any(j.type.nq != 1 for j in joints):
            return None
        T = link_poses(robot, self.best.q, [joints[0].parent])[joints[0].parent] @ joints[0].origin
        reach = float(np.linalg.norm((frame.T_lf @ [*offset, 1.0])[:3]))
        for joint in joints:
            if joint is not joints[0]:
                reach += float(np.linalg.norm(translation(joint.origin)))
            slide = float(np.linalg.norm(np.asarray(joint.type.screw_axes(np.zeros(1)))[3:]))
            if slide:
                bounds = [joint.limits.lower, joint.limits.upper] if self.limits else [None]
                if any(b is None for b in bounds):
                    return None
                reach += slide * max(abs(float(b)) for b in bounds if b is not None)
        return float(np.linalg.norm(point - translation(T))), reach, f"joint {joints[0].name!r}"
