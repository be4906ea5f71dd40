"""Answers of queries that take long, kept: the oracle of one cell of the conformance tables is another cell."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import screwgraph as sg
from screwgraph.mechanics.mechanism import simulate_sensors
from screwgraph.model.mechanism.sensors import parse_sensors
from screwgraph.motion.planning import Task, horizon
from screwgraph.motion.planning.goals import Position
from tests.api.queries.models import MECHANISMS, TREES, coordinates_of, model_of, state_of

TIME, DT = 0.05, 1e-3
"""Duration and step of simulations (s)."""
STEPS, STEP = 10, 0.05
"""Number and length (s) of the steps of plans."""


def start_of(name: str) -> np.ndarray | None:
    """Return where simulations start; mechanisms start where they are drawn."""
    return None if name in MECHANISMS else state_of(name).q


@cache
def simulated(name: str, method: str) -> Any:
    """Return a short motion from rest."""
    return sg.simulate(model_of(name), start_of(name), time=TIME, dt=DT, method=method)


@cache
def trajectory(name: str) -> dict[str, np.ndarray]:
    """Return a smooth trajectory: all coordinates of a tree, independent ones of all else."""
    model, t = model_of(name), np.linspace(0.0, 0.5, 51)
    if name in MECHANISMS:
        start = {c: model.home[model.index(c)] for c in model.independent_coordinates}
    elif name in TREES:
        start = {n: x for joint in model.joints for n, x in coordinates_of(model, joint, model.neutral())}
    else:
        start = {j: model.close_loops(model.neutral())[model.q_slices[j]][0] for j in model.independent_joints}
    still = {n for n in start if n.endswith(("[3]", "[4]", "[5]", "[6]"))}  # a quaternion's
    moved = {n: x + (0.0 if n in still else 0.05) * (1 - np.cos(4.0 * t)) for n, x in start.items()}
    return {"t": t, **moved}


@cache
def followed(name: str) -> Any:
    """Return the torques of that trajectory."""
    return sg.inverse_trajectory(model_of(name), trajectory(name))


@cache
def goal_of(name: str) -> tuple[str, int, float]:
    """Return a coordinate, its place in q, and where a plan is to move it."""
    model = model_of(name)
    if name in MECHANISMS:
        joint = next(iter(model.motors), model.independent_coordinates[0])
        return joint, model.index(joint), float(model.home[model.index(joint)]) + 0.3
    joint = model.independent_joints[-1]
    place = model.q_slices[joint].start
    return joint, place, float(model.neutral()[place]) + 0.3


@cache
def planned(name: str) -> Any:
    """Return a plan to the goal."""
    joint, _, target = goal_of(name)
    return sg.plan(Task(model_of(name), horizon(STEPS, dt=STEP), goals=(Position({joint: target}),)))


@cache
def observations(name: str) -> tuple[dict[str, np.ndarray], tuple[dict[str, Any], ...], str, Any]:
    """Return what exact sensors see of a motion, the sensors, the name of an unknown mass, and the motion."""
    model = model_of(name)
    if name in MECHANISMS:
        run = sg.simulate(model, time=0.16, dt=0.02)
        sensors = [
            {"sensor": f"camera of {p.name}", "position": p.name, "sigma": 1e-4} for p in model.points if not p.fixed
        ]
        table = simulate_sensors(model, {"q": run.q, "v": run.qd, "a": run.qdd}, parse_sensors(model, sensors))
        return {"t": run.t, **table}, tuple(sensors), f"mass:{unknown_body(name).name}", run
    run = sg.simulate(model, time=0.1, dt=0.01)
    encoders = [j.name for j in model.joints if j.type.nq == 1]
    sensors = [{"sensor": f"of {j}", "joint_position": j, "sigma": 1e-4} for j in encoders]
    table = {f"of {j}": run.q[:, model.q_slices[j].start] for j in encoders}
    table |= {f"tau:{j}": run.tau[:, model.v_slices[j].start] for j in encoders}
    if name == "a1":
        sensors.append({"sensor": "marker", "pose": model.joints[0].child, "sigma": 1e-4})
        table |= {f"marker_{x}": run.q[:, i] for i, x in enumerate(["x", "y", "z", "qx", "qy", "qz", "qw"])}
    return {"t": run.t, **table}, tuple(sensors), f"{unknown_body(name).name}.mass", run


def unknown_body(name: str) -> Any:
    """Return the body whose mass is estimated: the last one, or of Cassie, where the foot says little, the knee."""
    model = model_of(name)
    if name in MECHANISMS:
        return model.bodies[-1]
    return model.link("left-knee") if name == "cassie_leg" else model.links[-1]


@cache
def estimated(name: str, model: Any = None) -> Any:
    """Return the motion and the mass that the sensors saw, by a model that is equal but for rounding."""
    table, sensors, mass, _ = observations(name)
    return sg.estimate(model or model_of(name), table, (mass,), sensors=sensors)
