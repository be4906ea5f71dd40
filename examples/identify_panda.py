"""A Panda's parameters from a motion that shows them, with noise of torques and friction: what is found, and how well.

Run: python examples/identify_panda.py; the robot that was found and a picture go to out/. With --quick the motion is
shorter, and only searched for briefly.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import screwgraph as sg
from screwgraph.ui.draw import Panel, draw_histories, save

OUT = Path("out")
NOISE = 0.05
"""Standard deviation of torques' noise, relative to their root mean square."""
FRICTION = (1.0, 2.0, 1.0, 1.5, 0.5, 0.6, 0.4)


def main() -> None:
    quick = "--quick" in sys.argv
    OUT.mkdir(exist_ok=True)
    robot, rng = sg.load("panda"), np.random.default_rng(0)
    period = 4.0 if quick else 20.0
    best = sg.excitation(robot, period=period, harmonics=3 if quick else 6, acceleration=15.0, points=int(500 * period))
    run = best.run
    print(best)

    level = np.array(FRICTION)
    tau = run.tau + level * np.tanh(run.qd / 0.01)
    noise = NOISE * np.sqrt((tau**2).mean(axis=0))
    log = {"t": run.t, "q": run.q, "tau": tau + noise * rng.standard_normal(tau.shape)}
    links = [link.name for link in robot.links[1:]]
    names = [*links, *(f"{name}.friction" for name in robot.joint_names)]
    found = sg.identify(robot, log, names)

    own = np.concatenate([*(link.inertia.parameters for link in robot.links[1:]), level])
    truth = found.base.map @ own
    z = (found.base_values - truth) / found.base_sigma
    print(repr(found))
    print(f"combinations: off by {np.linalg.norm(found.base_values - truth) / np.linalg.norm(truth):.2%} together")
    print(f"within three standard deviations: {(np.abs(z) < 3.0).sum()} of {len(z)}")
    print(f"torques held out, not explained: {max(found.validation[n] / found.torque[n] for n in found.torque):.1%}")
    found.save(OUT / "panda-identified.yaml")
    joint = robot.joint_names[3]
    curves = {"measured": found.measured[:, 3], "explained": found.predicted[:, 3]}
    left = {"residual": found.measured[:, 3] - found.predicted[:, 3]}
    save(
        draw_histories(found.t, [Panel(f"{joint} (N m)", curves), Panel("residual (N m)", left)]),
        OUT / "panda-identified.svg",
    )


if __name__ == "__main__":
    main()
