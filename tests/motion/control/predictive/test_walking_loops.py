"""Quadrupeds that walk or lift a leg, of plants that are pushed, heavier, noisy, with commands that act a tick late."""

from functools import cache

import numpy as np
import pytest
from tests.motion.control.predictive.plants import Disturbance, OwnPlant, make_plant, record_loop, run_loop
from tests.motion.control.predictive.test_closed_legs import list_independent
from tests.motion.control.predictive.test_walking import DT, FEET, STAGES, a1, control
from tests.robots import robot_file

import screwgraph as sg
from screwgraph.motion.control import Gait, Walk, stack_references, stack_schedule, stack_weights

ROUGH = 1.0
"""Friction of the ground, of which the controller knows 0.6: more than that is not asked for."""
ASKED = 0.6


@cache
def mini_cheetah():
    """A quadruped with a rotor at each joint, its position, feet, and places of independent joints in q and qd."""
    robot, legs = sg.load(robot_file("mini_cheetah.urdf"), base="floating"), ("FR", "FL", "HR", "HL")
    feet = [sg.Contact(f"{name}_knee_link", 0.02, friction=ASKED, at=(0.0, 0.0, -0.18)) for name in legs]
    names, at, along = list_independent(robot)
    q = robot.neutral()
    for name in legs:
        q[robot.q_slices[f"{name}_abad_to_hip_j"]], q[robot.q_slices[f"{name}_hip_to_knee_j"]] = -0.8, 1.6
    q[2] = 1.0
    q = robot.close_loops(q, names)
    q[2] += 0.02 - Walk(robot, feet, Gait(), q[at]).feet.find_places(q[at])[:, 2].min()
    return robot, q, feet, at, along


def walk_loop(made, own_control, plant, seconds, own, gait=None, velocity=(0.0, 0.0, 0.0), slip=1.0):
    """Return a log, and the height of the base above the wanted one (mm).

    Bases that are expected carry the legs of a robot that trots in place, wanted ones those of one that walks.
    """
    robot, q, feet, at, along = made
    weights = stack_weights(
        robot,
        position=[40.0] * 3 + [5.0, 5.0, 2000.0] + [20.0] * 12,
        velocity=[0.4] * 3 + [4.0] * 3 + [0.05] * 12,
        force=1e-4,
        acceleration=1e-6,
    )
    walk, model = Walk(robot, feet, gait or Gait(), q[at], capture=1.0), OwnPlant(robot, q, feet)
    previous, states, correction = np.zeros(own_control.arguments[-1].shape), None, np.zeros(4)

    def command(k, q, qd):
        nonlocal previous, states, correction
        q, qd, t = q[at], qd[along], DT * (k + (own.delay and k > 0))
        correction = walk.correct_base(correction, q, qd, velocity, DT)
        plan = walk.references(own_control, DT, t, q, qd, velocity, states=states, correction=correction)
        tau, states, _, forces, _, previous, solution = own_control(
            q, qd, plan.references, weights, plan.contacts, float(k > 0), previous
        )
        states = None if any(velocity) else np.vstack([states[1:], states[-1:]])
        normal, *tangents = forces.reshape(STAGES, 4, 3).transpose(2, 0, 1)
        slips = np.abs(tangents).max(axis=0) - ASKED / np.sqrt(2.0) * normal
        assert slips[0].max() < slip  # N, of 70 a foot; the barrier of a call is not zero
        full = np.zeros(robot.nv)
        full[along[6:]] = tau
        return full, solution[0]

    log = run_loop(plant, model, command, DT, seconds, own)
    return log, 1e3 * (log.q[:, 2] - q[2])


def a1_made():
    robot, stand = a1()
    return robot, stand, FEET, np.arange(19), np.arange(18)


def rough(feet):
    return [sg.Contact(foot.frame, foot.radius, ROUGH, at=foot.at) for foot in feet]


@pytest.mark.suite
@pytest.mark.parametrize("kind", ["own", "MuJoCo"])
@pytest.mark.parametrize("part", [0.0, 0.03, 0.05, 0.08])
def test_a_trot_that_is_pushed_comes_back_to_its_height(kind, part, tmp_path):
    """Within 5 mm from 0.8 s after a push of 0.64 m/s on, and before it; commands act a tick late."""
    made = a1_made()
    plant = make_plant(kind, *made[:2], tmp_path, rough(FEET), part)
    own = Disturbance(part, True, 1e-3).pushed(1.0, 0.64 * np.eye(18)[4])
    log, height = walk_loop(made, control(), plant, 2.6, own)
    label = "A1 trots, is pushed by 0.64 m/s"
    sag, settled = np.abs(height[50:]).max(), np.abs(np.concatenate([height[30:50], height[90:]])).max()
    kept = f"height {settled:.1f} mm (5), {sag:.0f} mm while pushed"
    record_loop(label, kind, own, kept, log, made[0].effort_limits)
    assert settled < 5.0
    assert sag < 15.0
    assert log.efforts.max() <= 33.5
    assert set(log.status) <= {0.0, 1.0}
    assert np.quantile(log.ratios, 0.95) < ASKED
    assert abs(log.qd[90:, 4].mean()) < 0.15
    assert np.abs(log.q[-1, :2]).max() < 0.4


@pytest.mark.suite
@pytest.mark.parametrize("seed", range(8))
def test_a_trot_that_is_pushed_in_any_direction_at_any_phase_does_not_fall(seed, tmp_path):
    """By 0.3 to 0.7 m/s, 5 % heavier or lighter; within 10 mm of its height from 0.8 s after the push on."""
    rng, made = np.random.default_rng(seed), a1_made()
    size, angle, phase, part = rng.uniform([0.3, 0.0, 0.0, -0.05], [0.7, 2.0 * np.pi, 0.5, 0.05])
    at, blow = 1.0 + DT * (phase // DT), np.zeros(18)
    blow[3:5] = size * np.cos(angle), size * np.sin(angle)
    plant = make_plant("MuJoCo", *made[:2], tmp_path, rough(FEET), part)
    own = Disturbance(part, True, 1e-3).pushed(at, blow)
    log, height = walk_loop(made, control(), plant, at + 1.6, own, slip=2.0)  # a step that is shortened passes friction
    settled = np.abs(height[round(at / DT) + 40 :]).max()
    assert settled < 10.0
    assert np.abs(height[50:]).max() < 30.0
    assert np.hypot(log.q[:, 3], log.q[:, 4]).max() < np.sin(np.radians(7.5))  # 15 deg
    assert log.efforts.max() <= 33.5
    assert set(log.status) <= {0.0, 1.0}


@pytest.mark.suite
@pytest.mark.parametrize("velocity", [(0.1, 0.0, 0.0), (0.3, 0.0, 0.0), (0.5, 0.0, 0.0), (0.3, 0.0, 0.6)])
def test_a_trot_is_as_fast_as_it_is_asked_to_be(velocity, tmp_path):
    """Within 3 %, and 6 mm/s, in the mean of four steps; without corrections a tenth faster."""
    made, own = a1_made(), Disturbance(0.05, True, 1e-3)
    plant = make_plant("own", *made[:2], tmp_path, rough(FEET), own.part)
    log, height = walk_loop(made, control(), plant, 4.0, own, velocity=velocity)
    late = log.q[-101:]
    heading = np.unwrap(2.0 * np.arctan2(late[:, 5], late[:, 6]))
    middle, ways = 0.5 * (heading[1:] + heading[:-1]), np.diff(late[:, :2], axis=0)
    speed = (np.cos(middle) * ways[:, 0] + np.sin(middle) * ways[:, 1]).mean() / DT
    turning = (heading[-1] - heading[0]) / (100 * DT)
    label = f"A1 trots at {velocity[0]:g} m/s, turns by {velocity[2]:g} rad/s"
    kept = f"{speed:.3f} m/s, {turning:.3f} rad/s, height {np.abs(height[30:]).max():.1f} mm"
    record_loop(label, "own", own, kept, log, made[0].effort_limits)
    assert abs(speed - velocity[0]) < 0.03 * max(velocity[0], 0.2)
    assert abs(turning - velocity[2]) < 0.02
    assert np.abs(height[30:]).max() < 8.0
    assert np.quantile(log.ratios, 0.95) < ASKED


@pytest.mark.suite
@pytest.mark.parametrize("kind", ["own", "MuJoCo"])
def test_a_quadruped_lifts_one_leg(kind, tmp_path):
    """It leans over the three feet that stay, lifts the fourth by 8 cm, and is pushed by 0.1 m/s."""
    (robot, stand, feet, *_), own = a1_made(), Disturbance(0.05, True, 1e-3).pushed(1.6, 0.1 * np.eye(18)[4])
    plant, model, mpc = (
        make_plant(kind, robot, stand, tmp_path, rough(feet), own.part),
        OwnPlant(robot, stand, feet),
        control(),
    )
    weights = stack_weights(
        robot,
        position=[40.0] * 3 + [100.0, 100.0, 2000.0] + [20.0] * 12,
        velocity=[0.4] * 3 + [4.0] * 3 + [0.05] * 12,
        force=1e-4,
        acceleration=1e-6,
    )
    base = stand.copy()
    base[:2] += [-0.05, 0.03]  # away from the front right foot
    raised = base.copy()
    raised[7:10] = [0.0, 1.1, -2.3]
    previous = np.zeros(mpc.arguments[-1].shape)

    def command(k, q, qd):
        nonlocal previous
        times = DT * (k + np.arange(STAGES + 1))
        on = np.ones((STAGES, 4), dtype=bool)
        on[:, 0] = times[:-1] < 0.8
        positions = np.where((times < 0.8)[:, None], base, raised)
        given = stack_references(mpc, positions), weights, stack_schedule(mpc, feet, on)
        tau, *_, previous, solution = mpc(q, qd, *given, float(k > 0), previous)
        return np.concatenate([np.zeros(6), tau]), solution[0]

    log = run_loop(plant, model, command, DT, 2.6, own)
    off = 1e3 * (log.q[50:, :3] - base[:3])
    lifted = sg.forward_kinematics(robot, feet[0].frame)(log.q[60:])[:, 2, 3] - 0.02
    kept = f"height {np.abs(off[:, 2]).max():.1f} mm (5), place {np.abs(off[:, :2]).max():.0f} mm"
    record_loop("A1 lifts a leg, is pushed by 0.1 m/s", kind, own, kept, log, robot.effort_limits)
    assert np.abs(off[:, 2]).max() < 5.0
    assert np.abs(off[:, :2]).max() < 40.0
    assert lifted.min() > 0.04
    assert log.efforts.max() <= 33.5
    assert log.ratios.max() < ASKED


@pytest.mark.suite
@pytest.mark.parametrize("velocity", [(0.0, 0.0, 0.0), (0.3, 0.0, 0.0)])
def test_a_quadruped_with_rotors_trots(velocity):
    made = mini_cheetah()
    robot, q, feet, *_ = made
    own_control, own = sg.mpc(robot, DT, STAGES, contacts=feet), Disturbance(0.05, True, 1e-3)
    log, height = walk_loop(made, own_control, OwnPlant(robot, q, rough(feet), own.part), 2.0, own, velocity=velocity)
    gone, turned = log.q[-1, :2], 2.0 * np.arctan2(log.q[-1, 5], log.q[-1, 6])
    kept = f"height {np.abs(height[30:]).max():.1f} mm (5)"
    record_loop(f"mini cheetah with rotors trots at {velocity[0]:g} m/s", "own", own, kept, log, robot.effort_limits)
    assert np.abs(height[30:]).max() < 5.0
    assert abs(gone[0] - 2.0 * velocity[0]) < 0.1  # 0.2 where expected bases carry the legs
    assert abs(gone[1]) < 0.1
    assert abs(turned) < 0.1
    assert set(log.status) <= {0.0, 1.0}
    assert np.quantile(log.ratios, 0.95) < ASKED
