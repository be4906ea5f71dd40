"""The table of energies: which robots there are, what they fall from, and a line of it."""

from __future__ import annotations

import pytest
from benchmarks.themes import energy

import screwgraph as sg
from screwgraph.model.robot import with_floating_base


def test_a_linkage_keeps_its_energy_better_by_shorter_steps(monkeypatch):
    monkeypatch.setattr(energy, "LENGTH", 1.0)
    cells = dict(zip(energy.COLUMNS, energy.row("five_bar", sg.load("five_bar", damping=False)), strict=True))
    assert cells["mobility"] == "2"
    assert cells["gravity"] == "yes"
    assert 8.0 * float(cells["at half the step"]) < float(cells["drift"]) < 1e-5
    assert float(cells["gap"]) < 1e-9


@pytest.mark.suite
def test_the_robots_are_all_that_are_closed():
    found = dict(energy.closed_robots())
    assert {"five_bar", "stewart_gough", "belt_leg", "differential"} <= found.keys()
    assert all(robot.is_closed for robot in found.values())
    assert all(joint.damping == 0.0 for robot in found.values() for joint in robot.joints)


def test_what_floats_falls_and_what_stands_does_not():
    leg = sg.load("belt_leg")
    assert energy.falls(with_floating_base(leg))
    assert not energy.falls(leg)
    assert energy.falls(sg.load("cart_pole")) is False
