"""An A1 that falls on its feet, beside a reference of another program: its explicit rule in the place of our own."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.simulation.contacts.geometry.moving_point import PointMotion
from screwgraph.motion.simulation.contacts.steps import contact_step
from screwgraph.motion.simulation.contacts.terms import contact_terms
from tests.robots import shared_file
from tests.suites import record

DT, EVERY = 1e-3, 50
LEGS = ("FL", "FR", "RL", "RR")
"""Order of the reference, of Pinocchio."""
NO_PLACE = (0.0, 0.0, 1e-200)
"""A place that moves nothing, by which code of the other rule is not taken for that of ours."""


def use_explicit_rule(monkeypatch) -> None:
    """Let forces be those of the start of a step, velocities of contacts J v', bodies move on screws."""
    monkeypatch.setenv("SCREWGRAPH_CACHE", "0")
    monkeypatch.setattr(contact_terms, "PASSAGES", 1)
    monkeypatch.setattr(contact_terms, "turning", lambda _, v: np.zeros(len(v)))
    monkeypatch.setattr(PointMotion, "slip_rate", lambda _, arm: np.zeros(len(arm)))
    monkeypatch.setattr(contact_step, "glide", lambda manifold, q, d: (manifold.retract(q, d), d))


@pytest.mark.suite
def test_an_a1_falls_as_another_program_says_by_its_rule(monkeypatch):
    """Two seconds, four impacts: laws, Jacobians, masses and impulses are those of the reference."""
    reference = np.load(shared_file("reference", "contact", "a1_drop.npz"))
    use_explicit_rule(monkeypatch)
    robot = sg.load("a1", base="floating")
    feet = [sg.Contact(f"{leg}_foot", 0.02, friction=0.6, stiffness=np.inf, at=NO_PLACE) for leg in LEGS]
    q0 = robot.neutral()
    q0[2], q0[7:] = 0.5, np.tile([0.0, 0.8, -1.6], 4)
    own = [robot.q_slices[f"{leg}_{joint}_joint"].start for leg in LEGS for joint in ("hip", "thigh", "calf")]
    simulator, worst = sg.Simulator(robot, DT, q0, contacts=feet), 0.0
    for expected in reference["q"][1:]:
        for _ in range(EVERY):
            held = 80.0 * (q0[7:] - simulator.q[7:]) - 2.0 * simulator.qd[6:]
            simulator.step(np.concatenate([np.zeros(6), held]))
        found = np.concatenate([simulator.q[:7], simulator.q[own]])
        worst = max(worst, float(np.abs(found - expected).max()))
    record(
        "contacts",
        case="A1 from 0.5 m, the reference's explicit rule: positions (m, rad)",
        asked="1e-06",
        error=f"{worst:.1e}",
    )
    assert worst < 1e-6
