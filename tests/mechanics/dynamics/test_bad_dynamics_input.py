"""Bad input to dynamics: an error of the right type, one line that names the thing."""

import numpy as np
import pytest

from screwgraph.base.errors import EliminationError, InputError
from screwgraph.elimination.orderings import explicit
from screwgraph.graph import Key
from screwgraph.mechanics.dynamics import bias_forces, forward_dynamics, hybrid_dynamics, inverse_dynamics, mass_matrix
from screwgraph.model.formats import load
from screwgraph.model.robot import Joint, Link, tree
from screwgraph.model.robot.joints import Prismatic, Revolute, Spherical
from screwgraph.spatial import SpatialInertia, from_xyz_rpy

ZERO = np.zeros(6)
BODY = SpatialInertia.of_body(1.0, np.array([0.3, 0.1, 0.0]), 0.1 * np.eye(3))


def message(error, function, *arguments, **options):
    """Call and return the one line that the error says."""
    with pytest.raises(error) as caught:
        function(*arguments, **options)
    text = str(caught.value)
    assert type(caught.value) is error
    assert text
    assert "\n" not in text
    return text


@pytest.fixture(scope="module", name="puma")
def puma560():
    return load("puma560")


@pytest.fixture(scope="module", name="inverse")
def inverse_of_puma(puma):
    return inverse_dynamics(puma, ordering="rnea")


@pytest.mark.parametrize("shape", [(), (5,), (7,), (6, 1), (3, 5), (0,)])
@pytest.mark.parametrize("name", ["q", "qd", "qdd"])
def test_a_wrong_shape_is_told_with_the_right_one(inverse, name, shape):
    arguments = {"q": ZERO, "qd": ZERO, "qdd": ZERO, name: np.zeros(shape)}
    text = message(InputError, inverse, *arguments.values())
    assert text.startswith(f"inverse_dynamics: {name} has the shape {shape}, expected (..., 6): it holds {name}:joint1")


def test_a_wrong_shape_of_wrenches_is_told_with_the_right_one(puma):
    f = inverse_dynamics(puma, external_wrenches=("link6",))
    text = message(InputError, f, ZERO, ZERO, ZERO, np.zeros(6))
    assert "external_wrenches has the shape (6,), expected (..., 1, 6)" in text


def test_batches_that_do_not_broadcast_are_told_with_their_shapes(inverse):
    text = message(InputError, inverse, np.zeros((2, 6)), np.zeros((3, 6)), ZERO)
    assert "the batches do not broadcast, q (2, 6), qd (3, 6), qdd (6,)" in text


@pytest.mark.parametrize("count", [0, 1, 2, 4])
def test_a_wrong_number_of_arguments_is_told_with_the_signature(inverse, count):
    text = message(InputError, inverse, *[ZERO] * count)
    assert text == f"inverse_dynamics takes 3 arguments (q: 6, qd: 6, qdd: 6), {count} were given"


@pytest.mark.parametrize(
    "value",
    ["abc", ["1", "x", "3", "4", "5", "6"], None, object(), [None] * 6, [[0] * 6, [0] * 5], {"joint1": 0.0}, 1j * ZERO],
)
def test_what_is_no_array_of_numbers_is_refused(inverse, value):
    text = message(InputError, inverse, ZERO, value, ZERO)
    assert text == "inverse_dynamics: qd is not an array of real numbers"


@pytest.mark.parametrize("make", [inverse_dynamics, forward_dynamics, bias_forces])
def test_an_unknown_ordering_is_told_with_those_that_are_near(puma, make):
    text = message(InputError, make, puma, ordering="minimum_degree")
    assert text.startswith("no ordering is called 'minimum_degree' (did you mean min_degree")


@pytest.mark.parametrize("ordering", [None, 3, 1.5])
def test_an_ordering_that_is_neither_name_nor_order_is_refused(puma, ordering):
    assert repr(ordering) in message(InputError, forward_dynamics, puma, ordering=ordering)


def test_an_order_with_an_unknown_variable_is_refused(puma):
    for order in (["wrench", "acceleration", "qdd:joint9"], explicit(["wrench", "acceleration", "qdd:joint9"])):
        text = message(InputError, forward_dynamics, puma, ordering=order)
        assert text.startswith("no variable is called 'qdd:joint9': the graph has the kinds ")


@pytest.mark.parametrize("item", [7, None, (1, 2, 3), ("qdd:joint1", 0), (Key("qdd", "joint1"), "0")])
def test_an_order_that_names_what_is_no_variable_is_refused(puma, item):
    text = message(InputError, forward_dynamics, puma, ordering=["wrench", "acceleration", item])
    assert text.startswith(f"an order names {item!r}, which is no variable")


@pytest.mark.parametrize(
    ("order", "told"),
    [
        (["wrench", "acceleration", "qdd:joint1"], "leaves out qdd:joint2"),
        (["wrench", "acceleration", "qdd", "qdd:joint1"], "names qdd:joint1 twice"),
        (["wrench", "acceleration", "qdd", "tau"], "names tau:joint1, which is no unknown"),
        (["wrench", "acceleration", "qdd", "acceleration:base"], "names acceleration:base, which is no unknown"),
        (["wrench", "acceleration", (Key("qdd", "joint1"), 1)], "names qdd:joint1, which is no unknown"),
    ],
)
def test_an_order_that_leaves_out_repeats_or_invents_is_refused(order, told):
    assert told in message(EliminationError, forward_dynamics, load("rr"), ordering=order)


@pytest.mark.parametrize("names", ["joint7", ("joint1", "joint7"), ("link1",)])
def test_an_unknown_joint_of_a_hybrid_problem_is_told_with_those_that_are_near(puma, names):
    text = message(InputError, hybrid_dynamics, puma, names)
    wrong = names if isinstance(names, str) else names[-1]
    assert text.startswith(f"no joint is called {wrong!r} (did you mean joint")


@pytest.mark.parametrize("names", [None, 3, (1,), (None,)])
def test_names_that_are_no_names_are_refused(puma, names):
    text = message(InputError, hybrid_dynamics, puma, names)
    expected = "hybrid_dynamics: accelerations: expected names (a list of str)"
    assert text == f"{expected}, got {type(names).__name__} {names!r}"


@pytest.mark.parametrize("names", [None, 3, (1,), (None,)])
def test_places_of_wrenches_that_are_no_names_are_refused(puma, names):
    text = message(InputError, inverse_dynamics, puma, external_wrenches=names)
    expected = "inverse_dynamics: external_wrenches: expected names (a list of str)"
    assert text == f"{expected}, got {type(names).__name__} {names!r}"


@pytest.mark.parametrize("make", [inverse_dynamics, forward_dynamics, bias_forces])
def test_an_unknown_link_of_an_external_wrench_is_told_with_those_that_are_near(puma, make):
    text = message(InputError, make, puma, external_wrenches=("link7",))
    assert text.startswith("no frame is called 'link7' (did you mean link")
    assert "~" not in text  # names that passes give are no one's


def test_a_place_of_two_external_wrenches_is_refused(puma):
    assert "'link6'" in message(InputError, inverse_dynamics, puma, external_wrenches=("link6", "link6"))


def arm(tip_joint, tip=None):
    """Return two links; the second is massless unless `tip` says otherwise."""
    origin = from_xyz_rpy(np.array([0.5, 0.0, 0.2]), np.array([0.3, 0.4, 0.5]))
    joints = [Joint("shoulder", Revolute(), "base", "upper"), Joint("tip_joint", tip_joint, "upper", "tip", origin)]
    links = [Link("base"), Link("upper", BODY), Link("tip", tip or SpatialInertia())]
    return tree("arm", links, joints)


@pytest.mark.parametrize("ordering", ["auto", "aba", "crba", "min_degree", "colamd"])
@pytest.mark.parametrize("joint", [Revolute((0.0, 1.0, 0.0)), Prismatic((1.0, 0.0, 0.0)), Spherical()])
@pytest.mark.sampled(3)
def test_forward_dynamics_of_a_massless_tip_are_refused_naming_joint_and_link(joint, ordering):
    text = message(EliminationError, forward_dynamics, arm(joint), ordering=ordering)
    assert text.startswith("the acceleration of joint 'tip_joint' is not determined: ")
    assert "'tip'" in text
    assert "'shoulder'" not in text


def test_a_point_mass_on_its_axis_has_no_inertia_along_it():
    point = SpatialInertia.of_body(1.0, np.array([0.0, 0.0, 0.3]), np.zeros((3, 3)))
    text = message(EliminationError, forward_dynamics, arm(Revolute((0.0, 0.0, 1.0)), point))
    assert text.startswith("the acceleration of joint 'tip_joint' is not determined: ")


NECK = """<robot name="neck"><link name="base"/><link name="n1"/><link name="n2"/><link name="head"><inertial>
<origin xyz="0.0185 -0.1108 6.8e-18"/><mass value="1.3"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/>
</inertial></link>
<joint name="pitch" type="continuous"><origin xyz="0.002 0.19 -1.2e-17" rpy="1.5708 1e-16 1.5708"/><axis xyz="0 1 0"/>
  <parent link="base"/><child link="n1"/></joint>
<joint name="roll" type="continuous"><origin xyz="0.0095 0 0" rpy="-1.5708 1e-16 -1.5708"/><axis xyz="0 -1 0"/>
  <parent link="n1"/><child link="n2"/></joint>
<joint name="yaw" type="continuous"><origin rpy="-1.5708 -1e-16 1.5708"/><axis xyz="0 -1 0"/>
  <parent link="n2"/><child link="head"/></joint></robot>"""
"""A point mass: at the neutral position roll and yaw can turn so that it stays."""


def test_joints_that_move_nothing_at_the_neutral_position_alone_are_named():
    text = message(EliminationError, forward_dynamics, load(NECK))
    start = "the acceleration of joint 'roll', 'yaw' is not determined at the neutral position: "
    assert text.startswith(start), text


def test_hybrid_dynamics_of_a_massless_tip_are_refused_only_where_its_acceleration_is_unknown():
    robot = arm(Revolute((0.0, 1.0, 0.0)))
    assert "'tip_joint'" in message(EliminationError, hybrid_dynamics, robot, ("shoulder",))
    found = hybrid_dynamics(robot, ("tip_joint",))([0.1, 0.2], [0.3, 0.4], [0.5, 0.6])
    assert np.isfinite(found).all()


@pytest.mark.parametrize("joint", [Revolute((0.0, 1.0, 0.0)), Spherical()])
def test_inverse_dynamics_of_a_massless_tip_need_no_effort_there(joint):
    robot = arm(joint)
    rng = np.random.default_rng(0)
    q, qd, qdd = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    tau = inverse_dynamics(robot)(q, qd, qdd)
    np.testing.assert_allclose(tau[1:], 0.0, atol=1e-15)
    assert np.abs(tau[0]) > 1e-3
    np.testing.assert_allclose(mass_matrix(robot)(q)[1:], 0.0, atol=1e-15)
