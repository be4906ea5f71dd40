"""A chain-structured convex quadratic program as code: a primal-dual interior point with Riccati's recursion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from screwgraph.base.summary import one_line
from screwgraph.optimize.chain_program.bounds import LEAST, Bound
from screwgraph.optimize.chain_program.columns import Locate, pad
from screwgraph.optimize.chain_program.pattern import Pattern, count_live
from screwgraph.optimize.chain_program.stage_code import StageCode
from screwgraph.optimize.chain_program.wide_bounds import WideBounds
from screwgraph.optimize.chain_program.wide_products import WideRows
from screwgraph.optimize.chain_program.wide_stage import WideStage
from screwgraph.optimize.dense_factors import ENDLESS, flag
from screwgraph.spatial import choose, maximum
from screwgraph.tape import Block, Loop, Memory, Number, Part, SideBySide, StageLoop, Window

SMALL = 10
"""States and inputs up to which a stage is straight-line code."""
GIVEN = ("c", "h", "scale", "H", "g", "C", "F", "entries", "f", "bound")
"""Vectors behind J."""
MATRICES = ("J", "C", "F")
"""Vectors of live entries, which need not stand side by side."""
STIFFNESS = 1e4
"""Of equalities."""
FIRST_BARRIER = 1.0
"""With which all begins afresh. From .1, an arm takes 7 calls in the place of 8, but carts swing poles up worse."""
SOLUTION = ("status", "iterations", "stationarity", "equality", "complementarity", "violation")
"""Status: 0 solved, 1 not within the tolerance yet, 3 no numbers: inputs are those of the last sound iterate."""


@dataclass(frozen=True, eq=False)
class ChainProgram:
    """A program of `stages` N with nx states and nu inputs, in a memory, for `iterations` barrier steps a call.

    Unknowns are z_k = (x_k, u_k), k = 0..N-1, and x_N; x_0 is given:

        min sum_k z_k' H_k z_k / 2 + g_k' z_k  +  x_N' Q x_N / 2 + q' x_N,   x_{k+1} = T_k (J_k z_k + c_k)

    T_k = I + h_k E has ones of E at `integrated` (i, j): x'_i = (J z + c)_i + h x'_j, as positions follow from the next
    velocities. `J` (nx, nx + nu) and the lower triangle of `H` are patterns: constants, None where entries are live.
    Bounds of `inputs` hold for u_k, those of `states` for x_{k+1}, those of `rows` for C_k z_k; soft ones have
    penalties l1 e + l2 e^2 / 2. Equalities are F_k z_k = f_k, whose rows are independent in u; residuals of them fall
    by about 1 / `stiffness` a step. `C`, `F` are patterns. With a `tolerance`, steps end once no residual is larger.
    With neither that nor `is_judged`, residuals are not computed: those of `solution` are 0. Without `clears_rows`,
    `clear_rows` writes constants of J, C and F: it comes before what writes live entries.

    Vectors of a stage (`stage`, `window`), in the order in which they stand, so that blocks read and write in place:
    x; P: cost to go dx'P dx / 2 + p'dx, by rows, an entry of p behind each; L, V: du = -L'^-1 V (dx, 1), an
    entry of v behind each row; gap: dx' = T J dz + gap; dx: a step; J, c, h, H, g, C, F, f, bound (inputs,
    states, rows): given; u, du; output: (C z, F z), doutput: its step; D, d: what bounds and equalities add for
    (u, x', C z, F z); before: x; multipliers: of equalities; numbers: t, y, e, z of bounds (`bounds.py`); changes:
    Newton's steps of these. Multipliers and numbers are carried from call to call; x, u are the iterate.
    Bounds of neighbouring unknowns go side by side where all lower ones come first, then all upper ones.
    Wide stages have one P for all, and J, C, F in rows of vectors (`wide_stage.py`): see `entries`.

    Vectors that stand once: x0 (x of stage 0), terminal_H (lower triangle by rows), terminal_g, penalty (l1, l2 of
    each soft bound; with `scales_penalties`, times `scale` of a stage), warm (1: go on from the last numbers and
    barrier, 0: begin afresh), barrier are given; barrier, gain (nu, nx) and `solution` are results.

    The recursion factors Hessians with the bounds' diagonals once for each step: Rao, Wright and Rawlings (1998),
    "Application of interior-point methods to model predictive control"; all numbers stay where they are for warm
    starts. The barrier grows eightfold where a step of unknowns and distances is shorter than a half, shrinks to a
    tenth where that and the one of multipliers are longer than .9, else to .3.
    """

    __repr__ = one_line

    memory: Memory
    stages: int
    nx: int
    nu: int
    J: Pattern | None = None
    H: Pattern | None = None
    integrated: Sequence[tuple[int, int]] = ()
    inputs: Sequence[Bound] = ()
    states: Sequence[Bound] = ()
    C: Pattern = ()
    rows: Sequence[Bound] = ()
    F: Pattern = ()
    stiffness: float = STIFFNESS
    iterations: int = 2
    tolerance: float = 0.0
    is_judged: bool = True
    scales_penalties: bool = False
    clears_rows: bool = True
    prefix: str = "chain."

    @property
    def warm_start_vectors(self) -> tuple[str, ...]:
        """Vectors of a stage that hold the solver's own numbers from call to call."""
        return ("multipliers", "numbers") if self.F else ("numbers",)

    @cached_property
    def code(self) -> StageCode:
        """Expressions of a stage."""
        n = self.nx + self.nu
        J, H = self.J or [[None] * n] * self.nx, self.H or [[None] * n] * n
        pitch = pad(self.nx + 1) if self.is_wide else self.nx + 1
        bounds = (self.inputs, self.states, pitch, self.C, self.rows, self.F, self.stiffness)
        return StageCode(self.nx, self.nu, J, H, self.integrated, *bounds, self.scales_penalties)

    @property
    def is_wide(self) -> bool:
        """Whether matrices are worked on by rows, of which vectors hold stretches."""
        return self.nx + self.nu > SMALL

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """Vectors of a stage in order, and how long they are."""
        nx, nu, code = self.nx, self.nu, self.code
        J, C, F = map(count_live, (code.J, self.C, self.F))
        own = count_live([row[: i + 1] for i, row in enumerate(code.H)])
        bounds, outputs, equalities = [*self.inputs, *self.states, *self.rows], len(code.outputs), len(self.F)
        return {
            **{"x": nx, "L": nu * (nu - 1) // 2, "V": nu * code.pitch, "gap": nx, "dx": nx},
            **(WideStage(code, self._locate(0)).sizes if self.is_wide else {"P": nx * code.pitch, "J": J}),
            **{"c": nx, "h": 1, "scale": int(self.scales_penalties), "H": own, "g": nx + nu},
            **({"entries": len(WideRows(code, self._locate(0)).short_sources)} if self.is_wide else {"C": C, "F": F}),
            **{"f": equalities, "bound": len(bounds), "u": nu, "du": nu},
            **dict.fromkeys(("output", "doutput"), outputs),
            **dict.fromkeys(("D", "d"), code.unknowns + equalities),
            **{"before": nx, "multipliers": equalities},
            **dict.fromkeys(("numbers", "changes"), sum(bound.size for bound in bounds)),
        }

    @cached_property
    def starts(self) -> Mapping[str, int]:
        """Places of vectors of a stage, and its end: large ones begin at lines of caches, but for those behind J."""
        found, place = dict[str, int](), 0
        for name in (*self.sizes, ""):
            place = pad(place) if self.is_wide and name not in GIVEN else place
            found[name] = place
            place += self.sizes.get(name, 0)
        return found

    @property
    def stride(self) -> int:
        """How far a stage's numbers are from those of the one before."""
        return self.starts[""]

    def stage(self, name: str, k: int) -> range:
        """Return the places of a vector of stage k, of bound_u, bound_x, bound_r (of rows), or x' of the next one."""
        split, last = len(self.inputs), len(self.inputs) + len(self.states)
        parts = {"bound_u": ("bound", 0, split), "bound_x": ("bound", split, len(self.states))}
        parts |= {"bound_r": ("bound", last, len(self.rows))}
        parts |= {"x'": ("x", self.stride, self.nx)}
        vector, first, size = parts.get(name, (name, 0, self.sizes.get(name, 0)))
        start = self._record(k) + first + self.starts[vector]
        return range(start, start + size)

    def entries(self, name: str, k: int) -> Sequence[int]:
        """Return the places of a vector of stage k, or of the live entries of J, C or F."""
        if name in MATRICES and self.is_wide:
            return WideRows(self.code, self._locate(k)).list_entries(name)
        return self.stage(name, k)

    @property
    def row_width(self) -> int:
        """Columns of rows of vectors."""
        return WideRows(self.code, self._locate(0)).width

    @property
    def row_columns(self) -> Sequence[int]:
        """Columns of z in rows of vectors."""
        return WideRows(self.code, self._locate(0)).columns

    def list_rows(self, name: str, k: int) -> list[int]:
        """Return where rows of J, or long ones of C, of a wide stage begin; -1 of rows that do not stand in vectors."""
        rows = WideRows(self.code, self._locate(k))
        numbers, count = (rows.live, self.nx) if name == "J" else (rows.long, len(self.C))
        starts = dict(zip(numbers, rows.find_starts(f"{name}_rows"), strict=True))
        return [starts.get(i, -1) for i in range(count)]

    def clear_rows(self) -> tuple[Part, ...]:
        """Return what writes the constants of J, C and F of all stages, and zeros for live entries."""
        if not self.is_wide:
            return ()
        return (self._ahead(*WideStage(self.code, self._locate(0)).clear_rows()),)

    def name_stage(self, own: str, name: str, k: int) -> None:
        """Give a vector of stage k a name in the memory."""
        if name in MATRICES and self.is_wide:
            self.memory.scatter(own, self.entries(name, k))
        elif name == "scaled":
            self.memory.scatter(own, [*self.memory.places(f"{self.prefix}soft"), *self.stage("scale", k)])
        else:
            self.memory.alias(own, self.stage(name, k))

    @property
    def costates(self) -> str:
        """The vector of a stage that has the slope of the cost to go."""
        return "p" if self.is_wide else "P"

    def costate(self, k: int) -> range:
        """Return the places of the slope of the cost to go from stage k, from 1 on, by its positions at k."""
        places = self.stage(self.costates, k)
        return places if self.is_wide else range(places.start + self.nx, places.stop, self.code.pitch)

    def window(self, *names: str, first: int = 0, step: int = 1) -> tuple[Window, ...]:
        """Return what moves vectors from those of a stage on; by default, all stages forward."""
        held = {"J": ("J_rows",), "C": ("C_rows", "entries"), "F": ()} if self.is_wide else {}
        places = [self.stage(own, first) for name in names for own in held.get(name, (name,))]
        return tuple(Window(p.start, len(p), step * self.stride) for p in places if p)

    def allocate(self) -> None:
        """Add all vectors to the memory; stage N holds the last state and the terminal cost."""
        add, alias = self.memory.add, self.memory.alias
        add(f"{self.prefix}stages", (self.stages + 1) * self.stride)
        for name, size in WideStage(self.code, self._locate(0)).scratch.items() if self.is_wide else ():
            add(self.prefix + name, size)
        once = {"terminal_H": self.nx * (self.nx + 1) // 2, "terminal_g": self.nx, "warm": 1, "barrier": 1}
        once |= {"penalty": 2 * sum(bound.soft for bound in (*self.inputs, *self.states, *self.rows))}
        once |= {"soft": once["penalty"], "gain": self.nu * self.nx, "solution": len(SOLUTION)}
        once |= {
            "mu": 1,
            "reach": 2 * self.code.unknowns,
            "size": 1,
            "steps": 4,
            "adjoint": self.nx,
            "worst": 4,
            "count": 1,
            "more": 1,
        }
        for name, size in once.items():
            add(self.prefix + name, size)
        alias(f"{self.prefix}x0", self.stage("x", 0))

    def parts(self) -> tuple[Part, ...]:
        """Return the parts that solve."""
        code, locate = self.code, self._locate(0)
        gain = WideStage(code, locate).gain() if self.is_wide else self._block("gain", ["L", "V"], ["gain"], code.gain)
        begin = self._block("begin", ["barrier", "warm"], ["mu", "count"], _begin)
        first = self._block("first", ["penalty"], ["dx", "soft"], self._first)
        count = self._block("count", ["count", "worst", "size"], ["count", "more"], self._count)
        is_judged = self.is_judged or self.tolerance > 0.0
        step, judged = self._step(), self._judge() if is_judged else (self._no_residuals(),)
        if self.tolerance > 0.0:
            steps: tuple[Part, ...] = (Loop(self.memory.places(f"{self.prefix}more").start, (*step, *judged, count)),)
        else:
            steps = (StageLoop(self.iterations, step, ()), *judged, count)
        return (
            begin,
            first,
            *self._start(),
            *steps,
            self._each(self._block("clip", ["u", "bound_u"], ["u"], code.clip)),
            gain,
            self._block("end", ["mu", "worst", "count", "size"], ["barrier", "solution"], self._end),
        )

    def _start(self) -> Sequence[Part]:
        """Return what arranges numbers with which all begins."""
        if self.is_wide:
            wide, bounds = WideStage(self.code, self._locate(0)), WideBounds(self.code, self._locate(0))
            return (*wide.clear(), self._ahead(*(wide.arrange() if self.clears_rows else ()), *bounds.begin()))
        given = ["bound", "numbers", "warm", "mu", "scaled"]
        start = self._each(self._block("start", ["u", "x+", *given], ["u", "x+", "numbers"], self.code.begin))
        if not self.code.outputs:
            return (start,)
        given = ["x", "u", "C", "bound", "numbers", "multipliers", "warm", "mu", "scaled"]
        return (start, self._each(self._block("rows", given, ["numbers", "multipliers"], self.code.begin_rows)))

    def _step(self) -> tuple[Part, ...]:
        """Return what does a step of Newton's method, and chooses the next barrier."""
        code, last = self.code, self.stages - 1
        if self.is_wide:
            back, ahead = (WideBounds(code, self._locate(k)) for k in (last, 0))
            wide = WideStage(code, self._locate(last))
            backwards, end = (*back.condense(), *wide.parts()), wide.end
            forwards, update = (*ahead.products.roll(), *ahead.measure()), self._ahead(*ahead.update())
        else:
            backwards, forwards, update = self._list_narrow(last)
            end = code.end
        return (
            self._block("terminal", ["terminal_H", "terminal_g", "x+"], ["P+"], end, last),
            self._back(*backwards),
            self._block("none", [], ["reach", "size"], lambda: [*[LEAST] * (2 * code.unknowns), 0.0]),
            self._ahead(*forwards),
            self._block("step", ["reach", "size", "mu"], ["steps"], code.step),
            update,
            self._block("barrier", ["steps"], ["mu"], lambda steps: [steps[2]]),
        )

    def _list_narrow(self, last: int) -> tuple[tuple[Part, ...], tuple[Part, ...], Part]:
        """Return what straight-line code does at the last stage, backwards, and at the first, forwards; the update."""
        code, bounds, moves = self.code, ["bound", "numbers", "mu", "scaled"], ["u", "x+", "du", "dx+"]
        held, outputs, found = ["f", "multipliers"], ["output", "doutput"], ["P", "L", "V", "gap"]
        given = ["u", "x+", "x", *bounds, "C", "F", *held]
        condense = self._block("condense", given, ["D", "d", "before", "output"], code.condense, last)
        given = ["J", "c", "h", "H", "g", "C", "F", "u", "D", "d", "before", "x+", "P+"]
        factor = self._block("factor", given, found, code.factor, last)
        given, rolled = [*found[1:], "dx", "J", "h", "size", "C", "F"], ["du", "dx+", "size", "doutput"]
        roll = self._block("roll", given, rolled, code.roll)
        measure = self._block("measure", [*moves, *bounds, "reach", *outputs], ["changes", "reach"], code.measure)
        given = [*moves, "numbers", "changes", "steps", *outputs, *held]
        update = self._block("update", given, ["u", "x+", "numbers", "multipliers"], code.update)
        return (condense, factor), (roll, measure), self._each(update)

    def _judge(self) -> tuple[Part, ...]:
        """Return what computes the residuals, from the last stage to the first."""
        last, given = self.stages - 1, ["x", "u", "x+", "numbers", "J", "c", "h", "H", "g", "bound"]
        given += ["C", "F", "f", "multipliers"]
        return (
            self._block("slope", ["terminal_H", "terminal_g", "x+"], ["adjoint"], self.code.slope, last),
            self._no_residuals(),
            self._back(self._block("judge", [*given, "adjoint", "worst"], ["adjoint", "worst"], self.code.judge, last)),
        )

    def _no_residuals(self) -> Block:
        return self._block("none", [], ["worst"], lambda: [0.0] * len(SOLUTION[2:]))

    def _first(self, penalty: Sequence[Number]) -> list[Number]:
        """Return no step of the first state, and penalties in the order of their groups."""
        return [*[0.0] * self.nx, *(penalty[i] for group in self.code.groups for i in group.given_penalties)]

    def _count(self, count: Sequence[Number], worst: Sequence[Number], size: Sequence[Number]) -> list[Number]:
        """Return how many steps were done, and whether there are more."""
        done = self.iterations if self.tolerance <= 0.0 else count[0] + 1.0
        is_open = flag(maximum(maximum(worst[0], worst[1]), worst[2]) > self.tolerance) * (size[0] < ENDLESS)
        return [done, 0.0 if self.tolerance <= 0.0 else is_open * (done < self.iterations)]

    def _end(
        self, mu: Sequence[Number], worst: Sequence[Number], count: Sequence[Number], size: Sequence[Number]
    ) -> list[Number]:
        """Return the barrier and the solution."""
        residuals = [choose(x < ENDLESS, x, ENDLESS) for x in worst]
        is_open = 0.0
        if self.tolerance > 0.0:
            is_open = flag(maximum(maximum(residuals[0], residuals[1]), residuals[2]) > self.tolerance)
        status = choose(size[0] < ENDLESS, is_open, 3.0)
        return [mu[0], status, count[0], *residuals]

    # Blocks of a stage, whose vectors those of the next one ("P+") may be, and loops.

    def _block(
        self,
        label: str,
        reads: Sequence[str],
        writes: Sequence[str],
        expression: Callable[..., Sequence[Number]],
        k: int = 0,
    ) -> Block:
        """Return a block at stage k."""
        names = [[self._name(name, k) for name in side] for side in (reads, writes)]
        return self.memory.block(label, names[0], names[1], expression)

    def _name(self, name: str, k: int) -> str:
        """Return the name in the memory of a vector of a stage, or of one that stands once."""
        plain = name.rstrip("+")
        if self.prefix + plain in self.memory.names:
            return self.prefix + plain
        own = f"{self.prefix}{plain}@{k + name.count('+')}"
        if own not in self.memory.names:
            self.name_stage(own, plain, int(own.rpartition("@")[2]))
        return own

    def _locate(self, k: int) -> Locate:
        """Return what finds vectors of a stage, those of the next one ("P+"), and those that stand once."""

        def locate_vector(name: str) -> range:
            plain = name.rstrip("+")
            if self.prefix + plain in self.memory.names:
                return self.memory.places(self.prefix + plain)
            return self.stage(plain, k + name.count("+"))

        return locate_vector

    def _record(self, k: int) -> int:
        return self.memory.places(f"{self.prefix}stages").start + k * self.stride

    def _each(self, part: Part) -> StageLoop:
        """Return a part of stage 0 for all stages, none of which reads what others write."""
        return SideBySide(self.stages, (part,), self._ahead(part).windows)

    def _ahead(self, *parts: Part) -> StageLoop:
        """Return parts of stage 0 for all stages."""
        return StageLoop(self.stages, parts, (Window(self._record(0), 2 * self.stride, self.stride),))

    def _back(self, *parts: Part) -> StageLoop:
        """Return parts of the last stage for all stages, backwards."""
        return StageLoop(self.stages, parts, (Window(self._record(self.stages - 1), 2 * self.stride, -self.stride),))


def _begin(barrier: Sequence[Number], warm: Sequence[Number]) -> list[Number]:
    """Return the barrier, and that no step was done."""
    goes_on = flag(warm[0] > 0.5) * (barrier[0] > 0.0) * (barrier[0] < ENDLESS)
    return [choose(goes_on > 0.5, barrier[0], FIRST_BARRIER), 0.0]
