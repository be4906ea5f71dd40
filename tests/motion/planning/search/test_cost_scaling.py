"""Machines of tons and of grams are planned with the same weights as arms: searches scale costs and forces."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Robot
from screwgraph.motion.planning import Plan, Planner, Task, horizon
from screwgraph.motion.planning.costs import Acceleration, Effort
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.limits import EffortLimit, VelocityLimit
from screwgraph.motion.planning.search.cost_scaling import compute_scale
from screwgraph.spatial import SpatialInertia

FLAT = 1e-3
"""What positions (rad, m), and torques as parts of the largest, may differ by where costs are optimal to 1e-6."""
CRANE = """<robot name="crane">
  <link name="base"/>
  <link name="tower"><inertial><origin xyz="0 0 2"/><mass value="30000"/>
    <inertia ixx="8e4" iyy="8e4" izz="6e4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="boom"><inertial><origin xyz="15 0 0"/><mass value="20000"/>
    <inertia ixx="5e3" iyy="1.5e6" izz="1.5e6" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="jib"><inertial><origin xyz="-10 0 0"/><mass value="8000"/>
    <inertia ixx="2e3" iyy="2.7e5" izz="2.7e5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="slew" type="revolute"><parent link="base"/><child link="tower"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="5e6" velocity="0.05"/></joint>
  <joint name="luff" type="revolute"><parent link="tower"/><child link="boom"/><origin xyz="1 0 4"/>
    <axis xyz="0 -1 0"/><limit lower="0" upper="1.4" effort="2e7" velocity="0.05"/></joint>
  <joint name="telescope" type="prismatic"><parent link="boom"/><child link="jib"/><origin xyz="30 0 0"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="15" effort="5e5" velocity="0.3"/></joint>
</robot>"""


LEG = """<robot name="leg of an insect">
  <link name="base"/>
  <link name="femur"><inertial><origin xyz="0.004 0 0"/><mass value="3e-6"/>
    <inertia ixx="2e-12" iyy="1.6e-11" izz="1.6e-11" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tibia"><inertial><origin xyz="0.004 0 0"/><mass value="1e-6"/>
    <inertia ixx="1e-12" iyy="6e-12" izz="6e-12" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hip" type="revolute"><parent link="base"/><child link="femur"/><axis xyz="0 -1 0"/>
    <limit lower="-2" upper="2" effort="4e-6" velocity="8"/></joint>
  <joint name="knee" type="revolute"><parent link="femur"/><child link="tibia"/><origin xyz="0.008 0 0"/>
    <axis xyz="0 -1 0"/><limit lower="-2.5" upper="2.5" effort="4e-6" velocity="4.5"/></joint>
</robot>"""


@pytest.fixture(scope="module")
def crane() -> Robot:
    return sg.load(CRANE)


@pytest.fixture(scope="module")
def leg() -> Robot:
    return sg.load(LEG)


def times(robot: Robot, s: float) -> Robot:
    """Return the robot with all masses, inertias and limits of effort s times as large."""
    links = (
        replace(x, inertia=SpatialInertia(s * x.inertia.mass, s * x.inertia.first_moment, s * x.inertia.about_origin))
        for x in robot.links
    )
    joints = (replace(j, limits=replace(j.limits, effort=s * (j.limits.effort or 0.0))) for j in robot.joints)
    return replace(robot, links=tuple(links), joints=tuple(joints))


def task(robot: Robot, weight: float = 1.0) -> Task:
    """Slew, luff and telescope within 40 s, at limits of velocity."""
    goals, limits = (Position([1.2, 0.9, 6.0]), Velocity(0.0)), (VelocityLimit(None), EffortLimit(None))
    costs = (Effort(weight),)
    return Task(
        robot, horizon(20, duration=40.0), start=[0.0, 0.3, 2.0], goals=goals, costs=costs, limits=limits, accuracy=0.1
    )


def planned(robot: Robot, weight: float = 1.0) -> Plan:
    plan = Planner(task(robot, weight)).solve()
    assert plan.solved, plan
    return plan


def test_cranes_are_planned_with_any_weight_of_effort(crane):
    """The velocity was 23 m/s beyond its limit with a weight of 1, and the plan was found with 1e-12."""
    one, small = planned(crane), planned(crane, 1e-12)
    assert one.iterations <= 40
    assert (np.abs(one.qd).max(axis=0) <= np.multiply(1.001, [0.05, 0.05, 0.3])).all()
    assert one.q == pytest.approx(small.q, abs=FLAT)
    assert one.cost == pytest.approx(1e12 * small.cost, rel=1e-6)
    assert sum(one.costs.values()) == pytest.approx(one.result.cost, rel=1e-12)


@pytest.mark.parametrize("s", [1e-3, 1e-5])
def test_motions_do_not_depend_on_the_unit_of_mass(crane, s):
    """All masses and limits of effort s times as large: the same motion, torques s times as large."""
    heavy, light = planned(crane), planned(times(crane, s))
    assert light.q == pytest.approx(heavy.q, abs=FLAT)
    assert light.tau / s == pytest.approx(heavy.tau, abs=FLAT * np.abs(heavy.tau).max())
    assert light.cost == pytest.approx(s**2 * heavy.cost, rel=1e-6)


def test_legs_of_insects_move_as_a_million_times_heavier_ones(leg):
    """Torques of 1e-7 N m were balanced to 1e-8 N m, and limits of effort were 1e-2 N m away: not the same optimum."""
    limits, goals = (VelocityLimit(None), EffortLimit(None)), (Position([-0.9, 0.8]), Velocity(0.0))
    made = Task(leg, horizon(20, duration=0.5), start=[0.3, -1.0], goals=goals, costs=(Effort(),), limits=limits)
    light, heavy = (Planner(replace(made, robot=times(leg, s))).solve() for s in (1.0, 1e6))
    assert light.solved, light
    assert light.iterations <= 20
    assert 1e6 * light.tau == pytest.approx(heavy.tau, abs=FLAT * np.abs(heavy.tau).max())
    assert light.q == pytest.approx(heavy.q, abs=FLAT)
    assert 1e12 * light.cost == pytest.approx(heavy.cost, rel=1e-5)


def test_arms_need_no_scale_and_other_costs_count_as_one(crane):
    def scale(made: Task) -> float:
        return compute_scale(Planner(made).transcription).cost

    arm = Task(sg.load("rr"), horizon(8, duration=1.0), [0.1, 0.2], costs=(Effort(),))
    assert scale(arm) == 1.0
    assert scale(replace(arm, costs=(Effort(1e-12),))) < 1e-4
    assert scale(replace(arm, costs=(Effort(1e-12), Acceleration(1e-3)))) == 1.0
    assert scale(task(crane)) > 1e6
    assert scale(task(crane, 1e-12)) == 1.0
    assert scale(replace(task(crane), costs=(Acceleration(1e12),))) == 1.0
