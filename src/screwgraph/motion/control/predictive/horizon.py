"""A tick of model-predictive control as a routine: from a state and the last solution to the next one.

Layout of `previous` and `next`: [whether it is a solution, barrier], then for each stage k = 0..N-1 [u_k, x_{k+1}, the
solver's own numbers]. All zeros are no solution: a tick then begins with the robot at rest where it is.
`at` holds the trajectory about which a tick linearises, for each stage [x_k, u_k], then x_N.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.motion.control.predictive.stage_model import StageModel
from screwgraph.optimize.chain_program import Bound, ChainProgram
from screwgraph.spatial import choose, largest_size, maximum, minimum
from screwgraph.tape import Memory, Number, Part, Routine, SideBySide, StageLoop, Window
from screwgraph.tape.parts import Copies, Fill

SIDES = (True, False)
"""Lower bounds come first."""
SOLUTION = ("status", "cost", "violation", "defect", "change", "barrier")
"""Numbers of a tick's result; see `mpc`."""
NO_NUMBERS = 3.0
"""Status of arguments without sense."""
ENDLESS = 1e250
"""A cost beyond is none."""
LOOP_BARRIER = 1e-4
"""The least barrier with which a solution that moves on begins: from less, limits are not left in few steps."""
HEAD = 2
"""Numbers of a solution before those of its stages."""


@dataclass(frozen=True, eq=False)
class Horizon:
    """A model over `stages` times `model.dt`, bounds of inputs and states, and how often a tick does what.

    Bounds that are infinite are none.
    """

    __repr__ = one_line

    model: StageModel
    stages: int
    u_limit: Float[np.ndarray, " nu"]
    x_lower: Float[np.ndarray, " nx"]
    x_upper: Float[np.ndarray, " nx"]
    penalty: tuple[float, float]
    iterations: int
    barrier_steps: int

    @property
    def question(self) -> tuple[object, ...]:
        """All that code depends on."""
        bounds = tuple(tuple(map(float, x)) for x in (self.u_limit, self.x_lower, self.x_upper))
        return (*self.model.question, self.stages, bounds, self.penalty, self.iterations, self.barrier_steps)

    @cached_property
    def inputs(self) -> tuple[Bound, ...]:
        """Bounds of inputs: all lower ones first, so that neighbours go side by side."""
        return tuple(Bound(i, lower) for lower in SIDES for i, x in enumerate(self.u_limit) if np.isfinite(x))

    @cached_property
    def states(self) -> tuple[Bound, ...]:
        """Bounds of states."""
        sides = zip(SIDES, (self.x_lower, self.x_upper), strict=True)
        return tuple(
            Bound(i, lower, soft=True) for lower, limits in sides for i, x in enumerate(limits) if np.isfinite(x)
        )

    @cached_property
    def tick(self) -> Tick:
        """The memory and the parts of a tick."""
        return Tick(self)


class Tick:
    """The memory of a tick, in which vectors have names, and its parts."""

    def __init__(self, horizon: Horizon) -> None:
        self.own, model = horizon, horizon.model
        self.n, self.nx, self.nu, self.N = model.robot.nv, model.nx, model.nu, horizon.stages
        memory = self.memory = Memory()
        n, nx, nu, nz = self.n, self.nx, self.nu, self.nx + self.nu
        own = 2 * (len(horizon.inputs) + 2 * len(horizon.states))  # numbers of the solver
        self.size = nz + own
        solution = HEAD + self.N * self.size
        results = (nu, (self.N + 1) * nx, self.N * nu, nu * nx, solution, len(SOLUTION))
        given = (n, n, (self.N + 1) * nz, nz, 1, solution)
        for name, size in zip((*self.results, *self.arguments), (*results, *given), strict=True):
            memory.add(name, size)  # results first, then arguments: both stay where a caller has them
        kept = [[float(i == j) for j in range(nz)] for i in range(n)]
        live: list[list[float | None]] = [[None] * nz for _ in range(n)]
        self.chain = ChainProgram(
            memory,
            self.N,
            self.nx,
            self.nu,
            J=[*kept, *live],
            H=[[None if i == j else 0.0 for j in range(i + 1)] for i in range(nz)],
            integrated=[(i, n + i) for i in range(n)],
            inputs=horizon.inputs,
            states=horizon.states,
            iterations=horizon.barrier_steps,
            is_judged=False,
        )
        self.chain.allocate()
        assert self.size == sum(len(self.chain.stage(name, 0)) for name in self.solution_vectors)
        sizes = {"at": self.N * nz + nx, "warm": 1, "share": 1, "cold": self.size, "new": self.N * nx}
        for name, size in {**sizes, **dict.fromkeys(("defect", "change", "cost", "violation"), 1)}.items():
            memory.add(name, size)
        self._name_stages()

    @property
    def solution_vectors(self) -> tuple[str, ...]:
        """The vectors of a stage that a solution keeps for the next one."""
        return ("u", "x'", *self.chain.warm_start_vectors)

    @property
    def previous(self) -> int:
        """How many numbers a solution has."""
        return len(self.memory.places("previous"))

    def _name_stages(self) -> None:
        """Name what belongs to the first stages: vectors of a stage k end in _k, those of the next one in _k+1."""
        memory, nz = self.memory, self.nx + self.nu
        for name in (*self.solution_vectors, "J", "c", "h", "H", "g", "bound_u", "bound_x"):
            memory.alias(f"{name}_k", self.chain.stage(name, 0))
        for k, end in enumerate(("_k", "_k+1")):
            self._alias(f"at{end}", "at", k * nz, nz if k == 0 else self.nx)
            self._alias(f"previous{end}", "previous", HEAD + k * self.size, self.size)
            self._alias(f"references{end}", "references", k * nz, nz)
        self._alias("at_0", "at", 0, self.nx)
        self._alias("at_u", "at", self.nx, self.nu)
        self._alias("states_k", "states", 0, self.nx)
        self._alias("states_k+1", "states", self.nx, self.nx)
        self._alias("efforts_k", "efforts", 0, self.nu)
        self._alias("new_k", "new", 0, self.nx)
        self._alias("previous_N", "previous", HEAD + (self.N - 1) * self.size, self.size)
        self._alias("next_k", "next", HEAD, self.size)
        c = memory.places("c_k")
        memory.alias("c_q", c[: self.n])
        memory.alias("c_v", c[self.n :])

    def _alias(self, name: str, vector: str, start: int, size: int) -> None:
        self.memory.alias(name, self.memory.places(vector)[start : start + size])

    def _windows(self, *vectors: str) -> tuple[Window, ...]:
        """Return windows that move all of some vectors with the stages, and those of the solver."""
        nz = self.nx + self.nu
        strides = {"at": nz, "previous": self.size, "next": self.size, "references": nz, "states": self.nx}
        strides |= {"efforts": self.nu, "new": self.nx}
        found = list[Window]()
        for name in vectors:
            places = self.memory.places(name)[HEAD if name in ("previous", "next") else 0 :]
            found.append(Window(places.start, len(places), strides[name]))
        return (*found, *self.chain.window("J", "c", "h", "H", "g", "bound_u", "bound_x", *self.solution_vectors))

    def routine(self, names: Sequence[str]) -> Routine:
        """Return the code, whose arguments have these names, one for each number."""
        once = (*self._linearise(), *self.chain.parts(), *self._move())
        parts = (*self._begin(), *self._costs(), StageLoop(self.own.iterations, once, ()), *self._end())
        given, found = (
            tuple(place for name in vectors for place in self.memory.places(name))
            for vectors in (self.arguments, self.results)
        )
        return Routine(tuple(names), given, found, self.memory.size, parts)

    @property
    def arguments(self) -> tuple[str, ...]:
        """Vectors that are arguments."""
        return ("q", "qd", "references", "weights", "advance", "previous")

    @property
    def results(self) -> tuple[str, ...]:
        """Vectors that are results."""
        return ("tau", "states", "efforts", "gain", "next", "solution")

    # What comes first: the last solution, moved to the present.

    def _begin(self) -> tuple[Part, ...]:
        block = self.memory.block
        self._alias("head", "previous", 0, HEAD)
        writes = ["chain.x0", "at_0", "warm", "share", "chain.warm", "chain.barrier", "cold"]
        return (
            block("begin", ["q", "qd", "advance", "head"], writes, self._start),
            StageLoop(self.N - 1, self._shift(0, 1), self._windows("previous")),
            *self._shift(self.N - 1, 0),
            StageLoop(self.N, (self._copy_at(),), self._windows("at")),
        )

    def _copy_at(self) -> Part:
        """Return what moves the trajectory to the one that is found."""
        return self._copy(["u_k", "x'_k"], ["at_u", "at_k+1"])

    def _start(self, q: Any, qd: Any, advance: Any, head: Any) -> list[Number]:
        """Return x_0 twice, whether there is a solution, how much to move it, and a stage without one."""
        rest = self.own.model.resting_efforts.on(list(q))
        efforts = [clip(x, -most, most) for x, most in zip(rest, self.own.u_limit, strict=True)]
        warm = choose(head[0] > 0.5, 1.0, 0.0)
        cold = [*efforts, *q, *[0.0] * (self.size - self.nu - self.n)]
        moved = choose(advance[0] > 0.0, maximum(head[1], LOOP_BARRIER), head[1])
        barrier = choose(head[0] > 0.5, moved, 0.0)
        return [*q, *qd, *q, *qd, warm, clip(advance[0], 0.0, 1.0), warm, barrier, *cold]

    def _shift(self, k: int, later: int) -> tuple[Part, ...]:
        """Return what moves a stage's numbers of the last solution to the present, one after the other."""

        def blend(a: Any, b: Any, cold: Any, warm: Any, share: Any) -> list[Number]:
            return [choose(warm[0] > 0.5, a[0] + share[0] * (b[0] - a[0]), cold[0])]

        found, start = list[Part](), 0
        names = ["now", "later", "empty", "own"]
        for name in self.solution_vectors:
            at = self.chain.stage(name, k)
            stage = self.memory.places("previous").start + HEAD + k * self.size + start
            places = (stage, stage + later * self.size, self.memory.places("cold").start + start, at.start)
            for own, place in zip(names, places, strict=True):
                self.memory.alias(own, range(place, place + 1))
            part = self.memory.block("shift", [*names[:3], "warm", "share"], names[3:], blend)
            windows = tuple(Window(place, 1, 1) for place in dict.fromkeys(places))
            found.append(SideBySide(len(at), (part,), windows))
            start += len(at)
        return tuple(found)

    # Costs and bounds: they do not depend on the trajectory.

    def _costs(self) -> tuple[Part, ...]:
        block, last = self.memory.block, self.N * (self.nx + self.nu)
        self._alias("references_N", "references", last, self.nx)
        values = ["h_k", "H_k", "g_k", "bound_u_k", "bound_x_k"]
        parts = (
            block("cost", ["references_k", "weights"], values, self._cost),
            Fill(self.memory.places("c_q").start, self.n),
        )
        penalty = self.own.penalty * len(self.own.states)
        soft = (block("penalty", [], ["chain.penalty"], lambda: list(penalty)),) if penalty else ()
        return (
            StageLoop(self.N, parts, self._windows("references")),
            block("terminal", ["references_N", "weights"], ["chain.terminal_H", "chain.terminal_g"], self._terminal),
            *soft,
        )

    def _cost(self, reference: Any, weights: Any) -> list[Number]:
        """Return what a stage has beside its derivatives."""
        own, h = self.own, self.own.model.dt
        H = [2.0 * h * w for w in weights]
        g = [-(w * x) for w, x in zip(H, reference, strict=True)]
        bounds = [(-own.u_limit, own.u_limit), (own.x_lower, own.x_upper)]
        values = [
            float(pair[SIDES.index(bound.lower)][bound.index])
            for pair, kept in zip(bounds, (own.inputs, own.states), strict=True)
            for bound in kept
        ]
        return [h, *H, *g, *values]

    def _terminal(self, reference: Any, weights: Any) -> list[Number]:
        """Return the lower triangle of the Hessian, and the gradient, of the last state."""
        H = [2.0 * self.own.model.dt * w for w in weights[: self.nx]]
        square = [H[i] if i == j else 0.0 for i in range(self.nx) for j in range(i + 1)]
        return [*square, *(-(w * x) for w, x in zip(H, reference, strict=True))]

    # An iteration: derivatives along `at`, the solver, and the trajectory that it found.

    def _linearise(self) -> tuple[Part, ...]:
        memory, block = self.memory, self.memory.block
        model = memory.placed("model", self.own.model.program, ["at_k"], ["J_k", "c_v", "new_k"])
        defect = block("defect", ["new_k", "at_k+1", "defect"], ["defect"], _add_largest)
        return (
            block("clear", [], ["defect", "change"], lambda: [0.0, 0.0]),
            SideBySide(self.N, (model,), self._windows("at", "new")),
            StageLoop(self.N, (defect,), self._windows("at", "new")),
        )

    def _move(self) -> tuple[Part, ...]:
        """Note how far the trajectory is from where it was linearised, and move there; inputs count by their limits."""
        reads = ["at_u", "at_k+1", "u_k", "x'_k", "change"]
        move = self.memory.block("move", reads, ["change"], self._measure_change)
        return (
            StageLoop(self.N, (move, self._copy_at()), self._windows("at")),
            self.memory.block("continue", [], ["chain.warm"], lambda: [1.0]),
        )

    def _measure_change(self, u: Any, x: Any, new_u: Any, new_x: Any, change: Any) -> list[Number]:
        units = [max(1.0, most) if np.isfinite(most) else 1.0 for most in self.own.u_limit]
        ways = [(a - b) * (1.0 / unit) for a, b, unit in zip(new_u, u, units, strict=True)]
        ways += [a - b for a, b in zip(new_x, x, strict=True)]
        return [largest_size(ways, change[0])]

    # What comes last: the results.

    def _end(self) -> tuple[Part, ...]:
        block = self.memory.block
        self._alias("states_0", "states", 0, self.nx)
        self._alias("next_head", "next", 0, HEAD)
        self._alias("at_N", "at", self.N * (self.nx + self.nu), self.nx)
        stage = ["references_k", "weights", "at_k", "at_k+1", "cost", "violation"]
        last = ["references_N", "weights", "at_N", "cost"]
        keep = [*(f"{name}_k" for name in self.solution_vectors)]
        windows = self._windows("references", "at", "states", "efforts", "next")
        head = ["chain.solution", "chain.barrier", "cost", "violation", "defect", "change", "efforts_k"]
        return (
            block("no cost", [], ["cost", "violation"], lambda: [0.0, 0.0]),
            self._copy(["at_0"], ["states_0"]),
            StageLoop(
                self.N,
                (
                    block("sum", stage, ["cost", "violation"], self._sum),
                    self._copy(["at_u", "at_k+1"], ["efforts_k", "states_k+1"]),
                    self._copy(keep, ["next_k"]),
                ),
                windows,
            ),
            block("sum last", last, ["cost"], lambda r, w, x, cost: [cost[0] + self._square(x, r, w)]),
            self._copy(["chain.gain"], ["gain"]),
            block("end", head, ["tau", "next_head", "solution"], self._finish),
        )

    def _copy(self, sources: Sequence[str], targets: Sequence[str]) -> Part:
        places = [tuple(p for name in side for p in self.memory.places(name)) for side in (sources, targets)]
        return Copies(*places)

    def _square(self, x: Any, reference: Any, weights: Any) -> Number:
        """Return the cost of a state, or of one and an input."""
        total: Number = 0.0
        for a, b, w in zip(x, reference, weights, strict=False):
            total = total + w * (a - b) * (a - b)
        return self.own.model.dt * total

    def _sum(self, reference: Any, weights: Any, z: Any, x: Any, cost: Any, violation: Any) -> list[Number]:
        own, (l1, l2), worst = self.own, self.own.penalty, violation[0]
        total = cost[0] + self._square(z, reference, weights)
        for bound in own.states:
            i = bound.index
            beyond = maximum(own.x_lower[i] - x[i] if bound.lower else x[i] - own.x_upper[i], 0.0)
            worst = maximum(worst, beyond)
            total = total + beyond * (l1 + 0.5 * l2 * beyond)
        return [total, worst]

    def _finish(
        self, solved: Any, barrier: Any, cost: Any, violation: Any, defect: Any, change: Any, u: Any
    ) -> list[Number]:
        """Return the command within its limits, the head of the next solution, and how good it is."""
        sound = choose(cost[0] < ENDLESS, solved[0], NO_NUMBERS) < NO_NUMBERS
        tau = [clip(choose(sound, x, 0.0), -most, most) for x, most in zip(u, self.own.u_limit, strict=True)]
        numbers = [choose(sound, x[0], 0.0) for x in (cost, violation, defect, change, barrier)]
        return [*tau, choose(sound, 1.0, 0.0), numbers[-1], choose(sound, solved[0], NO_NUMBERS), *numbers]


def clip(x: Number, low: float, up: float) -> Number:
    """Return a number within bounds."""
    x = maximum(x, low) if np.isfinite(low) else x
    return minimum(x, up) if np.isfinite(up) else x


def _add_largest(new: Any, old: Any, found: Any) -> list[Number]:
    return [largest_size([a - b for a, b in zip(new, old, strict=True)], found[0])]
