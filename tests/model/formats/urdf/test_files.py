"""Real files load, and are the same robots that Pinocchio reads."""

import numpy as np
import pinocchio as pin
import pytest

from screwgraph.base.errors import ModelError
from screwgraph.model.formats import load
from tests.model.formats.helpers import mass_matrix, poses
from tests.oracle import file_oracle, pinocchio_from_file
from tests.robots import REFUSED, robot_file, urdfs


@pytest.fixture(params=urdfs())
def path(request):
    return request.param


@pytest.mark.parametrize("base", ["fixed", "floating"])
@pytest.mark.sampled(3)
def test_joints_and_total_mass_agree_with_pinocchio(path, base):
    robot = load(path, base=base)
    model, _ = pinocchio_from_file(path, base == "floating")
    floating = int(base == "floating")
    assert len(robot.joints) == model.njoints - 1
    assert robot.nv == model.nv
    assert set(robot.joint_names[floating:]) == set(list(model.names)[1 + floating :])
    assert robot.mass == pytest.approx(sum(inertia.mass for inertia in model.inertias), rel=1e-12)


def test_masses_and_frames_agree_with_pinocchio(path):
    """The mass matrix of a floating robot depends on every inertia, axis and origin."""
    robot = load(path, base="floating")
    theirs = file_oracle(robot, path, floating=True)
    rng = np.random.default_rng(5)
    for _ in range(3):
        q = robot.random(rng)
        M = theirs.mass_matrix(q)
        np.testing.assert_allclose(mass_matrix(robot, q), M, rtol=0.0, atol=1e-9 * np.abs(M).max())
        ours = poses(robot, q)
        for name in [*(part.name for part in robot.links[1:]), *(frame.name for frame in robot.frames)]:
            np.testing.assert_allclose(ours[name], theirs.pose(q, name), rtol=0.0, atol=1e-9)


def test_every_link_of_the_file_stays_addressable(path):
    """Welded links, too, at their poses: masses and frames of these are compared by name above."""
    robot = load(path)
    theirs, ours = file_oracle(robot, path, floating=False), poses(robot, robot.neutral())
    links = [f.name for f in theirs.model.frames if f.type == pin.BODY and f.name != "universe"]
    assert links
    for name in links:
        frame = robot.frame(name)
        expected = theirs.pose(robot.neutral(), name)
        np.testing.assert_allclose(ours[frame.link] @ frame.T_lf, expected, rtol=0.0, atol=1e-9, err_msg=name)


def test_limits_and_damping_agree_with_pinocchio(path):
    robot = load(path)
    model, _ = pinocchio_from_file(path)
    for joint in robot.joints:
        theirs = model.joints[model.getJointId(joint.name)]
        if joint.limits.lower is None and theirs.nq == 1:  # the file gives none: urdfdom reads zeros
            assert model.lowerPositionLimit[theirs.idx_q] == model.upperPositionLimit[theirs.idx_q] == 0.0
        elif theirs.nq == 1:
            assert joint.limits.lower == pytest.approx(model.lowerPositionLimit[theirs.idx_q])
            assert joint.limits.upper == pytest.approx(model.upperPositionLimit[theirs.idx_q])
        assert joint.damping == pytest.approx(model.damping[theirs.idx_v])
        assert joint.friction == pytest.approx(model.upperDryFrictionLimit[theirs.idx_v])


def test_impossible_inertias_of_a_real_file_are_warnings_and_with_strict_errors():
    tiago = robot_file("tiago_no_hand.urdf")
    warnings = load(tiago).warnings
    assert sum("not positive semidefinite" in line for line in warnings) == 2
    with pytest.raises(ModelError, match=r"base_antenna_left_link.*not positive semidefinite"):
        load(tiago, strict=True)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_files_that_are_no_robots_are_refused_with_their_line(name):
    path = robot_file(f"{name}.urdf")
    with pytest.raises(ModelError, match=rf"{name}\.urdf:\d+: "):
        load(path)
