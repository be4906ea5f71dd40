"""The matrix that partial elimination leaves: all unknowns gone but those that are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from screwgraph.base.errors import EliminationError
from screwgraph.base.progress_report import report_progress
from screwgraph.compiler.cache import CachedCode
from screwgraph.compiler.compile import compile_problem, find_signature, make_function
from screwgraph.compiler.derivatives.analytic import LONG, is_tree_mass_matrix, make_mass_matrix_code, mean_depth
from screwgraph.compiler.function.function import Function
from screwgraph.compiler.function.provenance import Provenance
from screwgraph.compiler.function.singular_fallback import Chart, SingularFallback
from screwgraph.compiler.passes import run_code_passes
from screwgraph.compiler.problem.problem import Problem
from screwgraph.compiler.problem.validation import validate_stability
from screwgraph.compiler.signature import Argument, Result
from screwgraph.elimination import Dag, Elimination, cost, eliminate_rows, equations, orderings
from screwgraph.elimination.orderings.base import as_groups
from screwgraph.elimination.system import pairs_with
from screwgraph.graph import Key, Role
from screwgraph.tape import Code, Number, Program, program

SHORT = 4.0
"""How many joints carry a joint, on average, where columns in shared axes are tried: of chains of random joints, they
take fewer operations from 9 joints (5.0) on, a third less at 20 (10.5), half at 50."""


def compile_matrix(problem: Problem) -> Function:
    """Return A (n, n) of the equations A x = b that are left in the unknowns x that a problem asks for, symmetric.

    Its rows are those that pair with x: of joint accelerations the balances of torques, so that A is a mass matrix.
    All other unknowns are eliminated: links by composite inertias, then what loops and couplings determine.

    Raises:
        EliminationError: other unknowns do not follow from these.
    """

    def make(inputs: Sequence[str]) -> CachedCode:
        report_progress("eliminating all but joint accelerations")
        if _depth(problem) > LONG:
            return CachedCode(make_mass_matrix_code(problem, arguments, inputs, loops=True), "composite")
        code = min((code for _, code in _ways(problem, arguments, inputs)), key=cost)
        return CachedCode(validate_stability(problem, code, "composite"), "composite")

    def code_by_pass() -> dict[str, Code]:
        names = [name for a in arguments for name in a.names]
        if _depth(problem) > LONG:
            return {"loops over pairs": make_mass_matrix_code(problem, arguments, names, loops=True)}
        steps = enumerate(("as it is", *problem.passes))
        done = {name: _code(problem, problem.passes[:i], None) for i, name in steps}
        name, code = min(_ways(problem, arguments, names), key=lambda way: cost(way[1]))
        return {**done, name: code}

    arguments, results = find_signature(problem)
    size = sum(result.size for result in results)
    # A copy without the graphs that the problem caches: it is pickled with the function. There is no other order.
    vanished = SingularFallback(replace(problem), "composite", compile_problem, others=(Chart("composite"),))
    origin = Provenance(lambda: _eliminate_others(problem, ()), code_by_pass, vanished=vanished)
    question = ("matrix", problem.question)
    return make_function(problem.name, question, arguments, make, lambda _: origin, (Result("result", (size, size)),))


def _ways(problem: Problem, arguments: Sequence[Argument], inputs: Sequence[str]) -> Iterator[tuple[str, Program]]:
    """Yield the codes of which the cheapest may be one: of elimination, and of columns in axes that joints share."""
    *_, last = run_code_passes(_code(problem, problem.passes, inputs))
    yield last
    if _depth(problem) >= SHORT:
        yield "columns in shared axes", make_mass_matrix_code(problem, arguments, inputs, loops=False).unrolled


def _depth(problem: Problem) -> float:
    """Return how many joints carry a joint of a tree, on average; 0 of other robots."""
    return mean_depth(problem.robot) if problem.robot and is_tree_mass_matrix(problem) else 0.0


def _code(problem: Problem, passes: Sequence[str], inputs: Sequence[str] | None) -> Program:
    dag = _eliminate_others(problem, passes)
    return program(dag.equations.tape, _entries(dag, problem.asked), inputs)


def _eliminate_others(problem: Problem, passes: Sequence[str]) -> Dag:
    """Eliminate all unknowns but those that are asked for; nothing where all of them are."""
    graph = problem.graph(passes)
    system = equations(graph)
    if orderings.is_assembled(graph):
        groups = orderings.quasi_definite().order(graph.given(*problem.asked))
        return Dag(graph, system, eliminate_rows(system.rows, groups))
    last = (Role.COORDINATE_ACCELERATION, Role.MULTIPLIER)
    bodies = [g for g in as_groups(orderings.composite(), graph) if g.columns[0][0].role not in last]
    closing = orderings.embedding().closing(graph)
    return Dag(graph, system, eliminate_rows(system.rows, [*bodies, *closing]))


def _entries(dag: Dag, keys: Sequence[Key]) -> list[Number]:
    """Return the matrix row by row, on the tape of the elimination: its lower triangle, and that mirrored.

    The tape may take mirrored entries for two values, where constants were rounded in another order.
    """
    columns = [(key, i) for key in keys for i in range(dag.graph.variables[key].dim)]
    rows = [_row(dag.elimination, c) for c in columns]
    every = range(len(columns))
    return [rows[max(i, j)].get(columns[min(i, j)], 0.0) for i in every for j in every]


def _row(elimination: Elimination, column: tuple[Key, int]) -> dict:
    """Return the terms of the equation that pairs with an unknown; none where no equation has it: it moves no mass."""
    for row in elimination.remaining:
        is_balance = Role.COORDINATE_ACCELERATION in row.factor.template.conjugate
        if (is_balance or row.factor.multiplier == column[0]) and pairs_with(row, column):
            return dict(row.terms)
    if not any(column in row.terms for row in elimination.remaining):
        return {}
    raise EliminationError(
        f"{column[0]} pairs with no equation that is left: others do not follow from it",
        fix="choose other independent joints with robot.with_independent_joints(names)",
    )
