"""Actuators in a robot's graph: joint torques follow from efforts through transmissions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from screwgraph.graph.factor import Argument, Factor
from screwgraph.graph.factor_graph import FactorGraph
from screwgraph.graph.factors import minimum_effort, prior, transmission
from screwgraph.graph.redundant_actuation import ADJOINT_VELOCITY, virtual_motion
from screwgraph.graph.variable import Key, Variable
from screwgraph.model.robot import Joint, Lever, Robot, actuators_of, make_lever


def make_actuated_graph(
    graph: FactorGraph, robot: Robot, actuators: Sequence[str], weights: Mapping[str, float]
) -> FactorGraph:
    """Return a robot's graph in which actuators cause the torques of joints; other joints have none.

    Variables `effort`, one number (N m or N) an actuator. With `weights`, a positive number for each actuator, the sum
    of weight effort^2 is the least of all efforts that cause a motion: as in `with_redundant_actuation`.

    Raises:
        InputError: no actuator has one of the names.
    """
    levers = {Key("effort", a.name): make_lever(robot, a) for a in actuators_of(robot, actuators)}
    variables = [Variable(key, 1, i) for i, key in enumerate(levers, 1)]
    factors = [_driven(robot, joint, levers, bool(weights)) for joint in robot.joints if joint.type.nv]
    if weights:
        more, ties = virtual_motion(robot, robot.joints)
        variables += more
        factors += ties
        for i, (key, own) in enumerate(levers.items(), 1):
            arguments: dict[str, Argument] = {
                "effort": key,
                "adjoint_velocity": _actuator_keys(own, ADJOINT_VELOCITY),
                "q": _actuator_keys(own, "q"),
            }
            bound = {"lever": own, "weight": float(weights[key.name])}
            factors.append(Factor(minimum_effort, arguments, 1, i, bound))
    model = graph.model and replace(graph.model, actuators=tuple(actuators), weights=dict(weights))
    return replace(graph.with_variables(*variables).with_factors(*factors), model=model)


def _driven(robot: Robot, joint: Joint, levers: Mapping[Key, Lever], shared: bool) -> Factor:
    """Return the law of a joint's torque."""
    tau, index = Key("tau", joint.name), robot.link_index(joint.child)
    own = {key: one for key, one in levers.items() if any(j.name == joint.name for j in one.joints)}
    if not own:
        return Factor(prior, {"x": tau}, joint.type.nv, index, {"value": np.zeros(joint.type.nv)})
    positions = tuple(key for one in own.values() for key in _actuator_keys(one, "q"))
    arguments: dict[str, Argument] = {"tau": tau, "efforts": tuple(own), "q": positions}
    bound = {"name": joint.name, "levers": tuple(own.values())}
    enforced = Key(ADJOINT_VELOCITY, joint.name) if shared else None
    return Factor(transmission, arguments, joint.type.nv, index, bound, enforced)


def _actuator_keys(one: Lever, kind: str) -> tuple[Key, ...]:
    return tuple(Key(kind, joint.name) for joint in one.joints)
