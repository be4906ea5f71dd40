"""Conformance: every query of every kind of model is checked against an oracle, or refused in one line.

`TABLE` says of each query its check, and of each model that has no answer the reason with which it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import matplotlib as mpl
import numpy as np
import pytest

import screwgraph as sg
from screwgraph.cli import run
from tests.queries.models import (
    MECHANISMS,
    MODELS,
    ROBOTS,
    TREES,
    allowed_acceleration,
    driven_of,
    independent_of,
    model_of,
    state_of,
)

mpl.use("Agg")
NO_MOTORS = "has no motors"


@dataclass(frozen=True)
class Cell:
    """The check of a query, and by model what a refusal says."""

    check: Callable[..., None]
    refused: Mapping[str, str] = field(default_factory=dict)


def inverse(name: str) -> None:
    """Inverse dynamics of forward dynamics gives the torques back, and forward of inverse the accelerations."""
    model, s = model_of(name), state_of(name)
    f = sg.inverse_dynamics(model)
    np.testing.assert_allclose(f(s.q, s.qd, s.qdd), s.tau, atol=1e-8 * max(1.0, np.abs(s.qdd).max()))
    if name in MECHANISMS:
        wanted = allowed_acceleration(name)
        again = sg.forward_dynamics(model)(s.q, s.qd, f(s.q, s.qd, wanted))
        np.testing.assert_allclose(again, wanted, atol=1e-8 * np.abs(wanted).max())


def forward(name: str) -> None:
    """Accelerations are linear in torques, and what independent coordinates alone say."""
    model, s, z = model_of(name), state_of(name), independent_of(name)
    f = sg.forward_dynamics(model)
    if s.tau.size:
        zero, twice = f(s.q, s.qd, 0 * s.tau), f(s.q, s.qd, 2 * s.tau)
        np.testing.assert_allclose(twice - zero, 2 * (s.qdd - zero), atol=1e-8 * np.abs(s.qdd).max())
    tau = s.torques if name in MECHANISMS else (s.tau[z],)
    alone = sg.forward_dynamics(model, coordinates="independent")(s.q, s.qd[z], *tau)
    np.testing.assert_allclose(alone, s.qdd[z], atol=1e-8 * np.abs(s.qdd).max())


def hybrid(name: str) -> None:
    """One acceleration given in the place of its torque, the others as they were."""
    model, s, driven = model_of(name), state_of(name), driven_of(name)
    if name in MECHANISMS:
        joint, place = next((model.angles[i].name for i in model.motors), "none"), 0
    else:
        joint = model.independent_joints[-1]
        place = model.v_slices[joint].start
    f = sg.hybrid_dynamics(model, [joint])
    given, expected = s.tau.copy(), s.qdd[driven].copy()
    given[place], expected[place] = s.qdd[driven][place], s.tau[place]
    np.testing.assert_allclose(f(s.q, s.qd, given), expected, atol=1e-8 * max(1.0, np.abs(s.qdd).max()))


def mass_matrix(name: str) -> None:
    """The power of M qdd + h is that of the torques; M is symmetric and positive definite."""
    model, s, z = model_of(name), state_of(name), independent_of(name)
    M = sg.mass_matrix(model, coordinates="independent")(s.q)
    h = sg.bias_forces(model, coordinates="independent")(s.q, s.qd[z])
    np.testing.assert_allclose(M, M.T, atol=1e-10 * np.abs(M).max())
    assert np.linalg.eigvalsh(M).min() > 0.0
    driven = driven_of(name)
    power = s.tau @ s.qd[driven] if s.tau.size else 0.0
    balance = M @ s.qdd[z] + h
    assert s.qd[z] @ balance == pytest.approx(power, abs=1e-8 * max(1.0, np.abs(balance).max()))
    if name in ROBOTS:
        np.testing.assert_allclose(balance, s.tau[z], atol=1e-8 * max(1.0, np.abs(balance).max()))


def derivatives(name: str) -> None:
    """Derivatives by velocities are central differences; accelerations are quadratic in them but for friction."""
    model, s = model_of(name), state_of(name)
    f, h = sg.forward_dynamics(model), 1e-4
    steps = [(f(s.q, s.qd + h * e, *s.torques) - f(s.q, s.qd - h * e, *s.torques)) / (2 * h) for e in np.eye(len(s.qd))]
    found = f.jacobian("qd")(s.q, s.qd, *s.torques)
    np.testing.assert_allclose(found, np.array(steps).T, atol=1e-6 * max(1.0, np.abs(found).max()))


def constraint_forces(name: str) -> None:
    """Multipliers of constraints are the same in another order of elimination."""
    model, s = model_of(name), state_of(name)
    graph = sg.dynamics_graph(model)
    known = [kind for kind in ("q", "qd", "tau") if any(key.kind == kind for key in graph.variables)]
    graph = graph.given(*known)
    first, second = ("quasi_definite", "greedy") if name in MECHANISMS else ("embedding", "kkt")
    answers = [sg.compile(graph, "lambda", ordering=o)(s.q, s.qd, *s.torques) for o in (first, second)]
    np.testing.assert_allclose(*answers, atol=1e-7 * max(1.0, np.abs(answers[0]).max()))


def explicit(name: str) -> None:
    """What a simulation gains in energy is the work that was done."""
    run = simulated(name, "rk4")
    assert run.energy_drift < 1e-6 * max(1.0, float(np.abs(run.energy).max()))


def implicit(name: str) -> None:
    """The trapezoidal rule goes the same way, up to its order."""
    exact, run = simulated(name, "rk4"), simulated(name, "trapezoidal")
    np.testing.assert_allclose(run.q, exact.q, atol=1e-4)


def smoother(name: str) -> None:
    """So does the factor graph in a window of states."""
    exact, run = simulated(name, "rk4"), simulated(name, "smoother")
    np.testing.assert_allclose(run.q, exact.q, atol=1e-3)


def simulated(name: str, method: str) -> object:
    """Return a short motion from rest."""
    q0 = None if name in MECHANISMS else state_of(name).q
    return sg.simulate(model_of(name), q0, time=0.05, dt=1e-3, method=method)


def inverse_trajectory(name: str) -> None:
    """Torques along a motion move the model along it."""
    model, t = model_of(name), np.linspace(0.0, 0.5, 51)
    if name in MECHANISMS:
        start = {c: model.home[model.index(c)] for c in model.independent_coordinates}
    elif name in TREES:
        start = {n: x for joint in model.joints for n, x in coordinates(model, joint, model.neutral())}
    else:
        start = {j: model.close_loops(model.neutral())[model.q_slices[j]][0] for j in model.independent_joints}
    still = {n for n in start if n.endswith(("[3]", "[4]", "[5]", "[6]"))}  # a quaternion's
    table = {n: x + (0.0 if n in still else 0.05) * (1 - np.cos(4.0 * t)) for n, x in start.items()}
    solution = sg.inverse_trajectory(model, {"t": t, **table})
    again = sg.inverse_dynamics(model)(solution.run.q, solution.run.qd, solution.run.qdd)
    middle = slice(5, -5)  # at the ends soft equality pulls to one side
    np.testing.assert_allclose(solution.run.tau[middle], again[middle], atol=1e-3 * max(1.0, np.abs(again).max()))


def coordinates(robot: sg.Robot, joint, q: np.ndarray) -> list[tuple[str, float]]:
    """Return the names of a joint's coordinates in tables, and their values."""
    own = q[robot.q_slices[joint.name]]
    return [(joint.name if len(own) == 1 else f"{joint.name}[{i}]", float(x)) for i, x in enumerate(own)]


def plan(name: str) -> None:
    """A plan reaches its goal, and its torques are those of its motion."""
    from screwgraph.plan import Task, horizon
    from screwgraph.plan.goals import Position

    model = model_of(name)
    if name in MECHANISMS:
        joint = next((model.angles[i].name for i in model.motors), model.independent_coordinates[0])
        place = model.index(joint)
        target = float(model.home[place]) + 0.3
    else:
        joint = model.independent_joints[-1]
        place = model.q_slices[joint].start
        target = float(model.neutral()[place]) + 0.3
    found = sg.plan(Task(model, horizon(10, dt=0.05), goals=(Position({joint: target}),)))
    assert found.status == "solved"
    assert found.q[-1][place] == pytest.approx(target, abs=1e-5)


def estimate(name: str) -> None:
    """What exact sensors saw of a motion gives motion and a mass back, with standard deviations."""
    if name in MECHANISMS:
        return estimate_mechanism(name)
    model, q0 = model_of(name), state_of(name).q
    run = sg.simulate(model, q0, time=0.1, dt=0.01)
    encoders = [j.name for j in model.joints if j.type.nq == 1]
    sensors: list[dict] = [{"sensor": f"of {j}", "joint_position": j, "sigma": 1e-4} for j in encoders]
    table = {f"of {j}": run.q[:, model.q_slices[j].start] for j in encoders}
    table |= {f"tau:{j}": run.tau[:, model.v_slices[j].start] for j in encoders}
    if name == "a1":
        base = model.joints[0]
        sensors.append({"sensor": "marker", "pose": base.child, "sigma": 1e-4})
        table |= {f"marker_{x}": run.q[:, i] for i, x in enumerate(["x", "y", "z", "qx", "qy", "qz", "qw"])}
    link = model.links[-1]
    found = sg.estimate(model, {"t": run.t, **table}, (f"mass:{link.name}",), sensors=sensors, q0=q0)
    off = np.abs(found.qd - run.qd)
    assert (off <= 5.0 * found.qd_sigma + 1e-4 * max(1.0, np.abs(run.qd).max())).all()
    mass = f"mass:{link.name}"
    assert abs(found.parameters[mass] - link.inertia.mass) <= 5.0 * found.sigma[mass] + 1e-3 * link.inertia.mass
    assert found.covariance.shape == (1, 1)


def estimate_mechanism(name: str) -> None:
    """Cameras follow the points; nothing disturbs what they see."""
    from screwgraph.mechanism import observed
    from screwgraph.models.mechanism.read_sensors import told_sensors

    model = model_of(name)
    run = sg.simulate(model, time=0.16, dt=0.02)
    points = [p.name for p in model.points if not p.fixed]
    sensors = [{"sensor": f"camera of {p}", "position": p, "sigma": 1e-4} for p in points]
    table = observed(model, {"q": run.q, "v": run.qd, "a": run.qdd}, told_sensors(model, sensors))
    body = model.bodies[-1]
    mass = f"mass:{body.name}"
    found = sg.estimate(model, {"t": run.t, **table}, (mass,), sensors=sensors)
    off = np.abs(found.q - run.q)
    assert (off <= 5.0 * found.q_sigma + 1e-6).all()
    assert abs(found.parameters[mass] - body.mass) <= 5.0 * found.sigma[mass] + 1e-3 * body.mass
    assert found.covariance.shape == (1, 1)


def code(name: str) -> None:
    """Code for CasADi computes the same; code in C states its function."""
    model, s = model_of(name), state_of(name)
    f = sg.forward_dynamics(model)
    np.testing.assert_allclose(np.array(f.casadi(s.q, s.qd, *s.torques)).ravel(), s.qdd, rtol=1e-9, atol=1e-9)
    assert "forward_dynamics" in f.c_source()
    assert "forward_dynamics" in f.c_header()


def drawing(name: str) -> None:
    """The graph and what elimination makes of it can be drawn."""
    from screwgraph.draw import FIGURES

    dag = sg.forward_dynamics(model_of(name)).dag
    for what in ("graph", "dag", "matrix"):
        assert FIGURES[what](dag).axes
    assert len(dag.algorithm().splitlines()) == len(dag.blocks)


def view(name: str) -> None:
    """A scene has a body for each that the model has."""
    from screwgraph.view import mechanism_scene, robot_scene

    make = mechanism_scene if name in MECHANISMS else robot_scene
    scene = make(model_of(name), np.zeros(1), state_of(name).q[None])
    assert scene.frames == 1
    assert scene.bodies


def cli(name: str) -> None:
    """The command line has an answer for each."""
    source = {"leg": "belt_leg"}.get(name, name)
    base = ("--base", "floating") if name == "a1" else ()
    for command in (("info",), ("solve", "--problem", "forward")):
        assert run([command[0], source, *command[1:], *base, "--json"]) == 0


TABLE: Mapping[str, Cell] = {
    "inverse dynamics": Cell(inverse, {"four_bar": NO_MOTORS}),
    "forward dynamics": Cell(forward),
    "hybrid dynamics": Cell(hybrid, {"four_bar": NO_MOTORS}),
    "mass matrix and bias": Cell(mass_matrix),
    "derivatives": Cell(derivatives),
    "constraint forces": Cell(constraint_forces, dict.fromkeys(TREES, "no variable is called 'lambda'")),
    "simulate, explicit": Cell(explicit),
    "simulate, implicit": Cell(implicit),
    "simulate, smoother": Cell(smoother),
    "inverse trajectory": Cell(inverse_trajectory, {"four_bar": NO_MOTORS}),
    "plan": Cell(plan),
    "estimate": Cell(estimate),
    "code": Cell(code),
    "drawing": Cell(drawing),
    "view": Cell(view),
    "command line": Cell(cli),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("query", TABLE)
def test_a_query_is_answered_or_refused(query, name):
    cell = TABLE[query]
    if name not in cell.refused:
        cell.check(name)
        return
    with pytest.raises(sg.InputError, match=cell.refused[name]) as caught:
        cell.check(name)
    assert "\n" not in str(caught.value)
