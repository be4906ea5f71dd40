"""From a problem and an order to a function of arrays: passes, elimination, straight-line code."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from screwgraph.base.errors import EliminationError
from screwgraph.base.progress_report import report_progress
from screwgraph.compiler.cache import CachedCode, get_or_make_code, look_up_code
from screwgraph.compiler.derivatives.analytic import TreeProblem
from screwgraph.compiler.function.function import Function
from screwgraph.compiler.function.provenance import Provenance
from screwgraph.compiler.function.singular_fallback import Chart, SingularFallback
from screwgraph.compiler.passes import finish_code, run_code_passes
from screwgraph.compiler.problem.loop_treatment import make_mixed_ordering
from screwgraph.compiler.problem.ordering_search import SEARCHED, Search, default_seconds, search_ordering
from screwgraph.compiler.problem.problem import (
    OF_JOINTS,
    Problem,
    argument,
    result,
    robot_arguments,
    robot_results,
    without_metadata,
)
from screwgraph.compiler.problem.validation import validate_residual
from screwgraph.compiler.signature import Argument, Result
from screwgraph.elimination import Dag, Ordering, cost, eliminate, orderings
from screwgraph.graph import Column, Key
from screwgraph.tape import Program, program

Order = str | Ordering | Search | Sequence[str | Key]
"""The name of an order, "auto", an Ordering, a list of variables, or a search."""


REGULAR, REGULAR_OF_TREES = ("ancestor", "cluster_lambda", "kkt"), ("articulated",)
"""Orders whose pivots vanish at singular positions only: of closed chains, and of trees."""
REGULAR_OF_COORDINATES = ("quasi_definite",)
"""The same of models in natural coordinates."""
MANY = 600
"""Inputs of a function whose code takes long to make: positions, velocities and torques of 200 joints."""


@dataclass(frozen=True, eq=False)
class _Recipe:
    """How code for a problem is made: in an order, which may depend on the graph that passes made."""

    problem: Problem
    label: str
    order: Ordering | Sequence[Any]
    passes: tuple[str, ...]

    def eliminate(self, passes: Sequence[str]) -> Dag:
        """Eliminate the graph that passes make."""
        return eliminate(self.problem.graph(passes), self.order)

    def code(self, inputs: Sequence[str] | None, passes: Sequence[str] | None = None) -> Program:
        """Make straight-line code of the named inputs; after all passes by default."""
        dag = self.eliminate(self.passes if passes is None else passes)
        report_progress("writing straight-line code")
        outputs = self.problem.outputs(dag.graph, dag.equations, dag.solution)
        return program(dag.equations.tape, outputs, inputs)

    def make_code(self, inputs: Sequence[str]) -> CachedCode:
        """Make code that was tried, with common factors taken out."""
        return CachedCode(validate_residual(self.problem, finish_code(self.code(inputs)), self.label), self.label)

    def code_by_pass(self) -> dict[str, Program]:
        """Return the code before any pass and after each."""
        done = {name: self.code(None, self.passes[:i]) for i, name in enumerate(("as it is", *self.passes))}
        return {**done, **dict(run_code_passes([*done.values()][-1]))}

    def origin(self, made: CachedCode, others: Sequence[Chart] = ()) -> Provenance:
        """Return what people may ask about the code, made when they do; `others` may answer where a pivot vanishes."""
        # A copy without the graphs that the problem caches: it is pickled with the function.
        vanished = SingularFallback(replace(self.problem), made.ordering, compile_problem, others)
        return Provenance(lambda: self.eliminate(()), self.code_by_pass, _analytic(self.problem), vanished)


def _analytic(problem: Problem) -> TreeProblem | None:
    """Return what may know closed forms; None where a graph is not a robot's."""
    stated = problem.stated
    bare = stated and replace(stated, robot=without_metadata(stated.robot))
    return TreeProblem(bare, problem.arguments, tuple(problem.asked)) if bare else None


def compile_problem(problem: Problem, ordering: Order) -> Function:
    """Eliminate and make code, or find it in the cache; what a search finds is kept as the answer to "auto".

    Raises:
        EliminationError: the order is impossible or the problem is singular.
        InputError: no order has that name.
    """
    if isinstance(ordering, Search):
        return _compile_searched(problem, ordering, time.monotonic, anew=True)
    if isinstance(ordering, str) and ordering == "auto":
        return _compile_searched(problem, Search(seconds=default_seconds()), time.thread_time)
    listed = isinstance(ordering, Ordering) or (isinstance(ordering, Sequence) and not isinstance(ordering, str))
    recipe = _in_order(problem, ordering) if listed else _by_name(problem, ordering)
    maker = (ordering, orderings.ORDERINGS[ordering]) if isinstance(ordering, str) else ordering
    return _function(problem, (problem.question, maker), recipe.make_code, recipe.origin)


def _compile_searched(problem: Problem, effort: Search, clock: Callable[[], float], *, anew: bool = False) -> Function:
    """Search for a cheap order, or find in the cache what a search found; `anew` searches and replaces that.

    "auto" counts the time of the processor: on a busy machine, too, it tries as many orders. What a shorter search
    found is searched for again, and replaced by what costs less.
    """
    makers, analytic = list(orderings.ORDERINGS.items()), _analytic(problem)

    def question(is_searched: bool) -> tuple[object, ...]:
        return problem.question, "auto", makers, is_searched

    def make(inputs: Sequence[str]) -> CachedCode:
        in_loops = analytic and analytic.answer(find_signature(problem)[0])
        if in_loops:
            return CachedCode(in_loops, REGULAR_OF_TREES[0])
        found = search_ordering(problem, effort, inputs, clock)
        if found is not None:
            with suppress(EliminationError):
                return replace(found, body=validate_residual(problem, found.program, found.ordering))
        return _first_possible(problem, inputs)

    def search(inputs: Sequence[str]) -> CachedCode:
        begun = clock()
        found = make(inputs)
        # A search that was asked for may end by its rounds; "auto" ends early only where nothing can be searched for.
        return replace(found, seconds=min(effort.seconds, clock() - begun) if anew else effort.seconds)

    def improve(before: CachedCode, inputs: Sequence[str]) -> CachedCode:
        if not 0.0 < before.seconds < effort.seconds:
            return before
        found = search(inputs)
        return min(found, replace(before, seconds=found.seconds), key=lambda made: cost(made.program))

    def origin(made: CachedCode) -> Provenance:
        recipe = _make_recipe(problem, made)
        found = replace(recipe.origin(made, _charts(problem, made)), analytic=analytic)
        if isinstance(made.body, Program):
            return found
        return replace(found, passes=lambda: {**recipe.code_by_pass(), "recursion in loops": made.body})

    asked = question(
        effort.seconds > 0.0 or look_up_code(question(True)) is not None
    )  # no search now, but one was before
    return _function(problem, asked, search, origin, improve=improve, anew=anew)


def _charts(problem: Problem, made: CachedCode) -> tuple[Chart, ...]:
    """Return the charts that may answer where a pivot of what "auto" chose vanishes; only its own if no other may."""
    if problem.robot is None:
        names = REGULAR_OF_COORDINATES if orderings.is_assembled(problem.plain) else (made.ordering,)
    else:
        names = REGULAR if problem.robot.is_closed else REGULAR_OF_TREES
    if problem.shares_torques:
        return (Chart("augmented", given_motion=True),)
    return tuple(map(Chart, names))


def _first_possible(problem: Problem, inputs: Sequence[str]) -> CachedCode:
    """Return code in the first of the named orders that is possible, where what a search found is not."""
    graph = problem.graph(problem.passes)
    names = REGULAR_OF_COORDINATES if orderings.is_assembled(graph) else orderings.candidates(graph)
    names += orderings.list_fallbacks(names)
    for name in names[:-1]:
        with suppress(EliminationError):
            return _by_name(problem, name).make_code(inputs)
    return _by_name(problem, names[-1]).make_code(inputs)


def _make_recipe(problem: Problem, made: CachedCode) -> _Recipe:
    """Return the recipe of what a search found: a named order, one with loops treated one by one, or no named one."""
    if made.ordering == SEARCHED:
        return _recipe_of_search(problem, made.order)
    if made.order:
        return _Recipe(problem, made.ordering, make_mixed_ordering(made.ordering, made.order), problem.passes)
    return _by_name(problem, made.ordering)


def _recipe_of_search(problem: Problem, order: Sequence[Key | Column]) -> _Recipe:
    """Return the recipe of the graph as it is in the order in which a search let its variables go."""
    unknown = [v.key for v in problem.plain.unknowns]
    first = [key for key in order if key in unknown]
    last = [key for key in unknown if key not in first]
    return _Recipe(problem, SEARCHED, [*first, *last], problem.mild_passes)


def _by_name(problem: Problem, name: Any) -> _Recipe:
    """Compile in a named order, which looks at the graph that all passes made."""
    return _Recipe(problem, name, orderings.find_ordering(name), problem.passes)


def _in_order(problem: Problem, order: Ordering | Sequence[str | Key]) -> _Recipe:
    """Compile in an order of the graph's own variables; passes that would add links are left out."""
    label = type(order).__name__ if isinstance(order, Ordering) else "explicit"
    return _Recipe(problem, label, order, problem.mild_passes)


def _function(
    problem: Problem,
    question: object,
    make: Callable[[Sequence[str]], CachedCode],
    origin: Callable[[CachedCode], Provenance],
    *,
    improve: Callable[[CachedCode, Sequence[str]], CachedCode] = lambda made, inputs: made,
    anew: bool = False,
) -> Function:
    arguments, results = find_signature(problem)
    return make_function(problem.name, question, arguments, make, origin, results, improve=improve, anew=anew)


def find_signature(problem: Problem) -> tuple[tuple[Argument, ...], tuple[Result, ...]]:
    """Return arguments and results; the graph is made only where a robot cannot tell them."""
    keys = [*problem.known, *problem.asked]
    if problem.model is not None and not problem.model.variables and all(key.role in OF_JOINTS for key in keys):
        robot = problem.model.robot
        return robot_arguments(robot, problem.arguments), robot_results(robot, problem.results)
    variables = problem.plain.variables
    arguments = (argument(name, [variables[key] for key in keys]) for name, keys in problem.arguments)
    return tuple(arguments), tuple(result(name, [variables[key] for key in keys]) for name, keys in problem.results)


def make_function(
    name: str,
    question: object,
    arguments: tuple[Argument, ...],
    make: Callable[[Sequence[str]], CachedCode],
    origin: Callable[[CachedCode], Provenance],
    results: tuple[Result, ...] | None = None,
    improve: Callable[[CachedCode, Sequence[str]], CachedCode] = lambda made, inputs: made,
    anew: bool = False,
    quietly: bool = False,
) -> Function:
    """Make a function, or find its code in the cache.

    Args:
        name: what it is called.
        question: everything that the code depends on, as `get_or_make_code` wants it.
        arguments: what the function takes.
        make: makes the code, given the names of its inputs, which are those of the arguments.
        origin: what people may ask about that code.
        results: what it returns, by default one vector.
        improve: returns code that takes the place of what the cache has, or just that.
        anew: make the code again, and keep it in the place of what the cache has.
        quietly: whether nobody is warned that there are many inputs.
    """
    inputs = [n for argument in arguments for n in argument.names]
    made = get_or_make_code(
        question,
        lambda: make(inputs if quietly else _warn_of_long_code(name, inputs)),
        improve=lambda found: improve(found, inputs),
        anew=anew,
    )
    results = results or (Result("result", (len(made.program.outputs),)),)
    return Function(name, arguments, results, made.body, made.ordering, origin(made))


def _warn_of_long_code(name: str, inputs: Sequence[str]) -> Sequence[str]:
    """Return the inputs; warn where they are so many that code takes more than half a minute."""
    if len(inputs) > MANY:
        warnings.warn(
            f"{name} of {len(inputs)} numbers: its code takes half a minute or more to make, and is then kept in the "
            'cache (of closed chains, a named order is quicker: ordering="embedding", "mixed", ...)',
            RuntimeWarning,
            stacklevel=2,
        )
    return inputs
