"""Checks of a task before a search: how large its costs are, why there is no plan, where searches begin."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from screwgraph.base.field_state import field_state
from screwgraph.motion.planning.collocation import COLLOCATIONS, UNTIED
from screwgraph.motion.planning.guesses.initial_guess import make_initial_values
from screwgraph.motion.planning.guesses.low_effort_motion import NearestMotion, find_nearest_motion
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.obstacles.blocked_joints import find_blocked_joints
from screwgraph.motion.planning.search.continuation import select_unknown
from screwgraph.motion.planning.search.cost_scaling import CostScale, compute_scale
from screwgraph.motion.planning.search.infeasibility import explain_unreached_goals, explain_weight, prove_infeasible
from screwgraph.motion.planning.transcription.problem import Transcription, list_wrenches

UNASKED = 8
"""Degrees of freedom up to which plans of what is partly driven are refined by default."""


@dataclass(frozen=True, eq=False)
class PreliminaryChecks:
    """Checks of a task alone, without a search; each is made once."""

    __getstate__ = field_state

    transcription: Transcription
    mechanics: Mechanics

    @cached_property
    def scale(self) -> CostScale:
        """Scale of costs and forces."""
        return compute_scale(self.transcription)

    @cached_property
    def proofs(self) -> list[str]:
        """Why there is no plan, where that can be told at once."""
        task, steps = self.transcription.task, self.transcription.steps
        blocked = find_blocked_joints(task, self.mechanics)
        return [*self.transcription.proofs, *prove_infeasible(task, steps), *blocked]

    @cached_property
    def unreached_goals(self) -> list[str]:
        """Goals of frames that no position was found to reach."""
        return list(explain_unreached_goals(self.transcription.task, self.transcription.steps))

    @cached_property
    def weight(self) -> list[str]:
        """Weight that efforts cannot hold."""
        return list(explain_weight(self.transcription.task, self.transcription.steps))

    @cached_property
    def nearest(self) -> NearestMotion | None:
        """The motion that comes nearest to keeping limits of effort, where these do not hold the weight."""
        return find_nearest_motion(self.transcription.task, self.transcription.steps) if self.weight else None

    @cached_property
    def first_guess(self) -> dict[str, np.ndarray]:
        """The unknowns' values where searches begin, unless cycles of joints come first."""
        values = make_initial_values(self.transcription.task, self.transcription.steps)
        return select_unknown(self.transcription, values)

    @cached_property
    def is_refined_unasked(self) -> bool:
        """Whether a small robot has joints that nothing drives: no controller makes up there for a coarse plan.

        Or is a linkage of one degree of freedom: near dead points its bodies are fast where its motor is slow.
        """
        task, steps = self.transcription.task, self.transcription.steps
        is_refinable = task.dynamics and COLLOCATIONS[task.collocation] != UNTIED and not list_wrenches(task, steps)
        rank = task.robot.mobility.rank
        degrees_of_freedom, is_linkage = task.robot.nv - rank, rank > 0
        is_partly_driven = len(steps.actuated) < degrees_of_freedom <= UNASKED
        return bool(is_refinable) and (is_partly_driven or (is_linkage and degrees_of_freedom == 1))
