"""Memory of a tick of model-predictive control: names and places of its vectors.

Layout of `previous` and `next`: [0 of no solution, else 1 and the part of the last step that was taken, negative where
the trajectory begins far from the state; barrier; the first interval where this is an argument], then for each stage
k = 0..N-1 [u_k, q and qd of k + 1, switches of k, the solver's own numbers]. All zeros are no solution: a tick then
begins with the robot at rest where it is. `at` holds the trajectory about which a tick linearises, for each stage
[q_k, qd_k, u_k], then those of N.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod

from screwgraph.motion.control.predictive.base_slopes import BaseSlopes
from screwgraph.motion.control.predictive.horizon import Horizon
from screwgraph.motion.control.predictive.stage_terms import StageTerms
from screwgraph.motion.control.predictive.step_search import MERIT, SEARCH_SIZES
from screwgraph.motion.control.predictive.tick_outcome import SOLUTION
from screwgraph.optimize.chain_program import ChainProgram
from screwgraph.tape import Memory, Part, Window
from screwgraph.tape.parts import Copies


class TickMemory:
    """The memory of a tick of a horizon, in which vectors have names, and the solver of its stages in it."""

    def __init__(self, horizon: Horizon) -> None:
        self.own, model, self.terms = horizon, horizon.model, StageTerms(horizon)
        n, nq, nu, N = model.robot.nv, model.robot.nq, model.nu, horizon.stages
        self.nx, self.nu, self.N, self.m, self.forces = nq + n, nu, N, horizon.motors, 0
        self.forces = len(model.list_forces([1.0] * nu, [1.0] * model.switches))
        bounds = (*horizon.inputs, *horizon.states, *horizon.rows)
        self.kept = nu + self.nx + model.switches  # numbers of a stage of a solution, before those of the solver
        self.size = self.kept + sum(bound.size for bound in bounds)
        self.head = 2 + horizon.is_timed  # numbers of a solution before those of its stages
        solution, m = self.head + N * self.size, self.m
        self.strides = {"at": self.nx + nu, "previous": self.size, "next": self.size, "references": self.nx + nu}
        self.strides |= {"merits": MERIT}
        self.strides |= {"states": self.nx, "efforts": m, "forces": self.forces, "contacts": model.switches}
        self.strides |= {f"goal.{cost.name}": prod(cost.goal_shape) for cost in horizon.costs}
        self.strides |= {"gap": 2 * n, "offset": m, "rest": nu if model.switches else 0}
        results = (m, (N + 1) * self.nx, N * m, *([N * self.forces] * bool(self.forces)), m * 2 * n)
        goals = [n for own in horizon.costs for n in ((N + 1) * prod(own.goal_shape), prod(own.weights_shape))]
        end = [prod(horizon.terminal_shape)] if horizon.terminal_shape else []
        given = (nq, n, (N + 1) * (self.nx + nu), 2 * n + model.input_weights, *end, *goals)
        given += (*(N * model.switches,) * self.is_switched, *(1,) * horizon.is_timed)
        memory = self.memory = Memory()
        pairs = ((self.results, (*results, solution, len(SOLUTION))), (self.arguments, (*given, 1, solution)))
        for names, sizes in pairs:
            for name, size in zip(names, sizes, strict=True):
                memory.add(name, size)  # results first, then arguments: both stay where a caller has them
        rows = {"C": horizon.C, "rows": horizon.rows} if horizon.C else {}
        self.chain = ChainProgram(
            memory,
            N,
            2 * n,
            nu,
            J=horizon.J,
            H=horizon.H,
            integrated=[(i, n + i) for i in range(n)],
            inputs=horizon.inputs,
            states=horizon.states,
            iterations=horizon.barrier_steps,
            is_judged=False,
            scales_penalties=horizon.is_timed,
            clears_rows=False,
            **rows,
        )
        self.chain.allocate()
        sizes = {
            "at": N * (self.nx + nu) + self.nx,
            "warm": 1,
            "share": 1,
            "fits": 2 * self.is_switched,
            "gap": N * 2 * n,
            "merits": N * MERIT,
        }
        sizes |= {"intervals": N + 1} if horizon.is_timed else {}
        self.through = BaseSlopes(memory, horizon, self.chain) if self.chain.is_wide and model.base else None
        if self.through:
            self.strides |= self.through.strides
            sizes |= {name: N * stride for name, stride in self.through.strides.items()}
        sizes |= {"offset": 0 if model.commands_efforts else N * m, "rest": (N if model.switches else 1) * nu}
        sizes |= dict.fromkeys(("defect", "change", "cost", "violation", "sense", "lost", "left"), 1)
        if horizon.shortenings:
            self.strides |= {"trial": self.nx + nu}
            sizes |= {"trial": sizes["at"], **SEARCH_SIZES}
        for name, size in sizes.items():
            memory.add(name, size)
        self._name_stages()

    @property
    def is_switched(self) -> bool:
        """Whether stages have live numbers."""
        return self.own.model.switches > 0

    @property
    def results(self) -> tuple[str, ...]:
        """Vectors that are results."""
        return ("tau", "states", "efforts", *["forces"] * bool(self.forces), "gain", "next", "solution")

    @property
    def arguments(self) -> tuple[str, ...]:
        """Vectors that are arguments."""
        weights = ("weights", *["terminal"] * bool(self.own.terminal_shape), *self.own.name_goals())
        return ("q", "qd", "references", *weights, *self._live, "advance", "previous")

    @property
    def _live(self) -> list[str]:
        return [*["contacts"] * self.is_switched, *["first"] * self.own.is_timed]

    @property
    def previous(self) -> int:
        """How many numbers a solution has."""
        return len(self.memory.places("previous"))

    @cached_property
    def goals(self) -> list[str]:
        """The vectors of goals of a stage, and of their weights."""
        return self.own.name_goals("_k")

    @cached_property
    def moving_goals(self) -> list[str]:
        """The vectors of goals of all stages."""
        return self.own.name_goals()[::2]

    @cached_property
    def switches(self) -> list[str]:
        """The vector of a stage's live numbers, where there are some."""
        return ["contacts_k"] * self.is_switched

    def _name_stages(self) -> None:
        """Name what belongs to the first stages: vectors of a stage k end in _k, those of the next one in _k+1."""
        memory, nx, nu, n = self.memory, self.nx, self.nu, self.own.model.robot.nv
        names = ("x", "u", "x'", "J", "c", "h", "H", "g", "bound_u", "bound_x")
        for name in (*names, *["scale"] * self.own.is_timed, *["C", "bound_r"] * bool(self.own.C)):
            self.chain.name_stage(f"{name}_k", name, 0)
        for name, stride in self.strides.items():
            if name in memory.names and stride and name != "rest":
                self._alias(f"{name}_k", name, self.head if name in ("previous", "next") else 0, stride)
        self._alias("rest_k", "rest", 0, nu)
        if self.own.shortenings:
            self._alias("trial_u", "trial", nx, nu)
            self._alias("trial_x", "trial", 0, nx)
            self._alias("trial_k+1", "trial", nx + nu, nx)
            self._alias("trial_N", "trial", self.N * (nx + nu), nx)
        self._alias("at_u", "at", nx, nu)
        self._alias("at_x", "at", 0, nx)
        self._alias("at_k+1", "at", nx + nu, nx)
        self._alias("states_k+1", "states", nx, nx)
        self._alias("next_kept", "next", self.head, self.kept)
        self._alias("next_numbers", "next", self.head + self.kept, self.size - self.kept)
        if self.own.is_timed:
            self._alias("intervals_k", "intervals", 0, 2)
        self._alias("at_N", "at", self.N * (nx + nu), nx)
        for name in self.moving_goals:
            self._alias(f"{name}_N", name, self.N * self.strides[name], self.strides[name])
        self._alias("references_N", "references", self.N * (nx + nu), nx)
        c = memory.places("c_k")
        memory.alias("c_q", c[:n])
        memory.alias("c_v", c[n:])

    def _alias(self, name: str, vector: str, start: int, size: int) -> None:
        self.memory.alias(name, self.memory.places(vector)[start : start + size])

    def _windows(self, *vectors: str) -> tuple[Window, ...]:
        """Return windows that move all of some vectors with the stages, and those of the solver."""
        found = list[Window]()
        for name in vectors:
            places = self.memory.places(name)[self.head if name in ("previous", "next") else 0 :]
            if len(places) and self.strides[name]:
                found.append(Window(places.start, len(places), self.strides[name]))
        if self.is_switched:
            places = self.memory.places("contacts")
            found.append(Window(places.start, len(places), self.strides["contacts"]))
        if self.own.is_timed:
            places = self.memory.places("intervals")
            found.append(Window(places.start, len(places), 1))
        names = ["x", "J", "c", "h", "scale", "H", "g", "bound", "u", "x'", *self.chain.warm_start_vectors]
        return (*found, *self.chain.window(*names, *["C"] * bool(self.own.C)))

    def _copy(self, sources: Sequence[str], targets: Sequence[str]) -> Part:
        places = [tuple(p for name in side for p in self.memory.places(name)) for side in (sources, targets)]
        return Copies(*places)
