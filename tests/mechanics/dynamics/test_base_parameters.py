"""Base parameters beside the literature, and beside singular values of the regressor at random states."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.dynamics.closed_base_parameters import energy_rows
from screwgraph.mechanics.dynamics.regressor import linear_parameters
from screwgraph.mechanics.dynamics.tree_base_parameters import find_tree_combinations
from screwgraph.model.robot import Joint, Link
from screwgraph.model.robot.joints import Helical, Planar, Prismatic, Revolute, Spherical, Universal
from screwgraph.model.robot.parameters import parameters_of
from screwgraph.spatial import SpatialInertia
from tests.mechanics.dynamics.motions import motions
from tests.robots import SHARED, robot_file

NULL = 1e-9
"""Part of the largest column below which a column is rounding: angles of files have as many digits."""


def check(robot: sg.Robot, names: list[str] | None = None, payload: str | None = None, tilt: float = 0.0) -> None:
    """Compare rank and combinations with the regressor's columns, to the digits of the file's right angles."""
    found = sg.base_parameters(robot, parameters=names, payload=payload)
    Y = np.concatenate(
        sg.regressor(robot, parameters=names, payload=payload)(*motions(robot, 2 * len(found.labels) + 7))
    )
    size = np.linalg.norm(Y, axis=0)
    seen = size > max(NULL, tilt) * size.max()
    values = np.append(np.linalg.svd(Y[:, seen] / size[seen], compute_uv=False), 0.0)
    assert values[found.rank - 1] > 1e3 * values[found.rank]
    assert values[found.rank] < max(1e-9, 10.0 * tilt)
    error = np.abs(Y[:, list(found.independent)] @ found.map - Y).max()
    assert error < max(1e-8, 10.0 * tilt) * np.abs(Y).max()


def test_two_joints_in_a_plane_as_in_a_textbook():
    """Khalil & Dombre (2002), chapter 12: of links of 1 m, masses act as particles at the ends of the links before."""
    found = sg.base_parameters(sg.load("rr"))
    assert found.expressions == (
        "link1.hx + link2.m",
        "link1.hy",
        "link1.Izz + link2.m",
        "link2.hx",
        "link2.hy",
        "link2.Izz",
    )


def test_coefficients_are_fractions():
    found = sg.base_parameters(sg.load("panda"))
    assert all(isinstance(x, Fraction) for row in found.coefficients for x in row.values())
    row = dict(zip(found.expressions, found.coefficients, strict=True))["panda_link6.hx + 0.088 panda_link7.m"]
    assert list(row.values()) == [1, Fraction(11, 125)]


def test_coefficients_are_formulas_of_lengths():
    """Khalil & Dombre (2002), chapter 12: of an arm in a plane, with a length a2 that is named."""
    found = sg.base_parameters(sg.load("rr"), lengths={"a2": "joint2.x"})
    assert found.expressions[:3] == ("link1.hx + a2 link2.m", "link1.hy", "link1.Izz + a2^2 link2.m")
    np.testing.assert_array_equal(found.map, sg.base_parameters(sg.load("rr")).map)
    at = found.map_of_lengths(np.array([[2.0], [3.0]]))
    column = found.labels.index("link2.m")
    np.testing.assert_array_equal(at[:, :3, column], [[2.0, 0.0, 4.0], [3.0, 0.0, 9.0]])


@pytest.mark.parametrize("name", ["panda", "puma560", "kinova.urdf", "tiago_no_hand.urdf"])
@pytest.mark.sampled(4)
def test_formulas_hold_at_other_lengths(name):
    """The Kinova's angles are no right ones: numbers of its formulas are floats."""
    robot = sg.load(robot_file(name) if "." in name else name)
    found = sg.base_parameters(robot, lengths=[f"{joint}.origin" for joint in robot.joint_names])
    np.testing.assert_allclose(found.map, sg.base_parameters(robot).map, atol=1e-14)
    lengths = np.array([length.nominal for length in found.lengths])
    lengths = lengths * np.random.default_rng(0).uniform(0.6, 1.5, len(lengths))
    at = dict(zip([length.name for length in found.lengths], lengths, strict=True))
    joints = []
    for joint in robot.joints:
        T = joint.origin.copy()
        T[:3, 3] = [at.get(f"{joint.name}.{axis}", x) for axis, x in zip("xyz", T[:3, 3], strict=True)]
        joints.append(replace(joint, origin=T))
    other = replace(robot, joints=tuple(joints))
    check(other)
    expected = sg.base_parameters(other)
    assert expected.independent == found.independent
    np.testing.assert_allclose(found.map_of_lengths(lengths), expected.map, atol=1e-10 * np.abs(expected.map).max())


@pytest.mark.parametrize(
    ("robot", "lengths", "match"),
    [
        ("rr", ["joint2.w"], "is no length.*joint2.x"),
        ("rr", ["elbow.x"], "no joint or frame"),
        ("rr", ["joint2.x", "joint2.origin"], "named twice"),
        ("four_bar_linkage", ["joint2.x"], "closed positions"),
    ],
)
def test_lengths_that_are_refused(robot, lengths, match):
    with pytest.raises(sg.InputError, match=match):
        sg.base_parameters(sg.load(robot), lengths=lengths)


def test_lengths_whose_values_are_special_are_refused():
    """Two joints about one axis show less than two that are apart; a shift along the axis shows nothing."""
    robot = replace(sg.load("rr"), gravity=(0.0, 0.0, 0.0))
    robot = replace(robot, joints=(robot.joints[0], replace(robot.joints[1], origin=np.eye(4))))
    with pytest.raises(sg.InputError, match=r"joint2\.x have special values"):
        sg.base_parameters(robot, lengths=["joint2.x"])
    assert sg.base_parameters(robot, lengths=["joint2.z"]).rank == 2


@pytest.mark.parametrize(("name", "rank"), [("puma560", 36), ("panda", 43)])
def test_ranks_of_arms(name, rank):
    """PUMA 560: Gautier & Khalil (1990); seven joints of which the first stands upright: 43, Gaz et al. (2019)."""
    assert sg.base_parameters(sg.load(name)).rank == rank


@pytest.mark.parametrize("name", ["rrr", "cart_pole", "acrobot", "puma560", "four_bar_linkage"])
@pytest.mark.parametrize("base", ["fixed", "floating"])
@pytest.mark.sampled(9)
def test_columns_of_the_regressor(name, base):
    if base == "floating" and name in ("four_bar_linkage", "cart_pole"):
        pytest.skip("a floating base of a closed chain or a cart adds nothing new")
    check(sg.load(name, base=base))


JOINTS = [
    Revolute((0.0, 0.6, 0.8)),
    Prismatic((0.0, 0.0, 1.0)),
    Prismatic((1.0, 0.0, 0.0)),
    Helical((0.0, 0.0, 1.0), 0.3),
    Universal(),
    Planar((0.0, 1.0, 0.0)),
    Spherical(),
]


@pytest.mark.parametrize("kind", JOINTS, ids=lambda kind: type(kind).__name__)
@pytest.mark.parametrize("armature", [0.0, 0.1])
@pytest.mark.sampled(4)
def test_every_type_of_joint(kind, armature):
    """Between a vertical axis and a parallel one, with a payload, friction and damping."""
    turn = np.array([[1.0, 0.0, 0.0, 0.3], [0.0, 0.0, -1.0, 0.1], [0.0, 1.0, 0.0, 0.2], [0.0, 0.0, 0.0, 1.0]])
    body = SpatialInertia.of_body(1.0, np.array([0.1, 0.2, 0.3]), np.diag([0.02, 0.03, 0.04]))
    links = [Link("base"), *(Link(f"link{i}", body) for i in (1, 2, 3))]
    joints = [
        Joint("a", Revolute(), "base", "link1", damping=0.1),
        Joint("b", kind, "link1", "link2", turn, armature=armature),
        Joint("c", Revolute(), "link2", "link3", turn @ turn, armature=armature),
    ]
    robot = sg.Robot("mixed", tuple(links), tuple(joints))
    names = [*robot_names(robot), "a.friction", *(["b.armature", "c.armature"] if armature else [])]
    check(robot, names, payload="link3")


def robot_names(robot: sg.Robot) -> list[str]:
    return [link.name for link in robot.links[1:]]


@pytest.mark.parametrize(
    ("file", "rank"), [("ur10_robot.urdf", 36), ("tiago_no_hand.urdf", 58), ("talos_left_arm.urdf", 45)]
)
@pytest.mark.sampled(3)
def test_as_many_as_figaroh_finds(file, rank):
    """Of links alone, without dampings: FIGAROH 1.0.2 by QR of random states, whose columns are the same sums."""
    robot = sg.load(robot_file(file))
    assert sg.base_parameters(robot, parameters=robot_names(robot)).rank == rank


def test_some_parameters_only():
    check(sg.load("panda"), ["panda_link3", "panda_link7"])


def test_axes_of_a_file_that_are_nearly_square():
    """A Kinova's axes are tilted by 1e-12, an iCub's angles are 1.5708: the columns that this makes show nothing."""
    check(sg.load(robot_file("kinova.urdf")))


@pytest.mark.suite
@pytest.mark.parametrize(("name", "rank"), [("cassie_reduced.sdf", 147), ("cassie.sdf", 209)])
def test_cassie(name, rank):
    """Its loops tie combinations of the tree's; singular values of energies leave no doubt."""
    robot = sg.load(SHARED / "robots" / "sdf" / name)
    own = parameters_of(robot, linear_parameters(robot))
    tree = find_tree_combinations(robot, own)
    rows = np.concatenate([block for seed in (5, 6, 7) for block in energy_rows(robot, own, list(tree), seed)])
    size = np.linalg.norm(rows, axis=0)
    seen = size > 1e-8 * size.max()
    values = np.linalg.svd(rows[:, seen] / size[seen], compute_uv=False)
    assert sg.base_parameters(robot).rank == rank
    assert values[rank - 1] > 1e5 * values[rank]


@pytest.mark.suite
@pytest.mark.parametrize("base", ["fixed", "floating"])
@pytest.mark.parametrize(
    "path",
    sorted(path for path in (SHARED / "robots").rglob("*.*") if path.suffix in (".urdf", ".xml")),
    ids=lambda path: f"{path.parent.name}-{path.stem}",
)
def test_the_rank_is_that_of_singular_values(path, base):
    if base == "floating" and path.parent.name == "closed_chain":
        pytest.skip("they float, or stand")
    if path.stem == "jvrc1_humanoid":
        pytest.skip("its regressor, in independent coordinates, takes minutes to compile")
    robot = sg.load(path, base=base)
    check(robot, tilt=1e-5 if path.stem.startswith(("icub", "hextilt")) else 0.0)
