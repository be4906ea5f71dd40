"""The docstring of a function names its arguments and results, with shapes, units and joints."""

import inspect
import pickle

import screwgraph as sg


def test_a_function_says_what_it_takes_and_gives():
    text = inspect.getdoc(sg.forward_dynamics(sg.load("rr"), parameters=["link1.mass"]))
    assert text.startswith("forward_dynamics(q: 2, qd: 2, tau: 2, parameters: 1)")
    assert "Return qdd(q, qd, tau): the accelerations that torques cause" in text
    for line in (
        "    q (2,): positions (rad, m; quaternions x y z w): joint1, joint2",
        "    tau (2,): torques and forces of joints, or of motors (N m, N): joint1, joint2",
        "    parameters (1,): numbers of the model (SI units): link1.mass",
        "    result (2,): accelerations (rad/s^2, m/s^2): joint1, joint2",
    ):
        assert line in text.splitlines()


def test_frames_stand_there_and_each_function_has_its_own():
    robot = sg.load("a1", base="floating")
    text = sg.frame_jacobian(robot, "FL_foot").__doc__
    assert 'in its own axes ("local")' in text
    assert "    result (6, 18)" in text
    assert "floating_base, FR_hip_joint, FR_thigh_joint" in text
    given = sg.hybrid_dynamics(sg.load("rr"), accelerations=["joint1"])
    assert "that are given: qdd:joint1, tau:joint2" in given.__doc__
    assert pickle.loads(pickle.dumps(given)).__doc__ == given.__doc__


def test_the_class_keeps_its_own():
    assert sg.Function.__doc__.startswith("A function that elimination produced")
    assert sg.Function.__doc__.splitlines()[0] in sg.mass_matrix(sg.load("rr")).__doc__
