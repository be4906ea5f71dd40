"""Bayes networks of independent coordinates (Blanco-Claraco et al., 2021, Fig. 1b) given several sets of knowns.

Run: python examples/blanco_2021_networks.py. The four-bar over 0.1 s; each set of knowns makes a graph of one network.
What is found is compared with a motion that was integrated to 11 digits; trapezoidal steps of 5 ms err by
some 1e-7.
"""

from __future__ import annotations

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import screwgraph as sg
from screwgraph.motion.estimation import bayes_network

STEPS, DT, TORQUE = 21, 0.005, 2.0
KNOWNS = {
    "start and torques: forward dynamics": ("z_0", "zd_0", "Q"),
    "z, zd, zdd: inverse dynamics": ("z", "zd", "zdd"),
    "both ends and torques: boundary values": ("z_0", f"z_{STEPS - 1}", "Q"),
    "start, and zdd: kinematics with torques": ("z_0", "zd_0", "zdd"),
    "q and torques: velocities": ("q_0", "qd_0", "Q"),
}


def main() -> None:
    """Solve the network of the four-bar for each set of knowns."""
    model = sg.load_mechanism("four_bar_angle")
    run = sg.simulate(model, time=(STEPS - 1) * DT, dt=DT, tau=[TORQUE], method="dop853", rtol=1e-11, atol=1e-11)
    places = [model.index(name) for name in model.independent_coordinates]
    truth = {"q": run.q, "qd": run.qd, "qdd": run.qdd, "Q": np.full((STEPS, 1), TORQUE)}
    truth |= {kind.replace("q", "z", 1): truth[kind][:, places] for kind in ("q", "qd", "qdd")}
    network = bayes_network(STEPS, "independent")
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for head in ("known", "factors", "unknown numbers", "iterations", "off: z (rad)", "q (m, rad)", "qdd", "Q (N m)"):
        table.add_column(head, justify="left" if head == "known" else "right")
    for name, known in KNOWNS.items():
        given = network.given(model, *known, dt=DT)
        values = {key: _value(truth, key) for key in known}
        found = given(values, guess={"q": run.q, "z": run.q[:, places]})
        size, factors = given.problem.layout.size, sum(len(f) for f in given.problem.factors)
        errors = (np.abs(found[kind] - truth[kind]).max() for kind in ("z", "q", "qdd", "Q"))
        table.add_row(name, str(factors), str(size), str(found.result.iterations), *(f"{e:.1e}" for e in errors))
    Console(width=130, highlight=False).print(table)


def _value(truth: dict[str, np.ndarray], key: str) -> np.ndarray:
    """Return what is known: a kind at all steps, or at one."""
    kind, _, step = key.partition("_")
    return truth[kind][int(step)] if step else truth[kind]


if __name__ == "__main__":
    main()
