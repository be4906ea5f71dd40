"""What the tables ask: `screwgraph bench`'s questions, second derivatives, and kinematics of the last joint's link."""

from __future__ import annotations

import screwgraph as sg
from benchmarks.peers.pin_kinematics import tip
from screwgraph.ui import bench
from screwgraph.ui.bench import BenchmarkQuery

KINEMATICS = (
    BenchmarkQuery("forward_kinematics", lambda robot: (sg.forward_kinematics(robot, tip(robot)),)),
    BenchmarkQuery(
        "frame_jacobian", lambda robot: (sg.frame_jacobian(robot, tip(robot), reference="local_world_aligned"),)
    ),
    BenchmarkQuery("center_of_mass", lambda robot: (sg.center_of_mass(robot),)),
    BenchmarkQuery("centroidal_momentum_matrix", lambda robot: (sg.centroidal_momentum_matrix(robot),)),
)
SECOND_ORDER = BenchmarkQuery(
    "inverse_second_derivatives",
    lambda robot: (sg.inverse_dynamics(robot).jacobian("q", "qd").jacobian("q", "qd", "qdd"),),
)
"""Of robots with a fixed base and a few joints: results are cubic in their number."""
LARGEST_SECOND_ORDER = 7


def asked(robot: sg.Robot, question: BenchmarkQuery) -> bool:
    """Return whether a question is asked of a robot."""
    fixed = robot.nq == robot.nv
    return question is not SECOND_ORDER or (fixed and robot.nv <= LARGEST_SECOND_ORDER)


QUESTIONS = (*bench.QUESTIONS, SECOND_ORDER, *KINEMATICS)
