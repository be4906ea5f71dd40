"""Over-determined dynamics of the PUMA 560 by least squares (Xie & Dellaert, 2019, IV-C), beside dense QR.

Run: python examples/xie_2019_least_squares.py. Torques or accelerations are known, and measured as well: what exact
equations leave goes by a column of QR after the other. The dense solution is that of numpy.linalg.lstsq on the mass
matrix, which knows nothing of graphs.
"""

from __future__ import annotations

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import screwgraph as sg

STATES = 1000
ACCELERATION, TORQUE, DOUBT = 0.5, 0.1, 2.0
"""Standard deviations of accelerometers (rad/s^2), of torque sensors (N m), and of the motor in doubt (N m)."""


def main() -> None:
    """Compare three over-determined graphs with dense least squares at random states."""
    robot = sg.load("puma560")
    given = sg.dynamics_graph(robot).given("q", "qd")
    measured = sg.with_measurements(sg.with_measurements(given, "qdd", sigma=ACCELERATION), "tau", sigma=TORQUE)
    known = sg.with_measurements(sg.dynamics_graph(robot).given("q", "qd", "tau"), "qdd", sigma=ACCELERATION)
    graphs = {
        "torques and accelerations measured": measured,
        "torques known, accelerations measured, motor 2 in doubt": sg.with_soft(known, "torque:joint2", sigma=DOUBT),
        "torques known, accelerations measured, every motor in doubt": _doubted(known, robot),
    }
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("known")
    for head in ("equations too many", "operations", "off the dense solution by"):
        table.add_column(head, justify="right")
    q, qd, first, second = np.random.default_rng(0).standard_normal((4, STATES, 6))
    M, h = sg.mass_matrix(robot)(q), sg.bias_forces(robot)(q, qd)
    for number, (name, graph) in enumerate(graphs.items()):
        f = sg.compile(graph, "qdd", ordering="rnea" if number == 0 else "aba")
        found = f(q, qd, *((first, second) if number == 0 else (second, first)))
        dense = np.array([_dense(number, *state) for state in zip(M, h, first, second, strict=True)])
        off = np.abs(found - dense).max() / np.abs(dense).max()
        table.add_row(name, "6", str(f.operations.total), f"{off:.1e}")
    console = Console(width=118, highlight=False)
    console.print(table)
    exact = sg.compile(sg.dynamics_graph(robot).given("q", "qd", "tau"), "qdd", ordering="aba")
    console.print(f"\nforward dynamics without measurements takes {exact.operations.total} operations")


def _doubted(graph: sg.FactorGraph, robot: sg.Robot) -> sg.FactorGraph:
    for name in robot.joint_names:
        graph = sg.with_soft(graph, f"torque:{name}", sigma=DOUBT)
    return graph


def _dense(number: int, M: np.ndarray, h: np.ndarray, qdd: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Return the accelerations of least squares: of all equations, or of those that exact ones leave."""
    r = tau - h
    exact = [] if number != 1 else [0, 2, 3, 4, 5]
    sigma = TORQUE if number == 0 else DOUBT
    soft = [i for i in range(6) if i not in exact]
    x = np.linalg.lstsq(M[exact], r[exact])[0] if exact else np.zeros(6)
    N = np.linalg.svd(M[exact])[2][len(exact) :].T if exact else np.eye(6)
    A = np.vstack([np.eye(6) / ACCELERATION, M[soft] / sigma])
    b = np.concatenate([qdd / ACCELERATION, r[soft] / sigma])
    return x + N @ np.linalg.lstsq(A @ N, b - A @ x)[0]


if __name__ == "__main__":
    main()
