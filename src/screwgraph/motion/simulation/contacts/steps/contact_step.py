"""A time step with contacts as code: from q, qd, tau, dt and the last impulses to the next state and its impulses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler import PARAMETERS, Argument, make_numbered_argument
from screwgraph.motion.simulation.contacts.laws import newton
from screwgraph.motion.simulation.contacts.laws.sweeps import (
    STATE,
    ImpulseProblem,
    add_vectors,
    begin_sweeps,
    choose_vector,
    largest,
    rounding,
)
from screwgraph.motion.simulation.contacts.steps import jammed_contacts as jammed
from screwgraph.motion.simulation.contacts.steps.delassus_search import DelassusSearch
from screwgraph.motion.simulation.contacts.steps.energy_bound import EnergyBound
from screwgraph.motion.simulation.contacts.steps.first_solution import LAST, FirstSolution
from screwgraph.motion.simulation.contacts.steps.loop_closing import (
    CLOSING,
    PROBLEM,
    ROWS,
    LoopClosing,
)
from screwgraph.motion.simulation.contacts.steps.loop_turning import TURN, TURNS, LoopTurning
from screwgraph.motion.simulation.contacts.steps.named_vectors import EFFORTS, HELD, make_named_block
from screwgraph.motion.simulation.contacts.steps.propagation import FEW, LEAST, Propagation
from screwgraph.motion.simulation.contacts.steps.rebound_way import ReboundWay
from screwgraph.motion.simulation.contacts.steps.search_rounds import ROUND
from screwgraph.motion.simulation.contacts.steps.second_solution import look_again
from screwgraph.motion.simulation.contacts.steps.shorter_steps import (
    FAST,
    SHARES,
    SPLIT,
    WHOLE,
    ShorterSteps,
    find_lead,
    split_failed_step,
)
from screwgraph.motion.simulation.contacts.steps.sliding_contacts import expect_search
from screwgraph.motion.simulation.contacts.steps.step_parts import PlainParts, StepParts
from screwgraph.motion.simulation.contacts.steps.step_problem import make_problem
from screwgraph.motion.simulation.contacts.steps.step_terms import INERTIA, Terms
from screwgraph.motion.simulation.contacts.terms.touching_model import TouchingModel
from screwgraph.motion.simulation.step_code import make_plain_argument
from screwgraph.motion.simulation.step_efforts import StepEfforts
from screwgraph.motion.simulation.step_function import FAR, OPEN, relative_size
from screwgraph.spatial import choose, maximum, sqrt
from screwgraph.spatial.manifolds.gliding import glide
from screwgraph.tape import Block, Memory, Number, Part, Routine, SettledWhen, SettlingLoop, dot

GIVEN = ("dt", "ground", PARAMETERS)
"""Arguments that terms depend on, beside the state and efforts."""
FIRST = "first "
"""Before names of unknowns of a first solution."""
VALUES = ("friction", "restitution", "compliance", "damping")
"""Numbers of a contact, in order: 1, 1, m/N, N s/m."""


@dataclass(frozen=True, eq=False)
class ContactStep:
    """The parts of a step, and the memory that they work in."""

    __repr__ = one_line

    model: TouchingModel
    arguments: tuple[Argument, ...]
    efforts: StepEfforts
    memory: Memory

    @property
    def splits(self) -> bool:
        """Whether shorter steps stand in its place where it goes far."""
        return self.model.whirls

    @cached_property
    def terms(self) -> Terms:
        """The terms that a step begins with."""
        state = [make_plain_argument(argument) for argument in self.model.state]
        given = [a for a in self.arguments if a.name in GIVEN]
        turn = [make_numbered_argument(TURN, self.turning.size)] if self.turning else []
        return Terms(self.model, (*state, *given, *turn))

    @cached_property
    def turning(self) -> LoopTurning | None:
        """The turning of velocities as loops turn, where there are any."""
        return LoopTurning(self.model) if self.model.whirls and self.model.free_velocities.loops else None

    @cached_property
    def closing(self) -> LoopClosing | None:
        """The passages that close loops, where there are any."""
        return LoopClosing(self.model, self.terms) if self.model.free_velocities.loops else None

    @cached_property
    def rebound(self) -> ReboundWay:
        """The way that positions lack where contacts rebound."""
        return ReboundWay(self.model, self.terms)

    @cached_property
    def search(self) -> Propagation | DelassusSearch:
        """The search for impulses."""
        return (Propagation if self.model.propagates else DelassusSearch)(self.terms, self.memory)

    @cached_property
    def first(self) -> FirstSolution:
        """The solution that is tried before a search."""
        return FirstSolution(self.terms, self.closing)

    @property
    def closing_arguments(self) -> list[str]:
        """Names of arguments on which closing depends."""
        return [PARAMETERS] if self.closing is not None and self.model.parameters else []

    def routine(self, beside: StepParts | None = None) -> Routine:
        """Return the code of the step: terms, the problem of impulses, sweeps, the next state; and parts `beside`."""
        beside = beside or PlainParts(self.memory)
        memory, manifold, k = self.memory, self.model.manifold, len(self.model.contacts)
        given = {argument.name: len(argument.names) for argument in self.arguments}
        sizes = {"q'": manifold.shape[0], "qd'": manifold.dim, "forces'": 3 * k, "gaps'": k, "solution": 2}
        whole = {name: f"{WHOLE}{name}" if self.splits else name for name in given}
        for name, size in (*sizes.items(), *((whole[name], size) for name, size in given.items())):
            memory.add(name, size)
        held, hold = self._hold(given)
        reads, bound = self.efforts.find_inputs(list(given)), EnergyBound(self.model, self.terms)
        efforts = EFFORTS if reads else "tau"
        if reads:
            memory.add(EFFORTS, sum(len(a.names) for a in self.model.state if a.name == "tau"))
        if self.turning:
            memory.add(TURN, self.turning.size)
            memory.add(TURNS, 1)
        begin = self.terms.add_to(memory, efforts)
        for name, size in {**self._own_sizes, **(bound.sizes if self.model.whirls else {})}.items():
            memory.add(name, size)
        shorter = ShorterSteps(manifold, self.model.free_velocities) if self.splits else None
        if shorter:
            shorter.add_to(memory)
        prepare = beside.begin_slopes(given)
        cut = beside.make_parts("cut", reads, [EFFORTS], self.efforts.total) if reads else ()
        way, split = ["way", "closing"] if self.closing else [], [SPLIT] if self.splits else []
        way += [f"{WHOLE}dt"] if self.turning else []
        end = make_named_block(
            memory,
            "end",
            ["x", "state", "round", *held[:2], "gaps", "axes", "free", "change", *way, *split],
            ["q'", "qd'", "forces'", "gaps'", "solution", "fast", *split],
            self.end,
        )
        late = self.rebound.add_to(memory, [*ROWS, *INERTIA], self.closing is not None)
        solve = tuple(jammed.list_parts(memory, self.search_parts(held, late)))
        if self.model.whirls:
            reads, again = ["held dt", "qd", "free", "change", "x", "second"], memory.places("again").start
            look = memory.block("look", reads, ["again", "second"], self.look_again)
            renew = (*beside.keep_first(), self.terms.renew(memory, efforts, "again"))
            solve = (SettlingLoop(again, (*solve, look, SettledWhen(again, renew))),)
        ends: list[Part] = [end] if self.closing else [late, end, self.rebound.displace_end(memory)]
        if self.model.whirls:
            ends.append(bound.add_to(memory, efforts, beside.make_parts))
        impacts = self.rebound.list_impacts(memory, efforts)
        turn = self.turning.list_parts(memory, beside.make_parts) if self.turning else ()
        parts = (hold, *cut, *turn, begin, *impacts, *solve, *beside.list_slopes(list(given)), *ends)
        if shorter:
            parts = shorter.list_parts(memory, list(given), parts, beside.make_parts)
        parts = (*prepare, *parts)
        inputs = tuple(place for name in given for place in memory.places(whole[name]))
        outputs = tuple(place for name in sizes for place in memory.places(name))
        names = tuple(name for argument in self.arguments for name in argument.names)
        likely = expect_search(self.arguments, self.model.plane)
        return Routine(names, inputs, outputs, memory.size, parts, likely)

    def _hold(self, given: Mapping[str, int]) -> tuple[list[str], Block]:
        """Return names of arguments for later parts, and what puts these beside the terms; `given` are all sizes.

        Code of many numbers takes them where they are.
        """
        memory = self.memory
        held = [f"{HELD}{name}" for name in ("q", "dt", "contacts", "forces", *self.closing_arguments)]
        begun = [name.removeprefix(HELD) for name in held]
        for name in given if self.splits else ():
            memory.add(name, given[name])
        for new, old in zip(held, begun, strict=True):
            if self.splits:
                memory.alias(new, memory.places(old))
            else:
                memory.add(new, given[old])
        flags = ["second", "again"] if self.model.whirls else []
        for name in flags:
            memory.add(name, 1)
        copied, second = ([], []) if self.splits else (begun, held), flags[:1]
        block = memory.block("hold", copied[0], [*copied[1], *second], lambda *x: [*chain(*x), *(0.0 for _ in second)])
        return held, block

    @property
    def _own_sizes(self) -> dict[str, int]:
        """Sizes of vectors between the terms and the results."""
        laws, m, k = self.model.laws, self.model.rows, len(self.model.contacts)
        own = {
            "b'": m,
            "R": m,
            "values": sum(law.values for law in laws),
            "x": m,
            LAST: m,
            "change": len(self.model.free_velocities.free),
            "times": k,
            "aims": k,
            "arrive": m,
            "latest": 1,
            jammed.JAMS: 1,
            jammed.LEFT_OUT: 3 * k,
            "fast": 1,
            "state": STATE,
            "round": ROUND,
            "prepared": sum(law.prepared for law in laws),
            "swept": m,
            "newton": newton.STATE,
        }
        own |= {SPLIT: SHARES} if self.splits else {}
        return own | self.search.sizes | (self.closing.sizes if self.closing else {"way": own["change"]})

    def search_parts(self, held: Sequence[str], late: Part) -> Sequence[Part]:
        """Return the parts that find impulses; `held` are q, dt, contacts, forces and parameters.

        Of rebounds that are `late` positions of loops know in their first passage.
        """
        memory, search, closing = self.memory, self.search, self.closing
        begun = ["x", "second"] if self.model.whirls else []
        last = make_named_block(memory, "last", [held[1], held[3], "axes", *begun], [LAST], self.find_last)
        reads = [*held[:3], LAST, "gaps", "rates", "times", "aims", "arrive", "b", "arcs", "drift", "rub"]
        if isinstance(search, Propagation):
            writes = [*PROBLEM, "x", "state", "round", "least"]
            reads = [*reads, "places"]
            return last, make_named_block(memory, "aim", reads, writes, self.begin_propagation), *search.list_parts()
        aim = (last, *self.first.list_parts(memory, reads))
        reads, first = [LAST, "x", "round"], memory.places("round").start
        start = memory.block(
            "start", [*reads, *(["closing"] if closing else [])], ["x", "tried", "direct"], self.begin_search
        )
        # Where contacts only stick or are open, the first solution has solved the problem, and nothing is searched for.
        parts = search.list_parts(start)
        if closing is None:
            return *aim, SettledWhen(first, parts, is_rare=True)
        return *aim, *closing.list_parts(memory, (SettledWhen(first, parts), late), held)

    def begin_propagation(self, at: Mapping[str, Any]) -> list[Number]:
        """Return b, R and values of laws, impulses of the step before, the state, and the least proximal term."""
        last, (h,) = at[LAST], at["dt"]
        problem = make_problem(self.terms, at, last)
        return [*chain(*problem[:3]), *last, *begin_sweeps(h, FEW), 1.0, 0.0, 0.0, LEAST * sqrt(rounding(h))]

    def find_last(self, at: Mapping[str, Any]) -> list[Number]:
        """Return the impulses of the step before, of a second solution those of the first one."""
        last = self.terms.read_impulses(at["dt"], at["forces"], at["axes"])
        return choose_vector(at["second"][0] > 0.5, at["x"], last) if "second" in at else last

    def begin_search(self, last: Any, x: Any, round_: Any, *closing: Any) -> list[Number]:
        """Return the impulses with which a search begins: the last ones, of a later passage its own.

        They are tried first; then follows the state of the method that does.
        """
        is_on = round_[0] > 0.5
        if closing:
            is_on = choose(closing[0][1] < 0.5, round_[0], 0.0) > 0.5
        found = choose_vector(is_on, last, x)
        return [*found, *found, round_[0], 0.0]

    def follow(self, given: Mapping[str, Any]) -> list[Number]:
        """Return velocities that are zero where laws hold, then the results, of impulses x that are given.

        After results of a model that whirls stand vectors that its energy is bounded by. What impulses make of
        velocities is found by solving for it, J W J' x, so that nothing here depends on G but what laws prepared, which
        moves no zero of theirs. Where there is a "first x", the solution is the second.
        """
        pushing = {**given, "tau": self.efforts.total(given)}
        at = {**pushing, **self.terms.evaluate(pushing)}
        at |= self.rebound.read_impacts(at)
        at["aims"] = jammed.stop_rebounds(at["aims"], given[jammed.JAMS][0])
        if (first := f"{FIRST}x") in given:
            at |= self.terms.evaluate_second(at, given[first])
        q, dt, x = given["q"], given["dt"], given["x"]
        last = given[first] if first in given else self.terms.read_impulses(dt, given["forces"], at["axes"])
        rows = self.first.read_rows(at)
        b, R, values, _ = make_problem(self.terms, at, last)
        b = choose_vector(given[jammed.JAMS][0] > 1.5, jammed.hold_contacts(self.terms, at, b), b)
        impulse = self.terms.push(x, *(at[name] for name in ROWS))
        inertia, free, opened = self.terms.inertia(*(at[name] for name in INERTIA)), at["free"], list[Number]()
        known = inertia.solve(impulse)
        pushed, change, late = self.rebound.follow(at, x, known)
        if self.closing is not None:
            cut, known = [u - v for u, v in zip(change, known, strict=True)], inertia.solve(impulse, given["beta"])
            change, (_, guess, _) = add_vectors(known, cut), self.first.guess(at, last)
            velocity = add_vectors(self.terms.full("free", free), change)
            lead = find_lead(largest(velocity), at) if self.splits else 0.0
            at["closing"] = [*[0.0] * (CLOSING - 1), lead]
            at["way"], opened = self.closing.follow(guess, x, velocity, late, {**at, "dt": [dt[0] + lead]})
        w = [u + r * y + v for u, r, y, v in zip(b, R, x, rows.move(known), strict=True)]
        found, none = list[Number](), [dict[int, Number]() for _ in b]
        for law, own, numbers, ready in ImpulseProblem(self.model.laws, none, b, values, given["prepared"]).blocks():
            found += law.residual(x[own], w[own], numbers, ready)
        at |= {"x": pushed, "change": change, "state": [0.0] * STATE, "round": [0.0] * ROUND}
        ends = self.end({name: vector for name, vector in at.items() if name != SPLIT})[:-1]
        if self.closing is None:
            n, m = len(q), len(q) + len(given["qd"])
            ends = [*self.rebound.displace(q, dt, free, change, late, at["times"], ends[:n], ends[n:m]), *ends[m:]]
        release = EnergyBound(self.model, self.terms).release(at) if self.model.whirls else []
        return [*found, *opened, *ends, *release]

    def look_again(self, dt: Any, qd: Any, free: Any, change: Any, x: Any, second: Any) -> list[Number]:
        """Return whether there is a second solution after this one, and whether the next is the second."""
        end = [v + c for v, c in zip(self.terms.full("free", free), change, strict=True)]
        return look_again(dt, [*self.model.free_velocities.select(list(qd)), *end], x, second)

    def end(self, at: Mapping[str, Any]) -> list[Number]:
        """Return the next state, forces and gaps, how well the laws are obeyed, and whether a coordinate is fast."""
        terms, manifold, (h,), coupled = self.terms, self.model.manifold, at["dt"], self.model.free_velocities
        q, x = at["q"], at["x"]
        velocity = [v + c for v, c in zip(terms.full("free", at["free"]), at["change"], strict=True)]
        velocity_free = velocity
        if self.closing is not None:
            ahead, velocity, step = self.closing.move(q, h + at["closing"][-1], velocity, at["way"])
        else:
            step = np.array(coupled.spread([h * v for v in velocity]), dtype=object)
            ahead, velocity = glide(manifold, q, step)
            ahead, velocity = self.model.couple(ahead), velocity * (1.0 / h)
        size = sum(manifold.turns(step), start=relative_size(step, FAR))
        if self.closing is not None:
            size = size + at["closing"][2] * (1.0 / OPEN**2)
        lost = choose(size < 1.0, 0.0, np.nan)
        rate, forces = 1.0 / h, list[Number]()
        for c, own in enumerate(terms.read_axes(at["axes"])):
            forces += [rate * dot(column, x[3 * c : 3 * c + 3]) for column in zip(*own, strict=True)]
        ahead = [*ahead, *(v + lost for v in velocity)]
        way, goes = h * largest(velocity_free), list[Number]()
        fast = choose(way > FAST, 1.0, 0.0)
        if self.closing and SPLIT in at:
            fast = maximum(fast, self.closing.swerve(velocity_free, at))
        if SPLIT in at:  # of shorter steps, those in which contacts push, though none goes that far
            fast = maximum(fast, choose(largest(x) > 0.0, at[SPLIT][1], 0.0))
            goes = split_failed_step(way, at["round"][2] / at["state"][2], at[SPLIT])
        return [*ahead, *forces, *terms.full("gaps", at["gaps"]), at["round"][2], at["state"][1], fast, *goes]
