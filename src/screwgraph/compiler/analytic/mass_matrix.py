"""The mass matrix of a tree, whose columns meet in axes that all joints of a limb share.

What elimination makes carries the column of each joint through the frames of all joints that carry it, some 32
operations a pair of joints; here each column and each screw axis is turned once, and a pair is a product of 6-vectors.
Composite inertias go from link to link in their own axes, where they are cheap. Featherstone (2008), section 6.3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.compiler.analytic.coordinate import twist_seen, views, wrench_seen
from screwgraph.compiler.analytic.motion import motions
from screwgraph.compiler.analytic.tree import Entries, whole_bodies
from screwgraph.compiler.analytic.vectors import power
from screwgraph.compiler.inputs import input_values
from screwgraph.compiler.problem import Problem
from screwgraph.compiler.signature import Argument
from screwgraph.graph import Key
from screwgraph.graph.factors import prior
from screwgraph.lowering import improved
from screwgraph.robot import Robot, with_gravity
from screwgraph.robot.parameters import with_values
from screwgraph.tape import Number, Program, factor_out, program

PASSES = ("canonical frames", "inertial regrouping", "second moments")
"""What makes a robot cheaper without adding links to it."""


def is_of_tree(problem: Problem) -> bool:
    """Whether a problem asks for the whole mass matrix of a tree of constant screw axes, without edits of its laws."""
    model, robot = problem.stated, problem.robot
    if model is None or robot is None or robot.is_closed or not all(j.type.constant_axes for j in robot.joints):
        return False
    priors = all(f.template is prior and not f.sigma for f in model.added)
    edited = model.variables or model.absent or model.weights or model.actuators or not priors
    whole = list(problem.asked) == [Key("qdd", name) for name in robot.joint_names]
    return whole and not edited and not problem.constants.keys() & set(problem.asked)


def depth(robot: Robot) -> float:
    """Return how many joints carry a joint, on average."""
    return sum(len(robot.joints_to_base(j.child)) for j in robot.joints) / max(1, len(robot.joints))


def matrix_code(problem: Problem, arguments: Sequence[Argument], inputs: Sequence[str]) -> Program:
    """Return straight-line code of the matrix, row by row, of a problem that `is_of_tree`."""
    assert problem.stated is not None, "it has a robot's laws"
    tape, numbers = input_values(arguments)
    bound, start = problem.stated, with_gravity(problem.stated.robot, (0.0, 0.0, 0.0))
    live = {p: Key("parameter", p.name) for p in bound.parameters}
    values = {p: np.array([numbers[f"{key}[{i}]"] for i in range(len(p.nominal(start)))]) for p, key in live.items()}
    robot = improved(with_values(start, values), PASSES)
    q = np.array([numbers[f"{Key('q', j.name)}[{i}]"] for j in robot.joints for i in range(j.type.nq)], dtype=object)
    entries = tree_mass_matrix(robot, q)
    outputs: list[Number] = [entries.get((i, j), 0.0) for i in range(robot.nv) for j in range(robot.nv)]
    return factor_out(program(tape, outputs, inputs))


def tree_mass_matrix(robot: Robot, q: np.ndarray) -> Entries:
    """Return the entries (kg m^2, kg m, kg) that are not zero, of a robot without gravity at q (nq,)."""
    still = np.zeros(robot.nv)
    moved = motions(robot, q, still, still)
    whole = whole_bodies(robot, moved, {})
    axes = {name: motion.axes for name, motion in moved.items()}
    columns = {name: [whole[name].inertia_times(S) for S in axes[name]] for name in moved}
    view = views(robot, moved, [joint.child for joint in robot.children(robot.links[0].name)])
    seen = {name: [twist_seen(S, *view[name][:2]) for S in axes[name]] for name in moved}
    felt = {name: [wrench_seen(W, *view[name][:2]) for W in columns[name]] for name in moved}
    found: dict[tuple[int, int], Number] = {}
    for joint in robot.joints:
        first = robot.v_slices[joint.name].start
        for nearer in robot.joints_to_base(joint.child):
            wrenches, twists = (columns, axes) if nearer is joint else (felt, seen)
            for i, W in enumerate(wrenches[joint.child], first):
                for j, S in enumerate(twists[nearer.child], robot.v_slices[nearer.name].start):
                    found[i, j] = found[j, i] = power(S, W)
        for i, armature in enumerate(joint.armature * np.ones(joint.type.nv), first):
            found[i, i] = found[i, i] + armature
    return found
