"""`screwgraph mpc`: a library for other programs, or one clear line."""

from __future__ import annotations

import pytest

import screwgraph as sg
from screwgraph.base.errors import ModelError
from screwgraph.motion.control.predictive.horizon_files import load_horizon


def test_files(command, tmp_path):
    (tmp_path / "horizon.yaml").write_text("{dt: 0.05, horizon: 3, limits: {velocity: 2, effort: {joint1: 5}}}")
    given = ("rr", "--horizon", tmp_path / "horizon.yaml", "--lang", "c", "-o", tmp_path / "code")
    result = command("mpc", *given)
    assert (result.status, result.err) == (0, "")
    assert "efforts: 3x2" in result.out
    assert "rr_mpc(const double q[2]" in (tmp_path / "code" / "rr.h").read_text()


def test_what_cannot_be_is_one_line(command, tmp_path):
    for text, complaint in (
        ("{dt: -1}", "dt is -1"),
        ("{horizon: 2.5}", "whole number"),
        ("{speed: 2}", "there is no key"),
        ("{limits: {effort: {nobody: 1}}}", "nobody"),
        ("{limits: {penalty: [-1, 0]}}", "penalty"),
        ("{ground: {height: 0}}", "a ground without contacts"),
    ):
        (tmp_path / "horizon.yaml").write_text(text)
        given = ("rr", "--horizon", tmp_path / "horizon.yaml", "--lang", "c", "-o", tmp_path / "other")
        result = command("mpc", *given)
        assert result.status != 0
        assert complaint in result.err
        assert len(result.err.splitlines()) == 1
        assert f"{tmp_path / 'horizon.yaml'}:1: " in result.err


WRONG = [
    ("horizon: 9\ndt: 0", 2, "dt is 0"),
    ("dt: 0.1\nhorizon: 1", 2, "a horizon of 1 instants"),
    ("dt: 0.1\nbarrier_steps: 0", 2, "barrier_steps is 0"),
    ("dt: 0.1\nactuated: [joint1, wrist]", 2, "'wrist'"),
    ("frames:\n- tool\n- hand", 3, "'hand'"),
    ("dt: 0.1\nframes: [tool, tool]", 2, "one is named twice"),
    ("limits:\n  effort: {joint1: 3}\n  velocity:\n    joint1: 1\n    joint9: 2", 5, "'joint9'"),
    ("limits:\n  effort: 3\n  velocity: -2", 3, "velocity of the limits of 'joint1': -2"),
    ("limits:\n  effort: 3\n  lower:\n    joint1: 2\n  upper: {joint1: 1}", 4, "have the bounds 2 and 1"),
    ("actuated: [joint1]\nlimits:\n  effort:\n    joint1: 2\n    joint2: 4", 5, "'joint2' has no motor"),
    ("limits:\n  effort: 3\n  penalty: [-1, 2]", 3, "the penalty of the limits"),
    ("limits:\n  effort: 3\n  force: -3", 3, "force of the limits is -3"),
    ("contacts:\n- frame: foot", 2, "'foot'"),
    ("dt: 0.1\ncontacts:\n- frame: tool", 3, "2 joint coordinates of its own"),
    ("dt: 0.1\nnear: [0, 0]", 2, "near of 'rr', which has no loops"),
    ("dt: 0.1\nnear: [0, here]", 2, "here"),
    ("dt: 0.1\ndrag: 3", 2, "drag is '3': there are no contacts: add `contacts`"),
    ("contacts:\n- frame: tool\n  friction: -1", 2, "friction"),
    ("contacts:\n- frame: tool\nground: {normal: [0, 0, 0]}", 3, "the normal of the ground"),
    ("dt: 0.1\ncontacts: []", 2, "without contacts, leave it out"),
    ("dt: 0.1\nsoles: []", 2, "without contacts, leave it out"),
    ("soles:\n- {frame: tool, length: 0.2}", 2, "a sole: width is missing"),
    ("soles:\n- {frame: foot, length: 0.2, width: 0}", 2, "a sole: no frame is called 'foot'"),
    ("soles:\n- {frame: tool, length: 0.2, width: -1}", 2, "the sole of 'tool' is 0.2 by -1"),
    ("planar:\n- {frame: tool, along: [0, 1, 0]}", 2, "there is no key 'along'"),
    ("planar:\n- {frame: tool, across: [0, 0, 0]}", 2, "across at 'tool'"),
    ("gliding:\n- frame: tool\n  friction: -1", 2, "friction of the point of 'tool'"),
    ("dt: 0.1\nsoles: [{frame: tool, length: 0.2, width: 0}]", 2, "2 joint coordinates of its own"),
    ("drag: 9\nsoles:\n- {frame: tool, length: 0.2, width: 0}", 3, "2 joint coordinates of its own"),
    ("contacts: [{frame: tool, points: [[0, 0, 0], [0, 0, 1]]}]", 1, "joint coordinates of its own"),
    ("dt: 0.1\nlimits:\n  force: 30", 3, "force of the limits is '30': there are no contacts"),
    ("dt: 0.1\nlimits: {effort: {joint1: nan}}", 2, "effort of 'joint1' is 'nan'"),
    ("dt: 0.1\nactuated: [joint1, joint1]", 2, "one is named twice"),
    ("dt: 0.1\nterminal: ricatti", 2, "one of weights, riccati"),
    ("frames: [tool]\nterminal: riccati", 2, "goal of a frame has one"),
    ("dt: 0.1\nhorizon: 2.5", 2, "whole number"),
    ("dt: 0.01\nrate: 5", 2, "instants are 100 a second"),
    ("dt: 0.1\nknots: 20", 2, "there is no key 'knots'"),
]


@pytest.mark.parametrize(("text", "line", "complaint"), WRONG)
def test_entries_that_do_not_fit_the_robot_are_named_with_their_line(text, line, complaint, tmp_path):
    path = tmp_path / "horizon.yaml"
    path.write_text(text)
    with pytest.raises(ModelError) as found:
        load_horizon(path, sg.load("rr"))
    assert str(found.value).startswith(f"{path}:{line}: ")
    assert complaint in str(found.value)


def test_files_of_a_mechanism(command, tmp_path):
    (tmp_path / "horizon.yaml").write_text("{dt: 0.02, horizon: 2, actuated: [theta], limits: {effort: {theta: 5}}}")
    given = ("--horizon", tmp_path / "horizon.yaml", "--lang", "c", "-o", tmp_path / "code")
    result = command("mpc", "four_bar_angle", *given)
    assert (result.status, result.err) == (0, "")
    assert "four_bar_angle_mpc(const double q[1]" in (tmp_path / "code" / "four_bar_angle.h").read_text()
    (tmp_path / "horizon.yaml").write_text("{actuated: [nobody]}")
    for model, why in (("four_bar_angle", "no motor is called 'nobody'"), ("four_bar", "it has no motors")):
        result = command("mpc", model, *given)
        assert result.status != 0
        assert why in result.err
        assert len(result.err.splitlines()) == 1


def test_files_say_near_which_position_loops_are_closed(tmp_path):
    path, robot = tmp_path / "horizon.yaml", sg.load("four_bar_linkage")
    path.write_text("dt: 0.01\nhorizon: 4\nnear: [0.2, -1.5, -1]")
    assert load_horizon(path, robot).options["near"] == (0.2, -1.5, -1.0)
    path.write_text("dt: 0.01\nnear: [0.2, 1]")
    with pytest.raises(ModelError, match=r":2: .*near of the shape \(2,\)"):
        load_horizon(path, robot)


def test_files_say_what_the_last_state_costs(tmp_path):
    path, robot = tmp_path / "horizon.yaml", sg.load("rr")
    path.write_text("dt: 0.01\nhorizon: 4\nterminal: riccati")
    given = load_horizon(path, robot).options
    names = [argument.name for argument in sg.mpc(robot, **given).arguments]
    assert names == ["q", "qd", "references", "weights", "terminal", "advance", "previous"]
    path.write_text("horizon: 4\ncontacts: [{frame: FR_foot}]\nterminal: riccati")
    with pytest.raises(ModelError, match=r":3: .*contact"):
        load_horizon(path, sg.load("a1", base="floating"))


FEET = """
dt: 0.02
horizon: 3
soles:
- {frame: left, length: 0.2, width: 0.1, at: [0.02, 0, 0], friction: 0.7}
- {frame: right, length: 0.2, width: 0, x: [0, 1, 0]}
planar: [{frame: heel, radius: 0.02, across: [1, 0, 0]}]
gliding: [{frame: tool, at: [0, 0, 0.1]}]
contacts: [{frame: toe, radius: 0.01}]
ground: {height: 0.1}
"""


def test_files_have_the_contacts_of_controllers(tmp_path):
    path = tmp_path / "horizon.yaml"
    path.write_text(FEET)
    found = load_horizon(path)
    assert found.contacts is not None
    assert found.contacts[1:] == (
        sg.control.Sole("left", 0.2, 0.1, at=(0.02, 0.0, 0.0), friction=0.7),
        sg.control.Sole("right", 0.2, 0.0, x=(0.0, 1.0, 0.0)),
        sg.control.GlidingPoint("tool", at=(0.0, 0.0, 0.1)),
        sg.control.PlanarPoint("heel", 0.02, across=(1.0, 0.0, 0.0)),
    )
    assert found.ground == sg.Plane(height=0.1)
    path.write_text("tasks: [{posture: []}]" + FEET.replace("dt: 0.02\nhorizon: 3\n", ""))
    said = sg.control.load_controller(path)
    assert repr((said.contacts, said.ground)) == repr((found.contacts, found.ground))


@pytest.mark.parametrize("extra", ["", "tasks: [{posture: []}]\n"])
def test_the_foot_that_does_not_fit_is_named_with_its_line(extra, tmp_path):
    path = tmp_path / "feet.yaml"
    path.write_text(
        f"contacts:\n- frame: FL_foot\n- frame: RL_foot\nplanar:\n- frame: FR_foot\n- frame: FR_foot\n{extra}"
    )
    with pytest.raises(ModelError) as found:
        (sg.control.load_controller if extra else load_horizon)(path, sg.load("a1", base="floating"))
    assert str(found.value).startswith(f"{path}:6: the feet: the contact of 'FR_foot' has")


@pytest.mark.parametrize(
    ("entry", "components"),
    [
        ("soles: [{frame: panda_link8, length: 0.2, width: 0}]", 5),
        ("gliding: [{frame: panda_link8}]", 1),
    ],
)
def test_horizons_of_files_have_as_many_forces_as_their_contacts(entry, components, tmp_path):
    path, robot = tmp_path / "horizon.yaml", sg.load("panda")
    path.write_text(f"horizon: 2\ndrag: 10\nlimits: {{force: 100}}\n{entry}")
    control = sg.mpc(robot, **load_horizon(path, robot).options)
    assert next(result.shape for result in control.results if result.name == "forces") == (2, components)


@pytest.mark.parametrize("name", ["search", "bench"])
def test_mechanisms_of_points_are_refused_by_name(name, command, tmp_path):
    (tmp_path / "crank.yaml").write_text("name: crank\npoints:\n  - {name: O, x: 0, y: 0, fixed: true}\n")
    options = {
        "search": ("--problem", "forward"),
        "bench": (),
    }
    for model in ("four_bar", tmp_path / "crank.yaml"):
        result = command(name, model, *options[name])
        assert result.status != 0
        assert f"{model} is a mechanism of points: this command takes robots" in result.err
        assert len(result.err.splitlines()) == 1
