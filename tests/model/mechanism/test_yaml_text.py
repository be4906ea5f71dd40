"""Mechanisms that are saved come back as they were: with their values, motors, sensors and functions of time."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.mechanism.live_mechanism import check_source

SPRUNG = """
parameters: {k: 40.0, w: 2.0}
gravity: [0, -1.62]
points:
  - {x: 0, y: 0, fixed: true}
  - {x: 0.5, y: 0.1}
  - {x: 1.1, y: 0}
  - {x: 2, y: 0, fixed: true}
bodies:
  - {points: [0, 1], mass: 1.5, I0: mass*length^2/3, cog: [length/2, 0]}
  - {name: rod, points: [1, 2], length: auto, mass: 0.7}
angles: [{angle: a, of: [0, 1], start: 0.2}]
sliders: [{slider: s, point: 2, along: [0, 3]}]
springs: [{spring: coil, between: [0, 2], stiffness: k, rest: 1.0}]
dampers: [{damper: oil, angle: a, damping: k/100}]
forces: [{force: wind, at: 1, value: [1.0, k]}]
torques: [{torque: motor, body: rod, value: 0.5}]
sensors: [{sensor: gyro, gyroscope: rod, sigma: 1e-3}]
driven: {a: 0.2 + sin(w*t)/4}
velocities: {}
""".replace("mass: 0.7}", "mass: 0.7, cog: [0.3, 0]}").replace("mass: 0.7, cog", "mass: 0.7, I0: 0.1, cog")


def assert_equal(again: sg.Mechanism, model: sg.Mechanism) -> None:
    """Assert that all that a file says is the same."""
    for field in fields(model):
        if field.name not in ("places", "source", "bound", "driven"):
            assert getattr(again, field.name) == getattr(model, field.name), field.name
    t = np.linspace(0.0, 1.0, 5)
    assert list(again.driven) == list(model.driven)
    for name, function in model.driven.items():
        np.testing.assert_array_equal(again.driven[name](t), function(t))


@pytest.mark.parametrize(
    "name", [*sg.mechanism_names(), "pendulum_3", SPRUNG], ids=lambda name: name.split("\n")[0] or "sprung"
)
def test_a_mechanism_comes_back(name, tmp_path):
    model = sg.load_mechanism(name)
    sg.save(model, tmp_path / "model.yaml")
    assert_equal(sg.load_mechanism(tmp_path / "model.yaml"), model)


def test_values_that_were_given_come_back(tmp_path):
    """Parameters, values of parts without names, lengths, components, of a tensor; what refers to them follows."""
    for name, values in (
        (
            SPRUNG,
            {"k": 55.0, "mass:0": 2.5, "cog_x:rod": 0.31, "rest:coil": 0.9, "value_x:wind": -1.5, "length:rod": 0.7},
        ),
        (SPRUNG, {"damping:oil": 0.9, "value:motor": -0.25, "stiffness:coil": 10.0, "value_y:wind": 0.0}),
        ("rssr", {"a": 0.45, "I0_xy:rocker": 0.002, "cog_z:rocker": 0.01, "mass:coupler": 1.6}),
        ("pendulum_2", {"L": 0.5, "mass:rod2": 3.0}),
    ):
        model = sg.load_mechanism(name, values)
        sg.save(model, tmp_path / "model.yml")
        again = sg.load_mechanism(tmp_path / "model.yml")
        assert_equal(again, model)
        known = dict(check_source(again).values)
        assert {name: known[name] for name in values} == values


def test_expressions_stay_where_they_hold(tmp_path):
    sg.save(sg.load_mechanism(SPRUNG, {"mass:rod": 0.9}), tmp_path / "model.yaml")
    text = (tmp_path / "model.yaml").read_text()
    assert "mass*length^2/3" in text
    assert "fixed: true" in text
    assert "mass: 0.9" in text
    assert sg.load_mechanism(tmp_path / "model.yaml", {"k": 3.0}).springs[0].stiffness == 3.0


def test_other_motors_and_names_are_saved_and_other_bodies_refused(tmp_path):
    model = sg.load("four_bar_angle")
    other = replace(model, name="mine", motors=("x:P2",), independent=("x:P2",), gravity=(0.0, 0.0))
    sg.save(other, tmp_path / "other.yaml")
    assert_equal(sg.load_mechanism(tmp_path / "other.yaml"), other)
    heavy = replace(model, bodies=(replace(model.bodies[0], mass=9.0), *model.bodies[1:]))
    with pytest.raises(sg.InputError, match="the bodies of mechanism 'four_bar_angle' are not those of its file"):
        sg.save(heavy, tmp_path / "heavy.yaml")
    with pytest.raises(sg.InputError, match="was not read from a file"):
        sg.save(replace(model, source=None), tmp_path / "heavy.yaml")
    with pytest.raises(sg.InputError, match=r"no format has the suffix '\.urdf'"):
        sg.save(model, tmp_path / "heavy.urdf")
    assert not (tmp_path / "heavy.yaml").exists()
