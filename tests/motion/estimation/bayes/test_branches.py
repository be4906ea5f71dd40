"""The assembly branch as an unknown of networks: all branches are found, and weighed by what is known."""

import re

import numpy as np
import pytest
from scipy.optimize import least_squares

import screwgraph as sg
from screwgraph.mechanics.mechanism import position_problem, velocity_problem
from screwgraph.motion.estimation import bayes_network
from screwgraph.motion.estimation.bayes.branches import _go_ahead, find_branches
from screwgraph.motion.estimation.bayes.network_model import NetworkModel

PARALLELOGRAM = """
name: parallelogram
points:
  - {name: O, x: 0, y: 0, fixed: true}
  - {name: P, x: 2, y: 0, fixed: true}
  - {name: A, x: 0.8, y: -0.6}
  - {name: B, x: 2.8, y: -0.6}
bodies:
  - {name: crank, points: [O, A], length: 1, mass: 1, I0: mass*length^2/3, cog: [length/2, 0]}
  - {name: coupler, points: [A, B], length: 2, mass: 1, I0: mass*length^2/3, cog: [length/2, 0]}
  - {name: rocker, points: [P, B], length: 1, mass: 1, I0: mass*length^2/3, cog: [length/2, 0]}
angles: [{angle: theta, of: [O, A]}, {angle: psi, of: [P, B]}]
motors: [theta]
independent: [theta]
sensors:
  - {sensor: gyro, gyroscope: rocker, sigma: 0.02}
  - {sensor: reading, angle: theta, sigma: 0.001}
"""


def _rounded(x):
    return tuple(np.round(x, 6))


def _brute(model, angle):
    """Places of all points at which bodies have their lengths, by least squares from random places."""
    slots, fixed = model.point_slots, model.n - len(model.angles)
    crank = model.bodies[0]

    def place(x, i):
        return np.array([x[s] if isinstance(s, int) else s for s in slots[i]])

    def off(x):
        ends = [[place(x, i) for i in body.base] for body in model.bodies]
        first, second = (place(x, i) for i in crank.base)
        held = second - first - crank.length * np.array([np.cos(angle), np.sin(angle)])
        return [*(np.linalg.norm(b - a) - body.length for (a, b), body in zip(ends, model.bodies, strict=True)), *held]

    rng, found = np.random.default_rng(0), []
    for _ in range(60):
        end = least_squares(off, 4.0 * rng.standard_normal(fixed), xtol=1e-14, ftol=1e-14, gtol=1e-14)
        if end.cost < 1e-20 and all(np.abs(end.x - x).max() > 1e-5 for x in found):
            found.append(end.x)
    return sorted(found, key=_rounded)


@pytest.mark.parametrize("angle", [0.7, -0.4, 2.5])
@pytest.mark.parametrize("name", ["four_bar_angle", PARALLELOGRAM])
def test_all_branches_are_found(name, angle):
    model = sg.load_mechanism(name)
    known = np.full(model.n, np.nan)
    known[model.index("theta")] = angle
    found = find_branches(NetworkModel.from_model(model), model.home, known)
    points = sorted((row[: model.n - len(model.angles)] for row in found), key=_rounded)
    np.testing.assert_allclose(points, _brute(model, angle), atol=1e-6)


def test_both_branches_are_kept_while_both_explain_what_is_known():
    model, known = sg.load_mechanism("four_bar_angle"), {"q:theta": 0.7}
    found = bayes_network(1).given(model, *known, solve=["q", "C"])(known)
    assert [branch.probability for branch in found.branches] == [0.5, 0.5]
    first, second = (branch.solution for branch in found.branches)
    assert np.abs(first["q"] - second["q"]).max() > 0.1
    held = bayes_network(1).given(model, *known, "C", solve=["q"])
    np.testing.assert_allclose(held(known | {"C": second["C"]})["q"], second["q"], atol=1e-9)


@pytest.mark.parametrize("error", [0.0, 0.01, 0.035])
def test_a_gyroscope_weighs_branches_by_its_noise(error):
    """The rocker turns at another speed on each; probabilities are those of Gaussian errors."""
    model, known = sg.load_mechanism("four_bar_angle"), {"q:theta": 0.7, "qd:theta": 1.0}
    (sensor,) = (s for s in model.sensors if s.name == "rocker_gyro")
    branches = bayes_network(1).given(model, "q:theta", solve=["q", "C"])({"q:theta": 0.7}).branches
    speeds = []
    for _, branch in branches:
        q, qd = branch["q"], velocity_problem(model, branch["q"], {"theta": 1.0})
        p, v = np.array([4.0, 0.0]) - model.position(q, "P2"), -qd[2:4]
        speeds.append((p[0] * v[1] - p[1] * v[0]) / (p @ p))
    read = speeds[0] + error * np.sign(speeds[1] - speeds[0])
    given = known | {"o:rocker_gyro": read}
    found = bayes_network(1, observed=True).given(model, *given, solve=["q", "qd", "C"])(given)
    likely = np.exp([-0.5 * ((read - speed) / sensor.spread) ** 2 for speed in speeds])
    expected = likely / likely.sum()
    assert len(found.branches) == 2
    for probability, branch in found.branches:
        is_first = np.abs(branch["q"] - branches[0].solution["q"]).max() < 1e-3
        assert probability == pytest.approx(expected[0 if is_first else 1], abs=1e-3)


STEPS, DT = 21, 0.04


def _rocker(theta):
    """Angle of the parallelogram's rocker on its other branch: by the intersection of circles."""
    a = np.array([np.cos(theta) - 2.0, np.sin(theta)])
    d = np.linalg.norm(a)
    along = (d * d - 3.0) / (2.0 * d)
    across = np.sqrt(max(0.0, 1.0 - along**2))
    ends = [along * a / d + s * across * np.array([-a[1], a[0]]) / d for s in (1.0, -1.0)]
    return max((np.arctan2(*end[::-1]) for end in ends), key=lambda psi: abs(psi - theta))


def _motion():
    """The crank comes to rest at its change point, and goes on: its angle and speed, and those of both rockers."""
    part = np.linspace(-1.0, 1.0, STEPS + 1)
    angle, speed = 0.6 * part**3, 3.6 * part**2 / (STEPS * DT)
    other = np.array([_rocker(x) for x in angle])
    slope = np.array([(_rocker(x + 1e-6) - _rocker(x - 1e-6)) / 2e-6 for x in angle])
    return angle, (angle, speed), (other, slope * speed)


@pytest.mark.parametrize("before", [0, 1])
@pytest.mark.parametrize("after", [0, 1])
def test_a_motion_may_change_its_branch_at_a_change_point(before, after):
    """Flat parallelogram: both branches meet there, four ways lead through it, and a gyroscope tells which."""
    model, (angle, *ways) = sg.load_mechanism(PARALLELOGRAM), _motion()
    psi, rate = (np.where(angle < 0.0, ways[before][k], ways[after][k]) for k in range(2))
    read = rate + 0.02 * np.random.default_rng(before + 2 * after).standard_normal(STEPS + 1)
    known = {"q:theta": angle, "o:gyro": read}
    network = bayes_network(STEPS + 1, observed=True).given(model, *known, solve=["q", "qd", "C"], dt=DT)
    found = network(known)
    np.testing.assert_allclose(found["q"][:, model.index("psi")], psi, atol=2e-2)
    assert found.branches[0].probability > 0.999


def test_four_ways_lead_through_a_change_point_that_nothing_tells_apart():
    model, (angle, *ways) = sg.load_mechanism(PARALLELOGRAM), _motion()
    known = {"q:theta": angle}
    found = bayes_network(STEPS + 1).given(model, *known, solve=["q", "qd", "C"], dt=DT)(known)
    assert [branch.probability for branch in found.branches] == pytest.approx([0.25] * 4, abs=0.02)
    ends = {tuple(np.round(b.solution["q"][[0, -1], model.index("psi")], 2)) for b in found.branches}
    assert ends == {(round(a[0][0], 2), round(b[0][-1], 2)) for a in ways for b in ways}


def test_branches_of_a_robot_are_weighed_too():
    """A closed chain of revolute joints: an angle that both branches have tells nothing, the other one does."""
    robot = sg.load("four_bar_linkage")
    (crank,) = robot.independent_joints
    i = robot.q_slices[crank].start
    angle = robot.neutral()[i] + 0.4
    both = bayes_network(1).given(robot, f"q:{crank}", solve=["q", "C"])({f"q:{crank}": angle}).branches
    assert len(both) == 2
    for _, branch in both:
        np.testing.assert_allclose(sg.forward_kinematics(robot, robot.link_names[-1])(branch["q"])[3], [0, 0, 0, 1])
        assert np.abs(robot.close_loops(branch["q"]) - branch["q"]).max() < 1e-8
    other = next(name for name in robot.joint_names if name != crank)
    known = {f"q:{crank}": angle, f"q:{other}": both[1].solution["q"][robot.q_slices[other].start]}
    alone = bayes_network(1).given(robot, *known, solve=["q", "C"])(known)
    assert len(alone.branches) == 1
    np.testing.assert_allclose(alone["q"], both[1].solution["q"], atol=1e-6)


def test_a_known_branch_is_not_asked():
    model = sg.load_mechanism("four_bar_angle")
    with pytest.raises(sg.InputError, match="the branch C is known, and asked"):
        bayes_network(1).given(model, "q:theta", "C", solve=["q", "C"])


def test_what_no_branch_explains_is_refused():
    model = sg.load_mechanism("slider_crank")
    known = {"q:theta": 0.3, "q:x:piston": 9.0}
    with pytest.raises(sg.InputError):
        bayes_network(1).given(model, *known, solve=["q", "C"])(known)


def _scaled(size):
    """The branches of the parallelogram of another size, its points relative to that."""
    text = re.sub(r"\b(x|y|length): (-?[0-9.]+)", lambda m: f"{m[1]}: {size * float(m[2]):.17g}", PARALLELOGRAM)
    model = sg.load_mechanism(text)
    known = np.full(model.n, np.nan)
    known[model.index("theta")] = 0.7
    q = find_branches(NetworkModel.from_model(model), model.home, known)
    q[:, : model.n - len(model.angles)] /= size
    return sorted(q, key=_rounded)


@pytest.mark.parametrize("size", [1e-3, 1e3])
def test_branches_of_small_and_large_mechanisms_are_those_of_others(size):
    usual = _scaled(1.0)
    assert len(usual) == 2
    np.testing.assert_allclose(_scaled(size), usual, atol=1e-6)


def test_a_step_ahead_goes_on_as_the_steps_before():
    model = NetworkModel.from_model(mechanism := sg.load_mechanism("four_bar_angle"))
    theta, n = mechanism.index("theta"), mechanism.n
    track = [position_problem(mechanism, {"theta": angle}) for angle in (0.60, 0.62, 0.64)]
    ahead, found = _go_ahead(model, track[:2], np.where(np.arange(n) == theta, 0.64, np.nan))
    np.testing.assert_allclose(ahead, 2.0 * track[1] - track[0], atol=1e-12)
    np.testing.assert_allclose(found, track[2], atol=1e-8)
