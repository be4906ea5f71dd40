"""The answer of `solve`, and as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph import Robot
from screwgraph.cli.options import Problem
from screwgraph.cli.problem import GIVEN
from screwgraph.cli.state import State
from screwgraph.compiler import Function

RESULT = {"qdd": "tau", "tau": "qdd"}
"""What is asked for where something is given."""


@dataclass(frozen=True, eq=False)
class Answer:
    """The result of a function at a state, or at each state of a batch.

    `accelerations` are as for `hybrid_dynamics`, `actuated` as for `inverse_dynamics`.
    """

    robot: Robot
    problem: Problem
    accelerations: tuple[str, ...]
    function: Function
    state: State
    result: Float[np.ndarray, "*batch nv"]
    actuated: tuple[str, ...] | None = None

    def given_kind(self, joint: str) -> str:
        """Return what is given for a joint, "qdd" or "tau"."""
        if self.problem is Problem.hybrid:
            return "qdd" if joint in self.accelerations else "tau"
        return GIVEN[self.problem]


def as_json(answer: Answer, algorithm: bool) -> dict[str, Any]:
    """Return an answer in values that JSON has; arrays are lists, with leading axes for batches.

    `given` and `result` are in the order of the velocity coordinates; `given_names` and `result_names` say what each
    number is, as "tau:joint1[0]".
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
        "result_names": _names(answer, lambda joint: RESULT[answer.given_kind(joint)]),
        **({"algorithm": answer.function.algorithm()} if algorithm else {}),
    }


def _names(answer: Answer, kind: Callable[[str], str]) -> list[str]:
    joints = answer.robot.joints
    return [f"{kind(joint.name)}:{joint.name}[{i}]" for joint in joints for i in range(joint.type.nv)]
