"""Conformance: every query of every kind of model is checked against an oracle, or refused in one line.

`TABLE` says of each query its check, and of each model that has no answer the reason with which it is refused.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.text import Text

import screwgraph as sg
from screwgraph.model.robot import constraint_residual
from screwgraph.ui.draw import FIGURES, OVER_TIME
from tests.api.queries.answers import estimated, followed, goal_of, observations, planned, simulated, unknown_body
from tests.api.queries.models import (
    LARGE,
    MECHANISMS,
    MODELS,
    ROBOTS,
    TREES,
    allowed_acceleration,
    damping_forces,
    driven_of,
    held_joint,
    independent_of,
    model_of,
    state_of,
)
from tests.suites import in_suites

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
    joint, place = held_joint(name)
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


def frames(name: str) -> None:
    """Poses move at the velocities that Jacobians tell, whose rates are the accelerations."""
    model, s, h = model_of(name), state_of(name), 1e-6
    link = model.links[-1].name if name in ROBOTS else f"body:{model.bodies[-1].name}"
    T, J = sg.forward_kinematics(model, link), sg.frame_jacobian(model, link)(s.q)
    V, move = J @ s.qd, sg.integrate(model)
    rate = (T(move(s.q, h * s.qd)) - T(move(s.q, -h * s.qd))) / (2 * h)
    body = np.linalg.inv(T(s.q)) @ rate
    seen = np.array([body[2, 1], body[0, 2], body[1, 0], *body[:3, 3]])
    np.testing.assert_allclose(sg.frame_velocity(model, link)(s.q, s.qd), V, atol=1e-12)
    np.testing.assert_allclose(seen, V, atol=1e-7 * max(1.0, np.abs(V).max()))
    accelerate = sg.frame_acceleration(model, link)
    linear = accelerate(s.q, s.qd, s.qdd) - accelerate(s.q, s.qd, 0 * s.qdd)
    np.testing.assert_allclose(linear, J @ s.qdd, atol=1e-10 * max(1.0, np.abs(s.qdd).max()))


def inverse_kinematics(name: str) -> None:
    """What a frame, or a point, reaches at a state, loops closed, is found from another state."""
    model, s = model_of(name), state_of(name)
    if name in MECHANISMS:
        target = next(point.name for point in reversed(model.points) if not point.fixed)
        wanted, where, start = model.position(s.q, target), lambda q: model.position(q, target), model.home
    else:
        target = model.links[-1].name
        where = sg.forward_kinematics(model, target)
        wanted, start = where(s.q), s.q + 0.0 if name == "a1" else model.close_loops(s.q + 0.02)
    found = sg.inverse_kinematics(model, target, limits=False)(wanted, start=start)  # of states anywhere
    assert found.reached
    np.testing.assert_allclose(where(found.q), wanted, atol=1e-7)
    if name in ROBOTS and model.is_closed:
        np.testing.assert_allclose(constraint_residual(model, found.q), 0.0, atol=1e-7)


def momentum(name: str) -> None:
    """The centre of mass moves at momentum over mass."""
    model, s, h = model_of(name), state_of(name), 1e-6
    centre, momentum = sg.center_of_mass(model), sg.centroidal_momentum(model)(s.q, s.qd)
    move = sg.integrate(model)
    rate = (centre(move(s.q, h * s.qd)) - centre(move(s.q, -h * s.qd))) / (2 * h)
    bodies = [link.inertia for link in model.links[1:]] if name in ROBOTS else model.bodies
    mass = sum(body.mass for body in bodies)
    np.testing.assert_allclose(momentum[3:], mass * rate, atol=1e-7 * mass)
    np.testing.assert_allclose(sg.centroidal_momentum_matrix(model)(s.q) @ s.qd, momentum, atol=1e-10 * mass)
    np.testing.assert_allclose(mass * sg.center_of_mass_jacobian(model)(s.q) @ s.qd, momentum[3:], atol=1e-10 * mass)


def energies(name: str) -> None:
    """Kinetic and potential energy are those of simulations, up to where potentials are zero."""
    model, run = model_of(name), simulated(name, "rk4")
    total = sg.kinetic_energy(model)(run.q, run.qd) + sg.potential_energy(model)(run.q)
    np.testing.assert_allclose(total - total[0], run.energy - run.energy[0], atol=1e-10 * np.abs(total).max())


def coriolis(name: str) -> None:
    """With gravity, springs, damping and friction, the Coriolis matrix gives the nonlinear effects."""
    model, s = model_of(name), state_of(name)
    effects = sg.bias_forces(model)
    still = effects(s.q, 0 * s.qd)
    found = sg.coriolis_matrix(model)(s.q, s.qd) @ s.qd + still + damping_forces(name)
    np.testing.assert_allclose(found, effects(s.q, s.qd), atol=1e-9 * max(1.0, np.abs(found).max()))


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
    np.testing.assert_allclose(simulated(name, "trapezoidal").q, simulated(name, "rk4").q, atol=1e-4)


def smoother(name: str) -> None:
    """So does the factor graph in a window of states."""
    np.testing.assert_allclose(simulated(name, "smoother").q, simulated(name, "rk4").q, atol=1e-3)


def inverse_trajectory(name: str) -> None:
    """Torques along a motion move the model along it."""
    run = followed(name).run
    again = sg.inverse_dynamics(model_of(name))(run.q, run.qd, run.qdd)
    middle = slice(5, -5)  # at the ends soft equality pulls to one side
    np.testing.assert_allclose(run.tau[middle], again[middle], atol=1e-3 * max(1.0, np.abs(again).max()))


def plan(name: str) -> None:
    """A plan reaches its goal."""
    found, (_, place, target) = planned(name), goal_of(name)
    assert found.converged
    assert found.q[-1][place] == pytest.approx(target, abs=1e-5)


def estimate(name: str) -> None:
    """What exact sensors saw of a motion gives motion and a mass back, with standard deviations."""
    (_, _, mass, run), found = observations(name), estimated(name)
    off = np.abs(found.q - run.q) if name in MECHANISMS else np.abs(found.qd - run.qd)
    sigma, floor = (found.q_sigma, 1e-6) if name in MECHANISMS else (found.qd_sigma, 1e-4)
    assert (off <= 5.0 * sigma + floor * max(1.0, np.abs(run.qd).max())).all()
    body = unknown_body(name)
    truth = body.mass if name in MECHANISMS else body.inertia.mass
    assert abs(found.parameters[mass] - truth) <= 5.0 * found.sigma[mass] + 1e-3 * truth
    assert found.covariance.shape == (1, 1)


def code(name: str, folder: Path) -> None:
    """Code for CasADi computes the same, and so does C code, where there is a compiler."""
    model, s = model_of(name), state_of(name)
    f = sg.forward_dynamics(model)
    np.testing.assert_allclose(np.array(f.casadi(s.q, s.qd, *s.torques)).ravel(), s.qdd, rtol=1e-9, atol=1e-9)
    assert f"void {f.name}(" in f.c_source()
    assert f"void {f.name}(" in f.c_header()
    compiler = next((c for c in ("cc", "gcc", "clang") if shutil.which(c)), None)
    if compiler is not None:
        np.testing.assert_allclose(run_in_c(compiler, f, (s.q, s.qd, *s.torques), folder), s.qdd, rtol=1e-9, atol=1e-9)


def run_in_c(compiler: str, f: sg.Function, state: tuple[np.ndarray, ...], folder: Path) -> np.ndarray:
    """Compile a function's C source, and call it."""
    source, library = folder / "code.c", folder / "code.so"
    source.write_text(f.c_source())
    subprocess.run([compiler, "-std=c99", "-shared", "-fPIC", str(source), "-o", str(library), "-lm"], check=True)
    found = np.empty(f.results[0].shape)
    arrays = [*map(np.ascontiguousarray, state), found]
    getattr(ctypes.CDLL(str(library)), f.name)(*(a.ctypes.data_as(ctypes.c_void_p) for a in arrays))
    return found


def drawing(name: str) -> None:
    """The graph, what elimination makes of it, and the graph over time have what they are made of."""
    dag = sg.forward_dynamics(model_of(name)).dag
    for what in ("graph", "dag", "matrix"):
        assert FIGURES[what](dag).axes
    numbered = [line for line in dag.algorithm(definitions=False).splitlines() if line.split()[0].isdigit()]
    assert len(numbered) == len(dag.blocks)
    for what in OVER_TIME:
        texts = {text.get_text() for text in OVER_TIME[what](model_of(name)).findobj(Text)}
        assert {"$q_{0}$", "$q_{1}$", "$q_{2}$"} <= texts


def view(name: str) -> None:
    """A scene has a body for each that the model has."""
    from screwgraph.ui.view import mechanism_scene, robot_scene

    make = mechanism_scene if name in MECHANISMS else robot_scene
    scene = make(model_of(name), np.zeros(1), state_of(name).q[None])
    assert scene.frames == 1
    assert scene.bodies


TABLE: Mapping[str, Cell] = {
    "inverse dynamics": Cell(inverse, {"four_bar": NO_MOTORS}),
    "forward dynamics": Cell(forward),
    "hybrid dynamics": Cell(hybrid, {"four_bar": NO_MOTORS}),
    "mass matrix and bias": Cell(mass_matrix),
    "kinematics of frames": Cell(frames),
    "inverse kinematics": Cell(inverse_kinematics),
    "momentum": Cell(momentum),
    "energies": Cell(energies),
    "Coriolis matrix": Cell(coriolis),
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
}


@pytest.mark.sampled(72)
@pytest.mark.parametrize("name", [in_suites(m) if m in LARGE else m for m in MODELS])
@pytest.mark.parametrize("query", TABLE)
def test_a_query_is_answered_or_refused(query, name, tmp_path):
    cell = TABLE[query]
    options = (tmp_path,) if cell.check is code else ()
    if name not in cell.refused:
        cell.check(name, *options)
        return
    with pytest.raises(sg.InputError, match=cell.refused[name]) as caught:
        cell.check(name, *options)
    assert "\n" not in str(caught.value)
