"""Finer meshes, and rules of higher order, for plans whose steps err too much."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.planning.collocation import COLLOCATIONS, UNTIED
from screwgraph.motion.planning.interpolation import interpolate_samples
from screwgraph.motion.planning.phases import Phase
from screwgraph.motion.planning.plan import Plan
from screwgraph.motion.planning.task import CONDENSED, Task
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.motion.planning.transcription.problem import Transcription, list_wrenches

AIM = 0.5
"""Part of the accuracy that the next mesh is made for."""
MOST = 4
"""Pieces that a step is cut into at once."""
HIGHER = {"trapezoidal": "radau", "linear_acceleration": "radau", "radau": "radau_5", "held": "held_9"}
"""Rules that follow where most steps are too long: of higher order, and L-stable."""
FAR = 3.0
"""Pieces that a step of low order would have to be cut into before a rule of higher order is chosen."""
DRIFT = 0.5
"""Part of a drift that errors of steps leave at least, where steps are cut in two, even with a rule of first order."""
NEAR = 1e-9


def check_refinable(task: Task) -> None:
    """See that there is a motion to compare a plan with.

    Raises:
        InputError: the task has no dynamics, or no rule joins its points.
    """
    if not task.dynamics or COLLOCATIONS[task.collocation] == UNTIED:
        raise InputError(
            "a plan without dynamics cannot be refined",
            why="without torques there is no motion to compare it with",
            fix="leave out refine, or plan with dynamics and a collocation",
        )


def refine_task(plan: Plan) -> Task:
    """Return the task of a plan with a mesh, and perhaps a rule, for which its errors are expected to be small enough.

    Steps are cut where errors are too large, by the order of the rule: the error of a step of length h goes with
    h^(order + 1), that of many steps with h^order. Betts (2010), section 4.6; Patterson, Hager & Rao (2015).
    """
    task, steps = plan.task, plan.transcription.steps
    assert plan.motion_errors is not None, "plans without errors are not refined"
    aim, order = AIM * task.accuracy, steps.collocation.order
    alone, together = plan.motion_errors.steps.position / aim, plan.motion_errors.find_shares() / aim
    ratio = np.maximum(alone, together)
    needed = np.maximum(alone ** (1.0 / (order + 1)), together ** (1.0 / order))
    rule = task.collocation
    if rule in HIGHER and task.dynamics != CONDENSED and (steps.collocation.holds or _gains(rule, needed)):
        rule = HIGHER[rule]
        most = 1.0 if steps.collocation.holds else MOST / 2.0  # a held torque keeps its time as long as it can
        needed = np.minimum(ratio ** (1.0 / (COLLOCATIONS[rule].order + 1)), most)
    pieces = np.clip(np.ceil(needed), 1, MOST).astype(int)
    for excess in plan.excesses:
        pieces[excess.step] = max(2, pieces[excess.step])
    if rule == task.collocation and (pieces == 1).all():
        pieces[np.argmax(ratio)] = 2
    return replace(task, collocation=rule, phases=tuple(_cut_phases(plan, pieces)))


def drifts_alike(before: Plan, after: Plan) -> bool:
    """Return whether finer steps leave the drift of conserved momenta as it was: then it is the goals that need it."""
    errors = [plan.motion_errors and plan.motion_errors.momenta for plan in (before, after)]
    if errors[0] is None or errors[1] is None or errors[1].relative <= after.task.accuracy:
        return False
    return errors[1].relative > DRIFT * errors[0].relative


def _gains(rule: str, needed: Float[np.ndarray, " S"]) -> bool:
    """Whether a rule of higher order is to follow: of order 2 at once, else where most steps would be cut a lot."""
    return COLLOCATIONS[rule].order < 3 or float(np.median(needed[needed > 1.0])) > FAR


def _cut_phases(plan: Plan, pieces: np.ndarray) -> Iterator[Phase]:
    """Return the phases with steps cut into equal pieces, and where goals are due."""
    steps, asked = plan.transcription.steps, _times(plan.task)
    for number, phase in enumerate(plan.task.phases):
        chosen = pieces[steps.phase_of_step == number]
        parts = [
            np.linspace(a, b, n, endpoint=False)
            for (a, b), n in zip(pairwise(phase.edges), chosen.tolist(), strict=True)
        ]
        edges = np.append(np.concatenate(parts), 1.0)
        begin = steps.times[steps.states[number].start]
        for part in (np.array(asked) - begin) / phase.duration:
            inside = int(np.searchsorted(phase.edges, part)) - 1
            if 0.0 < part < 1.0 and chosen[inside] > 1 and np.abs(edges - part).min() > NEAR:
                edges = np.sort(np.append(edges, part))
        yield replace(phase, steps=len(edges) - 1, mesh=tuple(edges[1:].tolist()))


def _times(task: Task) -> list[float]:
    """Return the times (s) at which goals are due."""
    found = [getattr(goal, "time", None) for goal in task.goals]
    flat = [t for time in found for t in (time if isinstance(time, tuple) else (time,))]
    return [float(t) for t in flat if isinstance(t, int | float)]


def resample_values(new: Transcription, plan: Plan) -> dict[str, np.ndarray]:
    """Return the values of a plan at the points and samples of another mesh of the same horizon."""
    old, steps = plan.transcription.steps, new.steps
    durations = plan.values["duration"][:, 0] if "duration" in plan.values else None
    times = steps.times_of(durations)
    q, qd, *_ = plan.at(np.clip(times, plan.t[0], plan.t[-1]))
    found = {"q": q, "qd": qd} | ({} if durations is None else {"duration": plan.values["duration"]})
    places = {w.unknowns.name: w.samples for w in list_wrenches(plan.task, old)}
    ahead = {w.unknowns.name: w.samples for w in list_wrenches(new.task, steps)}
    for name, values in plan.values.items():
        if name in found:
            continue
        every = values
        if name in places:
            every = np.zeros((len(old.points), *values.shape[1:]))
            every[places[name]] = values
        if name == "tau":
            every = every[old.effort_of_sample]
        moved = _resample_steps(old, steps, every)
        if name == "tau" and steps.collocation.holds:
            moved = moved[steps.sample_at(steps.collocation.accelerated[0])]
        found[name] = moved[ahead[name]] if name in ahead else moved
    return found


def _resample_steps(
    old: TrajectoryUnknowns, new: TrajectoryUnknowns, values: Float[np.ndarray, "M k"]
) -> Float[np.ndarray, "N k"]:
    """Return what polynomials through the samples of each old step are at the samples of new ones, phase by phase."""
    parts, phase = _parts(new), new.phase_of_sample
    edges = np.concatenate([number + p.edges[:-1] for number, p in enumerate(old.phases)])
    step = np.searchsorted(edges, phase + np.minimum(parts, 1.0 - NEAR) + NEAR / 2.0, side="right") - 1
    return interpolate_samples(old, values, step, ((phase + parts - edges[step]) / old.lengths[step])[:, None])


def _parts(steps: TrajectoryUnknowns) -> Float[np.ndarray, " M"]:
    """Return the part 0..1 of its phase at which each sample stands."""
    begins = np.array([steps.times[s.start] for s in steps.states])[steps.phase_of_sample]
    whole = np.array([p.duration for p in steps.phases])[steps.phase_of_sample]
    return (steps.times[steps.points] - begins) / whole
