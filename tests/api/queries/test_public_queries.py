"""Conformance: every public query of robots answers for planar mechanisms, or says in one line why it cannot."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.control import PostureTask, stack_gains, stack_references, stack_weights
from screwgraph.motion.planning import Task, horizon

OF_JOINTS = "no joint carries links and frames"
ROBOTS_ALONE: Mapping[str, str] = {
    "kinematics_graph": OF_JOINTS,  # positions are the coordinates themselves: nothing is eliminated along joints
    "minimal_distance": OF_JOINTS,  # bodies are lines without thickness, which nothing touches
}
"""Queries of robots that mechanisms refuse, and the reason that the refusal gives."""


@cache
def model() -> sg.Mechanism:
    return sg.load_mechanism("four_bar_angle")


def still(query: Callable[..., Any], count: int, *names: Any) -> Any:
    """Return a query's function at the assembled position, at rest."""
    n = model().n
    return query(model(), *names)(*[model().home, np.zeros(n), np.zeros(n)][:count])


def path() -> dict[str, np.ndarray]:
    t = np.linspace(0.0, 0.2, 21)
    return {"t": t, "theta": model().home[-1] + t**2}


CALLS: Mapping[str, Callable[[], Any]] = {
    "base_parameters": lambda: sg.base_parameters(model()).map,
    "bias_forces": lambda: still(sg.bias_forces, 2),
    "center_of_mass": lambda: still(sg.center_of_mass, 1),
    "center_of_mass_acceleration": lambda: still(sg.center_of_mass_acceleration, 3),
    "center_of_mass_jacobian": lambda: still(sg.center_of_mass_jacobian, 1),
    "center_of_mass_velocity": lambda: still(sg.center_of_mass_velocity, 2),
    "centroidal_momentum": lambda: still(sg.centroidal_momentum, 2),
    "centroidal_momentum_matrix": lambda: still(sg.centroidal_momentum_matrix, 1),
    "centroidal_momentum_rate": lambda: still(sg.centroidal_momentum_rate, 3),
    "closed_positions": lambda: sg.closed_positions(model())(model().home[-1:], model().home),
    "controller": lambda: followed(),
    "coriolis_matrix": lambda: still(sg.coriolis_matrix, 2),
    "difference": lambda: still(sg.difference, 2),
    "dynamics_graph": lambda: len(sg.dynamics_graph(model()).factors),
    "estimate": lambda: sg.estimate(model(), observed()).q,
    "excitation": lambda: sg.excitation(model(), ["coupler"], period=2.0, harmonics=2, velocity=2.0).run.tau,
    "forward_dynamics": lambda: sg.forward_dynamics(model())(model().home, np.zeros(5), [0.0]),
    "forward_kinematics": lambda: still(sg.forward_kinematics, 1),
    "frame_acceleration": lambda: still(sg.frame_acceleration, 3, "coupler"),
    "frame_jacobian": lambda: still(sg.frame_jacobian, 1, "coupler"),
    "frame_velocity": lambda: still(sg.frame_velocity, 2, "coupler"),
    "hybrid_dynamics": lambda: sg.hybrid_dynamics(model(), ["theta"])(model().home, np.zeros(5), [0.0]),
    "identify": lambda: sg.identify(model(), moved(), ["coupler"]).base_values,
    "integrate": lambda: still(sg.integrate, 2),
    "inverse_dynamics": lambda: still(sg.inverse_dynamics, 3),
    "inverse_kinematics": lambda: sg.inverse_kinematics(model(), "P1")(model().position(model().home, "P1")).q,
    "inverse_trajectory": lambda: sg.inverse_trajectory(model(), path()).tau,
    "kinetic_energy": lambda: still(sg.kinetic_energy, 2),
    "mass_matrix": lambda: still(sg.mass_matrix, 1),
    "mpc": lambda: predicted(),
    "neutral": lambda: sg.neutral(model()),
    "plan": lambda: sg.plan(Task(model(), horizon(3, dt=0.05), start=model().home)).q,
    "potential_energy": lambda: still(sg.potential_energy, 1),
    "random": lambda: sg.random(model(), 2, seed=1),
    "regressor": lambda: still(sg.regressor, 3),
    "rollout": lambda: sg.rollout(model(), time=0.02, dt=0.01).q,
    "save": lambda: saved().home,
    "simulate": lambda: sg.simulate(model(), time=0.02, dt=0.01).q,
}
"""Every query that takes a model of any kind, asked of a four-bar; what answers are worth stands in other tests."""


def observed() -> dict[str, np.ndarray]:
    """Return what the sensors of the four-bar's file see of a short fall."""
    from screwgraph.mechanics.mechanism import simulate_sensors

    run = sg.simulate(model(), time=0.16, dt=0.02)
    return {"t": run.t, **simulate_sensors(model(), {"q": run.q, "v": run.qd, "a": run.qdd}, model().sensors)}


def followed() -> np.ndarray:
    """Return the torque by which the crank stays where it is."""
    control, task = sg.controller(model(), [PostureTask()]), PostureTask()
    active = np.zeros(control.arguments[-1].shape)
    return control(model().home, np.zeros(5), model().home[-1:], np.zeros((2, 1)), stack_gains([task]), active)[0]


def predicted() -> np.ndarray:
    """Return the first torque of a horizon of four instants at rest."""
    control = sg.mpc(model(), 0.01, 4)
    references, weights = stack_references(control, model().home[-1:]), stack_weights(model())
    return control(model().home[-1:], [0.0], references, weights, 0.0, np.zeros(control.arguments[-1].shape))[0]


def moved() -> dict[str, np.ndarray]:
    """Return a log of an angle and a torque."""
    t = np.arange(200) * 0.01
    angle = model().home[-1] + 0.5 * np.sin(5.0 * t)
    return {"t": t, "q:theta": angle, "tau:theta": np.cos(angle)}


def saved() -> sg.Mechanism:
    """Return what is loaded from the file that was saved."""
    with TemporaryDirectory() as folder:
        sg.save(model(), Path(folder) / "model.yaml")
        return sg.load_mechanism(Path(folder) / "model.yaml")


def queries() -> dict[str, str]:
    """Return what the first argument of each public query of a model is called to be: `Model` or `Robot`."""
    found = {}
    for name in sg.__all__:
        query = getattr(sg, name)
        if inspect.isfunction(query) and inspect.signature(query).parameters:
            first = next(iter(inspect.signature(query).parameters.values()))
            found[name] = str(getattr(first.annotation, "__name__", first.annotation))
    return {name: kind for name, kind in found.items() if kind in ("Model", "Robot", "Task | str | os.PathLike[str]")}


def test_no_public_query_is_left_out():
    assert set(queries()) == {*CALLS, *ROBOTS_ALONE}
    assert {name for name, kind in queries().items() if kind == "Robot"} == set(ROBOTS_ALONE)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", CALLS)
def test_a_mechanism_answers(name):
    assert np.isfinite(CALLS[name]()).all()


@pytest.mark.parametrize("name", ROBOTS_ALONE)
def test_what_robots_alone_answer_is_refused_in_one_line(name):
    with pytest.raises(sg.InputError, match=ROBOTS_ALONE[name]) as caught:
        getattr(sg, name)(model(), "x")
    assert "\n" not in str(caught.value)
