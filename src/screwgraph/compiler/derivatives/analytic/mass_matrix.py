"""The mass matrix of a tree, whose columns meet in axes that all joints of a limb share.

What elimination makes carries the column of each joint through the frames of all joints that carry it, some 32
operations a pair of joints; here each column and each screw axis is turned once, and a pair is a product of 6-vectors.
Composite inertias go from link to link in their own axes, where they are cheap. Featherstone (2008), section 6.3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.compiler.derivatives.analytic.composite_columns import CompositeColumns, compute_composite_columns
from screwgraph.compiler.derivatives.analytic.link_motion import compute_link_motions
from screwgraph.compiler.derivatives.analytic.memory_builder import MemoryBuilder, Pairs, interleave_pairs
from screwgraph.compiler.derivatives.analytic.sparse_vectors import power
from screwgraph.compiler.derivatives.analytic.tree_derivatives import Entries
from screwgraph.compiler.derivatives.tape_inputs import make_inputs
from screwgraph.compiler.problem.problem import Problem
from screwgraph.compiler.signature import Argument
from screwgraph.graph import Key
from screwgraph.graph.factors import prior
from screwgraph.graph.passes import run_robot_passes
from screwgraph.model.robot import Robot, with_gravity
from screwgraph.model.robot.parameters import with_values
from screwgraph.tape import Code, Number, Routine, Tape, factor_out, program

PASSES = ("canonical frames", "inertial regrouping", "second moments")
"""What makes a robot cheaper without adding links to it."""


def is_tree_mass_matrix(problem: Problem) -> bool:
    """Whether a problem asks for the whole mass matrix of a tree of constant screw axes, without edits of its laws."""
    model, robot = problem.stated, problem.robot
    if model is None or robot is None or robot.is_closed or not all(j.type.constant_axes for j in robot.joints):
        return False
    priors = all(f.template is prior and not f.sigma for f in model.added)
    edited = model.variables or model.absent or model.weights or model.actuators or not priors
    whole = list(problem.asked) == [Key("qdd", name) for name in robot.joint_names]
    return whole and not edited and not problem.constants.keys() & set(problem.asked)


def make_mass_matrix_code(
    problem: Problem, arguments: Sequence[Argument], inputs: Sequence[str], *, loops: bool
) -> Code:
    """Return code of the matrix, row by row, where `is_tree_mass_matrix`; with `loops`, pairs of joints are one."""
    assert problem.stated is not None, "it has a robot's laws"
    tape, numbers = make_inputs(arguments)
    bound, start = problem.stated, with_gravity(problem.stated.robot, (0.0, 0.0, 0.0))
    live = {p: Key("parameter", p.name) for p in bound.parameters}
    values = {p: np.array([numbers[f"{key}[{i}]"] for i in range(len(p.nominal(start)))]) for p, key in live.items()}
    robot = run_robot_passes(with_values(start, values), PASSES)
    q = np.array([numbers[f"{Key('q', j.name)}[{i}]"] for j in robot.joints for i in range(j.type.nq)], dtype=object)
    if loops:
        return _in_loops(robot, q, tape, inputs)
    entries = tree_mass_matrix(robot, q)
    outputs: list[Number] = [entries.get((i, j), 0.0) for i in range(robot.nv) for j in range(robot.nv)]
    return factor_out(program(tape, outputs, inputs))


def tree_mass_matrix(robot: Robot, q: np.ndarray) -> Entries:
    """Return the entries (kg m^2, kg m, kg) that are not zero, of a robot without gravity at q (nq,)."""
    columns = _columns(robot, q)
    found: dict[tuple[int, int], Number] = dict(columns.own)
    for i, carriers in enumerate(columns.carriers):
        for j in carriers:
            found[i, j] = found[j, i] = power(columns.axes[j], columns.wrenches[i])
    return found


def _columns(robot: Robot, q: np.ndarray) -> CompositeColumns:
    still = np.zeros(robot.nv)
    return compute_composite_columns(robot, compute_link_motions(robot, q, still, still))


def _in_loops(robot: Robot, q: np.ndarray, tape: Tape, inputs: Sequence[str]) -> Routine:
    n, columns, memory = robot.nv, _columns(robot, q), MemoryBuilder(inputs, robot.nv**2)
    axes, wrenches, own = memory.straight(
        tape,
        inputs,
        memory.results,
        [interleave_pairs(columns.axes), interleave_pairs(columns.wrenches), list(columns.own.values())],
    )
    pairs = Pairs(n, columns.carriers)
    memory.clear(0, pairs)
    memory.parts += [pairs.below(6, wrenches, axes, 0), pairs.above(6, axes, wrenches, 0)]
    memory.copy_numbers({i * n + j: own + k for k, (i, j) in enumerate(columns.own)})
    return memory.finish()
