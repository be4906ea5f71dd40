"""Nothing but its bridges needs CasADi: they say what to install, everything else works without it."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
sys.modules["casadi"] = None  # importing it fails, as where it is not installed
import numpy as np
import screwgraph as sg
from screwgraph.optimize import Problem, Variables, Vector, soft, solve

robot = sg.load("rr")
f = sg.forward_dynamics(robot)
assert np.isfinite(f.jacobian("q", "qd", "tau")(np.zeros(2), np.ones(2), np.zeros(2))[0]).all()
assert "double" in f.c_source()
five_bar = sg.load("five_bar")
assert np.isfinite(sg.forward_dynamics(five_bar).jacobian("tau")(five_bar.neutral(), *np.zeros((2, five_bar.nv)))).all()
sg.simulate(robot, time=0.1)
x = Variables("x", Vector(2))
problem, start = Problem([soft(lambda x: np.sin(x) - 0.5, x)]), {"x": np.zeros((1, 2))}
assert solve(problem, start).cost < 1e-12
assert sg.plan("cp2").status == "solved"
bar = sg.load_mechanism("four_bar_angle")
assert np.isfinite(sg.simulate(bar, time=0.01).q).all()
from screwgraph.motion.estimation import simulate_by_smoothing
assert np.isfinite(simulate_by_smoothing(bar, time=0.01).q).all()
for use in (lambda: f.casadi, lambda: solve(problem, start, method="ipopt")):
    try:
        use()
    except sg.InputError as error:
        assert "CasADi is not installed" in str(error) and "pip install 'screwgraph[casadi]'" in str(error), error
    else:
        raise AssertionError("a bridge worked without CasADi")
"""


def test_only_bridges_need_casadi():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
