"""The kinds of random tasks: which robots they have, and how one is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import screwgraph as sg
from screwgraph.model.robot import Robot
from screwgraph.motion.planning import Task
from tests.robots import robot_file

from . import draws

ZOO = frozenset({"acrobot", "rr", "rrr", "panda", "puma560", "iiwa14"})
CLOSED = ("four_bar_linkage", "five_bar", "differential", "belt_leg", "stewart_gough")


@dataclass(frozen=True)
class Kind:
    """A kind of tasks: its robots, so many tasks of each, drawn by `draw`.

    IPOPT gets compiled functions, too, for the first task of the `sampled` robots: gcc takes a minute for an arm.
    """

    name: str
    robots: tuple[str, ...]
    draw: Callable[[Robot, np.random.Generator], Task]
    tasks: int = 3
    base: str | None = None
    sampled: tuple[str, ...] = ()

    def robot(self, name: str) -> Robot:
        """Return a robot of the zoo, or of a file."""
        path = name if name in ZOO or name in CLOSED else robot_file(f"{name}.urdf")
        return sg.load(path) if self.base is None else sg.load(path, base=self.base)


ARMS = (
    "puma560", "iiwa14", "panda", "z1", "ur5_robot", "ur10_robot", "ur3_robot", "kinova", "xarm7", "talos_left_arm",
)  # fmt: skip
SMALL = ("rr", "rrr", "acrobot", "TwoDofs", "double_pendulum", "finger_edu", "so101")
LARGE = (
    "allegro_left_hand", "solo12", "a1", "laikago", "go1", "go2", "hyq_no_sensors", "baxter", "b1-z1",
    "simple_humanoid", "romeo",
)  # fmt: skip
KINDS = {
    kind.name: kind
    for kind in (
        Kind("joint goals", (*SMALL, *ARMS, *LARGE), draws.joint_goal, sampled=("rrr", "finger_edu")),
        Kind("pose goals", ARMS, draws.pose_goal, sampled=("puma560",)),
        Kind("obstacles", ("rr", "rrr", *ARMS), draws.past_an_obstacle, sampled=("rrr",)),
        Kind(
            "effort and velocity limits",
            (*SMALL[:2], *SMALL[3:], *ARMS),
            draws.limited,
            sampled=("rr", "rrr", "finger_edu", "puma560"),
        ),
        Kind("contacts", tuple(draws.FEET), draws.on_its_feet, base="floating"),
        Kind("closed chains", (*CLOSED, "crank_rocker", "geared_leg"), draws.joint_goal, sampled=("five_bar",)),
    )
}
