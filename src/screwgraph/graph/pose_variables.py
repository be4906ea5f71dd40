"""Poses of links and frames as variables of a robot's graph: what positions alone determine."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.graph.factor import Factor
from screwgraph.graph.factors import frame_pose, pose, prior
from screwgraph.graph.variable import Key, Variable, vector_variable
from screwgraph.model.robot import Robot
from screwgraph.spatial import inverse, to_rows


def make_pose_variables(robot: Robot, names: Sequence[str]) -> tuple[list[Variable], list[Factor]]:
    """Return the variables `pose` of links and frames, of all links that carry them, and the laws between them.

    A base whose frame a pass moved stands where its old frame is the world's.

    Raises:
        InputError: no link or frame has one of the names.
    """
    if not names:
        return [], []
    frames, base = [robot.frame(name) for name in names], robot.links[0].name
    carriers = {joint.child for frame in frames for joint in robot.joints_to_base(frame.link)}
    variables = [vector_variable("pose", base, 12, 0, None)]
    start = to_rows(inverse(robot.frame(base).T_lf))
    factors = [Factor(prior, {"x": Key("pose", base)}, 12, 0, {"value": start})]
    for joint in (joint for joint in robot.joints if joint.child in carriers):
        index, parent = robot.link_index(joint.child), robot.link_index(joint.parent)
        T, T_parent, q = Key("pose", joint.child), Key("pose", joint.parent), Key("q", joint.name)
        variables.append(vector_variable(*T, 12, index, parent))
        factors.append(Factor(pose, {"T": T, "T_parent": T_parent, "q": q}, 12, index, {"joint": joint}))
    made = {variable.key for variable in variables}
    for frame in (frame for frame in frames if Key("pose", frame.name) not in made):
        index, key = robot.link_index(frame.link), Key("pose", frame.name)
        variables.append(vector_variable(*key, 12, index, index))
        bound = {"T_frame": key, "T_link": Key("pose", frame.link)}
        factors.append(Factor(frame_pose, bound, 12, index, {"T": frame.T_lf}))
    return variables, factors
