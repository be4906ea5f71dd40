"""The code of a controller: terms of a small quadratic program, its solution, and what that means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from math import prod
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import (
    Argument,
    Result,
    compile_expression,
    make_numbered_argument,
)
from screwgraph.mechanics.kinematics import random
from screwgraph.model.model import Model
from screwgraph.motion.control.affine import combine_affine
from screwgraph.motion.control.barriers import Barrier
from screwgraph.motion.control.contacts import HeldContact
from screwgraph.motion.control.limits import (
    FREE,
    ControlLimits,
    LimitedState,
    LimitRow,
    list_efforts,
    list_limits,
)
from screwgraph.motion.control.limits.barrier_rows import count_barrier_rows, limit_barriers
from screwgraph.motion.control.live_numbers import NO_SENSE, have_sense
from screwgraph.motion.control.motion_terms import Motion
from screwgraph.motion.control.reduced_motion import ReducedMotion
from screwgraph.motion.control.small_weights import list_small_weights
from screwgraph.motion.control.task_costs import Miss, shorten_goals, sum_squares
from screwgraph.motion.control.task_levels import HELD, UNBOUNDED, HeldRow, TaskLevels
from screwgraph.motion.control.tasks import ACCELERATIONS, EFFORTS, ControlTask, TaskRow
from screwgraph.motion.simulation.contacts import Plane
from screwgraph.optimize.active_set import QuadraticProgram, RoundCone, RoundCones
from screwgraph.optimize.active_set.round_cones import KEPT
from screwgraph.spatial import choose, largest_size, maximum, minimum
from screwgraph.tape import Memory, Number, Program, Routine, dot
from screwgraph.tape.program import split_outputs
from screwgraph.tape.sparse_rows import list_entries

HELD_STILL = 1e-6
"""Acceleration of a foot that is held, of that of limits, up to which it is."""
MOST = 10
"""Passages of the active set at most, for each unknown and each row."""


@dataclass(frozen=True, eq=False)
class WholeBody:
    """A model with tasks, contacts and limits, and the code of its controller."""

    __repr__ = one_line

    model: Model
    tasks: tuple[ControlTask, ...]
    contacts: tuple[HeldContact, ...]
    ground: Plane
    limits: ControlLimits
    barriers: tuple[Barrier, ...] = ()

    @property
    def question(self) -> tuple[object, ...]:
        """The part of the options that code depends on: not numbers that are arguments."""
        tasks = tuple(task.structure for task in self.tasks)
        feet = tuple(contact.structure for contact in self.contacts)
        barriers = tuple(barrier.structure for barrier in self.barriers)
        return self.motion.controlled_model.question, tasks, feet, self.ground, self.limits, barriers

    @cached_property
    def motion(self) -> ReducedMotion:
        """The equations of motion."""
        return ReducedMotion(self.model, self.contacts, self.ground)

    @property
    def unknowns(self) -> int:
        """How many there are."""
        return self.motion.unknowns

    @property
    def rows(self) -> int:
        """How many rows the quadratic program has, one at least."""
        return self.held_start + len(self.held_rows)

    @property
    def carried(self) -> int:
        """How many numbers of a solution go to the next one: states of rows, and planes of round cones."""
        return self.rows + KEPT * len(self.round_cones)

    @cached_property
    def limit_sizes(self) -> list[int]:
        """How many rows each kind of limits has."""
        return [len(limit.name_rows(self.motion, self.limits)) for limit in list_limits(self.limits)]

    @cached_property
    def round_cones(self) -> list[RoundCone]:
        """The round cones in which forces stay."""
        found, start = list[RoundCone](), 0
        for limit, size in zip(list_limits(self.limits), self.limit_sizes, strict=True):
            found += limit.list_round_cones(self.motion, self.limits, start)
            start += size
        return found

    @cached_property
    def held_start(self) -> int:
        """How many rows are limits and barriers, one at least."""
        return max(1, sum(self.limit_sizes) + count_barrier_rows(self.model, self.barriers))

    @cached_property
    def levels(self) -> list[int]:
        """The levels of tasks, the first one first."""
        return sorted({task.level for task in self.tasks})

    @cached_property
    def held_rows(self) -> list[HeldRow]:
        """Rows of tasks that later levels leave as they are."""
        model, rng, found = self.model, np.random.default_rng(0), list[HeldRow]()
        for k, task in enumerate(self.tasks):
            if task.level < self.levels[-1]:
                references = [rng.standard_normal(prod(shape)) for shape in task.references(model).values()]
                count = len(task.rows(model, random(model, seed=rng), rng.standard_normal(model.nv), *references))
                start = self.held_start + len(found)
                level = self.levels.index(task.level)
                found += [HeldRow(start + i, k, level) for i in range(count)]
        return found

    @cached_property
    def components(self) -> list[range]:
        """Places of the components of each contact's force among those of all."""
        sizes = [contact.size for contact in self.contacts]
        return [range(sum(sizes[:c]), sum(sizes[: c + 1])) for c in range(len(sizes))]

    @property
    def has_moments(self) -> bool:
        """Whether a contact takes moments."""
        return any(contact.takes_moments for contact in self.contacts)

    @cached_property
    def given(self) -> tuple[Argument, ...]:
        """Arguments but for the last solution."""
        model, k = self.model, len(self.contacts)
        shapes = self.references
        for barrier in self.barriers:
            shapes |= barrier.list_arguments(model)
        shapes["gains"] = (len(self.tasks), 3)
        shapes |= {"contacts": (k, 2)} if k else {}
        shapes |= {"barriers": (len(self.barriers), 2)} if self.barriers else {}
        return (
            *self.motion.controlled_model.arguments,
            *(make_numbered_argument(name, *s) for name, s in shapes.items()),
        )

    @property
    def _live(self) -> tuple[Argument, ...]:
        """Arguments behind the state and the references of tasks, which costs have."""
        return self.given[2 + len(self.references) :]

    @property
    def references(self) -> dict[str, tuple[int, ...]]:
        """The shapes of what tasks follow, by name."""
        return dict(chain.from_iterable(task.references(self.model).items() for task in self.tasks))

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Arguments of the function."""
        return (*self.given, make_numbered_argument("active", self.carried))

    @property
    def results(self) -> tuple[Result, ...]:
        """Results of the function."""
        k = len(self.contacts)
        forces = tuple(Result(name, (k, 3)) for name in self.wrenches)
        ends = (Result("active", (self.carried,)), Result("solution", (3,)))
        return Result("tau", (self.unknowns,)), Result("qdd", (self.model.nv,)), *forces, *ends

    @property
    def wrenches(self) -> tuple[str, ...]:
        """The results that contacts have."""
        return ("forces", "moments")[: 0 if not self.contacts else 1 + self.has_moments]

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The terms of the quadratic program, and what its solution means: qdd = S z + s, tau = T z + t, z = (u, E u).

        F has the axes of contacts' forces, each by columns. Contacts that are on hold J qdd + drift.
        """
        n, m, v, e = self.unknowns, self.rows, self.model.nv, self.motion.combined
        k = sum(map(len, self.components))
        maps = {"S": (v, n + e), "s": (v,), "T": (n, n + e), "t": (n,), "F": (k, 6), "J": (k, v), "drift": (k,)}
        bounds = dict.fromkeys(("lower", "upper", "penalty"), (m,))
        k, names = len(self.levels), self.costs
        costs = {names[0]: (k, n * (n + 1) // 2), names[1]: (k, n), **({"rests": (k, n)} if k > 1 else {})}
        return {**maps, **costs, **bounds, "A": (m, n + e), "E": (e, n)}

    @property
    def costs(self) -> tuple[str, str]:
        """The terms of costs, one of each level."""
        return ("H", "g") if len(self.levels) == 1 else ("Hs", "gs")

    @cached_property
    def code(self) -> Program:
        """The code of the terms, one after the other; what does not vary is a number."""

        def expression(*vectors: Any) -> list[Number]:
            return [x for term in self.terms(*vectors).values() for x in term]

        return compile_expression("controller_terms", self.question, self.given, expression, branches=True).program

    @cached_property
    def outputs(self) -> dict[str, tuple[int | float, ...]]:
        """The outputs of the code that are each term."""
        return split_outputs(self.code, self.shapes)

    def terms(self, q: Any, qd: Any, *others: Any) -> dict[str, list[Number]]:
        """Return the terms at a state."""
        n, width = self.unknowns, self.unknowns + self.motion.combined
        named = dict(zip((a.name for a in self.given[2:]), others, strict=True))
        gains, feet = named["gains"], np.reshape(named.get("contacts", ()), (-1, 2))
        on = [1.0 * (x > 0.5) for x in feet[:, 0]]
        followed = [(task, [named[name] for name in task.references(self.model)]) for task in self.tasks]
        pushes = [task.push(self.model, q, *own) for task, own in followed]
        known = [push for push in pushes if push is not None]
        motion = self.motion.solve(q, qd, on, self.limits.glide_rate, known)
        wanted = [task.rows(self.model, q, qd, *own) for task, own in followed]
        asked, last = {row.of for rows in wanted for row in rows}, len(self.levels) - 1
        misses = self._list_misses(motion, wanted, gains)
        levels = [
            sum_squares(
                [miss for miss in misses if miss.level == i],
                list_small_weights(self.motion, on, asked, i < last),
                width - n,
            )
            for i in range(last + 1)
        ]
        scale = 1.0 / self.limits.acceleration
        values = [({i: scale * x for i, x in miss.value[0].items()}, 0.0) for miss in misses if miss.level < last]
        held = [LimitRow(value, -UNBOUNDED, UNBOUNDED, HELD) for value in values]
        state = LimitedState(motion, q, qd, on, list(feet[:, 1]))
        rows = [
            *self._list_limit_rows(state),
            *limit_barriers(self.model, self.barriers, self.limits, state, named),
        ] or [LimitRow(({}, 0.0), -FREE, FREE, 1.0)]
        rows += held
        condensed = [cost.condense(motion.combined) for cost, _ in levels]
        return {
            "S": list_entries([row for row, _ in motion.accelerations], width),
            "s": [x for _, x in motion.accelerations],
            "T": list_entries([row for row, _ in motion.efforts], width),
            "t": [x for _, x in motion.efforts],
            "F": [x for axes in motion.axes for x in np.ravel(axes.T)],
            "J": list_entries([row for row, _ in motion.holds], self.model.nv),
            "drift": [x for _, x in motion.holds],
            self.costs[0]: [H[i].get(j, 0.0) for H, _ in condensed for i in range(n) for j in range(i + 1)],
            self.costs[1]: [x for _, g in condensed for x in g],
            **({"rests": [x for _, rests in levels for x in rests]} if last else {}),
            "lower": [row.lower - row.value[1] for row in rows],
            "upper": [row.upper - row.value[1] for row in rows],
            "penalty": [row.penalty for row in rows],
            "A": list_entries([row.value[0] for row in rows], width),
            "E": list_entries(motion.combined, n),
        }

    def _list_limit_rows(self, state: LimitedState) -> Iterator[LimitRow]:
        """Yield the rows of limits. Raises InputError where one of them has not as many as it names."""
        for limit, size in zip(list_limits(self.limits), self.limit_sizes, strict=True):
            rows = limit.rows(self.motion, self.limits, state)
            if len(rows) != size:
                raise InputError(f"{type(limit).__name__} has {len(rows)} rows, and names {size}", fix="name each row")
            yield from rows

    def _list_misses(self, motion: Motion, wanted: Sequence[Sequence[TaskRow]], gains: Sequence[Number]) -> list[Miss]:
        """Return what rows of tasks miss of their goals."""
        frames, mass = [contact.frame for contact in self.contacts], self.motion.controlled_model.mass
        found, usual = list[Miss](), self.limits.acceleration
        for k, rows in enumerate(wanted):
            stiffness, damping, weight = gains[3 * k : 3 * k + 3]
            level = self.levels.index(self.tasks[k].level)
            goals = [row.feedforward + stiffness * row.error + damping * row.error_rate for row in rows]
            if all(row.of == ACCELERATIONS for row in rows):
                goals = shorten_goals(goals, usual * max(mass, 1.0))
            for row, goal in zip(rows, goals, strict=True):
                values, unit, alone = motion.accelerations, usual, None
                if row.of != ACCELERATIONS:
                    unit = 9.81 * mass
                    values = motion.efforts if row.of == EFFORTS else motion.wrench(frames.index(row.of))
                elif len(row.J) == 1:
                    alone = motion.alone.get(next(iter(row.J)))
                value = combine_affine([(x, values[i]) for i, x in row.J.items()], row.drift - goal)
                found.append(Miss(value, weight, level, unit, alone))
        return found

    def routine(self) -> Routine:
        """Return the code: terms, the quadratic program, and what its solution means."""
        memory, k = Memory(), len(self.contacts)
        # Vectors of the solver have names, too: those of arguments, which users choose, are other ones.
        given = {a.name: f"given {a.name}" for a in self.given}
        for argument in self.given:
            memory.add(given[argument.name], len(argument.names))
        memory.alias("gains", memory.places(given["gains"]))
        results = {"tau": self.unknowns, "qdd": self.model.nv, **dict.fromkeys(self.wrenches, 3 * k)}
        for name, size in results.items():
            memory.add(name, size)
        for name in MAPS:
            memory.add(name, len(_list_varying(self.outputs[name])))
        n, m = self.unknowns, self.rows
        width = n + self.motion.combined
        rows = np.reshape(np.array(self.outputs["A"], dtype=object), (m, width))
        columns = [[j for j, x in enumerate(row) if isinstance(x, int) or x] for row in rows]
        cones = self.round_cones
        for cone in cones:
            for i in cone.planes:
                columns[i] = sorted(cone.places)
        has_levels = len(self.levels) > 1
        program = solver = QuadraticProgram(memory, n, columns, MOST * (n + m), self.motion.combined, has_levels)
        if cones:
            program = solver = RoundCones(memory, program, cones)
        program.allocate()
        if has_levels:
            solver = TaskLevels(memory, program, len(self.levels), self.held_rows)
            solver.allocate()
        own = list(given.values())
        written = (o for name, own in self.outputs.items() for o in (_list_varying(own) if name in MAPS else own))
        begin = memory.placed("terms", replace(self.code, outputs=tuple(written)), own, list(self.shapes))
        feet = [given["contacts"]] if k else []
        memory.add("sense", 1)
        judged = [given[name] for name in (*self.references, *(a.name for a in self._live))]
        sense = memory.block("sense", judged, ["sense"], self.judge)
        reads = ["x", "combined", "solution", "sense", *MAPS, *feet]
        end = memory.block("end", reads, [*results, "solution"], self.end)
        parts = (begin, *solver.parts(), sense, end)
        planes = ["planes", "planes'"] if cones else []
        inputs = tuple(place for name in (*own, "active", *planes[:1]) for place in memory.places(name))
        ends = (*results, "active'", *planes[1:], "solution")
        outputs = tuple(place for name in ends for place in memory.places(name))
        return Routine(tuple(n for a in self.arguments for n in a.names), inputs, outputs, memory.size, parts)

    def judge(self, *numbers: Any) -> list[Number]:
        """Return 1 where weights, flags and friction are from 0 on, orientations are some, barriers finite; else 0."""
        named = dict(zip((*self.references, *(a.name for a in self._live)), numbers, strict=True))
        followed = {name: named.pop(name) for name in self.references}
        vanishing = [
            x
            for task in self.tasks
            for x in task.list_identities(*(followed[name] for name in task.references(self.model)))
        ]
        signed = [*named.pop("gains")[2::3], *named.pop("contacts", ())]
        return [have_sense(signed, [x for values in named.values() for x in values], vanishing)]

    def end(self, x: Any, combined: Any, solution: Any, sense: Any, *others: Any) -> list[Number]:
        """Return efforts within their limits, accelerations, forces, moments in the base's axes, and the solution."""
        n, (maps, feet) = self.unknowns, (others[: len(MAPS)], others[len(MAPS) :])
        S, s, T, t, F, J, drift = (self._put_constants(name, values) for name, values in zip(MAPS, maps, strict=True))
        z = [*x, *combined]
        qdd = [dot(S[len(z) * i : len(z) * (i + 1)], z) + s[i] for i in range(len(s))]
        tau = [dot(T[len(z) * i : len(z) * (i + 1)], z) + t[i] for i in range(n)]
        moments, forces, missed = list[Number](), list[Number](), list[Number]()
        for c, (leg, places) in enumerate(zip(self.motion.legs, self.components, strict=True)):
            on = 1.0 * (feet[0][2 * c] > 0.5)
            own = [on * x[self.motion.place[i]] for i in leg.own]
            missed += [on * (dot(J[k * len(qdd) : (k + 1) * len(qdd)], qdd) + drift[k]) for k in places]
            wrench = [dot(own, [F[6 * k + r] for k in places]) for r in range(6)]
            moments, forces = [*moments, *wrench[:3]], [*forces, *wrench[3:]]
        # At singular positions pivots vanish; minima of some languages would make bounds of what is no number.
        finite = have_sense((), [sum((*tau, *qdd, *forces, *moments), 0.0)])
        for k, low, up in list_efforts(self.motion, self.limits):
            tau[k] = minimum(tau[k], up) if np.isfinite(up) else tau[k]
            tau[k] = maximum(low, tau[k]) if np.isfinite(low) else tau[k]
        values = (*tau, *qdd, *forces, *(moments if self.has_moments else ()))
        status = choose(sense[0] * finite > 0.5, solution[0], NO_SENSE)
        sound = status < 2.5
        # Legs that are straight hold their feet by damped least squares.
        slip = largest_size(missed) * (1.0 / self.limits.acceleration)
        status = choose(slip * (status < 0.5) > HELD_STILL, 1.0, status)
        violation = maximum(solution[2], slip)
        return [*(choose(sound, v, 0.0) for v in values), status, solution[1], choose(sound, violation, 0.0)]

    def _put_constants(self, name: str, values: Any) -> list[Number]:
        """Return a term in which what does not vary is a number."""
        left = iter(values)
        return [next(left) if isinstance(o, int) else o for o in self.outputs[name]]


MAPS = ("S", "s", "T", "t", "F", "J", "drift")
"""Terms that say what the solution means; memory has what varies in them."""


def _list_varying(outputs: Sequence[int | float]) -> list[int]:
    """Return the outputs that are no constants."""
    return [o for o in outputs if isinstance(o, int)]
