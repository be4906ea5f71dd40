"""Conformance: whatever takes positions refuses quaternions that are not unit, or makes them unit; nothing is wrong.

A new public function of positions has to be added to `FUNCTIONS`: the last test compares it with the packages' names.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.api import interop
from screwgraph.model import robot
from screwgraph.model.robot import Coupling, Loop, Transmission
from screwgraph.model.robot.joints import Spherical
from screwgraph.motion import simulation
from screwgraph.motion.planning import Planner, Task, horizon
from screwgraph.motion.planning.goals import Pose, Position
from screwgraph.ui import view
from tests.motion.estimation.robots import thrown
from tests.oracle import pinocchio_model

FLYING = thrown()
TIED = replace(FLYING, loops=(Loop("ball", Spherical(), "world", "hand"),))
GEARED = replace(FLYING, actuators=(Transmission(Coupling("gear", {"wrist": 0.1})),))
HAND = FLYING.frame("hand")
RNG = np.random.default_rng(0)
QD, QDD = RNG.normal(size=(2, FLYING.nv))
PARTS = [*(f"fly[{i}]" for i in range(7)), "wrist"]
T = 0.01 * np.arange(10)
SENSOR = {"sensor": "a", "joint_position": "wrist", "sigma": 1e-3}


def position() -> np.ndarray:
    """A position at which the ball is closed: good for both robots."""
    q = FLYING.random(np.random.default_rng(1))
    return TIED.close_loops(q)


Q = position()


@cache
def states() -> Any:
    """Conversions to Pinocchio."""
    return interop.pinocchio_states(FLYING, pinocchio_model(FLYING)[0])


def table(q: np.ndarray) -> dict[str, np.ndarray]:
    """A trajectory that stays where it is."""
    return {"t": T, **{name: np.full(len(T), x) for name, x in zip(PARTS, q, strict=True)}}


def task(q: Any, **changes: Any) -> Task:
    """A plan that goes nowhere, without torques."""
    given = {"start": q, "goals": (Position({"wrist": Q[-1]}),), "dynamics": False} | changes
    return Task(FLYING, horizon(2, dt=0.1), **given)


def estimated(q: np.ndarray) -> np.ndarray:
    return sg.estimate(FLYING, {"t": T, "a": np.full(10, Q[-1])}, sensors=[SENSOR], q0=q).q


def marked(q: np.ndarray) -> np.ndarray:
    """An estimate from a sensor that measures a pose."""
    marker = {"sensor": "m", "pose": "body", "sigma": 1e-3}
    measured = {f"m_{x}": np.full(10, v) for x, v in zip(["x", "y", "z", "qx", "qy", "qz", "qw"], q[:7], strict=True)}
    return sg.estimate(FLYING, {"t": T, **measured}, sensors=[marker], q0=Q).q


def replanned(q: np.ndarray) -> np.ndarray:
    planner = Planner(task(Q))
    return planner.step(q=q).q


def moved(q: np.ndarray) -> np.ndarray:
    return np.array([body.poses for body in view.robot_scene(FLYING, np.arange(2.0), np.stack([q, q])).bodies])


FUNCTIONS: dict[str, Callable[[np.ndarray], Any]] = {
    "inverse_dynamics": lambda q: sg.inverse_dynamics(FLYING)(q, QD, QDD),
    "forward_dynamics": lambda q: sg.forward_dynamics(FLYING)(q, QD, QDD),
    "hybrid_dynamics": lambda q: sg.hybrid_dynamics(FLYING, ["wrist"])(q, QD, QDD),
    "mass_matrix": lambda q: sg.mass_matrix(FLYING)(q),
    "bias_forces": lambda q: sg.bias_forces(FLYING)(q, QD),
    "jacobian": lambda q: sg.inverse_dynamics(FLYING).jacobian("qd")(q, QD, QDD),
    "compile": lambda q: sg.compile(sg.dynamics_graph(FLYING).given("q", "qd", "tau"), "qdd")(q, QD, QDD),
    "forward_dynamics of a closed chain": lambda q: sg.forward_dynamics(TIED)(q, QD, QDD),
    "robot.link_poses": lambda q: robot.link_poses(FLYING, q)["hand"],
    "robot.link_twists": lambda q: robot.link_twists(FLYING, q, QD)["hand"],
    "robot.frame_pose": lambda q: robot.frame_pose(FLYING, HAND, q),
    "robot.frame_velocity": lambda q: robot.frame_velocity(FLYING, HAND, q, QD),
    "robot.constraint_residual": lambda q: robot.constraint_residual(TIED, q),
    "robot.constraint_jacobian": lambda q: robot.constraint_jacobian(TIED, q),
    "robot.loop_pose": lambda q: robot.loop_pose(TIED, TIED.loops[0], q),
    "robot.actuation_matrix": lambda q: robot.actuation_matrix(GEARED, q),
    "robot.actuation_torques": lambda q: robot.actuation_torques(GEARED, q, [2.0]),
    "robot.displacements": lambda q: robot.displacements(GEARED, q),
    "robot.linear_actuation": lambda q: robot.linear_actuation(GEARED, q)[0],
    "robot.list_torques": lambda q: [
        torque for _, torque in robot.list_torques(GEARED, GEARED.actuators[0].lever(GEARED), q, 2.0)
    ],
    "robot.close_loops": lambda q: robot.close_loops(TIED, q),
    "robot.complete": lambda q: robot.complete(TIED, independent(), q),
    "robot.complete_velocity": lambda q: robot.complete_velocity(TIED, q, np.ones(TIED.mobility.freedom)),
    "Robot.actuation_matrix": lambda q: GEARED.actuation_matrix(q),
    "Robot.actuation_torques": lambda q: GEARED.actuation_torques(q, [2.0]),
    "Robot.displacements": lambda q: GEARED.displacements(q),
    "Robot.close_loops": lambda q: TIED.close_loops(q),
    "Robot.locate": lambda q: FLYING.locate(q[None], "hand", None),
    "Robot.complete": lambda q: TIED.complete(independent(), q),
    "Robot.complete_velocity": lambda q: TIED.complete_velocity(q, np.ones(TIED.mobility.freedom)),
    "simulation.initial_position": lambda q: simulation.initial_position(FLYING, q),
    "simulation.initial_states": lambda q: simulation.initial_states(simulation.dynamics_of(FLYING), q, QD)[0],
    "simulation.live_states": lambda q: simulation.live_states(TIED, held(), q, np.zeros(TIED.nv))[0],
    "simulation.path_of": lambda q: simulation.path_of(FLYING, np.asarray(q)[None], "hand"),
    "simulation.simulate": lambda q: simulation.simulate(FLYING, q, QD, time=0.02, dt=0.01).q,
    "sg.simulate": lambda q: sg.simulate(FLYING, q, QD, time=0.02, dt=0.01).q,
    "sg.simulate smoother": lambda q: sg.simulate(FLYING, q, QD, time=0.02, dt=0.01, method="smoother").q,
    "simulation.rollout": lambda q: simulation.rollout(FLYING, q, QD, time=0.02, dt=0.01).q,
    "sg.rollout": lambda q: sg.rollout(FLYING, q, QD, time=0.02, dt=0.01).q,
    "sg.inverse_trajectory": lambda q: sg.inverse_trajectory(FLYING, table(q)).tau,
    "sg.estimate": estimated,
    "sg.estimate pose": marked,
    "States.q_out": lambda q: states().q_out(q),
    "States.q_back": lambda q: states().q_back(q),
    "States.matrix": lambda q: states().matrix(q),
    "States.qd_out": lambda q: states().qd_out(q, QD),
    "States.qd_back": lambda q: states().qd_back(q, QD),
    "States.qdd_out": lambda q: states().qdd_out(q, QD, QDD),
    "States.qdd_back": lambda q: states().qdd_back(q, QD, QDD),
    "States.tau_out": lambda q: states().tau_out(q, QDD),
    "States.tau_back": lambda q: states().tau_back(q, QDD),
    "States.mass_matrix_back": lambda q: states().mass_matrix_back(q, np.eye(FLYING.nv)),
    "view.robot_scene": moved,
    "plan start": lambda q: sg.plan(task(q)).q,
    "plan start of a joint": lambda q: sg.plan(task({"fly": q[:7]})).q,
    "plan goal": lambda q: sg.plan(task(Q, goals=(Position(q),))).q,
    "plan goal of a frame": lambda q: sg.plan(task(Q, goals=(Pose("hand", of=q),))).q,
    "plan guess": lambda q: sg.plan(task(Q, guess={"q": np.tile(q, (5, 1))})).q,
    "planner step": replanned,
}

ELSEWHERE = {
    "robot.advise_independent_joints": "gives words, at positions that were checked",
    "robot.check_unit": "it is the check",
    "robot.idle_joints": "it is called with positions of its own",
    "simulation.check_start": "after `initial_position`",
    "simulation.simulate_dynamics": "makes a result of a motion",
    "view.export": "calls `robot_scene`",
    "view.link_between": "of links",
    "view.mechanism_scene": "mechanisms have no quaternions",
}
"""Public functions with such an argument that are not tested, and why."""


@cache
def held() -> simulation.StepValues:
    """Where the ball of the closed chain is held, as an input."""
    names = ("ball.predecessor",)
    return simulation.StepValues.from_values(sg.forward_dynamics(TIED, parameters=names), names, None, {})


def independent() -> np.ndarray:
    """Where the independent joints of the closed chain stand."""
    return np.concatenate([Q[list(place)] for place in robot.position_slices(TIED)])


@pytest.mark.parametrize("query", FUNCTIONS)
def test_quaternions_of_other_lengths_are_refused_or_made_unit(query):
    function = FUNCTIONS[query]
    right = np.asarray(function(Q), dtype=float)
    assert np.isfinite(right).all()
    for length in (0.5, 1.5):
        off = Q.copy()
        off[3:7] *= length
        try:
            found = np.asarray(function(off), dtype=float)
        except sg.InputError as error:
            text = str(error)
        else:
            np.testing.assert_allclose(found, right, atol=1e-6 * max(1.0, np.abs(right).max()))
            continue
        assert "quaternion" in text
        assert "\n" not in text


@pytest.mark.parametrize("dtype", [object, bool, np.int64, np.float32])
def test_whatever_their_type_of_numbers(dtype):
    function, upright = sg.forward_kinematics(FLYING, "hand"), np.zeros(8)
    upright[3] = 1.0
    np.testing.assert_array_equal(function(upright.astype(dtype)), function(upright))
    with pytest.raises(sg.InputError, match="quaternion"):
        function(np.zeros(8).astype(dtype))


@pytest.mark.parametrize(
    "q", [1.0, "text", ["a"] * 8, [None] * 8, Q.astype(complex), Q[:5]], ids=lambda q: type(q).__name__
)
def test_what_is_no_position_is_said_as_such(q):
    with pytest.raises(sg.InputError, match=r"not an array of real numbers|has the shape"):
        sg.forward_kinematics(FLYING, "hand")(q)


def test_every_public_function_of_positions_is_listed():
    of = {"q", "q0", "q_guess", "branch"}
    packages = {"robot": robot, "simulation": simulation, "sg": sg, "view": view}
    classes = {"Robot": robot.Robot, "States": interop.States}
    names = [(n, name, getattr(p, name)) for n, p in packages.items() for name in p.__all__]
    names += [(n, name, getattr(c, name)) for n, c in classes.items() for name in dir(c) if name[0] != "_"]
    callables = [(n, name, f) for n, name, f in names if inspect.isfunction(f)]
    found = {f"{n}.{name}" for n, name, f in callables if of & set(inspect.signature(f).parameters)}
    assert found - set(FUNCTIONS) == set(ELSEWHERE)
