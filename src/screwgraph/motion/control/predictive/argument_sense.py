"""Arguments of a tick that have a sense: rotations, unit quaternions, flags, friction; last solutions that are motions.

A solution is a motion where its joints are where their velocities lead. Those of ticks are, but for the first stage,
where the robot was pushed, and stages behind the end of the last horizon, which stand still with the last velocity.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.motion.control.live_numbers import have_sense
from screwgraph.motion.control.predictive.horizon import Horizon
from screwgraph.motion.control.predictive.horizon_costs import HorizonCost
from screwgraph.tape import Memory, Number, Part, StageLoop, Window, dot

JUMP = 1.0
"""By how much (rad, m) coordinates may be beyond where their velocities lead, besides thrice what these make."""
MORE = 3.0


@dataclass(frozen=True, eq=False)
class ArgumentSense:
    """The parts that find whether references, poses, contacts and the last solution of a tick have a sense."""

    __repr__ = one_line

    memory: Memory
    horizon: Horizon
    strides: dict[str, int]

    def parts(self) -> tuple[Part, ...]:
        """Return what writes "sense", 1 or 0, once the last solution stands in `at`."""
        block, N, robot = self.memory.block, self.horizon.stages, self.horizon.model.robot
        nx = robot.nq + robot.nv
        found: tuple[Part, ...] = (block("sense", ["advance"], ["sense"], lambda advance: [have_sense([], advance)]),)
        if self.horizon.steps.bent:
            self._alias("sense_references", "references", 0, nx)
            self._alias("sense_at", "at", 0, nx)
            for name, vector in (("sense_references", "references"), ("sense_at", "at")):
                found += (self._each(N + 1, vector, [name], self._judge_position),)
        for cost, name in zip(self.horizon.costs, self.horizon.name_goals()[::2], strict=True):
            if cost.list_identities(np.zeros(self.strides[name])):
                self._alias(f"sense_{name}", name, 0, self.strides[name])
                found += (self._each(N + 1, name, [f"sense_{name}"], partial(_judge_goal, cost)),)
        if self.horizon.model.switches:
            self._alias("sense_contacts", "contacts", 0, self.strides["contacts"])
            found += (self._each(N, "contacts", ["sense_contacts"], self._judge_contacts),)
        if self.horizon.steps.straight and N > 1:
            self._alias("sense_before", "at", self.strides["at"], nx)
            self._alias("sense_after", "at", 2 * self.strides["at"], nx)
            found += (self._each(N - 1, "at", ["sense_before", "sense_after"], self._judge_motion),)
        return found

    def _each(self, count: int, vector: str, names: list[str], judge: Any) -> Part:
        places = self.memory.places(vector)
        window = Window(places.start, len(places), self.strides[vector])
        return StageLoop(count, (self.memory.block("sense", [*names, "sense"], ["sense"], judge),), (window,))

    def _alias(self, name: str, vector: str, start: int, size: int) -> None:
        self.memory.alias(name, self.memory.places(vector)[start : start + size])

    def _judge_position(self, x: Any, sense: Any) -> list[Number]:
        quaternions = [
            x[joint.q][at : at + 4] for joint in self.horizon.steps.bent for at in joint.manifold.quaternions
        ]
        return [sense[0] * have_sense([], vanishing=[dot(q, q) - 1.0 for q in quaternions])]

    def _judge_contacts(self, contacts: Any, sense: Any) -> list[Number]:
        flags = [on * (on - 1.0) for on in contacts[::2]]
        return [sense[0] * have_sense(contacts[1::2], vanishing=flags)]

    def _judge_motion(self, before: Any, after: Any, sense: Any) -> list[Number]:
        nq, dt, found = self.horizon.model.robot.nq, self.horizon.dt, sense[0]
        for i, j in self.horizon.steps.straight:
            way = after[i] - before[i] - dt * after[nq + j]
            found = found * (abs(way) < JUMP + MORE * dt * (abs(before[nq + j]) + abs(after[nq + j])))
        return [found]


def _judge_goal(cost: HorizonCost, goal: Any, sense: Any) -> list[Number]:
    return [sense[0] * have_sense([], vanishing=cost.list_identities(goal))]
