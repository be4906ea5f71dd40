"""The wheel outside the source tree, in an environment of its own: first without extras, then with `draw`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

BASE = """
import numpy as np
import screwgraph as sg
from importlib.resources import files
from importlib.util import find_spec

assert "site-packages" in sg.__file__, sg.__file__
assert files(sg).joinpath("py.typed").is_file()
assert not [name for name in ("matplotlib", "PIL", "casadi", "mujoco", "jax") if find_spec(name)]
for name in sg.zoo_names():
    sg.load(name)
robot = sg.load("puma560")
q, qd, qdd = robot.random(np.random.default_rng(0)), np.ones(6), np.ones(6)
tau = sg.inverse_dynamics(robot)(q, qd, qdd)
np.testing.assert_allclose(sg.forward_dynamics(robot)(q, qd, tau), qdd, rtol=1e-9, atol=1e-9)
sg.simulate(sg.load_mechanism("four_bar"), time=0.1)
assert sg.plan("cp2").status == "solved"
try:
    sg.draw.draw_graph(sg.dynamics_graph(robot))
except sg.InputError as error:
    assert "pip install 'screwgraph[draw]'" in str(error), error
else:
    raise AssertionError("a graph was drawn without matplotlib")
"""
COMMANDS = (
    "info puma560",
    "solve rr --problem forward",
    "kinematics panda",
    "draw rr --problem forward --what graph -o rr.dot",
    "compile rr --functions forward --lang c -o code",
    "simulate rr --time 0.1 -o motion",
    "simulate four_bar --time 0.1 -o four_bar.npz --report four_bar.html",
    "simulate rr --time 0.1 -o rr.csv",
    "inverse rr --trajectory rr.csv -o torques.csv",
    "plan cp2 -o plan",
    "view rr -o rr.html",
    "playground -o playground.html",
)
"""Commands of the base, in this order."""
DRAWING = (
    "draw rr --problem forward --what graph -o rr.svg",
    "simulate rr --time 0.1 -o drawn",
    "plan cp2 -o drawn_plan",
)


FIRST_HOUR = Path(__file__).resolve().parent / "first_hour"
"""Scripts of four users' first hours."""


def main(wheel: Path) -> None:
    """Install a wheel, call it and its commands in an empty folder, then draw with the extra; run the first hours."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(Path(folder, "env"), with_pip=True)
        python = Path(folder, "env", "Scripts" if sys.platform == "win32" else "bin", "python")

        def run(*arguments: str, place: str = ".") -> None:
            given = {**os.environ, "SCREWGRAPH_CACHE_DIR": str(Path(folder, "cache"))}
            Path(folder, place).mkdir(exist_ok=True)
            subprocess.run(
                [python, *arguments], cwd=Path(folder, place), env=given, check=True, stdin=subprocess.DEVNULL
            )

        def size() -> float:
            """Return the size of the environment (MB)."""
            return sum(f.stat().st_size for f in Path(folder, "env").rglob("*") if f.is_file()) / 1e6

        def install(what: str) -> float:
            """Return by how much (MB) the environment grows."""
            before = size()
            run("-m", "pip", "-qq", "--disable-pip-version-check", "install", what)
            return size() - before

        base = install(str(wheel.resolve()))
        run("-W", "error", "-c", BASE)
        for command in COMMANDS:
            run("-m", "screwgraph", *command.split())
        assert not list(Path(folder).glob("*/*.svg"))
        draw = install(f"{wheel.resolve()}[draw]")
        for command in DRAWING:
            run("-m", "screwgraph", *command.split())
        for picture in ("rr.svg", "drawn/coordinates.svg", "drawn_plan/motion.svg"):
            assert Path(folder, picture).is_file(), picture
        install(f"{wheel.resolve()}[draw,xacro]")
        for script in sorted(FIRST_HOUR.glob("*.py")):
            if script.stem not in ("__init__", "test_first_hour"):
                run("-W", "error", str(script), place=f"hour_{script.stem}")
        print(
            f"{wheel.name}, Python {sys.version.split()[0]}: {wheel.stat().st_size / 1e6:.1f} MB, "
            f"with what it needs {base:.0f} MB, the extra draw {draw:.0f} MB more"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
