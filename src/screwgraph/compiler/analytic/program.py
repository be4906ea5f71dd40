"""From a problem of a tree's dynamics to straight-line code of its derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from screwgraph.compiler.analytic.hybrid import Unknowns
from screwgraph.compiler.analytic.tree import tree_derivatives
from screwgraph.compiler.inputs import input_values
from screwgraph.compiler.problem import Named
from screwgraph.compiler.signature import Argument
from screwgraph.elimination import cost
from screwgraph.graph import Key, Model
from screwgraph.graph.factors import prior
from screwgraph.lowering import improved
from screwgraph.robot import Robot
from screwgraph.robot.parameters import Parameter, with_values
from screwgraph.summary import one_line
from screwgraph.tape import Number, Program, factor_out, program

PASSES = ("canonical frames", "inertial regrouping", "second moments")
"""What makes a robot cheaper without adding links to it."""
NOT_CLOSED = ("friction", "stiffness")
"""Kinds of live parameters whose torques have no closed form here."""
SMALL = 8
"""Up to so many velocities, frames in which pairs of joints meet are tried one after the other."""
FRAMES = 4
"""How many of them."""


@dataclass(frozen=True, eq=False)
class TreeProblem:
    """Dynamics of a robot without loops, whose derivatives have closed forms: what is given, and what is asked."""

    __repr__ = one_line

    model: Model
    arguments: Named
    asked: tuple[Key, ...]

    def covers(self, by: Sequence[str]) -> bool:
        """Tell whether the closed forms hold for this robot, and for derivatives by these arguments."""
        model, robot = self.model, self.model.robot
        plain = not robot.is_closed and all(joint.type.constant_axes for joint in robot.joints)
        edited = bool(model.variables or model.absent or model.weights or len(self._constants) < len(model.added))
        edited |= bool(model.actuators) or any(p.kind in NOT_CLOSED for p in model.parameters)
        joints = [key.name for key in self.asked if key.kind in ("qdd", "tau")]
        whole = len(self.asked) == len(joints) and sorted(joints) == sorted(robot.joint_names)
        given = {key for _, keys in self.arguments for key in keys} | self._constants.keys()
        needed = {Key(kind, name) for kind in ("q", "qd") for name in robot.joint_names}
        needed |= {Key("tau" if key.kind == "qdd" else "qdd", key.name) for key in self.asked}
        kinds = {key.kind for name, keys in self.arguments if name in by for key in keys}
        return plain and not edited and whole and needed <= given and kinds <= {"q", "qd", "qdd", "tau"}

    @property
    def _constants(self) -> dict[Key, np.ndarray]:
        of_joints = {*self.model.robot.joint_names}
        priors = (f for f in self.model.added if f.template is prior and f.keys[0].name in of_joints)
        return {f.keys[0]: f.parameters["value"] for f in priors}

    def jacobian(self, source: Program, arguments: Sequence[Argument], by: Sequence[str]) -> Program:
        """Return the derivatives of all results by some arguments, one after the other, each row by row.

        Args:
            source: the code of the problem itself.
            arguments: what it takes.
            by: names of arguments.
        """
        tried = [self._code(source, arguments, by, frames) for frames in _frames(self.model.robot)]
        return min(tried, key=cost)

    def _code(
        self, source: Program, arguments: Sequence[Argument], by: Sequence[str], frames: Sequence[str]
    ) -> Program:
        tape, numbers = input_values(arguments)
        sizes = {key: len(p.nominal(self.model.robot)) for key, p in self._parameters.items()}
        sizes |= {key: _size(self.model.robot, key) for key in self._given if key not in sizes}
        known = {key: [numbers[f"{key}[{i}]"] for i in range(sizes[key])] for key in self._given}
        known |= {key: list(value) for key, value in self._constants.items()}
        values = {p: np.array(known[key], dtype=object) for key, p in self._parameters.items()}
        robot = improved(with_values(self.model.robot, values), PASSES)
        unknown = [(key, i) for key in self.asked for i in range(_size(robot, key))]
        found = source.on([numbers[name] for name in source.input_names])
        for (key, _), value in zip(unknown, found, strict=True):
            known.setdefault(key, []).append(value)
        q, qd, qdd = (_vector(known, robot, kind) for kind in ("q", "qd", "qdd"))
        kind = "external_wrenches"
        wrenches = {key.name: (value[:3], value[3:]) for key, value in known.items() if key.kind == kind}
        free = [i for i, (key, _) in enumerate(unknown) if key.kind == "qdd"]
        unknowns = Unknowns(robot, tree_derivatives(robot, q, qd, qdd, wrenches, frames), free)
        outputs: list[Number] = []
        for name in by:
            entries = unknowns.by_state(name) if name in ("q", "qd") else unknowns.by_given()
            outputs += [entries.get((i, j), 0.0) for i in range(robot.nv) for j in range(robot.nv)]
        return factor_out(program(tape, outputs, source.input_names))

    @property
    def _parameters(self) -> dict[Key, Parameter]:
        return {Key("parameter", parameter.name): parameter for parameter in self.model.parameters}

    @property
    def _given(self) -> list[Key]:
        return [key for _, keys in self.arguments for key in keys]


def _vector(values: Mapping[Key, Sequence[Number]], robot: Robot, kind: str) -> np.ndarray:
    return np.array([x for name in robot.joint_names for x in values[Key(kind, name)]], dtype=object)


def _size(robot: Robot, key: Key) -> int:
    if key.kind == "external_wrenches":
        return 6
    joint = robot.joint(key.name).type
    return joint.nq if key.kind == "q" else joint.nv


def _frames(robot: Robot) -> list[Sequence[str]]:
    """Return links, one for each limb of the base, in whose frames pairs of joints may meet."""
    first = [joint.child for joint in robot.children(robot.links[0].name)]
    if len(first) > 1 or robot.nv > SMALL:
        return [first]
    return [[joint.child] for joint in robot.joints[:FRAMES]]
