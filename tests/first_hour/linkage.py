"""A designer of mechanisms: a crank that drives a leg, its motion, torque, pins and curve."""

import subprocess
import sys
from pathlib import Path

import numpy as np

import screwgraph as sg

shown = subprocess.run(
    [sys.executable, "-m", "screwgraph", "info", "slider_crank"], capture_output=True, text=True, timeout=300
)
assert shown.returncode == 0, shown.stderr
mechanism = sg.load_mechanism("slider_crank")
run = sg.simulate(mechanism, time=1.0, tau=[0.5])
assert run.violation.max() < 1e-8
assert abs(run.energy_drift) < 1e-3
torques = sg.inverse_trajectory(mechanism, run)
np.testing.assert_allclose(torques.tau[5:-5], 0.5, atol=0.02)
command = [sys.executable, "-m", "screwgraph", "simulate", "slider_crank", "--time", "1", "-o", "run.npz"]
done = subprocess.run([*command, "--report", "run.html"], capture_output=True, text=True, timeout=300)
assert done.returncode == 0, done.stderr
assert "</html>" in Path("run.html").read_text()
