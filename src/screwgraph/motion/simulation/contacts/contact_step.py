"""A time step with contacts as code: from q, qd, tau, dt and the last impulses to the next state and its impulses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler import PARAMETERS, Argument
from screwgraph.motion.simulation.closure_code import Closing
from screwgraph.motion.simulation.contacts import newton
from screwgraph.motion.simulation.contacts.active_rows import StickingSystem, find_yields
from screwgraph.motion.simulation.contacts.laws import Numbers
from screwgraph.motion.simulation.contacts.second_solution import look_again, push_argument
from screwgraph.motion.simulation.contacts.step_terms import Terms
from screwgraph.motion.simulation.contacts.sweeps import STATE, ImpulseProblem, begin_again, begin_sweeps, rounding
from screwgraph.motion.simulation.contacts.touching_model import TouchingModel
from screwgraph.motion.simulation.step_code import TracedSteps, make_plain_argument
from screwgraph.motion.simulation.step_efforts import StepEfforts
from screwgraph.motion.simulation.step_function import FAR, OPEN, relative_size
from screwgraph.spatial import choose, maximum, minimum
from screwgraph.spatial.manifolds.gliding import glide
from screwgraph.tape import Block, Memory, Number, Routine, SettledWhen, SettlingLoop, dot
from screwgraph.tape.sparse_rows import multiply_transposed, multiply_vector, to_sparse_rows

PUSH_OUT = 0.5
"""Velocity (m/s, rad/s) at most at which bodies part that are within each other, and joints return to their range."""
IMPACT = 1e-2
"""Normal velocity (m/s) from which on an impact rebounds."""
ROUND, ROUNDS = 3, 1 + len(newton.FORCED)
"""Numbers of the state of rounds (whether to go on, rounds done, m/s by which laws are not obeyed), and how many."""
SOLVED = -1
"""Part before which impulses are found: the last one makes results of them."""
INERTIA = ("factor", "pivots")
"""Terms by which impulses change velocities."""
UNBOUNDED = 1e300
"""Velocity (rad/s, m/s) that no joint reaches."""
ROWS = ("J", "soles", "places")
"""Terms that rows of all contacts are made of."""
GIVEN = ("dt", "ground", PARAMETERS)
"""Arguments that terms depend on, beside the state and efforts."""
VALUES = ("friction", "restitution", "compliance", "damping")
"""Numbers of a contact, in order: 1, 1, m/N, N s/m."""


@dataclass(frozen=True, eq=False)
class ContactStep:
    """The parts of a step, and the memory that they work in."""

    __repr__ = one_line

    model: TouchingModel
    arguments: tuple[Argument, ...]
    closing: Closing | None
    efforts: StepEfforts
    memory: Memory

    @cached_property
    def terms(self) -> Terms:
        """The terms that a step begins with."""
        state = [make_plain_argument(argument) for argument in self.model.state]
        return Terms(self.model, (*state, *(a for a in self.arguments if a.name in GIVEN)))

    @cached_property
    def pattern(self) -> list[list[int]]:
        """The columns of each row of the lower triangle of the Delassus matrix, its diagonal among them."""
        terms, rng = self.terms, np.random.default_rng(0)  # any numbers, so that nothing cancels
        names = (*ROWS, *INERTIA)
        at = {name: rng.normal(size=np.prod(terms.shapes[name], dtype=int)).tolist() for name in names}
        G = terms.inertia(*(at[name] for name in INERTIA)).yielding(terms.full_rows(*(at[name] for name in ROWS)))
        return [sorted({*row, i}) for i, row in enumerate(G)]

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
        # What later parts read stands beside the terms: code of many numbers takes these where they are.
        held = {f"held {name}": given[name] for name in ("q", "dt", "contacts", "forces", *self.closing_arguments)}
        for name, size in held.items():
            memory.add(name, size)
        flags = ["second", "again"] if self.model.whirls else []
        for name in flags:
            memory.add(name, 1)
        begun, second = [name.removeprefix("held ") for name in held], flags[:1]
        hold = memory.block("hold", begun, [*held, *second], lambda *x: [*chain(*x), *(0.0 for _ in second)])
        cut = list[Block]()
        if reads := self.efforts.find_inputs(list(given)):
            memory.add("effort", sum(len(a.names) for a in self.model.state if a.name == "tau"))
            cut.append(memory.block("cut", reads, ["effort"], partial(self.find_efforts, reads)))
        efforts = "effort" if cut else "tau"
        begin = self.terms.add_to(memory, efforts)
        laws, m = self.model.laws, self.model.rows
        values, prepared = sum(law.values for law in laws), sum(law.prepared for law in laws)
        own = {
            "b'": m,
            "R": m,
            "values": values,
            "x": m,
            "change": len(self.model.free_velocities.free),
            "state": STATE,
            "round": ROUND,
            "G'": sum(map(len, self.pattern)),
            "prepared": prepared,
            "swept": m,
            "newton": newton.STATE,
        }
        for name, size in own.items():
            memory.add(name, size)
        problem = ["G'", "b'", "values", "prepared"]
        aim = memory.block(
            "aim",
            [*[*held][:4], "gaps", "axes", "rates", "b", "A", "arcs", "drift", *ROWS, *INERTIA],
            ["b'", "R", "values", "x", "change", "state", "round"],
            self.aim,
        )
        start = memory.block("start", ["dt", "forces", "axes", "x", "round"], ["x"], self.begin_search)
        sweep = memory.block("sweep", [*problem, "x", "state"], ["x", "state"], self.sweep)
        judge = memory.block(
            "judge", [*problem, "x", "state", "round"], ["newton", "swept", "state", "round"], self.judge
        )
        accept = memory.block(
            "accept", [*problem, "x", "swept", "newton", "state", "round"], ["x", "state", "round"], self.accept
        )
        improve = newton.add_newton(memory, problem, self._problem, m)
        # Sweeps of all blocks until they settle, then Newton's method from there; rounds repeat both until laws hold.
        passage = (
            SettlingLoop(memory.places("state").start, (sweep,)),
            judge,
            SettledWhen(memory.places("newton").start, (improve, accept)),
        )
        respond = memory.block("respond", ["x", "round", "change", *ROWS, *INERTIA], ["change"], self.respond)
        end = memory.block(
            "end",
            ["x", "state", "round", *[*held][:2], "gaps", "axes", "free", "change", *INERTIA, *[*held][4:]],
            ["q'", "qd'", "forces'", "gaps'", "solution"],
            self.end,
        )
        first = memory.places("round").start
        search = (start, self.yielding_block(), SettlingLoop(first, passage), respond)
        # Where contacts only stick or are open, `aim` has solved the problem, and nothing is searched for.
        solve = (aim, SettledWhen(first, search, is_rare=True))
        if self.model.whirls:
            reads, again = ["held dt", "qd", "free", "change", "x", "second"], memory.places("again").start
            look = memory.block("look", reads, ["again", "second"], self.look_again)
            renewed = Terms(self.model, (*self.terms.arguments, push_argument(m)))
            renew = renewed.renew(self.terms, memory, efforts, "again")
            solve = (SettlingLoop(again, (*solve, look, SettledWhen(again, (renew,)))),)
        parts = (hold, *cut, begin, *solve, end)
        inputs = tuple(place for name in given for place in memory.places(name))
        outputs = tuple(place for name in sizes for place in memory.places(name))
        names = tuple(name for argument in self.arguments for name in argument.names)
        return Routine(names, inputs, outputs, memory.size, parts)

    def yielding_block(self) -> Block:
        """Return the code of the Delassus matrix, with compliance, and of what laws prepare of it."""
        return self.memory.block("yielding", ["R", *ROWS, *INERTIA], ["G'", "prepared"], self.make_yielding)

    def follow(self, given: Mapping[str, Any], prepared: Numbers, x: Numbers) -> list[Number]:
        """Return velocities that are zero where laws hold, then the results, of impulses x that are given.

        What impulses make of velocities is found by solving for it, J W J' x, so that nothing here depends on G but
        what laws `prepared`, which moves no zero of theirs. The laws are those of the first solution.
        """
        at = self.terms.evaluate({**given, "tau": self.efforts.total(given)})
        q, dt, contacts = (given[name] for name in ("q", "dt", "contacts"))
        last = self.read_impulses(dt, given["forces"], at["axes"])
        b = self.terms.full_velocities(at["b"], at["drift"], at["places"])
        b, R, values, _ = self.make_problem(q, dt, contacts, last, at["gaps"], at["rates"], b, at["arcs"])
        J = self.terms.full_rows(*(at[name] for name in ROWS))
        change = self.find_change(x, *(at[name] for name in (*ROWS, *INERTIA)))
        w = [u + r * y + v for u, r, y, v in zip(b, R, x, multiply_vector(J, change), strict=True)]
        found, none = list[Number](), [dict[int, Number]() for _ in b]
        for law, own, numbers, ready in ImpulseProblem(self.model.laws, none, b, values, prepared).blocks():
            found += law.residual(x[own], w[own], numbers, ready)
        state, round_, ends = [0.0] * STATE, [0.0] * ROUND, (at["gaps"], at["axes"], at["free"], change)
        inertia, others = [at[name] for name in INERTIA], [given[name] for name in self.closing_arguments]
        return [*found, *self.end(x, state, round_, q, dt, *ends, *inertia, *others)]

    def find_efforts(self, names: Sequence[str], *vectors: Any) -> list[Number]:
        """Return all efforts, of arguments of some names."""
        return self.efforts.total(dict(zip(names, vectors, strict=True)))

    def make_problem(
        self, q: Any, dt: Any, contacts: Any, last: Numbers, gaps: Any, rates: Any, b: Any, arcs: Any
    ) -> tuple[list[Number], list[Number], list[Number], list[Number]]:
        """Return b with the contacts' springs and rebounds, the compliance R of each row, values of laws, arcs in b.

        A spring k and a damper d push with -k (gap + h w) - d w at the end of the step, so that w + R x + gap k / (h k
        + d) = 0, R = 1 / (h (h k + d)). Before it touches, a contact does not stop before the ground: w + gap / h >= 0.
        An impact with rebound is rigid.
        """
        terms, (h,), b = self.terms, dt, list(b)
        R, values, arrives = [0.0] * len(b), list[Number](), list[Number]()
        for c, (gap, rate) in enumerate(zip(terms.full("gaps", gaps), terms.full("rates", rates), strict=True)):
            friction, restitution, compliance, damping = contacts[4 * c : 4 * c + 4]
            # With compliance s = 1 / k: 1 / (h + s d) = k / (h k + d), and R = s / (h (h + s d)); s = 0 is rigid.
            i, scale = 3 * c, 1.0 / (h + compliance * damping)
            rebound = choose(gap + h * b[i] < 0.0, choose(rate < -IMPACT, restitution, 0.0), 0.0)
            rests = choose(gap > 0.0, gap / h, maximum(gap * scale, -PUSH_OUT))
            b[i] = b[i] + choose(rebound > 0.0, rebound * rate, rests)
            # Deep in the ground R is less: a body at rest feels -k gap, one that parts at PUSH_OUT nothing.
            soft = compliance * scale / h * (PUSH_OUT / maximum(-(gap * scale), PUSH_OUT))
            R[i] = choose(rebound > 0.0, 0.0, soft)
            values.append(friction)
            arrives.append(choose(gap + h * rate < 0.0, 1.0, 0.0))
        for at, _, lower, upper, rubs in self.model.stop_rows:
            values.append(minimum((lower - q[at]) / h, PUSH_OUT) if np.isfinite(lower) else -UNBOUNDED)
            values.append(maximum((upper - q[at]) / h, -PUSH_OUT) if np.isfinite(upper) else UNBOUNDED)
            values += [h * rubs] if rubs else []
        swings = self.terms.held.average_arcs(last, arrives, terms.full("arcs", arcs))
        b = [u + swing for u, swing in zip(b, swings, strict=True)]
        return b, R, [*values, *(h * bound for _, bound in self.model.rubbing)], swings

    def aim(
        self,
        q: Any,
        dt: Any,
        contacts: Any,
        forces: Any,
        gaps: Any,
        axes: Any,
        rates: Any,
        b: Any,
        A: Any,
        arcs: Any,
        drift: Any,
        J: Any,
        soles: Any,
        places: Any,
        factor: Any,
        pivots: Any,
    ) -> list[Number]:
        """Return b, R and values of laws; impulses and changes of velocities; the state, whether to search.

        These are the solution of contacts that stick or are open; where it does not obey all laws, another is searched
        for.
        """
        terms, (h,), laws = self.terms, dt, self.model.laws
        last, held = self.read_impulses(dt, forces, axes), terms.held
        free = terms.full_velocities(b, drift, places)
        b, R, values, swings = self.make_problem(q, dt, contacts, last, gaps, rates, free, arcs)
        rows, shared, inertia = terms.rows("J", J), terms.rows("soles", soles), terms.inertia(factor, pivots)
        Y, soft, alone = (
            [inertia.condense(row) for row in (*rows, *shared)],
            held.select(R),
            [len(r) == 1 for r in rows],
        )
        found = find_yields(inertia, Y, soft, terms.order, [*alone, *[False] * len(shared)])
        yields = held.spread(found)
        known, active, aims = list[Number](), list[Number](), list[Number]()
        blocks = list(ImpulseProblem(laws, [], b, values, [0.0] * sum(law.prepared for law in laws)).blocks())
        for law, own, numbers, _ in blocks:
            parts = law.guess(last[own], b[own], numbers, yields[own])
            for whole, part in zip((known, active, aims), parts, strict=True):
                whole += part
        places = terms.full("places", places)
        holds = held.hold(active, places, swings)
        right = held.select(
            [aim - own for aim, own in zip(aims, b, strict=True)],
            [-v for v in held.move_velocities(terms.full("drift", drift), holds)],
        )
        acts = held.select(active, [x for hold in holds for x in (hold.sticks, hold.sticks, hold.turns)])
        given, before = held.select(known), held.select(last)
        # Along rows that repeat others, impulses stay what they are.
        for i in terms.order.repeated:
            given[i] = choose(acts[i] > 0.5, before[i], given[i])
        Y[len(rows) :] = held.move_rows(Y[len(rows) :], holds)
        system = StickingSystem(terms.rows("A", A), inertia, Y, soft, terms.order, found)
        x, change = system.solve(system.factor(acts, rounding(h)), given, right)
        x, worst = held.distribute(x, holds, places, contacts[::4], active), 0.0
        moved = held.expand(multiply_vector(rows, change), multiply_vector(shared, change), places)
        w = [u + r * y + v for u, r, y, v in zip(b, R, x, moved, strict=True)]
        for law, own, numbers, _ in blocks:
            worst = maximum(worst, law.deviation(x[own], w[own], numbers, active[own], yields[own]))
        goes, _, *state = begin_sweeps(h)
        goes = choose(worst <= state[0], 0.0, goes)
        return [*b, *R, *values, *x, *change, goes, 1.0 - goes, *state, goes, 0.0, worst]

    def read_impulses(self, dt: Any, forces: Any, axes: Any) -> list[Number]:
        """Return the impulses of the step before; of stops and friction, zero."""
        found = [dt[0] * dot(a, forces[3 * c : 3 * c + 3]) for c, own in enumerate(self._axes(axes)) for a in own]
        return [*found, *[0.0] * (self.model.rows - len(found))]

    def begin_search(self, dt: Any, forces: Any, axes: Any, x: Any, round_: Any) -> list[Number]:
        """Return the impulses with which a search begins."""
        last, is_on = self.read_impulses(dt, forces, axes), round_[0] > 0.5
        return [choose(is_on, old, new) for old, new in zip(last, x, strict=True)]

    def make_yielding(self, R: Any, J: Any, soles: Any, places: Any, *inertia: Any) -> list[Number]:
        """Return the lower triangle of the Delassus matrix J W J' + R, and what laws prepare of it."""
        G = self.terms.inertia(*inertia).yielding(self.terms.full_rows(J, soles, places))
        prepared, i = list[Number](), 0
        rows = [{j: row.get(j, 0.0) for j in own} for row, own in zip(G, self.pattern, strict=True)]
        for k, (row, soft) in enumerate(zip(rows, R, strict=True)):
            row[k] = row[k] + soft
        for law in self.model.laws:
            prepared += law.prepare([[rows[i + r].get(i + s, 0.0) for s in range(r + 1)] for r in range(law.rows)])
            i += law.rows
        return [*(x for row in rows for x in row.values()), *prepared]

    def find_change(self, x: Any, J: Any, soles: Any, places: Any, *inertia: Any) -> list[Number]:
        """Return the change of velocities W J' x, where W is what velocities yield to impulses with loops closed."""
        impulse = multiply_transposed(self.terms.full_rows(J, soles, places), x, len(self.model.free_velocities.free))
        return self.terms.inertia(*inertia).solve(impulse)

    def respond(self, x: Any, round_: Any, change: Any, *terms: Any) -> list[Number]:
        """Return the change of velocities that impulses make which were searched for."""
        found = self.find_change(x, *terms)
        return [choose(round_[1] > 0.5, new, old) for new, old in zip(found, change, strict=True)]

    def look_again(self, dt: Any, qd: Any, free: Any, change: Any, x: Any, second: Any) -> list[Number]:
        """Return whether there is a second solution after this one, and whether the next is the second."""
        end = [v + c for v, c in zip(self.terms.full("free", free), change, strict=True)]
        return look_again(dt, [*self.model.free_velocities.select(list(qd)), *end], x, second)

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
        self,
        x: Any,
        state: Any,
        round_: Any,
        q: Any,
        dt: Any,
        gaps: Any,
        axes: Any,
        free: Any,
        change: Any,
        *others: Any,
    ) -> list[Number]:
        """Return the next state, forces and gaps, and how well the laws are obeyed."""
        terms, manifold, (h,), coupled = self.terms, self.model.manifold, dt, self.model.free_velocities
        inertia, (values, *_) = others[: len(INERTIA)], (*others[len(INERTIA) :], np.zeros(0))
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
        lost = choose(size < 1.0, 0.0, np.nan)
        rate, forces = 1.0 / h, list[Number]()
        for c, own in enumerate(self._axes(axes)):
            forces += [rate * dot(column, x[3 * c : 3 * c + 3]) for column in zip(*own, strict=True)]
        ahead = [*ahead, *(v + lost for v in velocity)]
        return [*ahead, *forces, *terms.full("gaps", gaps), round_[2], state[1]]

    def _problem(self, G: Any, b: Any, values: Any, prepared: Any) -> ImpulseProblem:
        numbers = iter(G)
        rows = [{j: next(numbers) for j in columns} for columns in self.pattern]
        return ImpulseProblem(self.model.laws, rows, list(b), list(values), list(prepared))

    def _axes(self, axes: Any) -> list[list[list[Number]]]:
        """Return the three axes of each contact."""
        numbers = self.terms.full("axes", axes)
        return [[numbers[i + 3 * r : i + 3 * r + 3] for r in range(3)] for i in range(0, len(numbers), 9)]
