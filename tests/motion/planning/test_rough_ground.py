"""An arm carries a ball over a ridge, which is known by a height map."""

from dataclasses import replace

import numpy as np

import screwgraph as sg
from screwgraph.motion.planning import Task, horizon
from screwgraph.motion.planning.collision import BodySphere
from screwgraph.motion.planning.collision.fields import height_map
from screwgraph.motion.planning.costs import Acceleration
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.obstacles import Avoid

ARM = """
name: crane
bodies:
  - {link: arm, joint: shoulder, axis: y, at: [0, 0, 1], mass: 1}
  - {link: hand, joint: elbow, axis: y, at: [0, 0, -0.5], mass: 1}
"""
X = np.arange(-1.0, 1.01, 0.05)
RIDGE, RADIUS = 0.5 * np.exp(-((X / 0.15) ** 2)), 0.05


def nearest(q):
    """Least distance of the ball's centre from the ridge's line, by hand."""
    x = -0.5 * (np.sin(q[:, 0]) + np.sin(q[:, 0] + q[:, 1]))
    z = 1.0 - 0.5 * (np.cos(q[:, 0]) + np.cos(q[:, 0] + q[:, 1]))
    along = np.linspace(-1.0, 1.0, 2001)
    return np.hypot(x[:, None] - along, z[:, None] - np.interp(along, X, RIDGE)).min(axis=1)


def test_a_ball_is_carried_over_a_ridge_between_points_too(tmp_path):
    path = tmp_path / "crane.yaml"
    path.write_text(ARM)
    ground = height_map(np.tile(RIDGE[:, None], (1, 5)), (-1.0, -0.1), 0.05, above=0.6, below=0.1, cell=0.025)
    ball = BodySphere("hand", (0.0, 0.0, -0.5), RADIUS)
    task = Task(
        sg.load(path), horizon(12, duration=1.5), start=(1.2, -1.0), goals=(Position((-0.2, -1.0)), Velocity()),
        costs=(Acceleration(),), dynamics=False, collocation="linear_acceleration",
    )  # fmt: skip
    times = np.linspace(0.0, 1.5, 241)
    assert nearest(sg.plan(task).at(times).q).min() < RADIUS - 0.03
    over = sg.plan(replace(task, obstacles=(Avoid((ground,), (ball,), margin=0.01, between=3),)))
    assert over.solved, over
    assert nearest(over.at(times).q).min() > RADIUS
