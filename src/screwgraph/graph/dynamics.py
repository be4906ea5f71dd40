"""From a robot to the factor graph of its dynamics (Xie & Dellaert (2019), Fig. 1), for trees and closed chains.

Loops and couplings are factors of their own; their multipliers act in the balances of wrenches and torques.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.graph.actuation import make_actuated_graph
from screwgraph.graph.clusters import cluster_joints
from screwgraph.graph.constraints import Constraint, CouplingLaw, independent_constraints
from screwgraph.graph.dependent_joints import JointDependence
from screwgraph.graph.factor import Factor
from screwgraph.graph.factor_graph import EditedModel, FactorGraph
from screwgraph.graph.factors import (
    acceleration,
    coupling,
    gravity,
    loop,
    prior,
    tied_velocities,
    torque,
    twist,
    wrench,
)
from screwgraph.graph.kinematics import make_pose_variables
from screwgraph.graph.live_parameters import with_live_parameters
from screwgraph.graph.loop_ends import End
from screwgraph.graph.mechanism import ANSWERS
from screwgraph.graph.redundant_actuation import with_given_motion, with_redundant_actuation
from screwgraph.graph.variable import Key, Variable, vector_variable
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Chain, Joint, Loop, Robot, actuators_of, check_closed_chains, share_analysis
from screwgraph.model.robot.parameters import at_nominal, parameters_of, symbolic
from screwgraph.spatial import inverse
from screwgraph.tape import is_zero


@check_arguments
@answered_by(ANSWERS)
def dynamics_graph(
    model: Robot,
    external_wrenches: Sequence[str] = (),
    *,
    parameters: Sequence[str] = (),
    payload: str | None = None,
    poses: Sequence[str] = (),
) -> FactorGraph:
    """Make all variables and factors of the dynamics of a robot, or of a planar mechanism (`mechanism_graph`).

    `parameters` become variables `parameter`, which are given like q: of a mechanism "mass:coupler", or a name of its
    file; of a robot "link7", "joint3.armature" and others, with a `payload` at a link or frame: see
    `inverse_dynamics`. `poses` names links or frames of a robot whose
    poses in the base's frame follow from q: variables `pose:name`.

    Raises:
        InputError: see `robot_graph` and `mechanism_graph`; poses or a payload of a mechanism; unknown parameters.
        ModelError: a mechanism cannot be assembled.
    """
    return graph_of(
        EditedModel(
            model, tuple(external_wrenches), poses=tuple(poses), parameters=parameters_of(model, parameters, payload)
        )
    )


def robot_graph(robot: Robot, external_wrenches: Sequence[str], poses: Sequence[str]) -> FactorGraph:
    """Make all variables and factors of a robot's dynamics; its numbers may be scalars on a tape (`symbolic`).

    Variables: per link `twist`, `acceleration`; per joint, named by the link that it moves, `wrench`;
    per joint `q`, `qd`, `qdd`, `tau`; per link `gravity`, its direction in the link's frame, where there is
    gravity; `external_wrenches` for each link or frame named so: a wrench (moment N m, force N) on
    the robot, at that frame and in its axes; `pose` of links or frames named in `poses`, and of links that carry them,
    in the base's frame: three rows of T one by one. Priors: the base rests. Per loop and coupling `lambda`, one number
    for each of its rows that do not follow from others: the wrench that the loop joint transmits to its successor,
    and against its predecessor, or the torque of the coupling.

    Raises:
        InputError: no link or frame has a name of `external_wrenches`, or one is named twice; no position closes the
            loops.
    """
    poses, nominal = tuple(dict.fromkeys(poses)), at_nominal(robot)
    frames = [robot.frame(name) for name in external_wrenches]
    for name, count in Counter(external_wrenches).items():
        if count > 1:
            raise InputError(f"external wrenches name {name!r} twice", fix="name it once, and add the wrenches")
    variables = [*_base_variables(robot), *(v for joint in robot.joints for v in _joint_variables(robot, joint))]
    for frame in frames:
        variables.append(vector_variable("external_wrenches", frame.name, 6, robot.link_index(frame.link), None))
    closing = independent_constraints(robot)
    variables += [vector_variable(*c.multiplier, c.rows, c.index, None) for c in closing]
    factors = list(_base_factors(robot))
    for joint in robot.joints:
        own = tuple(f for f in frames if f.link == joint.child)
        factors += _joint_factors(robot, joint, own, closing)
    factors += [*(make_closure_factor(c) for c in closing), *make_velocity_factors(robot, closing)]
    pose_variables, pose_factors = make_pose_variables(robot, poses)
    variables, factors = [*variables, *pose_variables], [*factors, *pose_factors]
    dependence = JointDependence(share_analysis(nominal, replace(nominal, warnings=()))) if closing else None
    return FactorGraph({v.key: v for v in variables}, tuple(factors), dependence=dependence)


def make_closure_factor(constraint: Constraint) -> Factor:
    """Return the law that a loop or coupling imposes on accelerations."""
    law = constraint.law
    if isinstance(law, Chain):
        ends = {"p": law.loop.predecessor, "s": law.loop.successor}
        accelerations = {f"Vdot_{end}": Key("acceleration", link) for end, link in ends.items()}
        twists = {f"V_{end}": Key("twist", link) for end, link in ends.items()}
        arguments = {**accelerations, **twists, "q": _keys("q", law.joints)}
        return Factor(loop, arguments, constraint.rows, constraint.index, {"chain": law}, constraint.multiplier)
    arguments = {"qdd": _keys("qdd", law.joints)}
    if not law.coupling.is_linear:
        arguments |= {"q": _keys("q", law.joints), "qd": _keys("qd", law.joints)}
    return Factor(coupling, arguments, constraint.rows, constraint.index, {"coupling": law}, constraint.multiplier)


def add_loop_ends(balance: Factor, link: str, constraints: Iterable[Constraint]) -> Factor:
    """Let the loops that end at a link act in the balance of its wrenches."""
    ends: list[tuple[Key, End]] = []
    for constraint in constraints:
        law = constraint.law
        if isinstance(law, Chain):
            ends += [(constraint.multiplier, End(law, False))] if law.loop.predecessor == link else []
            ends += [(constraint.multiplier, End(law, True))] if law.loop.successor == link else []
    if not ends:
        return balance
    arguments = {
        "multipliers": tuple(key for key, _ in ends),
        "q_loops": _keys("q", [joint for _, end in ends for joint in end.joints]),
    }
    return _extend_factor(balance, arguments, {"ends": tuple(end for _, end in ends)})


def add_couplings(balance: Factor, joint: Joint, constraints: Iterable[Constraint]) -> Factor:
    """Let the couplings of a joint act in the balance of its torques."""
    couplings: list[tuple[Key, CouplingLaw]] = []
    for constraint in constraints:
        law = constraint.law
        if isinstance(law, CouplingLaw) and any(joint.name == tied.name for tied in law.joints):
            couplings.append((constraint.multiplier, law))
    if not couplings:
        return balance
    arguments = {
        "multipliers": tuple(key for key, _ in couplings),
        "q_couplings": _keys("q", [tied for _, law in couplings if not law.coupling.is_linear for tied in law.joints]),
    }
    return _extend_factor(balance, arguments, {"couplings": tuple(law for _, law in couplings)})


def _extend_factor(factor: Factor, arguments: dict, parameters: dict) -> Factor:
    return replace(factor, arguments={**factor.arguments, **arguments}, parameters={**factor.parameters, **parameters})


def _keys(kind: str, joints: Sequence[Joint]) -> tuple[Key, ...]:
    return tuple(Key(kind, joint.name) for joint in joints)


def make_velocity_factors(robot: Robot, constraints: Iterable[Constraint]) -> list[Factor]:
    """Return a law for each cluster of a closed chain: what its joints' velocities obey, one row a multiplier's number.

    It determines the velocities of the dependent joints where only those of the others are given.
    """
    laws = {c.multiplier: c.law for c in constraints}
    factors = []
    for cluster in cluster_joints(robot.joints, {key: [j.name for j in law.joints] for key, law in laws.items()}):
        own = tuple(laws[key] for key in cluster.multipliers)
        if own:
            joints = cluster.joints
            arguments = {"qd": _keys("qd", joints), "q": _keys("q", joints)}
            rows = sum(len(law.kept) if isinstance(law, Chain) else 1 for law in own)
            index = robot.link_index(joints[0].child)
            factors.append(Factor(tied_velocities, arguments, rows, index, {"joints": joints, "laws": own}))
    return factors


@check_arguments
def with_loop(graph: FactorGraph, loop: Loop) -> FactorGraph:
    """Return a robot's graph with one more loop: its law, its multipliers, and their part in the balances of wrenches.

    Rows that follow from other loops are left out, so that all of these are looked at again.

    Raises:
        InputError: the graph is no robot's, what is known is declared already, or no position closes the loops.
        ModelError: the loop names links that do not exist, or has the name of another.
    """
    model = _open_model(graph, f"loop {loop.name!r}", "loops")
    robot = replace(model.robot, loops=(*model.robot.loops, loop))
    check_closed_chains(robot.links, robot.joints, robot.loops, robot.couplings, robot.independent, lambda part: None)
    return graph_of(replace(model, robot=robot))


@check_arguments
def with_actuators(graph: FactorGraph, *names: str) -> FactorGraph:
    """Return a robot's graph in which efforts of its actuators, by default all, cause the torques: tau = B(q) effort.

    Variables `effort:name`, one number (N m or N) an actuator; joints that no actuator drives have no torque.
    Chignoli et al. (2023), footnote 3.

    Raises:
        InputError: the graph is no robot's, what is known is declared already, or no actuator has one of the names.
    """
    model = _open_model(graph, "actuators", "actuators")
    chosen = actuators_of(model.robot, names or None)
    return graph_of(replace(model, actuators=tuple(actuator.name for actuator in chosen)))


def _open_model(graph: FactorGraph, part: str, kind: str) -> EditedModel:
    """Return the model of a robot's graph whose knowns are not declared. Raises InputError for any other graph."""
    if graph.model is not None and not graph.known:
        return graph.model
    raise InputError(
        f"{part} cannot be added to this graph",
        why="its knowns are declared" if graph.model else "it is not the graph of a robot",
        fix=f"add {kind} to sg.dynamics_graph(robot), then declare what is given",
    )


def graph_of(model: EditedModel, robot: Robot | None = None) -> FactorGraph:
    """Return the graph of a model, edits included. Raises what `dynamics_graph` raises.

    `robot` is what passes made of the model's robot with scalars for its parameters (`symbolic`).
    """
    robot = symbolic(model.robot, model.parameters) if robot is None else robot
    graph = robot_graph(robot, model.external_wrenches, model.poses)
    graph = with_live_parameters(graph, model.robot, model.parameters)
    nominal = at_nominal(robot)
    if model.actuators:
        graph = make_actuated_graph(graph, nominal, model.actuators, model.weights)
    elif model.weights:
        graph = with_redundant_actuation(graph, nominal, model.weights, everywhere=model.given_motion)
    if model.given_motion:
        graph = with_given_motion(graph, nominal, model.weights)
    kept = tuple(f for f in graph.factors if f.law not in model.absent)
    graph = replace(graph, factors=kept, model=replace(model, variables=(), added=()))
    return graph.with_variables(*model.variables).with_factors(*model.added)


def _has_gravity(robot: Robot) -> bool:
    return not all(map(is_zero, robot.gravity))


def _base_variables(robot: Robot) -> list[Variable]:
    base = robot.links[0].name
    kinds = [("twist", 6), ("acceleration", 6), *([("gravity", 3)] if _has_gravity(robot) else [])]
    return [vector_variable(kind, base, dim, 0, None) for kind, dim in kinds]


def _joint_variables(robot: Robot, joint: Joint) -> list[Variable]:
    index, parent = robot.link_index(joint.child), robot.link_index(joint.parent)
    of_link = [("twist", 6), ("acceleration", 6), ("wrench", 6), *([("gravity", 3)] if _has_gravity(robot) else [])]
    link_variables = [vector_variable(kind, joint.child, dim, index, parent) for kind, dim in of_link]
    position = Variable(Key("q", joint.name), joint.type.nq, index, parent, joint.type.manifold)
    others = [vector_variable(kind, joint.name, joint.type.nv, index, parent) for kind in ("qd", "qdd", "tau")]
    return [*link_variables, position, *others]


def _base_factors(robot: Robot) -> list[Factor]:
    base = robot.links[0].name
    values = {"twist": np.zeros(6), "acceleration": np.zeros(6)}
    if _has_gravity(robot):
        values["gravity"] = np.array(robot.gravity)
    return [Factor(prior, {"x": Key(kind, base)}, len(value), 0, {"value": value}) for kind, value in values.items()]


def _joint_factors(robot: Robot, joint: Joint, frames: tuple, closing: tuple[Constraint, ...]) -> list[Factor]:
    index = robot.link_index(joint.child)
    q, qd, qdd = (Key(kind, joint.name) for kind in ("q", "qd", "qdd"))
    V, V_parent = Key("twist", joint.child), Key("twist", joint.parent)
    Vdot, Vdot_parent = Key("acceleration", joint.child), Key("acceleration", joint.parent)
    g, g_parent = Key("gravity", joint.child), Key("gravity", joint.parent)
    bound = {"joint": joint}
    velocity = {"V": V, "V_parent": V_parent, "q": q, "qd": qd}
    accelerating = {"Vdot": Vdot, "Vdot_parent": Vdot_parent, "V": V, "q": q, "qd": qd, "qdd": qdd}
    factors = [
        Factor(twist, velocity, 6, index, bound),
        Factor(acceleration, accelerating, 6, index, bound),
        add_loop_ends(_wrench_factor(robot, joint, frames), joint.child, closing),
        add_couplings(_torque_factor(joint, index), joint, closing),
    ]
    if _has_gravity(robot):
        factors.insert(0, Factor(gravity, {"g": g, "g_parent": g_parent, "q": q}, 3, index, bound))
    return factors


def _wrench_factor(robot: Robot, joint: Joint, frames: tuple) -> Factor:
    link = joint.child
    children = robot.children(link)
    arguments = {
        "V": Key("twist", link),
        "Vdot": Key("acceleration", link),
        "F": Key("wrench", link),
        "F_children": tuple(Key("wrench", child.child) for child in children),
        "q_children": tuple(Key("q", child.name) for child in children),
        "external_wrenches": tuple(Key("external_wrenches", frame.name) for frame in frames),
    }
    if _has_gravity(robot):
        arguments["g"] = Key("gravity", link)
    parameters = {
        "G": robot.link(link).inertia.matrix(),
        "joints": children,
        "T_fl": tuple(inverse(frame.T_lf) for frame in frames),
    }
    return Factor(wrench, arguments, 6, robot.link_index(link), parameters)


def _torque_factor(joint: Joint, index: int) -> Factor:
    q, qd, qdd, tau = (Key(kind, joint.name) for kind in ("q", "qd", "qdd", "tau"))
    arguments = {"F": Key("wrench", joint.child), "tau": tau}
    if not joint.type.constant_axes or joint.forces:
        arguments["q"] = q
    if not is_zero(joint.damping):
        arguments["qd"] = qd
    has_rotor = not all(map(is_zero, np.atleast_1d(joint.armature)))
    if has_rotor:
        arguments["qdd"] = qdd
    if joint.forces or (has_rotor and joint.has_turning_axes):
        arguments["velocity"] = qd
    return Factor(torque, arguments, joint.type.nv, index, {"joint": joint})
