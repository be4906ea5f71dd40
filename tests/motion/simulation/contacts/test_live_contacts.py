"""Friction, stiffness and slopes that change between steps, and are others in each motion."""

import numpy as np
import pytest

import screwgraph as sg
from tests.motion.simulation.contacts.bodies import box, free_body

G = 9.81


def sliding(parameters=(), **options):
    """Return a simulator of a rigid box that slides at 1 m/s."""
    robot, corners = box(0.5)
    start = robot.neutral()
    start[2] = 0.05
    return sg.Simulator(robot, 1e-3, start, [0, 0, 0, 1.0, 0, 0], contacts=corners, parameters=parameters, **options)


def test_friction_changes_between_steps():
    slides = sliding()
    for mu in (0.1, 0.3):
        before = slides.qd[3]
        slides.set_parameters({"friction": mu})
        slides.step(steps=100)
        assert before - slides.qd[3] == pytest.approx(0.1 * mu * G, rel=1e-6)
    slides.set_parameters({})
    before = slides.qd[3]
    slides.step(steps=50)
    assert before - slides.qd[3] == pytest.approx(0.05 * 0.5 * G, rel=1e-6)  # that of the contacts


def test_masses_and_friction_change_together():
    slides = sliding({"body.mass": [2.0], "friction": 0.2})
    slides.step(steps=100)
    assert slides.qd[3] == pytest.approx(1.0 - 0.1 * 0.2 * G, rel=1e-6)
    assert slides.forces[:, 2].sum() == pytest.approx(2.0 * G, rel=1e-9)
    slides.set_parameters({"body.mass": [3.0], "friction": [0.0] * 4})
    before = slides.qd[3]
    slides.step(steps=100)
    assert slides.qd[3] == pytest.approx(before, abs=1e-12)
    assert slides.forces[:, 2].sum() == pytest.approx(3.0 * G, rel=1e-9)


def test_stiffness_says_how_deep_a_body_rests():
    ball, k = free_body(1.0, 0.004), 1e4
    rests = sg.Simulator(
        ball, 1e-3, [0, 0, 0.1, 0, 0, 0, 1], contacts=[sg.Contact("body", 0.1)], parameters={"stiffness": k}
    )
    rests.step(steps=1500)
    assert rests.q[2] - 0.1 == pytest.approx(-G / k, rel=1e-6)
    rests.set_parameters({"stiffness": 2.0 * k})
    rests.step(steps=1500)
    assert rests.q[2] - 0.1 == pytest.approx(-0.5 * G / k, rel=1e-6)


def test_a_slope_that_is_a_parameter_turns():
    ball = free_body(1.0, 0.004)
    rolls = sg.Simulator(
        ball, 1e-3, [0, 0, 0.1, 0, 0, 0, 1], contacts=[sg.Contact("body", 0.1, friction=0.0)], parameters=["ground"]
    )
    rolls.step(steps=100)
    assert abs(rolls.qd[3]) < 1e-12
    normal = np.array([np.sin(0.2), 0.0, np.cos(0.2)])
    rolls.set_parameters({"ground": sg.Plane(tuple(normal))})
    rolls.reset([*(0.1 * normal), 0, 0, 0, 1])
    rolls.step(steps=200)
    assert np.hypot(rolls.qd[3], rolls.qd[5]) == pytest.approx(0.2 * G * np.sin(0.2), rel=1e-3)


def test_motions_have_their_own_friction():
    robot, corners = box(0.5)
    start = robot.neutral()
    start[2] = 0.05
    mu = np.array([[0.1], [0.3], [0.6]])
    options = {"qd0": [0, 0, 0, 1.0, 0, 0], "contacts": corners, "time": 0.05}
    by_name = sg.rollout(robot, start, parameters={"friction": mu, "body.mass": [[1.0], [2.0], [3.0]]}, **options)
    np.testing.assert_allclose(1.0 - by_name.qd[:, -1, 3], 0.05 * mu[:, 0] * G, rtol=1e-6)
    many = sliding({"friction": mu})
    many.step(steps=50)
    np.testing.assert_allclose(1.0 - many.qd[:, 3], 0.05 * mu[:, 0] * G, rtol=1e-6)


WRONG = {
    "negative": ({"friction": -0.1}, "must be finite and not negative"),
    "words": ({"friction": "ice"}, "not numbers"),
    "three of four": ({"friction": [0.1, 0.2, 0.3]}, "has the shape"),
    "no ground": ({"ground": 3}, "expected a ground"),
}


@pytest.mark.parametrize(("values", "text"), WRONG.values(), ids=WRONG)
def test_what_no_contact_has_is_refused(values, text):
    with pytest.raises(sg.InputError, match=text):
        sliding(["ground"]).set_parameters(values)


def test_grounds_that_stand_in_the_code_and_missing_contacts_are_named():
    with pytest.raises(sg.InputError, match="stands in its code"):
        sliding().set_parameters({"ground": sg.Plane((0, 0.1, 1))})
    uneven = sg.HeightMap(np.zeros((3, 3)), (-1.0, -1.0), 1.0)
    with pytest.raises(sg.InputError, match="becomes another kind of ground"):
        sliding(["ground"]).set_parameters({"ground": uneven})
    with pytest.raises(sg.InputError, match="contacts that there are not"):
        sg.Simulator(free_body(1.0, 0.1), parameters=["friction"])
    with pytest.raises(sg.InputError, match="no parameters"):
        sg.Simulator(free_body(1.0, 0.1)).set_parameters({"body.mass": [2.0]})
