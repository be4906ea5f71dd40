"""Complete search of small graphs: every order of variables, each distinct elimination once.

Two neighbours in an order that share no equation can change places without changing anything: of all orders that differ
by such exchanges only one is followed (sleep sets; Godefroid, 1996).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from screwgraph.elimination.engine import Elimination, eliminate_group
from screwgraph.elimination.equations import equations
from screwgraph.elimination.group import Group
from screwgraph.elimination.system import Step, System
from screwgraph.graph import FactorGraph, Key
from screwgraph.tape import factor_out, program


@dataclass(frozen=True)
class Optimum:
    """The cheapest order, its operations, and how many distinct eliminations there are.

    Orders in which a pivot would have to wait are not counted: they equal others.
    """

    order: tuple[Key, ...]
    operations: int
    eliminations: int


def exhaustive(graph: FactorGraph, wanted: Collection[str], first: Key | None = None) -> Optimum | None:
    """Search all orders of a graph's unknown variables for the code that takes the fewest operations.

    Args:
        graph: with its knowns declared; the work grows exponentially with the number of unknowns.
        wanted: kinds of variables that the code computes.
        first: only the share of the orders that begin with this variable; the shares of all unknowns together are all
            orders, each once. None if there is no order in this share.
    """
    system = equations(graph)
    sizes = {v.key: v.dim for v in graph.unknowns}
    outputs = [(key, i) for key, dim in sizes.items() if key.kind in wanted for i in range(dim)]
    best: Optimum | None = None
    count = 0
    for order, steps in _eliminations(System(system.rows), sizes, first):
        solution = Elimination(tuple(steps), ()).solve()
        code = factor_out(program(system.tape, [solution[column] for column in outputs]))
        count += 1
        if best is None or code.operations.total < best.operations:
            best = Optimum(tuple(order), code.operations.total, count)
    return best and Optimum(best.order, best.operations, count)


def _eliminations(
    system: System, sizes: dict[Key, int], first: Key | None = None
) -> Iterator[tuple[list[Key], list[Step]]]:
    tape = next(c.tape for terms in system.terms for c in terms.values() if hasattr(c, "tape"))

    def follow(state: System, left: Sequence[Key], asleep: set[Key], order: list[Key], steps: list[Step]) -> Iterator:
        if not left:
            yield order, steps
            return
        asleep, mark = set(asleep), tape.mark()
        for key in left:
            if key in asleep:
                continue
            if not order and first not in (None, key):
                asleep.add(key)
                continue
            tape.restore(mark)
            after, more = state.copy(), list(steps)
            near = _neighbours(state, key, sizes)
            if _eliminate_variable(after, key, sizes[key], more):
                rest = [k for k in left if k != key]
                yield from follow(after, rest, asleep - near, [*order, key], more)
            asleep.add(key)

    yield from follow(system, list(sizes), set(), [], [])


def _eliminate_variable(system: System, key: Key, dim: int, steps: list[Step]) -> bool:
    """Eliminate a variable; tell whether all of it went."""
    columns = tuple((key, i) for i in range(dim))
    waiting = dict.fromkeys(columns, 0)
    lost: list = []
    eliminate_group(system, Group(columns), waiting, steps, lost)
    return not waiting and not lost


def _neighbours(system: System, key: Key, sizes: dict[Key, int]) -> set[Key]:
    """Return the variables that share an equation with one now."""
    rows = {row for i in range(sizes[key]) for row in system.rows_of.get((key, i), ())}
    return {column[0] for row in rows for column in system.terms[row]}
