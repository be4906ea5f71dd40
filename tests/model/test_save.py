"""What is saved and loaded again is the same robot, in either format."""

import stat
from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.formats import load, zoo_names
from screwgraph.model.robot import JOINT_TYPES, Joint, Limits, Link, merge_fixed, tree, with_floating_base
from screwgraph.model.robot.joints import Fixed, Revolute
from screwgraph.model.save import save
from screwgraph.spatial import SpatialInertia, from_xyz_rpy
from tests.model.formats.helpers import assert_same, close, mass_matrix, rich_robot
from tests.oracle import file_oracle
from tests.robots import robot_files

SUFFIXES = [".yaml", ".urdf"]
FILES = robot_files(".urdf")


def again(robot, folder, suffix, **options):
    path = folder / f"saved{suffix}"
    save(robot, path)
    return load(path, **options)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_real_files_come_back(path, base, suffix, tmp_path):
    robot = load(path, base=base)
    assert_same(again(robot, tmp_path, suffix), robot)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", zoo_names())
def test_built_in_robots_come_back(name, suffix, tmp_path):
    robot = load(name)
    assert_same(again(robot, tmp_path, suffix), robot)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_joint_type_and_attribute_comes_back(suffix, tmp_path):
    robot = rich_robot()
    back = again(robot, tmp_path, suffix)
    assert_same(back, robot)
    assert {type(joint.type) for joint in back.joints} == set(JOINT_TYPES.values()) - {Fixed}
    q = robot.random(np.random.default_rng(3))
    close(mass_matrix(back, q), mass_matrix(robot, q), 1e-11)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_saving_twice_changes_nothing_more(suffix, tmp_path):
    first, second = tmp_path / f"first{suffix}", tmp_path / f"second{suffix}"
    save(rich_robot(), first)
    save(load(first), second)
    third = load(second)
    assert_same(third, load(first), 1e-14)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_floating_robot_is_not_floated_twice(suffix, tmp_path):
    robot = with_floating_base(load(rich(tmp_path)))
    assert_same(again(robot, tmp_path, suffix, base="floating"), robot)


def rich(folder):
    path = folder / "rich.yaml"
    save(rich_robot(), path)
    return path


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_fixed_joints_may_be_saved_before_they_are_merged(suffix, tmp_path):
    inertia = SpatialInertia.of_body(2.0, np.array([0.1, 0, 0]), np.eye(3))
    links = [Link("a", inertia), Link("b", inertia), Link("c", inertia)]
    joints = [
        Joint("weld", Fixed(), "a", "b", from_xyz_rpy([1, 2, 3], [0.1, 0.2, 0.3])),
        Joint("turn", Revolute(), "b", "c"),
    ]
    robot = tree("welded", links, joints)
    assert_same(again(robot, tmp_path, suffix), merge_fixed(robot))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_robot_that_is_one_link_comes_back(suffix, tmp_path):
    for base in (Link("base"), Link("stone", SpatialInertia.of_body(1.0, np.zeros(3), np.eye(3)))):
        robot = tree("stone", [base], [])
        assert_same(again(robot, tmp_path, suffix), robot)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("pitch", [np.pi / 2 + d for d in (0.0, 1e-15, 1e-12, 1e-9, 1e-6)] + [-np.pi / 2 + 1e-9])
def test_rotations_near_the_singularity_of_roll_pitch_yaw_come_back(suffix, pitch, tmp_path):
    origin = from_xyz_rpy([0, 0, 0], [0.7, pitch, -2.1])
    robot = tree("leg", [Link("a"), Link("b")], [Joint("j", Revolute(), "a", "b", origin)])
    assert_same(again(robot, tmp_path, suffix), robot)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_quarter_turns_come_back_exactly(suffix, tmp_path):
    for rpy in np.stack(np.meshgrid(*[np.arange(-2, 3) * np.pi / 2] * 3), axis=-1).reshape(-1, 3)[::7]:
        origin = from_xyz_rpy([0, 0, 0], rpy)
        robot = tree("leg", [Link("a"), Link("b")], [Joint("j", Revolute(), "a", "b", origin)])
        assert (again(robot, tmp_path, suffix).joints[0].origin == origin).all()


def test_yaml_keeps_inertias_that_no_body_has(tmp_path):
    odd = [
        SpatialInertia(-1.0, np.array([1.0, 2.0, 3.0]), np.diag([1.0, -2.0, 3.0])),
        SpatialInertia(0.0, np.array([1.0, 2.0, 3.0]), np.eye(3)),
        SpatialInertia(0.0, np.zeros(3), np.diag([-1.0, 0.0, 0.0])),
    ]
    links = [Link("base"), *(Link(f"l{i}", inertia) for i, inertia in enumerate(odd))]
    joints = [Joint(f"j{i}", Revolute(), links[i].name, links[i + 1].name) for i in range(3)]
    robot = tree("odd", links, joints)
    assert_same(again(robot, tmp_path, ".yaml"), robot)


@pytest.mark.parametrize("mass", [-1.0, 0.0])
def test_urdf_refuses_a_mass_that_it_cannot_express_and_leaves_the_file_alone(mass, tmp_path):
    inertia = SpatialInertia(mass, np.array([1.0, 0.0, 0.0]), np.eye(3))
    path = tmp_path / "odd.urdf"
    path.write_text("precious")
    with pytest.raises(ModelError, match=r"link 'a' has the mass .* URDF cannot express this \(save as .yaml\)"):
        save(tree("odd", [Link("a", inertia)], []), path)
    assert path.read_text() == "precious"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_odd_names_come_back(suffix, tmp_path):
    names = ["no", "null", "1", "a: b", "<&\">'", "größe 🦿", "-", "#", "x" * 200, " blank "]
    links = [Link("base"), *(Link(name) for name in names)]
    joints = [Joint(f"{link.name}!", Revolute(), "base", link.name) for link in links[1:]]
    robot = tree("0", links, joints)
    assert_same(again(robot, tmp_path, suffix), robot)


def test_a_name_that_xml_cannot_hold_is_refused(tmp_path):
    with pytest.raises(ModelError, match="a name has characters that XML cannot hold"):
        save(tree("a\0b", [Link("a")], []), tmp_path / "odd.urdf")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_saved_urdf_is_the_same_robot_to_pinocchio(path, tmp_path):
    robot = load(path, base="floating")
    saved = tmp_path / "saved.urdf"
    save(load(path), saved)
    q = robot.random(np.random.default_rng(11))
    theirs = file_oracle(robot, saved, floating=True).mass_matrix(q)
    np.testing.assert_allclose(mass_matrix(robot, q), theirs, rtol=0.0, atol=1e-9 * np.abs(theirs).max())


def test_a_saved_yaml_is_short(tmp_path):
    path = tmp_path / "pendulum.yaml"
    inertia = SpatialInertia.of_body(1.5, np.array([0.0, 0.0, -1.0]), np.diag([0.1, 0.1, 0.0]))
    save(tree("pendulum", [Link("base"), Link("bob", inertia)], [Joint("bob_joint", Revolute(), "base", "bob")]), path)
    assert path.read_text() == (
        "name: pendulum\nbodies:\n- link: bob\n  mass: 1.5\n  com: [0.0, 0.0, -1.0]\n  inertia: [0.1, 0.1, 0.0]\n"
    )


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_infinite_limits_are_none(suffix, tmp_path):
    joint = Joint("j", Revolute(), "a", "b", limits=Limits(-np.inf, np.inf, 1.0, 1e308))
    back = again(tree("leg", [Link("a"), Link("b")], [joint]), tmp_path, suffix)
    assert back.joints[0].limits == Limits(velocity=1.0)


def test_gravity_is_written_to_urdf_only_where_it_is_unusual(tmp_path):
    robot = rich_robot()
    save(replace(robot, gravity=(0.0, 0.0, -9.81)), tmp_path / "earth.urdf")
    save(robot, tmp_path / "moon.urdf")
    assert "gravity" not in (tmp_path / "earth.urdf").read_text()
    assert '<gravity xyz="0 0.5 -1.62"/>' in (tmp_path / "moon.urdf").read_text()


def test_wrong_arguments_and_unwritable_paths_are_input_errors(tmp_path):
    robot = rich_robot()
    for path, expected in (
        (tmp_path / "robot.sdf", "no format has the suffix '.sdf' (save as one of .urdf, .yaml, .yml)"),
        (tmp_path / "nowhere" / "robot.yaml", "the file cannot be written: No such file or directory"),
        (3, "save: path: expected a text (str) or a path, got int 3"),
        ("a\0.yaml", "the file cannot be written"),
    ):
        with pytest.raises(InputError) as caught:
            save(robot, path)
        assert expected in str(caught.value)
    with pytest.raises(InputError, match="save: robot: expected a robot or a mechanism, got str"):
        save("panda", tmp_path / "robot.yaml")


def test_a_failed_save_leaves_nothing_behind(tmp_path, monkeypatch):
    target = tmp_path / "robot.yaml"
    target.write_text("precious")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(target), "replace", full)
    with pytest.raises(InputError, match="No space left on device"):
        save(rich_robot(), target)
    assert target.read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["robot.yaml"]


def test_a_saved_file_has_usual_permissions(tmp_path):
    (tmp_path / "other").touch()
    save(rich_robot(), tmp_path / "robot.yaml")
    mode = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("other", "robot.yaml")]
    assert mode[0] == mode[1]


@pytest.mark.parametrize("suffix", [".urdf", ".yaml"])
def test_inertias_are_read_again_to_the_last_bit(suffix, tmp_path):
    """Links that were lumped together have digits of rounding; equal entries among these save operations."""
    rng = np.random.default_rng(2)
    inertias = [sg.load("panda").links[-1].inertia]
    for _ in range(20):
        root = rng.standard_normal((3, 3))
        com = rng.standard_normal(3) * 0.1
        inertias.append(SpatialInertia.of_body(float(rng.uniform(0.1, 9.0)), com, root @ root.T))
    robot = sg.load("panda")
    for inertia in inertias:
        changed = replace(robot, links=(*robot.links[:-1], replace(robot.links[-1], inertia=inertia)))
        sg.save(changed, tmp_path / f"r{suffix}")
        found = sg.load(tmp_path / f"r{suffix}").links[-1].inertia
        np.testing.assert_array_equal(found.parameters, inertia.parameters)
