"""Parameters of a model as inputs of its steps, against simulations of models that have these values."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism.mechanism_functions import compile_mechanism
from screwgraph.model.robot import constraint_residual, with_gravity
from screwgraph.model.robot.parameters import parameters_of, with_values

RNG = np.random.default_rng(11)
ALL = ("link2.mass", "joint2.armature", "joint3.damping", "link3", "joint1.origin", "gravity")


def with_parameters(robot, values, payload=None):
    """The robot with these values, by name."""
    live = parameters_of(robot, tuple(values), payload)
    return with_values(robot, {p: np.atleast_1d(values[p.name]).astype(float) for p in live})


def robots_with(robot: sg.Robot, values: dict[str, Any]) -> tuple[tuple[sg.Robot, dict[str, Any]], ...]:
    """The robot whose parameters are inputs, and the one of a file with these values."""
    return (robot, {"parameters": values}), (with_parameters(robot, values), {})


def moved(robot: sg.Robot, steps: int = 200, **options: Any) -> np.ndarray:
    simulator = sg.Simulator(robot, 1e-3, RNG_Q, RNG_QD, **options)
    simulator.step(steps=steps)
    return np.concatenate([simulator.q, simulator.qd])


RNG_Q, RNG_QD = RNG.normal(size=3), RNG.normal(size=3)


def other_values(robot: sg.Robot) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    live = parameters_of(robot, ALL)
    values = {p.name: p.near(robot, rng) for p in live}
    return values | {"link2.mass": 2.0, "joint2.armature": 0.3, "joint3.damping": 0.7}


def test_every_kind_moves_a_robot_as_its_file_would():
    robot = sg.load("rrr")
    values = other_values(robot)
    for method in ("semi_implicit", "rk4"):
        found, expected = (moved(r, method=method, **o) for r, o in robots_with(robot, values))
        np.testing.assert_allclose(found, expected, atol=1e-11, err_msg=method)


def test_values_change_between_steps_and_are_the_files_at_first():
    robot = sg.load("rrr")
    simulator = sg.Simulator(robot, 1e-3, RNG_Q, RNG_QD, parameters=["link2.mass"], payload="link3")
    np.testing.assert_allclose(simulator.parameters, [robot.link("link2").inertia.mass, *np.zeros(10)])
    simulator.step(steps=200)
    np.testing.assert_allclose([*simulator.q, *simulator.qd], moved(robot), atol=1e-11)
    simulator.set_parameters({"link2.mass": 3.0})
    simulator.reset(RNG_Q, RNG_QD)
    simulator.step(steps=200)
    heavy = moved(with_parameters(robot, {"link2.mass": 3.0}))
    np.testing.assert_allclose([*simulator.q, *simulator.qd], heavy, atol=1e-11)
    simulator.set_parameters([3.0, *np.zeros(10)])
    simulator.reset(RNG_Q, RNG_QD)
    simulator.step(steps=200)
    np.testing.assert_allclose([*simulator.q, *simulator.qd], heavy, atol=1e-11)
    with pytest.raises(sg.InputError, match=r"have the shape \(12,\): 11 numbers are inputs"):
        simulator.set_parameters(np.zeros(12))


def test_friction_and_springs_are_those_of_the_options():
    robot = sg.load("rrr")
    rough = replace(robot, joints=tuple(replace(j, friction=0.4 * (j.name == "joint2")) for j in robot.joints))
    values = {"joint2.friction": 0.4, "joint1.stiffness": (30.0, 0.2)}
    found = moved(robot, parameters=values)
    np.testing.assert_allclose(found, moved(rough, friction=True, springs={"joint1": (30.0, 0.2)}), atol=1e-10)


def test_each_motion_has_its_own_mass_damping_and_gravity():
    robot, masses = sg.load("rrr"), np.array([[0.5], [1.0], [4.0]])
    damping, g = np.array([[0.0], [3.0], [1e4]]), RNG.normal(size=(3, 3))
    values = {"link2.mass": masses, "joint1.damping": damping, "gravity": g}
    found = sg.rollout(robot, RNG_Q, RNG_QD, time=0.05, parameters=values)
    assert found.q.shape == (3, 51, 3)
    for i in range(3):
        own = with_parameters(robot, {"link2.mass": masses[i], "joint1.damping": damping[i]})
        alone = sg.rollout(with_gravity(own, g[i]), RNG_Q, RNG_QD, time=0.05)
        np.testing.assert_allclose(found.q[i], alone.q[0], atol=1e-11)
    model = found[1].model
    assert isinstance(model, sg.Robot)
    assert model.joints[0].damping == 3.0


def test_blocks_threads_processes_and_single_precision_take_parameters(monkeypatch):
    from screwgraph.motion.simulation import rollouts

    robot, masses = sg.load("rrr"), RNG.uniform(0.5, 2.0, (5, 1))
    options = {"q0": RNG_Q, "time": 0.02, "parameters": {"link2.mass": masses}}
    expected = sg.rollout(robot, **options)
    monkeypatch.setattr(rollouts, "BLOCK", 2)
    np.testing.assert_array_equal(sg.rollout(robot, threads=2, **options).q, expected.q)
    with ProcessPoolExecutor(1) as pool:
        np.testing.assert_array_equal(sg.rollout(robot, executor=pool, parts=2, **options).q, expected.q)
    np.testing.assert_allclose(sg.rollout(robot, dtype="float32", **options).q, expected.q, atol=1e-5)


def test_a_batch_of_states_has_a_row_each():
    robot, masses = sg.load("rrr"), np.array([[0.5], [3.0]])
    options = {"parameters": {"link2.mass": masses}, "threads": 2}
    simulator = sg.Simulator(robot, 1e-3, np.tile(RNG_Q, (2, 1)), np.tile(RNG_QD, (2, 1)), **options)
    simulator.step(steps=50)
    for i in range(2):
        alone = moved(with_parameters(robot, {"link2.mass": masses[i]}), 50)
        np.testing.assert_allclose([*simulator.q[i], *simulator.qd[i]], alone, atol=1e-11)


def test_closed_chains_take_masses_and_gravity():
    robot = sg.load("four_bar_linkage")
    link, joint = robot.links[1].name, robot.joints[0].name
    values = {f"{link}.mass": 2.0 * robot.link(link).inertia.mass, "gravity": [1.0, -3.0, -5.0]}
    found = sg.rollout(robot, time=0.05, parameters={**values, f"{joint}.damping": 0.2})
    own = with_parameters(robot, {**values, f"{joint}.damping": 0.2})
    np.testing.assert_allclose(found.q, sg.rollout(own, time=0.05).q, atol=1e-10)


def test_mechanisms_take_masses():
    mechanism = sg.load_mechanism("four_bar")
    masses = np.array([[0.5], [5.0]])
    found = sg.rollout(mechanism, time=0.05, parameters={"mass:coupler": masses})
    for i in range(2):
        own = sg.load_mechanism("four_bar", {"mass:coupler": float(masses[i, 0])})
        np.testing.assert_allclose(found.q[i], sg.rollout(own, time=0.05).q[0], atol=1e-10)
    model = found[1].model
    assert isinstance(model, sg.Mechanism)
    assert model.source is not None
    assert dict(model.source.given)["mass:coupler"] == 5.0


def lengths_of(name: str) -> np.ndarray:
    (nominal,) = sg.Simulator(sg.load_mechanism("four_bar"), parameters=[name]).parameters
    return nominal * np.array([[0.95], [1.0], [1.1]])


@pytest.mark.parametrize("method", ["semi_implicit", "rk4"])
def test_mechanisms_move_as_those_whose_files_have_other_lengths(method):
    mechanism, name = sg.load_mechanism("four_bar"), "length:coupler"
    values = {name: lengths_of(name), "mass:coupler": np.array([[0.5], [1.0], [5.0]])}
    found = sg.rollout(mechanism, time=0.05, method=method, parameters=values)
    for i in range(3):
        own = sg.load_mechanism("four_bar", {key: float(value[i, 0]) for key, value in values.items()})
        expected = sg.rollout(own, time=0.05, method=method)
        np.testing.assert_allclose(found.q[i], expected.q[0], atol=1e-9)
        np.testing.assert_allclose(found.qd[i], expected.qd[0], atol=1e-8)
    motion = found[2]
    assert np.abs(motion.violation).max() < 1e-9


def test_mechanisms_close_again_where_lengths_change():
    mechanism, name = sg.load_mechanism("four_bar"), "length:coupler"
    simulator = sg.Simulator(mechanism, parameters=[name])
    simulator.step(steps=20)
    simulator.set_parameters({name: lengths_of(name)[2, 0]})
    own = sg.load_mechanism("four_bar", {name: float(lengths_of(name)[2, 0])})
    closing = compile_mechanism(own).closing
    for _ in range(2):
        residual, jacobian = closing(simulator.q)
        assert np.abs(residual).max() < 1e-9
        assert np.abs(jacobian @ simulator.qd).max() < 1e-7 * max(1.0, np.abs(simulator.qd).max())
        simulator.step(steps=20)
    with pytest.raises(sg.ModelError, match="cannot be assembled"):
        simulator.set_parameters({name: 50.0})


def test_closed_chains_move_as_those_whose_files_have_other_lengths():
    robot = sg.load("four_bar_linkage")
    name = f"{robot.joint_names[1]}.origin"
    (p,) = parameters_of(robot, [name])
    origins = p.nominal(robot) + np.array([[0.0, 0, 0, 0, 0, 0], [0.04, 0.03, 0, 0, 0, 0]])
    found = sg.rollout(robot, time=0.05, parameters={name: origins})
    for i in range(2):
        own = with_values(robot, {p: origins[i]})
        np.testing.assert_allclose(found.q[i], sg.rollout(own, time=0.05).q[0], atol=1e-9)
    simulator = sg.Simulator(robot, parameters={name: origins[0]})
    simulator.set_parameters({name: origins[1]})
    simulator.step(steps=20)
    assert np.abs(constraint_residual(own, simulator.q)).max() < 1e-9


def test_states_and_lengths_are_for_as_many_motions():
    name = "length:coupler"
    mechanism = sg.load_mechanism("four_bar")
    with pytest.raises(sg.InputError, match="for 2 and 3 motions"):
        sg.rollout(mechanism, np.tile(mechanism.home, (2, 1)), time=0.01, parameters={name: lengths_of(name)})
    with pytest.raises(sg.ModelError, match=r"motion 1: .*cannot be assembled"):
        sg.rollout(mechanism, time=0.01, parameters={name: lengths_of(name)[:2] * [[1.0], [50.0]]})


def test_a_motion_that_diverges_is_blamed_on_its_own_parameters():
    g = np.array([[0.0, 0.0, -9.81], [0.0, 1e12, 0.0]])
    with pytest.warns(
        RuntimeWarning, match=r"1 of 2 motions are lost; motion 1: .*diverged at step 0.*joint 'joint\d'"
    ):
        sg.rollout(sg.load("rrr"), RNG_Q, time=0.01, parameters={"gravity": g})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parameters": {"link9": 1.0}}, "no parameter is called 'link9'"),
        ({"parameters": {"link2.mass": np.ones((2, 3))}}, "1 number"),
        ({"parameters": {"link2.mass": np.nan}}, "not finite"),
        ({"parameters": {"link2.mass": np.ones((3, 1))}, "tau": np.zeros((2, 3))}, "for 3 motions"),
        ({"parameters": {"joint1.stiffness": (1.0, 0.0)}, "springs": {"joint1": 2.0}}, "name it once"),
        ({"parameters": {"payload": np.zeros(10)}}, "no frame has the payload"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    with pytest.raises(sg.InputError, match=message):
        sg.rollout(sg.load("rrr"), time=0.01, **options)


def test_a_simulator_without_parameters_says_so():
    with pytest.raises(sg.InputError, match="has no parameters"):
        sg.Simulator(sg.load("rrr")).set_parameters({"link2.mass": 1.0})
