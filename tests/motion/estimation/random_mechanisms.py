"""Random planar mechanisms with sensors, for statistics of estimates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np

import screwgraph as sg
from screwgraph.mechanics.mechanism import simulate_sensors
from screwgraph.mechanics.mechanism.mechanism_functions import compile_mechanism
from screwgraph.model.mechanism.sensors import parse_sensors
from screwgraph.motion.simulation import dynamics_of
from tests.motion.estimation.subjects import Readings, Run, Subject

FOUR_BAR = """
points:
  - {{x: 0, y: 0, fixed: true}}
  - {{name: A, x: {x0}, y: {y0}}}
  - {{name: B, x: {x1}, y: {y1}}}
  - {{name: D, x: 1.0, y: 0, fixed: true}}
bodies:
  - {{name: crank, points: [0, A], mass: {m0}, I0: mass*length^2/3, cog: [length/2, 0]}}
  - {{name: coupler, points: [A, B], mass: {m1}, I0: mass*length^2/3, cog: [length/2, 0]}}
  - {{name: rocker, points: [B, D], mass: {m2}, I0: mass*length^2/3, cog: [length/2, 0]}}
angles: [{{angle: theta, of: [0, A]}}]
dampers: [{{damper: d, angle: theta, damping: 0.2}}]
motors: [theta]
independent: [theta]
velocities: {{theta: {w}}}
"""
PENDULUM = """
points:
  - {{x: 0, y: 0, fixed: true}}
  - {{name: A, x: {x0}, y: {y0}}}
  - {{name: B, x: {x1}, y: {y1}}}
  - {{name: wall, x: 1.0, y: 1.0, fixed: true}}
bodies:
  - {{name: upper, points: [0, A], mass: {m0}, I0: mass*length^2/3, cog: [length/2, 0]}}
  - {{name: lower, points: [A, B], mass: {m1}, I0: mass*length^2/3, cog: [length/2, 0]}}
angles: [{{angle: theta, of: [0, A]}}, {{angle: phi, of: [A, B], from: [0, A]}}]
springs: [{{spring: s, between: [B, wall], stiffness: {k}, rest: 0.5}}]
dampers: [{{damper: d, angle: phi, damping: 0.1}}]
motors: [theta]
independent: [theta, phi]
velocities: {{theta: {w}, phi: 0.5}}
"""
SHAPES = ((FOUR_BAR, "damping:d"), (PENDULUM, "stiffness:s"))
"""Each with what is unknown besides the mass of the last body."""


def random_mechanism(rng: np.random.Generator, folder: Path) -> Subject:
    """A four-bar linkage, or a double pendulum on a spring, of which two parameters, and maybe a torque, are unknown.

    Sensors are an encoder, gyroscopes, a camera, an accelerometer.
    """
    text, second = SHAPES[int(rng.integers(len(SHAPES)))]
    a, b = rng.uniform(0.2, 0.4), rng.uniform(-0.5, 0.5)
    places = {"x0": a * np.cos(b), "y0": a * np.sin(b), "x1": rng.uniform(0.6, 0.8), "y1": rng.uniform(0.5, 0.9)}
    sizes = {name: rng.uniform(0.5, 2.0) for name in ("m0", "m1", "m2", "k")}
    path = folder / f"random{int(rng.integers(10**9))}.yaml"
    path.write_text(text.format(**places, **sizes, w=rng.uniform(-2.0, 2.0)))
    mechanism = sg.load_mechanism(path)
    bodies = [body.name for body in mechanism.bodies]
    sensors = [{"sensor": "encoder", "angle": "theta", "sigma": 2e-4}]
    sensors += [{"sensor": f"gyro {name}", "gyroscope": name, "sigma": 2e-3} for name in bodies]
    sensors += [{"sensor": "camera", "position": "B", "sigma": 6e-4}]
    sensors += [{"sensor": "acc", "accelerometer": bodies[-1], "at": [0.1, 0.05], "sigma": 1e-2}]
    values = dict(mechanism.source.values)
    return Subject(
        mechanism,
        dynamics_of(mechanism).start(None, None),
        sensors,
        partial(_readings, mechanism, sensors=sensors),
        {name: values[name] for name in (f"mass:{bodies[-1]}", second)},
        partial(_accelerations, mechanism),
        mechanism.motors,
        {"theta": rng.uniform(-2.0, 2.0)},
        ["theta"] if rng.random() < 0.5 else [],
        partial(_tangent, mechanism),
        lambda q: dynamics_of(mechanism).start(q, None)[0],
        [mechanism.index(name) for name in mechanism.independent_coordinates],
    )


def _accelerations(mechanism: sg.Mechanism, values: Mapping[str, float]) -> Callable[..., np.ndarray]:
    code, given = compile_mechanism(mechanism, tuple(values)).acceleration, np.array(list(values.values()))
    return lambda q, qd, tau: code(q, qd, mechanism.motor_forces(tau), given)


def _tangent(mechanism: sg.Mechanism, q: np.ndarray) -> np.ndarray:
    _, J = compile_mechanism(mechanism).closing(q)
    return np.linalg.svd(J)[2][mechanism.n - mechanism.dof :].T


def _readings(mechanism: sg.Mechanism, run: Run, sensors: list[dict]) -> Readings:
    given = parse_sensors(mechanism, sensors)
    read = simulate_sensors(mechanism, {"q": run.q, "v": run.qd, "a": run.qdd}, given)
    return {s.name: {name: (read[name], s.spread) for name in s.columns} for s in given}
