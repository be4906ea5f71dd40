"""From a problem of a tree's dynamics to straight-line code of its derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler.derivatives.analytic.composite_columns import LONG, list_carriers, mean_depth
from screwgraph.compiler.derivatives.analytic.coordinate_wrenches import list_limb_roots
from screwgraph.compiler.derivatives.analytic.implicit_derivatives import Unknowns
from screwgraph.compiler.derivatives.analytic.rolled_derivatives import (
    AccelerationSolver,
    Known,
    make_acceleration_solver,
    roll_forward_derivatives,
    roll_forward_dynamics,
    roll_inverse_derivatives,
)
from screwgraph.compiler.derivatives.analytic.symbolic_state import SymbolicState
from screwgraph.compiler.derivatives.analytic.tree_derivatives import compute_tree_derivatives
from screwgraph.compiler.derivatives.tape_inputs import make_inputs
from screwgraph.compiler.problem.problem import Named
from screwgraph.compiler.signature import Argument
from screwgraph.elimination import cost
from screwgraph.graph import EditedModel, Key
from screwgraph.graph.factors import prior
from screwgraph.graph.passes import run_robot_passes
from screwgraph.model.robot import Joint, Robot
from screwgraph.model.robot.parameters import Parameter, with_values
from screwgraph.tape import Code, Number, Program, Routine, factor_out, program

PASSES = ("canonical frames", "inertial regrouping", "second moments")
"""What makes a robot cheaper without adding links to it."""
NOT_CLOSED = ("friction", "stiffness")
"""Kinds of live parameters whose torques have no closed form here."""
LONGER = 30.0
"""How many joints carry a joint, on average, where forward dynamics go in loops: they are made in half the time."""
WIDE = 5_000
"""Products of the columns with carried joints from which loops are quicker of one state: a humanoid's take 26 000.

There, straight code has 88 000 operations and takes 1.7 times as long, and three times as long to make; from 40 000 on
it was slower.
"""
TRIANGLE = 3
"""How many times less a symmetric inverse takes than as many other columns."""
SMALL = 8
"""Up to so many velocities, frames in which pairs of joints meet are tried one after the other."""
FRAMES = 4
"""How many of them."""


@dataclass(frozen=True, eq=False)
class TreeProblem:
    """Dynamics of a robot without loops, whose derivatives have closed forms: what is given, and what is asked."""

    __repr__ = one_line

    model: EditedModel
    arguments: Named
    asked: tuple[Key, ...]

    def covers(self, by: Sequence[str]) -> bool:
        """Tell whether the closed forms hold for this robot, and for derivatives by these arguments."""
        model, robot = self.model, self.model.robot
        plain = not robot.is_closed and all(joint.type.constant_axes for joint in robot.joints)
        plain &= bool(robot.joints)
        plain &= not any(joint.has_turning_axes and self._has_rotor(joint) for joint in robot.joints)
        edited = bool(model.variables or model.absent or model.weights or len(self._constants) < len(model.added))
        edited |= bool(model.actuators) or any(p.kind in NOT_CLOSED for p in model.parameters)
        joints = [key.name for key in self.asked if key.kind in ("qdd", "tau")]
        whole = len(self.asked) == len(joints) and sorted(joints) == sorted(robot.joint_names)
        given = {key for _, keys in self.arguments for key in keys} | self._constants.keys()
        needed = {Key(kind, name) for kind in ("q", "qd") for name in robot.joint_names}
        needed |= {Key("tau" if key.kind == "qdd" else "qdd", key.name) for key in self.asked}
        kinds = {key.kind for name, keys in self.arguments if name in by for key in keys}
        return plain and not edited and whole and needed <= given and kinds <= {"q", "qd", "qdd", "tau"}

    def _has_rotor(self, joint: Joint) -> bool:
        is_live = any(p.kind == "armature" and p.part == joint.name for p in self.model.parameters)
        return is_live or bool(np.any(joint.armature))

    @property
    def _constants(self) -> dict[Key, np.ndarray]:
        of_joints = {*self.model.robot.joint_names}
        priors = (f for f in self.model.added if f.template is prior and f.keys[0].name in of_joints)
        return {f.keys[0]: f.parameters["value"] for f in priors}

    def jacobian(self, source: Code, arguments: Sequence[Argument], by: Sequence[str]) -> Code:
        """Return the derivatives of all results by some arguments, one after the other, each row by row.

        Args:
            source: the code of the problem itself.
            arguments: what it takes.
            by: names of arguments.
        """
        if self.is_long:
            return self.in_loops(arguments, by)
        tried = [self._code(source.unrolled, arguments, by, frames) for frames in select_anchor_links(self.model.robot)]
        return min(tried, key=cost)

    def in_loops(self, arguments: Sequence[Argument], by: Sequence[str]) -> Routine:
        """Return the derivatives as `jacobian` does, in loops over pairs of joints and over columns."""
        inputs = [name for argument in arguments for name in argument.names]
        if self.asked[0].kind == "qdd":
            return roll_forward_derivatives(
                self._make_known(arguments), inputs, by, partial(self._solving, arguments, inputs)
            )
        return roll_inverse_derivatives(self._make_known(arguments), inputs, by)

    def is_wide(self, by: Sequence[str]) -> bool:
        """Whether columns of accelerations fill vectors, and straight code leaves the caches of instructions."""
        robot = self.model.robot
        forward = all(key.kind == "qdd" for key in self.asked) and not robot.is_closed and not self.is_long
        matrices = sum(1.0 if name in ("q", "qd") else 1.0 / TRIANGLE for name in by)
        products = matrices * robot.nv * sum(len(path) + 1 for path in list_carriers(robot))
        return forward and products > WIDE and _tips_have_inertia(robot)

    def answer(self, arguments: Sequence[Argument]) -> Routine | None:
        """Return code of the problem itself, for forward dynamics of long trees: it is made in half the time."""
        if mean_depth(self.model.robot) <= LONGER:
            return None
        in_order = list(self.asked) == [Key("qdd", name) for name in self.model.robot.joint_names]
        if not (in_order and self.is_long and self.covers(())):
            return None
        inputs = [name for argument in arguments for name in argument.names]
        return roll_forward_dynamics(inputs, self._solving(arguments, inputs, False))

    def _make_known(self, arguments: Sequence[Argument]) -> Known:
        """Return what makes states; passes look at a robot once where its numbers are no scalars."""
        robot = None if self._parameters else self._lowered_robot
        return lambda more: self.state(arguments, more, robot)

    @cached_property
    def _lowered_robot(self) -> Robot:
        """The robot after all passes, where its numbers are no scalars."""
        return run_robot_passes(self.model.robot, PASSES)

    def _solving(self, arguments: Sequence[Argument], inputs: Sequence[str], at_rest: bool) -> AccelerationSolver:
        """Return what solves for accelerations, made once: for the problem itself, and for its derivatives."""
        asked = (tuple(inputs), at_rest)
        if asked not in self._solvers:
            self._solvers[asked] = make_acceleration_solver(self._make_known(arguments)(()), inputs, at_rest=at_rest)
        return self._solvers[asked]

    @cached_property
    def _solvers(self) -> dict[tuple[tuple[str, ...], bool], AccelerationSolver]:
        return {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the problem without what was made of it."""
        return TreeProblem, (self.model, self.arguments, self.asked)

    @property
    def is_long(self) -> bool:
        """Whether all unknowns are of one kind, and so many joints carry a joint that loops are worth while."""
        robot = self.model.robot
        alike = len({key.kind for key in self.asked}) == 1
        return alike and not robot.is_closed and mean_depth(robot) > LONG and _tips_have_inertia(robot)

    def _code(
        self, source: Program, arguments: Sequence[Argument], by: Sequence[str], frames: Sequence[str]
    ) -> Program:
        state = self.state(arguments)
        robot, known = state.robot, dict(state.known)
        unknown = [(key, i) for key in self.asked for i in range(_size(robot, key))]
        found = source.on([state.inputs[name] for name in source.input_names])
        for (key, _), value in zip(unknown, found, strict=True):
            known[key] = [*known.get(key, ()), value]
        free = [i for i, (key, _) in enumerate(unknown) if key.kind == "qdd"]
        unknowns = Unknowns(robot, compute_tree_derivatives(replace(state, known=known), frames), free)
        outputs: list[Number] = []
        for name in by:
            entries = unknowns.by_state(name) if name in ("q", "qd") else unknowns.by_given()
            outputs += [entries.get((i, j), 0.0) for i in range(robot.nv) for j in range(robot.nv)]
        return factor_out(program(state.tape, outputs, source.input_names))

    def state(
        self, arguments: Sequence[Argument], more: Sequence[str] = (), robot: Robot | None = None
    ) -> SymbolicState:
        """Return what is known, on a new tape, which has more inputs of some names; of a robot after all passes."""
        extra = (Argument("more", (len(more),), tuple(more)),) if more else ()
        tape, numbers = make_inputs([*arguments, *extra])
        sizes = {key: len(p.nominal(self.model.robot)) for key, p in self._parameters.items()}
        sizes |= {key: _size(self.model.robot, key) for key in self._given_keys if key not in sizes}
        known = {key: [numbers[f"{key}[{i}]"] for i in range(sizes[key])] for key in self._given_keys}
        known |= {key: list(value) for key, value in self._constants.items()}
        values = {p: np.array(known[key], dtype=object) for key, p in self._parameters.items()}
        if robot is None:
            robot = run_robot_passes(with_values(self.model.robot, values), PASSES) if values else self._lowered_robot
        return SymbolicState(tape, numbers, robot, known)

    @property
    def _parameters(self) -> dict[Key, Parameter]:
        return {Key("parameter", parameter.name): parameter for parameter in self.model.parameters}

    @property
    def _given_keys(self) -> list[Key]:
        return [key for _, keys in self.arguments for key in keys]


def _size(robot: Robot, key: Key) -> int:
    if key.kind == "external_wrenches":
        return 6
    joint = robot.joint(key.name).type
    return joint.nq if key.kind == "q" else joint.nv


def select_anchor_links(robot: Robot) -> list[Sequence[str]]:
    """Return links, one for each limb of the base, in whose frames pairs of joints may meet."""
    first = list_limb_roots(robot)
    if len(first) > 1 or robot.nv > SMALL:
        return [first]
    return [[joint.child] for joint in robot.joints[:FRAMES]]


def _tips_have_inertia(robot: Robot) -> bool:
    """Return whether every composite body resists any acceleration, so that no pivot of a recursion is zero."""
    carrying = {joint.parent for joint in robot.joints}
    tips = [link.inertia for link in robot.links if link.name not in carrying]
    return all(tip.mass > 0.0 and np.linalg.eigvalsh(tip.about_com)[0] > 0.0 for tip in tips)
