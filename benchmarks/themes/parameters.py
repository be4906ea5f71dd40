"""Parameters as inputs: operations with all inertias live, a change of payload, one random mass a sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

import screwgraph as sg
from benchmarks.bench import Entry, Tools
from benchmarks.peers.pin_kinematics import tip
from benchmarks.subjects import Subject, chosen
from benchmarks.tables import NOTHING, Sheet, nanoseconds, verdict
from screwgraph.compiler import Function
from screwgraph.model.robot import Robot
from screwgraph.ui import bench

ROBOTS = ("ur5", "panda7", "a1")
QUESTIONS = ("inverse", "forward")
OPERATIONS, CHANGE, SAMPLE = 0.9, 5000.0, 1.3
"""At most: operations beside Pinocchio's, ns of a change of payload, time of a sample beside that of constants."""
MAKERS: dict[str, Callable[..., Function]] = {"inverse": sg.inverse_dynamics, "forward": sg.forward_dynamics}
COLUMNS = (
    "robot (velocities)",
    "question",
    "operations, constants",
    "all inertias inputs",
    "once a change",
    "ratio to Pinocchio's",
    f"at most {OPERATIONS:g}",
    "change of payload, ns",
    f"at most {CHANGE:g}",
    "sample, one random mass, ns",
    "constants, ns",
    "ratio",
    f"at most {SAMPLE:g}",
)
NOTES = (
    "All inertias inputs: ten numbers a link; operations of a state, and of what is done once a change of them. Change "
    "of payload: `with_parameters` of ten numbers, from Python. Sample: batches in rows with `out=`, each with its own "
    "mass of the link in the middle, beside code in which it is constant.",
)


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Count and time the robots that are asked for."""
    asked = dict.fromkeys(entry.subject.name for entry in entries)
    rows = []
    for subject, robot in chosen([name for name in ROBOTS if name in asked] or ROBOTS):
        for question in QUESTIONS:
            tools.say(f"parameters: {subject.name} {question}")
            rows.append(row(subject, robot, question, tools))
    return Sheet("Parameters as inputs", COLUMNS, rows, NOTES)


def row(subject: Subject, robot: Robot, question: str, tools: Tools) -> list[str]:
    """Measure one question of a robot."""
    make, links = MAKERS[question], [link.name for link in robot.links[1:] if not link.inertia.is_zero]
    constant, live = make(robot), make(robot, parameters=links)
    count, theirs = live.core.operations.total, subject.counts.get(question)
    ratio = count / theirs.total if theirs else None
    payload = make(robot, payload=tip(robot))
    change = bench.measure_nanoseconds(tools.effort, payload.with_parameters, np.zeros(10))
    one = make(robot, parameters=[f"{links[len(links) // 2]}.mass"])
    times = _sample(one, robot, tools), _sample(constant, robot, tools)
    return [
        f"{subject.name} ({robot.nv})",
        question,
        str(constant.operations.total),
        str(count),
        str(live.setting.operations.total),
        *([NOTHING] * 2 if ratio is None else [f"{ratio:.2f}", verdict(ratio <= OPERATIONS)]),
        nanoseconds(change),
        verdict(change <= CHANGE),
        *map(nanoseconds, times),
        f"{times[0] / times[1]:.2f}",
        verdict(times[0] / times[1] <= SAMPLE),
    ]


def _sample(function: Function, robot: Robot, tools: Tools) -> float:
    """Return the time (ns) of a sample in batches, each with masses of its own."""
    states, batch = bench.random_states(robot, tools.effort.states), tools.effort.batch
    own = {"q": states.q, "qd": states.qd}
    arrays = [np.resize(own.get(a.name, states.given), (batch, len(a.names))) for a in function.arguments]
    if function.arguments[-1].nominal:
        spread = np.random.default_rng(0).uniform(0.8, 1.2, (batch, 1))
        arrays[-1] = np.array(function.arguments[-1].nominal) * spread
    out = np.empty((batch, robot.nv))
    return bench.measure_nanoseconds(tools.effort, lambda: function(*arrays, out=out)) / batch
