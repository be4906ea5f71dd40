"""A time step with contacts as code: from q, qd, tau, dt and the last impulses to the next state and its impulses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler import PARAMETERS, Argument
from screwgraph.motion.simulation.closure_code import Closing
from screwgraph.motion.simulation.contacts import newton
from screwgraph.motion.simulation.contacts.active_rows import solve_active_rows
from screwgraph.motion.simulation.contacts.laws import Numbers
from screwgraph.motion.simulation.contacts.step_terms import Terms
from screwgraph.motion.simulation.contacts.sweeps import STATE, ImpulseProblem, begin_again, begin_sweeps
from screwgraph.motion.simulation.contacts.touching_model import TouchingModel
from screwgraph.motion.simulation.step_code import TracedSteps
from screwgraph.motion.simulation.step_function import FAR, OPEN, limit_efforts, relative_size
from screwgraph.spatial import choose, maximum, minimum
from screwgraph.spatial.manifolds.gliding import glide
from screwgraph.tape import Memory, Number, Routine, SettledWhen, SettlingLoop, dot
from screwgraph.tape.sparse_rows import multiply_transposed, multiply_vector, to_sparse_rows

PUSH_OUT = 0.5
"""Velocity (m/s, rad/s) at most at which bodies part that are within each other, and joints return to their range."""
IMPACT = 1e-2
"""Normal velocity (m/s) from which on an impact rebounds."""
ROUND, ROUNDS = 3, 1 + len(newton.FORCED)
"""Numbers of the state of rounds (whether to go on, rounds done, m/s by which laws are not obeyed), and how many."""
SOLVED = -1
"""Part before which impulses are found: the last one makes results of them."""
INERTIA = ("factor", "pivots", "K", "closing", "closing_pivots")
"""Terms by which impulses change velocities."""
UNBOUNDED = 1e300
"""Velocity (rad/s, m/s) that no joint reaches."""
GIVEN = ("q", "qd", "tau", "dt", "ground", PARAMETERS)
"""Arguments that terms depend on."""
VALUES = ("friction", "restitution", "compliance", "damping")
"""Numbers of a contact, in order: 1, 1, m/N, N s/m."""


@dataclass(frozen=True, eq=False)
class ContactStep:
    """The parts of a step, and the memory that they work in."""

    __repr__ = one_line

    model: TouchingModel
    arguments: tuple[Argument, ...]
    closing: Closing | None
    limits: Sequence[float] | None
    memory: Memory

    @cached_property
    def terms(self) -> Terms:
        """The terms that a step begins with."""
        return Terms(self.model, tuple(a for a in self.arguments if a.name in GIVEN))

    @cached_property
    def pattern(self) -> list[list[int]]:
        """The columns of each row of the lower triangle of the Delassus matrix, its diagonal among them."""
        return [sorted({*columns, i}) for i, columns in enumerate(self.terms.pattern("G"))]

    @property
    def closing_arguments(self) -> list[str]:
        """Names of arguments on which closing depends."""
        return [PARAMETERS] if self.closing is not None and self.model.parameters else []

    def routine(self) -> Routine:
        """Return the code of the step: terms, the problem of impulses, sweeps, the next state."""
        memory, manifold, k = self.memory, self.model.manifold, len(self.model.contacts)
        given = {argument.name: len(argument.names) for argument in self.arguments}
        sizes = {"q'": manifold.shape[0], "qd'": manifold.dim, "forces'": 3 * k, "gaps'": k, "solution": 2}
        for name, size in (*sizes.items(), *given.items()):
            memory.add(name, size)
        efforts = {name: size for name, size in given.items() if name == "tau"}
        for size in efforts.values():
            memory.add("effort", size)
        cut = [memory.block("cut", [name], ["effort"], self.cut) for name in efforts]
        begin = self.terms.add_to(memory, "effort")
        laws, m = self.model.laws, self.model.rows
        values, prepared = sum(law.values for law in laws), sum(law.prepared for law in laws)
        own = {
            "G'": sum(map(len, self.pattern)),
            "b'": m,
            "values": values,
            "prepared": prepared,
            "x": m,
            "state": STATE,
            "round": ROUND,
            "swept": m,
            "newton": newton.STATE,
        }
        for name, size in own.items():
            memory.add(name, size)
        problem = ["G'", "b'", "values", "prepared"]
        aim = memory.block(
            "aim",
            ["q", "dt", "contacts", "forces", "gaps", "axes", "rates", "G", "b"],
            [*problem, "x", "state", "round"],
            self.aim,
        )
        stick = memory.block("stick", [*problem, "x", "state", "round"], ["x", "state", "round"], self.stick)
        sweep = memory.block("sweep", [*problem, "x", "state"], ["x", "state"], self.sweep)
        judge = memory.block(
            "judge", [*problem, "x", "state", "round"], ["newton", "swept", "state", "round"], self.judge
        )
        accept = memory.block(
            "accept", [*problem, "x", "swept", "newton", "state", "round"], ["x", "state", "round"], self.accept
        )
        search = newton.add_newton(memory, problem, self._problem, m)
        # Sweeps of all blocks until they settle, then Newton's method from there; rounds repeat both until laws hold.
        passage = (
            SettlingLoop(memory.places("state").start, (sweep,)),
            judge,
            SettledWhen(memory.places("newton").start, (search, accept)),
        )
        end = memory.block(
            "end",
            ["x", "state", "round", "q", "dt", "gaps", "axes", "free", "J", *INERTIA, *self.closing_arguments],
            ["q'", "qd'", "forces'", "gaps'", "solution"],
            self.end,
        )
        first = memory.places("round").start
        search_on = SettledWhen(first, (SettlingLoop(first, passage),))
        # Where contacts only stick or are open, `stick` has solved the problem, and nothing is searched for.
        parts = (*cut, begin, aim, stick, search_on, end)
        inputs = tuple(place for name in given for place in memory.places(name))
        outputs = tuple(place for name in sizes for place in memory.places(name))
        names = tuple(name for argument in self.arguments for name in argument.names)
        return Routine(names, inputs, outputs, memory.size, parts)

    def follow(self, given: Mapping[str, Any], prepared: Numbers, x: Numbers) -> list[Number]:
        """Return velocities that are zero where laws hold, then the results, of impulses x that are given.

        What impulses make of velocities is found by solving for it, J W J' x, so that nothing here depends on G but
        what laws `prepared`, which moves no zero of theirs.
        """
        efforts = {name: self.cut(given[name]) for name in given if name == "tau"}
        at = self.terms.evaluate({**given, **efforts})
        q, dt, contacts, forces = (given[name] for name in ("q", "dt", "contacts", "forces"))
        none = [0.0] * len(at["G"])
        aimed = iter(self.aim(q, dt, contacts, forces, at["gaps"], at["axes"], at["rates"], none, at["b"]))
        rows = [{j: next(aimed) for j in columns} for columns in self.pattern]
        b, values = ([next(aimed) for _ in range(n)] for n in (self.model.rows, sum(w.values for w in self.model.laws)))
        inertia = [at[name] for name in INERTIA]
        J = self.terms.rows("J", at["J"])
        change = self.terms.inertia(*inertia).solve(multiply_transposed(J, x, len(self.model.free_velocities.free)))
        w = [
            u + row[i] * y + v
            for i, (u, row, y, v) in enumerate(zip(b, rows, x, multiply_vector(J, change), strict=True))
        ]
        found = list[Number]()
        for law, own, numbers, ready in ImpulseProblem(self.model.laws, rows, b, values, prepared).blocks():
            found += law.residual(x[own], w[own], numbers, ready)
        state, round_, ends = [0.0] * STATE, [0.0] * ROUND, (at["gaps"], at["axes"], at["free"], at["J"])
        return [
            *found,
            *self.end(x, state, round_, q, dt, *ends, *inertia, *(given[name] for name in self.closing_arguments)),
        ]

    def cut(self, tau: Any) -> list[Number]:
        """Return efforts within their limits."""
        return list(tau) if self.limits is None else limit_efforts(tau, self.limits)

    def aim(
        self, q: Any, dt: Any, contacts: Any, forces: Any, gaps: Any, axes: Any, rates: Any, G: Any, b: Any
    ) -> list[Number]:
        """Return the problem: G and b with the contacts' springs and rebounds, values of laws; x, the state.

        A spring k and a damper d push with -k (gap + h w) - d w at the end of the step, so that w + R x + gap k / (h k
        + d) = 0, R = 1 / (h (h k + d)). Before it touches, a contact does not stop before the ground: w + gap / h >= 0.
        An impact with rebound is rigid.
        """
        terms, (h,), b = self.terms, dt, self.terms.full("b", b)
        rows = [{j: row.get(j, 0.0) for j in own} for row, own in zip(terms.rows("G", G), self.pattern, strict=True)]
        axes, x, values, prepared = self._axes(axes), list[Number](), list[Number](), list[Number]()
        for c, (gap, rate) in enumerate(zip(terms.full("gaps", gaps), terms.full("rates", rates), strict=True)):
            friction, restitution, compliance, damping = contacts[4 * c : 4 * c + 4]
            # With compliance s = 1 / k: 1 / (h + s d) = k / (h k + d), and R = s / (h (h + s d)); s = 0 is rigid.
            i, scale = 3 * c, 1.0 / (h + compliance * damping)
            rebound = choose(gap + h * b[i] < 0.0, choose(rate < -IMPACT, restitution, 0.0), 0.0)
            rests = choose(gap > 0.0, gap / h, maximum(gap * scale, -PUSH_OUT))
            b[i] = b[i] + choose(rebound > 0.0, rebound * rate, rests)
            # Deep in the ground R is less: a body at rest feels -k gap, one that parts at PUSH_OUT nothing.
            soft = compliance * scale / h * (PUSH_OUT / maximum(-(gap * scale), PUSH_OUT))
            rows[i][i] = rows[i][i] + choose(rebound > 0.0, 0.0, soft)
            x += [h * dot(axis, forces[i : i + 3]) for axis in axes[c]]
            values.append(friction)
        for at, _, lower, upper, rubs in self.model.stop_rows:
            values.append(minimum((lower - q[at]) / h, PUSH_OUT) if np.isfinite(lower) else -UNBOUNDED)
            values.append(maximum((upper - q[at]) / h, -PUSH_OUT) if np.isfinite(upper) else UNBOUNDED)
            values += [h * rubs] if rubs else []
        values += [h * bound for _, bound in self.model.rubbing]
        i = 0
        for law in self.model.laws:
            prepared += law.prepare([[rows[i + r].get(i + s, 0.0) for s in range(r + 1)] for r in range(law.rows)])
            i += law.rows
        x += [0.0] * (i - len(x))
        return [*(x for row in rows for x in row.values()), *b, *values, *prepared, *x, *begin_sweeps(h), 1.0, 0.0, 0.0]

    def stick(self, G: Any, b: Any, values: Any, prepared: Any, x: Any, state: Any, round_: Any) -> list[Number]:
        """Return impulses of contacts that stick or are open, where these are the solution, and that nothing is left.

        Else nothing changes.
        """
        found, worst = solve_active_rows(self._problem(G, b, values, prepared), list(x))
        goes = choose(worst <= state[2], 0.0, 1.0)
        is_left = goes > 0.5
        kept = [choose(is_left, old, new) for old, new in zip(x, found, strict=True)]
        return [*kept, goes, 1.0 - goes, *state[2:], goes, round_[1], choose(is_left, round_[2], worst)]

    def sweep(self, G: Any, b: Any, values: Any, prepared: Any, x: Any, state: Any) -> list[Number]:
        """Return the impulses and the state after a sweep."""
        ahead, after = self._problem(G, b, values, prepared).passage(list(x), list(state))
        return [*ahead, *after]

    def judge(self, G: Any, b: Any, values: Any, prepared: Any, x: Any, state: Any, round_: Any) -> list[Number]:
        """Return Newton's state, the impulses beside it, and whether there is another round."""
        problem, (goes, done, left) = self._problem(G, b, values, prepared), round_
        begun, worst = newton.begin_newton(problem, list(x), list(state), goes, done)
        more, is_on = choose(done < ROUNDS - 1.5, begun[0], 0.0), goes > 0.5
        ahead = [choose(is_on, done + 1.0, done), choose(is_on, worst, left)]
        return [*begun, *x, *begin_again(list(state), more), more, *ahead]

    def accept(
        self, G: Any, b: Any, values: Any, prepared: Any, x: Any, swept: Any, method: Any, state: Any, round_: Any
    ) -> list[Number]:
        """Return impulses after Newton's method, those before it where these obey the laws better."""
        _, passages, _, _, left = method
        is_nearer = left < round_[2]
        kept = [choose(is_nearer, new, old) for new, old in zip(x, swept, strict=True)]
        left = choose(is_nearer, left, round_[2])
        more = choose(left > newton.UNSOLVED * state[2], round_[0], 0.0)
        return [*kept, more, state[1] + passages, *state[2:], more, round_[1], left]

    def end(
        self, x: Any, state: Any, round_: Any, q: Any, dt: Any, gaps: Any, axes: Any, free: Any, J: Any, *others: Any
    ) -> list[Number]:
        """Return the next state, forces and gaps, and how well the laws are obeyed."""
        terms, manifold, (h,), coupled = self.terms, self.model.manifold, dt, self.model.free_velocities
        inertia, (values, *_) = others[: len(INERTIA)], (*others[len(INERTIA) :], np.zeros(0))
        # v' = v_free + W J'x, where W is what velocities yield to impulses with loops closed.
        impulse = multiply_transposed(terms.rows("J", J), x, len(coupled.free))
        change = terms.inertia(*inertia).solve(impulse)
        moved = coupled.spread([h * (v + c) for v, c in zip(terms.full("free", free), change, strict=True)])
        step = np.array(moved, dtype=object)
        ahead, velocity = glide(manifold, q, step)
        velocity, space = velocity * (1.0 / h), TracedSteps(manifold)
        size = sum(manifold.turns(step), start=relative_size(step, FAR))
        if self.closing is not None:

            def close_near(K: Any, v: np.ndarray, rates: Sequence[Number] = ()) -> np.ndarray:
                every = to_sparse_rows(K)
                rows = coupled.gather_rows([every[i] for i in coupled.loops])
                near = terms.inertia(*inertia).close_near(rows, coupled.select(list(v)), rates)
                return np.array(coupled.spread(near), dtype=object)

            ahead, velocity, errors = self.closing(space, ahead, velocity, values, close_near)
            size = sum(space.turns, start=size + relative_size(errors, OPEN))
        is_sound = size < 1.0
        rate, forces = 1.0 / h, list[Number]()
        for c, own in enumerate(self._axes(axes)):
            forces += [rate * dot(column, x[3 * c : 3 * c + 3]) for column in zip(*own, strict=True)]
        ahead = [*ahead, *(choose(is_sound, v, np.nan) for v in velocity)]
        return [*ahead, *forces, *terms.full("gaps", gaps), round_[2], state[1]]

    def _problem(self, G: Any, b: Any, values: Any, prepared: Any) -> ImpulseProblem:
        numbers = iter(G)
        rows = [{j: next(numbers) for j in columns} for columns in self.pattern]
        return ImpulseProblem(self.model.laws, rows, list(b), list(values), list(prepared))

    def _axes(self, axes: Any) -> list[list[list[Number]]]:
        """Return the three axes of each contact."""
        numbers = self.terms.full("axes", axes)
        return [[numbers[i + 3 * r : i + 3 * r + 3] for r in range(3)] for i in range(0, len(numbers), 9)]
