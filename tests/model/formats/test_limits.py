"""Limits of joints in every format: one place decides what odd ones mean."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import ModelError
from screwgraph.model.robot import Joint, Limits, Link, tree
from screwgraph.model.robot.joints import Prismatic, Revolute
from tests.model.formats.helpers import complaint, joint, link, loaded, urdf

SDF = """<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/><joint name="j" type="revolute">
<parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz><limit>{0}</limit></axis></joint></model></sdf>"""
YAML = "bodies:\n  - {link: b, joint: j, mass: 1, inertia: [1, 1, 1], limits: {%s}}\n"


def files(**limits):
    """The same limits in three formats."""
    attributes = " ".join(f'{key}="{value}"' for key, value in limits.items())
    elements = "".join(f"<{key}>{value}</{key}>" for key, value in limits.items())
    entries = ", ".join(f"{key}: {value}" for key, value in limits.items())
    return {
        "r.urdf": urdf(link("a"), link("b"), joint("j", "a", "b", more=f"<limit {attributes}/>")),
        "r.sdf": SDF.format(elements),
        "r.yaml": YAML % entries,
    }


@pytest.mark.parametrize("name", ["r.urdf", "r.sdf", "r.yaml"])
def test_reversed_limits_are_swapped_with_a_warning(name, tmp_path):
    robot = loaded(files(lower=2, upper=-1, velocity=3, effort=4)[name], tmp_path, name)
    assert robot.joints[0].limits == Limits(-1.0, 2.0, 3.0, 4.0)
    (line,) = [line for line in robot.warnings if "exceeds" in line]
    assert "joint 'j': its lower limit 2 exceeds its upper limit -1: they are swapped" in line
    assert name in line
    q = np.array([sg.random(robot, seed=seed) for seed in range(20)])
    assert q.min() >= -1.0
    assert q.max() <= 2.0


@pytest.mark.parametrize("name", ["r.urdf", "r.sdf", "r.yaml"])
def test_negative_limits_of_velocity_and_effort_are_none(name, tmp_path):
    robot = loaded(files(lower=-1, upper=1, velocity=-1, effort=-2)[name], tmp_path, name)
    assert robot.joints[0].limits == Limits(-1.0, 1.0, None, None)
    said = [line for line in robot.warnings if "is negative: it is taken for none" in line]
    assert len(said) == (0 if name == "r.sdf" else 2)  # SDF says so itself
    assert np.isinf(robot.limits.effort).all()


@pytest.mark.parametrize("name", ["r.urdf", "r.sdf", "r.yaml"])
def test_limits_that_are_no_numbers_are_refused(name, tmp_path):
    assert "nan" in complaint(files(lower="nan", upper=1)[name], tmp_path, name).lower()


@pytest.mark.parametrize("name", ["r.urdf", "r.sdf"])
def test_infinite_limits_are_none(name, tmp_path):
    robot = loaded(files(lower="-inf", upper="inf", velocity="inf", effort="inf")[name], tmp_path, name)
    assert robot.joints[0].limits == Limits()


@pytest.mark.parametrize("name", ["r.urdf", "r.sdf", "r.yaml"])
def test_zero_stays_zero_and_is_doubted(name, tmp_path):
    robot = loaded(files(lower=-1, upper=1, velocity=0, effort=0)[name], tmp_path, name)
    assert robot.joints[0].limits == Limits(-1.0, 1.0, 0.0, 0.0)
    assert sum("limit is 0" in line for line in robot.warnings) == 2


@pytest.mark.parametrize("type_", [Revolute(), Prismatic()])
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (Limits(2.0, 1.0), Limits(1.0, 2.0)),
        (Limits(-np.inf, np.inf, np.inf, np.inf), Limits()),
        (Limits(1.0, 1.0), Limits(1.0, 1.0)),
        (Limits(effort=-3.0), Limits()),
        (Limits(0.0, None, 0.0, 0.0), Limits(0.0, None, 0.0, 0.0)),
    ],
)
def test_robots_made_in_python_have_the_same_rules(type_, given, expected):
    robot = tree("r", [Link("a"), Link("b")], [Joint("j", type_, "a", "b", limits=given)])
    assert robot.joints[0].limits == expected


@pytest.mark.parametrize("bad", [Limits(np.nan), Limits(np.inf, np.inf), Limits(None, -np.inf), Limits(effort=np.nan)])
def test_what_is_no_limit_is_refused(bad):
    with pytest.raises(ModelError, match=r"joint 'j': its (lower|upper|effort) limit is"):
        tree("r", [Link("a"), Link("b")], [Joint("j", Revolute(), "a", "b", limits=bad)])


def test_mujoco_refuses_reversed_ranges_itself(tmp_path):
    pytest.importorskip("mujoco")
    body = '<body><joint name="j" limited="true" range="60 -60"/><geom size="1"/></body>'
    text = f"<mujoco><worldbody>{body}</worldbody></mujoco>"
    assert "MuJoCo rejects the file" in complaint(text, tmp_path, "r.xml")
