"""Queries of motions of a mechanism that its file drives: each is answered, or refused in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.planning import Replanner, Task, horizon
from tests.motion.estimation.test_driven_coordinates import LEAN, PENDULUM

FILE = sg.load_mechanism(PENDULUM)
COLUMNS = {"x:P": 0, "y:P": 1, "lean": LEAN}


@pytest.fixture(scope="module")
def motion():
    return sg.simulate(FILE, time=0.3, dt=0.005, method="dop853")


def _logged(motion, position="", torque=False) -> dict[str, np.ndarray]:
    table = {"t": motion.t} | {f"{position}{name}": motion.q[:, i] for name, i in COLUMNS.items()}
    return table | ({f"tau:{name}": motion.tau[:, k] for k, name in enumerate(FILE.motors)} if torque else {})


def test_its_trajectory_takes_the_efforts_of_the_simulation(motion):
    found = sg.inverse_trajectory(FILE, _logged(motion))
    np.testing.assert_allclose(found.tau[5:-5], motion.tau[5:-5], atol=2e-2 * np.abs(motion.tau).max())


def test_its_parameters_are_identified_from_driving_efforts(motion):
    found = sg.identify(FILE, _logged(motion, "q:", torque=True))
    mass, sigma = found.parameters["rod.m"], found.sigma["rod.m"]
    assert abs(mass - 0.2) < 1e-4 + 5.0 * sigma


def test_a_saved_file_drives_alike(tmp_path):
    sg.save(FILE, tmp_path / "again.yaml")
    again = sg.load_mechanism(tmp_path / "again.yaml")
    t = np.linspace(0.0, 1.0, 7)
    for name, function in FILE.driven.items():
        np.testing.assert_allclose(again.driven[name](t), function(t), atol=1e-12)


def test_edited_plans_keep_the_drive():
    plan = Replanner(Task(FILE, horizon(10, dt=0.025), start={"lean": -1.5}, collocation="hermite_simpson"))
    found = plan.plan
    np.testing.assert_allclose(found.q[:, 1], FILE.driven["y:P"](found.t)[0], atol=1e-4)


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (lambda: sg.simulate(FILE, time=0.1, dt=0.01, method="smoother"), "those of driven coordinates are answers"),
        (lambda: sg.excitation(FILE, parameters=["rod"]), "degrees of freedom"),
        (lambda: sg.estimate(FILE, {"t": np.arange(9) * 0.01, "gyro": np.ones(9), "tau:x:P": np.ones(9)}), "leave out"),
    ],
)
def test_what_has_no_answer_is_one_line(ask: Callable[[], Any], why: str):
    with pytest.raises(sg.InputError, match=why) as caught:
        ask()
    assert "\n" not in str(caught.value)
