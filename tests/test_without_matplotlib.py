"""Nothing but pictures needs matplotlib: what draws says what to install, everything else works without it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
sys.modules["matplotlib"] = None  # importing it fails, as where it is not installed
import contextlib, io, json
import numpy as np
import screwgraph as sg
from screwgraph.ui import draw
from screwgraph.ui.cli import run

def command(*arguments):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = run(list(arguments))
    return status, out.getvalue(), err.getvalue()

robot = sg.load("rr")
graph, run_ = sg.dynamics_graph(robot), sg.simulate(robot, time=0.01)
dag = sg.inverse_dynamics(robot).dag
for use in (
    lambda: draw.draw_graph(graph),
    lambda: draw.draw_dag(dag),
    lambda: draw.draw_motion(run_),
    lambda: draw.draw_paths(run_, [robot.links[-1].name]),
):
    try:
        use()
    except sg.InputError as error:
        assert str(error) == "matplotlib is not installed (pip install 'screwgraph[draw]')", error
    else:
        raise AssertionError("a figure was drawn without matplotlib")
assert run_._repr_html_() and dag._repr_html_() and graph._repr_html_()
assert "matplotlib is not installed" in run_._repr_html_()
print(json.dumps({
    "draw": command("draw", "rr", "--problem", "forward", "-o", "rr.svg", "--what", "dag"),
    "text": command("draw", "rr", "--problem", "forward", "-o", "rr.dot", "--what", "graph"),
    "plots": command("simulate", "rr", "--time", "0.01", "-o", "rr.csv", "--plot", "pictures"),
    "report": command("simulate", "rr", "--time", "0.01", "-o", "rr.npz", "--report", "rr.html"),
    "folder": command("simulate", "rr", "--time", "0.01", "-o", "run"),
    "plan": command("plan", "cp2", "-o", "plan"),
    "page": command("view", "rr", "-o", "page.html"),
}))
"""


def test_only_pictures_need_matplotlib(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    install = "matplotlib is not installed (pip install 'screwgraph[draw]')"
    assert {name: status for name, (status, _, _) in answers.items()} == {
        "draw": 1, "text": 0, "plots": 2, "report": 0, "folder": 0, "plan": 0, "page": 0,
    }  # fmt: skip
    assert answers["draw"][2].strip().endswith(install)
    assert install in answers["plots"][2]
    assert not (tmp_path / "rr.csv").exists()  # said before the work begins
    for name in ("folder", "plan"):
        assert f"are left out: {install}" in answers[name][2]
    for page in ("rr.html", "run/report.html", "plan/report.html"):
        text = (tmp_path / page).read_text()
        assert "Not drawn: matplotlib is not installed" in text
        assert "<iframe" in text
    assert not list(tmp_path.rglob("*.svg"))
