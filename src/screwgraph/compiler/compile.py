"""From a robot's problem and an order to a function of arrays: passes, elimination, straight-line code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from screwgraph.compiler.analytic import TreeProblem
from screwgraph.compiler.cache import Made, remembered
from screwgraph.compiler.function import Function, Origin
from screwgraph.compiler.loops import chosen
from screwgraph.compiler.problem import Problem, robot_arguments, without_metadata
from screwgraph.compiler.searched import SEARCHED, Search, default_seconds, searched
from screwgraph.compiler.signature import Argument, Result
from screwgraph.compiler.validation import validated
from screwgraph.elimination import Dag, Ordering, eliminate, orderings
from screwgraph.errors import EliminationError
from screwgraph.graph import Column, Key
from screwgraph.lowering import GRAPH_PASSES, KEEPS_VARIABLES, ROBOT_PASSES
from screwgraph.tape import Number, Program, factor_out, program

Order = str | Ordering | Search | Sequence[str | Key]
"""The name of an order, "auto", an Ordering, a list of variables, or a search."""


@dataclass(frozen=True, eq=False)
class _Recipe:
    """How code for a problem is made: in an order, which may depend on the graph that passes made."""

    problem: Problem
    label: str
    order: Ordering | Sequence[Any]
    passes: tuple[str, ...]

    def eliminated(self, passes: Sequence[str]) -> Dag:
        """Eliminate the graph that passes make."""
        robot = self.problem.improved(passes)
        graph = self.problem.graph(robot, passes)
        return eliminate(graph, self.order, constants=self.problem.constants)

    def code(self, inputs: Sequence[str]) -> Program:
        """Make straight-line code of the named inputs; all passes."""
        dag = self.eliminated(self.passes)
        return factor_out(program(dag.equations.tape, self._outputs(dag), inputs))

    def savings(self) -> dict[str, int]:
        """Count the operations before any pass and after each."""
        done = {}
        for i, name in enumerate(("as it is", *self.passes)):
            dag = self.eliminated(self.passes[:i])
            done[name] = last = program(dag.equations.tape, self._outputs(dag))
        done["common factors"] = factor_out(last)
        return {name: made.operations.total for name, made in done.items()}

    def origin(self, made: Made) -> Origin:
        """Return what people may ask about the code, made when they do."""
        asked = replace(self.problem, robot=without_metadata(self.problem.robot))
        return Origin(lambda: self.eliminated(()), self.savings, TreeProblem(asked))

    def _outputs(self, dag: Dag) -> list[Number]:
        return self.problem.outputs(dag.solution, dag.graph)


def compile_problem(problem: Problem, ordering: Order, candidates: Sequence[str]) -> Function:
    """Eliminate and make code, or find it in the cache; searches begin with the orders named in `candidates`.

    What a search finds is kept as the answer to "auto".

    Raises:
        EliminationError: the order is impossible or the problem is singular.
        InputError: no order has that name.
    """
    if isinstance(ordering, Search):
        return _compile_searched(problem, candidates, ordering, anew=True)
    if ordering == "auto":
        return _compile_searched(problem, candidates, Search(seconds=default_seconds()))
    listed = isinstance(ordering, Ordering) or (isinstance(ordering, Sequence) and not isinstance(ordering, str))
    recipe = _in_order(problem, ordering) if listed else _by_name(problem, ordering)
    maker = (ordering, orderings.ORDERINGS[ordering]) if isinstance(ordering, str) else ordering
    question = (_asked(problem), maker, ROBOT_PASSES, GRAPH_PASSES)
    make = partial(_made, recipe)
    return make_function(problem.name, question, robot_arguments(problem.robot, problem.arguments), make, recipe.origin)


def _compile_searched(problem: Problem, candidates: Sequence[str], effort: Search, *, anew: bool = False) -> Function:
    """Search for a cheap order, or find in the cache what a search found; `anew` searches and replaces that."""

    def make(inputs: Sequence[str]) -> Made:
        found = searched(problem, candidates, effort, inputs)
        if found is not None:
            with suppress(EliminationError):
                return replace(found, program=validated(problem, found.program, found.ordering))
        return _first_possible(problem, candidates, inputs)

    def origin(made: Made) -> Origin:
        return _found(problem, made).origin(made)

    makers = [(name, orderings.ORDERINGS[name]) for name in candidates]
    question = (_asked(problem), "auto", makers, effort.seconds > 0.0, ROBOT_PASSES, GRAPH_PASSES)
    arguments = robot_arguments(problem.robot, problem.arguments)
    return make_function(problem.name, question, arguments, make, origin, anew=anew)


def _first_possible(problem: Problem, names: Sequence[str], inputs: Sequence[str]) -> Made:
    """Return code in the first of the named orders that is possible, where what a search found is not."""
    for name in names[:-1]:
        with suppress(EliminationError):
            return _made(_by_name(problem, name), inputs)
    return _made(_by_name(problem, names[-1]), inputs)


def _made(recipe: _Recipe, inputs: Sequence[str]) -> Made:
    return Made(validated(recipe.problem, recipe.code(inputs), recipe.label), recipe.label)


def _asked(problem: Problem) -> Problem:
    return replace(problem, robot=without_metadata(problem.robot))


def _found(problem: Problem, made: Made) -> _Recipe:
    """Return the recipe of what a search found: a named order, one with loops treated one by one, or no named one."""
    if made.ordering == SEARCHED:
        return _searched(problem, made.order)
    if made.order:
        return _Recipe(problem, made.ordering, chosen(made.ordering, made.order), problem.passes)
    return _by_name(problem, made.ordering)


def _searched(problem: Problem, order: Sequence[Key | Column]) -> _Recipe:
    """Return the recipe of the robot's own graph in the order in which a search let its variables go."""
    unknown = [v.key for v in problem.graph(problem.robot, ()).unknowns]
    first = [key for key in order if key in unknown]
    last = [key for key in unknown if key not in first]
    return _Recipe(problem, SEARCHED, [*first, *last], _kept(problem))


def _by_name(problem: Problem, name: Any) -> _Recipe:
    """Compile in a named order, which looks at the graph that all passes made."""
    return _Recipe(problem, name, orderings.by_name(name), problem.passes)


def _in_order(problem: Problem, order: Ordering | Sequence[str | Key]) -> _Recipe:
    """Compile in an order of the robot's own variables; passes that would add links are left out."""
    label = type(order).__name__ if isinstance(order, Ordering) else "explicit"
    return _Recipe(problem, label, order, _kept(problem))


def _kept(problem: Problem) -> tuple[str, ...]:
    return tuple(name for name in problem.passes if name in KEEPS_VARIABLES)


def make_function(
    name: str,
    question: object,
    arguments: tuple[Argument, ...],
    make: Callable[[Sequence[str]], Made],
    origin: Callable[[Made], Origin],
    shape: tuple[int, ...] | None = None,
    anew: bool = False,
) -> Function:
    """Make a function, or find its code in the cache.

    Args:
        name: what it is called.
        question: everything that the code depends on, as `remembered` wants it.
        arguments: what the function takes.
        make: makes the code, given the names of its inputs, which are those of the arguments.
        origin: what people may ask about that code.
        shape: of the result, by default that of a vector.
        anew: make the code again, and keep it in the place of what the cache has.
    """
    made = remembered(question, lambda: make([n for argument in arguments for n in argument.names]), anew=anew)
    result = Result("result", shape or (len(made.program.outputs),))
    return Function(name, arguments, (result,), made.program, made.ordering, origin(made))
