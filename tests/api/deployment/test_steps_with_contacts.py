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


CUBE = "bodies: [{link: cube, type: floating, mass: 1, inertia: [2e-3, 2e-3, 2e-3], shapes: [{box: [0.1, 0.1, 0.1]}]}]"
STACK = """robots:
- {robot: low, file: cube.yaml, at: [0, 0, 0.05]}
- {robot: high, file: cube.yaml, at: [0, 0.02, 0.16], rpy: [0, 0, 0.3]}
contacts:
- {frame: low/cube, shape: collisions, friction: 0.5}
- {frame: high/cube, shape: collisions, against: {frame: low/cube, shape: collisions}}
ground: {normal: [0, 0.1, 1]}
"""


def test_ground_joint_laws_and_numbers_of_contacts_are_chosen_by_name(file):
    """A step with a live ground, stops, dry friction and effort limits is that of a simulator with these."""
    robot = quadruped(names="ad")
    choice = Choice(
        parameters=("ground", "friction", "body.mass"), contacts=file, friction=True, stops=True, effort_limits=True
    )
    step = asked_functions(robot, ["step"], choice)["step"]
    assert isinstance(step, Function)
    simulator = sg.Simulator(
        robot,
        1e-3,
        standing(robot, 0.38),
        contacts=file,
        friction=True,
        stops=True,
        effort_limits=True,
        parameters=["ground", "body.mass"],
    )
    simulator.set_parameters({"ground": sg.Plane((0.2, 0.0, 1.0)), "body.mass": [5.0]})
    q, qd, forces, tau = simulator.q.copy(), simulator.qd.copy(), simulator.forces.copy(), np.full(robot.nv, 3.0)
    laws = np.ravel([c.values for c in simulator.options.contacts])
    for _ in range(60):
        ground = simulator.find_ground(q)
        q, qd, forces, *_ = step(q, qd, tau, [1e-3], laws, ground, forces, [5.0])
        simulator.step(tau)
    assert forces[:, 2].max() > 1.0
    np.testing.assert_allclose(q, simulator.q, atol=1e-13)
    np.testing.assert_allclose(forces, simulator.forces, atol=1e-10)
    with pytest.raises(sg.InputError, match="parameters ground of contacts that there are not"):
        asked_functions(robot, ["step"], Choice(parameters=("ground",)))
    with pytest.raises(sg.InputError, match="stops: no function takes account of that"):
        check_names(["mass_matrix"], Choice(stops=True))


def test_boxes_fall_and_rest_on_one_another_by_two_exported_functions(tmp_path):
    """The code alone, without the simulator's search: its points are those of the simulator, and so are its states."""
    (tmp_path / "cube.yaml").write_text(CUBE, encoding="utf-8")
    (tmp_path / "stack.yaml").write_text(STACK, encoding="utf-8")
    world, file = sg.load(tmp_path / "stack.yaml"), str(tmp_path / "stack.yaml")
    made = asked_functions(world, ["step", "touching_points"], Choice(contacts=file))
    step, touch = made["step"], made["touching_points"]
    assert isinstance(step, Function)
    assert isinstance(touch, Function)
    argument = next(a for a in step.arguments if a.name == "ground")
    assert argument.names == touch.results[0].names
    assert "touching_points" in argument.about
    simulator = sg.Simulator(world, 1e-3, contacts=file)
    q, qd, forces = simulator.q.copy(), simulator.qd.copy(), simulator.forces.copy()
    laws, tau = np.ravel([c.values for c in simulator.options.contacts]), np.zeros(world.nv)
    for _ in range(120):
        q, qd, forces, *_ = step(q, qd, tau, [1e-3], laws, touch(q), forces)
        simulator.step()
    assert forces[-4:, 2].sum() > 5.0
    np.testing.assert_allclose(touch(q), simulator.find_ground(), atol=1e-12)
    np.testing.assert_allclose(q, simulator.q, atol=1e-10)
    sg.export_library({"step": step, "touch": touch}, tmp_path / "c", prefix="stack")
    assert "as touching_points finds them" in " ".join((tmp_path / "c" / "stack.h").read_text(encoding="utf-8").split())


def test_points_that_are_no_code_are_said_in_one_line(tmp_path, file):
    robot = quadruped(names="ad")
    hills = tmp_path / "hills.npz"
    np.savez(hills, heights=np.zeros((4, 4)), origin=[-1.0, -1.0], spacing=1.0)
    text = FEET.replace("ground: {normal: [0, 0.1, 1], height: 0.05}", "ground: {height_map: {file: hills.npz}}")
    (tmp_path / "hills.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(sg.InputError, match=r"planes under contacts are no code: .* \(fill `ground` from elsewhere"):
        asked_functions(robot, ["touching_points"], Choice(contacts=str(tmp_path / "hills.yaml")))
    with pytest.raises(sg.InputError, match="touching points of no contacts"):
        asked_functions(robot, ["touching_points"])
    pytest.importorskip("coal")
    round_one = CUBE.replace("box: [0.1, 0.1, 0.1]", "cylinder: [0.05, 0.1]")
    (tmp_path / "cube.yaml").write_text(round_one, encoding="utf-8")
    (tmp_path / "stack.yaml").write_text(STACK, encoding="utf-8")
    with pytest.raises(sg.InputError, match=r"'high/cube' and that of 'low/cube' touches are no code: .* coal"):
        asked_functions(
            sg.load(tmp_path / "stack.yaml"), ["touching_points"], Choice(contacts=str(tmp_path / "stack.yaml"))
        )
    with pytest.raises(sg.InputError, match="this step takes no ground"):
        sg.Simulator(robot, 1e-3, contacts=file).find_ground()


def test_steps_of_driven_mechanisms_are_exported(tmp_path):
    """Listing one draws states that constraints allow, of coordinates that none holds."""
    lever = sg.load_mechanism(
        "points: [{name: O, x: 0, y: 0, fixed: true}, {name: P, x: 1, y: 0}]\n"
        "bodies: [{name: rod, points: [O, P], length: 1, mass: 2, cog: [0.5, 0], I0: 0.667}]\n"
        "angles: [{angle: a, of: [O, P]}]\nmotors: [a]\ncontacts: [{contact: end, at: P}]\n"
    )
    step = asked_functions(lever, ["step"], Choice(contacts="collisions"))["step"]
    q, qd = step.origin.examples()[:2] if isinstance(step, Function) and step.origin.examples else ([], [])
    assert len(np.unique(np.round(q, 9), axis=0)) > 4
    for state, rate in zip(q, qd, strict=True):
        x = state[lever.index("x:P")], state[lever.index("y:P")]
        v = rate[lever.index("x:P")], rate[lever.index("y:P")]
        assert np.hypot(*x) == pytest.approx(1.0, abs=1e-9)
        assert np.dot(x, v) == pytest.approx(0.0, abs=1e-9)
    assert sg.export_library({"step": step}, tmp_path, prefix="lever")
