"""The time step with contacts of a file as a function by name: it is that of the simulator."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.api.deployment import Choice, asked_functions, check_names
from screwgraph.compiler import Function
from tests.motion.simulation.contacts.bodies import quadruped, standing

FEET = """contacts:
- {frame: a_calf, points: [[0, 0, -0.2]], radius: 0.02, friction: 0.3}
- {frame: d_calf, points: [[0, 0, -0.2]], radius: 0.02, friction: 0.7}
ground: {normal: [0, 0.1, 1], height: 0.05}
"""


@pytest.fixture(name="file")
def _file(tmp_path):
    path = tmp_path / "feet.yaml"
    path.write_text(FEET, encoding="utf-8")
    return str(path)


def test_a_step_by_name_is_that_of_the_simulator(file):
    robot = quadruped(names="ad")
    choice = Choice(external_wrenches=("body",), parameters=("body.mass",), contacts=file)
    step = asked_functions(robot, ["step"], choice)["step"]
    assert isinstance(step, Function)
    assert next(a for a in step.arguments if a.name == "parameters").names == ("body.mass",)
    q, wrench, tau = standing(robot, 0.38), np.array([1.0, 0, 0, 5.0, 0, 9.0]), np.ones(robot.nv)
    simulator = sg.Simulator(
        robot, 2e-3, q, contacts=file, external_wrenches={"body": wrench}, parameters={"body.mass": [6.0]}
    )
    qd, forces, laws = np.zeros(robot.nv), np.zeros((2, 3)), [[0.3, 0.0, 1e-6, 1e3], [0.7, 0.0, 1e-6, 1e3]]
    for _ in range(50):
        q, qd, forces, gaps, _ = step(q, qd, tau, wrench, [2e-3], np.ravel(laws), forces, [6.0])
        simulator.step(tau)
    assert forces[:, 2].min() > 1.0
    np.testing.assert_allclose(q, simulator.q, atol=1e-12)
    np.testing.assert_allclose(forces, simulator.forces, atol=1e-9)
    np.testing.assert_allclose(gaps, simulator.gaps, atol=1e-12)


def test_what_cannot_be_is_refused_in_one_line(file):
    robot = quadruped(names="ad")
    with pytest.raises(sg.InputError, match="contacts: no function takes account of that"):
        check_names(["mass_matrix"], Choice(contacts=file))
    with pytest.raises(sg.InputError, match="cannot be written without loops"):
        asked_functions(robot, ["step+mass_matrix"], Choice(contacts=file))
    step = sg.Simulator(robot, 1e-3, contacts=file).function
    for ask in (lambda: step.program, lambda: step.parallelism, step.packed, lambda: step.jacobian("tau").program):
        with pytest.raises(sg.InputError, match="cannot be written without loops"):
            ask()
