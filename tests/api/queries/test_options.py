"""Conformance: every option of every public query of models is answered for mechanisms, or refused in one line.

`test_public_queries` asks the queries themselves. Here each option stands at a value that is not its default.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism import simulate_sensors
from screwgraph.model.mechanism.sensors import parse_sensors
from screwgraph.motion.control import ControlLimits, ControlLoop, FunctionBarrier, HorizonLimits, PostureTask
from screwgraph.motion.control.predictive.horizon_costs import FrameCost
from screwgraph.motion.estimation import ModelNoise
from tests.api.queries.test_public_queries import ROBOTS_ALONE, queries

PAYLOAD = "a mechanism carries no payload"
ACTUATORS, SPRINGS = "mechanisms have no actuators", "its file says which springs and dampers act"
TOUCHING = {"contacts": "", "ground": "a ground without", "external_wrenches": ""}
SMOOTHER = "options of the method 'smoother'"
MASSES: Mapping[str, str] = {"parameters": "", "payload": PAYLOAD, "dtype": ""}
DYNAMICS: Mapping[str, str] = {
    **MASSES, "coordinates": "", "positions": "", "ordering": "", "external_wrenches": "",
}  # fmt: skip
FRAMES: Mapping[str, str] = {"reference": "", "parameters": "", "dtype": ""}
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "base_parameters": {"parameters": "", "payload": PAYLOAD, "lengths": "are no formulas of lengths"},
    "bias_forces": DYNAMICS,
    **dict.fromkeys(
        ("center_of_mass", "center_of_mass_acceleration", "center_of_mass_jacobian", "center_of_mass_velocity"), MASSES
    ),
    **dict.fromkeys(("centroidal_momentum", "centroidal_momentum_matrix", "centroidal_momentum_rate"), MASSES),
    **dict.fromkeys(("coriolis_matrix", "kinetic_energy", "potential_energy"), MASSES),
    "closed_positions": {"parameters": "", "dtype": ""},
    "controller": {
        **dict.fromkeys(("limits", "barriers", "actuated", "dtype"), ""),
        **{"contacts": "feet are those of robots", "ground": "a ground without"},
    },
    "difference": {"dtype": ""},
    "dynamics_graph": {"external_wrenches": "", "parameters": "", "payload": PAYLOAD, "poses": "has no poses"},
    "estimate": dict.fromkeys(("parameters", "inputs", "sensors", "q0", "qd0", "noise", "watch"), ""),
    "excitation": {
        **dict.fromkeys(("parameters", "period", "harmonics", "objective", "velocity", "acceleration"), ""),
        **{"payload": PAYLOAD, "seed": "", "points": ""},
    },
    "forward_dynamics": {**DYNAMICS, "actuators": ACTUATORS},
    "forward_kinematics": {"frames": "", "parameters": "", "dtype": ""},
    **dict.fromkeys(("frame_acceleration", "frame_jacobian", "frame_velocity"), FRAMES),
    "hybrid_dynamics": DYNAMICS,
    "identify": {
        **dict.fromkeys(("parameters", "priors", "prior_weight", "motor_constants", "contacts", "cutoff"), ""),
        **{"payload": PAYLOAD, "motion": "", "loss": "", "held_out": ""},
    },
    "integrate": {"dtype": ""},
    "inverse_dynamics": {
        **DYNAMICS, "actuated": "", "weights": "", "actuators": ACTUATORS, "effort_limits": ACTUATORS,
    },
    "inverse_kinematics": {"held": "", "limits": "", "tolerance": "", "attempts": ""},
    "inverse_trajectory": {"q0": "", "noise": "", "watch": ""},
    "mass_matrix": {**MASSES, "coordinates": "", "positions": ""},
    "mpc": {
        **dict.fromkeys(("dt", "horizon", "actuated", "frames", "costs", "limits", "dtype"), ""),
        **dict.fromkeys(("iterations", "barrier_steps", "shortenings"), ""),
        **{"terminal": "has one", "ground": "ground without", "drag": "drag without"},
        **{"rate": "", "near": "", "contacts": "mechanisms have none in horizons"},
    },
    "neutral": {"shape": ""},
    "random": {"shape": "", "seed": ""},
    "regressor": {**MASSES, "coordinates": ""},
    "rollout": {
        **dict.fromkeys(("q0", "qd0", "tau", "time", "dt", "method", "parameters", "every", "dtype", "threads"), ""),
        **{"friction": "", "stops": SPRINGS, "effort_limits": SPRINGS, "springs": SPRINGS, "payload": PAYLOAD},
        **{"executor": "", "parts": "", "watch": "", **TOUCHING},
    },
    "save": {},
    "simulate": {
        **dict.fromkeys(("q0", "qd0", "time", "dt", "method", "tau", "driven", "rtol", "atol", "watch"), ""),
        **{"friction": "", "stops": SPRINGS, "effort_limits": SPRINGS, "springs": SPRINGS},
        **TOUCHING,
        "controller": "",
        **dict.fromkeys(("coordinates", "window", "marginal", "integrator", "noise"), SMOOTHER),
    },
}  # fmt: skip
"""By query and option, what a refusal says; nothing where mechanisms answer. Tasks are what `plan` has."""


@dataclass(frozen=True)
class Subject:
    """A mechanism, a body, a moving point and the motor of it."""

    model: sg.Mechanism
    body: str
    point: str
    motor: str

    @property
    def home(self) -> np.ndarray:
        return self.model.home

    def angle(self, t: np.ndarray) -> np.ndarray:
        """Return a motion of the motor, from rest."""
        return self.home[self.model.index(self.motor)] + 0.4 * np.sin(4.0 * t) ** 2


@cache
def subject(name: str) -> Subject:
    body, point = ("coupler", "P2") if name == "four_bar_angle" else ("rocker", "C")  # a rod in space has no frame
    return Subject(sg.load_mechanism(name), body, point, "theta")


@cache
def seen(name: str) -> dict[str, np.ndarray]:
    """Return what an encoder sees of a short fall."""
    model = subject(name).model
    run = sg.simulate(model, time=0.16, dt=0.02)
    sensed = simulate_sensors(model, {"q": run.q, "v": run.qd, "a": run.qdd}, parse_sensors(model, sensors(name)))
    return {"t": run.t, **sensed}


def sensors(name: str) -> list[dict[str, Any]]:
    return [{"sensor": "camera", "position": subject(name).point, "sigma": 1e-3}]


def needed(name: str, query: str) -> tuple[Any, ...]:
    """Return the arguments of a query that are no options."""
    own, t = subject(name), np.arange(150) * 0.01
    log = {"t": t, f"q:{own.motor}": own.angle(t), f"tau:{own.motor}": np.cos(9.0 * t)}
    found: Mapping[str, tuple[Any, ...]] = {
        "estimate": (seen(name) if query == "estimate" else {},),
        "controller": ([PostureTask()],),
        "hybrid_dynamics": ([own.motor],),
        "identify": (log,),
        "inverse_kinematics": (own.point,),
        "inverse_trajectory": ({"t": t[:21], own.motor: own.angle(t[:21])},),
        **dict.fromkeys(("frame_acceleration", "frame_jacobian", "frame_velocity"), (own.body,)),
    }
    return found.get(query, ())


def value(name: str, query: str, option: str) -> Any:
    """Return a value of an option that is not its default."""
    own, mass = subject(name), f"mass:{subject(name).body}"
    force = {own.point: [1.0] * sum(c.endswith(f":{own.point}") for c in own.model.coordinates)}
    here: Mapping[tuple[str, str], Any] = {
        ("base_parameters", "parameters"): [own.body],
        ("regressor", "parameters"): [own.body],
        ("closed_positions", "parameters"): ["L"],
        ("identify", "parameters"): [own.body],
        ("excitation", "parameters"): [own.body],
        ("rollout", "parameters"): {mass: np.array([[1.5], [2.5]])},
        ("estimate", "parameters"): [mass],
        ("simulate", "coordinates"): "independent",
        ("simulate", "noise"): 1e-3,
        ("simulate", "controller"): ControlLoop(own.model, [PostureTask()], q0=own.home),
        ("controller", "limits"): ControlLimits(efforts={own.motor: 50.0}),
        ("controller", "barriers"): [FunctionBarrier("high", lambda model, q, qd: [q[0] + 9.0])],
        ("controller", "contacts"): [sg.Contact(own.point)],
        ("mpc", "limits"): HorizonLimits(effort={own.motor: 50.0}),
        ("mpc", "contacts"): [sg.Contact(own.point)],
        ("mpc", "frames"): [own.body],
        ("mpc", "costs"): [FrameCost((own.body,))],
        ("simulate", "tau"): np.array([0.5]),
        ("rollout", "tau"): np.array([0.5]),
        ("simulate", "method"): "trapezoidal",
        ("rollout", "method"): "rk4",
        ("inverse_trajectory", "watch"): lambda done: False,
        ("estimate", "watch"): lambda *done: False,
        **{(query, "contacts"): [sg.Contact(own.point)] for query in ("simulate", "rollout")},
        **{(query, "external_wrenches"): force for query in ("simulate", "rollout")},
        ("mpc", "rate"): 100.0,
        ("mpc", "near"): own.home,
        ("estimate", "noise"): ModelNoise(dynamics=1e-2),
    }
    numbers = np.zeros(own.model.n)
    usual: Mapping[str, Any] = {
        **{"payload": own.point, "dtype": "float32", "coordinates": "independent", "positions": "independent"},
        **{"ordering": "quasi_definite", "external_wrenches": [own.point], "parameters": [mass], "poses": [own.body]},
        **{"lengths": ["x"], "reference": "world", "frames": [own.point, own.body], "actuated": [own.motor]},
        **{"weights": {own.motor: 2.0}, "actuators": True, "effort_limits": True, "held": [own.motor]},
        **{"limits": False, "tolerance": 1e-6, "attempts": 3, "q0": own.home, "qd0": numbers, "noise": 1e-3},
        "ground": sg.Plane(),
        **{"shape": (2,), "seed": 3, "time": 0.03, "dt": 0.005, "every": 2, "threads": 2, "parts": 2},
        **{"friction": True, "stops": True, "springs": {own.motor: 1.0}, "watch": lambda *done: False},
        **{
            "driven": {"t": np.arange(20) * 0.01, own.motor: own.angle(np.arange(20) * 0.01)},
            "rtol": 1e-6,
            "atol": 1e-8,
        },
        **{"window": 5, "marginal": True, "integrator": "trapezoidal", "inputs": (), "sensors": sensors(name)},
        **{
            "priors": {own.body: None},
            "prior_weight": 0.5,
            "motor_constants": {own.motor: 0.5},
            "contacts": [own.point],
        },
        **{
            "period": 3.0,
            "harmonics": 3,
            "objective": "condition",
            "velocity": 3.0,
            "acceleration": 20.0,
            "points": 50,
        },
        **{"horizon": 3, "terminal": "riccati", "iterations": 2, "barrier_steps": 3, "shortenings": 1, "drag": 3.0},
        **{"cutoff": 8.0, "motion": "estimated", "loss": "huber", "held_out": 0},
    }
    return here.get((query, option), usual.get(option))


def cases() -> list[Any]:
    found = []
    for name in ("four_bar_angle", "rssr"):
        for query, options in OPTIONS.items():
            for option in options:
                marks = [pytest.mark.suite] if name == "rssr" or query in ("estimate", "excitation", "identify") else []
                found.append(pytest.param(name, query, option, marks=marks, id=f"{name}-{query}-{option}"))
    return found


def test_no_option_is_left_out():
    for query in queries():
        if query in ROBOTS_ALONE or query == "plan":
            continue
        _, *others = inspect.signature(getattr(sg, query)).parameters.values()
        assert set(OPTIONS[query]) == {p.name for p in others if p.default is not p.empty} | (
            {"frames"} if query == "forward_kinematics" else set()
        ), query


@pytest.mark.sampled(25)
@pytest.mark.parametrize(("name", "query", "option"), cases())
def test_an_option_is_answered_or_refused_in_one_line(name, query, option):
    ask: Callable[..., Any] = getattr(sg, query)
    options = {option: value(name, query, option)}
    needs = needed(name, query)
    if option == "motor_constants":
        needs = ({column.replace("tau:", "i:"): x for column, x in needs[0].items()},)
    if query == "excitation":
        options = {"parameters": [subject(name).body], "period": 2.0, "harmonics": 2, "velocity": 2.0} | options
    if query == "estimate":
        options = {"sensors": sensors(name)} | options
    if query == "mpc":
        options = {"horizon": 2} | options
    if query in ("simulate", "rollout"):
        options = {"time": 0.02, "dt": 0.01} | options
    if option == "executor":
        with ThreadPoolExecutor(1) as pool:
            assert ask(subject(name).model, **options | {option: pool, "parts": 1}) is not None
        return
    refusal = OPTIONS[query][option]
    if not refusal:
        assert ask(subject(name).model, *needs, **options) is not None
        return
    with pytest.raises(sg.InputError, match=refusal) as caught:
        ask(subject(name).model, *needs, **options)
    assert "\n" not in str(caught.value)
