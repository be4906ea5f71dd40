"""A random task planned, and given to IPOPT: how both ended, how accurate the plan is, and how long they took."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from screwgraph.motion.planning import Plan, Planner
from screwgraph.motion.planning.search.plan_search import LOST
from screwgraph.motion.planning.search.refinement import resample_values

from .rival import ipopt, least_time

SECONDS = 60.0
"""Each search may take so long."""
MAKING = 600.0
"""So long may the first search take, with which code is made."""
SMALL = 0.02
"""Part of the largest acceleration of a joint below which its sign is noise."""
FINER = (10, 4, 2)
"""Times more steps, the first for which a motion is found, that tell what the accelerations' signs are."""


@dataclass(frozen=True)
class Verdict:
    """How a task ended.

    `ours` is "solved", "coarse", "infeasible", "stalled" or "limit" (time, iterations); `error` of a solved plan, the
    largest of its steps; CPU times (s) are those of the first mesh, code made apart; IPOPT's own time is without
    functions, its compiled time with functions in machine code, where that was measured.
    """

    ours: str
    reason: str
    ipopt: str
    error: float
    rings: bool
    seconds: float
    ipopt_seconds: float
    ipopt_own_seconds: float
    ipopt_compiled_seconds: float


def compared(planner: Planner, *, compiled: bool) -> Verdict:
    """Plan the planner's task, with refinement where the plan is coarse, and solve it by IPOPT on the first mesh.

    With functions `compiled`, too. The planner is left as it was.
    """
    fresh = planner.transcription
    theirs = ipopt(planner, SECONDS)
    in_machine_code = ipopt(planner, SECONDS, compiled=True).seconds if compiled else np.nan
    planner.solve(iterations=1000, seconds=MAKING)

    def again() -> None:
        planner.transcription = fresh
        planner.solve(iterations=1000, seconds=SECONDS)

    seconds, plan = least_time(again), planner.plan
    assert plan is not None
    if plan.converged and not plan.solved:
        planner.transcription = fresh
        plan = planner.solve(iterations=1000, seconds=SECONDS, refine=True)
    error = plan.error if plan.solved and plan.error is not None else np.nan
    said = "solved" if theirs.solved else theirs.said
    rings = plan.solved and alternating(plan) and rings_beside_finer(plan)
    planner.transcription = fresh
    times = seconds, theirs.seconds, theirs.own_seconds, in_machine_code
    return Verdict(_ended(plan), repr(plan), said, error, rings, *times)


def alternating(plan: Plan) -> bool:
    """Whether the acceleration of a joint changes its sign from step to step, twice in a row, and not by noise."""
    signs = _signs(plan)
    turns = signs[1:] * signs[:-1] < 0.0
    return bool((turns[1:] & turns[:-1]).any())


def rings_beside_finer(plan: Plan) -> bool:
    """Whether accelerations change their signs more often than those of the same motion with ten times more steps.

    That is searched for from the plan: other guesses may lead to other motions, past the other side of an obstacle.
    Where it is not found in time, fewer steps are tried.
    """
    for finer in (_finer(plan, times) for times in FINER):
        if finer.converged:
            return _changes(plan) > _changes(finer) + 2
    return True


def _finer(plan: Plan, times: int) -> Plan:
    task = plan.task
    phases = tuple(replace(p, steps=times * p.steps, mesh=None) for p in task.phases)
    planner = Planner(replace(task, phases=phases, guess="linear"))
    planner.change(guess=resample_values(planner.transcription, plan))
    return planner.solve(iterations=1000, seconds=SECONDS)


def _changes(plan: Plan) -> int:
    changes = 0
    for signs in _signs(plan).T:
        large = signs[signs != 0.0]
        changes += int((large[1:] != large[:-1]).sum())
    return changes


def _signs(plan: Plan) -> np.ndarray:
    """Return the signs (S, nv) of accelerations at the ends of steps, 0 of small ones."""
    steps = plan.transcription.steps
    qdd = plan.values["qdd"][steps.sample_at(steps.per_step)]
    return np.where(np.abs(qdd) > SMALL * np.abs(qdd).max(axis=0), np.sign(qdd), 0.0)


def _ended(plan: Plan) -> str:
    if plan.solved:
        return "solved"
    if plan.converged:
        return "coarse"
    if plan.status == "infeasible":
        return "infeasible"
    return "stalled" if plan.result.status in LOST else "limit"
