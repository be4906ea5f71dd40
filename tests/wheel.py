"""The wheel outside the source tree: `make wheel` installs it, without extras, in an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

QUESTIONS = """
import numpy as np
import screwgraph as sg
from importlib.resources import files

assert "site-packages" in sg.__file__, sg.__file__
assert files(sg).joinpath("py.typed").is_file()
for name in sg.zoo_names():
    sg.load(name)
robot = sg.load("puma560")
q, qd, qdd = robot.random(np.random.default_rng(0)), np.ones(6), np.ones(6)
tau = sg.inverse_dynamics(robot)(q, qd, qdd)
np.testing.assert_allclose(sg.forward_dynamics(robot)(q, qd, tau), qdd, rtol=1e-9, atol=1e-9)
sg.simulate(sg.load_mechanism("four_bar"), time=0.1)
"""


def main(wheel: Path) -> None:
    """Install a wheel, ask it, and run its commands in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(Path(folder, "env"), with_pip=True)
        python = Path(folder, "env", "Scripts" if sys.platform == "win32" else "bin", "python")

        def run(*arguments: str) -> None:
            given = {**os.environ, "SCREWGRAPH_CACHE_DIR": str(Path(folder, "cache"))}
            subprocess.run([python, *arguments], cwd=folder, env=given, check=True, stdin=subprocess.DEVNULL)

        run("-m", "pip", "-qq", "--disable-pip-version-check", "install", str(wheel.resolve()))
        run("-c", QUESTIONS)
        run("-m", "screwgraph", "solve", "rr", "--problem", "forward")
        run("-m", "screwgraph", "draw", "rr", "--problem", "forward", "--what", "graph", "-o", "rr.svg")
        size = sum(f.stat().st_size for f in Path(folder, "env").rglob("*") if f.is_file())
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, with what it needs {size / 1e6:.0f} MB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
