"""Files of worlds: robots of other files where they say, or one line that says what is wrong, and where."""

import numpy as np
import pytest

import screwgraph as sg

ARM = """name: arm
base: {link: base, at: [0, 0, 1], rpy: [0.5, 0, 0]}
gravity: [0, 4.703164533706996, -8.609084932145019]
bodies: [{link: rod, joint: swing, axis: x, mass: 1, com: [0, 0, -1]}]
"""
"""A pendulum whose base is turned by 0.5 rad; its gravity, in the base's axes, is another than the world's."""
CUBE = """name: cube
bodies: [{link: cube, type: floating, mass: 1, inertia: [0.002, 0.002, 0.002], shapes: [{box: [0.1, 0.1, 0.1]}]}]
"""


@pytest.fixture(name="folder")
def _folder(tmp_path):
    for name, text in (("arm", ARM), ("cube", CUBE)):
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


def loaded(folder, text, **options):
    (folder / "desk.yaml").write_text(text, encoding="utf-8")
    return sg.load(folder / "desk.yaml", **options)


def test_robots_stand_where_the_file_says(folder):
    desk = loaded(
        folder,
        "robots:\n- {robot: a, file: arm.yaml, at: [2, 0, 0], rpy: [0, 0, 1]}\n- {robot: panda, file: panda}\n"
        "- {robot: c, file: cube.yaml, at: [0, 1, 0.05], rpy: [0, 0, 0.3]}\n",
    )
    assert desk.name == "desk"
    assert desk.gravity == (0.0, 0.0, -9.81)
    q = desk.neutral()
    np.testing.assert_allclose(
        q[desk.q_slices["c/cube_joint"]], [0, 1, 0.05, 0, 0, np.sin(0.15), np.cos(0.15)], atol=1e-15
    )
    T = np.asarray(sg.forward_kinematics(desk, "a/rod")(q))
    c, s = np.cos(1.0), np.sin(1.0)
    turned = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array(sg.load(folder / "arm.yaml").T_wb)[:3, :3]
    np.testing.assert_allclose(T[:3, :3], turned, atol=1e-12)
    np.testing.assert_allclose(T[:3, 3], [2.0, 0.0, 1.0], atol=1e-12)
    sole = sg.load("panda")
    tau = sg.inverse_dynamics(desk)(q, np.zeros(desk.nv), np.zeros(desk.nv))
    alone = sg.inverse_dynamics(sole)(sole.neutral(), np.zeros(sole.nv), np.zeros(sole.nv))
    np.testing.assert_allclose(tau[desk.v_slices["panda/panda_joint1"].start :][: sole.nv], alone, atol=1e-12)


@pytest.mark.parametrize("turn", [0.0, 0.7])
def test_pendulums_on_turned_bases_fall_along_the_world(folder, turn):
    """A pendulum whose axis is level hangs at an angle of its base's tilt: qdd = -g / l sin(q + tilt)."""
    desk = loaded(folder, f"robots:\n- {{robot: a, file: arm.yaml, rpy: [{turn}, 0, 0]}}\n")
    for q in (0.0, 0.3, -1.0):
        (qdd,) = sg.forward_dynamics(desk)([q], [0.0], [0.0])
        assert qdd == pytest.approx(-9.81 * np.sin(q + 0.5 + turn), abs=1e-10)


def test_a_world_of_turned_bases_has_the_gravity_of_its_robots():
    """`sg.world` took gravity in the axes of the first base for that of the world."""
    tilted = sg.load(ARM.replace("gravity: [0, 4.703164533706996, -8.609084932145019]\n", ""))
    both = sg.world({"a": tilted, "b": tilted})
    alone = sg.forward_dynamics(tilted)([0.3], [0.0], [0.0])
    np.testing.assert_allclose(sg.forward_dynamics(both)([0.3, 0.3], [0, 0], [0, 0]), [*alone, *alone], atol=1e-12)
    with pytest.raises(sg.InputError, match="a world has one"):
        sg.world({"a": tilted, "b": sg.load("rr")})


def test_options_of_all_robots(folder):
    text = "gravity: [0, 0, -1.62]\nrobots:\n- {robot: a, file: rr}\n- {robot: b, file: rr, lock: [joint1]}\n"
    assert loaded(folder, text).joint_names == ("a/joint1", "a/joint2", "b/joint2")
    desk = loaded(folder, text, lock=["a/joint2"], gravity=(0, 0, -3.7))
    assert desk.joint_names == ("a/joint1", "b/joint2")
    assert desk.gravity == (0.0, 0.0, -3.7)


def test_its_contacts_hold_a_stack(folder):
    """Two cubes on one another, by the file alone: the floor bears both, the lower one the other."""
    text = (
        "robots:\n- {robot: low, file: cube.yaml, at: [0, 0, 0.05]}\n"
        "- {robot: high, file: cube.yaml, at: [0, 0, 0.15]}\n"
        "contacts:\n- {frame: low/cube, shape: collisions}\n"
        "- {frame: high/cube, shape: collisions, against: {frame: low/cube, shape: collisions}}\n"
    )
    desk = loaded(folder, text)
    simulator = sg.Simulator(desk, 1e-3, contacts=str(folder / "desk.yaml"))
    simulator.step(steps=300)
    up = simulator.forces[:, 2]
    assert up[:-4].sum() == pytest.approx(2 * 9.81, abs=1e-6)
    assert up[-4:].sum() == pytest.approx(9.81, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("robots: []", "it must have robots"),
        ("robots: 3", "must be a list"),
        ("robots:\n- {file: rr}", r"desk\.yaml:2: a robot has no robot"),
        ("robots:\n- {robot: a}", r"desk\.yaml:2: a robot has no file"),
        ("robots:\n- {robot: a, file: rr, bse: floating}", r"desk\.yaml:2: .*did you mean 'base'"),
        ("robots:\n- {robot: a, file: rr, base: flying}", r"desk\.yaml:2: robot 'a': .*flying"),
        ("robots:\n- {robot: a, file: rr}\n- {robot: a, file: rr}", r"desk\.yaml:3: two robots are called 'a'"),
        ("robots:\n- {robot: a, file: nowhere.urdf}", r"robot 'a' of .*desk\.yaml:2"),
        ("robots:\n- {robot: a, file: nothing}", r"desk\.yaml:2: robot 'a': .*'nothing'"),
        ("robots:\n- {robot: a, file: rr, at: [0, 0]}", r"desk\.yaml:2: .*3 numbers"),
        ("robots:\n- {robot: a, file: rr, lock: [elbow]}", r"desk\.yaml:2: robot 'a': .*elbow"),
        ("robots:\n- {robot: a, file: desk.yaml}", r"desk\.yaml:2: robot 'a': desk\.yaml is a world itself"),
        ("robots:\n- {robot: a, file: rr}\nbodies: []", r"desk\.yaml:3: .*'bodies'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(folder, text, said):
    with pytest.raises((sg.ModelError, sg.InputError), match=said):
        loaded(folder, text)


@pytest.mark.parametrize("options", [{"base": "floating"}, {"model": "a"}, {"xacro_args": {"a": 1}}])
def test_options_of_single_robots_are_refused(folder, options):
    with pytest.raises(sg.InputError, match="goes with single robots"):
        loaded(folder, "robots: [{robot: a, file: rr}]", **options)
