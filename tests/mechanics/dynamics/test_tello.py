"""Tello of examples/: its differentials against their closed-form inverse, its motion against projection and energy."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy import arctan2, cos, pi, sin, sqrt

import screwgraph as sg
from screwgraph.model.robot import Robot, closed_states, constraint_residual
from tests.agreement import assert_agree, interpreted
from tests.closed_oracle import motion

FILE = Path(__file__).resolve().parents[3] / "examples" / "chignoli_2023_tello.yaml"
GEAR = 6.0
LEG = ("hip_clamp", "gimbal", "thigh", "shin", "foot", "hip_rotor", "knee_ankle_rotor")


@cache
def leg() -> Robot:
    """Return the left leg alone, on a base that stands still."""
    tello = sg.load(FILE)

    def kept(name: str) -> bool:
        return name.startswith(tuple(f"left_{part}" for part in LEG))

    joints = tuple(joint for joint in tello.joints if kept(joint.child))
    names = {joint.name for joint in joints}
    return replace(
        tello,
        name="tello_leg",
        links=tuple(link for link in tello.links if link.name == "torso" or kept(link.name)),
        joints=joints,
        frames=tuple(frame for frame in tello.frames if kept(frame.link)),
        couplings=tuple(coupling for coupling in tello.couplings if names >= set(coupling.joints)),
        independent=tuple(name for name in tello.independent_joints if name in names),
    )


def test_it_has_18_joints_that_drive_and_a_rotor_for_each():
    """Chignoli et al. (2023), section VI-C: 10 geared links, and 4 differentials with 2 degrees of freedom each."""
    tello = sg.load(FILE)
    rotors = [name for name in tello.joint_names if "rotor" in name]
    assert len(tello.independent_joints) == len(rotors) == len(tello.joints) - len(rotors) == 18
    assert sum(coupling.is_linear for coupling in tello.couplings) == 10 + 2
    assert tello.mobility.freedom == 18


def test_hips_stand_where_their_closed_form_inverse_says():
    """a sin y + b cos y = c, solved for the angle y of the motor behind its gear, as its builders do."""
    for q in closed_states(leg(), 5, seed=1):
        at = dict(zip(leg().joint_names, q, strict=True))
        roll, pitch = at["left_hip_roll"], at["left_hip_pitch"]
        for number, sign in ((1, 1.0), (2, -1.0)):
            a = 0.0228 - 0.0128 * cos(roll) * sin(pitch) - sign * 0.0112 * sin(roll)
            b = -0.0128 * cos(pitch)
            c = 0.0098 * cos(roll) + 0.0228 * cos(roll) * sin(pitch) - 3021 / 160000
            c += sign * (0.01995 - 0.0112 * sin(pitch)) * sin(roll)
            y = at[f"left_hip_rotor_{number}"] / GEAR
            d = sqrt(a**2 + b**2 - c**2)
            both = [arctan2(-s * b * d + a * c, b * c + s * a * d) for s in (1.0, -1.0)]  # it closes on two sides
            assert min(abs(np.sin((y - one) / 2.0)) for one in both) < 1e-9


def test_ankles_stand_where_their_closed_form_inverse_says():
    for q in closed_states(leg(), 5, seed=1):
        at = dict(zip(leg().joint_names, q, strict=True))
        first, second = (at[f"left_knee_ankle_rotor_{i}"] / GEAR for i in (1, 2))
        assert first + second == pytest.approx(2.0 * at["left_knee"], abs=1e-12)
        beta = at["left_ankle"] + np.radians(180.0 - 66.0)
        a = -0.00336 * sin(pi / 9) - 0.0028 * sin(beta)
        b = 0.0208 - 0.0028 * cos(beta) - 0.00336 * cos(pi / 9)
        c = 0.02184 * cos(pi / 9) + 0.0182 * cos(beta) - 0.00294 * cos(pi / 9 - beta) - 163349 / 6250000
        d = sqrt(a**2 + b**2 - c**2)
        both = [arctan2(s * b * d + a * c, b * c - s * a * d) for s in (1.0, -1.0)]
        alpha = np.radians(180.0 - 59.16) + (second - first) / 2.0
        assert min(abs(np.sin((alpha - one) / 2.0)) for one in both) < 1e-9


@pytest.mark.parametrize("ordering", ["embedding", "kkt", "aba", "mixed"])
def test_a_leg_moves_as_projection_says_in_any_order(ordering):
    states = motion(leg(), 3)
    found = interpreted(sg.forward_dynamics(leg(), ordering=ordering), states.q, states.qd, states.tau)
    assert_agree(found, states.qdd)


@pytest.mark.suite
def test_the_whole_robot_moves_as_projection_says():
    tello = sg.load(FILE, base="floating")
    states = motion(tello, 2)
    found = interpreted(sg.forward_dynamics(tello, ordering="embedding"), states.q, states.qd, states.tau)
    assert_agree(found, states.qdd)


def test_its_mass_matrix_in_independent_coordinates_is_positive():
    for q in closed_states(leg(), 3, seed=2):
        H = interpreted(sg.mass_matrix(leg(), coordinates="independent"), q[None])[0]
        assert np.abs(H - H.T).max() < 1e-12 * H.max()
        assert np.linalg.eigvalsh(H)[0] > 0.0


@pytest.mark.suite
def test_a_swinging_leg_keeps_its_energy_and_its_differentials_closed():
    q = leg().close_loops(leg().neutral())
    run = sg.simulate(leg(), q, leg().complete_velocity(q, [0.5, 2.0, -1.0, 3.0, -2.0]), time=0.2, method="rk4")
    assert np.abs(run.energy - run.energy[0]).max() < 1e-9
    assert max(np.abs(constraint_residual(leg(), q)).max() for q in run.q) < 1e-12
