"""Robots in MuJoCo whose MJCF has actuators of its own, and the same actuators here."""

from dataclasses import replace

import mujoco
from tests.mechanics.dynamics.test_actuators import geared

import screwgraph as sg
from screwgraph.model.robot import Cable, Robot, Thruster

HEAD = '<mujoco><compiler angle="radian"/><option timestep="1e-3"/><worldbody>'
WRIST = f"""{HEAD}
<body pos="0 0 1"><joint name="roll" axis="1 0 0" damping="0.01"/>
<inertial pos="0.1 0 0" mass="1" diaginertia="2e-3 3e-3 3e-3"/>
<body pos="0.2 0 0"><joint name="tilt" axis="0 1 0"/>
<inertial pos="0.02 0 0" mass="0.3" diaginertia="3e-4 3e-4 2e-4"/>
<body><joint name="turn" axis="1 0 0"/>
<inertial pos="0.08 0.01 0" mass="0.4" diaginertia="3e-4 6e-4 6e-4"/></body>
</body></body></worldbody>
<tendon><fixed name="sum"><joint joint="tilt" coef="0.5"/><joint joint="turn" coef="0.3"/></fixed>
<fixed name="difference"><joint joint="tilt" coef="0.5"/><joint joint="turn" coef="-0.3"/></fixed></tendon>
<actuator><motor name="m1" joint="roll" gear="40" ctrllimited="true" ctrlrange="-0.2 0.2"/>
<motor name="m2" tendon="sum" gear="10" ctrllimited="true" ctrlrange="-0.5 0.5"/>
<motor name="m3" tendon="difference" gear="10" ctrllimited="true" ctrlrange="-0.5 0.5"/></actuator></mujoco>"""
FINGER = f"""{HEAD}<site name="top" pos="0 0 0.03"/><site name="below" pos="0 0 -0.03"/>
<body><joint name="root" axis="0 1 0" damping="0.02"/>
<inertial pos="0.05 0 0" mass="0.1" diaginertia="1e-5 1e-4 1e-4"/>
<site name="up1" pos="0.06 0 0.02"/><site name="low1" pos="0.06 0 -0.02"/>
<body pos="0.1 0 0"><joint name="tip" axis="0 1 0" damping="0.02"/>
<inertial pos="0.03 0 0" mass="0.05" diaginertia="1e-5 3e-5 3e-5"/>
<site name="up2" pos="0.04 0 0.015"/><site name="low2" pos="0.04 0 -0.015"/></body></body></worldbody>
<tendon><spatial name="a"><site site="top"/><site site="up1"/></spatial>
<spatial name="b"><site site="below"/><site site="low1"/></spatial>
<spatial name="c"><site site="top"/><site site="up1"/><site site="up2"/></spatial>
<spatial name="d"><site site="below"/><site site="low1"/><site site="low2"/></spatial></tendon>
<actuator><motor name="a" tendon="a" gear="-1" ctrllimited="true" ctrlrange="0 15"/>
<motor name="b" tendon="b" gear="-1" ctrllimited="true" ctrlrange="0 15"/>
<motor name="c" tendon="c" gear="-1" ctrllimited="true" ctrlrange="0 15"/>
<motor name="d" tendon="d" gear="-1" ctrllimited="true" ctrlrange="0 15"/>
</actuator></mujoco>"""
ACROBOT = f"""{HEAD}
<body pos="0 0 2"><joint name="shoulder" axis="0 1 0"/>
<inertial pos="0 0 -0.5" mass="1" diaginertia="0.08 0.08 0.001"/>
<body pos="0 0 -1"><joint name="elbow" axis="0 1 0"/>
<inertial pos="0 0 -0.5" mass="1" diaginertia="0.08 0.08 0.001"/></body>
</body></worldbody><actuator>
<motor name="elbow" joint="elbow" gear="-30" ctrllimited="true" ctrlrange="-1 1"/>
</actuator></mujoco>"""
DRONE = f"""{HEAD}
<body pos="0 0 1"><freejoint name="base"/>
<inertial pos="0 0 0.01" mass="0.8" diaginertia="4e-3 4e-3 7e-3"/>
<site name="s0" pos="0.15 0 0"/><site name="s1" pos="0 0.15 0"/>
<site name="s2" pos="-0.15 0 0"/><site name="s3" pos="0 -0.15 0"/></body>
</worldbody><actuator>{
    "".join(
        f'<motor name="r{k}" site="s{k}" gear="0 0 2 0 0 {0.04 * (-1) ** k}" ctrllimited="true" ctrlrange="0 2.5"/>'
        for k in range(4)
    )
}</actuator></mujoco>"""


def _cables() -> tuple[Cable, ...]:
    root, tip = "body1", "body2"
    ways = {
        "a": [("world", (0.0, 0.0, 0.03)), (root, (0.06, 0.0, 0.02))],
        "b": [("world", (0.0, 0.0, -0.03)), (root, (0.06, 0.0, -0.02))],
    }
    ways["c"], ways["d"] = [*ways["a"], (tip, (0.04, 0.0, 0.015))], [*ways["b"], (tip, (0.04, 0.0, -0.015))]
    return tuple(Cable(name, tuple(points), bounds=(0.0, 15.0)) for name, points in ways.items())


def _jets() -> tuple[Thruster, ...]:
    found = list[Thruster]()
    for k, (x, y) in enumerate([(0.15, 0.0), (0.0, 0.15), (-0.15, 0.0), (0.0, -0.15)]):
        arms = {"base[0]": 2.0 * y, "base[1]": -2.0 * x, "base[2]": 0.04 * (-1) ** k, "base[5]": 2.0}
        found.append(Thruster(f"r{k}", {name: arm for name, arm in arms.items() if arm}, bounds=(0.0, 2.5)))
    return tuple(found)


PLANTS = {
    "differential wrist": (
        WRIST,
        lambda: (
            replace(geared("m1", roll=40.0), bounds=(-0.2, 0.2)),
            replace(geared("m2", tilt=5.0, turn=3.0), bounds=(-0.5, 0.5)),
            replace(geared("m3", tilt=5.0, turn=-3.0), bounds=(-0.5, 0.5)),
        ),
        [0.0, 0.0, 0.0],
        [0.7, -0.6, 0.9],
        {"position": 10.0, "velocity": 0.05, "effort": 1e-2},
    ),
    "finger with tendons": (
        FINGER, _cables, [0.0, 0.0], [-0.5, 0.4], {"position": 10.0, "velocity": 0.02, "effort": 1e-4}
    ),
    "acrobot": (
        ACROBOT,
        lambda: (replace(geared("elbow", elbow=-30.0), bounds=(-1.0, 1.0)),),
        [3.18, -0.08],
        [3.141592653589793, 0.0],
        {"position": 10.0, "velocity": 1.0, "effort": 0.1},
    ),
    "drone": (
        DRONE,
        _jets,
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        [0.3, -0.2, 1.4, 0.0, 0.0, 0.0, 1.0],
        {"position": [1.0, 1.0, 1.0, 20.0, 20.0, 20.0], "velocity": 0.5, "effort": 1e-2},
    ),
}  # fmt: skip
"""MJCF, the same actuators here, where it starts, its goal, weights."""


def load_plant(name, folder) -> tuple[Robot, mujoco.MjModel]:
    text, actuators, *_ = PLANTS[name]
    (folder / "plant.xml").write_text(text)
    robot = sg.load(folder / "plant.xml")
    return replace(robot, actuators=tuple(actuators())), mujoco.MjModel.from_xml_string(text)
