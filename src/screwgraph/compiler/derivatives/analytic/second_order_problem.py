"""Derivatives of derivatives: straight-line code of the second derivatives of a tree's inverse dynamics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from screwgraph.base.summary import one_line
from screwgraph.compiler.derivatives.analytic.tree_problem import TreeProblem, select_anchor_links
from screwgraph.compiler.derivatives.analytic.tree_second_derivatives import compute_tree_second_derivatives
from screwgraph.compiler.signature import Argument
from screwgraph.elimination import cost
from screwgraph.graph import Key
from screwgraph.tape import Code, Number, Program, factor_out, program

KINDS = ("q", "qd", "qdd")
"""What second derivatives are by."""


@dataclass(frozen=True, eq=False)
class SecondOrder:
    """Derivatives of a problem by the arguments `first`, whose own derivatives have closed forms."""

    __repr__ = one_line

    problem: TreeProblem
    first: tuple[str, ...]

    def covers(self, by: Sequence[str]) -> bool:
        """Tell whether the closed forms hold for derivatives by these arguments."""
        names, given = self.problem.model.robot.joint_names, dict(self.problem.arguments)
        in_order = all(list(given[name]) == [Key(name, joint) for joint in names] for name in by if name in KINDS)
        return set(by) <= set(KINDS) and in_order and self.problem.covers(by)

    def jacobian(self, source: Code, arguments: Sequence[Argument], by: Sequence[str]) -> Program:
        """Return the derivatives of the derivatives, a tensor for each two arguments, those by the same `by` together.

        Args:
            source: the code of the derivatives.
            arguments: what it takes.
            by: names of arguments.
        """
        inputs = [name for argument in arguments for name in argument.names]
        tried = [
            self._code(arguments, inputs, by, anchors) for anchors in select_anchor_links(self.problem.model.robot)
        ]
        return min(tried, key=cost)

    def _code(
        self, arguments: Sequence[Argument], inputs: Sequence[str], by: Sequence[str], anchors: Sequence[str]
    ) -> Program:
        state = self.problem.state(arguments)
        found = compute_tree_second_derivatives(state, anchors)
        outputs: list[Number] = []
        for second, first in product(by, self.first):
            places = product(range(state.robot.nv), repeat=3)
            outputs += [found.entry(torque, (first, a), (second, b)) for torque, a, b in places]
        return factor_out(program(state.tape, outputs, inputs))


def find_second_order(analytic: object, by: tuple[str, ...]) -> SecondOrder | None:
    """Return what knows the derivatives of derivatives by these arguments in closed form, if there is such."""
    if not isinstance(analytic, TreeProblem):
        return None
    robot = analytic.model.robot
    torques = [Key("tau", name) for name in robot.joint_names]
    single = all(joint.type.nv == 1 for joint in robot.joints)
    known = SecondOrder(analytic, by)
    return known if single and list(analytic.asked) == torques and known.covers(by) else None
