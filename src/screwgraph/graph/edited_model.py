"""The model behind a graph: the robot whose dynamics its laws state, and how the graph was edited since."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from screwgraph.base.summary import one_line
from screwgraph.graph.factor import Factor, Law
from screwgraph.graph.variable import Variable
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import Parameter


@dataclass(frozen=True, eq=False)
class EditedModel:
    """A robot, and what a graph has beyond and without its laws.

    `external_wrenches` names the links or frames on which these act, `actuators` those whose efforts cause the torques,
    `weights` those of joints, or of these actuators, that share their work where there are more than degrees of
    freedom. `poses` names the links or frames whose poses are variables. `parameters` of the robot are inputs.
    `variables` and `added` are of other origin, `absent` are the robot's laws that were taken out. With `given_motion`,
    all accelerations are known, and obey the laws of loops and couplings (`with_given_motion`).
    """

    __repr__ = one_line

    robot: Robot
    external_wrenches: tuple[str, ...] = ()
    actuators: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    poses: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    variables: tuple[Variable, ...] = ()
    added: tuple[Factor, ...] = ()
    absent: frozenset[Law] = frozenset()
    given_motion: bool = False
