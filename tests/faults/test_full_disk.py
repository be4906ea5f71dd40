"""Where a disk is full or a folder is none, commands fail in one line, and files that were there stay whole."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from screwgraph.ui.cli import run
from tests.compiler.caches import entries, printed, start
from tests.suites import record

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="files have no limit there")

QUICK = (
    "draw rr --problem inverse --what graph -o OUT/graph.dot",
    "draw rr --problem inverse --what graph -o OUT/graph.json",
    "compile rr --functions inverse --lang c -o OUT",
    "simulate rr --time 0.1 -o OUT/run.npz",
    "simulate rr --time 0.1 -o OUT/run.csv",
)
"""Commands that write files, and take little time."""
ALL = (
    *QUICK,
    "compile rr --functions forward --lang numpy -o OUT/numpy",
    "draw rr --problem forward --what dag -o OUT/dag.svg",
    "draw rr --problem forward --what matrix -o OUT/matrix.png",
    "simulate rr --time 0.1 -o OUT/more.csv --report OUT/report.html",
    "simulate rr --time 0.1 -o OUT/more.npz --plot OUT",
    "plan cp2 -o OUT",
    "view OUT/run.npz -o OUT/view.html",
)

FULL = """
import contextlib, io, resource, sys, warnings
from pathlib import Path
import numpy as np
import screwgraph as sg
from screwgraph.ui.cli import run

out, commands = Path({out!r}), {commands!r}

def contents():
    return {{path: path.read_bytes() for path in out.rglob('*') if path.is_file()}}

def said(command):
    out_text, err_text = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out_text), contextlib.redirect_stderr(err_text):
        status = run(command.replace("OUT", str(out)).split())
    return status, err_text.getvalue()

for command in commands:
    assert said(command)[0] == 0, said(command)
before = contents()
resource.setrlimit(resource.RLIMIT_FSIZE, (64, resource.RLIM_INFINITY))
for command in commands:
    status, text = said(command)
    assert status == 1 and text.count("\\n") == 1 and "cannot be written: File too large" in text, (command, text)
    assert contents() == before, command
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    f = sg.inverse_dynamics(sg.load("rrr"))
    rest = np.zeros((3, 3))
    limited = f(*rest)
assert ["compiled code cannot be kept: File too large" in str(w.message) for w in told] == [True], told
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
np.testing.assert_array_equal(sg.inverse_dynamics(sg.load("rrr"))(*rest), limited)
for command in commands:
    assert said(command)[0] == 0, command
assert contents().keys() == before.keys()
print("done")
"""
"""No file may grow beyond 64 bytes, as on a disk that is full: the draft of each is begun and cannot be finished."""


def survives(commands: tuple[str, ...], folder: Path) -> None:
    """Run commands, again on a full disk, and once more when there is room again."""
    (folder / "out").mkdir()
    program = FULL.format(out=str(folder / "out"), commands=commands)
    assert printed(start(program, folder / "cache")) == "done\n"
    assert {path.suffix for path in (folder / "cache").iterdir()} == {".program", ".object"}
    assert len(entries(folder / "cache")) > 2


def test_full_disks_leave_older_files_whole_and_no_drafts(tmp_path):
    survives(QUICK, tmp_path)


@pytest.mark.suite
def test_every_command_leaves_older_files_whole_on_full_disks(tmp_path):
    survives(ALL, tmp_path)
    record("faults", fault="commands on a full disk", of=len(ALL), broken=0)


@pytest.mark.parametrize("command", [*ALL[:-1], "view rr -o OUT/view.html"])
def test_a_file_in_place_of_a_folder_is_one_line(command, tmp_path, capsys):
    (tmp_path / "out").write_text("a file")
    status = run(command.replace("OUT", str(tmp_path / "out")).split())
    said = capsys.readouterr()
    assert (status in (1, 2), said.out, said.err.count("\n")) == (True, "", 1), said
    assert str(tmp_path / "out") in said.err
    assert (tmp_path / "out").read_text() == "a file"
    assert os.listdir(tmp_path) == ["out"]
