"""GTSAM eliminates the same graph numerically, at one state: what a general factor-graph library takes for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

import screwgraph as sg
from screwgraph.elimination import equations, orderings
from screwgraph.graph import FactorGraph, Key, Row
from screwgraph.ui.bench import Budget, Case, NotMeasuredError, PeerResult, States, import_peer, measure_nanoseconds

ANSWERED = 4
"""States: graphs are made in Python, which takes its time."""
KNOWN = {"inverse": ("q", "qd", "qdd"), "forward": ("q", "qd", "tau")}
RESULT = {"inverse": "tau", "forward": "qdd"}
ORDERS = {"inverse": "rnea", "forward": "aba"}
"""The order of ours that is tried beside GTSAM's own."""


@dataclass(frozen=True)
class Gtsam:
    """Elimination and back-substitution, without making the linear factors; the fastest of several orders."""

    name: str = "GTSAM"

    def version(self) -> str:
        """Return name and version."""
        from importlib.metadata import version

        _gtsam()
        return f"GTSAM {version('gtsam')}"

    def measure(self, case: Case, effort: Budget) -> PeerResult:
        """Time one elimination; answer at the first states."""
        gtsam, question = _gtsam(), case.question.name
        if question not in KNOWN:
            raise NotMeasuredError(f"GTSAM is asked for {' and '.join(KNOWN)} only")
        graph = sg.dynamics_graph(case.robot).given(*KNOWN[question])
        number = {variable.key: i for i, variable in enumerate(graph.unknowns)}
        states = case.states.first(ANSWERED)
        linear = [_linear(gtsam, graph, number, case.robot, states, i) for i in range(len(states.q))]
        solve = _solvers(gtsam, linear[0], [number[key] for key in _order(case.robot, graph, question)])
        ways = {way: measure_nanoseconds(effort, f, linear[0]) for way, f in solve.items()}
        way = min(ways, key=lambda w: ways[w])
        keys = [number[Key(RESULT[question], name)] for name in case.robot.joint_names]
        solutions = [solve[way](factors) for factors in linear]
        answers = np.array([np.concatenate([s.at(key) for key in keys]) for s in solutions])
        return PeerResult(ways[way], answers, way)


def _gtsam() -> Any:
    return import_peer("gtsam", "gtsam")


def _order(robot: sg.Robot, graph: FactorGraph, question: str) -> Sequence[Key]:
    """Return the variables in the order in which our elimination is done with them."""
    return sg.eliminate(graph, orderings.find_ordering(ORDERS[question])).order


def _solvers(gtsam: Any, factors: Any, ours: Sequence[int]) -> Mapping[str, Any]:
    """Return functions that solve a graph, by the name of their order."""
    given = gtsam.Ordering()
    for key in ours:
        given.push_back(key)
    orders = {"its COLAMD": gtsam.Ordering.ColamdGaussianFactorGraph(factors), "our order": given}
    return {
        name: lambda linear, order=order: linear.eliminateSequential(order).optimize() for name, order in orders.items()
    }


def _linear(gtsam: Any, graph: FactorGraph, number: Mapping[Key, int], robot: sg.Robot, states: States, i: int) -> Any:
    """Return the graph's linear factors at one state."""
    rows = equations(graph, _values(graph, robot, states, i)).rows
    zero = gtsam.Values()
    for variable in graph.unknowns:
        zero.insert(number[variable.key], np.zeros(variable.dim))
    factors = gtsam.GaussianFactorGraph()
    for _, own in groupby(rows, key=lambda row: id(row.factor)):
        factors.push_back(_factor(gtsam, list(own), graph, number).linearize(zero))
    return factors


def _values(graph: FactorGraph, robot: sg.Robot, states: States, i: int) -> dict[Key, np.ndarray]:
    arrays = {"q": states.q[i], "qd": states.qd[i], "qdd": states.given[i], "tau": states.given[i]}
    return {
        v.key: arrays[v.key.kind][(robot.q_slices if v.key.kind == "q" else robot.v_slices)[v.key.name]]
        for v in graph.inputs
    }


def _factor(gtsam: Any, rows: Sequence[Row], graph: FactorGraph, number: Mapping[Key, int]) -> Any:
    """Return the rows of one law as a factor; GTSAM's Python makes linear ones of three variables at most."""
    keys = list(dict.fromkeys(key for row in rows for key, _ in row.terms))
    matrices = [np.zeros((len(rows), graph.variables[key].dim)) for key in keys]
    for i, row in enumerate(rows):
        for (key, j), coefficient in row.terms.items():
            matrices[keys.index(key)][i, j] = coefficient
    constant = np.array([row.constant for row in rows], dtype=float)

    def error(this: Any, values: Any, jacobians: Any) -> np.ndarray:
        if jacobians is not None:
            for i, matrix in enumerate(matrices):
                jacobians[i] = matrix
        return constant

    return gtsam.CustomFactor(gtsam.noiseModel.Unit.Create(len(rows)), [number[k] for k in keys], error)
