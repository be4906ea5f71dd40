"""An engineer with a robot in xacro: load, look, dynamics, a controller, code in C."""

import subprocess
import sys
from pathlib import Path

import numpy as np

import screwgraph as sg

PART = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="arm_link" params="name parent mass">
    <link name="${name}"><inertial><origin xyz="0 0 0.15"/><mass value="${mass}"/>
      <inertia ixx="0.02" iyy="0.02" izz="0.005" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="${name}_joint" type="revolute"><parent link="${parent}"/><child link="${name}"/>
      <origin xyz="0 0 0.3" rpy="1.5708 0 0"/><axis xyz="0 1 0"/>
      <limit lower="-2.5" upper="2.5" effort="60" velocity="3"/></joint>
  </xacro:macro>
</robot>"""
ARM = """<robot name="$(arg side)_arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="side"/><xacro:arg name="mass" default="2"/>
  <xacro:include filename="$(find arm_parts)/part.xacro"/>
  <link name="base"/>
  <xacro:arm_link name="upper" parent="base" mass="$(arg mass)"/>
  <xacro:arm_link name="lower" parent="upper" mass="${0.5 * $(arg mass)}"/>
</robot>"""


def screwgraph(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    return subprocess.run([sys.executable, "-m", "screwgraph", *arguments], capture_output=True, text=True, timeout=300)


Path("ws/arm_parts").mkdir(parents=True)
Path("ws/arm_parts/part.xacro").write_text(PART)
Path("arm.xacro").write_text(ARM)

lost = screwgraph("info", "arm.xacro")
assert "argument 'side' has no default: the file takes mass, side (--xacro side:=VALUE" in lost.stderr, lost.stderr
lost = screwgraph("info", "arm.xacro", "--xacro", "side:=left")
assert "(--packages arm_parts=FOLDER" in lost.stderr, lost.stderr
found = screwgraph("info", "arm.xacro", "--xacro", "side:=left", "--packages", "ws")
assert "left_arm: 3 links, 2 joints" in found.stdout, found.stderr

robot = sg.load("arm.xacro", xacro_args={"side": "left"}, packages="ws")
found = subprocess.run(
    [sys.executable, "-c", "import screwgraph as sg; sg.rnea"], capture_output=True, text=True, timeout=300
)
assert "here it is screwgraph.inverse_dynamics" in found.stderr, found.stderr
inverse, forward = sg.inverse_dynamics(robot), sg.forward_dynamics(robot)
q, qd, qdd = np.array([0.3, -0.5]), np.array([1.0, 0.2]), np.array([2.0, -1.0])
np.testing.assert_allclose(forward(q, qd, inverse(q, qd, qdd)), qdd, atol=1e-9)
np.testing.assert_allclose(
    sg.mass_matrix(robot)(q) @ qdd + sg.bias_forces(robot)(q, qd), inverse(q, qd, qdd), atol=1e-9
)
assert "torques and forces of joints" in forward.__doc__

simulator, target = sg.Simulator(robot, 1e-3), np.array([0.5, 0.5])
for _ in range(2000):
    simulator.step(inverse(simulator.q, simulator.qd, 100.0 * (target - simulator.q) - 20.0 * simulator.qd))
np.testing.assert_allclose(simulator.q, target, atol=1e-3)

xacro = ("--xacro", "side:=left", "--packages", "ws")
made = screwgraph("compile", "arm.xacro", *xacro, "--functions", "forward", "--lang", "c", "-o", "code")
assert made.returncode == 0, made.stderr
assert "--snap 1e-05 takes operations out" in made.stderr, made.stderr
assert list(Path("code").glob("*.c"))
