"""A horizon: a model of a stage, how many there are, their bounds, and how often a call does what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.motion.control.predictive.horizon_costs import CostErrors, HorizonCost
from screwgraph.motion.control.predictive.local_steps import LocalSteps
from screwgraph.motion.control.predictive.stage_model import StageModel
from screwgraph.motion.control.predictive.terminal_costs import StateWeights, TerminalCost
from screwgraph.optimize.chain_program import Bound

SIDES = (True, False)
"""Lower bounds come first."""

Pattern = list[list[float | None]]
"""Rows of constants, None for live entries."""


@dataclass(frozen=True, eq=False)
class Horizon:
    """A model over `stages` times `dt` (s), bounds of efforts and states, and how often a tick does what.

    Bounds that are infinite are none. Stages' unknowns are z = (local coordinates, velocities, inputs). The first
    interval is an argument, of at least `shortest` (s), where this is given.
    """

    __repr__ = one_line

    model: StageModel
    dt: float
    stages: int
    efforts: tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]
    x_lower: Float[np.ndarray, " nx"]
    x_upper: Float[np.ndarray, " nx"]
    penalty: tuple[float, float]
    iterations: int
    barrier_steps: int
    shortenings: int = 0
    costs: tuple[HorizonCost, ...] = ()
    terminal: TerminalCost = StateWeights()  # noqa: RUF009
    shortest: float | None = None

    @property
    def question(self) -> tuple[object, ...]:
        """All that code depends on."""
        bounds = tuple(tuple(map(float, x)) for x in (*self.efforts, self.x_lower, self.x_upper))
        counts = self.stages, self.iterations, self.barrier_steps, self.shortenings
        more = self.costs, self.terminal, self.shortest
        return (*self.model.question, self.dt, bounds, self.penalty, *counts, *more)

    @property
    def motors(self) -> int:
        """How many efforts there are (m)."""
        return len(self.efforts[0])

    @property
    def effort_bounds(self) -> tuple[list[float], list[float]]:
        """The least and the largest efforts, as numbers."""
        lower, upper = self.efforts
        return lower.tolist(), upper.tolist()

    @cached_property
    def steps(self) -> LocalSteps:
        """Local coordinates of positions."""
        return LocalSteps(self.model.robot, self.dt, self.dt)

    @property
    def is_timed(self) -> bool:
        """Whether the first interval is an argument."""
        return self.shortest is not None

    @cached_property
    def errors(self) -> tuple[CostErrors, ...]:
        """Code of the errors of each cost beside those of states and inputs."""
        return tuple(CostErrors(self.model.coordinates, cost) for cost in self.costs)

    def name_goals(self, suffix: str = "") -> list[str]:
        """Return the vectors of goals, of one instant by a suffix, and weights of each cost."""
        return [name for own in self.costs for name in (f"goal.{own.name}{suffix}", f"goal.{own.weights_name}")]

    @property
    def terminal_shape(self) -> tuple[int, ...]:
        """The shape of numbers that the last state's cost has of its own, if it has some."""
        return self.terminal.find_shape(self.model.robot.nv)

    @property
    def end(self) -> str:
        """The vector of the weights of the last state: of its own, or those of the others."""
        return "terminal" if self.terminal_shape else "weights"

    @property
    def is_curved(self) -> bool:
        """Whether costs depend on the trajectory about which they are linearised."""
        return bool(self.steps.bent or self.costs)

    @cached_property
    def columns(self) -> tuple[bool, ...]:
        """Which of z accelerations and efforts may depend on: not on where a floating base stands."""
        n, nu = self.model.robot.nv, self.model.nu
        fixed = {i for joint in self.steps.bent[:1] if joint.v == slice(0, 6) for i in range(3, 6)}
        return tuple(i not in fixed for i in range(2 * n + nu))

    @cached_property
    def J(self) -> Pattern:
        """Pattern of the derivatives of x'."""
        n, nu = self.model.robot.nv, self.model.nu
        rows: Pattern = [[float(i == j) for j in range(2 * n + nu)] for i in range(n)]
        for joint in self.steps.bent:
            for i in range(joint.v.start, joint.v.stop):
                rows[i][joint.v] = [None] * (joint.v.stop - joint.v.start)
        return [*rows, *([None if kept else 0.0 for kept in self.columns] for _ in range(n))]

    @cached_property
    def own_columns(self) -> list[list[bool]]:
        """Live entries of the rows of v' and of efforts that are not products of the base's accelerations."""
        n, found = self.model.robot.nv, list[list[bool]]()
        for i, row in enumerate(self.model.own_columns):
            found.append(
                [kept and (own or j == n + i) for j, (kept, own) in enumerate(zip(self.columns, row, strict=True))]
            )
        return found

    @cached_property
    def H(self) -> Pattern:
        """Pattern of the Hessian's lower triangle."""
        size = 2 * self.model.robot.nv + self.model.nu
        rows: Pattern = [[None if i == j else 0.0 for j in range(i + 1)] for i in range(size)]
        for joint in self.steps.bent:
            for i in range(joint.v.start, joint.v.stop):
                rows[i][joint.v.start :] = [None] * (i + 1 - joint.v.start)
        for i in range(self.model.robot.nv) if self.costs else ():
            rows[i] = [None] * (i + 1)
        return rows

    @cached_property
    def cone_pattern(self) -> list[list[bool]]:
        """Which inputs belong to rows of friction."""
        rows, _ = self.model.list_cones([1.0, 0.5] * (self.model.switches // 2))
        return [[x != 0.0 for x in row] for row in rows]

    @cached_property
    def C(self) -> Pattern:
        """Pattern of the rows of efforts that are no inputs, and of friction."""
        if self.model.commands_efforts:
            return []
        efforts: Pattern = [[None if kept else 0.0 for kept in self.columns] for _ in range(self.motors)]
        state = [0.0] * (2 * self.model.robot.nv)
        cones: Pattern = [[*state, *(None if kept else 0.0 for kept in row)] for row in self.cone_pattern]
        return [*efforts, *cones]

    @cached_property
    def inputs(self) -> tuple[Bound, ...]:
        """Bounds of inputs: all lower ones first, so that neighbours go side by side."""
        all_of_them = np.zeros(self.model.nu)
        pair = self.efforts if self.model.commands_efforts else (all_of_them, all_of_them)
        return tuple(Bound(i, lower) for lower, own in zip(SIDES, pair, strict=True) for i in _list_finite(own))

    @cached_property
    def states(self) -> tuple[Bound, ...]:
        """Bounds of states, of each run of neighbours all lower ones first."""
        found, runs, pair = list[Bound](), list[list[int]](), (self.x_lower, self.x_upper)
        for i in sorted({i for limits in pair for i in _list_finite(limits)}):
            if not runs or runs[-1][-1] != i - 1:
                runs.append([])
            runs[-1].append(i)
        for run in runs:
            for lower, limits in zip(SIDES, pair, strict=True):
                found += [Bound(i, lower, soft=True) for i in run if np.isfinite(limits[i])]
        return tuple(found)

    @cached_property
    def rows(self) -> tuple[Bound, ...]:
        """Bounds of the rows of C: efforts, soft as a state may leave none within them, and friction."""
        if self.model.commands_efforts:
            return ()
        pairs = zip(SIDES, self.efforts, strict=True)
        efforts = [Bound(i, lower, soft=True) for lower, own in pairs for i in _list_finite(own)]
        return (*efforts, *(Bound(self.motors + i, True) for i in range(len(self.cone_pattern))))


def _list_finite(values: Sequence[float] | Float[np.ndarray, " n"]) -> list[int]:
    return [i for i, x in enumerate(values) if np.isfinite(x)]
