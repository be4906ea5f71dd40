"""The answer of `solve` as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from screwgraph.model.robot import Joint, units
from screwgraph.ui.cli.console import make_output_console
from screwgraph.ui.cli.problem_functions import EFFORT
from screwgraph.ui.cli.solve_result import SolveResult
from screwgraph.ui.cli.table_style import make_table

if TYPE_CHECKING:
    from rich.table import Table

SHOWN_STATES = 10
"""More states than these are not printed as tables."""


def print_answer(answer: SolveResult, algorithm: bool) -> None:
    """Print what was solved, a table for each state, and the elimination if it is asked for."""
    console = make_output_console()
    operations = answer.function.operations
    console.print(
        f"{answer.robot.name}: {answer.problem.value} dynamics, ordering {answer.function.ordering}, "
        f"{operations.total} operations ({', '.join(str(operations).split('  '))})",
        style="bold",
    )
    console.print(f"at {answer.state.origin}\n")
    states = list(np.ndindex(*answer.state.batch))
    for number, at in enumerate(states[:SHOWN_STATES], start=1):
        console.print(_table(answer, at, f"state {number} of {len(states)}" if answer.state.batch else ""))
        if answer.actuators:
            console.print(_efforts(answer, at))
        for name, wrench in zip(answer.state.frames, answer.state.wrenches[at], strict=True):
            console.print(
                f"external wrench on {name}: "
                f"moment {_format_values(wrench[:3])} N m, force {_format_values(wrench[3:])} N"
            )
        console.print()
    if len(states) > SHOWN_STATES:
        console.print(f"... and {len(states) - SHOWN_STATES} more states (--json prints all)")
    if algorithm:
        console.print(answer.function.algorithm())


def _table(answer: SolveResult, at: tuple[int, ...], title: str) -> Table:
    first = next(iter(answer.robot.joint_names), "")
    kinds = ((answer.given_kind(first), "given"), (answer.result_kind(first), "result"))
    heads = [f"{kind} ({what})" for kind, what in kinds if kind != EFFORT]
    heads = [what for _, what in kinds] if answer.accelerations else heads
    table = make_table(title, "joint", "q", "qd", *heads)
    for joint in answer.robot.joints:
        for row in _rows(answer, joint, at):
            table.add_row(*row)
    return table


def _rows(answer: SolveResult, joint: Joint, at: tuple[int, ...]) -> Iterator[Sequence[str]]:
    """Yield one row for each coordinate; positions can be more than velocities."""
    measured, state = units(joint.type), answer.state
    v = answer.robot.v_slices[joint.name]
    unit = {"qdd": measured.acceleration, "tau": measured.effort}
    numbers = ((answer.given_kind(joint.name), state.given[at]), (answer.result_kind(joint.name), answer.result[at]))
    columns = [
        _cells(state.q[at][answer.robot.q_slices[joint.name]], measured.position),
        _cells(state.qd[at][v], measured.velocity),
        *(_cells(values[v], unit[kind]) for kind, values in numbers if kind != EFFORT),
    ]
    for i, cells in enumerate(zip_longest(*columns, fillvalue="")):
        yield (joint.name if i == 0 else "", *cells)


def _efforts(answer: SolveResult, at: tuple[int, ...]) -> Table:
    given = answer.given_kind(answer.robot.joint_names[0]) == EFFORT
    table = make_table("", "actuator", f"effort ({'given' if given else 'result'}; N m, N)", "drives")
    drives = {actuator.name: actuator.text for actuator in answer.robot.actuators}
    for name, value in answer.efforts(at).items():
        table.add_row(name, f"{value:>9.4g}", drives[name])
    return table


def _cells(values: np.ndarray, unit: Sequence[str]) -> list[str]:
    return [f"{value:>9.4g} {name}" for value, name in zip(values, unit, strict=True)]


def _format_values(values: np.ndarray) -> str:
    return " ".join(f"{value:.5g}" for value in values)
