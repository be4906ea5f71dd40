"""Where motions with contacts begin, springs of joints beside them, and parameters that files of contacts name."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.api.deployment import Choice, asked_functions
from screwgraph.compiler import Function
from screwgraph.motion.simulation.contacts import bend_start
from tests.motion.control import robots
from tests.motion.simulation.contacts.bodies import feet, quadruped, standing

ROD = """
points:
  - {name: P, x: 0, y: 0}
  - {name: Q, x: 1, y: 0}
bodies:
  - {name: rod, points: [P, Q], length: 1, mass: 1, cog: [0.5, 0], I0: 0.3333333333333333}
"""
ROBOT = quadruped(names="ad")
SLOPE = sg.Plane((0.1, 0.0, 1.0), 0.02)


@pytest.mark.parametrize("ground", [None, SLOPE, sg.Steps((0.1,), (0.05,))], ids=["plane", "slope", "steps"])
def test_what_floats_begins_with_its_lowest_contact_on_the_ground(ground):
    simulator = sg.Simulator(ROBOT, contacts=feet("ad"), ground=ground)
    q = simulator.q.copy()
    np.testing.assert_array_equal(np.delete(q, 2), np.delete(ROBOT.neutral(), 2))
    simulator.step()
    assert simulator.gaps.min() == pytest.approx(0.0, abs=1e-9)
    run = sg.simulate(ROBOT, time=2e-3, dt=1e-3, contacts=feet("ad"), ground=ground)
    np.testing.assert_allclose(run.q[0], q, atol=1e-15)
    many = sg.rollout(ROBOT, time=2e-3, contacts=feet("ad"), ground=ground)
    np.testing.assert_allclose(many.q[0, 0], q, atol=1e-15)


def test_each_motion_begins_on_its_own_ground_and_what_is_above_stays():
    grounds = sg.Plane(np.tile([0.0, 0.0, 1.0], (3, 1)), np.array([0.0, 0.1, -1.0]))
    height = sg.Simulator(ROBOT, contacts=feet("ad"), ground=grounds).q[:, 2]
    np.testing.assert_allclose(height, [0.42, 0.52, 0.0], atol=1e-12)


@pytest.mark.parametrize("normal", [(0.0, 1.0, 0.0), (-0.1, 1.0, 0.0), (0.3, 1.0, 0.0)])
def test_mechanisms_in_the_plane_begin_with_their_lowest_point_on_the_ground(normal):
    rod, ground = sg.load_mechanism(ROD), sg.Plane(normal, 0.4)
    simulator = sg.Simulator(rod, 1e-3, contacts=[sg.Contact("P"), sg.Contact("Q")], ground=ground)
    ends, axis = simulator.q.reshape(2, 2), np.array(normal[:2]) / np.hypot(*normal[:2])
    assert min(ends @ axis) == pytest.approx(0.4, abs=1e-12)
    np.testing.assert_allclose(ends - rod.neutral().reshape(2, 2), [[0.0, ends[0, 1]]] * 2, atol=1e-12)


def test_positions_that_are_given_stay():
    q0 = standing(ROBOT, 0.2)
    np.testing.assert_array_equal(sg.Simulator(ROBOT, 1e-3, q0, contacts=feet("ad")).q, q0)


def test_worlds_are_raised_as_a_whole():
    body = quadruped(names="a")
    two = sg.world({"one": body, "two": body})
    contacts = [sg.Contact("one/a_calf", 0.02, at=(0, 0, -0.3)), sg.Contact("two/a_calf", 0.02, at=(0, 0, -0.2))]
    q = sg.Simulator(two, contacts=contacts).q
    heights = [q[two.q_slices[f"{name}/floating_base"].start + 2] for name in ("one", "two")]
    np.testing.assert_allclose(heights, 0.52, atol=1e-12)


def test_springs_of_joints_swing_at_their_frequency_and_their_work_balances():
    """A mass of 2 kg on 50 N/m, at rest at 0.1 m."""
    cart = sg.load("name: cart\nbodies: [{link: cart, joint: x, type: prismatic, axis: x, mass: 2}]\n")
    run = sg.simulate(cart, time=1.0, springs={"x": (50.0, 0.1)})
    np.testing.assert_allclose(run.q[:, 0], 0.1 - 0.1 * np.cos(5.0 * run.t), atol=1e-3)
    np.testing.assert_allclose(run.energy - 0.25 * 25.0 * 0.04 * np.sin(5.0 * run.t) ** 2, 0.0, atol=3e-3)
    assert run.energy_drift < 1e-3
    legs = sg.simulate(
        ROBOT,
        standing(ROBOT, 0.36),
        time=0.3,
        contacts=feet("ad", friction=0.8),
        springs={f"{n}_{j}": (80.0, rest) for n in "ad" for j, rest in (("hip", 0.6), ("knee", -1.2))},
    )
    assert legs.contact_forces["a_calf"][-2, :, 5].sum() > 5.0
    simulator = sg.Simulator(
        ROBOT,
        1e-3,
        standing(ROBOT, 0.36),
        contacts=feet("ad", friction=0.8),
        springs={f"{n}_{j}": (80.0, rest) for n in "ad" for j, rest in (("hip", 0.6), ("knee", -1.2))},
    )
    simulator.step(steps=300)
    np.testing.assert_allclose(legs.q[-1], simulator.q, atol=1e-12)


FILE = """contacts:
- {frame: a_calf, points: [[0, 0, -0.2]], radius: 0.02}
ground: {height: 0.05}
parameters: [ground, friction, body.mass]
"""


def test_parameters_that_a_file_names_are_inputs(tmp_path):
    (tmp_path / "feet.yaml").write_text(FILE, encoding="utf-8")
    file, q0 = str(tmp_path / "feet.yaml"), standing(ROBOT, 0.38)
    simulator = sg.Simulator(ROBOT, 1e-3, q0, contacts=file)
    simulator.set_parameters({"ground": SLOPE, "body.mass": [7.0], "friction": 0.2})
    other = sg.Simulator(
        ROBOT,
        1e-3,
        q0,
        contacts=[sg.Contact("a_calf", 0.02, 0.2, at=(0.0, 0.0, -0.2))],
        ground=SLOPE,
        parameters={"body.mass": [7.0]},
    )
    for own in (simulator, other):
        own.step(steps=150)
    assert simulator.forces[0, 2] > 0.1
    np.testing.assert_allclose(simulator.q, other.q, atol=1e-12)
    step = asked_functions(ROBOT, ["step"], Choice(contacts=file))["step"]
    assert isinstance(step, Function)
    assert [a.name for a in step.arguments][-3:] == ["ground", "forces", "parameters"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("parameters: [body.mas]", "feet.yaml:4: parameters: .*body.mas"),
        ("parameters: [ground, ground]", "feet.yaml:4: .*named twice"),
        ("parameters: ground", "feet.yaml:4: .*list"),
        ("parameters: [a_hip.slip]", "feet.yaml:4: parameters: .*a_hip.slip"),
        ("parameters: [[ground]]", "feet.yaml:4: "),
    ],
)
def test_names_of_no_parameter_are_refused_with_their_line(tmp_path, line, said):
    path = tmp_path / "feet.yaml"
    path.write_text(FILE.replace("parameters: [ground, friction, body.mass]", line), encoding="utf-8")
    with pytest.raises(sg.ModelError, match=said):
        sg.Simulator(ROBOT, contacts=str(path))


WALKER = """points: [{name: O, x: 0, y: 0.5}, {name: P, x: 0.3, y: 0.5}, {name: Q, x: 0.3, y: 0.1}]
bodies:
- {name: frame, points: [O, P], length: 0.3, mass: 2, cog: [0.1, 0], I0: 0.1}
- {name: leg, points: [P, Q], length: 0.4, mass: 1, cog: [0.2, 0], I0: 0.05}
angles: [{angle: knee, of: [P, Q], from: [P, O]}]
driven: {knee: pi/2 + 0.5*sin(4*t)}
contacts: [{contact: toe, at: Q}, {contact: heel, at: O}]
"""


@pytest.mark.parametrize("parameters", [(), ("ground",)], ids=["fixed", "live"])
def test_states_at_which_steps_are_tried_are_assembled_at_the_ground(tmp_path, parameters):
    walker = sg.load_mechanism(WALKER)
    file = FILE.replace("parameters: [ground, friction, body.mass]\n", "")
    (tmp_path / "feet.yaml").write_text(file, encoding="utf-8")
    models: list[tuple[sg.Robot | sg.Mechanism, Choice]] = [
        (ROBOT, Choice(contacts=str(tmp_path / "feet.yaml"), parameters=parameters))
    ]
    if not parameters:
        models.append((walker, Choice(contacts="collisions")))
    for model, own in models:
        step = asked_functions(model, ["step"], own)["step"]
        assert isinstance(step, Function)
        assert step.origin.examples
        arguments = [x.reshape(-1, *a.shape) for x, a in zip(step.origin.examples(), step.arguments, strict=True)]
        results = dict(zip((r.name for r in step.results), step(*arguments), strict=True))
        assert all(np.isfinite(x).all() for x in results.values())
        lowest = results["gaps"].min(axis=-1)
        assert (np.abs(lowest) < 5e-4).all()
        assert (lowest < 0.0).any()


def test_legs_that_stretch_beyond_their_range_bend():
    """Under controllers: knees and hips bend, and feet stay where they are seen from above."""
    robot, names = sg.load("a1", base="floating"), [f"{leg}_foot" for leg in ("FR", "FL", "RR", "RL")]
    q = bend_start(robot, [sg.Contact(name, 0.02) for name in names])
    assert (q[7:] > robot.limits.lower[7:]).all()
    assert (q[7:] < robot.limits.upper[7:]).all()
    for name in names:
        bent, neutral = (np.asarray(sg.forward_kinematics(robot, name)(x))[:2, 3] for x in (q, robot.neutral()))
        np.testing.assert_allclose(bent, neutral, atol=0.01)


def test_joints_within_their_ranges_stay_neutral():
    robot = sg.load("rrr")
    np.testing.assert_array_equal(bend_start(robot, [sg.Contact(robot.links[-1].name)]), robot.neutral())


def test_a_joint_whose_range_is_one_position_has_it():
    text = (
        robots.tripod_text()
        .replace('lower="-1" upper="1"', 'lower="0.1" upper="0.1"')
        .replace('upper="0"', 'upper="-0.4"')
    )
    q = bend_start(sg.load(text, base="floating"), robots.feet())
    np.testing.assert_array_equal(q[[7, 10, 13]], 0.1)
    assert (q[[9, 12, 15]] < -0.4).all()
