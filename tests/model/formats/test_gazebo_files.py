"""Worlds of Gazebo: models in folders with a model.config, looked for in packages and variables; what does not move."""

import numpy as np
import pytest

from screwgraph.base.errors import ModelError
from screwgraph.model.formats import load
from screwgraph.model.formats.packages import GAZEBO
from screwgraph.model.robot import link_poses
from tests.model.formats.helpers import close
from tests.model.formats.sdf_helpers import file_poses, joint, link, model, sdf, sdf_complaint, sdf_loaded

ARM = model(link("a"), link("b", "0 0 1 0 0 0"), joint("w", "world", "a", "fixed"), joint("j", "a", "b"), name="myarm")
SUN = sdf('<light name="sun" type="directional"><pose>0 0 10 0 0 0</pose></light>')
GROUND = sdf('<model name="ground"><static>true</static><link name="plane"/></model>')
CONFIG = "<model><name>My arm</name>{}</model>"
ARM_CONFIG = CONFIG.format(
    '<sdf version="1.4">old.sdf</sdf><sdf version="1.10">robot.sdf</sdf><sdf version="1.9">m.sdf</sdf>'
)
INCLUDE = "<include><uri>{}</uri></include>"


@pytest.fixture
def models(tmp_path):
    """A folder of models, none of them beside a world's file."""
    folder = tmp_path / "models"
    for name, files in {
        "myarm": {"model.config": ARM_CONFIG, "robot.sdf": ARM, "old.sdf": "<sdf/>", "m.sdf": "<sdf/>"},
        "sun": {"model.config": CONFIG.format('<sdf version="1.6">model.sdf</sdf>'), "model.sdf": SUN},
        "ground": {"model.sdf": GROUND},
    }.items():
        (folder / name).mkdir(parents=True)
        for file, text in files.items():
            (folder / name / file).write_text(text)
    (tmp_path / "worlds").mkdir()
    return folder


def world(*uris, more=""):
    return sdf('<world name="w">', *(INCLUDE.format(uri) for uri in uris), more, "</world>")


def assert_is_arm(robot):
    assert (robot.name, robot.joint_names, robot.nq) == ("myarm", ("j",), 1)


URIS = [
    "model://myarm",
    "package://myarm",
    "myarm",
    "model://myarm/robot.sdf",
    "package://myarm/robot.sdf",
    "myarm/robot.sdf",
]


@pytest.mark.parametrize("uri", URIS)
@pytest.mark.parametrize("by", ["folder", "name", *GAZEBO])
def test_models_are_found(uri, by, models, monkeypatch):
    options = {"folder": {"packages": models}, "name": {"packages": {"myarm": models / "myarm"}}}.get(by, {})
    if by in GAZEBO:
        monkeypatch.setenv(by, f"/nowhere:{models}")
    assert_is_arm(sdf_loaded(world(uri), models.parent / "worlds", "m.world", **options))


@pytest.mark.parametrize("uri", ["myarm", "myarm/robot.sdf", "file://myarm/robot.sdf", "./myarm", "model://myarm"])
def test_what_lies_beside_the_world_needs_no_path(uri, models):
    assert_is_arm(sdf_loaded(world(uri), models, "m.world"))


def test_lights_and_ground_planes_are_passed_over(models):
    robot = sdf_loaded(world("model://sun", "model://ground", "model://myarm"), models, "m.world")
    assert_is_arm(robot)
    light, static = robot.warnings
    assert light.endswith("m.world:3: a <light> is included: it is passed over, as it is no robot")
    assert static.endswith("static models are no part of the robot: ground")


def test_of_several_robots_one_is_chosen_by_its_name(models):
    more = "<include><uri>myarm</uri><name>second</name></include>"
    text = world("sun", "myarm", more=more)
    line = sdf_complaint(text, models, "m.world")
    assert (
        "the world has 2 robots, among the models myarm, second: no joints connect them (choose one by model=" in line
    )
    assert sdf_loaded(text, models, "m.world", model="second").name == "second"


def test_what_is_not_found_is_named(models):
    line = sdf_complaint(world("model://other"), models, "m.world")
    assert "m.world:3: the file includes 'model://other': no folder is called 'other' near it, in packages= or" in line
    assert "GZ_SIM_RESOURCE_PATH" in line
    assert "packages={'other': 'its folder'}" in line


def test_a_config_without_a_file_means_model_sdf(models):
    (models / "ground" / "model.config").write_text(CONFIG.format("<sdf/>"))
    assert_is_arm(sdf_loaded(world("ground", "myarm"), models, "m.world"))
    (models / "ground" / "model.config").write_text("<model><sdf version='1.6'>gone.sdf</sdf></model>")
    with pytest.raises(ModelError, match=r"gone.sdf"):
        load(models / "m.world")


def test_a_static_model_alone_is_a_robot_that_stands(tmp_path):
    mark = '<frame name="mark" attached_to="a"><pose>0 0 1 0 0 0</pose></frame>'
    text = model(
        "<static>true</static><pose>1 2 3 0 0 1</pose>", link("a", "0 0 2 0 0 0"), link("b"), joint("j", "a", "b"), mark
    )
    robot = sdf_loaded(text, tmp_path)
    assert (robot.name, robot.nq, robot.link_names, robot.joint_names) == ("m", 0, ("world",), ())
    at = file_poses(robot)
    c, s = np.cos(1.0), np.sin(1.0)
    R = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
    for name, height in (("a", 5.0), ("b", 3.0), ("mark", 6.0)):
        close(at[name][:3, 3], [1, 2, height])
        close(at[name][:3, :3], R)
    close(link_poses(robot, robot.neutral())["world"], np.eye(4))
    assert robot.mass == 4.0
