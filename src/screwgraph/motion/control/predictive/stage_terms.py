"""What a tick computes at a stage of a horizon: straight-line code on vectors that `tick_memory.py` names.

States of a trajectory are (q, qd), those of the solver local coordinates (`local_steps.py`) and qd.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.motion.control.predictive.horizon import SIDES, Horizon
from screwgraph.motion.control.predictive.local_steps import LocalSteps
from screwgraph.motion.control.predictive.state_coordinates import complete_position
from screwgraph.spatial import choose, largest_size, maximum, minimum
from screwgraph.tape import Number, dot

FAR = 0.3
"""Way (rad, m) from where a state leads, beyond which the next one belongs to another motion."""
PART = 0.05
"""Of the largest costate, what all have at least where defects are weighed."""


@dataclass(frozen=True, eq=False)
class StageTerms:
    """Expressions of the stages of a horizon; `intervals` (s) lead to a stage and from it, all dt by default."""

    __repr__ = one_line

    own: Horizon
    intervals: tuple[Number, Number] | None = None

    @cached_property
    def steps(self) -> LocalSteps:
        """Local coordinates."""
        return self.own.steps if self.intervals is None else LocalSteps(self.own.model.robot, *self.intervals)

    @property
    def before(self) -> Number:
        """The time (s) from the last stage, for which a state counts: costs are then continuous as instants go by."""
        return self.own.dt if self.intervals is None else self.intervals[0]

    @property
    def dt(self) -> Number:
        """The time (s) to the next stage, for which an input counts."""
        return self.own.dt if self.intervals is None else self.intervals[1]

    @property
    def reads(self) -> list[str]:
        """The vector of intervals that expressions of stages read first, where one is an argument."""
        return ["intervals_k"] * self.own.is_timed

    def at_stage(self, name: str) -> Callable[..., list[Number]]:
        """Return an expression of a stage, which reads `reads` before what it is of."""
        if not self.own.is_timed:
            return getattr(self, name)
        return lambda intervals, *given: getattr(replace(self, intervals=tuple(intervals)), name)(*given)

    @property
    def nv(self) -> int:
        """Numbers of a velocity."""
        return self.own.model.robot.nv

    @property
    def nq(self) -> int:
        """Numbers of a position."""
        return self.own.model.robot.nq

    def split(self, z: Any) -> tuple[Any, Any, Any]:
        """Return q, qd and what follows."""
        return z[: self.nq], z[self.nq : self.nq + self.nv], z[self.nq + self.nv :]

    def rest(self, q: Any, switches: Any = ()) -> list[Number]:
        """Return inputs that about hold the robot, within their limits."""
        found = self.own.model.rest(q, switches)
        lower, upper = self.own.model.limit_inputs(self.own.effort_bounds, switches)
        return [clip(x, a, b) for x, a, b in zip(found, lower, upper, strict=True)]

    def keep(self, now: Any, later: Any, q: Any, rest: Any, warm: Any, share: Any, switches: Any = ()) -> list[Number]:
        """Return input, next state and switches of a stage, from those of two of the last solution, or from none."""
        nu, nx, model = self.own.model.nu, self.nq + self.nv, self.own.model
        then = [*now[nu + nx :], *later[nu + nx :]]
        found = model.keep_input(now[:nu], later[:nu], share[0], switches, then, rest)
        a, b = now[nu : nu + nx], later[nu : nu + nx]
        first, last = (np.array([choose(warm[0] > 0.5, x, y) for x, y in zip(way, q, strict=False)]) for way in (a, b))
        found += self.steps.blend(first, last, share[0])
        found += [x + share[0] * (y - x) for x, y in zip(a[self.nq :], b[self.nq :], strict=True)]
        empty = [*rest, *q, *[0.0] * self.nv]
        return [choose(warm[0] > 0.5, x, y) for x, y in zip(found, empty, strict=True)]

    def start_state(self, q: Any, qd: Any) -> list[Number]:
        """Return local coordinates and velocities of the first state."""
        return [*self.steps.local(q), *qd]

    # Costs and bounds.

    def cost(self, references: Any, weights: Any, at: Any, *more: Any) -> list[Number]:
        """Return h, H (live entries), g and bounds of inputs and states; `more`: goals, their weights, switches."""
        own, h, switches = self.own, self.dt, more[-1] if self.own.model.switches else ()
        _, _, u = self.split(references)
        square, slope = self.expand_state(references, weights, at, *more)
        w, wanted = own.model.weigh_inputs(weights[2 * self.nv :], u, switches)
        for a, x in zip(w, wanted, strict=True):
            square.append([2.0 * h * a])
            slope.append(-(2.0 * h * a * x))
        lower, upper = own.model.limit_inputs(own.effort_bounds, switches)
        inputs, states = (lower, upper), (own.x_lower.tolist(), own.x_upper.tolist())
        values = [
            pair[SIDES.index(bound.lower)][bound.index]
            for pair, kept in ((inputs, own.inputs), (states, own.states))
            for bound in kept
        ]
        return [h, *(x for row in square for x in row), *slope, *values]

    def terminal(self, references: Any, weights: Any, at: Any, *more: Any) -> list[Number]:
        """Return the lower triangle of the Hessian, and the gradient, of the last state."""
        square, slope = self.own.terminal.expand(self, references, weights, at, *more)
        rows = [[*[0.0] * (i + 1 - len(row)), *row] for i, row in enumerate(square)]
        return [*(x for row in rows for x in row), *slope]

    def expand_state(
        self, references: Any, weights: Any, at: Any, *more: Any
    ) -> tuple[list[list[Number]], list[Number]]:
        """Return a state's cost: live ends of the rows of the Hessian up to its diagonal, and the gradient."""
        h, n = self.before, self.nv
        w = [2.0 * h * x for x in weights[: 2 * n]]
        wanted = [*self.steps.local(references[: self.nq]), *self.split(references)[1]]
        square: list[list[Number]] = [[x] for x in w]
        slope: list[Number] = [-(a * x) for a, x in zip(w, wanted, strict=True)]
        if not self.own.is_curved:
            return square, slope
        q, v, _ = self.split(at)
        beyond, turns = self.steps.compare(references[: self.nq], q, v)
        for joint, turn in zip(self.steps.bent, turns, strict=True):
            own_w = w[joint.v]
            scaled = [[a * x for x in row] for a, row in zip(own_w, turn, strict=True)]
            for i in range(joint.v.stop - joint.v.start):
                place = joint.v.start + i
                column = [row[i] for row in scaled]
                square[place] = [dot(column, [row[j] for row in turn]) for j in range(i + 1)]
                slope[place] = dot(column, beyond[joint.v])
        for cost, goal, own_w in zip(self.own.errors, more[::2], more[1::2], strict=False):
            errors, by_q = cost.expand(goal, q)
            by_q, z = self.steps.turn_columns(by_q, v), self.steps.local(q)
            scaled = [[2.0 * h * a * x for x in row] for a, row in zip(own_w, by_q, strict=True)]
            left = [e - dot(row, z) for e, row in zip(errors, by_q, strict=True)]
            for i in range(n):
                column = [row[i] for row in scaled]
                full = [*[0.0] * (i + 1 - len(square[i])), *square[i]]
                square[i] = [a + dot(column, [row[j] for row in by_q]) for j, a in enumerate(full)]
                slope[i] = slope[i] + dot(column, left)
        return square, slope

    # Derivatives.

    def linearise(self, at: Any, later: Any, switches: Any = ()) -> list[Number]:
        """Return live entries of J, c, those of C, bounds of its rows, gaps, and efforts at z = 0."""
        return self._linearise(at, later, switches, through_base=False)

    def linearise_through_base(self, at: Any, later: Any, switches: Any = ()) -> list[Number]:
        """Return the same where J and C have only `own_columns`, with what is to be added to these: arms, base.

        Rows of v' and of efforts gain arms (nv + m, b) times the slopes (b, live columns) of the base's accelerations.
        """
        return self._linearise(at, later, switches, through_base=True)

    def _linearise(self, at: Any, later: Any, switches: Any, *, through_base: bool) -> list[Number]:
        own, n, h = self.own, self.nv, self.dt
        q, v, u = self.split(at)
        later_q, later_v, _ = self.split(later)
        motion = own.model.linearise(q, v, u, switches)
        z, base, products = [*self.steps.local(q), *v, *u], np.zeros((0, len(own.columns))), list[Number]()
        rows = self.steps.turn_columns(np.concatenate([motion.qdd_slopes, motion.effort_slopes]), v)
        arms = np.zeros((len(rows), 0)) if motion.arms is None else motion.arms
        if motion.base_slopes is not None:
            base = self.steps.turn_columns(motion.base_slopes, v)
            products = [dot(row, z) for row in base]
        along = [dot(row, z) + dot(arm, products) for row, arm in zip(rows, arms, strict=True)]
        kept = own.own_columns if through_base else [own.columns] * len(rows)
        if not through_base:
            rows = np.array(
                [
                    [x + dot(arm, c) for x, c in zip(row, base.T, strict=True)]
                    for row, arm in zip(rows, arms, strict=True)
                ],
                dtype=object,
            )
        blocks, gaps = self.steps.follow(q, v, later_q, later_v)
        J, c = list[Number](), list[Number]()
        shifts: list[Number] = [0.0] * n
        for joint, block in zip(self.steps.bent, blocks, strict=True):
            J += list(block[:, :-1].ravel())
            shifts[joint.v] = list(block[:, -1])
        for i, row in enumerate(rows[:n]):
            entries = [h * x for x in row]
            entries[n + i] = entries[n + i] + 1.0
            J += [x for x, is_kept in zip(entries, kept[i], strict=True) if is_kept]
            # v cancels: v+ - F z = h (qdd - qdd_z z)
            c.append(h * (motion.qdd[i] - along[i]))
        gaps += [a + h * b - x for a, b, x in zip(v, motion.qdd, later_v, strict=True)]
        offsets = [] if own.model.commands_efforts else [a - b for a, b in zip(motion.efforts, along[n:], strict=True)]
        C, values = self._rows(rows[n:], kept[n:], offsets, switches)
        found = [*J, *(shifts if self.steps.bent else ()), *c, *C, *values, *gaps, *offsets]
        if not through_base:
            return found
        scaled = [[h * x for x in arm] if i < n else list(arm) for i, arm in enumerate(arms)]
        live = [x for row in base for x, is_kept in zip(row, own.columns, strict=True) if is_kept]
        return [*found, *(x for arm in scaled for x in arm), *live]

    def _rows(
        self, slopes: Any, kept: Sequence[Sequence[bool]], offsets: Sequence[Number], switches: Any
    ) -> tuple[list[Number], list[Number]]:
        """Return live entries of C, of the rows of efforts those that are kept, and the values of its bounds."""
        own = self.own
        if own.model.commands_efforts:
            return [], []
        cones, least = own.model.list_cones(switches)
        rows = [*zip(slopes, kept, strict=True), *zip(cones, own.cone_pattern, strict=True)]
        entries = [x for row, flags in rows for x, is_kept in zip(row, flags, strict=True) if is_kept]
        values = list[Number]()
        for bound in own.rows:
            i = bound.index
            if i < len(offsets):
                values.append(own.effort_bounds[SIDES.index(bound.lower)][i] - offsets[i])
            else:
                values.append(least[i - len(offsets)])
        return entries, values

    def efforts(self, C: Any, offsets: Any, x: Any, u: Any) -> list[Number]:
        """Return the efforts of a stage, to first order about where it was linearised."""
        count, z = sum(self.own.columns), [*x, *u]
        kept = [value for value, is_kept in zip(z, self.own.columns, strict=True) if is_kept]
        return [offset + dot(C[i * count : (i + 1) * count], kept) for i, offset in enumerate(offsets)]

    # What is found.

    def displace(self, at: Any, x: Any) -> list[Number]:
        """Return a state of the trajectory after a step."""
        q, v, _ = self.split(at)
        return [*self.steps.displace(q, v, x), *x[self.nv :]]

    def leave(self, at: Any, later: Any) -> list[Number]:
        """Return 1 where the next state is far from where it would follow from this one."""
        q, (later_q, later_v, _) = self.split(at)[0], self.split(later)
        return [choose(largest_size(self.steps.find_gaps(q, later_q, later_v), 0.0) > FAR, 1.0, 0.0)]

    def shorten(self, at_u: Any, at_x: Any, u: Any, x: Any, length: Any) -> list[Number]:
        """Return inputs and local coordinates after a part of a step, which may be no numbers where the part is 0."""
        start, moves = [*at_u, *self.start_state(*self.split(at_x)[:2])], length[0] > 0.0
        parts = [choose(moves, a + length[0] * (b - a), a) for a, b in zip(start, [*u, *x], strict=True)]
        return [choose(length[0] > 0.9, b, part) for b, part in zip([*u, *x], parts, strict=True)]

    def attempt(self, at_u: Any, at_x: Any, u: Any, x: Any, search: Any) -> list[Number]:
        """Return input and next state of a trajectory after the part of a step that a search tries."""
        nu, found = len(u), self.shorten(at_u, at_x, u, x, search[:1])
        return [*found[:nu], *self.displace(at_x, np.array(found[nu:], dtype=object))]

    def weigh(
        self, p: Any, largest: Any, references: Any, weights: Any, at: Any, later: Any, *more: Any
    ) -> list[Number]:
        """Return what a stage costs, penalties included, and its defects, each as large as its costate makes it.

        p (2 nv,) is the slope of the cost to go from the next stage on; of the `largest` one, a part counts anyway.
        """
        q, v, u = self.split(at)
        later_q, later_v, _ = self.split(later)
        qdd, efforts = self.own.model.move(q, v, u, more[-1] if self.own.model.switches else ())
        gaps = self.steps.find_gaps(q, later_q, later_v)
        gaps += [a + self.dt * b - x for a, b, x in zip(v, qdd, later_v, strict=True)]
        cost, _ = self.add(references, weights, at, later, efforts, *more)
        return [cost, self._weigh_gaps(p, largest, gaps)]

    def weigh_start(
        self, p: Any, largest: Any, references: Any, weights: Any, at: Any, later: Any, gaps: Any, *more: Any
    ) -> list[Number]:
        """Return the same where dynamics were linearised: gaps are known, and so are efforts, from C and offsets."""
        efforts = self.split(at)[2]
        if self.own.C:
            q, v, u = self.split(at)
            efforts = self.efforts(more[0], more[1], [*self.steps.local(q), *v], u)
            more = more[2:]
        cost, _ = self.add(references, weights, at, later, efforts, *more)
        return [cost, self._weigh_gaps(p, largest, gaps)]

    def _weigh_gaps(self, p: Any, largest: Any, gaps: Any) -> Number:
        defect: Number = 0.0
        n, least = self.nv, PART * largest[0]
        sizes = [abs(x) + least for x in p]
        sizes[n:] = [a + self.dt * b for a, b in zip(sizes[n:], sizes[:n], strict=True)]  # q+ follows v+
        for size, gap in zip(sizes, gaps, strict=True):
            defect = defect + size * abs(gap)
        return defect

    def measure_change(self, at_u: Any, at_x: Any, u: Any, x: Any, change: Any) -> list[Number]:
        """Return the largest change so far; inputs count by their limits."""
        units = self.own.model.input_units(self.own.effort_bounds)
        ways = [(a - b) * (1.0 / unit) for a, b, unit in zip(u, at_u, units, strict=True)]
        ways += [a - b for a, b in zip(x, self.start_state(*self.split(at_x)[:2]), strict=True)]
        return [largest_size(ways, change[0])]

    def square(self, z: Any, references: Any, weights: Any, *more: Any) -> Number:
        """Return the cost of a state."""
        beyond, _ = self.steps.compare(references[: self.nq], z[: self.nq], z[self.nq :])
        beyond += [a - b for a, b in zip(self.split(z)[1], self.split(references)[1], strict=True)]
        total: Number = 0.0
        for a, w in zip(beyond, weights, strict=False):
            total = total + w * a * a
        for cost, goal, own_w in zip(self.own.errors, more[::2], more[1::2], strict=False):
            for a, w in zip(cost.code(z[: self.nq], goal), own_w, strict=True):
                total = total + w * a * a
        return self.before * total

    def add_last(self, references: Any, weights: Any, z: Any, cost: Any, *more: Any) -> list[Number]:
        """Return the cost with that of the last state."""
        return [cost[0] + self.own.terminal.measure(self, references, weights, z, *more)]

    def refuse_open(self, z: Any, cost: Number, refused: float) -> Number:
        """Return the cost, or `refused` where loops cannot be closed at a state."""
        if not self.own.model.coordinates.options:
            return cost
        far = sum(abs(x) for x in complete_position(self.own.model.coordinates, z[: self.nq]))
        return choose(far < refused, cost, refused)  # positions of open loops are no numbers

    def add(
        self,
        references: Any,
        weights: Any,
        at: Any,
        later: Any,
        efforts: Any,
        *more: Any,
    ) -> list[Number]:
        """Return the cost of a stage and its largest violation of limits."""
        own, (l1, l2), n = self.own, self.own.penalty, self.nv
        switches, worst = more[-1] if own.model.switches else (), 0.0
        total = self.square(at, references, weights, *more)
        w, wanted = own.model.weigh_inputs(weights[2 * n :], self.split(references)[2], switches)
        for a, b, x in zip(self.split(at)[2], wanted, w, strict=True):
            total = total + self.dt * (x * (a - b) * (a - b))
        x, share = self.start_state(*self.split(later)[:2]), 1.0 if self.intervals is None else self.dt * (1.0 / own.dt)
        beyond = [_beyond(x, bound, own.x_lower, own.x_upper) for bound in own.states]
        beyond += [_beyond(efforts, bound, *own.efforts) for bound in own.rows if bound.soft]
        for far in beyond:
            worst = maximum(worst, far)
            total = total + share * (far * (l1 + 0.5 * l2 * far))
        return [total, worst]


def _beyond(x: Any, bound: Any, lower: Any, upper: Any) -> Number:
    i = bound.index
    return maximum(float(lower[i]) - x[i] if bound.lower else x[i] - float(upper[i]), 0.0)


def clip(x: Number, low: Number, up: Number) -> Number:
    """Return a number within bounds."""
    x = x if isinstance(low, float) and np.isinf(low) else maximum(x, low)
    return x if isinstance(up, float) and np.isinf(up) else minimum(x, up)
