"""sg.load takes robots and mechanisms: files, their texts, and names."""

import pytest

import screwgraph as sg
from screwgraph.compiler import without_metadata
from screwgraph.model.formats import to_text
from screwgraph.model.load import is_mechanism
from tests.robots import robot_file

MECHANISM = """
name: crank
points: [{x: 0, y: 0, fixed: true}, {name: P1, x: L, y: 0}]
parameters: {L: 1.0}
bodies: [{points: [0, P1], mass: 1, I0: L^2/3, cog: [L/2, 0], length: L, name: rod}]
"""


@pytest.mark.parametrize("name", ["z1.urdf", "ant.xml", "kuka_iiwa.sdf"])
@pytest.mark.sampled(3)
def test_the_text_of_a_file_is_its_robot(name):
    path = robot_file(name)
    text, file = sg.load("\n" + path.read_text()), sg.load(path)
    assert to_text(without_metadata(text)) == to_text(without_metadata(file))  # relative meshes have no folder there


def test_texts_of_yaml_are_robots_and_mechanisms(tmp_path):
    assert sg.load(to_text(sg.load("rr"))).joint_names == sg.load("rr").joint_names
    (tmp_path / "crank.yaml").write_text(MECHANISM)
    for source in (MECHANISM, tmp_path / "crank.yaml", str(tmp_path / "crank.yaml")):
        assert is_mechanism(source)
        mechanism = sg.load(source, values={"L": 2.0})
        assert isinstance(mechanism, sg.Mechanism)
        assert mechanism.name == "crank"
    assert isinstance(sg.load("four_bar"), sg.Mechanism)
    assert isinstance(sg.load("pendulum_3"), sg.Mechanism)
    assert not is_mechanism("rr")
    assert isinstance(sg.load("rr"), sg.Robot)


@pytest.mark.parametrize(
    ("source", "options", "expected"),
    [
        ("<robot>", {}, "<text>:1: the XML is broken or cut off"),
        ("<robot name='x'/>", {}, "<text>:1: the robot has no link"),
        ("<html/>", {}, "<text>:1: the outermost element is '<html>'"),
        ("a: 1\nb: 2\n", {}, "<text>:1: the robot: there is no key 'a'"),
        ("points: 3\nbodies: 1\n", {}, "<text>:1: the mechanism: points is '3'"),
        ("four_bar", {"base": "floating"}, "base= goes with robots"),
        ("four_bar", {"xacro_args": {"a": 1}, "strict": True}, "strict=, xacro_args= goes with robots"),
        ("rr", {"values": {"L": 1.0}}, "values= goes with mechanisms of points"),
        ("rr", {"packages": "/nowhere"}, "packages: there is no folder '/nowhere'"),
        ("four_br", {}, "no built-in robot or mechanism is called 'four_br' (did you mean four_bar"),
    ],
)
def test_it_says_what_is_wrong(source, options, expected):
    with pytest.raises(sg.ScrewgraphError) as caught:
        sg.load(source, **options)
    assert expected in str(caught.value)


def test_functions_of_a_robot_say_how_to_load_it():
    with pytest.raises(sg.InputError, match=r"got str 'arm.urdf' \(load one with sg.load\('arm.urdf'\)\)"):
        sg.forward_dynamics("arm.urdf")
