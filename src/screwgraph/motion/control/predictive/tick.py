"""A tick of model-predictive control as a routine: from a state and the last solution to the next one."""

from collections.abc import Sequence
from typing import Any

from screwgraph.motion.control.live_numbers import keep_sense
from screwgraph.motion.control.predictive.argument_sense import ArgumentSense
from screwgraph.motion.control.predictive.derivatives import Derivatives
from screwgraph.motion.control.predictive.gain_code import list_gain_parts
from screwgraph.motion.control.predictive.stage_terms import clip
from screwgraph.motion.control.predictive.step_search import StepSearch
from screwgraph.motion.control.predictive.tick_memory import TickMemory
from screwgraph.motion.control.predictive.tick_outcome import TickOutcome
from screwgraph.motion.control.predictive.warm_start import WarmStart
from screwgraph.spatial import choose, maximum
from screwgraph.tape import Number, Part, Routine, SideBySide, StageLoop, When
from screwgraph.tape.parts import Copies, Fill

LEAST_BARRIER, MOST_BARRIER = 1e-4, 1e-3
"""Barriers with which a solution that moves on begins: from less, limits are not left in few steps.

A call that could not follow a blow ends with a large one. It is no cost that the next call shall begin with: barriers
that went on growing from call to call never let a trot come back that was pushed.
"""


class Tick(TickMemory):
    """The parts of a tick."""

    def routine(self, names: Sequence[str]) -> Routine:
        """Return the code, whose arguments have these names, one for each number."""
        cost, curved = self._costs(), self.own.is_curved
        once = (*cost * curved, *self._linearise(), *self.chain.parts(), *self._move())
        again = StageLoop(self.own.iterations, once, ())
        parts = (*self._begin(), *cost * (not curved), again, *self._end())
        given, found = (
            tuple(place for name in vectors for place in self.memory.places(name))
            for vectors in (self.arguments, self.results)
        )
        return Routine(tuple(names), given, found, self.memory.size, parts)

    # What comes first: the last solution, moved to the present.

    def _begin(self) -> tuple[Part, ...]:
        block = self.memory.block
        self._alias("head", "previous", 0, self.head)
        writes = ["chain.x0", "at_x", "warm", "share", "chain.warm", "chain.barrier"]
        rest = block("rest", ["q", *self.switches], ["rest_k"], self.terms.rest)
        inputs, switches = self.nu + self.nx, self.own.model.switches
        moving = WarmStart(self.memory, self.chain, self.N, self.head, self.size, inputs, switches, self._windows)
        penalty = self.own.penalty * sum(bound.soft for bound in (*self.own.states, *self.own.rows))
        return (
            *([self.through.clear()] if self.through else ()),
            block("begin", ["q", "qd", "advance", "head", *["first"] * self.own.is_timed], writes, self._start),
            *self._time(),
            SideBySide(self.N, (rest,), self._windows("rest")) if self.is_switched else rest,
            SideBySide(self.N - 1, (self._keep(0, 1),), self._windows("at", "previous", "rest")),
            self._keep(self.N - 1, 0),
            *moving.parts(),
            *((block("penalty", [], ["chain.penalty"], lambda: list(penalty)),) if penalty else ()),
            StageLoop(self.N, self._enter(), self._windows("at")),
            *ArgumentSense(self.memory, self.own, self.strides).parts(),
        )

    def _time(self) -> tuple[Part, ...]:
        """Return what writes intervals before and after each stage, and the scale of penalties: the first is given."""
        if not self.own.is_timed:
            return ()
        dt, limits, found = self.own.dt, (self.own.shortest, self.own.dt), ["intervals_k", "scale_k"]
        each = self.memory.block("interval", [], found, lambda: [dt, dt, 1.0])
        first = self.memory.block(
            "first", ["first"], found, lambda first: [dt, *(clip(first[0], *limits) * x for x in (1.0, 1.0 / dt))]
        )
        return StageLoop(self.N, (each,), self._windows()), first

    def _start(self, q: Any, qd: Any, advance: Any, head: Any, *first: Any) -> list[Number]:
        """Return x_0, in local coordinates, too, whether there is a solution, its shift; a barrier of 0 is lost."""
        # One that the state has left is not caught up with in few steps: time that goes on begins anew.
        kept = choose(advance[0] > 0.0, head[0], abs(head[0]))
        warm = choose(kept > 0.5, 1.0, 0.0)
        goes_on = choose(head[1] > 0.0, warm, 0.0)
        moved = choose(advance[0] > 0.0, clip(head[1], LEAST_BARRIER, MOST_BARRIER), head[1])
        barrier = choose(kept > 0.5, moved, 0.0)
        share = clip(advance[0], 0.0, 1.0)
        if first:  # instants stay where they are, until one has gone by
            share = 1.0 * (share + (first[0][0] - head[2]) * (1.0 / self.own.dt) > 0.5)
        return [*self.terms.start_state(q, qd), *q, *qd, warm, share, goes_on, barrier]

    def _keep(self, k: int, later: int) -> Part:
        """Return what moves a stage's input and next state to the present."""
        start = self.head + k * self.size
        self._alias("kept_now", "previous", start, self.kept)
        self._alias("kept_later", "previous", start + later * self.size, self.kept)
        stage = k * self.strides["at"]
        self._alias("kept_u", "at", stage + self.nx, self.nu)
        self._alias("kept_x", "at", stage + self.nx + self.nu, self.nx)
        self._alias("kept_rest", "rest", k * self.strides["rest"], self.nu)
        given = ["kept_now", "kept_later", "q", "kept_rest", "warm", "share"]
        if self.is_switched:
            self._alias("kept_switches", "contacts", k * self.strides["contacts"], self.strides["contacts"])
            given.append("kept_switches")
        return self.memory.block("keep", given, ["kept_u", "kept_x"], self.terms.keep)

    def _enter(self) -> tuple[Part, ...]:
        """Return what makes the trajectory the solver's iterate."""
        at, x, n, nq = (*(self.memory.places(name) for name in ("at_k+1", "x'_k")), self.terms.nv, self.terms.nq)
        pairs = [(at[i], x[j]) for i, j in self.own.steps.straight]
        pairs += [(at[nq + i], x[n + i]) for i in range(n)]
        pairs += list(zip(self.memory.places("at_u"), self.memory.places("u_k"), strict=True))
        sources, targets = zip(*pairs, strict=True)
        fills = (Fill(x[joint.v.start], joint.v.stop - joint.v.start) for joint in self.own.steps.bent)
        return (Copies(sources, targets), *fills)

    # Costs and bounds: they do not depend on the trajectory, unless positions are no vectors.

    def _costs(self) -> tuple[Part, ...]:
        block, terms = self.memory.block, self.terms
        values, reads = ["h_k", "H_k", "g_k", "bound_u_k", "bound_x_k"], ["references_k", "weights", "at_k"]
        parts = (
            block("cost", [*terms.reads, *reads, *self.goals, *self.switches], values, terms.at_stage("cost")),
            *(() if self.own.steps.bent else (Fill(self.memory.places("c_q").start, terms.nv),)),
        )
        last, found = (
            ["references_N", self.own.end, "at_N", *self.own.name_goals("_N")],
            ["chain.terminal_H", "chain.terminal_g"],
        )
        return (
            (SideBySide if self.own.steps.bent else StageLoop)(
                self.N, parts, self._windows("references", "at", *self.moving_goals)
            ),
            block("terminal", last, found, terms.terminal),
        )

    # An iteration: derivatives along `at`, the solver, and the trajectory that it found.

    def _linearise(self) -> tuple[Part, ...]:
        moving = ["at", "gap", "offset", *(self.through.strides if self.through else ())]
        own = Derivatives(self.memory, self.own, self.chain, self.terms, self.through, tuple(self.switches))
        return own.parts(self._windows(*moving))

    def _move(self) -> tuple[Part, ...]:
        """Note how far the trajectory is from where it was linearised, and move there."""
        block, reads = self.memory.block, ["at_u", "at_k+1", "u_k", "x'_k", "change"]
        measure = block("move", reads, ["change"], self.terms.measure_change)
        if self.own.steps.bent:
            reads = [*self.terms.reads, "at_k+1", "x'_k"]
            displace = block("displace", reads, ["at_k+1"], self.terms.at_stage("displace"))
            move: tuple[Part, ...] = (SideBySide(self.N, (displace,), self._windows("at")),)
            copy = self._copy(["u_k"], ["at_u"])
        else:
            move, copy = (), self._copy(["u_k", "x'_k"], ["at_u", "at_k+1"])
        parts = (measure, *self._efforts(), copy)
        return (
            *self._search(),
            StageLoop(self.N, parts, self._windows("at", "efforts", "offset")),
            *move,
            *self._gain(),
            *((StageLoop(self.N, self._enter(), self._windows("at")),) if self.own.steps.bent else ()),
            block("continue", [], ["chain.warm"], lambda: [1.0]),
        )

    def _search(self) -> tuple[Part, ...]:
        """Return what shortens the step until it lowers the merit function."""
        if not self.own.shortenings:
            return ()
        moving = ["at", "trial", "merits", "references", "gap", "offset"]
        windows = self._windows(*moving, *self.moving_goals)
        search = StepSearch(self.memory, self.terms, self.chain, windows, (*self.goals, *self.switches))
        return self._copy(["at_x"], ["trial_x"]), *search.parts()

    def _efforts(self) -> tuple[Part, ...]:
        """Return what computes efforts from rows, before local coordinates change."""
        if not self.own.C:
            return ()
        return (self.memory.block("efforts", ["C_k", "offset_k", "x_k", "u_k"], ["efforts_k"], self.terms.efforts),)

    def _gain(self) -> tuple[Part, ...]:
        self._alias("at_v", "at", self.terms.nq, self.terms.nv)
        return tuple(list_gain_parts(self.memory, self.own, self.chain.entries("C", 0)))

    # What comes last: the results.

    def _end(self) -> tuple[Part, ...]:
        block, terms = self.memory.block, self.terms
        self._alias("next_head", "next", 0, self.head)
        stage = [*terms.reads, "references_k", "weights", "at_k", "at_k+1", "efforts_k", *self.goals, *self.switches]
        sums = ["merits_k", "cost", "violation"]
        last = ["references_N", self.own.end, "at_N", "cost", *self.own.name_goals("_N")]
        keep = ["at_u", "at_k+1", *self.switches, *(f"{name}_k" for name in self.chain.warm_start_vectors)]
        for name in self.chain.warm_start_vectors:
            self.memory.alias(f"{name}_k", self.chain.stage(name, 0))
        copy = (self._copy(["at_u"], ["efforts_k"]),)
        efforts = () if self.own.C else (StageLoop(self.N, copy, self._windows("at", "efforts")),)
        parts = (
            block("add", sums, sums[1:], lambda own, a, b: [a[0] + own[0], maximum(b[0], own[1])]),
            self._copy(["at_k+1"], ["states_k+1"]),
            self._copy(keep, ["next_k"]),
            *self._forces(),
        )
        moving = ["references", "at", "states", "efforts", "next", "merits", *["forces"] * bool(self.forces)]
        moving += self.moving_goals
        head = ["chain.solution", "chain.barrier", "cost", "violation", "defect", "change", "efforts_k", "gap_k"]
        head += ["sense", "left", *["first"] * self.own.is_timed, *["length"] * bool(self.own.shortenings)]
        head += ["terminal"] * bool(self.own.terminal_shape) + ["weights", *self.goals[1::2]]
        return (
            block("no cost", [], ["cost", "violation"], lambda: [0.0, 0.0]),
            self._copy(["at_x"], ["states_k"]),
            *efforts,
            SideBySide(self.N, (block("sum", stage, ["merits_k"], terms.at_stage("add")),), self._windows(*moving)),
            StageLoop(self.N, parts, self._windows(*moving)),
            block("sum last", last, ["cost"], terms.add_last),
            block("left", [*terms.reads, "at_x", "at_k+1"], ["left"], terms.at_stage("leave")),
            block("end", head, ["tau", "next_head", "solution", "lost"], TickOutcome(self.own).finish),
            *self._clear(),
        )

    def _clear(self) -> tuple[Part, ...]:
        """Return what makes the expected motion zero where there is no solution: it may be no numbers then.

        And the gain and the solver's own numbers, where these were lost and the trajectory is the last one.
        """
        self._alias("told", "solution", 0, 1)
        names = ["efforts", "forces"] if self.forces else ["efforts"]
        gain, first, *stages = (
            self.memory.block(f"clear {name}", ["told", name], [name], keep_sense)
            for name in ("gain", "states_k", "states_k+1", *(f"{name}_k" for name in names))
        )
        K, numbers = self.memory.places("gain"), self.memory.places("next_numbers")
        each = StageLoop(self.N, (Fill(numbers.start, len(numbers)),), self._windows("next"))
        lost = When(self.memory.places("lost").start, (Fill(K.start, len(K)), each))
        return gain, first, StageLoop(self.N, tuple(stages), self._windows("states", *names)), lost

    def _forces(self) -> tuple[Part, ...]:
        if not self.forces:
            return ()
        return (self.memory.block("forces", ["at_u", *self.switches], ["forces_k"], self.own.model.list_forces),)
