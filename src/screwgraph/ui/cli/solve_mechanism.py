"""`screwgraph solve` of planar mechanisms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph import InputError, Mechanism
from screwgraph.compiler import Function
from screwgraph.mechanics.mechanism import acceleration_problem, position_problem, velocity_problem
from screwgraph.model.mechanism import find_assembled_states
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.ui.cli.console import make_output_console, make_table
from screwgraph.ui.cli.problem_functions import GIVEN, compile_problem_function
from screwgraph.ui.cli.solve_result import SHOWN_STATES
from screwgraph.ui.cli.state_file import errors_in, read_entries

UNITS = {"q": ("m", "rad"), "qd": ("m/s", "rad/s"), "qdd": ("m/s^2", "rad/s^2"), "tau": ("N", "N m")}


@dataclass(frozen=True, eq=False)
class MechanismSolution:
    """Solution at N states: given and computed numbers, named as by the function, and where these are from."""

    mechanism: Mechanism
    problem: str
    function: Function
    origin: str
    values: Mapping[str, Float[np.ndarray, "N k"]]
    result: Float[np.ndarray, "N k"]
    result_names: tuple[str, ...]

    def names(self, argument: str) -> tuple[str, ...]:
        """Return what the numbers of an argument are, "qdd:theta" for instance."""
        return next(_bare(a.names) for a in self.function.arguments if a.name == argument)


def solve_mechanism(
    mechanism: Mechanism,
    problem: str,
    accelerations: Sequence[str],
    actuated: Sequence[str] | None,
    ordering: str,
    where: tuple[str | None, int | None, int],
) -> MechanismSolution:
    """Solve at the state of a JSON file, or at random ones: (file, how many, seed).

    Raises:
        InputError: a file that does not fit the mechanism, or what the functions of the problems raise.
    """
    file, count, seed = where
    function = compile_problem_function(mechanism, problem, accelerations, ordering, (), actuated)
    if file is not None:
        values, origin = _from_file(mechanism, function, problem, file), file
    else:
        values, origin = _random(mechanism, function, problem, count or 1, seed), f"random states, seed {seed}"
    with np.errstate(all="ignore"):  # the answer itself shows what is not finite
        result = function(*(values[a.name] for a in function.arguments))
    return MechanismSolution(
        mechanism, problem, function, origin, values, result, _results(mechanism, function, problem)
    )


def to_values(solution: MechanismSolution, algorithm: bool) -> dict[str, Any]:
    """Return a solution in values that JSON has."""
    function, operations = solution.function, solution.function.operations
    third = GIVEN[solution.problem]
    has_third = third in solution.values
    return {
        "mechanism": solution.mechanism.name,
        "problem": solution.problem,
        "ordering": function.ordering,
        "operations": {**operations.counts, "total": operations.total},
        "state": solution.origin,
        "coordinates": list(solution.mechanism.coordinates),
        "q": solution.values["q"],
        "qd": solution.values["qd"],
        "given": solution.values[third] if has_third else [],
        "given_names": list(solution.names(third)) if has_third else [],
        "result": solution.result,
        "result_names": list(solution.result_names),
        **({"algorithm": function.algorithm()} if algorithm else {}),
    }


def print_solution(solution: MechanismSolution, algorithm: bool) -> None:
    """Print what was solved, a table for each state, and the elimination if it is asked for."""
    console, function = make_output_console(), solution.function
    head = f"{solution.mechanism.name}: {solution.problem} dynamics, order {function.ordering}"
    console.print(f"{head}, {function.operations.total} operations", style="bold")
    console.print(f"at {solution.origin}\n")
    count = len(solution.result)
    for k in range(min(count, SHOWN_STATES)):
        table = make_table(f"state {k + 1} of {count}" if count > 1 else "", "variable", "given", "result")
        for argument in function.arguments:
            for name, value in zip(solution.names(argument.name), solution.values[argument.name][k], strict=True):
                table.add_row(name, _cell(name, value), "")
        for name, value in zip(solution.result_names, solution.result[k], strict=True):
            table.add_row(name, "", _cell(name, value))
        console.print(table)
        console.print()
    if count > SHOWN_STATES:
        console.print(f"... and {count - SHOWN_STATES} more states (--json prints all)")
    if algorithm:
        console.print(function.algorithm())


def _cell(name: str, value: float) -> str:
    kind, _, coordinate = name.partition(":")
    return f"{value:>9.4g} {UNITS[kind][':' not in coordinate]}"


def _bare(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name.removesuffix("[0]") for name in names)


def _results(mechanism: Mechanism, function: Function, problem: str) -> tuple[str, ...]:
    if problem == "forward":
        return tuple(f"qdd:{name}" for name in mechanism.coordinates)
    if problem == "hybrid":
        given = next(a.names for a in function.arguments if a.name == "given")
        return tuple(f"{'tau' if name.startswith('qdd') else 'qdd'}:{name.partition(':')[2]}" for name in _bare(given))
    return tuple(f"tau:{name}" for name in mechanism.motors)[: function.results[0].size]


def _random(
    mechanism: Mechanism, function: Function, problem: str, count: int, seed: int
) -> dict[str, Float[np.ndarray, "N k"]]:
    """Return assembled positions, velocities and accelerations that constraints allow, and what else is given."""
    rng, z = np.random.default_rng(seed), mechanism.independent_coordinates
    q, qd = draw_states(mechanism, count, rng)
    sizes = {a.name: len(a.names) for a in function.arguments}
    values = {"q": q, "qd": qd}
    if problem == "inverse":
        wanted = [dict(zip(z, _normal(rng, z), strict=True)) for _ in q]
        found = [acceleration_problem(mechanism, *state) for state in zip(q, qd, wanted, strict=True)]
        return values | {"qdd": np.array(found)}
    third = GIVEN[problem]
    return values | ({third: rng.standard_normal((count, sizes[third]))} if third in sizes else {})


def draw_states(
    mechanism: Mechanism, count: int, rng: np.random.Generator
) -> tuple[Float[np.ndarray, "N n"], Float[np.ndarray, "N n"]]:
    """Return assembled positions and velocities that constraints allow, the independent ones standard normal."""
    z = mechanism.independent_coordinates
    positions = find_assembled_states(mechanism, max(64, count))
    q = positions[rng.permutation(len(positions))[:count]]
    qd = [velocity_problem(mechanism, x, dict(zip(z, _normal(rng, z), strict=True))) for x in q]
    return q, np.array(qd)


def _normal(rng: np.random.Generator, names: Sequence[str]) -> list[float]:
    return rng.standard_normal(len(names)).tolist()


def _from_file(mechanism: Mechanism, function: Function, problem: str, file: str) -> dict[str, np.ndarray]:
    """Return the state that a JSON file gives, by names: what it does not name follows, or is zero."""
    entries, third = read_entries(file), GIVEN[problem]
    with errors_in(file):
        q, qd = complete_state(mechanism, entries, third)
        values = {"q": q, "qd": qd}
        if problem == "inverse":
            values["qdd"] = acceleration_problem(mechanism, q, qd, entries.get("qdd", {}))
        elif third in {a.name for a in function.arguments}:
            values[third] = _of_motors(mechanism, entries.get(third, {}))
        elif entries.get(third):
            raise InputError(f"{third} is given, and mechanism {mechanism.name!r} has no motors")
    return {name: np.asarray(value)[None] for name, value in values.items()}


def complete_state(
    mechanism: Mechanism, entries: Mapping[str, Any], *others: str
) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
    """Return the position and velocity of the entries "q" and "qd" of a state; `others` may stand beside them.

    Raises:
        InputError: another entry, one that is no mapping, or coordinates that do not determine a state.
    """
    for name, value in entries.items():
        if name not in ("q", "qd", *others):
            raise make_unknown_name_error("entry", name, ("q", "qd", *others))
        if not isinstance(value, dict):
            raise InputError(f"{name} is no mapping", fix=f'write {{"{name}": {{"coordinate": 0.1}}}}')
    q = position_problem(mechanism, entries.get("q", {}))
    return q, velocity_problem(mechanism, q, entries.get("qd", {}))


def _of_motors(mechanism: Mechanism, given: Mapping[str, Any]) -> np.ndarray:
    names = mechanism.motors
    values = np.zeros(len(names))
    for name, value in given.items():
        if name not in names:
            raise make_unknown_name_error("motor", name, names)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
            raise InputError(f"the value {value!r} of {name!r} is not a finite number")
        values[names.index(name)] = float(value)
    return values
