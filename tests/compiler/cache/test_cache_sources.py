"""Sources that change while a process runs: real processes, real edits of a copy of the package, one cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compiler.caches import SOURCE, entries
from tests.suites import in_suites

LAW = Path("screwgraph/graph/factors/torque.py")
RIGHT, WRONG = "joint.damping * qd", "3.0 * joint.damping * qd"
ANSWER = """
import os, pathlib, sys
import screwgraph as sg
law = pathlib.Path(sys.argv[1])
robot = sg.load(pathlib.Path(sys.argv[2]).read_text())
def write(old, new):
    law.write_text(law.read_text().replace(old, new))
def answer():
    return float(sg.inverse_dynamics(robot)([0.3], [2.0], [0.0])[0])
"""
ROBOT = """
<robot name="wheel"><link name="base"/><link name="rim"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="axle" type="continuous"><parent link="base"/><child link="rim"/><axis xyz="0 0 1"/>
<dynamics damping="0.5"/></joint></robot>
"""
DAMPED = 0.5 * 2.0
"""Damping times velocity (N m)."""

EDIT = f'write("{RIGHT}", "{WRONG}")'
EDIT_BACK = f'write("{WRONG}", "{RIGHT}")'
REPLACE = """
draft = law.with_suffix(".draft")
draft.write_text(law.read_text().replace("{old}", "{new}"))
os.utime(draft, (1e9, 1e9))
os.replace(draft, law)
"""
REPLACED = REPLACE.format(old=RIGHT, new=WRONG)
REPLACED_BACK = REPLACE.format(old=WRONG, new=RIGHT)


@pytest.fixture
def run(tmp_path):
    """Return a function that runs lines in a process with a copy of the package, and returns what it prints."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SOURCE / "screwgraph", tmp_path / "screwgraph", ignore=ignored)
    (tmp_path / "wheel.urdf").write_text(ROBOT)
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "PYTHONDONTWRITEBYTECODE": "1",  # Python's own cache of code knows whole seconds only
        "SCREWGRAPH_CACHE_DIR": str(tmp_path / "cache"),
    }
    environment.pop("SCREWGRAPH_CACHE", None)

    def lines(*program: str) -> list[float]:
        call = [sys.executable, "-c", "\n".join([ANSWER, *program]), str(tmp_path / LAW), str(tmp_path / "wheel.urdf")]
        done = subprocess.run(call, env=environment, capture_output=True, text=True, timeout=300, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        return [float(line) for line in done.stdout.split()]

    lines.cache = tmp_path / "cache"  # pyright: ignore[reportFunctionMemberAccess]
    return lines


@pytest.mark.parametrize(
    "before",
    [
        (EDIT, "answer()"),
        in_suites((REPLACED, "answer()")),
        in_suites((EDIT, "answer()", EDIT_BACK)),
        in_suites((REPLACED, "answer()", REPLACED_BACK)),
    ],
    ids=["edited", "replaced by an older file", "edited and edited back", "replaced and replaced back"],
)
def test_code_of_sources_that_changed_after_the_import_is_not_kept(run, before):
    run(*before)
    assert not run.cache.exists() or entries(run.cache) == []
    expected = 3.0 * DAMPED if before[-1] == "answer()" else DAMPED
    assert run("print(answer())") == [pytest.approx(expected)]


def test_an_edit_after_the_first_function_is_noticed_by_the_second(run):
    run("sg.mass_matrix(robot)([0.3])", EDIT, "answer()")
    assert len(entries(run.cache)) == 2, "program and code of the mass matrix alone are kept"
    assert run("print(answer())") == [pytest.approx(3.0 * DAMPED)]
