"""Plans of platforms on cables: tensions are the least within bounds that cause the motion; IPOPT plans the same."""

from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.planning import Planner, Task, horizon
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.goals import Pose, Velocity
from screwgraph.motion.planning.limits import EffortLimit
from screwgraph.spatial import from_xyz_rpy
from tests.model.robot.test_cables import make_suspended

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "cable_robot_plan.yaml"


def check_tensions(plan):
    """See that planned tensions are within bounds, and the least ones."""
    assert plan.converged, plan
    robot, points, values = plan.task.robot, plan.transcription.steps.points, plan.values
    lower, upper = np.transpose([actuator.bounds for actuator in robot.actuators])
    assert (values["tau"] >= lower - 1e-8).all()
    assert (values["tau"] <= upper + 1e-8).all()
    least = sg.inverse_dynamics(robot, actuators=True, effort_limits=True)
    expected = least(values["q"][points], values["qd"][points], values["qdd"])
    assert values["tau"] == pytest.approx(expected, abs=1e-4)


def test_a_platform_crosses_its_frame():
    plan = sg.plan(EXAMPLE)
    check_tensions(plan)
    assert plan.solved, plan
    assert plan.efforts.min() == pytest.approx(1.0, abs=1e-6), "the lower cables are as loose as they may be"


@pytest.mark.suite
def test_a_suspended_platform_moves_and_turns():
    robot = make_suspended(bounds=(0.5, 120.0))
    task = Task(
        robot,
        horizon(8, duration=1.0),
        start=np.array([-0.4, -0.3, 1.2, 0.0, 0.0, 0.0, 1.0]),
        goals=(Pose("body", from_xyz_rpy([0.4, 0.3, 1.8], [0.0, 0.0, 0.15])), Velocity(0.0)),
        costs=(Effort(1.0),),
        limits=(EffortLimit(),),
    )
    plan = Planner(task).solve()
    check_tensions(plan)
    if pytest.importorskip("casadi").has_nlpsol("ipopt"):
        assert Planner(task).solve(method="ipopt").cost == pytest.approx(plan.cost, rel=1e-6)
