"""Hybrid dynamics in steps and by one elimination (Xie & Dellaert, 2019, VI-A), and the mass matrix of the slides.

Run: python examples/xie_2019_hybrid.py. The acceleration of joint 1 is given, and the torques of the others.
"""

from __future__ import annotations

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import screwgraph as sg
from screwgraph.spatial import Ad, inverse

STATES = 16


def main() -> None:
    """Print differences and operations of the ways to solve the hybrid problem, then those of the mass matrix of RR."""
    console = Console(width=118, highlight=False)
    rows = compare(sg.load("rrr"))
    table = Table(title="RRR: hybrid dynamics, the acceleration of joint 1 given", box=box.SIMPLE_HEAD)
    for i, head in enumerate(("way", "operations", "largest relative difference")):
        table.add_column(head, justify="right" if i else "left")
    for way, operations, difference in rows:
        table.add_row(way, str(operations), f"{difference:.0e}")
    console.print(table, "")
    console.print(
        "As printed, the second step has a torque at joint 1 and lets it move: its acceleration is then another.\n"
        "Featherstone (2008), 9.2, solves it for the other joints alone.\n"
    )
    arm = sg.load("rr")
    console.print(
        f"RR: mass matrix of the slides' symbolic substitution, largest difference {mass_matrix_error(arm):.0e}"
    )
    console.print(f"operations: {sg.mass_matrix(arm).operations.total}")


def compare(robot: sg.Robot) -> list[tuple[str, int, float]]:
    """Return ways to solve the hybrid problem, their operations, and how far they are from one elimination."""
    q, qd, u = np.random.default_rng(0).standard_normal((3, STATES, robot.nv))
    first = robot.joint_names[0]
    inverse_, forward, M = sg.inverse_dynamics(robot), sg.forward_dynamics(robot), sg.mass_matrix(robot)
    once = sg.hybrid_dynamics(robot, [first])
    right = once(q, qd, u)

    def torque(qdd: np.ndarray) -> np.ndarray:
        return inverse_(q, qd, qdd)

    start = u * (np.arange(robot.nv) == 0)
    printed = u.copy()
    printed[:, 0] = torque(start)[:, 0]
    loose = start + forward(q, qd, printed) * (np.arange(robot.nv) > 0)
    held = start.copy()
    held[:, 1:] = np.linalg.solve(M(q)[:, 1:, 1:], (u - torque(start))[:, 1:, None])[..., 0]
    twice = 2 * inverse_.operations.total
    found = {
        "its three steps, as printed": (loose, twice + forward.operations.total),
        "the second step for the other joints alone": (held, twice + M.operations.total),
    }
    rows = [("one elimination of the hybrid graph", once.operations.total, 0.0)]
    for way, (qdd, operations) in found.items():
        answer = np.column_stack([torque(qdd)[:, 0], qdd[:, 1:]])
        rows.append((way, operations, float(np.abs(answer - right).max() / np.abs(right).max())))
    return rows


def mass_matrix_error(arm: sg.Robot) -> float:
    """Return how far M is from M_ij = sum over links k of A_i' Ad_ki' G_k Ad_kj A_j, relative to its largest entry."""
    worst, f = 0.0, sg.mass_matrix(arm)
    for q in np.random.default_rng(1).standard_normal((STATES, arm.nv)):
        T = np.eye(4)
        frames, screws = list[np.ndarray](), list[np.ndarray]()
        for joint, angle in zip(arm.joints, q, strict=True):
            T = joint.pose(T, np.array([angle]))
            frames.append(T)
            screws.append(Ad(T) @ joint.single_axis)
        M = np.zeros((arm.nv, arm.nv))
        for k, joint in enumerate(arm.joints):
            J = Ad(inverse(frames[k])) @ np.array([s if i <= k else 0.0 * s for i, s in enumerate(screws)]).T
            M += J.T @ arm.link(joint.child).inertia.matrix() @ J
        worst = max(worst, float(np.abs(f(q) - M).max() / np.abs(M).max()))
    return worst


if __name__ == "__main__":
    main()
