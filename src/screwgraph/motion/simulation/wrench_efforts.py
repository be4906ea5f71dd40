"""Efforts that external wrenches are: J(q)' W along a robot's joints, forces on a mechanism's coordinates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import (
    Argument,
    Function,
    compile_expression,
    parameter_arguments,
    robot_arguments,
    without_metadata,
)
from screwgraph.mechanics.dynamics.query import joint_variables
from screwgraph.mechanics.kinematics.jacobians import compute_frame_jacobian
from screwgraph.mechanics.kinematics.reference_frames import LOCAL
from screwgraph.model.robot import Robot, without_loops
from screwgraph.model.robot.parameters import GEOMETRY, Parameter, with_numbers
from screwgraph.motion.simulation.step_law import as_arguments
from screwgraph.tape import Number

if TYPE_CHECKING:
    from screwgraph.motion.simulation.system import Dynamics

WRENCHES = "external_wrenches"
"""The argument of steps that holds wrenches, those of one frame after the other."""
SIZE = 6
"""Numbers of a wrench: moment (N m) and force (N), in the axes of its frame."""

WHY = "a wrench is moment (N m) and force (N) in the axes of its frame; of a mechanism's point a force, of an angle one"
"""Meaning of wrenches, for messages."""


@dataclass(frozen=True, eq=False)
class WrenchEfforts:
    """Efforts that wrenches of some names are, among those of `dynamics`; of each name there are `sizes` numbers.

    The first `count` of these are those of the model itself. `function` returns them, of q, the wrenches, and those of
    the model's live parameters at `places`.
    """

    __repr__ = one_line

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    count: int
    dynamics: Dynamics
    function: Function
    places: tuple[int, ...] = ()

    @property
    def argument(self) -> Argument:
        """The argument of a step that holds the wrenches, whose numbers are named as those of `forward_dynamics`."""
        return make_wrench_argument(self.names, self.sizes)

    @property
    def question(self) -> object:
        """All that code depends on."""
        return self.names, self.places

    def add_to(
        self, tau: Float[np.ndarray, "*B m"], q: Any, wrenches: Any, values: Any = ()
    ) -> Float[np.ndarray, "*B n"]:
        """Return efforts of `dynamics`: those of the model, and those of wrenches, numbers of any kind.

        `values` are those of all live parameters.
        """
        own = self.function(q, wrenches, *as_arguments([values[i] for i in self.places]))
        more = np.zeros((*np.shape(tau)[:-1], np.shape(own)[-1] - np.shape(tau)[-1]))
        return np.concatenate([tau, more], axis=-1) + own


def make_wrench_argument(names: Sequence[str], sizes: Sequence[int]) -> Argument:
    """Return the argument that holds wrenches of some names, of each so many numbers."""
    numbers = [f"{WRENCHES}:{name}[{i}]" for name, size in zip(names, sizes, strict=True) for i in range(size)]
    return Argument(WRENCHES, (len(numbers),), tuple(numbers))


def check_names(names: Sequence[str]) -> None:
    """Raise InputError where a name stands twice."""
    for name, count in Counter(names).items():
        if count > 1:
            raise InputError(f"external_wrenches name {name!r} twice", fix="name it once")


def compile_robot_efforts(robot: Robot, names: Sequence[str], live: Sequence[Parameter]) -> Function:
    """Return J(q)' W: the torques and forces along joints that wrenches on frames are, the sum of J' W of each.

    W are in the frames' own axes; live lengths are the last argument. Lynch & Park (5.26). Raises InputError where
    there is no such frame.
    """
    check_names(names)
    frames, tree = [robot.frame(name).name for name in names], without_loops(robot)

    def expression(q: np.ndarray, wrenches: np.ndarray, *numbers: np.ndarray) -> list[Number]:
        changed = with_numbers(tree, live, numbers[0]) if numbers else tree
        efforts = np.zeros(tree.nv, dtype=object)
        for i, name in enumerate(frames):
            efforts = efforts + wrenches[SIZE * i : SIZE * (i + 1)] @ compute_frame_jacobian(changed, name, q, LOCAL)
        return efforts.tolist()

    (q,) = robot_arguments(tree, [("q", joint_variables(tree, "q"))])
    wrenches = make_wrench_argument(frames, [SIZE] * len(frames))
    question = (without_metadata(tree), tuple(frames), tuple(live))
    arguments = (q, wrenches, *parameter_arguments(robot, live))
    return compile_expression("wrench_efforts", question, arguments, expression)


def live_lengths(live: Sequence[Parameter], sizes: Sequence[int]) -> tuple[tuple[Parameter, ...], tuple[int, ...]]:
    """Return those of some parameters on which Jacobians depend, and the places of their numbers among all."""
    own = [i for i, parameter in enumerate(live) if parameter.kind in GEOMETRY]
    places = tuple(place for i in own for place in range(sum(sizes[:i]), sum(sizes[: i + 1])))
    return tuple(live[i] for i in own), places
