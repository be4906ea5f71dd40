"""A four-bar linkage's coupler mass and motion from noisy gyroscopes, 200 times: are the estimates as sure as they say?

Run: python examples/estimation_consistency.py [--quick]; the picture goes to `out/`. Three gyroscopes (0.01 rad/s) on a
free motion of 0.8 s, 41 samples; the file says 2 kg, the truth is 2.3 kg. Normalised squared errors (NEES) of the mass,
and of the crank angle at the first and last sample, should be chi-squared with one degree of freedom: 1 in the mean.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import screwgraph as sg
from screwgraph.mechanics.mechanism import simulate_sensors

TRUTH, NAME = 2.3, "mass:coupler"
RUNS, QUICK = 200, 20
WHAT = ("coupler mass", "crank angle, first sample", "crank angle, last sample")


def main() -> None:
    """Estimate, print how often truth was within three standard deviations, draw the NEES."""
    errors = normalised_errors(QUICK if "--quick" in sys.argv[1:] else RUNS)
    print(f"{len(errors)} runs{'':22} within 3 sigma   mean NEES")
    for name, column in zip(WHAT, errors.T, strict=True):
        print(f"{name:30} {(np.abs(column) < 3.0).mean():12.1%} {(column**2).mean():11.2f}")
    draw(errors)


def normalised_errors(runs: int) -> np.ndarray:
    """Return errors over their standard deviations, (runs, 3)."""
    mechanism = sg.load_mechanism("four_bar_angle")
    motion = sg.simulate(sg.load_mechanism("four_bar_angle", {NAME: TRUTH}), time=0.8, dt=0.02, method="dop853")
    theta = mechanism.index("theta")
    rows = []
    for seed in range(runs):
        noise = np.random.default_rng(seed)
        gyroscopes = simulate_sensors(mechanism, {"q": motion.q, "v": motion.qd, "a": motion.qdd}, rng=noise)
        found = sg.estimate(mechanism, {"t": motion.t} | gyroscopes, (NAME,))
        angle = (found.q - motion.q)[[0, -1], theta] / found.q_sigma[[0, -1], theta]
        rows.append([(found.parameters[NAME] - TRUTH) / found.sigma[NAME], *angle])
    return np.array(rows)


def draw(errors: np.ndarray) -> None:
    """Draw the NEES of all runs, sorted, beside what chi-squared predicts."""
    from matplotlib.figure import Figure
    from scipy.stats import chi2

    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    part = (np.arange(len(errors)) + 0.5) / len(errors)
    axes.plot(chi2.ppf(part, 1), part, color="#222222", linestyle="--", label="chi-squared, 1 degree of freedom")
    for name, column in zip(WHAT, errors.T, strict=True):
        axes.plot(np.sort(column**2), part, label=name)
    axes.set(xlabel="normalised squared error (NEES)", ylabel="part of the runs below", xlim=(0, 10), ylim=(0, 1))
    axes.legend(frameon=False)
    Path("out").mkdir(exist_ok=True)
    figure.savefig("out/estimation_consistency.png", dpi=144)
    print("out/estimation_consistency.png")


if __name__ == "__main__":
    main()
