"""Actuators that are no independent joints (Chignoli et al., 2023, footnotes 3 and 5): power and least efforts.

Run: python examples/chignoli_2023_actuators.py. An actuator with displacement l(q) delivers u dl/dt. Efforts of
inverse dynamics must cause the motion, deliver what the joint torques do, and be the least where there are more of
them than degrees of freedom.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import screwgraph as sg
from screwgraph.model.robot import Coupling, LoopMotor, Robot, Transmission, closed_states, constraint_jacobian

STATES = 5


def main() -> None:
    """Print a table of mechanisms, and how well what footnote 3 says holds."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("mechanism")
    for head in ("degrees of\nfreedom", "actuators", "operations\ninverse", "motion\nis off by", "power\nis off by"):
        table.add_column(head, justify="right")
    table.add_column("beyond\nthe least", justify="right")
    for name, robot in mechanisms().items():
        table.add_row(name, *map(str, row(robot)))
    Console(width=118, highlight=False).print(table)


def mechanisms() -> dict[str, Robot]:
    """Return a five-bar and a differential with several sets of actuators."""
    bar, differential = sg.load("five_bar"), sg.load("differential")
    tip = LoopMotor("tip", bar.loops[0].name)
    geared = [Transmission(Coupling(f"gear {i}", {f"joint{i}": 9.0})) for i in (1, 2, 3)]
    left, right = differential.independent_joints
    sum_of = Transmission(Coupling("sum", {left: 0.5, right: 0.5}))
    apart = Transmission(Coupling("difference", {left: 0.5, right: -0.5}))
    return {
        "five-bar, two geared joints": replace(bar, actuators=tuple(geared[:2])),
        "five-bar, a geared joint and a motor on the loop joint": replace(bar, actuators=(geared[0], tip)),
        "five-bar, three geared joints and a motor on the loop joint": replace(bar, actuators=(*geared, tip)),
        "differential, tendons for sum and difference": replace(differential, actuators=(sum_of, apart)),
    }


def row(robot: Robot) -> tuple[int, int, int, str, str, str]:
    """Return counts, and the largest relative errors at closed states."""
    inverse, forward = sg.inverse_dynamics(robot, actuators=True), sg.forward_dynamics(robot)
    tree, rng = sg.inverse_dynamics(robot, coordinates="independent"), np.random.default_rng(1)
    places = [robot.v_slices[name].start for name in robot.independent_joints]
    motion, power, least = [], [], []
    for q in closed_states(robot, STATES, seed=2):
        K, B = constraint_jacobian(robot, q), robot.actuation_matrix(q)
        qd = robot.complete_velocity(q, rng.standard_normal(len(places)))
        tau = np.zeros(robot.nv)
        tau[places] = rng.standard_normal(len(places))
        qdd = forward(q, qd, tau)
        u = inverse(q, qd, qdd)
        motion.append(np.abs(forward(q, qd, B @ u) - qdd).max() / np.abs(qdd).max())
        needed = tree(q, qd[places], qdd[places])
        power.append(abs(u @ (B.T @ qd) - needed @ qd[places]) / (np.abs(u) @ np.abs(B.T @ qd)))
        G = np.linalg.svd(K)[2][np.linalg.matrix_rank(K, tol=1e-8) :].T
        smallest = np.linalg.pinv(G.T @ B) @ (G.T @ (B @ u))
        least.append(np.linalg.norm(u) / np.linalg.norm(smallest) - 1.0)
    errors = (f"{max(motion):.0e}", f"{max(power):.0e}", f"{max(map(abs, least)):.0e}")
    return robot.mobility.freedom, len(robot.actuators), inverse.operations.total, *errors


if __name__ == "__main__":
    main()
