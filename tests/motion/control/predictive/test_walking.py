"""References of walking robots: feet where they shall be, by forward kinematics."""

from functools import cache

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.control import Gait, Walk

DT, STAGES = 0.02, 20
NAMES = [f"{leg}_foot" for leg in ("FR", "FL", "RR", "RL")]
FEET = [sg.Contact(name, radius=0.02, friction=0.6) for name in NAMES]


@cache
def a1():
    robot = sg.load("a1", base="floating")
    stand = np.concatenate([np.zeros(6), [1.0], np.tile([0.0, 0.8, -1.6], 4)])
    stand[2] = 0.02 - sg.forward_kinematics(robot, NAMES)(stand)[:, 2, 3].min()
    return robot, stand


@cache
def control():
    return sg.mpc(a1()[0], DT, STAGES, contacts=FEET)


def test_joints_put_feet_where_they_shall_be_and_landings_are_raibert_s():
    robot, stand = a1()
    gait, speed = Gait(period=0.5, duty=0.6, lift=0.04), 0.3
    walk = Walk(robot, FEET, gait, stand, capture=1.0)
    qd = np.zeros(18)
    qd[3] = speed + 0.1
    t = 0.21  # feet 1 and 2 land at 0.25 s, at an instant of the horizon
    found = walk.references(control(), DT, t, stand, qd, [speed, 0.0, 0.0])
    places = sg.forward_kinematics(robot, NAMES)
    base = found.references[:, :19]
    reached = places(base)[..., :3, 3]
    np.testing.assert_allclose(reached, found.feet, atol=2e-3)  # two Newton steps
    on = found.contacts[..., 0] > 0.5
    assert on.tolist() == gait.stands(t + DT * (np.arange(STAGES) + 0.5)).tolist()
    times = t + DT * np.arange(STAGES + 1)
    standing = gait.stands(times[:-1]) & gait.stands(times[1:])
    assert np.abs(np.diff(found.feet, axis=0)[standing]).max() < 1e-9
    left = (1.0 - gait.phase(t)[1]) * gait.period
    hip = places(stand)[1, :2, 3]
    k = np.sqrt(stand[2] / 9.81)
    ahead = 0.4 * left + 0.5 * gait.duty * gait.period * 0.4 + k * 0.1
    landed = found.feet[int(np.ceil(left / DT)) + 1, 1]
    np.testing.assert_allclose(landed, [hip[0] + ahead, hip[1], 0.02], atol=1e-9)


def test_what_walks_cannot_be():
    robot, stand = a1()
    for given, match in [
        ({"period": 0.0}, "period of a gait"),
        ({"duty": 1.0}, "duty of a gait"),
        ({"lift": -0.1}, "lift of a gait"),
        ({"offsets": (0.0, np.nan)}, "offsets of a gait"),
    ]:
        with pytest.raises(sg.InputError, match=match):
            Gait(**given)
    with pytest.raises(sg.InputError, match="3 contacts"):
        Walk(robot, FEET[:3], Gait(), stand)
    with pytest.raises(sg.InputError, match="no floating base"):
        Walk(sg.load("panda"), FEET, Gait(), stand)
    with pytest.raises(sg.InputError, match="which has no loops"):
        Walk(robot, FEET, Gait(), stand, near=stand)
    other = {"robot": robot, "contacts": FEET, "gait": Gait(), "stand": stand}
    for given, match in [
        ({"robot": "a1"}, "expected a robot"),
        ({"gait": None}, "gait: expected"),
        ({"contacts": NAMES}, "contacts: expected"),
        ({"contacts": [sg.Contact("FR_fot"), *FEET[1:]]}, "did you mean FR_foot"),
        ({"contacts": [FEET[1], *FEET[1:]]}, "two are of one frame"),
        ({"stand": ["a"] * 19}, "expected an array of numbers"),
        ({"stand": np.zeros(19)}, "quaternion"),
        ({"stand": np.where(np.arange(19) == 2, -0.26, stand)}, "above z = 0"),
        ({"capture": "x"}, "expected a number"),
    ]:
        with pytest.raises(sg.InputError, match=match):
            Walk(**{**other, **given})
    for times, match in [("a", "not numbers"), (None, "not numbers"), ([0.0, np.inf], "not finite")]:
        with pytest.raises(sg.InputError, match=match):
            Gait().stands(times)


def test_what_references_of_walks_cannot_be():
    robot, stand = a1()
    walk, own = Walk(robot, FEET, Gait(), stand), control()
    other = {"control": own, "dt": DT, "t": 0.0, "q": stand, "qd": np.zeros(18)}
    states = np.tile([*stand, *np.zeros(18)], (STAGES + 1, 1))
    for given, match in [
        ({"control": sg.bias_forces(robot)}, "not a controller"),
        ({"q": "q"}, "not numbers"),
        ({"qd": ["a"] * 18}, "not numbers"),
        ({"velocity": {"x": 1.0}}, "not numbers"),
        ({"velocity": [0.0]}, "velocity and correction of the shapes"),
        ({"velocity": [np.nan, 0.0, 0.0]}, "must be finite"),
        ({"states": states[1:]}, "states of the shape"),
        ({"states": np.nan * states}, "states of the shape"),
        ({"states": "x"}, "not numbers"),
    ]:
        with pytest.raises(sg.InputError, match=match):
            walk.references(**{**other, **given})


def test_a_base_is_corrected_by_integrals_of_what_it_misses():
    """Of a base that is 1 cm low for 0.2 s, of 0.5 s in which it settles: 4 mm; of one that misses 0.2 m/s: 1 cm."""
    robot, stand = a1()
    walk, q, qd = Walk(robot, FEET, Gait(), stand), stand.copy(), np.zeros(18)
    q[2] -= 0.01
    q[5:7] = np.sin(0.25 * np.pi), np.cos(0.25 * np.pi)  # to the left: forwards is y of the world
    qd[2:5], wanted, found = (0.5, 0.1, 0.0), (0.3, 0.1, 0.1), np.zeros(4)
    for _ in range(10):
        found = walk.correct_base(found, q, qd, wanted, DT)
    np.testing.assert_allclose(found, [-5e-3, 1e-2, 4e-3, -2e-2], rtol=1e-12)
    plain, ahead = (walk.references(control(), DT, 0.0, q, qd, wanted, correction=x) for x in (np.zeros(4), found))
    change = ahead.references - plain.references
    np.testing.assert_allclose(change[0, :3], found[:3], rtol=1e-9)
    heading = 2.0 * np.arctan2(ahead.references[:, 5], ahead.references[:, 6])
    np.testing.assert_allclose(heading[0], 0.5 * np.pi - 2e-2, rtol=1e-12)
    for _ in range(1000):
        found = walk.correct_base(found, q, qd, wanted, DT)
    np.testing.assert_allclose(found, 0.2 * np.array([-stand[2], stand[2], stand[2], -1.0]), rtol=1e-12)
    sound = np.zeros(4), q, qd, wanted, DT
    for i, value, match in [
        (0, 0.0, "shape"),
        (0, [np.nan] * 4, "finite"),
        (1, q[1:], "shape"),
        (2, qd[1:], "shape"),
        (3, (np.inf, 0.0, 0.0), "finite"),
        (4, 0.0, "positive"),
    ]:
        with pytest.raises(sg.InputError, match=match):
            walk.correct_base(*sound[:i], value, *sound[i + 1 :])
    with pytest.raises(sg.InputError, match="correction"):
        walk.references(control(), DT, 0.0, q, qd, correction=0.0)
    with pytest.raises(sg.InputError, match="settling"):
        Walk(robot, FEET, Gait(), stand, settling=0.0)
