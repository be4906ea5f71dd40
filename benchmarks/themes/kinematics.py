"""Kinematics beside `pin`: one call from Python, and one sample in a batch, on one core."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

import screwgraph as sg
from benchmarks.bench import Entry, Tools
from benchmarks.peers.pin_kinematics import measured, tip
from benchmarks.subjects import chosen
from benchmarks.tables import NOTHING, Remarks, Sheet, nanoseconds, times, verdict
from screwgraph.compiler import Function
from screwgraph.model.robot import Robot
from screwgraph.ui.bench import (
    NotMeasuredError,
    evaluate_functions,
    random_states,
    relative_error,
    time_batch,
    time_single_call,
    to_columns,
    to_rows,
)

CALL, SAMPLE = 3.0, 40.0
"""Least ratios of the peer's time to ours that are asked for."""
ROBOTS = ("ur5", "panda7", "a1", "simple_humanoid")
QUERIES: Mapping[str, Callable[[Robot], Function]] = {
    "forward_kinematics": lambda robot: sg.forward_kinematics(robot, tip(robot)),
    "frame_velocity": lambda robot: sg.frame_velocity(robot, tip(robot)),
    "frame_acceleration": lambda robot: sg.frame_acceleration(robot, tip(robot)),
    "frame_jacobian": lambda robot: sg.frame_jacobian(robot, tip(robot), reference="local_world_aligned"),
    "center_of_mass": sg.center_of_mass,
    "center_of_mass_jacobian": sg.center_of_mass_jacobian,
    "center_of_mass_acceleration": sg.center_of_mass_acceleration,
    "centroidal_momentum": sg.centroidal_momentum,
    "centroidal_momentum_matrix": sg.centroidal_momentum_matrix,
    "coriolis_matrix": sg.coriolis_matrix,
    "kinetic_energy": sg.kinetic_energy,
    "potential_energy": sg.potential_energy,
}
COLUMNS = (
    "robot (velocities)",
    "query",
    "operations",
    "call, ns",
    "pin, ns",
    "call: faster",
    "sample, ns",
    "sample: faster",
    "error",
    f"at least {CALL:g} x and {SAMPLE:g} x",
)
NOTES = (
    "CPU time of the thread. Of one state, from Python: our function, and `pin` with data allocated before; what it "
    "leaves in its data is not copied. Of a sample: batches with `out=` given, the better of rows and columns, beside "
    "the same call of `pin`, which knows no batches. The frame is the link of the last joint; velocity, acceleration "
    "in its own axes, the Jacobian in the world's. Error: largest difference relative to the largest number.",
)


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Time all queries of the robots that are asked for."""
    asked = dict.fromkeys(entry.subject.name for entry in entries)
    remarks, lines = Remarks(), []
    for subject, robot in chosen([name for name in ROBOTS if name in asked] or ROBOTS):
        for query in QUERIES:
            tools.say(f"kinematics: {subject.name} {query}")
            lines.append(row(f"{subject.name} ({robot.nv})", robot, query, tools, remarks))
    return Sheet("Kinematics", COLUMNS, lines, [*NOTES, *remarks.notes()])


def row(name: str, robot: Robot, query: str, tools: Tools, remarks: Remarks) -> list[str]:
    """Measure one query of a robot."""
    functions = [QUERIES[query](robot)]
    states = random_states(robot, tools.effort.states)
    one = time_single_call(functions, states, tools.effort)
    many = min(time_batch(functions, states, tools.effort, layout) for layout in (to_rows, to_columns))
    head = [name, query.replace("_", " "), str(functions[0].operations.total), nanoseconds(one)]
    try:
        theirs = measured(robot, query, states, tools.effort)
    except NotMeasuredError as reason:
        remark = remarks.cell("pin", f"{name} {query}", str(reason))
        return [*head, remark, NOTHING, nanoseconds(many), NOTHING, NOTHING, NOTHING]
    off = relative_error(_rows(evaluate_functions(functions, states.first(len(theirs.answers)))), _rows(theirs.answers))
    ratios = theirs.nanoseconds / one, theirs.nanoseconds / many
    reached = ratios[0] >= CALL and ratios[1] >= SAMPLE
    cells = [nanoseconds(theirs.nanoseconds), times(ratios[0]), nanoseconds(many), times(ratios[1])]
    return [*head, *cells, f"{off:.0e}", verdict(reached)]


def _rows(found: np.ndarray) -> np.ndarray:
    """Return answers with one row a state."""
    return found.reshape(len(found), -1)
