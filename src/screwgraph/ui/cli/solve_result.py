"""The answer of `solve`, and as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph import Robot
from screwgraph.compiler import Function
from screwgraph.ui.cli.options import Problem
from screwgraph.ui.cli.problem_functions import EFFORT, name_third_argument
from screwgraph.ui.cli.state import State

RESULT = {"qdd": "tau", "tau": "qdd", EFFORT: "qdd"}
"""What is asked for where something is given."""


@dataclass(frozen=True, eq=False)
class SolveResult:
    """The result of a function at a state, or at each state of a batch.

    `accelerations` are as for `hybrid_dynamics`, `actuated` as for `inverse_dynamics`. With `actuators`, efforts of the
    robot's actuators are in the place of torques.
    """

    robot: Robot
    problem: Problem
    accelerations: tuple[str, ...]
    function: Function
    state: State
    result: Float[np.ndarray, "*batch m"]
    actuated: tuple[str, ...] | None = None
    actuators: bool = False

    def given_kind(self, joint: str) -> str:
        """Return what is given for a joint, "qdd" or "tau"; "effort" where that of actuators is."""
        if self.problem is Problem.hybrid:
            return "qdd" if joint in self.accelerations else "tau"
        return name_third_argument(self.problem, self.actuators)

    def result_kind(self, joint: str) -> str:
        """Return what is asked for a joint, "qdd" or "tau"; "effort" where that of actuators is."""
        return EFFORT if self.actuators and self.problem is Problem.inverse else RESULT[self.given_kind(joint)]

    def efforts(self, at: tuple[int, ...]) -> dict[str, float]:
        """Return the efforts of actuators at a state, by name; none where there are torques of joints."""
        if not self.actuators:
            return {}
        given = self.problem is Problem.forward
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
        "problem": answer.problem.value,
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
