"""Robots with loops and couplings: they stay closed, keep their energy, and move as known."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import ScrewgraphError
from screwgraph.model.robot import (
    Coupling,
    Joint,
    Link,
    closed_states,
    constraint_jacobian,
    constraint_residual,
    tree,
    with_floating_base,
    with_gravity,
    without_damping,
)
from screwgraph.model.robot.joints import Revolute
from screwgraph.spatial import SpatialInertia
from tests.model.robot.closed_instances import planar_four_bar
from tests.robots import closed_names, robot_file
from tests.suites import in_suites

CLOSED = closed_names()
QUICK = [in_suites(name) if name == "stewart_gough" else name for name in CLOSED]

FILES = {
    "crank_rocker.urdf": 0.5,
    "geared_leg.urdf": 0.5,
    "four_bar.urdf": 0.1,
    "six_bar.urdf": 0.5,
    "planar_leg_linkage.urdf": 0.5,
    "mit_humanoid_leg.urdf": 0.5,
    "revolute_rotor_chain.urdf": 0.5,
}
"""How fast (rad/s) they begin: the four-bar is a parallelogram, whose motion is not determined where it folds."""


def movable(robot):
    """The robot, if its forward dynamics are there."""
    try:
        sg.forward_dynamics(robot)
    except (ScrewgraphError, KeyError) as error:
        pytest.skip(f"forward dynamics of {robot.name} are not there: {error}")
    return robot


def swinging(robot, scale=1.0):
    """A closed position, and a velocity that the loops allow."""
    (q,) = closed_states(robot, 1, seed=2)
    rng = np.random.default_rng(3)
    return q, robot.complete_velocity(q, scale * rng.normal(size=robot.mobility.freedom))


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", [*QUICK, *FILES])
def test_energy_is_kept_for_ten_seconds(name):
    path = name if name in CLOSED else robot_file(name)
    robot = movable(without_damping(sg.load(path)))
    run = sg.simulate(robot, *swinging(robot, FILES.get(name, 0.5)), time=10.0, dt=1e-3)
    assert run.energy_drift < 1e-4 * max(np.abs(run.energy).max(), 1.0)
    assert run.violation.max() < 1e-9


@pytest.mark.parametrize(("name", "base"), [("geared_leg.urdf", "floating"), in_suites("mini_cheetah.urdf", "fixed")])
def test_a_floating_robot_with_its_rotors_keeps_its_energy(name, base):
    """The file of the quadruped has its own floating base. Other whole robots are in benchmarks/RESULTS.md."""
    robot = with_gravity(sg.load(robot_file(name), base=base, damping=False), (0.0, 0.0, 0.0))
    run = sg.simulate(robot, *swinging(robot, 1.0), time=1.0, dt=1e-3)
    assert run.energy_drift < 1e-9 * run.energy[0]
    assert run.violation.max() < 1e-12


@pytest.mark.parametrize("method", ["rk4", "dop853", "semi_implicit", "trapezoidal"])
@pytest.mark.parametrize("name", QUICK)
@pytest.mark.sampled(3)
def test_loops_stay_closed_by_every_method(name, method):
    robot = movable(sg.load(name))
    run = sg.simulate(robot, *swinging(robot), time=0.5, dt=1e-3, method=method)
    gaps = [np.abs(constraint_residual(robot, q)).max() for q in run.q[::100]]
    rates = [
        np.abs(constraint_jacobian(robot, q) @ qd).max() for q, qd in zip(run.q[::100], run.qd[::100], strict=True)
    ]
    # Compiled gaps are exact to second order: off by their size times the change of the loop's joint in some steps.
    change = 10 * 1e-3 * np.abs(run.qd).sum(axis=1).max()
    np.testing.assert_allclose(run.violation[::100], gaps, rtol=change, atol=1e-15)
    assert max(gaps) < 1e-9
    assert max(rates) < 1e-8 * max(1.0, np.abs(run.qd).max())


@pytest.mark.parametrize("name", QUICK)
def test_two_methods_agree(name):
    robot = movable(sg.load(name))
    runs = [sg.simulate(robot, *swinging(robot), time=0.3, dt=5e-4, method=method) for method in ("rk4", "dop853")]
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-6)


def test_a_geared_rotor_multiplies_its_inertia_by_the_square_of_the_ratio():
    ratio, link, rotor, tau = 6.0, 0.4, 0.02, 1.7
    bodies = [Link("link", _about_z(link)), Link("rotor", _about_z(rotor))]
    joints = [Joint("joint", Revolute(), "base", "link"), Joint("motor", Revolute(), "base", "rotor")]
    gear = Coupling("gear", {"motor": 1.0, "joint": -ratio})
    robot = movable(tree("geared", [Link("base"), *bodies], joints, couplings=[gear]))
    run = sg.simulate(robot, time=1.0, dt=1e-2, tau=[0.0, tau])
    turned = 0.5 * tau * ratio / (link + ratio**2 * rotor) * run.t**2
    np.testing.assert_allclose(run.q, np.stack([turned, ratio * turned], axis=1), atol=1e-12)
    assert run.energy_drift < 1e-12


def _about_z(inertia):
    return SpatialInertia.of_body(0.5, np.zeros(3), np.diag([inertia, inertia, inertia]))


def test_a_closed_chain_on_a_floating_base_falls_freely():
    robot = movable(with_floating_base(sg.load("belt_leg")))
    run = sg.simulate(robot, time=1.0, dt=1e-2)
    np.testing.assert_allclose(run.q[-1, 2], -0.5 * 9.81, atol=1e-9)
    np.testing.assert_allclose(run.q[:, 7:], 0.0, atol=1e-9)


def test_a_motion_begins_where_loops_are_closed():
    robot = movable(sg.load("five_bar"))
    run = sg.simulate(robot, robot.neutral() + 0.05, time=0.01)
    assert np.abs(constraint_residual(robot, run.q[0])).max() < 1e-10


def test_a_velocity_that_opens_a_loop_is_refused_with_its_residual():
    robot = planar_four_bar()
    with pytest.raises(sg.InputError, match=r"qd0 would open 'pin' at 1\.34 per second \(translation y\)") as caught:
        sg.simulate(robot, [0.9, -0.5, 0.8], [1.0, 0.0, 0.0])
    assert "complete_velocity" in str(caught.value)


def test_velocities_that_only_the_digits_of_a_file_forbid_are_allowed():
    """Rows that are redundant but for these digits are dropped when velocities are completed, and here, too."""
    links = [Link("base"), *(Link(name, _about_z(0.1)) for name in ("link", "rotor"))]
    joints = [Joint(name, Revolute(), "base", name) for name in ("link", "rotor")]
    gears = [Coupling(str(i), {"link": 1.0 + 3e-6 * i, "rotor": -1.0}) for i in range(2)]
    robot = tree("geared", links, joints, couplings=gears)
    q, qd = np.zeros(2), robot.complete_velocity(np.zeros(2), [1.0])
    assert np.abs(constraint_jacobian(robot, q) @ qd).max() > 1e-6 * max(1.0, np.abs(qd).max())
    assert sg.simulate(robot, q, qd, time=0.01).energy_drift < 1e-9


def test_loops_that_do_not_close_are_refused():
    with pytest.raises(sg.InputError, match="loop 'pin' has a loop-closure error of"):
        sg.simulate(planar_four_bar((0.1, 0.2, 0.1, 2.0)), [0.1, 0.2, 0.3])


def test_a_closed_chain_that_blows_up_is_one_line():
    robot, words = movable(sg.load("belt_leg")), r"diverged before t = |the loop-closure error is|is not .* finite"
    with pytest.raises(sg.InputError, match=words) as caught:
        sg.simulate(robot, time=100.0, dt=0.1, method="rk4", tau=lambda t, q, qd: 1.0 - 1e4 * qd)
    assert "\n" not in str(caught.value)
