"""Plans that are edited while they are carried out: state estimate and plan are one chain.

Mukadam, Dong, Dellaert, Boots, STEAP: simultaneous trajectory estimation and planning (2019); Mukadam et al.,
Continuous-time Gaussian process motion planning via probabilistic inference (2018), iGPMP2, section 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from threading import RLock
from typing import Any

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.base.take_turns import take_turns
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.plan import Plan
from screwgraph.motion.planning.search.cost_scaling import compute_scale
from screwgraph.motion.planning.search.planner import Planner
from screwgraph.motion.planning.task import Task, replace_fields
from screwgraph.motion.planning.transcription.problem import transcribe
from screwgraph.optimize import Each, EditedProblem, Factors, Incremental, Problem, Result, Updated
from screwgraph.optimize.problem import factor_structure
from screwgraph.optimize.result import Iterate
from screwgraph.optimize.whitening import INVERSE_SIGMA

MEASURED = {"q": "position", "qd": "velocity"}
"""What a state of each family is called in factors."""


class Replanner:
    """A plan that is edited while it is carried out.

    Edits are other goals, obstacles, costs or contacts of the task, other numbers of its factors, and states that are
    measured. Measurements stay: the plan is then the most likely motion, behind and ahead. Where no factor is hard, the
    plan is a Bayes tree (`Incremental`): what an edit does not touch is not eliminated again. Where some are, it is the
    solution of an `EditedProblem`. Threads that share one take turns; copies are edited by themselves.
    """

    @check_arguments
    def __init__(self, task: Task, *, soon: Iterable[int] = (-1,), **options: Any) -> None:
        """Plan a task.

        Args:
            task: costs are squares; hard items are kept as everywhere.
            soon: points of time where edits are expected, which are eliminated last; negative from the end. Where there
                are hard factors, all points are eliminated.
            options: as for `Planner.solve`, of the first search.

        Raises:
            InputError: the task does not fit, or no plan is found.
        """
        planner = Planner(task)
        last = planner.solve(**options)
        self.transcription, self._mechanics = planner.transcription, planner.mechanics
        if not last.feasible:
            raise InputError(f"there is no plan to begin with: {last.status}", why=last.result.reason)
        self._measured: dict[int, tuple[Position | Velocity, ...]] = {}
        self._given: dict[str, dict[str, Any]] = {}
        self._soon = tuple(soon)
        self._lock = RLock()
        self._begin(last.result)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy has, which no other thread edits; its lock is left out."""
        return {name: value for name, value in vars(deepcopy(self)).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over what a plan is made of."""
        vars(self).update(state, _lock=RLock())

    def __copy__(self) -> Replanner:
        """Return a deep copy: edits change solutions where they stand."""
        return deepcopy(self)

    @take_turns
    def __deepcopy__(self, known: dict[int, Any]) -> Replanner:
        """Return a copy of the solution between two edits, with a lock of its own."""
        other = object.__new__(type(self))
        other.__setstate__({name: deepcopy(value, known) for name, value in vars(self).items() if name != "_lock"})
        return other

    @property
    def task(self) -> Task:
        """Current task; measurements are no part of it."""
        return self.transcription.task

    @property
    def last(self) -> Updated:
        """How the last edit ended."""
        return self._solution.last

    @property
    @take_turns
    def plan(self) -> Plan:
        """The plan as it is now, all points of it."""
        found = self._solution
        if isinstance(found, EditedProblem):
            return Plan(replace(self.transcription, problem=found.problem), found.result)
        problem, values, last = found.problem, found.values, found.last
        iterate = Iterate(problem.start(values), found.cost, found.violation)
        result = Result(problem, iterate, last.iterations, 0.0, last.status, last.reason, "incremental")
        return Plan(replace(self.transcription, problem=problem), result)

    @take_turns
    @check_arguments
    def state(self, point: int) -> tuple[np.ndarray, np.ndarray]:
        """Return position (nq,) and velocity (nv,) at a point of time; no other point is solved for.

        Raises:
            InputError: there is no such point.
        """
        steps = self.transcription.steps
        q, qd = steps.q[point], steps.qd[point]
        return self._solution.value(q)[0], self._solution.value(qd)[0]

    @take_turns
    @check_arguments
    def set(self, name: str, *, at_once: bool = True, **parameters: Any) -> Updated:
        """Change numbers of factors: `set("goal 1: position", at=q)`, `set("contact 1", at=p)`; nothing is transcribed.

        They stay until `update` replaces them: where the task says something else there.

        Args:
            name: of the factors, see `transcription.problem.factors`, or of an item of the task: what it has of these
                parameters changes in all of its factors, at all times.
            at_once: solve for all points; else `state` solves for the ones it is asked for. Where there are hard
                factors, all are.
            parameters: by name, as `Problem.replaced` takes them.

        Raises:
            InputError: factors or parameters are unknown, or a shape differs.
        """
        changes = self._find_changes(name, parameters)
        done = self._edit_task(changes, at_once)
        for group, own in changes.items():
            self._given.setdefault(group, {}).update(own)
        return done

    def _find_changes(self, name: str, parameters: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Return new numbers by name of factors, where `name` is that of an item, too."""
        factors, found = self.transcription.problem.factors, dict[str, dict[str, Any]]()
        if any(f.name == name for f in factors):
            return {name: dict(parameters)}
        for f in factors:
            own = {n: x for n, x in parameters.items() if n in f.each or n in f.shared}
            if own and f.name.startswith(f"{name}: "):
                found[f.name] = {n: _give_each(f.each[n], x) if n in f.each else x for n, x in own.items()}
        for left in parameters.keys() - {n for own in found.values() for n in own}:
            items = [f for f in factors if f.name.startswith(f"{name}: ")]
            if not items:
                named = (f.name for f in factors if not f.name.startswith("measured "))
                raise make_unknown_name_error(
                    "item or factor", name, (n for x in named for n in (x.partition(":")[0], x))
                )
            raise make_unknown_name_error(
                f"parameter of {name}", left, (n for f in items for n in (*f.each, *f.shared))
            )
        return found

    @take_turns
    @check_arguments
    def measure(
        self, point: int, q: Any = None, qd: Any = None, *, sigma: float = 1e-3, sigma_qd: float = 1e-2,
        at_once: bool = True,
    ) -> Updated:  # fmt: skip
        """Take in where the robot was seen at a point of time; a state that is measured again is replaced.

        Args:
            point: of time, counted from the start.
            q: position (nq,).
            qd: velocity (nv,).
            sigma: standard deviation of the position (rad, m).
            sigma_qd: of the velocity (rad/s, m/s).
            at_once: as for `set`.

        Raises:
            InputError: neither is given, or what is given does not fit.
        """
        steps = self.transcription.steps
        if not 0 <= point < len(steps.times):
            raise InputError(f"there is no point {point}", why=f"the plan has {len(steps.times)}, counted from 0")
        time, seen = float(steps.times[point]), list[Position | Velocity]()
        if q is not None:
            seen.append(Position(q, time, sigma))
        if qd is not None:
            seen.append(Velocity(qd, time, sigma_qd))
        if not seen:
            raise InputError("nothing is measured", fix="give q or qd")
        numbers = self._read_whole_states(point, seen)
        if numbers is not None:
            done = self._edit_task(numbers, at_once)
        else:
            found, known = self._measurements(point, seen), self._structures
            numbers = {f.name: _numbers(f) for f in found if known.get(f.name) == factor_structure(f)}
            new = [f for f in found if f.name not in numbers]
            done = self._edit_task(numbers, at_once, add=new, remove=[f.name for f in new if f.name in known])
            self._structures |= {f.name: factor_structure(f) for f in new}
            self._whole -= {f.name for f in new}
            numbers |= {f.name: {} for f in new}
        for name in numbers:
            self._given.pop(name, None)
        before = {type(goal): goal for goal in self._measured.get(point, ())}
        self._measured[point] = tuple({**before, **{type(goal): goal for goal in seen}}.values())
        return done

    @take_turns
    @check_arguments
    def update(self, **fields: Any) -> Updated:
        """Replace fields of the task: `update(goals=...)`, `update(obstacles=...)`, `update(contacts=..., phases=...)`.

        Factors that differ are changed, removed or added. Where unknowns differ, the plan is made again, from the last
        plan's values as far as they fit; measurements stay at their times.

        Raises:
            InputError: a new value does not fit, or there is no point at the time of a measurement.
        """
        before, after = self.transcription, transcribe(replace_fields(self.task, fields), self._mechanics)
        old = {f.name: f for f in before.problem.factors}
        new = {f.name: self._with_given(old.get(f.name), f) for f in after.problem.factors}
        given = {name: own for name in new if (own := self._keep_numbers(old.get(name), after.problem[name]))}
        given |= {name: own for name, own in self._given.items() if name not in old}  # of measurements
        if before.problem.families != after.problem.families:
            values = self._solution.values
            self.transcription, self._given = after, given
            seen = self._measured.values()
            self._measured = {after.steps.point(float(goals[0].time)): goals for goals in seen}  # pyright: ignore[reportArgumentType]
            return self._begin(values)
        was = {name: self._with_given(f, f) for name, f in old.items()}
        alike = {n for n in old.keys() & new.keys() if factor_structure(old[n]) == factor_structure(new[n])}
        changed = {n: _numbers(new[n]) for n in alike if _differ(was[n], new[n])}
        added = [f for n, f in new.items() if n not in alike]
        self.transcription, self._given = after, given
        return self._edit_task(changed, add=added, remove=[n for n in old if n not in alike])

    def _keep_numbers(self, before: Factors | None, after: Factors) -> dict[str, Any]:
        """Return the numbers given by `set` that stay: those of which the task says the same as before."""
        if before is None:
            return {}
        old, new = {**before.shared, **before.each}, {**after.shared, **after.each}
        given = self._given.get(after.name, {})
        return {n: x for n, x in given.items() if n in old and n in new and np.array_equal(old[n], new[n])}

    def _with_given(self, before: Factors | None, after: Factors) -> Factors:
        kept = self._keep_numbers(before, after)
        return after.with_parameters(**kept) if kept else after

    def _measurements(self, point: int, seen: Iterable[Position | Velocity]) -> list[Factors]:
        """Return the factors of what was seen at a point of time."""
        return [f for goal in seen for f in goal.factors(self.transcription.steps, f"measured {point}")]

    def _read_whole_states(self, point: int, seen: Iterable[Position | Velocity]) -> dict[str, dict[str, Any]] | None:
        """Return numbers of measurements of all coordinates, for which there are factors; None where there are others.

        Raises:
            InputError: a state does not fit.
        """
        mechanics, found = self._mechanics, dict[str, dict[str, Any]]()
        for goal in seen:
            name = f"measured {point}: {MEASURED[goal.family]}"
            sigma = goal.sigma if isinstance(goal.sigma, float) else np.nan
            if name not in self._whole or not 0.0 < sigma < np.inf:
                return None
            at = goal.whole_values(mechanics)
            if at is None:
                return None
            found[name] = {"at": at, INVERSE_SIGMA: 1.0 / sigma}
        return found

    def _edit_task(
        self,
        changed: Mapping[str, Mapping[str, Any]],
        at_once: bool = True,
        *,
        add: Sequence[Factors] = (),
        remove: Sequence[str] = (),
    ) -> Updated:
        """Change, add and remove factors."""
        found = self._solution
        if isinstance(found, EditedProblem) and not add and not remove:
            return found.update(changed)
        if isinstance(found, Incremental):
            wanted = None if at_once else self.transcription.steps.q[[0]]
            if found.update(add=add, remove=remove, changed=changed, wanted=wanted).success:
                return found.last
            problem = found.problem
        else:
            kept = [f for f in found.problem.with_parameters(changed).factors if f.name not in remove]
            problem = Problem([*kept, *add], found.problem.families)
        return self._search(problem, found.values)

    def _search(self, problem: Problem, start: Mapping[str, np.ndarray] | Result) -> Updated:
        """Solve as a whole, and follow the solution from then on."""
        scale, is_condensed = compute_scale(self.transcription), bool(self.transcription.followers)
        options = {"cost_scale": scale.cost, "units": scale.units}
        self._solution = EditedProblem(problem, start, curvature=not is_condensed, **options)
        return self._solution.last

    def _begin(self, start: Mapping[str, np.ndarray] | Result) -> Updated:
        """Make the plan anew, from values as far as they fit."""
        task = self.transcription.problem
        seen = [f for point, goals in self._measured.items() for f in self._measurements(point, goals)]
        known = {f.name for f in seen}
        unseen = [f for f in self._unseen_states() if f.name not in known] if task.has_hard else []
        seen += unseen
        self._structures: dict[str, Any] = {f.name: factor_structure(f) for f in seen}
        is_closed = self._mechanics.robot.is_closed  # joints that depend on others have no velocities then
        self._whole = set[str]() if is_closed else {f.name for f in unseen}
        problem = Problem([self._with_given(f, f) for f in (*task.factors, *seen)], task.families)
        fitting = _fitting(problem, start)
        if not task.has_hard:
            tree = self._plant(problem, fitting)
            if tree.last.success:
                self._solution = tree
                return tree.last
        return self._search(problem, start if isinstance(start, Result) else fitting)

    def _unseen_states(self) -> Iterator[Factors]:
        """Yield measurements of all points, without weight: those that come only change numbers then."""
        steps = self.transcription.steps
        q, qd = steps.mechanics.robot.neutral(), np.ones(steps.mechanics.robot.nv)
        for point, time in enumerate(steps.times.tolist()):
            for f in self._measurements(point, [Position(q, time, 1.0), Velocity(qd, time, 1.0)]):
                yield f.with_parameters(**{INVERSE_SIGMA: 0.0})

    def _plant(self, problem: Problem, start: Mapping[str, np.ndarray]) -> Incremental:
        """Make a tree where points that are expected to change are eliminated last."""
        steps = self.transcription.steps
        points = len(steps.times)
        late = [p % points for p in self._soon if -points <= p < points]
        tree = Incremental(problem.families, start)
        tree.update(add=problem.factors, late=[steps.q[late], steps.qd[late]] if late else ())
        return tree


def _fitting(problem: Problem, start: Mapping[str, np.ndarray] | Result) -> dict[str, np.ndarray]:
    """Return values of the families of a problem, as far as they fit."""
    counts = {v.name: (v.count, *v.manifold.shape) for v in problem.families}
    values = start.values if isinstance(start, Result) else start
    return {name: value for name, value in values.items() if counts.get(name) == value.shape}


def _give_each(old: np.ndarray, value: Any) -> Any:
    """Return a parameter of each factor where one was given for all."""
    if isinstance(value, Each) or np.shape(value) != old.shape[1:]:
        return value
    return Each(np.broadcast_to(value, old.shape))


def _numbers(f: Factors) -> dict[str, Any]:
    return {**f.shared, **{n: Each(a) for n, a in f.each.items()}}


def _differ(one: Factors, other: Factors) -> bool:
    """Whether factors of one structure have other numbers."""
    a, b = {**one.shared, **one.each}, {**other.shared, **other.each}
    return any(not np.array_equal(a[n], b[n]) for n in a)
