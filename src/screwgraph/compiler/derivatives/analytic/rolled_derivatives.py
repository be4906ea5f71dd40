"""Derivatives of a tree's dynamics, with loops over pairs of joints, and over rows and columns of matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from screwgraph.compiler.derivatives.analytic.articulated import (
    ArticulatedSlots,
    compute_articulated_inertias,
    flatten_articulated,
)
from screwgraph.compiler.derivatives.analytic.composite_columns import compute_composite_columns, list_carriers
from screwgraph.compiler.derivatives.analytic.coordinate_wrenches import CoordinateWrenches
from screwgraph.compiler.derivatives.analytic.link_motion import compute_link_motions
from screwgraph.compiler.derivatives.analytic.memory_builder import MemoryBuilder, Pairs, interleave_pairs
from screwgraph.compiler.derivatives.analytic.sparse_vectors import power
from screwgraph.compiler.derivatives.analytic.symbolic_state import SymbolicState
from screwgraph.compiler.derivatives.analytic.tree_derivatives import compute_tree_coordinates
from screwgraph.model.robot import Robot
from screwgraph.tape import Number, Program, Routine, program

Known = Callable[[Sequence[str]], SymbolicState]
"""Makes the state on a new tape, with inputs of some names behind those of the function."""


@dataclass(frozen=True, eq=False)
class AccelerationSolver:
    """Code of inputs, missing torques, and the three arrays of `Articulated`; how long each is; its parents.

    Missing torques are those beyond what holds the robot at zero accelerations.
    """

    code: Program
    sizes: tuple[int, ...]
    parents: tuple[int, ...]


def roll_inverse_derivatives(known: Known, inputs: Sequence[str], by: Sequence[str]) -> Routine:
    """Return derivatives of torques by "q", "qd" or "qdd", (nv, nv) each, one after the other, row by row."""
    state = known(())
    size = state.robot.nv**2
    memory = MemoryBuilder(inputs, len(by) * size)
    _put_efforts(memory, state, state.vector("qdd"), memory.results, {name: k * size for k, name in enumerate(by)})
    return memory.finish()


def roll_forward_dynamics(inputs: Sequence[str], solving: AccelerationSolver) -> Routine:
    """Return forward dynamics: the accelerations that torques cause."""
    n = len(solving.parents)
    memory = MemoryBuilder(inputs, n)
    _, missing, solver = _put_solver(memory, solving)
    memory.copy_numbers({i: missing + i for i in range(n)})
    solver.solve(memory, 0, 1)
    return memory.finish()


def roll_forward_derivatives(
    known: Known, inputs: Sequence[str], by: Sequence[str], solving: Callable[[bool], AccelerationSolver]
) -> Routine:
    """Return derivatives of accelerations by "q", "qd" or "tau": -M^-1 d tau where tau is what is given, and M^-1.

    `solving` tells what solves for accelerations, at rest or moving.
    """
    start = solving(not set(by) - {"tau"})
    n = len(start.parents)
    memory, places = MemoryBuilder(inputs, len(by) * n**2), {name: k * n**2 for k, name in enumerate(by)}
    of_state = {name: place for name, place in places.items() if name != "tau"}
    copied, missing, solver = _put_solver(memory, start)
    if of_state:
        solver.solve(memory, missing, 1)
        names = [f"acceleration {i}" for i in range(n)]
        later = known(names)
        accelerations = np.array([later.inputs[name] for name in names], dtype=object)
        _put_efforts(memory, later, accelerations, copied, of_state)
    for place in of_state.values():
        solver.solve(memory, place, n, negative=True)
    if "tau" in places:
        solver.invert(memory, places["tau"])
    return memory.finish()


def _put_efforts(
    memory: MemoryBuilder, state: SymbolicState, qdd: np.ndarray, reads: int, places: Mapping[str, int]
) -> None:
    """Put derivatives of the torques at places; the tape's inputs stand from `reads` on."""
    robot, pairs = state.robot, Pairs(state.robot.nv, list_carriers(state.robot))
    own, seen = compute_tree_coordinates(
        robot, compute_link_motions(robot, state.vector("q"), state.vector("qd"), qdd), state.wrenches
    )
    all_seen = [c for joint in robot.joints for c in seen[joint.child]]
    axes = [c.axis for c in all_seen]
    arrays = {
        "felt": interleave_pairs([c.by_qdd for c in all_seen], [c.felt for c in all_seen]),
        "axes": interleave_pairs(axes),
        "q": interleave_pairs([c.second for c in all_seen], [c.carried for c in all_seen]),
        "by_q": interleave_pairs([c.by_q for c in all_seen]),
        "qd": interleave_pairs([c.rate for c in all_seen], [a[0] for a in axes]),
        "by_qd": interleave_pairs([c.by_qd for c in all_seen]),
    }
    needed = [name for name in arrays if name in ("felt", "axes") or name.removeprefix("by_") in places]
    blocks = {name: _own_blocks(robot, own, name) for name in places}
    outputs = [*(arrays[name] for name in needed), *(list(block.values()) for block in blocks.values())]
    starts = memory.straight(state.tape, list(state.inputs), reads, outputs)
    at = dict(zip([*needed, *(f"own {name}" for name in blocks)], starts, strict=True))
    for name, place in places.items():
        memory.clear(place, pairs)
        if name == "qdd":
            memory.parts += [
                pairs.below(6, at["felt"], at["axes"], place),
                pairs.above(6, at["axes"], at["felt"], place),
            ]
        else:
            memory.parts.append(pairs.below(9, at["felt"], at[name], place))
            memory.parts.append(pairs.above(6, at["axes"], at[f"by_{name}"], place))
        memory.copy_numbers(
            {place + i * pairs.size + j: at[f"own {name}"] + k for k, (i, j) in enumerate(blocks[name])}
        )


def _own_blocks(
    robot: Robot, own: Mapping[str, Sequence[CoordinateWrenches]], name: str
) -> dict[tuple[int, int], Number]:
    """Return the derivatives of the torques of each joint by its own coordinates."""
    found: dict[tuple[int, int], Number] = {}
    for joint in robot.joints:
        first, extra = robot.v_slices[joint.name].start, {"qd": joint.damping, "qdd": joint.armature}.get(name, 0.0)
        for i, (a, more) in enumerate(zip(own[joint.child], extra * np.ones(joint.type.nv), strict=True), first):
            for j, b in enumerate(own[joint.child], first):
                entry = {
                    "q": lambda a=a, b=b: a.effort_by_q(b),
                    "qd": lambda a=a, b=b: a.effort_by_qd(b),
                    "qdd": lambda a=a, b=b: power(b.axis, a.by_qdd),
                }[name]()
                found[i, j] = entry + more if i == j else entry
    return found


def make_acceleration_solver(state: SymbolicState, inputs: Sequence[str], *, at_rest: bool) -> AccelerationSolver:
    """Return what solves for accelerations; `at_rest`, nobody asks for the torques that are missing."""
    robot, still = state.robot, np.zeros(state.robot.nv)
    moved = compute_link_motions(robot, state.vector("q"), still if at_rest else state.vector("qd"), still)
    found = compute_articulated_inertias(robot, moved)
    missing = [] if at_rest else _missing(state, compute_composite_columns(robot, moved, state.wrenches).efforts)
    arrays = [list(state.inputs.values()), missing, *flatten_articulated(found)]
    code = program(state.tape, [number for array in arrays for number in array], inputs)
    return AccelerationSolver(code, tuple(map(len, arrays)), tuple(found.parents))


def _put_solver(memory: MemoryBuilder, solving: AccelerationSolver) -> tuple[int, int, ArticulatedSlots]:
    """Put what solves for accelerations; return where inputs are copied to, missing torques behind them, and it."""
    copied, behind, *places = memory.add_code(solving.code, memory.results, solving.sizes)
    return copied, behind, ArticulatedSlots.allocate_slots(memory, solving.parents, (places[0], places[1], places[2]))


def _missing(state: SymbolicState, efforts: Sequence[Number]) -> list[Number]:
    damping = [joint.damping for joint in state.robot.joints for _ in range(joint.type.nv)]
    return [
        tau - (x + d * v)
        for tau, x, d, v in zip(state.vector("tau"), efforts, damping, state.vector("qd"), strict=True)
    ]
