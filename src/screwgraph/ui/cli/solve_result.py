"""The answer of `solve`, as JSON and as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from screwgraph import Robot
from screwgraph.compiler import Function
from screwgraph.model.robot import Joint, units
from screwgraph.ui.cli.console import make_output_console, make_table
from screwgraph.ui.cli.problem_functions import EFFORT, name_third_argument
from screwgraph.ui.cli.state import State

if TYPE_CHECKING:
    from rich.table import Table

SHOWN_STATES = 10
"""More states than these are not printed as tables."""
RESULT = {"qdd": "tau", "tau": "qdd", EFFORT: "qdd"}
"""What is asked for where something is given."""


@dataclass(frozen=True, eq=False)
class SolveResult:
    """The result of a function at a state, or at each state of a batch.

    `accelerations` are as for `hybrid_dynamics`, `actuated` as for `inverse_dynamics`. With `actuators`, efforts of the
    robot's actuators are in the place of torques.
    """

    robot: Robot
    problem: str
    accelerations: tuple[str, ...]
    function: Function
    state: State
    result: Float[np.ndarray, "*batch m"]
    actuated: tuple[str, ...] | None = None
    actuators: bool = False

    def given_kind(self, joint: str) -> str:
        """Return what is given for a joint, "qdd" or "tau"; "effort" where that of actuators is."""
        if self.problem == "hybrid":
            return "qdd" if joint in self.accelerations else "tau"
        return name_third_argument(self.problem, self.actuators)

    def result_kind(self, joint: str) -> str:
        """Return what is asked for a joint, "qdd" or "tau"; "effort" where that of actuators is."""
        return EFFORT if self.actuators and self.problem == "inverse" else RESULT[self.given_kind(joint)]

    def efforts(self, at: tuple[int, ...]) -> dict[str, float]:
        """Return the efforts of actuators at a state, by name; none where there are torques of joints."""
        if not self.actuators:
            return {}
        given = self.problem == "forward"
        values = self.state.given[at] if given else self.result[at]
        return dict(zip(self.actuator_names, values.tolist(), strict=True))

    @property
    def actuator_names(self) -> tuple[str, ...]:
        """The actuators whose efforts are given or asked, in the order of the robot's."""
        names = tuple(actuator.name for actuator in self.robot.actuators)
        return names if self.actuated is None else tuple(name for name in names if name in self.actuated)


def to_json(answer: SolveResult, algorithm: bool) -> dict[str, Any]:
    """Return an answer in values that JSON has; arrays are lists, with leading axes for batches.

    `given` and `result` are in the order of the velocity coordinates, efforts in that of the actuators; `given_names`
    and `result_names` say what each number is, as "tau:joint1[0]".
    """
    state, operations = answer.state, answer.function.operations
    return {
        "robot": answer.robot.name,
        "problem": answer.problem,
        "accelerations": list(answer.accelerations),
        **({} if answer.actuated is None else {"actuated": list(answer.actuated)}),
        "ordering": answer.function.ordering,
        "operations": {**operations.counts, "total": operations.total},
        "state": state.origin,
        "joints": list(answer.robot.joint_names),
        "q": state.q,
        "qd": state.qd,
        "given": state.given,
        "given_names": _names(answer, answer.given_kind),
        "external_wrenches": {name: state.wrenches[..., i, :] for i, name in enumerate(state.frames)},
        "result": answer.result,
        "result_names": _names(answer, answer.result_kind),
        **({"algorithm": answer.function.algorithm()} if algorithm else {}),
    }


def _names(answer: SolveResult, kind: Callable[[str], str]) -> list[str]:
    joints = answer.robot.joints
    if joints and kind(joints[0].name) == EFFORT:
        return [f"{EFFORT}:{name}[0]" for name in answer.actuator_names]
    return [f"{kind(joint.name)}:{joint.name}[{i}]" for joint in joints for i in range(joint.type.nv)]


def print_answer(answer: SolveResult, algorithm: bool) -> None:
    """Print what was solved, a table for each state, and the elimination if it is asked for."""
    console = make_output_console()
    operations = answer.function.operations
    console.print(
        f"{answer.robot.name}: {answer.problem} dynamics, ordering {answer.function.ordering}, "
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
