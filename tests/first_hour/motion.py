"""A student of planning and estimation: a pick, a trot from a built-in task, a log of a pendulum."""

import subprocess
import sys
from pathlib import Path

import numpy as np

import screwgraph as sg

PICK = """robot: panda
horizon: {steps: 20, duration: 1}
start: {position: [0, -0.5, 0, -2, 0, 1.6, 0]}
goals:
  - {time: end, point: {frame: panda_hand_tcp, at: [0.5, 0.3, 0.3]}, velocity: 0}
costs: {effort: 1e-3, acceleration: 1e-3}
limits: [position, velocity]
obstacles:
  - avoid:
      shapes: [{sphere: {center: [0.62, 0.18, 0.5], radius: 0.06}}]
      spheres: [{link: panda_link7, center: [0, 0, 0.1], radius: 0.08}]
"""
Path("pick.yaml").write_text(PICK)
pick = sg.plan("pick.yaml")
assert pick.feasible, pick.status
tool = sg.forward_kinematics(pick.task.robot, "panda_hand_tcp")(pick.q[-1])
np.testing.assert_allclose(tool[:3, 3], [0.5, 0.3, 0.3], atol=1e-5)

printed = subprocess.run(
    [sys.executable, "-m", "screwgraph", "plan", "--print", "a1_trot"], capture_output=True, text=True, timeout=300
)
Path("trot.yaml").write_text(printed.stdout)
trot = sg.plan("trot.yaml")
assert trot.feasible, trot.status
assert np.abs(trot.q[:, :2] - trot.q[0, :2]).max() > 0.05  # it gets on

robot = sg.load("rr")
run = sg.simulate(robot, [0.5, 0.3], time=2.0, dt=0.01)
run.save("log.csv")
assert list(run.table()) == list(run.columns)
assert Path("log.csv").read_text().splitlines()[0].split(",") == list(run.columns)
again = sg.inverse_trajectory(robot, "log.csv")
np.testing.assert_allclose(again.tau[20:-20], 0.0, atol=0.05)  # nothing drives it
