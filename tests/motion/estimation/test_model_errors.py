"""Wrong models, signs and units are said by the joint or sensor that they show at; dampings far from the file's."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot.parameters import checked_parameters, with_values

JOINTS = ("joint1", "joint2")
DAMPINGS = tuple(f"{joint}.damping" for joint in JOINTS)


def changed(**values):
    """Return the arm with other values of parameters."""
    arm, names = sg.load("rr"), tuple(name.replace("__", ".") for name in values)
    found = checked_parameters("expected", ("mass", "damping"), arm, names)
    return with_values(arm, {p: np.array([value]) for p, value in zip(found, values.values(), strict=True)})


def log(robot, count=40, dt=0.02):
    """Return positions with noise of 1 mrad, and torques, of a motion of the robot."""
    rng = np.random.default_rng(0)
    options = {"time": (count - 1) * dt, "dt": dt, "method": "dop853", "rtol": 1e-10, "atol": 1e-10}
    run = sg.simulate(
        robot, [0.3, -0.2], tau=lambda t, q, qd: np.array([20 * np.sin(3 * t), 8 * np.cos(5 * t)]), **options
    )
    table = {"t": run.t}
    for i, joint in enumerate(JOINTS):
        table[f"joint_position:{joint}"] = run.q[:, i] + 1e-3 * rng.standard_normal(count)
        table[f"tau:{joint}"] = run.tau[:, i]
    return table


def swapped(table):
    one, two = (f"joint_position:{joint}" for joint in JOINTS)
    return table | {one: table[two], two: table[one]}


def scaled(column, factor):
    table = log(changed())
    return table | {column: factor * table[column]}


WRONG = {
    "mass": lambda: (changed(link2__mass=1.3), log(changed())),
    "payload": lambda: (changed(), log(changed(link2__mass=2.5))),
    "damping": lambda: (changed(), log(changed(joint1__damping=2.0, joint2__damping=2.0))),
    "sign of a sensor": lambda: (changed(), scaled("joint_position:joint2", -1.0)),
    "sign of a torque": lambda: (changed(), scaled("tau:joint2", -1.0)),
    "swapped joints": lambda: (changed(), swapped(log(changed()))),
    "degrees": lambda: (changed(), scaled("joint_position:joint1", 57.3)),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.sampled(3)
def test_a_wrong_model_or_sensor_is_named(case):
    robot, table = WRONG[case]()
    try:
        found = sg.estimate(robot, table)
    except sg.InputError as error:
        said = str(error)
    else:
        said = " ".join(found.doubts)
        assert set(found.model_errors) == {"joint1[0]", "joint2[0]"}
    assert "joint_position:joint" in said
    assert "joint1[0]" in said or "joint2[0]" in said
    assert "\n" not in said


def test_the_joint_whose_torque_has_the_wrong_sign_is_named():
    table = log(changed(), count=60)
    with pytest.raises(sg.InputError, match=r"the equation of motion of joint2\[0\] is off by up to") as caught:
        sg.estimate(changed(), table | {"tau:joint2": -table["tau:joint2"]})
    assert "joint_position:joint2 is off by" in str(caught.value)


@pytest.mark.parametrize("damping", [5.0, pytest.param(500.0, marks=pytest.mark.suite)])
def test_dampings_far_from_a_zero_prior_are_found(damping):
    """Of 500 N m s, of time constants of 1 ms beside steps of 20 ms; the file says 0."""
    true = changed(joint1__damping=damping, joint2__damping=damping)
    found = sg.estimate(changed(), log(true, count=60), DAMPINGS)
    for name in DAMPINGS:
        assert found.parameters[name] == pytest.approx(damping, abs=4.0 * found.sigma[name])
        assert found.sigma[name] < 0.05 * damping
    assert isinstance(found.run.model, sg.Robot)
    nominal = checked_parameters("expected", ("damping",), found.run.model, DAMPINGS)
    assert all(p.nominal(found.run.model) == 0.0 for p in nominal)
